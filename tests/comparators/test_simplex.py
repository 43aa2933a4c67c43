"""Comparators for Minnow: against the optimum of the linear program, and as receipts."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from novikoff import _core as core
from novikoff.receipts.certificates import certificate_of
from novikoff.streams import as_stream
from problems import FORMS, dense, folded, problem

NEAR = 1 + 1e-6  # how far HiGHS may be off


def columns_of(X: Any, y: Any, eta: float, balanced: bool) -> tuple[Any, float]:
    """Return A, with a_tj = η y_t x_tj − c, and ln d."""
    used = np.flatnonzero(np.abs(X).sum(axis=0))
    X = X[:, : used[-1] + 1]
    A = eta * y[:, None] * (np.hstack([X, -X]) if balanced else X)
    return A - math.log(math.cosh(eta * np.abs(X).max())), math.log(A.shape[1])


def optimum(X: Any, y: Any, eta: float, balanced: bool, passes: float = 1.0) -> float:
    """min ln d · 1ᵀw + P Σ max(0, 1 − (Aw)_t) over w ≥ 0, by HiGHS."""
    A, mass = columns_of(X, y, eta, balanced)
    cost, G = np.full(A.shape[1], mass), -A
    if math.isfinite(passes):
        cost = np.concatenate([cost, np.full(len(y), passes)])
        G = np.hstack([G, -np.eye(len(y))])
    found = scipy.optimize.linprog(cost, A_ub=G, b_ub=np.full(len(y), -1.0), method="highs")
    return float(found.fun) if found.status == 0 else math.inf


def search(blocks: Any, y: Any, eta: float, balanced: bool, passes: float = 1.0, **kw: Any) -> Any:
    solver = core.Simplex(eta, balanced, passes, kw.get("bias", 0.0))
    start = 0
    for block in blocks:
        part = y[start : start + block.rows].astype(np.int8)
        assert solver.add(block, part) == block.rows
        start += block.rows
    return solver


def majority(rows: int = 200, columns: int = 30, seed: int = 0) -> tuple[Any, Any]:
    """Rows of ±1 whose label is the majority of three features: separable, w ≥ 0."""
    X = np.random.default_rng(seed).choice([-1.0, 1.0], (rows, columns))
    return X, np.sign(X[:, 0] + X[:, 3] + X[:, 5]).astype(np.int8)


PROBLEMS = {
    "noisy": problem(150, 12),
    "wide": problem(40, 90, noise=0.2),
    "majority": majority(),
    "alike": (np.repeat(majority(20)[0], 5, axis=0), np.repeat(majority(20)[1], 5)),
}


@pytest.mark.parametrize("passes", [1.0, 7.0])
@pytest.mark.parametrize("bias", [0.0, -0.7])
@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_it_finds_the_optimum(name: str, balanced: bool, bias: float, passes: float) -> None:
    X, y = PROBLEMS[name]
    for eta in (0.005, 0.05, 0.3):
        solver = search([dense(X)], y, eta, balanced, passes, bias=bias)
        assert solver.descend(1e-3)
        best = optimum(folded(X, bias), y, eta, balanced, passes)
        assert solver.dual <= best * NEAR
        assert best <= solver.value * NEAR
        assert solver.value - solver.dual <= 1e-3 * solver.value


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_it_separates_where_that_is_possible(name: str, balanced: bool) -> None:
    X, y = PROBLEMS[name]
    for eta in (0.02, 0.2):
        solver = search([dense(X)], y, eta, balanced)
        solver.descend(1e-3)
        solver.demand_separation(1e9)
        solver.descend(1e-3)
        best = optimum(X, y, eta, balanced, math.inf)
        assert solver.dual <= best * NEAR
        assert best <= solver.value * NEAR
        assert solver.value - solver.dual <= 1e-3 * solver.value or best == math.inf


@given(
    st.integers(1, 4).flatmap(
        lambda columns: st.lists(
            st.tuples(
                st.lists(
                    st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0]),
                    min_size=columns,
                    max_size=columns,
                ),
                st.sampled_from([-1, 1]),
            ),
            min_size=1,
            max_size=12,
        )
    ),
    st.sampled_from([0.01, 0.1, 0.5, 2.0]),
    st.booleans(),
    st.integers(1, 3),
)
def test_no_comparator_beats_the_dual(rounds: Any, eta: float, balanced: bool, passes: int) -> None:
    X, y = np.array([x for x, _ in rounds]), np.array([t for _, t in rounds], dtype=np.int8)
    learner = nv.BalancedMinnow(eta) if balanced else nv.Minnow(eta)
    run = nv.play(learner, nv.stream(X, y, positive=1), passes=passes)
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    assert all(bound.holds for bound in found.values())
    if not X.any():
        assert {name: bound.value for name, bound in found.items()} == {
            "minnow-hinge": passes * len(y)
        }
        return
    for theorem, power in (("minnow-hinge", float(passes)), ("minnow", math.inf)):
        best = optimum(X, y, eta, balanced, power)
        if theorem in found:
            bound = found[theorem]
            assert bound.gap is not None
            assert bound.value - bound.gap <= best * NEAR
            assert best <= bound.value * NEAR
        else:
            assert theorem == "minnow"
            assert best > 0.999e3 * passes * len(y)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_answer(form: str) -> None:
    X, y = problem(120, 9)
    one = search([dense(X)], y, 0.1, True, 2.0, bias=0.5)
    other = search([FORMS[form](X)], y, 0.1, True, 2.0, bias=0.5)
    assert one.descend(1e-6)
    assert other.descend(1e-6)
    assert other.value == pytest.approx(one.value, rel=3e-6)


def test_neither_blocks_nor_slices_change_a_bit() -> None:
    X, y = problem(300, 9)
    whole = search([dense(X)], y, 0.1, True)
    parts = search([dense(X[:1]), dense(X[1:170]), dense(X[170:])], y, 0.1, True)
    assert whole.descend(1e-4)
    while not parts.descend(1e-4, seconds=0.0):
        pass
    assert (parts.value, parts.dual, parts.sweeps) == (whole.value, whole.dual, whole.sweeps)
    assert parts.w()[1].tolist() == whole.w()[1].tolist()


def test_features_that_never_appear_do_not_count() -> None:
    X, y = majority()
    padded = np.hstack([X, np.zeros((len(X), 40))])
    bounds = [nv.bounds(nv.play(nv.Minnow(0.2), nv.stream(rows, y))) for rows in (X, padded)]
    for one, other in zip(*bounds, strict=True):
        assert other.value == pytest.approx(one.value, rel=1e-9)  # lanes may lie differently
    assert bounds[0][0].gap is not None
    assert bounds[0][0].gap <= 1e-3 * bounds[0][0].value


def test_features_that_are_almost_nothing_count() -> None:
    rows = nv.stream([[1.0, 0.0, 5e-324], [-1.0, 0.5, 0.0]] * 20, [1, -1] * 20)
    run = nv.play(nv.Minnow(1e-3), rows)
    for bound in nv.bounds(run):
        certificate = nv.certify(run, theorem=bound.theorem)
        assert certificate.bound == pytest.approx(bound.value, rel=1e-12)


@pytest.mark.parametrize("learner", [nv.Minnow, nv.BalancedMinnow])
@pytest.mark.parametrize("bias", [None, 0.5])
@pytest.mark.parametrize("make", [nv.stream, lambda X, y: nv.stream(sp.csr_array(X), y)])
def test_receipts_are_certified(learner: Any, bias: float | None, make: Any) -> None:
    stream = make(*majority())
    run = nv.play(learner(0.2, bias=bias), stream, passes=3)
    found = nv.bounds(run)
    assert {bound.theorem for bound in found} == {"minnow", "minnow-hinge"}
    for bound in found:
        assert bound.holds
        assert bound.gap is not None
        assert bound.gap <= 1.1e-3 * bound.value
        certificate = nv.certify(run, theorem=bound.theorem)
        assert nv.verify(certificate, stream).verified
        assert certificate.bound is not None
        assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-12)


def test_no_weight_at_all_is_a_comparator() -> None:
    rows = [([1.0, 0.25], 1), ([1.0, 0.25], -1), ([0.3, 0.1], -1)]
    run = nv.play(nv.Minnow(0.3), rows, passes=2)
    for gamma in (1.0, 0.1, 3.7):
        evidence: dict[str, Any] = {"w": [], "gamma": gamma}
        certificate = certificate_of(run, as_stream(rows), "minnow-hinge", evidence)
        assert certificate.bound == 6.0
        assert nv.verify(certificate, rows).verified
    best = nv.bounds(run)[0]
    assert (best.value, best.comparator["w"]) == (6.0, [])


@pytest.mark.parametrize("eta", [1e-300, 1e-150, 1e-13, 1e-9, 1e-4, 20.0, 170.0])
@pytest.mark.parametrize("balanced", [False, True])
def test_rates_far_from_sensible_ones_are_answered(eta: float, balanced: bool) -> None:
    X, y = majority(50, 8)
    rows = nv.stream(4 * X, y)
    run = nv.play(nv.BalancedMinnow(eta) if balanced else nv.Minnow(eta), rows)
    found = nv.bounds(run)
    assert found[0].value <= 50 * (1 + 1e-9)
    for bound in found:
        assert bound.holds
        assert nv.verify(nv.certify(run, theorem=bound.theorem), rows).verified


@pytest.mark.parametrize("labels", [[1, 1, 1], [1, -1, 1]])
def test_a_single_feature_is_enough(labels: list[int]) -> None:
    rows = nv.stream([[1.0], [2.0], [0.5]], labels, positive=1)
    for learner in (nv.Minnow(0.1), nv.BalancedMinnow(0.1)):
        run = nv.play(learner, rows)
        assert all(bound.holds for bound in nv.bounds(run))
        assert nv.verify(nv.certify(run), rows).verified


def test_ctrl_c_returns_what_is_found() -> None:
    stream = nv.stream(*problem(200, 20))
    run = nv.play(nv.BalancedMinnow(0.05), stream)

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    early = nv.bounds(run, progress=stop)
    assert [bound.theorem for bound in early] == ["minnow-hinge"]
    assert early[0].holds
    assert early[0].gap is not None
    assert early[0].value - early[0].gap <= nv.bounds(run)[0].value


def test_what_is_no_problem_is_refused() -> None:
    X, y = problem(20, 3)
    for eta, passes, bias in [(0.0, 1.0, 0.0), (0.1, math.inf, 0.0), (0.1, 1.0, math.nan)]:
        with pytest.raises(ValueError, match=r"a finite|a rate"):
            core.Simplex(eta, True, passes, bias)
    solver = core.Simplex(0.1, True, 1.0, 0.0)
    with pytest.raises(ValueError, match="ηR∞"):
        solver.descend(1e-3)
    assert solver.add(dense(X), y) == 20
    with pytest.raises(ValueError, match="settled"):
        solver.demand_separation(1.0)
    assert solver.descend(1e-3)
    with pytest.raises(ValueError, match="before the work begins"):
        solver.add(dense(X), y)
    for rows, labels in ((X * np.nan, y), (X, np.zeros(20, dtype=np.int8))):
        solver = core.Simplex(0.1, True, 1.0, 0.0)
        assert solver.add(dense(rows), labels) == 0
        with pytest.raises(ValueError, match="none was refused"):
            solver.descend(1e-3)
