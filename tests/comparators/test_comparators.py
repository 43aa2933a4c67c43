"""Soft-margin comparators: optimal, measured honestly, and the same however they are worked."""

import math
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from cpu_levels import said_on_each_level
from novikoff import _core as core
from problems import (
    FORMS,
    dense,
    dual_optimum,
    exact_gap,
    fingerprint,
    folded,
    primal_of,
    problem,
    solved,
    solver,
    sparse,
)
from threads import refusals

LOSSES = pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared hinge"])


@LOSSES
@pytest.mark.parametrize("cost", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_reaches_the_optimum_of_liblinear(squared: bool, cost: float, bias: float) -> None:
    X, y = problem(300, 12)
    ours = solved(X, y, cost, squared, bias=bias)
    Z = folded(X, bias)
    theirs = LinearSVC(
        loss="squared_hinge" if squared else "hinge",
        C=cost / 2 if squared else cost,  # theirs charges C ξ²
        fit_intercept=False,
        dual=True,
        tol=1e-9,
        max_iter=10_000_000,
    ).fit(Z, y)
    best = primal_of(theirs.coef_.ravel(), Z, y, cost, squared)
    assert ours.primal == pytest.approx(best, rel=1e-7)
    bias_weight, weights = ours.w()
    w = np.append(weights, bias_weight) if bias else weights
    assert primal_of(w, Z, y, cost, squared) == pytest.approx(ours.primal, rel=1e-12)
    np.testing.assert_allclose(w, theirs.coef_.ravel(), rtol=1e-3, atol=1e-3)


@LOSSES
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 12), columns=st.integers(1, 5))
def test_reaches_the_optimum_of_a_general_method(
    squared: bool, seed: int, rows: int, columns: int
) -> None:
    X, y = problem(rows, columns, seed=seed)
    ours = solved(X, y, 0.7, squared)
    assert ours.dual == pytest.approx(dual_optimum(X, y, 0.7, squared), rel=1e-6, abs=1e-9)


@LOSSES
@given(
    seed=st.integers(0, 10**6),
    cost=st.sampled_from([1e-3, 1.0, 1e3]),
    passes=st.integers(0, 6),
    bias=st.sampled_from([0.0, 0.5]),
)
def test_the_gap_is_the_true_one(
    squared: bool, seed: int, cost: float, passes: int, bias: float
) -> None:
    X, y = problem(20, 4, seed=seed)
    s = solver(X, y, cost, squared, bias=bias)
    s.descend(1e-9, passes=passes)
    assert s.certify()
    true = exact_gap(s, X, y, bias)
    assert true >= 0
    assert s.gap >= 0
    assert s.gap == pytest.approx(float(true), rel=1e-9, abs=1e-14 * s.primal)
    assert s.primal - s.dual == pytest.approx(s.gap, abs=1e-12 * s.primal)
    upper = math.inf if squared else cost
    assert all(0 <= a <= upper for a in s.alphas())


@LOSSES
def test_the_dual_never_falls(squared: bool) -> None:
    X, y = problem(400, 10)
    s = solver(X, y, 1.0, squared)
    before = 0.0
    for _ in range(15):
        s.descend(0.0, passes=1)
        s.certify()
        assert s.dual >= before * (1 - 1e-12)
        before = s.dual


@LOSSES
@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_optimum(form: str, squared: bool) -> None:
    X, y = problem(150, 9)
    reference = solved(X, y, 0.5, squared, bias=1.0)
    other = solved(FORMS[form](X), y, 0.5, squared, bias=1.0)
    assert other.primal == pytest.approx(reference.primal, rel=1e-8)
    np.testing.assert_allclose(other.w()[1], reference.w()[1], atol=1e-3)


@LOSSES
def test_several_blocks_are_one_problem(squared: bool) -> None:
    X, y = problem(300, 9)
    X[200:, 7:] = 0
    whole = solved(X, y, 0.5, squared)
    parts = core.SoftMargin(0.5, squared, 0.0)
    assert parts.add(sparse(X[200:, :7]), y[200:]) == 100
    assert parts.add(dense(X[:0]), y[:0]) == 0
    for start in range(0, 200, 40):
        form = list(FORMS.values())[start // 40]
        assert parts.add(form(X[start : start + 40]), y[start : start + 40]) == 40
    assert parts.rows == 300
    assert parts.descend(1e-9, seconds=60)
    assert parts.primal == pytest.approx(whole.primal, rel=1e-8)
    assert len(parts.w()[1]) == 9
    assert len(parts.alphas()) == 300


@LOSSES
@pytest.mark.parametrize("cost", [1e-12, 1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_any_cost_is_reached(cost: float, noise: float, squared: bool) -> None:
    """Reached from smaller ones, however large, as far as float64 can hold such α."""
    X, y = problem(60, 5, noise)
    tolerance = 1e-3 if noise and cost > 1 else 1e-6
    s = solved(X, y, cost, squared, tolerance=tolerance)
    assert s.gap <= max(tolerance * s.primal, 1e-12 * cost * len(y))
    Z = X * y[:, None]
    if noise == 0 and cost == 1e12:  # as good as a hard margin
        assert (Z @ s.w()[1]).min() == pytest.approx(1)
    if cost == 1e-12:  # as good as the mean
        np.testing.assert_allclose(s.w()[1], Z.sum(axis=0) * cost, rtol=1e-6)


@LOSSES
@pytest.mark.parametrize("scale", [2.0**-498, 2.0**-249, 2.0**249, 2.0**498])
def test_scaling_the_values_scales_the_solution_alone(scale: float, squared: bool) -> None:
    """Scaling x by c and C by 1/c² scales w by 1/c and changes nothing else: 1e±150."""
    X, y = problem(60, 5)
    plain = solved(X, y, 1.0, squared)
    s = solved(X * scale, y, scale**-2, squared)
    np.testing.assert_allclose(s.w()[1] * scale, plain.w()[1], rtol=1e-12)
    assert s.hinge == pytest.approx(plain.hinge, rel=1e-12)
    assert s.primal * scale**2 == pytest.approx(plain.primal, rel=1e-12)
    assert s.gap <= 1e-9 * s.primal


@LOSSES
def test_mixed_magnitudes_are_solved(squared: bool) -> None:
    X = np.array([[1e150, 0], [0, 1e-150], [1.0, 1.0], [-1e-300, 1e-300], [0, 0]])
    y = np.array([1, -1, 1, -1, 1], np.int8)
    s = solved(X, y, 1.0, squared, tolerance=1e-6)
    assert np.isfinite(s.w()[1]).all()
    assert s.gap <= 1e-6 * s.primal


@LOSSES
def test_no_rows_and_rows_of_zeros_are_solved(squared: bool) -> None:
    none = core.SoftMargin(1.0, squared, 0.0)
    assert none.descend(1e-4)
    assert (none.primal, none.dual, none.gap) == (0, 0, 0)

    zeros = solved(np.zeros((5, 3)), np.array([1, -1, 1, 1, -1], np.int8), 2.0, squared)
    assert zeros.primal == (5 if squared else 10)
    assert zeros.gap == pytest.approx(0, abs=1e-15)
    assert list(zeros.alphas()) == [2] * 5

    one = solved(np.array([[3.0, 4.0]]), np.array([-1], np.int8), 1e6, squared)
    np.testing.assert_allclose(one.w()[1], [-3 / 25, -4 / 25], rtol=1e-5)

    empty = solved(core.Block.dense(np.zeros((2, 0))), np.array([1, -1], np.int8), 1.0, squared)
    assert empty.primal == (1 if squared else 2)
    biased = solved(np.zeros((2, 0)), np.array([1, 1], np.int8), 8.0, squared, bias=2.0)
    assert biased.w()[0] > 0.4


@LOSSES
def test_copies_are_a_cost_and_contradictions_cancel(squared: bool) -> None:
    X, y = problem(40, 4)
    once = solved(X, y, 1.0, squared)
    thrice = solved(np.tile(X, (3, 1)), np.tile(y, 3), 1.0 / 3, squared)
    assert thrice.primal == pytest.approx(once.primal, rel=1e-7)
    both = solved(np.vstack([X, X]), np.concatenate([y, -y]), 1.0, squared, tolerance=1e-6)
    np.testing.assert_allclose(both.w()[1], 0, atol=0.02)


@LOSSES
def test_warm_starts_reach_the_same_optimum_sooner(squared: bool) -> None:
    X, y = problem(2000, 10)
    path = solver(X, y, 0.001, squared)
    for cost in [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 0.1, 0.001, 1.0]:
        path.set_cost(cost)
        assert path.cost == cost
        assert not path.known
        assert path.gap == math.inf
        before = path.passes
        assert path.descend(1e-4, seconds=60)
        cold = solved(X, y, cost, squared, tolerance=1e-4)
        assert path.primal == pytest.approx(cold.primal, rel=3e-4)
        assert path.passes - before <= 2 * cold.passes + 10


def test_rows_added_later_count() -> None:
    X, y = problem(200, 6)
    s = solver(X[:120], y[:120], 1.0)
    assert s.descend(1e-9, seconds=60)
    assert s.add(dense(X[120:]), y[120:]) == 80
    assert not s.known
    assert s.descend(1e-9, seconds=60)
    assert s.primal == pytest.approx(solved(X, y, 1.0).primal, rel=1e-8)


@LOSSES
def test_interruptions_change_no_bit(squared: bool) -> None:
    X, y = problem(4000, 300)
    whole, pieces = (solver(sparse(X), y, 1.0, squared, bias=1.0) for _ in range(2))
    assert whole.descend(1e-4)
    calls = 1
    while not pieces.descend(1e-4, seconds=0):
        calls += 1
        pieces.w(), pieces.gap
    assert calls > 50
    assert fingerprint(pieces) == fingerprint(whole)


def test_the_same_bits_on_every_cpu() -> None:
    program = f"""import sys; sys.path[:0] = {sys.path!r}
from problems import *
X, y = problem(3000, 40)
for form in FORMS.values():
    s = solver(form(X), y, 0.1, bias=1.0)
    s.descend(1e-4)
    print(hash(fingerprint(s)))
"""
    assert len(set(said_on_each_level(program))) == 1


def test_a_call_without_time_ends_within_the_first_pass() -> None:
    s = solver(*problem(20_000, 200), 1.0)
    assert not s.descend(1e-12, seconds=0.0)
    assert s.passes == 0


@LOSSES
def test_w_belongs_to_the_alphas_at_any_time(squared: bool) -> None:
    X, y = problem(5000, 100)
    s = solver(X, y, 1.0, squared)
    for _ in range(200):
        s.descend(1e-9, seconds=0)
        w = (X * (s.alphas() * y)[:, None]).sum(axis=0)
        np.testing.assert_allclose(s.w()[1], w, rtol=1e-7, atol=1e-9)


@LOSSES
def test_a_tolerance_of_zero_ends(squared: bool) -> None:
    X, y = problem(100, 5)
    s = solver(X, y, 1.0, squared)
    s.descend(0.0, seconds=60)
    assert s.settled or s.gap == 0
    assert s.gap <= 1e-10 * s.primal


def test_refuses_what_is_no_row() -> None:
    X, y = problem(10, 3)
    s = solver(X, y, 1.0)
    before = fingerprint(s)
    for bad in (np.nan, np.inf, 1e200):
        Z = X.copy()
        Z[4, 1] = bad
        assert s.add(dense(Z), y) == 4
    labels = y.copy()
    labels[7] = 0
    assert s.add(dense(X), labels) == 7
    starts, values = np.array([0, 1, 3], np.int32), np.ones(3)
    for indices in ([0, 1, 1], [0, 1, 3], [0, -1, 1]):
        block = core.Block.sparse(starts, np.array(indices, np.int32), values, 3)
        assert s.add(block, y[:2]) == 1
    with pytest.raises(ValueError, match="label"):
        s.add(dense(X), y[:9])
    for cost in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="cost"):
            core.SoftMargin(cost, False, 0.0)
        with pytest.raises(ValueError, match="cost"):
            s.set_cost(cost)
    assert fingerprint(s) == before
    assert s.rows == 10


@pytest.mark.parametrize("measuring", [False, True])
def test_arrays_changed_behind_its_back_are_noticed(measuring: bool) -> None:
    X, y = problem(500, 20)
    A = sp.csr_array(X)
    starts, indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    block = core.Block.sparse(starts, indices, A.data, 20)
    s = solver(block, y, 1.0)
    s.descend(1e-3)
    s.set_cost(2.0)
    for array, wrong in ((indices, 10**6), (indices, -1), (starts, 2**31 - 1), (starts, -5)):
        kept, array[7] = array[7], wrong
        with pytest.raises(ValueError, match="within the arrays"):
            s.certify() if measuring else s.descend(1e-6)
        array[7] = kept
    assert s.descend(1e-6)
    assert s.primal == pytest.approx(solved(X, y, 2.0).primal, rel=1e-5)


def test_a_second_thread_is_refused() -> None:
    X, y = problem(20_000, 100)
    s = solver(X, y, 100.0)
    assert len(refusals(lambda: s.descend(1e-13, seconds=1.0), s.w)) == 1
    s.w()


def test_keeps_its_blocks_alive() -> None:
    X, y = problem(300, 20)
    s = core.SoftMargin(1.0, False, 0.0)
    s.add(sparse(X), y.copy())
    assert s.descend(1e-9)
    assert s.primal == solved(sparse(X), y, 1.0).primal
