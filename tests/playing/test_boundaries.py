"""Where a play begins and where it hears signals, whatever its stream does."""

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.streams import as_block
from novikoff.streams.stream import Rounds

X = np.random.default_rng(0).standard_normal((100, 3))
Y = np.where(X[:, 0] > 0, 1, -1)


class _Asked(nv.Stream):
    """Rows in memory; something else happens when somebody asks whether they can be replayed."""

    name = "asked"

    def __init__(self, asked: Any) -> None:
        self._asked = asked

    @property
    def replayable(self) -> bool:  # type: ignore[override]
        self._asked()
        return True

    def blocks(self) -> Iterator[Rounds]:
        return iter((Rounds(as_block(X), Y, None, None),))


def test_passes_over_an_empty_stream_hear_signals() -> None:
    """An empty block has no slice, and so no boundary between slices."""
    heard = []

    def handler(number: int, _: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, handler)
    empty = nv.stream(np.zeros((0, 3)), np.zeros(0, int))
    blocks, passes = empty.blocks, 0

    def counted() -> Iterator[Rounds]:
        nonlocal passes
        passes += 1
        if passes == 3:
            signal.raise_signal(signal.SIGUSR1)
        return blocks()

    empty.blocks = counted  # type: ignore[method-assign]
    run = nv.Run(nv.Perceptron())
    try:
        with pytest.raises(KeyboardInterrupt):
            run.play(empty, passes=50)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1]
    assert passes <= 4


class _Struck:
    """What refuses a play inside a play; a signal comes just as it is entered.

    From Python 3.14 on, a handler may raise between the entry and the block, and nobody leaves.
    """

    def __init__(self, alone: Any) -> None:
        self._alone = alone

    @property
    def taken(self) -> bool:
        return bool(self._alone.taken)

    def __enter__(self) -> None:
        self._alone.__enter__()
        signal.raise_signal(signal.SIGINT)

    def __exit__(self, *raised: object) -> None:
        self._alone.__exit__(*raised)


@pytest.mark.parametrize(
    "call",
    [
        lambda run: run.play(nv.stream(X, Y)),
        lambda run: run.learn(X[0], 1),
        lambda run: run.declare((-1, 1)),
    ],
    ids=["play", "learn", "declare"],
)
def test_a_signal_at_the_entry_does_not_keep_a_run_busy(call: Any) -> None:
    run = nv.Run(nv.Perceptron())
    alone, run._alone = run._alone, _Struck(run._alone)  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        call(run)
    assert not alone.taken
    run._alone = alone
    run.play(nv.stream(X, Y))


def test_rounds_learned_while_a_stream_is_asked_are_not_those_of_the_stream() -> None:
    run = nv.Run(nv.Perceptron())

    def learn() -> None:
        if run.ledger.rounds == 0:
            for x, y in zip(X[:7], Y[:7].tolist(), strict=True):
                run.learn(x, y)

    run.play(_Asked(learn), passes=2)
    assert run.ledger.rounds == 7 + 2 * len(X)


@pytest.mark.parametrize("rounds", [0, 5])
def test_the_order_of_labels_is_plain_data(rounds: int) -> None:
    run = nv.Run(nv.Perceptron())
    if rounds:
        run.play(nv.stream(X[:rounds], Y[:rounds]))
    counts = run.order.counts
    assert pickle.loads(pickle.dumps(counts)) == counts
    assert sum(json.loads(json.dumps(counts)).values()) == rounds


_FORKED = """
import os, signal, threading
from novikoff import interrupts

def fork():
    child = os.fork()
    if child == 0:
        os._exit(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

codes = []
with interrupts.waiting(), interrupts.waiting():
    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(codes)
"""


def test_a_process_forked_by_another_thread_has_the_programs_handlers() -> None:
    """Nobody plays there, so nobody would ever look whether a signal has come."""
    done = subprocess.run(
        [sys.executable, "-c", _FORKED], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[0]\n"


_DAEMON = """
import threading
import numpy as np
import novikoff as nv

X, y = np.ones((4000, 50)), np.resize([1, -1], 4000)
began = threading.Event()

def play():
    while True:
        nv.play(nv.Perceptron(), nv.stream(X, y))
        began.set()

for _ in range(3):
    threading.Thread(target=play, daemon=True).start()
began.wait()
"""


def test_a_program_may_end_while_a_daemon_thread_plays() -> None:
    """Python ends such threads where they ask for its lock."""
    usual = {name: value for name, value in os.environ.items() if name != "NOVIKOFF_LEAKS"}
    for _ in range(3):
        command = [sys.executable, "-c", _DAEMON]
        done = subprocess.run(command, capture_output=True, env=usual, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
