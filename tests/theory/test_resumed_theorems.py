"""Theorems of runs that go on from a model: they hold, and rounding terms cover the floats.

The oracles are written from the theory alone: `fractions` for the perceptron, 60 digits of mpmath
for losses.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.theory import named
from novikoff.theory.loss_theorems import rounding
from novikoff.theory.resumed_theorems import resumed_mixture_rounding
from program_page import program_page
from real_losses import Real, Row, dot, logistic_loss, logistic_slope, upward

mpf = mpmath.mpf
Rounds = list[tuple[Row, int]]


@pytest.fixture(autouse=True)
def digits() -> Iterable[None]:
    with mpmath.workdps(60):
        yield


values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0, 1e-3, -1e4])
rows = st.lists(values, min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
streams = st.lists(st.tuples(rows, st.sampled_from([-1, 1])), min_size=1, max_size=20)
comparators = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
rates = st.sampled_from([2.0**-20, 0.1, 1.0, 7.0, 2.0**20])
small = st.lists(st.integers(-3, 3), min_size=2, max_size=2)


@pytest.mark.shows("holds", "hinge-resumed")
@given(
    st.lists(st.tuples(small, st.sampled_from([-1, 1])), min_size=1, max_size=20), small, small,
    st.integers(1, 4), st.booleans(),
)  # fmt: skip
def test_the_perceptron_stays_within_its_theorem_from_any_weights(
    rounds: Any, first: list[int], w: list[int], part: int, against: bool
) -> None:
    """Whatever w_1 is, learned or not, and whatever the comparator."""
    u, own = [Fraction(v, part) for v in w], [Fraction(v) for v in first]
    M, hinge, r2, energy, owed = 0, Fraction(0), 0, 0, Fraction(0)
    for x, label in rounds:
        score = sum(a * b for a, b in zip(own, x, strict=True))
        guess = 1 if score >= 0 else -1
        y = -guess if against else label
        lost = max(Fraction(0), 1 - y * sum(a * b for a, b in zip(u, x, strict=True)))
        hinge, r2 = hinge + lost, max(r2, sum(v * v for v in x))
        if guess != y:
            M, energy, owed = M + 1, energy + sum(v * v for v in x), owed + lost
            own = [a + y * v for a, v in zip(own, x, strict=True)]
    norm2 = sum(v * v for v in u)
    evidence = {
        "radius2": r2, "norm2": norm2, "hinge": hinge, "mistakes": M,
        "start_product": sum(a * b for a, b in zip(u, first, strict=True)),
        "start_norm2": sum(v * v for v in first),
    }  # fmt: skip
    assert named("hinge-resumed").evaluate(evidence).holds
    square = norm2 * (evidence["start_norm2"] + energy)
    root = mpmath.sqrt(mpf(square.numerator) / square.denominator)
    gained = owed - evidence["start_product"]
    assert mpf(gained.numerator) / gained.denominator + root + mpf(10) ** -50 >= M


def test_from_nothing_they_are_the_theorems_of_a_new_learner() -> None:
    hinge = {"radius2": 3, "norm2": 0.7, "hinge": 5}
    nothing = {"start_product": 0, "start_norm2": 0, "potential": 0}
    found = named("hinge-resumed").evaluate(hinge | nothing).value
    assert found == pytest.approx(named("hinge-tight").evaluate(hinge).value, rel=1e-15)
    loss = {"comparator_loss": 9.0, "penalty": 2.0, "stability": 0.5, "rounding": 2**-30}
    found = named("ftrl-diag-resumed").evaluate(loss | nothing).value
    assert found == named("ftrl-diag").evaluate(loss).value
    mixed = {"inherited": 11.5, "weight": Fraction(1, 11), "rounds_before": 0, "rounds": 7}
    found = named("fixed-share-resumed").evaluate(mixed | {"rounding": 2**-30}).value
    assert found == named("fixed-share").evaluate(loss | {"members": 11, "rounds": 7}).value


@pytest.mark.shows("holds", "ftrl-diag-resumed")
@settings(max_examples=60)
@given(streams, streams, comparators, rates, st.booleans())
def test_the_loss_stays_within_its_theorem_in_real_arithmetic(
    earlier: Rounds, rounds: Rounds, u: dict[int, float], rate: float, against: bool
) -> None:
    """Only the features of these rounds count."""
    real = Real(rate)
    for x, y in earlier:
        real.learn(x, logistic_slope(y, dot(real.weights(x), x)))
    touched = {i for x, _ in rounds for i, v in x.items() if v != 0}
    theta = {i: real.theta.get(i, mpf(0)) for i in touched}
    first = {i: real.final(i) for i in touched if i in real.m}
    real.stability = loss = compared = mpf(0)
    for x, label in rounds:
        s = dot(real.weights(x), x)
        y = (-1 if s >= 0 else 1) if against else label
        loss += logistic_loss(y, s)
        compared += logistic_loss(y, dot(u, x))
        real.learn(x, logistic_slope(y, s))
    own = sum(
        (real.lambdas[i] * mpf(u[i]) ** 2 / 2 - mpf(u[i]) * theta[i]
         + (theta[i] ** 2 / first[i] / 2 if i in first else 0) for i in touched), mpf(0)
    )  # fmt: skip
    assert loss <= compared + own + real.stability + mpf(10) ** -45


class Resumed:
    """A run of a float program after earlier rounds, measured by u in real arithmetic."""

    def __init__(self, cells: dict[int, Any], rounds: Rounds, u: dict[int, float]) -> None:
        touched = {i for x, _ in rounds for i, v in x.items() if v != 0}
        self.first = {i: cell for i, cell in cells.items() if i in touched}
        self.rounds, self.u = len(rounds), {i: v for i, v in u.items() if i in touched}
        self.compared = sum((logistic_loss(y, dot(u, x)) for x, y in rounds), mpf(0))

    def measures(self, cells: dict[int, Any], rate: float) -> tuple[Fraction, Fraction, Fraction]:
        """Return the penalty, the product with θ and the potential; m is 0 without a cell."""
        penalty, product, potential = mpf(0), Fraction(0), mpf(0)
        for i, v in self.u.items():
            m, _, S = cells[i]
            penalty += (mpf(m) * mpf(v)) ** 2 * mpmath.sqrt(mpf(S) + 1) / (2 * mpf(rate))
            m, theta, _ = self.first.get(i, (0.0, 0.0, 0.0))
            product += Fraction(v) * Fraction(m) * Fraction(theta)
        for _, theta, S in self.first.values():
            potential += mpf(rate) * mpf(theta) ** 2 / (2 * mpmath.sqrt(mpf(S) + 1))
        return upward(penalty), product, upward(potential)


@pytest.mark.shows("holds", "ftrl-diag-resumed")
@settings(max_examples=40)
@given(streams, streams, comparators, rates)
def test_the_float_program_stays_within_its_theorem(
    earlier: Rounds, rounds: Rounds, u: dict[int, float], rate: float
) -> None:
    program = program_page().AdaptiveGradient(rate)
    for x, y in earlier:
        program.learn(x, y)
    program.loss = program.loss_rest = program.stability = program.stability_rest = 0.0
    judged = Resumed(dict(program.cells), rounds, u)
    for x, y in rounds:
        program.learn(x, y)
    penalty, product, potential = judged.measures(program.cells, rate)
    loss, stability = program.loss + program.loss_rest, program.stability + program.stability_rest
    found = named("ftrl-diag-resumed").evaluate(
        {
            "comparator_loss": upward(judged.compared),
            "penalty": penalty,
            "start_product": product,
            "potential": potential,
            "stability": stability,
            "rounding": rounding(len(rounds), loss, stability, penalty + potential),
            "loss": loss,
        }
    )
    assert found.holds


@pytest.mark.shows("holds", "fixed-share-resumed")
@settings(max_examples=20, deadline=None)
@given(streams, streams, comparators, st.sampled_from([0, 1, 2]))
def test_blend_stays_within_its_theorem(
    earlier: Rounds, rounds: Rounds, u: dict[int, float], n: int
) -> None:
    program, rate = program_page().Blend(), (0.25, 1.0, 4.0)[n]
    for x, y in earlier:
        program.learn(x, y)
    program.loss = program.loss_rest = 0.0
    program.stability, program.stability_rest = [0.0] * 3, [0.0] * 3
    weight, member = program.weights[1 + n], program.members[1 + n]
    judged = Resumed(dict(member.cells), rounds, u)
    for x, y in rounds:
        program.learn(x, y)
    penalty, product, potential = judged.measures(member.cells, rate)
    own = upward(judged.compared) + penalty + potential
    own += Fraction(program.stability[n] + program.stability_rest[n])
    evidence = {
        "inherited": own - product,
        "weight": weight,
        "rounds_before": len(earlier),
        "rounds": len(rounds),
        "rounding": resumed_mixture_rounding(len(rounds), own),
        "loss": program.loss + program.loss_rest,
    }
    assert named("fixed-share-resumed").evaluate(evidence).holds


@pytest.mark.shows("refuses", "hinge-resumed", "ftrl-diag-resumed", "fixed-share-resumed")
def test_measures_that_no_run_has_are_refused() -> None:
    hinge: dict[str, Any] = {
        "radius2": 1, "norm2": 1, "hinge": 0, "start_product": 0, "start_norm2": 1,
    }  # fmt: skip
    broken: list[tuple[dict[str, Any], str]] = [
        ({"hinge": -1}, "squares"), ({"start_norm2": -1}, "squares"),
        ({"start_product": 5}, "a run from these weights"),  # w·w_1 above ‖w‖‖w_1‖
    ]  # fmt: skip
    for changes, said in broken:
        with pytest.raises(nv.HypothesisError, match=said):
            named("hinge-resumed").evaluate(hinge | changes)
    names = ("comparator_loss", "penalty", "start_product", "potential", "stability", "rounding")
    loss = dict.fromkeys(names, 1.0)
    for name in {*loss} - {"start_product"}:
        with pytest.raises(nv.HypothesisError, match="measures of 0 or more"):
            named("ftrl-diag-resumed").evaluate(loss | {name: -1.0})
    mixed: dict[str, Any] = {
        "inherited": 1.0,
        "weight": 0.5,
        "rounds_before": 3,
        "rounds": 2,
        "rounding": 0.0,
    }
    cases: list[tuple[dict[str, Any], str]] = [
        ({"weight": 0.0}, "a weight above 0"), ({"weight": 1.5}, "at most 1"),
        ({"rounds": 0}, "one round or more"), ({"rounds_before": -1}, "rounds before"),
        ({"inherited": -1.0}, "measures of 0 or more"),
    ]  # fmt: skip
    for changes, said in cases:
        with pytest.raises(nv.HypothesisError, match=said):
            named("fixed-share-resumed").evaluate(mixed | changes)
