"""``--save-every``, also while nothing comes; and requests that come piece by piece."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import novikoff as nv
from commands import assert_same_run
from novikoff.cli import asking
from novikoff.cli.asking import Conversation
from novikoff.cli.parser import build
from novikoff.cli.plans.learn_plan import LearnPlan

LEARN = [sys.executable, "-m", "novikoff", "learn", "-"]
ROWS = b"".join(b"%d 1:%d 2:%d\n" % ((-1) ** t, t % 7, (-1) ** t) for t in range(300))
REQUESTS = [b'{"learn": {"a": %d}, "label": %d}\n' % (t % 3, t % 2) for t in range(4)]
STDIO = ["--stdio", "--learner", "perceptron", "--labels", "0,1"]


def saved_rounds(model: Path, process: subprocess.Popen[bytes], rounds: int) -> int:
    """Return how many rounds a model has, once it has so many, or the process gives up."""
    found, until = 0, time.monotonic() + 30
    while found < rounds and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
        found = nv.Run.load(model).ledger.rounds if model.exists() else 0
    return found


@pytest.mark.parametrize(
    ("options", "sent", "rounds"),
    [
        (["--format", "svmlight"], ROWS, 300),
        (["--format", "svmlight", "--progress"], ROWS, 300),
        (STDIO, REQUESTS[0], 1),
    ],
    ids=["rows", "with a bar", "requests"],
)
def test_a_silent_pipe_is_saved(
    tmp_path: Path, options: list[str], sent: bytes, rounds: int
) -> None:
    """The rows come within the first second, so they are saved only when nothing comes any more."""
    command = [*LEARN, *options, "--save", "m", "--save-every", "1"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(sent)
        process.stdin.flush()
        assert saved_rounds(tmp_path / "m", process, rounds) == rounds
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_saves_change_nothing(tmp_path: Path) -> None:
    """Wherever an alarm comes, the run is to the last bit that of a file."""
    (tmp_path / "rows.svm").write_bytes(ROWS)
    command = [*LEARN, "--format", "svmlight", "--digest", "--save", "m", "--save-every", "0.001"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for start in range(0, len(ROWS), 100):
            process.stdin.write(ROWS[start : start + 100])
            process.stdin.flush()
            time.sleep(0.005)
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    run = nv.Run(nv.Blend(), digest=True).play(nv.read(tmp_path / "rows.svm"))
    found = nv.Run.load(tmp_path / "m")
    assert found.ledger.digest == run.ledger.digest
    found.reading = run.reading
    found.save(tmp_path / "m")
    run.save(tmp_path / "n")
    assert_same_run(tmp_path / "m", tmp_path / "n")


def test_what_was_learned_is_answered_even_if_it_cannot_be_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer with an error says that nothing has changed."""
    plan = LearnPlan.of(vars(build().parse_args(["learn", "-", *STDIO])))
    run = nv.Run(nv.Perceptron(), labels=(0, 1))
    talk = Conversation(run, replace(plan, save=str(tmp_path / "none" / "m"), save_every=0.0))
    assert talk.answer(1, REQUESTS[0]) == {"label": 1, "rounds": 1}
    assert "m is not saved: " in capsys.readouterr().err
    assert talk.bad == 0


def _feeding(write: int, pieces: list[bytes]) -> Callable[[int], None]:
    """Return what waits for a pipe: every other time in vain, as if somebody else read first."""
    left = [part for piece in pieces for part in (b"", piece)]

    def wait(_: int) -> None:
        if left:
            os.write(write, left.pop(0))
        else:
            os.close(write)

    return wait


def test_nothing_yet_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = b"".join(REQUESTS)
    read, write = os.pipe()
    os.set_blocking(read, False)
    pieces = [whole[start : start + 30] for start in range(0, len(whole), 30)]
    with open(read, encoding="utf-8") as source:
        monkeypatch.setattr(sys, "stdin", source)
        assert list(asking._lines(_feeding(write, pieces))) == REQUESTS


def test_a_conversation_goes_on_through_a_pipe_that_does_not_block(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    with subprocess.Popen(
        [*LEARN, *STDIO], stdin=read, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        os.close(read)
        assert process.stdout is not None
        for number, request in enumerate(REQUESTS, 1):
            for part in (request[:9], request[9:]):
                time.sleep(0.05)  # it reads, and there is nothing
                os.write(write, part)
            assert json.loads(process.stdout.readline())["rounds"] == number
        os.close(write)
        assert process.wait(timeout=60) == 0
