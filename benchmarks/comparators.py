"""Comparators for losses against liblinear, each to a relative gap of 1e-6.

liblinear minimises ½‖w‖² + C Σ ℓ_t, so λ = 1 for every column after C is taken out. Its time is
that of the loosest tolerance whose w comes within the gap, by the faster of its primal and its dual
solver; ours has the proof of the gap included.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.documents import documents
from benchmarks.table import Row
from benchmarks.timing import timed
from novikoff.comparators.penalised import Comparator, Loss, PenalisedRows
from novikoff.streams import ArrayBlock, as_block

_GAP = 1e-6
_TOLERANCES = [10.0**-k for k in range(1, 9)]
_COST = 0.01
_TURNS = 3
_LONG = 30.0  # seconds, beyond which a peer has one turn
_MOST = 300.0  # seconds for a peer that does not come within the gap


def rows() -> Iterator[Row]:
    X, y = documents(100_000, 47_000, 76, 0.15)
    signs = np.where(y > 0, 1, -1)
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((50_000, 100))
    score = dense @ rng.standard_normal(100) + 5 * rng.standard_normal(len(dense))
    noisy = np.where(score >= 0, 1, -1)
    for loss in ("logistic", "hinge"):
        yield _row(f"{loss}, sparse 100k × 47k", loss, X, signs)
        yield _row(f"{loss}, dense 50k × 100", loss, dense, noisy)
    yield _row("squared, dense 50k × 100, real labels", "squared", dense, score)
    yield _row("squared, sparse 100k × 47k", "squared", X, signs)
    yield _row("absolute, dense 50k × 100, real labels", "absolute", dense, score)
    yield _row("absolute, sparse 100k × 47k", "absolute", X, signs)


def _row(work: str, loss: Loss, X: Any, y: Any) -> Row:
    """C Σ ℓ + ½‖w‖² is C times Σ ℓ + ½ Σ λ w², λ = 1/C."""
    block = as_block(X)
    assert isinstance(block, ArrayBlock)

    def best() -> Comparator:
        return PenalisedRows([(block, y)], np.full(block.columns, 1 / _COST), loss=loss).best(_GAP)

    data = PenalisedRows([(block, y)], np.full(block.columns, 1 / _COST), loss=loss)
    found = best()
    if found.gap > _GAP * found.value:
        raise SystemExit(f"{work}: the gap is {found.gap / found.value:.1e}")
    ours = [_seconds(best) for _ in range(_TURNS)]
    theirs = min((_peer(data, found, make, X, y) for make in PEERS[loss]), key=min)
    return timed(f"{work}, gap 1e-6", 0.8, theirs, ours)


def _peer(data: PenalisedRows, found: Comparator, make: Any, X: Any, y: Any) -> list[float]:
    """Return seconds at the loosest tolerance that reaches the gap, over some turns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge
        spent = 0.0
        for tolerance in _TOLERANCES:
            peer = make(tolerance)
            theirs = _seconds(partial(peer.fit, X, y))
            spent += theirs
            value = data.measured(peer.coef_.ravel(), 0.0).value
            if value - found.least <= _GAP * value or spent > _MOST:
                break
        times = [theirs]
        while len(times) < _TURNS:
            times.append(_seconds(partial(peer.fit, X, y)) if theirs < _LONG else theirs)
        return times


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _logistic(dual: bool) -> Any:
    from sklearn.linear_model import LogisticRegression

    def make(tolerance: float) -> Any:
        return LogisticRegression(
            solver="liblinear", dual=dual, C=_COST, fit_intercept=False, tol=tolerance,
            max_iter=10_000, random_state=0,
        )  # fmt: skip

    return make


def _hinge(tolerance: float) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(
        loss="hinge", C=_COST, fit_intercept=False, tol=tolerance, max_iter=100_000, random_state=0
    )


def _regression(loss: str, dual: bool, cost: float) -> Any:
    """ε = 0, so that its losses are (y − s)² and |y − s|."""
    from sklearn.svm import LinearSVR

    def make(tolerance: float) -> Any:
        return LinearSVR(
            epsilon=0.0, loss=loss, dual=dual, C=cost, fit_intercept=False, tol=tolerance,
            max_iter=100_000, random_state=0,
        )  # fmt: skip

    return make


PEERS: dict[Loss, list[Any]] = {
    "logistic": [_logistic(False), _logistic(True)],
    "hinge": [_hinge],
    "squared": [
        _regression("squared_epsilon_insensitive", False, _COST),
        _regression("squared_epsilon_insensitive", True, _COST),
    ],
    "absolute": [_regression("epsilon_insensitive", True, _COST)],
}
