"""The comparator for many classes: its measures are proved bounds, its gap small and true."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_wine
from sklearn.linear_model import LogisticRegression

from novikoff import _core
from novikoff.comparators.softmax import SoftmaxComparator, SoftmaxRows
from novikoff.errors import InputError
from novikoff.streams.blocks.block import ArrayBlock, DenseBlock, from_scipy

mpf = mpmath.mpf
C = 4


def _rows(
    X: Any, y: Any, lambdas: Any, bias: float = 0.0, bias_lambda: float = 1.0, classes: int = C
) -> SoftmaxRows:
    block: ArrayBlock = from_scipy(X, "X") if sp.issparse(X) else DenseBlock(X)
    labels = np.asarray(y, np.uint32)
    lambdas = np.asarray(lambdas, np.float64)
    return SoftmaxRows([(block, labels)], lambdas, classes, bias=bias, bias_lambda=bias_lambda)


def _data(rounds: int, features: int, seed: int, scale: float = 1.0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    columns = scale ** rng.uniform(-1, 1, features)
    X = rng.standard_normal((rounds, features)) * columns * (rng.random((rounds, features)) < 0.6)
    W = rng.standard_normal((features, C)) / columns[:, None]
    y = (X @ W + rng.gumbel(size=(rounds, C))).argmax(1)
    return X, y, columns**2 * rng.uniform(0.5, 30, features)


def _exact(X: Any, y: Any, lambdas: Any, U: Any) -> tuple[Any, Any]:
    """L(U) and the penalty, in 60 digits."""
    with mpmath.workdps(60):
        loss = mpf(0)
        for x, label in zip(X, y, strict=True):
            scores = [mpmath.fdot(map(mpf, x), map(mpf, u)) for u in U.T]
            loss += mpmath.log(sum(mpmath.exp(s - scores[label]) for s in scores))
        squares = (mpf(a) * sum(mpf(v) ** 2 for v in u) for a, u in zip(lambdas, U, strict=True))
        return loss, sum(squares, mpf(0)) / 2


def _least(X: Any, y: Any, lambdas: Any) -> float:
    """The least value, by another method, in plain floats."""
    root = np.sqrt(lambdas)[:, None]

    def value(flat: Any) -> tuple[float, Any]:
        V = flat.reshape(len(lambdas), C)
        s = X @ (V / root)
        s -= s.max(1, keepdims=True)
        p = np.exp(s)
        loss = np.log(p.sum(1)) - s[np.arange(len(y)), y]
        p /= p.sum(1, keepdims=True)
        p[np.arange(len(y)), y] -= 1
        return float(loss.sum() + (V * V).sum() / 2), ((X.T @ p) / root + V).ravel()

    options = {"maxiter": 5000, "gtol": 1e-9, "ftol": 1e-15}
    start = np.zeros(len(lambdas) * C)
    found = minimize(value, start, method="L-BFGS-B", jac=True, options=options)
    return float(found.fun)


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_small_and_the_least_value_lies_within_it(seed: int) -> None:
    X, y, lambdas = _data(80, 5, seed, scale=[1.0, 10.0, 1e3, 1e4][seed])
    found = _rows(X, y, lambdas).best()
    least = _least(X, y, lambdas)
    assert 0 <= found.gap <= 1e-6 * found.value
    assert found.value - found.gap <= least * (1 + 1e-9)
    assert least <= found.value * (1 + 1e-9)


values = st.sampled_from([0.0, 1.0, -1.0, 0.3, -7.0, 1e-9, 1e6, -300.0])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.lists(values, min_size=8, max_size=8))
def test_measures_of_any_u_are_bounds(seed: int, weights: list[float]) -> None:
    """Also where one class wins by so much that its probability is 1 in floats."""
    X, y, lambdas = _data(9, 2, seed)
    U = np.array(weights).reshape(2, C)
    found = _rows(X, y, lambdas).measured(U, np.zeros(C))
    loss, penalty = _exact(X, y, lambdas, U)
    slack = 1e-12 + 1e-14 * float((np.abs(X) @ np.abs(U)).sum())  # of the scores
    assert loss <= found.loss <= loss * (1 + mpf("1e-12")) + slack
    assert penalty <= found.penalty <= penalty * (1 + mpf("1e-12"))
    assert found.value - found.gap <= _least(X, y, lambdas) * (1 + 1e-9)


def test_the_gap_of_any_u_is_half_the_squared_gradient() -> None:
    X, y, lambdas = _data(50, 3, 1)
    U = np.random.default_rng(2).standard_normal((3, C)) / 3
    p = np.exp(X @ U)
    p /= p.sum(1, keepdims=True)
    p[np.arange(50), y] -= 1
    gradient = X.T @ p + lambdas[:, None] * U
    expected = (gradient**2 / lambdas[:, None]).sum() / 2
    assert _rows(X, y, lambdas).measured(U, np.zeros(C)).gap == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_sparse_and_dense_rows_with_a_constant_agree_with_scikit_learn(form: Any) -> None:
    X, y, _ = _data(200, 6, 3)
    peer = LogisticRegression(C=1 / 2.5, fit_intercept=False, tol=1e-10, max_iter=10_000)
    peer.fit(np.column_stack([X, np.full(200, 0.5)]), y)
    found = _rows(form(X), y, np.full(6, 2.5), bias=0.5, bias_lambda=2.5).best(1e-12)
    whole = np.vstack([found.w, found.bias_weights]).T
    assert np.abs(whole - peer.coef_).max() <= 1e-5


@pytest.mark.parametrize("data", [load_wine, load_digits], ids=["wine", "digits"])
def test_realistic_data_are_solved_to_a_millionth(data: Any) -> None:
    X, y = data(return_X_y=True)
    lambdas = np.maximum(np.abs(X).max(0) ** 2, 1) * 3
    found = _rows(X, y, lambdas, 1.0, 3.0, int(y.max()) + 1).best()
    assert found.gap <= 1e-6 * found.value


def test_more_blocks_are_one() -> None:
    X, y, lambdas = _data(60, 4, 5)
    labels = y.astype(np.uint32)
    blocks = [(DenseBlock(X[a : a + 20]), labels[a : a + 20]) for a in (0, 20, 40)]
    parts, whole = SoftmaxRows(blocks, lambdas, C).best(), _rows(X, y, lambdas).best()
    assert np.array_equal(parts.w, whole.w)
    assert parts.loss == pytest.approx(whole.loss, rel=1e-14)


def test_leads_and_triples_are_those_of_the_weights() -> None:
    X, y, lambdas = _data(30, 3, 6)
    rows = _rows(X, y, lambdas, bias=2.0)
    found = rows.best()
    scores = X @ found.w + 2.0 * found.bias_weights
    own = scores[np.arange(30), y].copy()
    scores[np.arange(30), y] = -np.inf
    assert rows.leads(found) == pytest.approx(own - scores.max(1))
    rebuilt = np.zeros((4, C))
    for k, j, v in found.triples:
        rebuilt[int(j), int(k)] = v
    assert np.array_equal(rebuilt, np.vstack([found.w, found.bias_weights]))


def test_a_column_whose_lambda_is_out_of_range_weighs_nothing() -> None:
    X, y, lambdas = _data(30, 3, 7)
    lambdas[1] = 1e300
    found = _rows(X, y, lambdas).best()
    assert not found.w[1].any()
    assert found.w[0].any()
    assert math.isinf(found.gap)


def test_no_rows_are_answered() -> None:
    found = _rows(np.zeros((0, 2)), [], [1.0, 1.0]).best()
    assert (found.value, found.gap) == (0.0, 0.0)


def test_huge_and_tiny_columns_are_solved() -> None:
    X, y, lambdas = _data(40, 3, 8)
    scale = np.array([1e120, 1e-120, 1.0])
    found = _rows(X * scale, y, lambdas * scale**2).best()
    plain = _rows(X, y, lambdas).best()
    assert found.gap <= 1e-6 * found.value
    assert found.value == pytest.approx(plain.value, rel=1e-6)


def test_a_row_that_is_no_x_is_refused_with_its_place() -> None:
    X, y, lambdas = _data(5, 2, 0)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="row 4: expected a finite value for feature 1, got nan"):
        _rows(X, y, lambdas).best()


def test_ctrl_c_ends_the_search_with_what_is_found() -> None:
    X, y, lambdas = _data(2000, 30, 0, scale=1e4)

    def stop() -> None:
        raise KeyboardInterrupt

    found = _rows(X, y, lambdas / 1e6).best(1e-15, watch=stop)
    assert isinstance(found, SoftmaxComparator)
    assert found.value <= 2000 * math.log(C) * (1 + 1e-12)


def test_what_does_not_fit_is_refused_by_the_core() -> None:
    block, labels = DenseBlock(np.ones((2, 3))).native, np.array([0, 1], np.uint32)
    with pytest.raises(ValueError, match="a λ for every feature"):
        _core.SoftmaxRegression(np.ones(2), 1.0, 0.0, 2).add(block, labels)
    with pytest.raises(ValueError, match="labels that are classes"):
        _core.SoftmaxRegression(np.ones(3), 1.0, 0.0, 2).add(block, labels + 1)
    with pytest.raises(ValueError, match="a label for every row"):
        _core.SoftmaxRegression(np.ones(3), 1.0, 0.0, 2).add(block, labels[:1])
    with pytest.raises(ValueError, match="two classes or more"):
        _core.SoftmaxRegression(np.ones(3), 1.0, 0.0, 1)
    with pytest.raises(ValueError, match="finite weights"):
        _core.SoftmaxMeasures(np.full((3, 2), np.inf), np.zeros(2), np.ones(3), 1.0, 0.0, 2)
    with pytest.raises(ValueError, match="a λ for every feature"):
        _core.SoftmaxMeasures(np.ones((3, 2)), np.zeros(2), np.ones(2), 1.0, 0.0, 2)
    measures = _core.SoftmaxMeasures(np.ones((2, 2)), np.zeros(2), np.ones(2), 1.0, 0.0, 2)
    with pytest.raises(ValueError, match="a weight for every feature"):
        measures.add(block, labels)
