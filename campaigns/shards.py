"""Shards whose workers, machines or driver are killed at any moment: the same bits as undisturbed.

A worker kills itself while it reads some shard in some epoch, or the machine that it runs on (two
raylets play on this host, a third one only drives), and Ray starts its task again. The driver is
killed after some rounds, and the next one goes on from the folder. Without Ray only drivers are
killed.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff import cluster
from novikoff.cluster.ray_pool import QUIET
from novikoff.extras import extra
from novikoff.streams.stream import Rounds, Wrapped

SMALL = 1  # tests/cluster/test_ray.py kills a worker and a machine
_ROWS, _SHARDS, _EPOCHS = 400, 4, 5


class Deadly(Wrapped):
    """A stream whose reading of this number kills the process that reads, or its machine."""

    def __init__(self, stream: nv.Stream, folder: str, reading: int, machine: bool) -> None:
        super().__init__(stream)
        self.folder, self.reading, self.machine = folder, reading, machine

    @property
    def rounds(self) -> int | None:
        """How many rounds there are."""
        return self.stream.rounds

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds, if this reading is not the last thing the process does."""
        if self._number() == self.reading:
            os.kill(os.getppid() if self.machine else os.getpid(), signal.SIGKILL)
        yield from self.stream.blocks()

    def _number(self) -> int:
        """Return how often it was read before, by anybody."""
        for number in count():
            with suppress(FileExistsError):
                (Path(self.folder) / str(number)).touch(exist_ok=False)
                return number
        raise AssertionError


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


def _started(start: Callable[[], Any]) -> Any:  # what Ray starts has no type of ours
    """Start something of Ray, again if it took more than the 30 s that Ray waits."""
    for _ in range(5):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    return start()


class Machines:
    """Two machines of one worker each, and one that only drives; those that die are replaced."""

    def __init__(self) -> None:
        os.environ.update({**QUIET, "RAY_AUTH_MODE": "disabled"})
        self.ray = extra("ray", "killing workers")
        soon = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 300}
        head = {"num_cpus": 0, "include_dashboard": False, "_system_config": soon}
        kind = extra("ray.cluster_utils", "killing machines").Cluster
        self.cluster = _started(lambda: kind(initialize_head=True, head_node_args=head))
        self.ray.init(address=self.cluster.address, log_to_driver=False, logging_level="fatal")

    def repair(self) -> None:
        """Start machines until two can play."""
        alive = sum(node["Alive"] for node in self.ray.nodes()) - 1
        for _ in range(2 - alive):
            _started(lambda: self.cluster.add_node(num_cpus=1))

    def end(self) -> None:
        """End all of them."""
        self.ray.shutdown()
        self.cluster.shutdown()

    def kill(self, seed: int, draw: random.Random, machine: bool) -> nv.Run:
        """Play while one worker or one machine dies."""
        self.repair()
        with tempfile.TemporaryDirectory() as folder:
            reading = draw.randrange(_SHARDS * (_EPOCHS + 1))
            found = play(Deadly(rounds(seed), folder, reading, machine), address="local")
            again = len(os.listdir(folder)) > _SHARDS * (_EPOCHS + 1)
        if not (self.lost() if machine else again):
            raise AssertionError(f"seed {seed}: nobody died")
        return found

    def lost(self) -> bool:
        """Wait until a machine is known to be dead; its last worker may have ended its task."""
        for _ in range(600):
            if sum(node["Alive"] for node in self.ray.nodes()) < 3:
                return True
            time.sleep(0.1)
        return False


def kill_worker(seed: int, draw: random.Random) -> nv.Run:
    """Play on Ray of its own while one worker dies."""
    with tempfile.TemporaryDirectory() as folder:
        reading = draw.randrange(_SHARDS * (_EPOCHS + 1))
        return play(Deadly(rounds(seed), folder, reading, False), address="local")


def kill_driver(seed: int, draw: random.Random) -> nv.Run:
    """Kill one driver after another, each some way on, and let the last one finish."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(draw.randint(1, 3)):
            limit = draw.randrange(1, _ROWS * _EPOCHS)
            command = [sys.executable, "-m", "campaigns.shards", str(seed), folder, str(limit)]
            subprocess.run(command, check=False, capture_output=True)
        return play(rounds(seed), folder)


def campaign(size: int, seed: int) -> Counter[str]:
    """Kill so many workers, machines and drivers; return how many of each left the same bits."""
    draw, counts = random.Random(seed), Counter[str]()
    kinds = ("drivers", "workers", "machines") if find_spec("ray") else ("drivers",)
    machines = None
    try:
        for k in range(size):
            name = kinds[k % len(kinds)]
            if name == "drivers":
                found = kill_driver(seed + k, draw)
            else:
                machines = machines or Machines()
                found = machines.kill(seed + k, draw, machine=name == "machines")
            check(found, rounds(seed + k), f"{name}, seed {seed + k}")
            counts[name] += 1
    finally:
        if machines is not None:
            machines.end()
    return counts


def check(found: nv.Run, data: nv.Stream, what: str) -> None:
    """Require the bits, and the certificate, of a play that nobody disturbed."""
    expected = play(data)
    a, b = found.learner.state(), expected.learner.state()
    same = all(np.array_equal(a[part], b[part]) for part in b)
    if not (same and nv.certify(found, data).text == nv.certify(expected).text):
        raise AssertionError(f"{what}: other bits than undisturbed")


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
