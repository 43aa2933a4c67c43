"""The story of the service, told again in one shell with the real mails."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from consoles import told

STORY = Path(__file__).parents[2] / "docs" / "service_story.md"
MAILS = "spamassassin/spamassassin.jsonl.xz"
_END = "-- end of a command --"
_NUMBER = re.compile(r"\d[\d,]*\.\d+")
_KILLED = re.compile(r"bash: line \d+: +\d+ Killed +novikoff serve ")


def test_the_day_goes_as_it_is_told(data: Path, tmp_path: Path) -> None:
    """Every count to the last mistake; bounds and losses to a hundredth."""
    if not (data / MAILS).exists():
        pytest.skip(f"no {MAILS} among the datasets")
    text = STORY.read_text(encoding="utf-8").replace("8080", str(_free_port()))
    text = text.replace("--create", f"--port {_port_of(text)} --create")
    text = text.replace("mail.model --log", f"mail.model --port {_port_of(text)} --log")
    _lay_out(tmp_path, data / MAILS, text)
    commands = list(told(text))
    assert len(commands) >= 12
    for (command, expected), found in zip(commands, _done(commands, tmp_path), strict=True):
        assert _NUMBER.sub("0", found) == _NUMBER.sub("0", expected), command
        numbers = [[float(one.replace(",", "")) for one in _NUMBER.findall(part)]
                   for part in (found, expected)]  # fmt: skip
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-2), command


def _port_of(text: str) -> str:
    return str(re.findall(r"127\.0\.0\.1:(\d+)", text)[0])


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _lay_out(folder: Path, mails: Path, text: str) -> None:
    """Put the programs of the page, the mails, the verifier and the command into a folder."""
    for name, program in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(program, encoding="utf-8")
    (folder / mails.name).symlink_to(mails)
    shutil.copy(Path(nv.__file__).with_name("verifier.py"), folder / "verifier.py")
    (folder / "bin").mkdir()
    for name, words in {"novikoff": "-m novikoff ", "python": ""}.items():
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} {words}"$@"\n')
        script.chmod(0o755)


def _done(commands: list[tuple[str, str]], folder: Path) -> list[str]:
    """Return what each command prints, all of them in one shell."""
    lines = ["trap 'kill -9 $! 2> /dev/null' EXIT"]
    for command, _ in commands:
        lines += [command, f"echo '{_END}'"]
    environment = os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    del environment["NOVIKOFF_LEAKS"]  # on Python 3.14, msgspec 0.22 keeps the types it decodes
    found = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    events = (folder / "events.jsonl").read_text()
    # Bash tells of a job that has ended before it is waited for.
    said = [line for line in found.stderr.splitlines() if not _KILLED.match(line)]
    assert not said, f"{found.stderr}\n{events}"
    return found.stdout.split(f"{_END}\n")[:-1]
