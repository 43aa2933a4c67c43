"""Comparators for the hinge, the squared and the absolute loss: proved, and nearly the best."""

import gzip
import math
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.comparators.penalised import Comparator, Loss, PenalisedRows
from novikoff.errors import InputError, ParameterError
from novikoff.streams.blocks.block import ArrayBlock, DenseBlock, from_scipy

RATIONAL: list[Loss] = ["hinge", "squared", "absolute"]


def _rows(X: Any, y: Any, lambdas: Any, loss: Loss, **more: float) -> PenalisedRows:
    block: ArrayBlock = from_scipy(X, "X") if sp.issparse(X) else DenseBlock(X)
    labels = np.asarray(y, np.float64)
    return PenalisedRows([(block, labels)], np.asarray(lambdas), loss=loss, **more)


def _data(rounds: int, features: int, seed: int, loss: Loss) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    columns = 30.0 ** rng.uniform(-1, 1, features)
    X = rng.standard_normal((rounds, features)) * columns * (rng.random((rounds, features)) < 0.6)
    score = X @ (rng.standard_normal(features) / columns) + rng.standard_normal(rounds)
    y = np.where(score >= 0, 1.0, -1.0) if loss == "hinge" else 3 * score + 1
    return X, y, columns**2 * rng.uniform(0.5, 30, features)


def _loss(loss: Loss, y: Fraction, s: Fraction) -> Fraction:
    if loss == "hinge":
        return max(Fraction(0), 1 - y * s)
    return (y - s) ** 2 if loss == "squared" else abs(y - s)


def _exact(X: Any, y: Any, lambdas: Any, u: Any, loss: Loss) -> tuple[Fraction, Fraction]:
    """L(u) and ½ Σ λ u², in fractions."""
    us = [Fraction(float(v)) for v in u]
    total = Fraction(0)
    for x, label in zip(X, y, strict=True):
        s = sum((Fraction(float(v)) * w for v, w in zip(x, us, strict=True)), Fraction(0))
        total += _loss(loss, Fraction(float(label)), s)
    pairs = zip(map(float, lambdas), us, strict=True)
    return total, sum((Fraction(a) * w * w for a, w in pairs), Fraction(0)) / 2


def _least_of_one(x: Any, y: Any, penalty: float, loss: Loss) -> Fraction:
    """The least value for one feature: at a kink, or where the slope between two kinks is 0."""
    xs, ys, price = [Fraction(v) for v in x], [Fraction(v) for v in y], Fraction(penalty)
    pairs = [(a, b) for a, b in zip(xs, ys, strict=True) if a]
    if loss == "squared":
        places = [2 * sum(a * b for a, b in pairs) / (price + 2 * sum(a * a for a, _ in pairs))]
    else:
        kinks = sorted({(1 / (a * b) if loss == "hinge" else b / a) for a, b in pairs})
        places = [Fraction(0), *kinks]
        for left, right in zip([kinks[0] - 1, *kinks], [*kinks, kinks[-1] + 1], strict=True):
            middle, slope = (left + right) / 2, Fraction(0)
            for a, b in pairs:
                if loss == "hinge":
                    slope -= a * b if a * b * middle < 1 else 0
                else:
                    slope += a if a * middle > b else -a
            places.append(-slope / price)

    def value(u: Fraction) -> Fraction:
        losses = (_loss(loss, b, a * u) for a, b in zip(xs, ys, strict=True))
        return sum(losses, Fraction(0)) + price * u * u / 2

    return min(map(value, places))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", RATIONAL)
def test_the_least_value_lies_between_least_and_value(loss: Loss, seed: int) -> None:
    """Rows with one feature each: every feature is a problem of its own, solved exactly."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60) * 2.0 - 1 if loss == "hinge" else rng.standard_normal(60) * 5
    lambdas = 10.0 ** rng.uniform(-2, 2, 4)
    column, size = rng.integers(0, 4, 60), rng.standard_normal(60) * 3
    X = np.zeros((60, 4))
    X[np.arange(60), column] = size
    least = sum(
        (_least_of_one(size[column == j], y[column == j], lambdas[j], loss) for j in range(4)),
        Fraction(0),
    )
    found = _rows(X, y, lambdas, loss).best(1e-9)
    loss_of_u, penalty = _exact(X, y, lambdas, found.w, loss)
    assert loss_of_u <= Fraction(found.loss) <= loss_of_u * (1 + Fraction(1, 10**10))
    assert penalty <= Fraction(found.penalty) <= penalty * (1 + Fraction(1, 10**10))
    assert Fraction(found.least) <= least <= Fraction(found.loss) + Fraction(found.penalty)
    assert found.gap <= 1e-9 * found.value
    assert found.value - found.least <= found.gap * (1 + 1e-6) + 1e-12 * found.value


def test_ridge_regression_is_solved_as_its_normal_equations_are() -> None:
    X, y, lambdas = _data(80, 5, 3, "squared")
    found = _rows(X, y, lambdas, "squared", bias=2.0, bias_lambda=0.7).best(1e-12)
    A = np.column_stack([X, np.full(len(X), 2.0)])
    u = np.linalg.solve(np.diag([*lambdas, 0.7]) + 2 * A.T @ A, 2 * A.T @ y)
    assert np.append(found.w, found.bias_weight) == pytest.approx(u, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("loss", get_args(Loss))
def test_no_other_u_is_below_the_least_value(loss: Loss) -> None:
    """Columns that have to do with each other, and a constant feature."""
    X, y, lambdas = _data(200, 6, 5, loss)
    y = np.sign(y) if loss == "logistic" else y
    rows = _rows(X, y, lambdas, loss, bias=1.0, bias_lambda=3.0)
    found = rows.best()
    assert found.gap <= 1e-6 * found.value
    rng = np.random.default_rng(1)
    for size in (1e-5, 1e-3, 0.1, 1.0):
        w = found.w * (1 + size * rng.standard_normal(len(found.w)))
        other = rows.measured(w, found.bias_weight * (1 + size * rng.standard_normal()))
        assert other.value >= found.least
        assert other.least <= found.value
    assert rows.measured(np.zeros(0), 0.0).value >= found.value


numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1e-3, -1e4, 1e150, 1e-150, 1e308])


@settings(max_examples=60)
@given(
    st.sampled_from(RATIONAL),
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6),
    st.tuples(numbers, numbers),
    st.tuples(st.sampled_from([1e-3, 1.0, 1e8]), st.sampled_from([1e-3, 1.0, 1e8])),
    st.data(),
)
def test_measures_of_any_u_are_bounds(loss: Loss, X: Any, u: Any, lambdas: Any, data: Any) -> None:
    """Also of a u that is far from the best, and where w·x overflows."""
    labels = st.sampled_from([-1.0, 1.0]) if loss == "hinge" else numbers
    y = data.draw(st.lists(labels, min_size=len(X), max_size=len(X)))
    found = _rows(np.array(X), y, lambdas, loss).measured(np.array(u), 0.0)
    loss_of_u, penalty = _exact(X, y, lambdas, u, loss)
    assert found.loss == math.inf or Fraction(found.loss) >= loss_of_u
    assert found.penalty == math.inf or Fraction(found.penalty) >= penalty
    for other in (u, (0.0, 0.0)):
        assert Fraction(found.least) <= sum(_exact(X, y, lambdas, other, loss))


@pytest.mark.parametrize("loss", get_args(Loss))
def test_sparse_rows_in_several_blocks_are_as_good_as_dense_ones(loss: Loss) -> None:
    X, y, lambdas = _data(400, 8, 2, loss)
    y = np.sign(y) if loss == "logistic" else y
    whole = _rows(X, y, lambdas, loss).best()
    cuts = ((0, 1), (1, 250), (250, 400))
    parts = [(from_scipy(sp.csr_array(X[a:b]), "X"), y[a:b]) for a, b in cuts]
    split = PenalisedRows(parts, lambdas, loss=loss).best()
    assert split.value == pytest.approx(whole.value, rel=2e-6)
    assert split.gap <= 1e-6 * split.value


@pytest.mark.parametrize("loss", RATIONAL)
def test_realistic_data_are_solved_to_a_millionth(loss: Loss, data: Any) -> None:
    with gzip.open(data / "spambase" / "spambase.data.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    X, y = np.ascontiguousarray(table[:, :-1]), np.where(table[:, -1] > 0, 1, -1)
    lambdas = np.abs(X).max(axis=0) ** 2 * 17
    found = _rows(X, y, lambdas, loss, bias=1.0).best()
    assert found.gap <= 1e-6 * found.value
    assert found.value < 0.65 * len(y)


@pytest.mark.parametrize("loss", RATIONAL)
def test_no_rows_and_rows_without_values_are_answered(loss: Loss) -> None:
    empty = PenalisedRows([], np.zeros(0), loss=loss).best()
    assert (empty.loss, empty.penalty, empty.gap, empty.least) == (0.0, 0.0, 0.0, 0.0)
    blank = _rows(np.zeros((3, 2)), [1.0, -1.0, 1.0], [1.0, 1.0], loss).best()
    assert blank.w.tolist() == [0.0, 0.0]
    assert blank.value == pytest.approx(3.0)
    assert blank.least == pytest.approx(3.0)


def test_a_penalty_out_of_range_proves_nothing_above_0() -> None:
    X, y, _ = _data(30, 2, 0, "squared")
    found = _rows(X, y, [1.0, 0.0], "squared").best()
    assert (found.gap, found.least) == (math.inf, 0.0)


def test_what_the_loss_is_not_defined_for_is_refused() -> None:
    X = np.ones((2, 1))
    with pytest.raises(ValueError, match="labels that the loss is defined for"):
        _rows(X, [1.0, 0.0], [1.0], "hinge").best()
    with pytest.raises(ValueError, match="labels that the loss is defined for"):
        _rows(X, [1.0, np.nan], [1.0], "absolute").best()
    unknown: Any = "cubic"
    with pytest.raises(ParameterError, match="loss: expected one of logistic, hinge, squared"):
        PenalisedRows([], np.zeros(0), loss=unknown)
    with pytest.raises(InputError, match="row 1: expected a finite value for feature 0, got nan"):
        _rows(np.array([[np.nan]]), [1.0], [1.0], "squared").best()


@pytest.mark.parametrize("loss", get_args(Loss))
def test_ctrl_c_ends_the_search_with_what_is_found(loss: Loss) -> None:
    X, y, lambdas = _data(500, 5, 3, loss)
    y = np.sign(y) if loss == "logistic" else y

    def watch() -> None:
        raise KeyboardInterrupt

    found = _rows(X, y, lambdas, loss).best(1e-300, watch)
    assert isinstance(found, Comparator)
    assert found.least <= found.value
