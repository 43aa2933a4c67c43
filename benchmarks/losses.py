"""AdaptiveGradient and Blend, ns per nonzero, beside SGDClassifier and our own Perceptron.

All make the same pass over the same rows, but they do not do the same work: SGDClassifier keeps one
float per feature, AdaptiveGradient three and Blend sixteen; they divide, take roots, and round
their sums correctly.
For many classes Blend, ns per nonzero and class, beside SGDClassifier, one class against the rest.

Blend's goals are times: the peer of such a row is the time that its goal allows.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

import novikoff as nv
from benchmarks.documents import documents
from benchmarks.peer import ours
from benchmarks.table import Row
from benchmarks.timing import compare, timed

GOAL, CLASS_GOAL = 20, 5  # ns a nonzero, and ns a nonzero and class
TURNS = 7


def rows() -> Iterator[Row]:
    X, y = documents(100_000, 47_000, 76, 0.15)
    yield from _beside("sparse 100k × 47k", X, y, X.nnz)
    yield _within(f"sparse 100k × 47k, blend, {GOAL} ns a nonzero", GOAL * X.nnz, X, y)
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((100_000, 200))
    noise = 3 * rng.standard_normal(len(dense))
    labels = np.where(dense @ rng.standard_normal(200) + noise >= 0, 1, -1)
    yield from _beside("dense 100k × 200", dense, labels, dense.size)
    X, y = documents(100_000, 47_000, 76, 0.4, topics=16)
    row = compare("", None, _descent(X, y), ours(nv.Blend, X, y), turns=5)
    each = row.ours / (16 * X.nnz) * 1e9
    work = "16 classes, sparse 100k × 47k, blend, SGDClassifier"
    yield replace(row, work=work, note=f"{each:.1f} ns a nonzero and class")
    work = f"16 classes, sparse 100k × 47k, blend, {CLASS_GOAL} ns a nonzero and class"
    yield _within(work, CLASS_GOAL * 16 * X.nnz, X, y)


def _within(work: str, nanoseconds: float, X: Any, y: Any) -> Row:
    """Time Blend next to what its goal allows."""
    play, times = ours(nv.Blend, X, y), []
    play()
    for _ in range(TURNS):
        began = time.perf_counter()
        play()
        times.append(time.perf_counter() - began)
    return timed(work, 1, [nanoseconds * 1e-9] * TURNS, times)


def _beside(work: str, X: Any, y: Any, nonzeros: int) -> Iterator[Row]:
    peers = {"SGDClassifier": _descent(X, y), "Perceptron": ours(nv.Perceptron, X, y)}
    for learner, called in ((nv.AdaptiveGradient, "adaptive gradient"), (nv.Blend, "blend")):
        for name, peer in peers.items():
            row = compare("", None, peer, ours(learner, X, y), turns=5)
            each = row.ours / nonzeros * 1e9
            note = f"{each:.1f} ns a nonzero"
            yield replace(row, work=f"{work}, {called}, {name}", note=note)


def _descent(X: Any, y: Any) -> Callable[[], Any]:
    def fit() -> Any:
        peer = SGDClassifier(
            loss="log_loss", max_iter=1, tol=None, shuffle=False, fit_intercept=False
        )
        return peer.fit(X, y)

    return fit
