"""The status line: on a terminal it says what takes its time, elsewhere it says nothing."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import Call

RECEIPTS = "learn rows.svm --certify c.json --report r.html --save m"
VERBS = [
    (RECEIPTS, ["looking for the smallest bounds", "replaying the run exactly", "rounds"]),
    ("certify m rows.svm --output d.json", ["looking for the smallest bound, and replaying"]),
    ("verify c.json rows.svm", ["verifying: replaying the run exactly"]),
    ("report m rows.svm --output s.html", ["looking for the smallest bounds"]),
    ("margin rows.svm", ["looking for the margin"]),
    ("certify rows.svm --predictions p.txt", ["looking for the best fixed weights"]),
    ("tag t.m s.conll --learn --certify t.json", ["certifying: replaying the run exactly"]),
]


@pytest.fixture
def rows(call: Call) -> None:
    Path("rows.svm").write_text("1 1:2\n-1 2:1\n1 1:1 2:.5\n-1 1:.5 2:2\n" * 50)
    Path("p.txt").write_text("0.5\n" * 200)
    Path("s.conll").write_text("the D\ncat N\n\n" * 3)
    assert call(RECEIPTS).code == 0


def on_a_terminal(command: str) -> tuple[int, str]:
    """Run a command whose standard error is a terminal; return its exit status and what it said."""
    ours, its = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "novikoff", *command.split()],
        stdout=subprocess.DEVNULL,
        stderr=its,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(its)
        said = b""
        while part := _read(ours):
            said += part
    os.close(ours)
    return process.returncode, said.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end was closed
        return b""


@pytest.mark.parametrize(("command", "told"), VERBS)
def test_a_terminal_says_what_takes_its_time(rows: None, command: str, told: list[str]) -> None:
    code, said = on_a_terminal(command)
    assert (code, [words for words in told if words not in said]) == (0, [])


@pytest.mark.parametrize("command", [command for command, _ in VERBS])
def test_a_pipe_gets_nothing(rows: None, call: Call, command: str) -> None:
    lines = call(command).err.splitlines()
    assert all(line.startswith("remark: ") for line in lines)


def test_one_ctrl_c_ends_a_command_that_looks_for_bounds(
    rows: None, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search takes the first for its own end, as it does in Python; the command must not."""

    def searching(*_: object) -> list[object]:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        return []

    monkeypatch.setattr("novikoff.cli.learning_receipts.bounds", searching)
    said = call("learn rows.svm --certify n.json --save n")
    assert said.code == 130
    assert "interrupted. Written before: n." in said.err
    assert Path("n").exists()
    assert not Path("n.json").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_at_a_terminal_learn_says_that_nothing_is_saved(rows: None) -> None:
    said = "remark: nothing is saved: to keep the model, add --save MODEL."
    assert said in on_a_terminal("learn rows.svm")[1]
    assert said not in on_a_terminal("learn rows.svm --save n")[1]
    assert said not in on_a_terminal("learn rows.svm --json")[1]
    assert said not in on_a_terminal("learn rows.svm --resume m")[1]
