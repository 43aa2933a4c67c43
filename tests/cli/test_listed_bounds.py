"""The listing of bounds: why the smallest is not always certified, and how it fits a terminal."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Call

WHY = "knows the run's mistakes; certified only with --theorem run"


def test_the_listing_says_why_the_bound_of_the_run_is_not_certified(call: Call) -> None:
    said = call("learn a.svm --learner perceptron --certify c.json").out.splitlines()
    first = next(k for k, line in enumerate(said) if line.startswith("  run "))
    assert said[first + 1] == f"{'':19}{WHY}"
    assert "hinge" in Path("c.json").read_text()
    assert WHY not in call("learn a.svm --bounds").out
    assert call("learn a.svm --learner perceptron --certify d.json --theorem run").code == 0
    assert '"theorem":"run"' in Path("d.json").read_text()


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_listing_fits_the_terminal(call: Call, width: int) -> None:
    usual = call("learn a.svm --bounds").out
    listed = usual[usual.index("\n  ") + 1 :].splitlines()
    assert max(map(len, listed)) > 80
    said = _at_a_terminal("learn a.svm --bounds", width)
    found = said[said.index("\n  ") + 1 :].splitlines()
    assert max(map(len, found)) <= width
    assert " ".join(" ".join(found).split()) == " ".join(" ".join(listed).split())
    starts = [line for line in found if not line.startswith(" " * 19)]
    assert len(starts) == sum(not line.startswith(" " * 19) for line in listed)


def _at_a_terminal(command: str, width: int) -> str:
    ours, its = pty.openpty()
    words = [sys.executable, "-m", "novikoff", *command.split()]
    about = {**os.environ, "COLUMNS": str(width)}
    subprocess.run(words, stdout=its, stderr=subprocess.DEVNULL, env=about, check=True)
    os.close(its)
    found = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        found += more
    os.close(ours)
    return found.decode().replace("\r\n", "\n")
