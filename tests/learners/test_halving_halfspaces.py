"""Halving for halfspaces: the learners that cut what is left of the unit ball."""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from instances.finite import turned_away

import novikoff as nv
import twins
from novikoff.theory import named

LEARNERS: dict[str, Callable[..., Any]] = {
    "ellipsoid": nv.EllipsoidHalving,
    "centroid": partial(nv.CentroidHalving, 7, 64),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def _separable(rounds: int, d: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    w, X = rng.standard_normal(d), rng.standard_normal((rounds, d))
    return X, np.where(X @ w >= 0, 1, -1), w / np.linalg.norm(w)


def _allowed(name: str, X: Any, y: Any, w: Any) -> float:
    """What the theorem allows for the comparator w."""
    relative = (y * (X @ w)).min() / np.linalg.norm(w) / np.linalg.norm(X, axis=1).max()
    evidence = {"dimension": X.shape[1], "relative_margin": float(min(relative, 1))}
    return named(name).evaluate(evidence).value


@pytest.mark.shows("holds", "ellipsoid", "centroid")
@every_learner
@given(
    st.integers(1, 5),
    st.lists(st.lists(st.integers(-4, 4), min_size=5, max_size=5), min_size=1, max_size=25),
    st.lists(st.integers(-5, 5), min_size=5, max_size=5),
)
def test_the_theorem_holds_for_any_separable_stream(
    name: str, d: int, rows: list[list[int]], target: list[int]
) -> None:
    X, w = np.array(rows, float)[:, :d], np.array(target[:d], float)
    X = X[X @ w != 0]
    if len(X):
        y = np.sign(X @ w)
        run = nv.play(LEARNERS[name](), nv.stream(X, y), until_clean=True)
        assert run.converged
        assert run.mistakes <= _allowed(name, X, y, w)


@every_learner
def test_bounds_of_a_run_are_those_of_the_largest_margin(name: str) -> None:
    X, y, w = _separable(300, 4, 1)
    run = nv.play(LEARNERS[name](bias=0.5), nv.stream(X, y), passes=2)
    (bound,) = nv.bounds(run)
    assert bound.theorem == name
    assert "arithmetic without rounding" in bound.assumptions
    assert bound.observed == run.mistakes > 0
    assert bound.holds
    widest = nv.margin(X, y, bias=0.5)
    assert widest.value is not None
    relative = widest.value / widest.radius
    evidence = {"dimension": 5, "relative_margin": relative}
    assert bound.value == pytest.approx(named(name).evaluate(evidence).value, rel=1e-6)
    folded = np.column_stack([X, np.full(len(X), 0.5)])
    assert bound.value <= _allowed(name, folded, y, np.append(w, 0.0))


def test_bounds_are_found_without_the_extra_for_margins(monkeypatch: Any) -> None:
    X, y, _ = _separable(300, 4, 1)
    run = nv.play(nv.EllipsoidHalving(), nv.stream(X, y))
    widest = nv.bounds(run)[0].value
    monkeypatch.setattr("novikoff.receipts.separation._widest", lambda rows: None)
    assert widest <= nv.bounds(run)[0].value <= 1.05 * widest


@pytest.mark.shows("refuses", "ellipsoid")
def test_no_theorem_applies_where_nothing_separates() -> None:
    X, y = [[1.0, 0.0], [-2.0, 0.0], [0.0, 0.0]], [-1, -1, -1]
    run = nv.play(nv.EllipsoidHalving(), nv.stream(X[:1], y[:1]))
    assert len(nv.bounds(run)) == 1
    run = nv.play(nv.EllipsoidHalving(), nv.stream(X[2:], y[2:]))
    assert run.mistakes == 1
    assert nv.bounds(run) == []
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(nv.play(nv.EllipsoidHalving(), nv.stream(X[:1], y[:1])), nv.stream(X[:1], [1]))
    with pytest.raises(nv.HypothesisError, match=r"expected a stream of the run's 1 rounds"):
        nv.bounds(run, nv.stream(np.zeros((0, 2)), []))
    learner = run.learner
    with pytest.raises(nv.HypothesisError, match="begun on a used learner"):
        nv.bounds(nv.play(learner, nv.stream(X[:1], y[:1])))


@every_learner
def test_there_is_no_certificate_of_floats(name: str) -> None:
    X, y, _ = _separable(20, 3, 0)
    run = nv.play(LEARNERS[name](), nv.stream(X, y))
    for theorem in (None, name, "progressive"):
        with pytest.raises(nv.HypothesisError, match="whose centre is computed in floats"):
            nv.certify(run, theorem=theorem)


def test_the_bound_of_a_sampled_centroid_says_that_it_is_approximate() -> None:
    X, y, _ = _separable(20, 3, 0)
    (bound,) = nv.bounds(nv.play(nv.CentroidHalving(seed=1), nv.stream(X, y)))
    assert "the centroid is exact; sampled, the bound is approximate" in bound.assumptions


@pytest.mark.shows("measured", "ellipsoid")
@pytest.mark.parametrize(("d", "rounds"), [(2, 30), (5, 200), (12, 1000)])
def test_rows_across_the_centre_reach_a_good_part_of_the_bound(d: int, rounds: int) -> None:
    """Every round is a mistake; how much of the bound that is, is measured: a seventh or more."""
    w = np.random.default_rng(d).standard_normal(d)
    learner = nv.EllipsoidHalving(dimension=d)
    X, y = turned_away(learner, w, rounds)
    assert learner.cuts == rounds
    assert (y * (X @ w) > 0).all()
    run = nv.play(nv.EllipsoidHalving(), nv.stream(X, y))
    assert run.mistakes == rounds
    share = rounds / nv.bounds(run)[0].value
    print(f"d = {d}: {share:.2f} of the bound")
    assert 1 / 7 < share <= 1


def test_one_feature_is_interval_halving() -> None:
    learner = nv.EllipsoidHalving()
    assert [learner.predict([x]) for x in (3.0, -2.0)] == [1, 1]
    learner.update([3.0], -1)
    state = learner.state()
    assert (state["centre"].tolist(), np.abs(state["axes"]).tolist()) == ([-0.5], [[0.5]])
    for x in (5.0, -5.0, 1e-300, -1e300):
        assert learner.predict([x]) == -np.sign(x)
    with pytest.raises(nv.UnrealizableError, match="round 2: expected a halfspace that agrees"):
        learner.update([1e300], 1)
    assert learner.rounds == 1
    centroid = nv.CentroidHalving(seed=1)
    centroid.update([3.0], -1)
    assert centroid.hypothesis().w[0] == pytest.approx(-0.5, abs=0.1)


@given(
    st.integers(1, 4),
    st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=1, max_size=40),
    st.lists(st.integers(-7, 7), min_size=4, max_size=4),
    st.booleans(),
)
def test_the_ellipsoid_agrees_with_a_twin_of_sixty_digits(
    d: int, rows: list[list[int]], target: list[int], biased: bool
) -> None:
    """Away from ties: what 0.1 and such rows make of a near tie is the floats' own affair."""
    X, w = np.array(rows, float)[:, :d] + 0.125, np.array(target[:d], float)
    X = X[X @ w != 0]
    bias = 0.5 if biased else None
    run = nv.play(nv.EllipsoidHalving(bias=bias, dimension=d), nv.stream(X, np.sign(X @ w)))
    twin = twins.Ellipsoid(d + biased)
    found = twins.mistake_rounds(twin, [twins.vector(x, bias) for x in X], np.sign(X @ w))
    assert run.ledger.mistake_rounds.tolist() == found
    h: Any = run.hypothesis()
    centre = [float(v) for v in twin.c]
    whole = [h.bias_weight, *h.w] if biased else [*h.w]
    assert whole == pytest.approx(centre, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3, 8])
def test_every_cut_shrinks_the_volume_and_loses_no_halfspace_that_is_right(d: int) -> None:
    X, y, _ = _separable(60, d, d)
    rng = np.random.default_rng(1)
    ball = rng.standard_normal((20_000, d))
    ball *= (rng.random(len(ball)) ** (1 / d) / np.linalg.norm(ball, axis=1))[:, None]
    learner, before = nv.EllipsoidHalving(), 0.0
    for x, label in zip(X, y, strict=True):
        mistaken = learner.predict(x) != label
        learner.update(x, int(label))
        if mistaken:
            ball = ball[ball @ (label * x) >= 0]
            axes, centre = learner.state()["axes"], learner.state()["centre"]
            inside = np.linalg.solve(axes.T, (ball - centre).T)
            assert (np.linalg.norm(inside, axis=0) <= 1 + 1e-9).all()
            volume = float(np.linalg.slogdet(axes)[1])
            assert volume - before <= -1 / (2 * (d + 1)) + 1e-12
            before = volume
    assert learner.cuts > 0
    assert len(ball) > 0


def test_ten_thousand_cuts_in_two_hundred_dimensions_stay_finite() -> None:
    w = np.random.default_rng(3).standard_normal(200)
    learner = nv.EllipsoidHalving(dimension=200)
    turned_away(learner, w, 10_000)
    assert learner.cuts == 10_000
    axes = learner.state()["axes"]
    assert np.isfinite(axes).all()
    assert np.linalg.slogdet(axes)[1] <= -10_000 / (2 * 201)
    assert np.linalg.eigvalsh(axes.T @ axes).min() > 0
    centre = learner.hypothesis().w
    assert centre @ w > 0.99 * np.linalg.norm(centre) * np.linalg.norm(w)


@pytest.mark.shows("refuses", "ellipsoid", "centroid")
@every_learner
@pytest.mark.parametrize("d", [1, 2, 4])
def test_labels_that_no_halfspace_gives_are_refused_and_nothing_is_nan(name: str, d: int) -> None:
    """Every label is the other one: no w is left before long, and the round is not played."""
    rng, run = np.random.default_rng(d), nv.Run(LEARNERS[name]())
    before: Any = None

    def contradict() -> None:
        nonlocal before
        for _ in range(3000):
            x = rng.standard_normal(d)
            before = run.learner.state()
            run.learn(x, -run.learner.predict(x))

    with pytest.raises((nv.UnrealizableError, nv.HypothesisError)) as refusal:
        contradict()
    assert f"round {run.ledger.rounds + 1}: expected" in str(refusal.value)
    assert run.ledger.mistakes == run.ledger.rounds == run.learner.rounds > 0
    state = run.learner.state()
    assert all(np.array_equal(before[key], state[key]) for key in before)
    assert all(np.isfinite(array).all() for array in state.values())


def test_margins_that_float64_cannot_hold_are_refused() -> None:
    """Rows (−c₂, c₁) are exact ties: every round errs, until the ellipsoid is too thin to cut."""
    learner = nv.EllipsoidHalving(dimension=2)

    def tie() -> None:
        for _ in range(1000):
            c = learner.hypothesis().w
            x = np.array([-c[1], c[0]]) if c.any() else np.array([1.0, 0.5])
            learner.update(x if x @ np.array([-1.0, -0.7]) < 0 else -x, -1)

    with pytest.raises((nv.HypothesisError, nv.UnrealizableError), match="round"):
        tie()
    assert 50 < learner.cuts < 1000
    assert np.isfinite(learner.state()["axes"]).all()


@every_learner
def test_rounds_without_a_mistake_change_nothing(name: str) -> None:
    X, y, _ = _separable(200, 4, 5)
    run = nv.play(LEARNERS[name](), nv.stream(X, y))
    wrong = run.ledger.mistake_rounds - 1
    alone = nv.play(LEARNERS[name](), nv.stream(X[wrong], y[wrong]))
    assert alone.mistakes == len(wrong)
    assert np.array_equal(alone.learner.state()["centre"], run.learner.state()["centre"])


@every_learner
def test_sparse_rows_do_as_dense_ones_once_the_dimension_is_known(
    name: str, tmp_path: Path
) -> None:
    X, y, _ = _separable(120, 6, 2)
    X = np.where(np.abs(X) < 0.5, 0, X)
    X = X[np.abs(X[:, 0] - X[:, 3]) > 0.1]
    y = np.where(X[:, 0] > X[:, 3], 1, -1)
    dense = nv.play(LEARNERS[name](), nv.stream(X, y))
    for form in (sp.csr_array(X), sp.csc_array(X)):
        sparse = nv.play(LEARNERS[name](dimension=6), nv.stream(form, y))
        assert sparse.ledger.mistake_rounds.tolist() == dense.ledger.mistake_rounds.tolist()
        assert np.array_equal(sparse.learner.state()["centre"], dense.learner.state()["centre"])
    half = nv.play(LEARNERS[name](dimension=6), nv.stream(sp.csr_array(X[:40]), y[:40]))
    half.save(tmp_path / "run")
    resumed = nv.Run.load(tmp_path / "run").play(nv.stream(sp.csr_array(X[40:]), y[40:]))
    assert resumed.ledger.mistake_rounds.tolist() == dense.ledger.mistake_rounds.tolist()
    assert np.array_equal(resumed.learner.state()["centre"], dense.learner.state()["centre"])
    with pytest.raises(nv.InputError, match="expected indices below 6, got 6"):
        resumed.learn((np.array([6]), np.array([1.0])), 1)


@every_learner
def test_the_dimension_is_known_before_the_first_round(name: str) -> None:
    learner = LEARNERS[name]()
    pair = (np.array([1]), np.array([1.0]))
    for x, reason in ((pair, "which says how many features"), ({"a": 1.0}, "named features")):
        for attempt in (lambda x: learner.update(x, 1), learner.predict):
            with pytest.raises(nv.InputError, match=reason):
                attempt(x)
    assert learner.dimension == 0
    learner.update([1.0, 2.0, 3.0], 1)
    assert (learner.dimension, learner.size, learner.cuts) == (3, 3, 0)
    assert learner.predict(pair) == 1
    with pytest.raises(nv.InputError, match="expected 3 features, got 2"):
        learner.update([1.0, 2.0], 1)
    assert LEARNERS[name](dimension=3, bias=2.0).size == 4
    with pytest.raises(nv.InputError, match="expected at most 8192 features, got 8193"):
        LEARNERS[name]().update(np.ones(8193), -1)


@every_learner
def test_weights_have_nothing_to_scale(name: str) -> None:
    run = nv.Run(LEARNERS[name]())
    with pytest.raises(nv.InputError, match="has no update to scale"):
        run.learn([1.0], 1, weight=2.0)
    assert run.ledger.rounds == 0


@pytest.mark.parametrize(
    ("kind", "arguments", "parameter"),
    [
        (nv.EllipsoidHalving, {"dimension": -1}, "dimension"),
        (nv.EllipsoidHalving, {"dimension": 2.5}, "dimension"),
        (nv.EllipsoidHalving, {"dimension": 2**13 + 1}, "dimension"),
        (nv.EllipsoidHalving, {"bias": float("nan")}, "bias"),
        (nv.CentroidHalving, {"seed": -1}, "seed"), (nv.CentroidHalving, {"seed": 0.5}, "seed"),
        (nv.CentroidHalving, {"samples": 1}, "samples"),
        (nv.CentroidHalving, {"samples": "many"}, "samples"),
    ],
)  # fmt: skip
def test_parameters_are_checked(kind: Any, arguments: Any, parameter: str) -> None:
    with pytest.raises(nv.ParameterError, match=f"{parameter}: expected"):
        kind(**arguments)


def test_the_centroid_is_about_that_of_points_that_agree() -> None:
    """The error, in standard deviations of the points, over every direction together."""
    rng = np.random.default_rng(0)
    for d, seed in itertools.product((2, 3, 4), range(3)):
        w = rng.standard_normal(d)
        learner = nv.CentroidHalving(seed)
        while learner.cuts < d + 1:
            x = rng.standard_normal(d)
            learner.update(x, 1 if w @ x >= 0 else -1)
        ball = rng.standard_normal((400_000, d))
        ball *= (rng.random(len(ball)) ** (1 / d) / np.linalg.norm(ball, axis=1))[:, None]
        left = ball[(ball @ learner.state()["normals"].T >= 0).all(axis=1)]
        assert len(left) > 400
        apart = learner.state()["centre"] - left.mean(axis=0)
        spread = np.cov(left.T)
        assert apart @ np.linalg.solve(spread, apart) < 0.3**2


def test_seeds_decide_and_nothing_else_does() -> None:
    X, y, _ = _separable(200, 5, 0)
    runs = [nv.play(nv.CentroidHalving(seed), nv.stream(X, y)) for seed in (5, 5, 6)]
    centres = [run.learner.state()["centre"].tolist() for run in runs]
    assert centres[0] == centres[1] != centres[2]


def test_a_cut_that_leaves_next_to_nothing_is_approached_by_levels() -> None:
    """The first cut leaves w₁ ≥ 0, the second w₁ ≤ w₂/1000: no point is in there by chance."""
    learner = nv.CentroidHalving(seed=2, samples=64)
    learner.update([-1.0, 0.0, 0.0], -1)
    learner.update([-1.0, 0.001, 0.0], 1)
    points = learner.state()["points"]
    assert learner.cuts == 2
    assert (points[:, 0] >= 0).all()
    assert (points[:, 0] <= points[:, 1] * 0.001 + 1e-12).all()
    assert np.linalg.norm(points, axis=1).max() > 0.5


def test_fewer_points_left_than_dimensions_still_find_the_way() -> None:
    """Of 40 points some four survive a cut: the walk spreads over all 20 dimensions again."""
    X, y, _ = _separable(300, 20, 3)
    run = nv.play(nv.CentroidHalving(seed=1, samples=16), nv.stream(X, y))
    assert run.ledger.rounds == 300
    assert 20 < run.mistakes < 80
    assert np.linalg.matrix_rank(np.cov(run.learner.state()["points"].T), tol=1e-12) == 20
