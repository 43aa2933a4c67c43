"""What is measured of a comparator bounds what is true, and is not far from it."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import _core as core
from problems import FORMS, dense, dot, fractions, problem, sparse

# Every size of float64, subnormal ones included.
anything = st.one_of(
    st.floats(-3, 3),
    st.integers(-2, 2).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(lambda v, e: math.ldexp(v, e), st.floats(-1, 1), st.integers(-1074, 1000)),  # noqa: PLW0108
)


@st.composite
def measured(draw: Any) -> tuple[Any, Any, Any, float, float]:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(0, 7))
    numbers = st.lists(anything, min_size=columns, max_size=columns)
    X = np.array(draw(st.lists(numbers, min_size=rows, max_size=rows))).reshape(rows, columns)
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows)), np.int8)
    return X, y, np.array(draw(numbers), float), draw(anything), abs(draw(anything))


def truth(X: Any, y: Any, w: Any, bias_weight: float, bias: float) -> tuple[list[Fraction], ...]:
    """y w·x and ‖x‖² of every row, in real arithmetic."""
    v, rows = fractions([*w, bias_weight]), [fractions([*x, bias]) for x in X]
    return (
        [int(label) * dot(v, x) for x, label in zip(rows, y, strict=True)],
        [dot(x, x) for x in rows],
    )


def above(bound: float, value: Fraction) -> bool:
    return bound == math.inf or Fraction(bound) >= value


def below(bound: float, value: Fraction) -> bool:
    return bound == -math.inf or Fraction(bound) <= value


@given(measured())
def test_bounds_hold_whatever_the_values(given_: tuple[Any, Any, Any, float, float]) -> None:
    X, y, w, bias_weight, bias = given_
    margins, norms = truth(X, y, w, bias_weight, bias)
    xi = [max(Fraction(0), 1 - m) for m in margins]
    for block in (dense(X), sparse(X)):
        hinge, hinge_square, margin, radius_square = core.measure(block, y, w, bias_weight, bias)
        assert above(hinge, sum(xi, Fraction(0)))
        assert above(hinge_square, dot(xi, xi))
        assert below(margin, min(margins))
        assert above(radius_square, max(norms))
        every_other = np.arange(0, len(y), 2)
        some = core.Measures(w, bias_weight, bias)
        some.add_rows(block, y, every_other)
        assert above(some.hinge, sum(xi[::2], Fraction(0)))
        assert above(some.energy, sum(norms[::2], Fraction(0)))
        assert below(some.margin, min(margins[::2]))
    assert above(
        core.norm2(w, bias_weight), dot(fractions([*w, bias_weight]), fractions([*w, bias_weight]))
    )


@pytest.mark.parametrize("form", FORMS)
def test_bounds_are_close(form: str) -> None:
    X, y = problem(200, 30)
    w = np.random.default_rng(1).normal(size=30)
    margins, norms = truth(X, y, w, 0.3, 2.0)
    xi = [max(Fraction(0), 1 - m) for m in margins]
    hinge, hinge_square, margin, radius_square = core.measure(FORMS[form](X), y, w, 0.3, 2.0)
    assert 0 <= Fraction(hinge) / sum(xi) - 1 < 1e-13
    assert 0 <= Fraction(hinge_square) / dot(xi, xi) - 1 < 1e-13
    assert 0 <= min(margins) - Fraction(margin) < 1e-13
    assert 0 <= Fraction(radius_square) / max(norms) - 1 < 1e-13
    assert (
        0
        <= Fraction(core.norm2(w, 0.3)) / dot(fractions([*w, 0.3]), fractions([*w, 0.3])) - 1
        < 1e-13
    )


def test_many_rows_add_up_without_drift() -> None:
    """A hundred thousand upward roundings would show; one does not."""
    rows = 100_000
    X, y = np.full((rows, 1), 0.1), np.ones(rows, np.int8)
    m = core.Measures(np.array([0.3]), 0.0, 0.0)
    m.add(dense(X), y, 0, rows)
    xi, norm2 = 1 - Fraction(0.3) * Fraction(0.1), Fraction(0.1) ** 2
    assert 0 <= Fraction(m.hinge) / (rows * xi) - 1 < 2e-15
    assert 0 <= Fraction(m.energy) / (rows * norm2) - 1 < 2e-15


def test_slices_and_blocks_add_up() -> None:
    X, y = problem(100, 5)
    w = np.linspace(-1, 1, 5)
    hinge, hinge_square, margin, radius_square = core.measure(dense(X), y, w, 0.0, 0.0)
    m = core.Measures(w, 0.0, 0.0)
    assert (m.hinge, m.hinge_square, m.margin, m.radius_square, m.energy) == (0, 0, math.inf, 0, 0)
    m.add(sparse(X[:40]), y[:40], 0, 40)
    m.add(dense(X[40:]), y[40:], 0, 25)
    m.add(dense(X[40:]), y[40:], 25, 60)
    assert m.hinge == pytest.approx(hinge, rel=1e-14)
    assert m.hinge_square == pytest.approx(hinge_square, rel=1e-14)
    assert m.margin == pytest.approx(margin, rel=1e-13)
    assert m.radius_square == pytest.approx(radius_square, rel=1e-14)
    rows = core.Measures(w, 0.0, 0.0)
    rows.add_rows(dense(X), y, np.array([3, 3, 99]))
    assert rows.energy == pytest.approx(2 * (X[3] @ X[3]) + X[99] @ X[99], rel=1e-14)


def test_products_beyond_float64_are_summed_exactly() -> None:
    X, y = np.array([[1e300, 1e300, 1.0]]), np.array([1], np.int8)
    hinge, _, margin, radius_square = core.measure(
        dense(X), y, np.array([1e300, -1e300, 0.5]), 0.0, 0.0
    )
    assert math.nextafter(0.5, 0) <= margin <= 0.5
    assert 0.5 <= hinge <= 0.5000000000000002
    assert radius_square == math.inf
    _, _, margin, _ = core.measure(dense(X), -y, np.array([1e300, 1e300, 0.5]), 0.0, 0.0)
    assert margin == -math.inf


def test_refuses_what_it_cannot_measure() -> None:
    X, y = problem(10, 3)
    w = np.ones(3)
    for weights, bias_weight in ((np.array([1, np.nan, 1]), 0.0), (w, math.inf)):
        with pytest.raises(ValueError, match="finite"):
            core.Measures(weights, bias_weight, 0.0)
    with pytest.raises(ValueError, match="weight for every feature"):
        core.measure(dense(X), y, w[:2], 0.0, 0.0)
    with pytest.raises(ValueError, match="label"):
        core.measure(dense(X), y[:5], w, 0.0, 0.0)
    with pytest.raises(ValueError, match="were played"):
        core.measure(dense(X), np.zeros(10, np.int8), w, 0.0, 0.0)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="were played"):
        core.measure(dense(X), y, w, 0.0, 0.0)
    m = core.Measures(w, 0.0, 0.0)
    for rows in ([10], [-1]):
        with pytest.raises(ValueError, match="inside the block"):
            m.add_rows(dense(X), y, np.array(rows))
    for start, stop in ((0, 11), (5, 4)):
        with pytest.raises(ValueError, match="inside the block"):
            m.add(dense(X), y, start, stop)
