"""Commands of the documentation, each with what it printed, done again."""

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from commands import Call

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SECONDS = re.compile(r", [\d.]+ s\n")
_COUNT = re.compile(r"([\d,]+) (?:mistakes in|rounds|features)")
_SHELL = set("|<>*?$'\";")


def told(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a text, each with what it printed."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.replace("\\\n", "").partition("\n")
            yield command, printed


def done(command: str, call: Call) -> str:
    """Return what a command prints, here where it needs no shell."""
    if command.startswith("novikoff ") and not _SHELL & set(command):
        said = call(command.removeprefix("novikoff "))
        return said.out + said.err
    alone = re.sub(r"\bpython (?=-)", f"{sys.executable} ", command)
    alone = re.sub(r"\bnovikoff (?=[a-z])", f"{sys.executable} -m novikoff ", alone)
    return subprocess.run(["bash", "-c", alone], check=True, capture_output=True, text=True).stdout


def _numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(text)]


def assert_as_told(text: str, call: Call) -> int:
    """Do every command; counts agree, seconds may differ, bounds, searched for, by a hundredth."""
    commands = list(told(text))
    for command, printed in commands:
        found = _SECONDS.sub(", 0 s\n", done(command, call))
        expected = _SECONDS.sub(", 0 s\n", printed)
        assert _NUMBER.sub("0", found) == _NUMBER.sub("0", expected), command
        assert _numbers(found) == pytest.approx(_numbers(expected), rel=1e-2), command
        assert _COUNT.findall(found) == _COUNT.findall(expected), command
    return len(commands)
