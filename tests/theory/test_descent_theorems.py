"""`ogd` and `ogd-logistic` hold in real arithmetic and for the float program.

The oracle is written from the theory alone, in 60 digits of mpmath.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.theory import named
from novikoff.theory.descent_theorems import FAR, SHARE, descent_rounding
from novikoff.theory.loss_theorems import MOST_ROUNDS
from program_page import program_page
from real_losses import Row, dot, logistic_loss, logistic_slope, upward

mpf = mpmath.mpf
Rounds = list[tuple[Row, int]]
LOSSES: dict[str, Callable[[int, Any], Any]] = {
    "logistic": logistic_loss,
    "hinge": lambda y, s: max(mpf(0), 1 - y * s),
    "squared": lambda y, s: (y - s) ** 2,
    "absolute": lambda y, s: abs(y - s),
}
SLOPES: dict[str, Callable[[int, Any], Any]] = {
    "logistic": logistic_slope,
    "hinge": lambda y, s: mpf(-y if y * s < 1 else 0),
    "squared": lambda y, s: 2 * (s - y),
    "absolute": lambda y, s: mpmath.sign(s - y),
}


@pytest.fixture(autouse=True)
def digits() -> Iterable[None]:
    with mpmath.workdps(60):
        yield


values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0, 1e-3, -1e2])
rows = st.lists(values, min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
streams = st.lists(st.tuples(rows, st.sampled_from([-1, 1])), min_size=1, max_size=30)
comparators = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
rates = st.sampled_from([2.0**-20, 0.01, 0.1, 1.0, 7.0])
losses = st.sampled_from(sorted(LOSSES))


class Real:
    """w ← w − rate·g·x in real numbers, and what the theorem says about it."""

    def __init__(self, rate: float, loss: str, u: Row) -> None:
        self.rate, self.name = mpf(rate), loss
        self.u = {i: mpf(v) for i, v in u.items()}
        self.w: dict[int, Any] = {}
        self.own = self.compared = self.stability = self.linear = self.radius2 = mpf(0)

    def play(self, x: Row, label: int, against: bool) -> None:
        s = dot(self.w, x)
        y = (-1 if s >= 0 else 1) if against else label
        g = SLOPES[self.name](y, s)
        norm2 = mpmath.fsum(mpf(v) ** 2 for v in x.values())
        self.own += LOSSES[self.name](y, s)
        self.compared += LOSSES[self.name](y, dot(self.u, x))
        self.linear += g * (s - dot(self.u, x))
        self.stability += self.rate * g**2 * norm2 / 2
        self.radius2 = max(self.radius2, norm2)
        for i, v in x.items():
            self.w[i] = self.w.get(i, mpf(0)) - self.rate * g * mpf(v)

    @property
    def penalty(self) -> Any:
        return mpmath.fsum(v**2 for v in self.u.values()) / (2 * self.rate)

    @property
    def distance(self) -> Any:
        gone = (self.w.get(i, 0) - self.u.get(i, 0) for i in {*self.w, *self.u})
        return mpmath.fsum(v**2 for v in gone) / (2 * self.rate)


@pytest.mark.shows("holds", "ogd", "ogd-logistic")
@settings(max_examples=80)
@given(streams, comparators, rates, losses, st.booleans())
def test_the_theorems_hold_in_real_arithmetic(
    rounds: Rounds, u: Row, rate: float, loss: str, against: bool
) -> None:
    """For given labels, and for labels that answer the prediction; the first is an identity."""
    real = Real(rate, loss, u)
    for x, label in rounds:
        real.play(x, label, against)
    allowed = real.penalty - real.distance + real.stability
    scale = 1 + abs(real.linear) + real.penalty + real.distance + real.stability
    assert abs(real.linear - allowed) <= scale * mpf(10) ** -50
    assert real.own <= real.compared + allowed + scale * mpf(10) ** -50
    share = mpf(SHARE.numerator) / SHARE.denominator * rate * real.radius2
    if loss == "logistic" and share < 1:
        assert real.own <= (real.compared + real.penalty) / (1 - share) + mpf(10) ** -50


def _evidence(program: Any, rounds: Rounds, u: Row, start: Row) -> dict[str, Any]:
    """Return the measures of a run of the float program: exact, or rounded up a little."""
    name, half = program.cost.__name__, 2 * Fraction(program.rate)

    def apart(a: Row, b: Row) -> Fraction:
        gaps = (Fraction(a.get(i, 0)) - Fraction(b.get(i, 0)) for i in {*a, *b})
        return sum((gap * gap for gap in gaps), Fraction(0)) / half

    compared = mpmath.fsum(LOSSES[name](y, dot(u, x)) for x, y in rounds)
    norms = (sum(Fraction(v) ** 2 for v in x.values()) for x, _ in rounds)
    loss, stability = program.loss + program.loss_rest, program.stability + program.stability_rest
    penalty, begun = apart(u, start), apart(start, {})
    return {
        "comparator_loss": upward(compared),
        "penalty": penalty,
        "distance": apart(program.w, u),
        "stability": stability,
        "rounding": descent_rounding(len(rounds), loss, stability, penalty, begun),
        "rate": program.rate,
        "radius2": max(norms),
        "loss": loss,
    }


@pytest.mark.shows("holds", "ogd", "ogd-logistic", "ogd-resumed")
@settings(max_examples=80)
@given(streams, comparators, rates, losses, st.booleans())
def test_the_theorems_hold_for_floats_also_from_a_start(
    rounds: Rounds, u: Row, rate: float, loss: str, resumed: bool
) -> None:
    program = program_page().GradientDescent(rate, loss)
    start = {0: 0.3, 2: -1.7} if resumed else {}
    program.w = dict(start)
    for x, y in rounds:
        program.learn(x, y)
    if program.stability + program.stability_rest > FAR:  # it exploded
        return
    evidence = _evidence(program, rounds, u, start)
    assert named("ogd-resumed" if resumed else "ogd").evaluate(evidence).holds
    share = SHARE * Fraction(rate) * Fraction(evidence["radius2"])
    if loss == "logistic" and share < 1 and not resumed:
        assert named("ogd-logistic").evaluate(evidence).holds


@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_the_rounding_term_is_needed_and_covers_the_floats(loss: str) -> None:
    """With linear losses `ogd` is an identity: floats alone decide which side is larger."""
    needed = []
    for rate in (0.1, 0.3, 1 / 3, 0.7):
        for x in (0.1, 1 / 3, 0.7):
            rounds = [({0: x}, 1)] * 5
            program = program_page().GradientDescent(rate / 10, loss)
            for row, y in rounds:
                program.learn(row, y)
            evidence = _evidence(program, rounds, {0: 0.3}, {})
            over = Fraction(evidence["loss"]) - sum(
                sign * Fraction(evidence[name])
                for name, sign in (
                    ("comparator_loss", 1), ("penalty", 1), ("distance", -1), ("stability", 1),
                )
            )  # fmt: skip
            needed.append(over)
            assert over <= evidence["rounding"]
    assert max(needed) > 0


def test_the_constant_is_the_maximum_rounded_up() -> None:
    """c = ½ max g²/−ln(1 − g), found from its definition and from the equation of its place."""
    c = mpf(SHARE.numerator) / SHARE.denominator
    shares = [mpf(k) / 2000 for k in range(1, 2000)]
    assert max(g**2 / -mpmath.log1p(-g) / 2 for g in shares) == pytest.approx(0.203632, abs=1e-6)
    place = mpmath.findroot(lambda z: 1 + 2 * z - mpmath.exp(z), 1.25)
    p = mpmath.exp(-place)
    assert p * (1 - p) == pytest.approx((1 - p) ** 2 / place / 2, rel=1e-40)
    assert p * (1 - p) < c < p * (1 - p) + mpf(10) ** -6


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_squares_of_slopes_are_paid_for_by_losses(g: float) -> None:
    assert mpf(g) ** 2 <= 2 * mpf(SHARE.numerator) / SHARE.denominator * -mpmath.log1p(-mpf(g))


SOUND = {"comparator_loss": 1.0, "penalty": 0.5, "distance": 0.25, "stability": 0.125,
         "rounding": 0.0, "rate": 0.5, "radius2": 2.0, "loss": 1.25}  # fmt: skip


@pytest.mark.shows("refuses", "ogd", "ogd-logistic", "ogd-resumed")
def test_what_the_theorems_need_is_checked() -> None:
    assert named("ogd").evaluate(SOUND).value == 1.375
    for theorem in ("ogd", "ogd-logistic", "ogd-resumed"):
        for name in set(named(theorem).needs) - {"rate"}:
            with pytest.raises(nv.HypothesisError, match="expected measures of 0 or more"):
                named(theorem).evaluate({**SOUND, name: -1e-9})
    assert named("ogd-logistic").evaluate({**SOUND, "radius2": 9.8}).holds
    with pytest.raises(nv.HypothesisError, match=r"expected 0.203633·rate·R² below 1"):
        named("ogd-logistic").evaluate({**SOUND, "radius2": 9.9})
    with pytest.raises(nv.HypothesisError, match=r"at most 2\*\*40 rounds"):
        descent_rounding(MOST_ROUNDS + 1, 1, 1, 1)
    with pytest.raises(nv.HypothesisError, match=r"steps whose sum is at most 2\*\*300"):
        descent_rounding(1, 1, 2 * FAR, 1)
