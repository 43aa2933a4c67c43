"""A model per shard, mixed over rows held out, against one Blend over all the data.

    python -m reproductions.shard_mixtures [SET ...]
    python -m reproductions.shard_mixtures rates

The last fifth of the rounds is the test part, common to all. One Blend learns from the rest. With P
shards, a tenth of the rest is held out, but at most 20,000 rows: each shard's Blend learns from its
part of the others, and a mixture of the P models is played over what was held out. ``generated``
are two million rows with 20 of 1,000 features each, whose labels are drawn from a logistic model.

The shards are played one after another in one process. "P machines" is the slowest shard and the
mixture over the held-out rows, without sending models or starting a cluster. Times are the least of
three turns. Every line has the mean log loss on the test part, and the size of the saved model.

``rates`` measures what decides when shards pay: how fast one process reads and learns svmlight
text, what a row of the mixture costs, and what it takes to start Ray here and end it.
"""

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

import novikoff as nv
from novikoff import cluster
from novikoff.cluster.shard_sources import divided
from reproductions.quality_sets import Rounds, load

SHARDS = (1, 2, 4, 8, 16)
HELD_OUT = 20_000
TURNS = 3
SETS = ("a9a", "ijcnn1", "w8a", "generated")
HEADER = (
    "| set | rows | | log loss | P machines, s | one process, s | model, MB | allowed − lost |\n"
    "|---|---|---|---|---|---|---|---|"
)


class Measured(NamedTuple):
    """What one way of learning cost, and what it is worth."""

    loss: float
    alone: float
    """Seconds if every shard has a machine of its own."""
    together: float
    size: float
    slack: float | None = None
    """What the theorem allowed more than was lost on the rows held out."""

    def cells(self) -> str:
        """Return the cells of a line."""
        slack = "" if self.slack is None else f"{max(self.slack, 0.0):.2f}"
        seconds = f"{self.alone:.2f} | {self.together:.2f}"
        return f"{self.loss:.4f} | {seconds} | {self.size:.2f} | {slack}"


def generated(rows: int = 2_000_000, features: int = 1000, each: int = 20) -> Rounds:
    """Return rows of values from 0 to 1, with labels from a logistic model."""
    rng = np.random.default_rng(0)
    indices = rng.integers(0, features, (rows, each)).astype(np.int32)
    indices.sort(axis=1)
    values = rng.random((rows, each)).round(3) + 0.001
    X = sparse.csr_matrix(
        (values.ravel(), indices.ravel(), np.arange(0, rows * each + 1, each)), (rows, features)
    )
    X.sum_duplicates()
    score = X @ (rng.standard_normal(features) * 0.7)
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(-score)), 1, -1)
    return Rounds(X, y, np.arange(rows))


def _size(model: "nv.Run") -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "it.model")
        model.save(path)
        return os.path.getsize(path) / 1e6


def _log_loss(h: "nv.Hypothesis", X: sparse.csr_matrix, y: np.ndarray) -> float:
    p = h.probabilities(X)  # type: ignore[attr-defined]
    return float(-np.log(np.clip(np.where(y > 0, p, 1 - p), 1e-12, None)).mean())


def _blend(rounds: "nv.Stream") -> "nv.Run":
    return nv.play(nv.Blend(), rounds)


def _timed(play: "Callable[[], nv.Run]") -> "tuple[nv.Run, float]":
    """Return a run, and the least seconds of three turns."""
    least = math.inf
    for _ in range(TURNS):
        began = time.perf_counter()
        run = play()
        least = min(least, time.perf_counter() - began)
    return run, least


def one(data: Rounds, cut: int) -> Measured:
    """Learn with one Blend from all rows before the test part."""
    X, y = data.X, data.y
    rounds = nv.stream(X[:cut], y[:cut])
    run, seconds = _timed(lambda: _blend(rounds))
    return Measured(_log_loss(run.hypothesis(), X[cut:], y[cut:]), seconds, seconds, _size(run))


def mixed(data: Rounds, cut: int, shards: int) -> Measured:
    """Learn with a Blend per shard, and mix them over the last rows before the test part."""
    X, y, held = data.X, data.y, cut - min(cut // 10, HELD_OUT)
    models, seconds = [], []
    for source in divided(nv.stream(X[:held], y[:held]), shards):
        part = source.stream()
        run, least = _timed(partial(_blend, part))
        models.append(run.hypothesis())
        seconds.append(least)
    rounds = nv.stream(X[held:cut], y[held:cut])
    run, mixing = _timed(lambda: nv.play(nv.FrozenMixture(models), rounds))
    return Measured(
        _log_loss(run.hypothesis(), X[cut:], y[cut:]),
        max(seconds) + mixing, sum(seconds) + mixing, _size(run),
        run.learner.allowed - run.ledger.loss,
    )  # fmt: skip


def rates() -> None:
    """Print the rates from which the size that pays follows."""
    data = generated(300_000)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.svm")
        _write(path, data)
        size = os.path.getsize(path) / 1e6
        began = time.perf_counter()
        nv.play(nv.Blend(), nv.read(path, threads=1))
        seconds = time.perf_counter() - began
        print(f"reading and learning: {size:.0f} MB in {seconds:.2f} s, {size / seconds:.1f} MB/s")
    small = nv.stream(data.X[:2000], data.y[:2000])
    for address in (None, "local"):
        began = time.perf_counter()
        workers = None if address is None else 2
        cluster.play(nv.Blend(), small, shards=2, held_out=0.1, address=address, workers=workers)
        print(f"2,000 rows, address={address!r}: {time.perf_counter() - began:.2f} s")
    cut = 100_000
    for shards in (2, 16):
        parts = divided(nv.stream(data.X[:cut], data.y[:cut]), shards)
        models = [nv.play(nv.Blend(), part.stream()).hypothesis() for part in parts]
        held = nv.stream(data.X[cut : cut + 20_000], data.y[cut : cut + 20_000])
        began = time.perf_counter()
        nv.play(nv.FrozenMixture(models), held)
        each = (time.perf_counter() - began) / 20_000
        print(f"mixture of {shards}: {1e6 * each:.1f} µs a row")


def _write(path: str, data: Rounds) -> None:
    from sklearn.datasets import dump_svmlight_file

    dump_svmlight_file(data.X, data.y, path, zero_based=False)


def table(name: str) -> None:
    """Print the lines of a set."""
    data = generated() if name == "generated" else load(name)
    rows = data.X.shape[0]
    cut = rows - rows // 5
    print(f"| {name} | {rows:,} | one Blend | {one(data, cut).cells()} |", flush=True)
    for shards in SHARDS:
        print(f"| | | P = {shards} | {mixed(data, cut, shards).cells()} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    names = parser.parse_args(sys.argv[1:]).sets
    if [*names] == ["rates"]:
        rates()
        return
    print(HEADER)
    for name in names:
        table(name)


if __name__ == "__main__":
    main()
