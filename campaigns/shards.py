"""Shards whose workers or driver are killed at any moment: the same bits as undisturbed.

A worker kills itself while it reads some shard in some epoch, and Ray starts its task again; the
driver is killed after some rounds, and the next one goes on from the folder. Without Ray only
drivers are killed.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import novikoff as nv
from novikoff import cluster
from novikoff.streams.stream import Rounds, Wrapped

SMALL = 4
_ROWS, _SHARDS, _EPOCHS = 400, 4, 5


class Deadly(Wrapped):
    """A stream whose reading of this number kills the process that reads."""

    def __init__(self, stream: nv.Stream, folder: str, reading: int) -> None:
        super().__init__(stream)
        self.folder, self.reading = folder, reading

    @property
    def rounds(self) -> int | None:
        """How many rounds there are."""
        return self.stream.rounds

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds, if this reading is not the last thing the process does."""
        number = len(os.listdir(self.folder))
        (Path(self.folder) / os.urandom(8).hex()).touch()
        if number == self.reading:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from self.stream.blocks()


def rounds(seed: int) -> nv.Stream:
    """Return noisy rows of tenths, whose means have to be rounded."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-30, 31, (_ROWS, 6)) / 10
    return nv.stream(X, np.where((X[:, 0] > X[:, 1]) ^ (rng.random(_ROWS) < 0.1), 1, -1))


def play(data: nv.Stream, folder: str | None = None, address: str | None = None) -> nv.Run:
    """Play the shards."""
    return cluster.play(
        nv.Perceptron(), data, shards=_SHARDS, epochs=_EPOCHS, folder=folder, address=address
    )


def kill_worker(seed: int, draw: random.Random) -> nv.Run:
    """Play on Ray while one worker dies."""
    with tempfile.TemporaryDirectory() as folder:
        reading = draw.randrange(_SHARDS * (_EPOCHS + 1))
        return play(Deadly(rounds(seed), folder, reading), address="local")


def kill_driver(seed: int, draw: random.Random) -> nv.Run:
    """Kill one driver after another, each some way on, and let the last one finish."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(draw.randint(1, 3)):
            limit = draw.randrange(1, _ROWS * _EPOCHS)
            command = [sys.executable, "-m", "campaigns.shards", str(seed), folder, str(limit)]
            subprocess.run(command, check=False, capture_output=True)
        return play(rounds(seed), folder)


def campaign(size: int, seed: int) -> Counter[str]:
    """Kill so many workers and drivers; return how many of each left the same bits."""
    draw, counts = random.Random(seed), Counter[str]()
    kinds = {"drivers": kill_driver} | ({"workers": kill_worker} if find_spec("ray") else {})
    for k in range(size):
        name = [*kinds][k % len(kinds)]
        data = rounds(seed + k)
        found, expected = kinds[name](seed + k, draw), play(data)
        a, b = found.learner.state(), expected.learner.state()
        same = all(np.array_equal(a[part], b[part]) for part in b)
        if not (same and nv.certify(found, data).text == nv.certify(expected).text):
            raise AssertionError(f"{name}, seed {seed + k}: other bits than undisturbed")
        counts[name] += 1
    return counts


def _die(seed: str, folder: str, limit: str) -> None:
    def report(progress: nv.Progress) -> None:
        if progress.rounds >= int(limit):
            os.kill(os.getpid(), signal.SIGKILL)

    cluster.play(
        nv.Perceptron(), rounds(int(seed)), shards=_SHARDS, epochs=_EPOCHS, folder=folder,
        progress=report,
    )  # fmt: skip


if __name__ == "__main__":
    _die(*sys.argv[1:])
