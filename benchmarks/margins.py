"""Comparators against liblinear: the soft margin to a gap of 1e-4, the hard margin to 1e-9."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.documents import documents
from benchmarks.table import Row
from benchmarks.timing import in_turn
from novikoff.comparators.soft_margin import Rows
from novikoff.streams import ArrayBlock, as_block

_GAP = 1e-4


def rows() -> Iterator[Row]:
    X, y = documents(200_000, 47_000, 76, 0.15)
    yield _soft("soft margin, sparse 200k × 47k, gap 1e-4", X, np.where(y > 0, 1, -1))
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((100_000, 100))
    w = rng.standard_normal(100)
    noisy = np.where(dense @ w + 5 * rng.standard_normal(len(dense)) >= 0, 1, -1)
    yield _soft("soft margin, dense 100k × 100, gap 1e-4", dense, noisy)
    yield _hard("hard margin, dense 100k × 100, gap 1e-9", dense, w)


def _primal(X: Any, y: Any, w: Any, cost: float) -> float:
    return float(w @ w / 2 + cost * np.maximum(0, 1 - y * (X @ w)).sum())


def _soft(work: str, X: Any, y: Any) -> Row:
    """liblinear's time is that of the loosest tolerance whose w comes within the gap."""
    from sklearn.svm import LinearSVC

    block = as_block(X)
    assert isinstance(block, ArrayBlock)
    data = Rows([(block, y.astype(np.int8))], None)
    cost = 1 / data.radius2
    dual = _solved(data, cost)
    for tolerance in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        peer = LinearSVC(
            loss="hinge", C=cost, fit_intercept=False, tol=tolerance, max_iter=100_000,
            random_state=0,
        )  # fmt: skip
        value = _primal(X, y, peer.fit(X, y).coef_[0], cost)
        if value - dual <= _GAP * value:
            break
    fit = lambda: peer.fit(X, y)  # noqa: E731
    return in_turn(work, 0.8, fit, lambda: _solved(data, cost), turns=3)


def _solved(data: Rows, cost: float) -> float:
    solver = data.solver(cost, squared=False)
    while not solver.descend(_GAP):
        pass
    return float(solver.dual)


def _hard(work: str, X: Any, w: Any) -> Row:
    """The peer is LinearSVC with a large cost, whose gap stays near 1e-2; ours closes it."""
    from sklearn.svm import LinearSVC

    score = X @ w
    keep = np.abs(score) > 1.0
    X, y = X[keep], np.where(score[keep] >= 0, 1, -1)
    found = nv.margin(X, y)
    low, high = found.interval
    if not (found.separable and high / low - 1 <= 1e-9):
        raise SystemExit(f"{work}: the interval is {found.interval}")
    peer = LinearSVC(
        loss="hinge", C=1e6, fit_intercept=False, tol=1e-6, max_iter=1000, random_state=0
    )
    return in_turn(work, 0.5, lambda: peer.fit(X, y), lambda: nv.margin(X, y), turns=3)
