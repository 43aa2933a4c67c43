"""The instances drawn on the theorems' pages: bounds are reached, or come as near as is said."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances import PICTURES
from instances.linear import alternating

import novikoff as nv
from novikoff.theory import named

TIGHT = [
    "consistent", "halving", "littlestone", "iterated-halving", "elimination", "novikoff",
    "hinge-tight", "freund-schapire", "structured", "modified-perceptron", "minnow-hinge",
    "weighted-majority", "hinge-resumed", "vaw-tight",
]  # fmt: skip
SHARES = {
    "grid-halving": 0.2, "ellipsoid": 0.15, "centroid": 0.4, "hinge": 0.5, "run": 0.7,
    "minnow": 0.35, "ftrl-diag": 0.99, "fixed-share": 0.98, "ogd": 0.999999, "ogd-logistic": 0.98,
    "ogd-resumed": 0.999999, "ftrl-diag-resumed": 0.99, "fixed-share-resumed": 0.98,
    "mixture": 0.999, "betting": 0.99, "betting-share": 0.98, "vaw": 0.94,
    "fixed-share-classes": 0.95,
    "randomized-weighted-majority": 0.9, "hedge": 0.8, "hedge-anytime": 0.4, "exp3": 0.1,
    "exp3p": 0.05, "exp3ix": 0.05, "progressive": 0.4, "progressive-mixture": 0.45,
    "clopper-pearson": 0.75, "betting-mean": 0.8,
    "controlled-testing": 0.2,
}  # fmt: skip


@pytest.mark.shows(
    "tight", "consistent", "halving", "littlestone", "iterated-halving", "elimination", "novikoff",
    "hinge-tight", "freund-schapire", "structured", "modified-perceptron", "minnow-hinge",
    "weighted-majority", "hinge-resumed", "vaw-tight",
)  # fmt: skip
@pytest.mark.parametrize("name", TIGHT)
def test_bounds_are_reached(name: str) -> None:
    """A count is the largest whole number that the bound allows, at every point."""
    found = PICTURES[name]()
    assert found.observed == [math.floor(value) for value in found.bound]


@pytest.mark.shows(
    "measured", "grid-halving", "ellipsoid", "centroid", "hinge", "run", "minnow", "ftrl-diag",
    "fixed-share", "mixture", "betting", "betting-share", "ogd", "ogd-logistic", "ogd-resumed",
    "ftrl-diag-resumed", "fixed-share-resumed", "vaw", "fixed-share-classes",
    "randomized-weighted-majority", "hedge", "hedge-anytime", "exp3", "exp3p", "exp3ix",
    "progressive", "progressive-mixture", "controlled-testing", "clopper-pearson", "betting-mean",
)  # fmt: skip
@pytest.mark.parametrize("name", SHARES)
def test_bounds_are_reached_in_part(name: str) -> None:
    found = PICTURES[name]()
    print(f"{name}: {found.share:.2f} of the bound")
    assert all(o <= b for o, b in zip(found.observed, found.bound, strict=True))
    assert found.share >= SHARES[name]


def test_every_theorem_has_an_instance() -> None:
    assert list(PICTURES) == [theorem.id for theorem in nv.theorems()]
    others = {"parameter-mixing", "random-stopping", "leave-one-out", "jensen"}
    assert {*TIGHT, *SHARES, *others} == set(PICTURES)


@pytest.mark.shows("tight", "random-stopping", "leave-one-out")
def test_expected_errors_are_expected_mistakes_by_the_round() -> None:
    """Over every stream of two points: an equality, and B/m once both points have been met."""
    found = PICTURES["leave-one-out"]()
    assert found.observed == pytest.approx(found.bound, rel=1e-12)
    found = PICTURES["random-stopping"]()
    shares = [1 - 2**-m for m in found.xs]
    assert found.observed == pytest.approx(np.multiply(found.bound, shares))


@pytest.mark.shows("holds", "jensen")
@pytest.mark.shows("tight", "jensen")
def test_the_loss_of_a_mean_is_at_most_the_mean_of_the_losses() -> None:
    """Over every stream of two points: an equality for one round, and below it for more."""
    found = PICTURES["jensen"]()
    assert found.observed[0] == pytest.approx(found.bound[0], rel=1e-12)
    assert all(o < b for o, b in zip(found.observed[1:], found.bound[1:], strict=True))


@pytest.mark.shows("tight", "hinge")
def test_hinge_is_reached_where_there_are_no_losses() -> None:
    for d in (1, 3, 10):
        run = nv.play(nv.Perceptron(), nv.stream(np.eye(d), -np.ones(d)))
        evidence = {"radius2": 1, "norm2": d, "hinge": 0, "mistakes": run.mistakes}
        assert named("hinge").evaluate(evidence).value == run.mistakes == d


@pytest.mark.shows("tight", "run")
def test_the_theorem_of_the_run_says_nothing_of_no_comparator() -> None:
    """With w = 0 every hinge is 1: M ≤ M."""
    run = nv.play(nv.Perceptron(), alternating(9))
    evidence = {"norm2": 0, "mistake_hinge": run.mistakes, "mistake_energy": run.mistakes}
    assert named("run").evaluate(evidence).value == pytest.approx(run.mistakes, rel=1e-15)


vectors = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@pytest.mark.shows("tight", "parameter-mixing")
@pytest.mark.shows("measured", "parameter-mixing")
def test_mixing_is_tight_for_shards_alike() -> None:
    found = PICTURES["parameter-mixing"]()
    assert found.observed == found.bound == [24 * count for count in found.xs]


@pytest.mark.shows("holds", "minnow-hinge")
@given(
    st.lists(st.tuples(vectors, st.sampled_from([-1, 1])), min_size=1, max_size=25),
    vectors,
    st.sampled_from([0.05, 0.3, 1.0]),
    st.sampled_from([0.5, 4.0, 30.0]),
)
def test_minnows_hinge_holds_for_any_stream_and_comparator(
    rounds: Any, w: Any, eta: float, gamma: float
) -> None:
    X, y = np.array([x for x, _ in rounds], float), np.array([label for _, label in rounds])
    for learner, u, d in ((nv.Minnow(eta), np.abs(w), 3), (nv.BalancedMinnow(eta), w, 6)):
        run = nv.play(learner, nv.stream(X, y))
        evidence = {
            "norm1": np.abs(u).sum(),
            "dimension": d,
            "eta": eta,
            "gamma": gamma,
            "radius_inf": np.abs(X).max(),
            "gamma_hinge": np.maximum(0, gamma - y * (X @ u)).sum(),
            "mistakes": run.mistakes,
        }
        room = eta * gamma - evidence["norm1"] * math.log(math.cosh(eta * evidence["radius_inf"]))
        if room > 0:
            assert named("minnow-hinge").evaluate(_plain(evidence)).holds


@pytest.mark.shows("holds", "elimination")
@given(
    st.integers(1, 6),
    st.lists(st.integers(0, 63), max_size=40),
    st.sets(st.integers(0, 11)),
    st.booleans(),
)
def test_elimination_holds_for_any_disjunction(
    d: int, points: list[int], literals: set[int], monotone: bool
) -> None:
    """Literal j is x_j, literal d + j its negation."""
    rows = [[point >> j & 1 for j in range(d)] for point in points]
    known = [[*x, *(1 - v for v in x)][: d if monotone else 2 * d] for x in rows]
    labels = [1 if any(v for j, v in enumerate(x) if j in literals) else -1 for x in known]
    run = nv.play(nv.Elimination(d, monotone), list(zip(rows, labels, strict=True)))
    evidence = {"dimension": d, "monotone": monotone, "mistakes": run.mistakes}
    assert named("elimination").evaluate(evidence).holds


def _plain(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return numbers of Python."""
    return {name: np.asarray(value).item() for name, value in evidence.items()}
