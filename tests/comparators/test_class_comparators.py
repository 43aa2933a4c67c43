"""Comparators for many classes: optimal, measured honestly, and receipts that use them."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from novikoff import _core as core
from problems import FORMS, class_problem, dense, dot, folded, fractions, leads, solved, sparse

LOSSES = pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared hinge"])


def solver(
    X: Any, y: Any, cost: float, squared: bool, *, classes: int, bias: float = 0.0
) -> core.ClassMargin:
    result = core.ClassMargin(cost, squared, bias, classes)
    assert result.add(X if isinstance(X, core.Block) else dense(X), y) == len(y)
    return result


def optimum(X: Any, y: Any, cost: float, squared: bool, **options: Any) -> core.ClassMargin:
    tolerance = options.pop("tolerance", 1e-7)
    result = solver(X, y, cost, squared, **options)
    assert result.descend(tolerance, seconds=60) or result.settled
    return result


def folded_w(s: core.ClassMargin, bias: float) -> Any:
    constant, w = s.w()
    return np.vstack([w, constant]) if bias else w


def primal_of(W: Any, X: Any, y: Any, cost: float, squared: bool) -> float:
    xi = np.maximum(0, 1 - leads(W, X, y))
    return float((W * W).sum() / 2 + (cost / 2 * (xi @ xi) if squared else cost * xi.sum()))


def quadratic_optimum(X: Any, y: Any, cost: float, squared: bool, classes: int) -> float:
    """The least primal value, by a general solver of quadratic programs in W and ξ."""
    piqp = pytest.importorskip("piqp", reason="a solver of the extra margin is the peer")
    rows, columns = X.shape
    size = columns * classes + rows
    P = np.eye(size)
    P[columns * classes :, columns * classes :] *= cost if squared else 0.0
    c = np.zeros(size)
    c[columns * classes :] = 0.0 if squared else cost
    G = []
    for t in range(rows):
        for k in range(classes):
            g = np.zeros((columns, classes))
            g[:, y[t]] += X[t]
            g[:, k] -= X[t]
            G.append(np.concatenate([g.ravel(), np.eye(rows)[t]]))
    least = np.array([float(k != y[t]) for t in range(rows) for k in range(classes)])
    peer = piqp.DenseSolver()
    peer.settings.eps_abs = peer.settings.eps_rel = 1e-10
    peer.setup(np.asfortranarray(P), c, G=np.asfortranarray(G), h_l=least)
    peer.solve()
    return float(peer.result.info.primal_obj)


@pytest.mark.parametrize("cost", [1e-3, 0.1, 1.0])
@pytest.mark.parametrize("bias", [0.0, 2.0])
@pytest.mark.parametrize("classes", [3, 6])
def test_reaches_the_optimum_of_liblinear(cost: float, bias: float, classes: int) -> None:
    X, y = class_problem(200, 8, classes)
    ours = optimum(X, y, cost, False, bias=bias, classes=classes)
    Z = folded(X, bias)
    theirs = LinearSVC(
        multi_class="crammer_singer", C=cost, fit_intercept=False, tol=1e-9, max_iter=1_000_000
    ).fit(Z, y)
    best = primal_of(theirs.coef_.T, Z, y, cost, False)
    assert ours.primal == pytest.approx(best, rel=1e-5)
    assert ours.dual <= best * (1 + 1e-12)
    W = folded_w(ours, bias)
    assert primal_of(W, Z, y, cost, False) == pytest.approx(ours.primal, rel=1e-12)
    np.testing.assert_allclose(W.sum(axis=1), 0, atol=1e-9)


@LOSSES
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 10),
    columns=st.integers(1, 4),
    classes=st.integers(2, 5),
    cost=st.sampled_from([0.05, 0.7, 4.0]),
)
def test_reaches_the_optimum_of_a_general_method(
    squared: bool, seed: int, rows: int, columns: int, classes: int, cost: float
) -> None:
    X, y = class_problem(rows, columns, classes, seed=seed)
    ours = optimum(X, y, cost, squared, classes=classes)
    best = quadratic_optimum(X, y, cost, squared, classes)
    assert ours.primal == pytest.approx(best, rel=1e-6, abs=1e-8)


def exact_dual(s: core.ClassMargin, X: Any, y: Any, bias: float) -> tuple[Fraction, Fraction]:
    """(the dual value of the α handed out, the largest Σ_k α_tk), in real arithmetic."""
    Z = [fractions(x) for x in folded(X, bias)]
    totals = [Fraction(0)] * len(y)
    W: dict[int, list[Fraction]] = {}

    def add(k: int, scale: Fraction, x: list[Fraction]) -> None:
        W[k] = [a + scale * v for a, v in zip(W.get(k, [Fraction(0)] * len(x)), x, strict=True)]

    for t, k, a in zip(*s.shares(), strict=True):
        assert a > 0
        assert k != y[t]
        totals[t] += Fraction(float(a))
        add(int(k), -Fraction(float(a)), Z[t])
        add(int(y[t]), Fraction(float(a)), Z[t])
    charge = dot(totals, totals) / Fraction(s.cost) if s.squared else Fraction(0)
    norm2 = sum((dot(w, w) for w in W.values()), Fraction(0))
    return sum(totals) - (norm2 + charge) / 2, max(totals)


@LOSSES
@given(
    seed=st.integers(0, 10**6),
    cost=st.sampled_from([1e-3, 1.0, 1e3]),
    passes=st.integers(0, 6),
    bias=st.sampled_from([0.0, 0.5]),
    classes=st.integers(2, 5),
)
def test_the_dual_is_a_lower_bound(
    squared: bool, seed: int, cost: float, passes: int, bias: float, classes: int
) -> None:
    X, y = class_problem(20, 4, classes, seed=seed)
    s = solver(X, y, cost, squared, bias=bias, classes=classes)
    s.descend(1e-9, passes=passes)
    assert s.certify()
    true, most = exact_dual(s, X, y, bias)
    assert Fraction(s.dual) <= true
    assert s.dual == pytest.approx(float(true), rel=1e-11, abs=1e-12 * s.primal)
    assert squared or most <= Fraction(cost) * (1 + Fraction(1, 2**48))
    assert s.gap >= 0
    assert s.primal - s.dual == pytest.approx(s.gap, abs=1e-11 * s.primal)
    Z, rng = folded(X, bias), np.random.default_rng(seed)
    own = folded_w(s, bias)
    for W in (own, 0 * own, rng.normal(size=own.shape), own + rng.normal(size=own.shape) / 9):
        assert s.dual <= primal_of(W, Z, y, cost, squared) * (1 + 1e-12)
    assert s.primal == pytest.approx(primal_of(own, Z, y, cost, squared), rel=1e-9)


@LOSSES
def test_the_gap_shrinks_to_any_tolerance(squared: bool) -> None:
    X, y = class_problem(400, 10, 5)
    s = solver(X, y, 0.5, squared, classes=5)
    before = math.inf
    for tolerance in (1e-1, 1e-2, 1e-3, 1e-5, 1e-7):
        assert s.descend(tolerance, seconds=60)
        assert s.gap <= tolerance * s.primal
        assert s.gap <= before
        before = s.gap
    for cost in (1e-4, 0.05, 7.0, 300.0):
        s.set_cost(cost)
        assert s.descend(1e-3, seconds=60)
        assert s.gap <= 1e-3 * s.primal


@LOSSES
@pytest.mark.parametrize("cost", [0.01, 0.5, 4.0])
def test_two_classes_are_two_labels(squared: bool, cost: float) -> None:
    """w_1 = −w_0 = w/2: ½‖W‖² = ¼‖w‖², and so C for classes is 2C for labels, at half the value."""
    X, y = class_problem(150, 6, 2)
    classes = optimum(X, y, cost, squared, classes=2, bias=1.0, tolerance=1e-9)
    labels = solved(X, np.where(y == 1, 1, -1).astype(np.int8), 2 * cost, squared, bias=1.0)
    assert classes.primal == pytest.approx(labels.primal / 2, rel=1e-7)
    np.testing.assert_allclose(classes.w()[1][:, 1], labels.w()[1] / 2, atol=1e-3)


@LOSSES
@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_optimum(form: str, squared: bool) -> None:
    X, y = class_problem(150, 9, 4)
    reference = optimum(X, y, 0.5, squared, classes=4, bias=1.0)
    other = optimum(FORMS[form](X), y, 0.5, squared, classes=4, bias=1.0)
    assert other.primal == pytest.approx(reference.primal, rel=1e-6)


@LOSSES
def test_several_blocks_are_one_problem(squared: bool) -> None:
    X, y = class_problem(300, 9, 4)
    X[200:, 7:] = 0
    whole = optimum(X, y, 0.5, squared, classes=4)
    parts = core.ClassMargin(0.5, squared, 0.0, 4)
    assert parts.add(sparse(X[200:, :7]), y[200:]) == 100
    assert parts.add(dense(X[:0]), y[:0]) == 0
    assert parts.add(dense(X[:200]), y[:200]) == 200
    assert parts.descend(1e-7, seconds=60)
    assert parts.primal == pytest.approx(whole.primal, rel=1e-6)
    assert parts.w()[1].shape == (9, 4)
    assert len(parts.alphas()) == 300


@LOSSES
def test_interruptions_change_no_bit(squared: bool) -> None:
    X, y = class_problem(3000, 100, 6)
    whole, pieces = (solver(sparse(X), y, 0.1, squared, bias=1.0, classes=6) for _ in range(2))
    assert whole.descend(1e-3)
    calls = 1
    while not pieces.descend(1e-3, seconds=0):
        calls += 1
    assert calls > 20
    for a, b in zip((*pieces.w(), *pieces.shares()), (*whole.w(), *whole.shares()), strict=True):
        assert a.tobytes() == b.tobytes()
    assert (pieces.primal, pieces.dual, pieces.gap) == (whole.primal, whole.dual, whole.gap)


@LOSSES
def test_no_rows_and_rows_of_zeros_are_solved(squared: bool) -> None:
    y = np.array([0, 1, 2, 2, 1], np.uint32)
    zeros = optimum(np.zeros((5, 3)), y, 2.0, squared, classes=3)
    assert zeros.primal == (5 if squared else 10)
    assert zeros.gap == pytest.approx(0, abs=1e-14)
    assert list(zeros.alphas()) == [2] * 5
    none = core.ClassMargin(1.0, squared, 0.0, 3)
    assert none.descend(1e-4)
    assert (none.primal, none.dual, none.gap) == (0, 0, 0)
    empty = optimum(core.Block.dense(np.zeros((5, 0))), y, 8.0, squared, classes=3, bias=2.0)
    assert empty.gap <= 1e-7 * empty.primal


@LOSSES
@pytest.mark.parametrize("scale", [2.0**-498, 2.0**249])
def test_scaling_the_values_scales_the_solution_alone(scale: float, squared: bool) -> None:
    """Scaling x by c and C by 1/c² scales w by 1/c and changes nothing else."""
    X, y = class_problem(60, 5, 4)
    plain = optimum(X, y, 1.0, squared, classes=4, tolerance=1e-4)
    s = optimum(X * scale, y, scale**-2, squared, classes=4, tolerance=1e-4)
    np.testing.assert_allclose(s.w()[1] * scale, plain.w()[1], rtol=1e-9, atol=1e-12)
    assert s.primal * scale**2 == pytest.approx(plain.primal, rel=1e-9)


def test_refuses_what_is_no_row() -> None:
    X, y = class_problem(10, 3, 3)
    s = solver(X, y, 1.0, False, classes=3)
    wrong = y.copy()
    wrong[7] = 3
    assert s.add(dense(X), wrong) == 7
    Z = X.copy()
    Z[4, 1] = math.nan
    assert s.add(dense(Z), y) == 4
    assert s.rows == 10
    with pytest.raises(ValueError, match="classes"):
        core.ClassMargin(1.0, False, 0.0, 1)
    with pytest.raises(ValueError, match="cost"):
        core.ClassMargin(0.0, False, 0.0, 3)
    m = core.ClassMeasures(np.zeros((3, 3)), np.zeros(3), 0.0)
    with pytest.raises(ValueError, match="with their labels"):
        m.add(dense(X), wrong, 0, 10)
    with pytest.raises(ValueError, match="weight for every class"):
        core.ClassMeasures(np.zeros((3, 3)), np.zeros(2), 0.0)
    with pytest.raises(ValueError, match="weight for every feature"):
        core.ClassMeasures(np.zeros((2, 3)), np.zeros(3), 0.0).add(dense(X), y, 0, 10)


numbers = st.one_of(
    st.floats(-3, 3), st.floats(allow_nan=False, allow_infinity=False), st.just(0.0)
)


@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.integers(0, 3))
def test_measures_bound_whatever_the_values(
    data: Any, rows: int, classes: int, columns: int
) -> None:
    def matrix(height: int, width: int) -> Any:
        cells = st.lists(numbers, min_size=height * width, max_size=height * width)
        return np.array(data.draw(cells), float).reshape(height, width)

    X, w, constant = matrix(rows, columns), matrix(columns, classes), matrix(1, classes)[0]
    bias = abs(data.draw(numbers))
    y = np.array([data.draw(st.integers(0, classes - 1)) for _ in range(rows)], np.uint32)
    m = core.ClassMeasures(w, constant, bias)
    m.add(dense(X), y, 0, rows)
    Z = [fractions([*x, bias]) for x in X]
    W = [fractions([*w[:, k], constant[k]]) for k in range(classes)]
    found = []
    for x, label in zip(Z, y, strict=True):
        scores = [dot(v, x) for v in W]
        own = scores.pop(int(label))
        found.append(own - max(scores, default=Fraction(0)))
    xi = [max(Fraction(0), 1 - lead) for lead in found]
    pairs = [
        (m.hinge, sum(xi, Fraction(0))),
        (m.hinge_square, dot(xi, xi)),
        (-m.margin, -min(found)),
        (m.radius_square, max(dot(x, x) for x in Z)),
        (m.norm2, sum((dot(v, v) for v in W), Fraction(0))),
    ]
    for bound, true in pairs:
        assert bound == math.inf or Fraction(bound) >= true


def test_measures_are_close() -> None:
    X, y = class_problem(200, 30, 5)
    W = np.random.default_rng(1).normal(size=(30, 5))
    m = core.ClassMeasures(W, np.zeros(5), 0.0)
    m.add(sparse(X), y, 0, 200)
    xi = np.maximum(0, 1 - leads(W, X, y))
    assert m.hinge == pytest.approx(xi.sum(), rel=1e-11)
    assert m.hinge_square == pytest.approx(xi @ xi, rel=1e-11)
    assert m.margin == pytest.approx(leads(W, X, y).min(), rel=1e-11)
    assert m.norm2 == pytest.approx((W * W).sum(), rel=1e-13)
