"""`ftrl-diag` holds in real arithmetic and for the float program, whose rounding its term covers.

The oracle is written from the theory alone, in 60 digits of mpmath: `Real` plays the learner as the
theorem has it, and `Judged` looks at a run of the float program with real numbers.
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
from novikoff.theory.loss_theorems import MOST_ROUNDS, rounding
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
streams = st.lists(st.tuples(rows, st.sampled_from([-1, 1])), min_size=1, max_size=30)
comparators = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(lambda v: dict(enumerate(v)))
rates = st.sampled_from([2.0**-20, 0.1, 1.0, 7.0, 2.0**20])


@pytest.mark.shows("holds", "ftrl-diag")
@settings(max_examples=60)
@given(streams, comparators, rates, st.booleans())
def test_the_theorem_holds_in_real_arithmetic(
    rounds: Rounds, u: dict[int, float], rate: float, against: bool
) -> None:
    """For given labels, and for labels that answer the prediction."""
    real = Real(rate)
    loss = compared = mpf(0)
    for x, label in rounds:
        s = dot(real.weights(x), x)
        y = (-1 if s >= 0 else 1) if against else label
        loss += logistic_loss(y, s)
        compared += logistic_loss(y, dot(u, x))
        real.learn(x, logistic_slope(y, s))
    assert loss <= compared + real.penalty(u) + real.stability + mpf(10) ** -50


class Judged:
    """A run of the float program, with the numbers of the theorem in real arithmetic."""

    def __init__(self, rate: float, rounds: Rounds, u: dict[int, float]) -> None:
        self.program = program_page().AdaptiveGradient(rate)
        self.rate, self.rounds, self.u = mpf(rate), len(rounds), u
        self.real = Real(rate)  # for the g of the floats
        self.compared = self.exact_loss = self.error = mpf(0)
        self.highest = mpf(0)  # potential
        for x, y in rounds:
            self._play({i: v for i, v in x.items() if v != 0}, y)

    def _play(self, x: Row, y: int) -> None:
        program = self.program
        w, s = self.real.weights(x), program.score(x)
        before = dict(program.cells)
        e = program_page().exp(-abs(s))
        right = (1 if s >= 0 else -1) == y
        slope = e / (1.0 + e) if right else 1.0 / (1.0 + e)
        g = mpf(-y * slope)
        program.learn(x, y)
        self._check_cells(before, x)
        self.error += abs(g) * abs(mpf(s) - dot(w, x))
        self.error += abs(logistic_slope(y, mpf(s)) - g) * abs(mpf(s) - dot(self.u, x))
        self.exact_loss += logistic_loss(y, mpf(s))
        self.compared += logistic_loss(y, dot(self.u, x))
        self.real.learn(x, g)
        self.highest = max(self.highest, self._potential())

    def _check_cells(self, before: Any, x: Row) -> None:
        """λ falls by 5.1 ε of itself at most."""
        for i in x.keys() & before.keys():
            (m, _, S), (n, _, V) = before[i], self.program.scaled(i, x[i])
            old, new = mpf(m) ** 2 * mpmath.sqrt(mpf(S) + 1), mpf(n) ** 2 * mpmath.sqrt(mpf(V) + 1)
            assert new >= old * (1 - mpf("5.1") * mpf(2) ** -53)

    def _potential(self) -> Any:
        cells = self.program.cells.values()
        return self.rate * sum(mpf(t) ** 2 / mpmath.sqrt(mpf(S) + 1) / 2 for _, t, S in cells)

    @property
    def loss(self) -> float:
        found: float = self.program.loss + self.program.loss_rest
        return found

    @property
    def stability(self) -> float:
        found: float = self.program.stability + self.program.stability_rest
        return found

    @property
    def penalty(self) -> Any:
        """½ Σ λ_i u_i² with λ from the cells of the floats."""
        parts = (
            (mpf(m) * mpf(self.u.get(i, 0))) ** 2 * mpmath.sqrt(mpf(S) + 1)
            for i, (m, _, S) in self.program.cells.items()
        )
        return mpmath.fsum(parts) / (2 * self.rate)

    def difference(self) -> Any:
        """What floats may have added to what the theorem of the reals allows."""
        return (
            self.error
            + abs(mpf(self.loss) - self.exact_loss)
            + abs(self.real.stability - mpf(self.stability))
            + max(mpf(0), self.real.penalty(self.u) - self.penalty)
        )

    def check(self) -> Any:
        """Check all that is claimed; return how much of the rounding term was needed."""
        penalty = upward(self.penalty)
        error = rounding(self.rounds, self.loss, self.stability, penalty)
        assert self.highest <= mpf("0.28") * self.rounds + mpf("1.01") * mpf(self.stability)
        term = mpf(error.numerator) / error.denominator
        assert self.difference() <= term
        evidence = {
            "comparator_loss": upward(self.compared),
            "penalty": penalty,
            "stability": self.stability,
            "rounding": error,
            "loss": self.loss,
        }
        assert named("ftrl-diag").evaluate(evidence).holds
        return self.difference() / term


@pytest.mark.shows("holds", "ftrl-diag")
@settings(max_examples=60)
@given(streams, comparators, rates)
def test_the_theorem_holds_for_floats_and_the_rounding_term_covers_them(
    rounds: Rounds, u: dict[int, float], rate: float
) -> None:
    Judged(rate, rounds, u).check()


wild = st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e-308, -1e-200, 1e-160, 1e155, 1e300, -1.7e308])
wild_rows = st.lists(wild, min_size=2, max_size=2).map(lambda v: dict(enumerate(v)))
wild_streams = st.lists(st.tuples(wild_rows, st.sampled_from([-1, 1])), min_size=1, max_size=12)


@settings(max_examples=60)
@given(wild_streams, rates, st.sampled_from([0.0, 1.0, -3.0]))
def test_underflow_and_jumps_of_scale_are_covered(rounds: Rounds, rate: float, size: float) -> None:
    """u in the units of 1/m, so that neither side is about one feature alone."""
    largest = {i: max(abs(x[i]) for x, _ in rounds) for i in (0, 1)}
    u = {i: size / m for i, m in largest.items() if m > 1e-300}
    Judged(rate, rounds, u).check()


def _creeping(count: int) -> Rounds:
    """Every x is the next float after the one before, so that λ grows by next to nothing."""
    v, found = 1.0, []
    for t in range(count):
        found.append(({0: v if t % 3 else -v, 1: 1 / 3}, 1 if t % 7 < 4 else -1))
        v = float(np.nextafter(v, np.inf))
    return found


def _ordinary(count: int, seed: int) -> Rounds:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 3)) * [1e-3, 1.0, 1e5]
    y = np.where(X @ [900.0, -1.0, 1e-5] + rng.standard_normal(count) >= 0, 1, -1)
    return [(dict(enumerate(x)), int(label)) for x, label in zip(X.tolist(), y, strict=True)]


@pytest.mark.parametrize("rate", [2.0**-20, 1.0, 50.0])
@pytest.mark.parametrize("make", [_creeping, lambda n: _ordinary(n, 3)], ids=["creeping", "normal"])
def test_long_runs_stay_far_inside_the_rounding_term(make: Any, rate: float) -> None:
    rounds = make(400)
    needed = Judged(rate, rounds, {0: 0.3, 1: -0.5, 2: 1e-6}).check()
    print(f"{float(needed):.1e} of the rounding term was needed")
    assert needed < 0.1


@pytest.mark.shows("refuses", "ftrl-diag")
def test_measures_below_zero_and_too_many_rounds_are_refused() -> None:
    with pytest.raises(nv.HypothesisError, match="at most 2\\*\\*40 rounds"):
        rounding(MOST_ROUNDS + 1, 1.0, 1.0, 1.0)
    sound = {"comparator_loss": 1.0, "penalty": 0.0, "stability": 0.5, "rounding": 0.0}
    assert named("ftrl-diag").evaluate({**sound, "loss": 1.4}).holds
    for name in sound:
        with pytest.raises(nv.HypothesisError, match="measures of 0 or more"):
            named("ftrl-diag").evaluate({**sound, name: -1e-9})


def test_the_rounding_term_is_what_the_page_says() -> None:
    assert rounding(3, 1.5, 0.25, Fraction(1, 3)) == Fraction(3, 2**49) * (
        3 + 5 * (Fraction(1.5) + Fraction(0.25) + Fraction(1, 3))
    )
    assert rounding(10**6, 4e5, 1e4, 1e4) < Fraction(1, 100)
