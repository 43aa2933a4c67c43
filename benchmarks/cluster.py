"""Shards on Ray: ``python -m benchmarks.cluster [turns | sizes]``; needs the extra ``cluster``.

Four shards of generated documents are played for some epochs: by one worker, by as many as there
are cores and by four, each in a process of its own; by one process that has the rows in memory; and
by scikit-learn's ``partial_fit`` in joblib's processes, from the mean of their weights each epoch.
Ray and joblib are running before the clock does. Then the weights of four shards, 32 MB each, are
mixed.

``sizes`` asks from how many bytes on Ray is faster: it plays more and more rows in one process with
``nv.play``, and in shards on Ray, which starts and ends with each play.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.documents import documents
from benchmarks.table import HEADING, Row
from benchmarks.timing import timed
from novikoff import cluster
from novikoff.cluster.ray_pool import QUIET
from novikoff.extras import extra

_SHARDS, _EPOCHS = 4, 5
_ROWS, _WORDS, _TOKENS = 400_000, 47_000, 76
_WEIGHTS = 1 << 22  # 32 MB


def written(folder: Path, X: Any, y: Any) -> str:
    """Write the rows to eight svmlight files; return a pattern that names them."""
    size = len(y) // 8
    for k in range(8):
        with open(folder / f"{k}.svm", "w") as file:
            for t in range(k * size, (k + 1) * size):
                a, b = X.indptr[t], X.indptr[t + 1]
                pairs = zip((X.indices[a:b] + 1).tolist(), X.data[a:b].tolist(), strict=True)
                file.write(f"{y[t]} " + " ".join(f"{j}:{v:.4g}" for j, v in pairs) + "\n")
    return str(folder / "*.svm")


@contextmanager
def running(workers: int) -> Iterator[None]:
    """Start Ray with so many workers, each of which has played before."""
    os.environ.update({**QUIET, "RAY_AUTH_MODE": "disabled"})
    ray = extra("ray", "the benchmark")
    ray.init(
        address="local", num_cpus=workers, include_dashboard=False, log_to_driver=False,
        logging_level="error",
    )  # fmt: skip
    try:
        yield
    finally:
        ray.shutdown()


def on_ray(data: object, workers: int) -> float:
    """Return the seconds of all epochs, played by so many workers that are already running."""
    with running(workers):
        cluster.play(nv.Perceptron(), data, shards=_SHARDS, address="local")
        return _seconds(
            lambda: cluster.play(
                nv.Perceptron(), data, shards=_SHARDS, epochs=_EPOCHS, address="local"
            )
        )


def in_memory(stream: nv.Stream) -> float:
    """Return the seconds of one process that has the rows in memory."""
    return _seconds(lambda: cluster.play(nv.Perceptron(), stream, shards=_SHARDS, epochs=_EPOCHS))


def _partial_fit(X: Any, y: Any, w: Any) -> Any:
    """Play a shard with scikit-learn, from these weights."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1.0, alpha=0.0, fit_intercept=False,
        shuffle=False,
    )  # fmt: skip
    model.partial_fit(X[:1], y[:1], classes=[-1, 1])
    model.coef_[:] = w
    model.partial_fit(X, y)
    return model.coef_


def with_joblib(X: Any, y: Any, workers: int) -> float:
    """Return the seconds of scikit-learn in as many processes, each of which has fitted before."""
    joblib = import_module("joblib")
    Parallel, delayed = joblib.Parallel, joblib.delayed
    size = len(y) // _SHARDS
    shards = [(X[k * size : (k + 1) * size], y[k * size : (k + 1) * size]) for k in range(_SHARDS)]
    with Parallel(n_jobs=workers) as pool:
        start = np.zeros((1, X.shape[1]))
        pool(delayed(_partial_fit)(*shard, start) for shard in shards)

        def epochs() -> None:
            w = start
            for _ in range(_EPOCHS):
                w = np.mean(pool(delayed(_partial_fit)(*one, w) for one in shards), axis=0)

        return _seconds(epochs)


def mixing(turns: int) -> Row:
    """Mix the weights of four shards that have as many bits as sums of decimals have."""
    rng = np.random.default_rng(0)
    learner = nv.Perceptron().in_shards([1] * _SHARDS)
    start = learner.start_state()
    ends = []
    for _ in range(_SHARDS):
        slots = np.arange(0, _WEIGHTS, 4)
        parts = rng.integers(-(2**20), 2**20, len(slots)) * 2.0**-75
        weights = rng.integers(-(2**53), 2**53, _WEIGHTS) / 2.0**50
        state = {"weights": weights, "remainder_slots": slots, "remainder_parts": parts}
        ends.append({**learner.end_state(), **state})
    times = [
        _seconds(lambda: nv.Perceptron().in_shards([1] * _SHARDS).take_epoch(ends, start))
        for _ in range(turns)
    ]
    note = "the mean of four, exact, rounded once; a quarter have two parts; peer: the goal"
    return timed("mixing 32 MB of weights", 1, [0.25] * turns, times, note)


def rows(turns: int) -> list[Row]:
    """Measure everything in turn."""
    cores = len(os.sched_getaffinity(0))
    X, topics = documents(_ROWS, _WORDS, _TOKENS, 0.25)
    y = np.where(topics > 0, 1, -1)
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), X, y)
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        arrays = nv.stream(X, y)
        sources: dict[str, Callable[[], float]] = {
            "one": lambda: on_ray(files, 1),
            "cores": lambda: on_ray(files, cores),
            "four": lambda: on_ray(files, 4),
            "memory": lambda: in_memory(arrays),
            "one process": lambda: in_memory(nv.read(files)),
            "stored": lambda: on_ray(arrays, cores),
            "joblib": lambda: with_joblib(X, y, cores),
        }
        times: dict[str, list[float]] = {name: [] for name in sources}
        for _ in range(turns):
            for name, measure in sources.items():
                times[name].append(measure())
                print(f"{name}: {times[name][-1]:.3f} s", file=sys.stderr, flush=True)
    what = f"{_SHARDS} shards, {_EPOCHS} epochs, {size:.0f} MB of text"

    def row(work: str, goal: float | None, peer: str, ours: str, note: str = "") -> Row:
        return timed(work, goal, times[peer], times[ours], note)

    return [
        row(f"{what}: 1 → {cores} workers", 0.8 * cores, "one", "cores"),
        row(f"{what}: 1 → 4 workers", None, "one", "four", f"on {cores} cores"),
        row(f"{what}: one process, files → {cores} workers", None, "one process", "cores"),
        row(f"{what}: one process, in memory → {cores} workers", None, "memory", "cores"),
        row("the same, rows in Ray's store", None, "memory", "stored"),
        row("the same, scikit-learn partial_fit with joblib", None, "joblib", "stored"),
        mixing(7),
    ]  # fmt: skip


def sizes() -> None:
    """Print, for files of several sizes, the seconds of one process, and of Ray with its start."""
    cores = len(os.sched_getaffinity(0))
    os.environ.update(QUIET)
    for rows in (12_500, 50_000, 200_000):
        X, topics = documents(rows, _WORDS, _TOKENS, 0.25)
        with tempfile.TemporaryDirectory() as folder:
            files = written(Path(folder), X, np.where(topics > 0, 1, -1))
            size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
            one = _seconds(partial(_alone, files))
            many = _seconds(partial(_on_ray, files, cores))
        print(f"{size:.0f} MB: one process {one:.2f} s, Ray {many:.2f} s", flush=True)


def _alone(files: str) -> nv.Run:
    return nv.play(nv.Perceptron(), nv.read(files), passes=_EPOCHS)


def _on_ray(files: str, cores: int) -> nv.Run:
    learner = nv.Perceptron()
    return cluster.play(
        learner, files, shards=cores, epochs=_EPOCHS, address="local", workers=cores
    )


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    if sys.argv[1:] == ["sizes"]:
        sizes()
        sys.exit()
    print(HEADING)
    for found in rows(int(sys.argv[1]) if sys.argv[1:] else 3):
        print(found.line(), flush=True)
