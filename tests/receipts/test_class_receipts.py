"""Receipts of multiclass runs: bounds near the best there are, and certificates that verify."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.svm import LinearSVC

import novikoff as nv
from problems import class_problem, leads

THEOREMS = {"hinge", "hinge-tight", "freund-schapire"}


def _named(run: nv.Run, **options: Any) -> dict[str, Any]:
    return {bound.theorem: bound for bound in nv.bounds(run, **options)}


def _matrix(bound: Any, columns: int, classes: int) -> Any:
    W = np.zeros((columns + 1, classes))
    for k, j, v in bound.comparator["w"]:
        W[j, k] = v  # index −1: the last row
    return W


def _value(theorem: str, W: Any, Z: Any, y: Any, r2: float, passes: int) -> float:
    a, xi = r2 * float((W * W).sum()), np.maximum(0, 1 - leads(W, Z, y))
    L, Q = passes * xi.sum(), passes * (xi @ xi)
    if theorem == "hinge":
        return float(a + 2 * L)
    if theorem == "hinge-tight":
        return float(((math.sqrt(a) + math.sqrt(a + 4 * L)) / 2) ** 2)
    return float((math.sqrt(a) + math.sqrt(Q)) ** 2)


def _radius2(run: nv.Run, Z: Any) -> float:
    rows = (run.ledger.mistake_rounds - 1) % len(Z)
    return 2 * float((Z[rows] ** 2).sum(axis=1).max(initial=0))


def _in_order(y: Any) -> Any:
    """The classes numbered as they appear, as a run numbers them."""
    _, first, inverse = np.unique(y, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


@pytest.mark.parametrize(
    ("bias", "passes", "form"),
    [(None, 1, np.asarray), (None, 3, sp.csr_array), (-0.7, 1, sp.csr_array), (2.0, 3, np.asarray)],
)
def test_bounds_are_near_the_best_and_certificates_verify(
    bias: float | None, passes: int, form: Any
) -> None:
    X, y = class_problem(250, 6, 4)
    stream = nv.stream(form(X), y)
    run = nv.play(nv.MulticlassPerceptron(bias=bias), stream, passes=passes)
    found = _named(run)
    assert found.keys() == THEOREMS | {"run"}
    assert found["run"].gap is None
    assert found["run"].comparator == found["hinge-tight"].comparator
    Z = np.column_stack([X, np.full(len(X), bias or 0.0)])
    for theorem, bound in found.items():
        assert bound.holds
        certificate = nv.certify(run, theorem=theorem)
        assert certificate.bound is not None
        assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-9)
        assert nv.verify(certificate, stream).verified
        if theorem in THEOREMS:
            assert 0 <= bound.gap <= 3e-3 * bound.value
            W = _matrix(bound, 6, 4)
            true = _value(theorem, W, Z, _in_order(y), _radius2(run, Z), passes)
            assert bound.value == pytest.approx(true, rel=1e-9)


@given(seed=st.integers(0, 10**6), classes=st.integers(2, 4), passes=st.integers(1, 2))
def test_no_comparator_does_better_than_the_gap_allows(
    seed: int, classes: int, passes: int
) -> None:
    X, y = class_problem(25, 3, classes, seed=seed)
    y = _in_order(y)
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y), passes=passes)
    found, r2 = _named(run), _radius2(run, X)
    rng = np.random.default_rng(seed)
    count = int(y.max()) + 1
    others = [s * rng.normal(size=(3, count)) for s in (0.01, 0.1, 1.0)]
    others += [_matrix(found[theorem], 3, count)[:3] for theorem in THEOREMS]
    others += [s * W for W in others[3:] for s in (0.5, 0.9, 1.1, 2.0)]
    if count == 1:
        return
    for theorem in THEOREMS:
        bound = found[theorem]
        for W in others:
            value = _value(theorem, W, X, y, r2, passes)
            assert bound.value - bound.gap <= value * (1 + 1e-9)


def test_hinge_is_the_machine_of_crammer_and_singer() -> None:
    """min_W R²‖W‖² + 2L = 2R² · (their problem at C = 1/R²), by another's solver."""
    X, y = class_problem(300, 6, 4)
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y))
    found, r2 = _named(run)["hinge"], _radius2(run, X)
    peer = LinearSVC(
        multi_class="crammer_singer", C=1 / r2, fit_intercept=False, tol=1e-8, max_iter=1_000_000
    ).fit(X, y)
    best = _value("hinge", peer.coef_.T, X, y, r2, 1)
    assert found.value == pytest.approx(best, rel=2e-3)
    assert found.value - found.gap <= best * (1 + 1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_gaps_are_small_on_real_rows(load: Any) -> None:
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    run = nv.play(nv.MulticlassPerceptron(bias=1.0), nv.stream(X[order], y[order]), passes=2)
    found = _named(run)
    for theorem in THEOREMS:
        assert found[theorem].holds
        assert 0 <= found[theorem].gap <= 5e-3 * found[theorem].value
    assert found["hinge-tight"].value <= found["hinge"].value * (1 + 1e-9)


def test_rows_that_a_comparator_separates() -> None:
    rng = np.random.default_rng(0)
    W = rng.normal(size=(5, 3))
    X = rng.normal(size=(400, 5))
    y = (X @ W).argmax(axis=1)
    wide = leads(W, X, y) > 0.5
    X, y = X[wide], _in_order(y[wide])
    stream = nv.stream(X, y)
    run = nv.play(nv.MulticlassPerceptron(), stream, until_clean=True)
    bound = _named(run)["novikoff"]
    assert bound.holds
    assert bound.gap is None
    found = _matrix(bound, 5, 3)[:5]
    margin2 = leads(found, X, y).min() ** 2 / (found**2).sum()
    assert bound.value == pytest.approx(_radius2(run, X) / margin2)
    hard = LinearSVC(multi_class="crammer_singer", C=1e6, fit_intercept=False, max_iter=10**6)
    peer = hard.fit(X, y).coef_.T
    assert margin2 >= 0.98 * leads(peer, X, y).min() ** 2 / (peer**2).sum()
    assert nv.verify(nv.certify(run, theorem="novikoff"), stream).verified


@pytest.mark.parametrize("calls", [1, 3, 8])
def test_ctrl_c_returns_what_was_found(calls: int) -> None:
    X, y = class_problem(400, 8, 5)
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y))
    told: list[float] = []

    def stop(seconds: float) -> None:
        told.append(seconds)
        if len(told) == calls:
            raise KeyboardInterrupt

    early = _named(run, progress=stop)
    assert early.keys() == THEOREMS | {"run"}
    assert all(bound.holds for bound in early.values())
    assert all(early[theorem].gap >= 0 for theorem in THEOREMS)


def test_named_rows_in_many_blocks() -> None:
    X, y = class_problem(120, 6, 3)
    words = np.array(["red", "green", "blue"])[y]
    named = [
        ({f"f{j}": v for j, v in enumerate(x) if v}, str(label))
        for x, label in zip(X, words, strict=True)
    ]
    values = []
    for stream in (nv.stream(X, words), named):
        run = nv.play(nv.MulticlassPerceptron(), stream)
        values.append(_named(run))
        assert nv.verify(nv.certify(run), stream).verified
    for theorem in THEOREMS:
        assert values[0][theorem].value == pytest.approx(values[1][theorem].value, rel=5e-3)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], ["one", "one"]),
        ([[0.0, 0.0], [0.0, 0.0]], ["one", "two"]),
        ([[0.0, 0.0], [1.0, 0.0]], ["one", "two"]),
        ([[1e100, 0.0], [0.0, 1.0], [1.0, 1.0]], ["one", "two", "three"]),
    ],
)
def test_odd_rounds_have_receipts(X: Any, y: Any) -> None:
    stream = nv.stream(X, y)
    run = nv.play(nv.MulticlassPerceptron(), stream, passes=2)
    found = _named(run)
    assert found.keys() >= THEOREMS
    assert all(bound.holds for bound in found.values())
    for theorem in found:
        assert nv.verify(nv.certify(run, theorem=theorem), stream).verified
