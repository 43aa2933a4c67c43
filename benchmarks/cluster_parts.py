"""The parts of an epoch, for the simulation: ``python -m benchmarks.cluster_parts``.

It prints JSON: seconds of a nonzero that is read from svmlight and played, of a task of Ray, of a
weight that travels to a worker and back, and of a weight that is mixed; and how much the times of
equal shards differ, as the standard deviation of their logarithms.
"""

import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import novikoff as nv
from benchmarks.cluster import running, written
from benchmarks.documents import documents
from novikoff.cluster.ray_pool import RayPool
from novikoff.cluster.shard_sources import ShardSource, divided
from novikoff.extras import extra
from novikoff.types import FloatArray

_ROWS, _WORDS, _TOKENS = 200_000, 47_000, 76
_WEIGHTS, _SHARDS = 1 << 22, 4


class Timed(NamedTuple):
    """What a task did, and how long it took on its worker."""

    weights: FloatArray
    seconds: float


def _echo(_: int, weights: FloatArray) -> Timed:
    return Timed(weights + 1.0, 0.0)


def _played(shard: ShardSource, _: None) -> Timed:
    began = time.perf_counter()
    nv.play(nv.Perceptron(), shard.stream())
    return Timed(np.zeros(0), time.perf_counter() - began)


def _mapped(pool: RayPool, count: int, weights: FloatArray) -> float:
    """Return the seconds of so many tasks that return weights."""
    began = time.perf_counter()
    pool.map(_echo, list(range(count)), weights, lambda _: None)
    return time.perf_counter() - began


def _mixing() -> float:
    """Return the seconds of a weight of one shard that is mixed."""
    rng = np.random.default_rng(0)
    learner = nv.Perceptron().in_shards([1] * _SHARDS)
    start = learner.start_state()
    ends = [{**learner.end_state(), "weights": rng.standard_normal(_WEIGHTS)} for _ in range(4)]
    times = []
    for _ in range(5):
        began = time.perf_counter()
        nv.Perceptron().in_shards([1] * _SHARDS).take_epoch(ends, start)
        times.append(time.perf_counter() - began)
    return statistics.median(times) / (_WEIGHTS * _SHARDS)


def main() -> None:
    """Measure, and print JSON."""
    cores = len(os.sched_getaffinity(0))
    X, topics = documents(_ROWS, _WORDS, _TOKENS, 0.25)
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), X, np.where(topics > 0, 1, -1))
        shards = divided(nv.read(files), 8)
        alone = [_played(shard, None).seconds for shard in shards for _ in range(2)]
        with running(cores):
            pool = RayPool(extra("ray", "the benchmark"))
            small, large = np.zeros(1), np.zeros(_WEIGHTS)
            _mapped(pool, 4 * cores, small)
            task = min(_mapped(pool, 50 * cores, small) for _ in range(3)) / (50 * cores)
            sent = min(_mapped(pool, cores, large) for _ in range(5)) / cores
            together = [
                one.seconds
                for _ in range(6)
                for one in pool.map(_played, shards, None, lambda _: None)
            ]
    print(
        json.dumps(
            {
                "nonzeros": int(X.nnz),
                "seconds_a_nonzero": min(alone) * 8 / X.nnz,
                "seconds_a_nonzero_together": statistics.median(together) * 8 / X.nnz,
                "spread": float(np.std(np.log(together))),
                "seconds_a_task": task,
                "seconds_a_weight_sent": max(sent - task, 0.0) / _WEIGHTS,
                "seconds_a_weight_mixed": _mixing(),
                "workers": cores,
            }
        )
    )


if __name__ == "__main__":
    main()
