"""`betting` holds in real arithmetic and for the float program, whose rounding its term covers.

The oracle is written from the theory alone, in 60 digits of mpmath.
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
from novikoff.theory.loss_theorems import MOST_ROUNDS, betting_rounding
from program_page import program_page
from real_losses import Row, dot, logistic_loss, logistic_slope, upward

mpf = mpmath.mpf
Rounds = list[tuple[Row, int]]
K = mpf("1.25")


@pytest.fixture(autouse=True)
def digits() -> Iterable[None]:
    with mpmath.workdps(60):
        yield


values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0, 1e-3, -1e4])
rows = st.lists(values, min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
streams = st.lists(st.tuples(rows, st.sampled_from([-1, 1])), min_size=1, max_size=30)
comparators = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))


class Gambler:
    """THEORY's bets on one coordinate in real arithmetic: W from 1, k = 1.25."""

    def __init__(self) -> None:
        self.m = self.theta = self.energy = self.Q = self.S = mpf(0)
        self.wealth = mpf(1)

    def bet(self, x: Any) -> Any:
        self.m = max(self.m, abs(mpf(x)))
        self.S = mpmath.sqrt(self.energy + self.m**2)
        share = max(min(self.theta / self.S, mpf(1)), mpf(-1))
        return self.wealth * share / (K * self.S)

    def learn(self, c: Any, w: Any) -> None:
        self.wealth += c * w
        self.Q += c * c / self.S**2
        self.theta += c
        self.energy += c * c

    def allowed(self, u: Any) -> Any:
        """The closed form: 1 + k|u|S (ln(k|u|S) + aQ + 1/2k − 1)."""
        b = -K - K * K * mpmath.log(1 - 1 / K)
        a = 1 / (2 * K) + b / (K * K)
        assert a < mpf("1.21")
        reach = K * abs(mpf(u)) * self.S
        inner = mpmath.log(reach) + a * self.Q + 1 / (2 * K) - 1 if reach else mpf(0)
        return 1 + reach * inner


@pytest.mark.shows("holds", "betting")
@settings(max_examples=80)
@given(streams, comparators, st.booleans())
def test_the_theorem_and_its_closed_form_hold_in_real_arithmetic(
    rounds: Rounds, u: dict[int, float], against: bool
) -> None:
    """For given labels, and for labels that answer the prediction."""
    purses: dict[int, Gambler] = {}
    loss = compared = mpf(0)
    for x, label in rounds:
        bets = {i: purses.setdefault(i, Gambler()).bet(v) for i, v in x.items() if v}
        s = dot(bets, x)
        y = (-1 if s >= 0 else 1) if against else label
        g = logistic_slope(y, s)
        loss += logistic_loss(y, s)
        compared += logistic_loss(y, dot(u, x))
        for i, w in bets.items():
            purses[i].learn(-g * mpf(x[i]), w)
    excess = mpmath.fsum(1 - p.wealth + mpf(u[i]) * p.theta for i, p in purses.items())
    assert loss <= compared + excess + mpf(10) ** -50
    for i, purse in purses.items():
        assert purse.wealth > 0
        assert 1 - purse.wealth + mpf(u[i]) * purse.theta <= purse.allowed(u[i]) + mpf(10) ** -50


class Judged:
    """A run of the float program, with the numbers of the theorem in real arithmetic."""

    def __init__(self, rounds: Rounds, u: dict[int, float]) -> None:
        self.program, self.u, self.rounds = program_page().CoinBetting(), u, len(rounds)
        self.loss = self.loss_rest = 0.0
        self.compared = mpf(0)
        for x, y in rounds:
            s = self.program.score(x)
            e = program_page().exp(-abs(s))
            right = (s >= 0) == (y > 0)
            term = program_page().log1p(e) if right else abs(s) + program_page().log1p(e)
            self.loss, self.loss_rest = program_page().added(self.loss, self.loss_rest, term)
            self.compared += logistic_loss(y, dot(u, x))
            self.program.step(x, s, y)
            held = mpmath.fsum(mpf(W) for _, W, _, _ in self.program.cells.values())
            assert held <= mpf("1.01") * (len(self.program.cells) + mpf("0.28") * self.rounds)

    def check(self) -> Any:
        """Check the claim; return what is left of it, in units of the rounding term."""
        cells = {i: [Fraction(v) for v in cell] for i, cell in self.program.cells.items()}
        weight = {i: Fraction(self.u.get(i, 0.0)) for i in cells}
        parts = ((1 - W + weight[i] * m * theta) for i, (m, W, theta, _) in cells.items())
        excess = sum(parts, Fraction(0))
        reach = sum((abs(weight[i]) * m for i, (m, *_) in cells.items()), Fraction(0))
        loss = self.loss + self.loss_rest
        error = betting_rounding(self.rounds, len(cells), loss, reach)
        compared = upward(self.compared)
        evidence = {"comparator_loss": compared, "bets": excess, "rounding": error, "loss": loss}
        assert named("betting").evaluate(evidence).holds
        return (compared + excess - Fraction(loss)) / error


@pytest.mark.shows("holds", "betting")
@settings(max_examples=80)
@given(streams, comparators)
def test_the_theorem_holds_for_floats(rounds: Rounds, u: dict[int, float]) -> None:
    Judged(rounds, u).check()


wild = st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e-308, -1e-200, 1e-160, 1e155, 1e300, -1.7e308])
wild_rows = st.lists(wild, min_size=2, max_size=2).map(lambda v: dict(enumerate(v)))
wild_streams = st.lists(st.tuples(wild_rows, st.sampled_from([-1, 1])), min_size=1, max_size=12)


@settings(max_examples=60)
@given(wild_streams, st.sampled_from([0.0, 1.0, -3.0]))
def test_underflow_and_jumps_of_scale_are_covered(rounds: Rounds, size: float) -> None:
    largest = {i: max(abs(x[i]) for x, _ in rounds) for i in (0, 1)}
    Judged(rounds, {i: size / m for i, m in largest.items() if m > 1e-300}).check()


def test_a_comparator_that_plays_the_same_scores_needs_the_rounding_term_only() -> None:
    """One round, u = 0: both sides are ln 2, and W = 1; floats may not be off by more."""
    for x in (1.0, 0.1, 1e-300):
        left = Judged([({0: x}, 1)], {0: 0.0}).check()
        assert -1 <= left < 1


def test_long_runs_stay_far_inside_the_rounding_term() -> None:
    """The loss of the floats is that of the reals but for a tenth of the term."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 3)) * [1e-3, 1.0, 1e5]
    labels = np.where(X @ [900.0, -1.0, 1e-5] + rng.standard_normal(300) >= 0, 1, -1)
    rounds = [(dict(enumerate(x)), int(y)) for x, y in zip(X.tolist(), labels, strict=True)]
    judged, real, loss = Judged(rounds, {}), [Gambler() for _ in range(3)], mpf(0)
    for x, y in rounds:
        bets = {i: real[i].bet(v) for i, v in x.items()}
        s = dot(bets, x)
        loss += logistic_loss(y, s)
        g = logistic_slope(y, s)
        for i, w in bets.items():
            real[i].learn(-g * mpf(x[i]), w)
    term = betting_rounding(300, 3, judged.loss, 0)
    assert abs(loss - mpf(judged.loss)) <= mpf(term.numerator) / term.denominator / 10


@pytest.mark.shows("refuses", "betting", "betting-share")
def test_measures_that_cannot_be_are_refused() -> None:
    with pytest.raises(nv.HypothesisError, match="at most 2\\*\\*40 rounds"):
        betting_rounding(MOST_ROUNDS + 1, 1, 1.0, 1.0)
    sound = {"comparator_loss": 1.0, "bets": 0.5, "rounding": 0.0}
    assert named("betting").evaluate({**sound, "loss": 1.4}).holds
    assert named("betting").evaluate({**sound, "bets": -0.5}).value == 0.5
    for name in ("comparator_loss", "rounding"):
        with pytest.raises(nv.HypothesisError, match="0 or more"):
            named("betting").evaluate({**sound, name: -1e-9})
    mixed = sound | {"members": 11, "rounds": 3}
    for name, value in {"bets": -1e-9, "members": 0, "rounds": 0}.items():
        with pytest.raises(nv.HypothesisError):
            named("betting-share").evaluate({**mixed, name: value})
