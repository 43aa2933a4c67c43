"""Numbers outside the core's loops that must have the same bits on every CPU."""

import ast
import inspect
import math
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutting_twins
import novikoff as nv
from novikoff import _core
from novikoff.learners.linear import centroid, ellipsoid, mixing, ordered_sums, walk
from novikoff.learners.linear.ordered_sums import product, row_sums, sums
from novikoff.learners.losses.logit import logit

sizes = st.integers(0, 9)
seeds = st.integers(0, 2**32 - 1)


def _matrix(rows: int, columns: int, seed: int) -> Any:
    """Numbers of very different sizes: another order of a sum gives other bits."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)) * 10.0 ** rng.integers(-6, 6, (rows, columns))


@given(sizes, sizes, sizes, seeds)
def test_a_product_adds_rounded_terms_in_ascending_order(
    rows: int, inner: int, columns: int, seed: int
) -> None:
    a, b = _matrix(rows, inner, seed), _matrix(inner, columns, seed + 1)
    told = [[cutting_twins.dot(row, column) for column in b.T.tolist()] for row in a.tolist()]
    assert product(a, b).tolist() == told
    assert product(a.T.copy().T, b[:, ::-1]).tolist() == [row[::-1] for row in told]


@given(sizes, sizes, seeds)
def test_sums_of_columns_and_rows_do_too(rows: int, columns: int, seed: int) -> None:
    terms = _matrix(rows, columns, seed)
    assert row_sums(terms).tolist() == [cutting_twins.added(row) for row in terms.tolist()]
    assert sums(terms).tolist() == [cutting_twins.added(column) for column in terms.T.tolist()]
    assert sums(row_sums(terms)).tolist() == cutting_twins.added(row_sums(terms).tolist())


def test_the_order_of_a_sum_matters_here() -> None:
    """Otherwise the tests above would show nothing."""
    terms = _matrix(50, 9, 0)
    assert (row_sums(terms) != row_sums(terms[:, ::-1])).any()


def test_matrices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="a row of b per column of a"):
        _core.ordered_product(np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_cuts_of_a_centroid_are_those_of_plain_python(d: int) -> None:
    rng = np.random.default_rng(d)
    w, learner = rng.standard_normal(d), nv.CentroidHalving(seed=3, samples=16)
    twin = cutting_twins.ball(3, 16, d)
    cuts = 0
    while cuts < 4 * d:
        x = rng.standard_normal(d)
        y = 1 if w @ x >= 0 else -1
        if d == 1 and cuts:
            break  # no further mistake is possible
        learner.update(x, y)
        if learner.cuts > cuts:
            cuts += 1
            twin.cut((y * np.ldexp(x, -np.frexp(np.abs(x).max())[1])).tolist())
            state = learner.state()
            assert state["points"].tolist() == twin.points
            assert state["centre"].tolist() == twin.centre


def test_a_cut_by_levels_is_that_of_plain_python() -> None:
    """The second cut leaves w₁ ≤ w₂/1000 of w₁ ≥ 0, and almost no point."""
    learner, twin = nv.CentroidHalving(seed=2, samples=16), cutting_twins.ball(2, 16, 3)
    for x, y in (([-0.5, 0.0, 0.0], -1), ([-0.5, 0.0005, 0.0], 1)):
        learner.update(x, y)
        twin.cut((y * np.array(x)).tolist())
    assert learner.cuts == 2
    assert learner.state()["points"].tolist() == twin.points


NOT_EVERYWHERE = {
    *("sum", "mean", "dot", "einsum", "matmul", "inner", "vdot", "tensordot", "trace", "quantile"),
    *("var", "std", "exp", "log", "log1p", "expm1", "power", "sin", "cos", "linalg", "cumsum"),
}
"""What NumPy computes in an order, or to an accuracy, of the CPU's own."""


@pytest.mark.parametrize("module", [centroid, ellipsoid, mixing, walk, ordered_sums])
def test_nothing_that_differs_between_cpus_enters_a_state(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not named & NOT_EVERYWHERE
    assert not any(isinstance(node, ast.MatMult) for node in ast.walk(tree))


@given(st.floats(0, 1))
def test_a_logit_is_within_four_units_of_the_last_place(p: float) -> None:
    (found,) = logit(np.array([p])).tolist()
    if p in (0, 1) or p < 2.0**-1024:
        assert found == math.copysign(math.inf, p - 0.5)
        return
    with mpmath.workdps(60):
        exact = mpmath.log(mpmath.mpf(p)) - mpmath.log(1 - mpmath.mpf(p))
        assert abs(found - exact) <= 4 * math.ulp(float(exact))


def test_a_logit_of_opposite_probabilities_is_the_opposite() -> None:
    p = np.arange(1, 1024) / 1024
    assert np.array_equal(logit(1 - p), -logit(p))
    assert logit(np.array([0.5])).tolist() == [0.0]
