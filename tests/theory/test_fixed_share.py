"""`fixed-share` holds in real arithmetic and for Blend, whose rounding its term covers.

The oracle is written from the theory alone, in 60 digits of mpmath: members that are learners of
the reals, or that say anything at all, and the weights that the theorem is about.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.theory import named
from novikoff.theory.loss_theorems import mixture_rounding, rounding
from program_page import program_page
from real_losses import Real, Row, dot, logistic_loss, logistic_slope, upward

mpf = mpmath.mpf
Rounds = list[tuple[Row, int]]
EPSILON = mpf(2) ** -53
RATES = (0.25, 1.0, 4.0)


@pytest.fixture(autouse=True)
def digits() -> Iterable[None]:
    with mpmath.workdps(60):
        yield


values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0, 1e-3, -1e4])
rows = st.lists(values, min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
streams = st.lists(st.tuples(rows, st.sampled_from([-1, 1])), min_size=1, max_size=25)
comparators = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
said = st.lists(st.sampled_from([1e-9, 0.1, 0.5, 0.9, 1 - 1e-9]), min_size=25, max_size=25)


def _shared(weights: list[Any], likelihoods: list[Any], t: int) -> list[Any]:
    """Bayes' rule; then all members with a weight share 1/(t + 1) after round t, from 1."""
    total = sum(w * p for w, p in zip(weights, likelihoods, strict=True))
    living = sum(w > 0 for w in weights)
    share = mpf(1) / (t + 1)
    return [
        (1 - share) * w * p / total + share / living if w > 0 else mpf(0)
        for w, p in zip(weights, likelihoods, strict=True)
    ]


@pytest.mark.shows("holds", "fixed-share")
@settings(max_examples=60)
@given(streams, comparators, said, st.integers(0, 30), st.booleans())
def test_the_theorem_holds_in_real_arithmetic(
    rounds: Rounds, u: dict[int, float], other: list[float], leaves: int, against: bool
) -> None:
    """Beside a member that says anything, and leaves after some round, also labels against all."""
    members = [Real(rate) for rate in RATES]
    weights = [mpf(1) / 4] * 4
    loss = compared = mpf(0)
    for t, (x, label) in enumerate(rounds, 1):
        scores = [dot(member.weights(x), x) for member in members]
        positive = [*(1 / (1 + mpmath.exp(-s)) for s in scores), mpf(other[t - 1])]
        p = sum(w * q for w, q in zip(weights, positive, strict=True))
        y = (-1 if p >= 0.5 else 1) if against else label
        loss -= mpmath.log(p if y > 0 else 1 - p)
        compared += logistic_loss(y, dot(u, x))
        weights = _shared(weights, [q if y > 0 else 1 - q for q in positive], t)
        for member, s in zip(members, scores, strict=True):
            member.learn(x, logistic_slope(y, s))
        if t == leaves:
            weights = [w / sum(weights[:3]) for w in weights[:3]] + [mpf(0)]
    price = mpmath.log(4) + mpmath.log(len(rounds))
    for member in members:
        allowed = compared + member.penalty(u) + member.stability + price
        assert loss <= allowed + mpf(10) ** -50


class Judged:
    """A run of the page's Blend, round by round what the proof of its rounding claims."""

    def __init__(self, rounds: Rounds) -> None:
        self.program = program_page().Blend()
        self.rounds = rounds
        self.needed = mpf("-inf")  # the most that a round needed of its part 2⁻⁴³ of the term
        for x, y in rounds:
            self._play({i: v for i, v in x.items() if v != 0}, y)

    def _play(self, x: Row, y: int) -> None:
        program, page = self.program, program_page()
        scores, weights, t = program.scores(x), program.weights, program.t
        left, living = program.left, 10 if program.left else 11
        for s in scores:
            self._check_chances(page.clamped(s, 30.0))
        p, r = program.mixed(scores, weights)
        loss = mpf(page.log1p(r / p if y > 0 else p / r))
        program.learn(x, y)
        assert sum(map(mpf, program.weights)) <= 1 + 16 * EPSILON
        for k in (1, 2, 3):
            spread = mpf(1) / ((t + 2) * living)  # what the others share with it only adds
            own = program.weights[k] - spread
            if own < spread or program.left != left:
                own += spread
            kept = mpmath.log(own / weights[k]) + mpmath.log(mpf(t + 2) / (t + 1))
            over = loss - (kept + logistic_loss(y, mpf(scores[k])))
            self.needed = max(self.needed, over / mpf(2) ** -43)

    def _check_chances(self, s: float) -> None:
        positive, negative = program_page().chances(s)
        for sign, found in ((1, positive), (-1, negative)):
            exact = 1 / (1 + mpmath.exp(-sign * mpf(s)))
            assert abs(found - exact) <= mpf("4.1") * EPSILON * exact

    @property
    def loss(self) -> float:
        found: float = self.program.loss + self.program.loss_rest
        return found

    def check(self, u: dict[int, float]) -> None:
        assert self.needed <= 1
        compared = sum((logistic_loss(y, dot(u, x)) for x, y in self.rounds), mpf(0))
        for k, rate in enumerate(RATES):
            member = self.program.members[1 + k]
            stability = self.program.stability[k] + self.program.stability_rest[k]
            parts = (
                (mpf(m) * mpf(u.get(i, 0))) ** 2 * mpmath.sqrt(mpf(S) + 1)
                for i, (m, _, S) in member.cells.items()
            )
            measured = (upward(compared), stability, upward(mpmath.fsum(parts) / (2 * mpf(rate))))
            evidence = {
                "comparator_loss": measured[0],
                "stability": stability,
                "penalty": measured[2],
                "members": 11,
                "rounds": len(self.rounds),
                "rounding": mixture_rounding(len(self.rounds), *measured),
                "loss": self.loss,
            }
            assert named("fixed-share").evaluate(evidence).holds


@pytest.mark.shows("holds", "fixed-share")
@settings(max_examples=25, deadline=None)
@given(streams, comparators)
def test_the_theorem_holds_for_floats_and_the_rounding_term_covers_them(
    rounds: Rounds, u: dict[int, float]
) -> None:
    Judged(rounds).check(u)


wild = st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e-308, -1e-200, 1e-160, 1e155, 1e300, -1.7e308])
wild_rows = st.lists(wild, min_size=2, max_size=2).map(lambda v: dict(enumerate(v)))
wild_streams = st.lists(st.tuples(wild_rows, st.sampled_from([-1, 1])), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None)
@given(wild_streams, st.sampled_from([0.0, 1.0, -3.0]))
def test_underflow_and_jumps_of_scale_are_covered(rounds: Rounds, size: float) -> None:
    """u in the units of 1/m, so that neither side is about one feature alone."""
    largest = {i: max(abs(x[i]) for x, _ in rounds) for i in (0, 1)}
    Judged(rounds).check({i: size / m for i, m in largest.items() if m > 1e-300})


def _beyond_the_clip(count: int) -> Rounds:
    """Forty features say the label: scores go beyond 30, so that clipping costs."""
    ys = [1 if t % 2 else -1 for t in range(count)]
    return [(dict.fromkeys(range(40), float(y)), y) for y in ys]


def _many_features(count: int) -> Rounds:
    """OnlineNewton leaves in the middle."""
    rng = np.random.default_rng(4)
    found = []
    for t in range(count):
        chosen = rng.choice(20 if t < count // 2 else 400, 6, replace=False).tolist()
        found.append((dict.fromkeys(chosen, 1.0), int(rng.choice([-1, 1]))))
    return found


@pytest.mark.parametrize(
    ("make", "least"), [(_beyond_the_clip, 0.7), (_many_features, 0.0)], ids=["clip", "many"]
)
def test_long_runs_stay_inside_the_rounding_term(make: Any, least: float) -> None:
    judged = Judged(make(100))
    judged.check({0: 1.0})
    print(f"{float(judged.needed):.2e} of a round's part of the term was needed")
    assert judged.needed >= least


def test_the_stability_of_the_ledger_is_never_below_the_sum_of_the_costs() -> None:
    """Costs are summed on a grid, and half a step of the grid is added for each."""
    page, rounds = program_page(), _many_features(60)
    program = page.Blend()
    alone = [page.AdaptiveGradient(rate) for rate in RATES]
    for x, y in rounds:
        program.learn(x, y)
        for member in alone:
            member.learn(x, y)
    for k, member in enumerate(alone):
        assert member.cells == program.members[1 + k].cells
        mixed = program.stability[k] + program.stability_rest[k]
        own = member.stability + member.stability_rest
        assert own <= mixed <= own + RATES[k] * 6 * len(rounds) * 2.0**-31


@pytest.mark.shows("refuses", "fixed-share")
def test_measures_below_zero_and_runs_without_a_round_are_refused() -> None:
    parts = {"comparator_loss": 1.0, "penalty": 0.0, "stability": 0.5, "rounding": 0.0}
    sound: dict[str, Any] = parts | {"members": 11, "rounds": 3}
    assert named("fixed-share").evaluate({**sound, "loss": 1.5 + 3.4}).holds
    assert not named("fixed-share").evaluate({**sound, "loss": 1.5 + 3.6}).holds
    for name in parts:
        with pytest.raises(nv.HypothesisError, match="measures of 0 or more"):
            named("fixed-share").evaluate({**sound, name: -1e-9})
    with pytest.raises(nv.HypothesisError, match="one round or more"):
        named("fixed-share").evaluate({**sound, "rounds": 0})
    with pytest.raises(nv.HypothesisError, match="one member or more"):
        named("fixed-share").evaluate({**sound, "members": 0})


def test_the_rounding_term_is_what_the_page_says() -> None:
    third = Fraction(1, 3)
    found = mixture_rounding(3, 1.5, 0.25, third)
    assert found == Fraction(3, 2**43) + rounding(3, 1.5, 0.25, third)
    assert mixture_rounding(10**6, 4e5, 1e4, 1e4) < Fraction(1, 100)
