"""`fixed-share-classes` holds in real arithmetic and for Blend, whose rounding its term covers.

The oracle is written from the theory alone, in 60 digits of mpmath: follow the regularised leader
with one coordinate for each class and feature, beside members that say anything.
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
from novikoff.theory.loss_theorems import class_rounding
from oracle.class_losses import class_programs
from real_losses import Row, dot, upward

mpf = mpmath.mpf
C = 3
EPSILON = mpf(2) ** -53
Rounds = list[tuple[Row, int]]
Matrix = list[dict[int, float]]


@pytest.fixture(autouse=True)
def digits() -> Iterable[None]:
    with mpmath.workdps(60):
        yield


values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0, 1e-3, -1e4])
rows = st.lists(values, min_size=2, max_size=2).map(lambda v: dict(enumerate(v)))
streams = st.lists(st.tuples(rows, st.integers(0, C - 1)), min_size=1, max_size=20)
weights = st.lists(st.floats(-3, 3), min_size=2, max_size=2).map(lambda v: dict(enumerate(v)))
comparators = st.lists(weights, min_size=C, max_size=C)


def _chances(scores: list[Any]) -> list[Any]:
    powers = [mpmath.exp(s - max(scores)) for s in scores]
    return [e / sum(powers) for e in powers]


def _loss(scores: list[Any], y: int) -> Any:
    return mpmath.log(sum(mpmath.exp(s - scores[y]) for s in scores))


class RealGradient:
    """w_ki = −Σ g_k x_i/λ_i, λ_i = 2m√(Σ x_i² mean g² + m²): the theorem's member."""

    def __init__(self) -> None:
        self.largest: dict[int, Any] = {}
        self.energy: dict[int, Any] = {}
        self.theta: list[dict[int, Any]] = [{} for _ in range(C)]
        self.stability = mpf(0)

    def scale(self, i: int) -> Any:
        m = self.largest[i]
        return 2 * m * mpmath.sqrt(self.energy.get(i, mpf(0)) + m * m)

    def scores(self, x: Row) -> list[Any]:
        for i, v in x.items():
            if v:
                self.largest[i] = max(self.largest.get(i, mpf(0)), abs(mpf(v)))
        known = [(i, mpf(v)) for i, v in x.items() if v]
        return [
            sum((theta.get(i, mpf(0)) / self.scale(i) * v for i, v in known), mpf(0))
            for theta in self.theta
        ]

    def learn(self, x: Row, g: list[Any]) -> None:
        squares = sum(slope * slope for slope in g)
        for i, v in x.items():
            if v:
                self.stability += squares * mpf(v) ** 2 / self.scale(i) / 2
                self.energy[i] = self.energy.get(i, mpf(0)) + squares / C * mpf(v) ** 2
                for theta, slope in zip(self.theta, g, strict=True):
                    theta[i] = theta.get(i, mpf(0)) - slope * mpf(v)

    def penalty(self, U: Matrix) -> Any:
        return sum(
            (self.scale(i) * mpf(v) ** 2 / 2 for u in U for i, v in u.items() if i in self.largest),
            mpf(0),
        )


@pytest.mark.shows("holds", "fixed-share-classes")
@settings(max_examples=60, deadline=None)
@given(streams, comparators, st.integers(0, 10**6), st.booleans())
def test_the_theorem_holds_in_real_arithmetic(
    rounds: Rounds, U: Matrix, seed: int, against: bool
) -> None:
    """Beside members that say anything; also with the least likely class in every round."""
    rng = np.random.default_rng(seed)
    member, shares = RealGradient(), [mpf(1) / 4] * 4
    loss = compared = mpf(0)
    for t, (x, label) in enumerate(rounds, 1):
        said = [[mpf(p) for p in rng.dirichlet([0.3] * C) * 0.999 + 0.001 / C] for _ in range(3)]
        own = _chances(member.scores(x))
        p = [[c / sum(chances) for c in chances] for chances in (own, *said)]
        mixed = [sum(s * q[k] for s, q in zip(shares, p, strict=True)) for k in range(C)]
        y = mixed.index(min(mixed)) if against else label
        loss -= mpmath.log(mixed[y])
        compared += _loss([dot(u, x) for u in U], y)
        kept = [s * q[y] / mixed[y] for s, q in zip(shares, p, strict=True)]
        shares = [(1 - mpf(1) / (t + 1)) * s + mpf(1) / (t + 1) / 4 for s in kept]
        member.learn(x, [q - (k == y) for k, q in enumerate(own)])
    price = mpmath.log(4) + mpmath.log(len(rounds))
    allowed = compared + member.penalty(U) + member.stability + price
    assert loss <= allowed + mpf(10) ** -50


class Judged:
    """A run of the page's program, round by round what the proof of its rounding claims."""

    def __init__(self, rounds: Rounds, classes: int = C) -> None:
        self.page = class_programs()
        self.program = self.page["ClassBlend"](classes)
        self.rounds, self.classes = rounds, classes
        self.own = mpf(0)  # what member 2 lost, in the reals
        self.stability = mpf(0)
        for x, y in rounds:
            self._play({i: v for i, v in x.items() if v != 0}, y)

    def _play(self, x: Row, y: int) -> None:
        program, found = self.program, self.program.predict(x)
        slack = (self.classes / 4 + 70) * EPSILON
        for p in found.p:
            assert sum(map(mpf, p)) <= 1 + slack
        scores = [program.member_score(0, k, found.row) for k in range(self.classes)]
        exact = _chances([max(mpf(s), mpf(max(scores)) - 300) for s in scores])
        for p, q, s in zip(found.p[2], exact, scores, strict=True):
            B = self.classes / 4 + mpmath.log(self.classes) + 8 + abs(s - max(scores))
            assert abs(p - q) <= EPSILON * B * q
        self.own += _loss([mpf(s) for s in scores], y)
        cells = {i: program.cells[i].S for i in program.cells}
        g = [mpf(c - 1.0 if k == y else c) for k, c in enumerate(found.p[2])]
        known = {e.i: (mpf(e.v), mpf(cells[e.i]) * mpf(e.c) ** 2) for e in found.row}
        for i in x:
            v, S = known.get(i, (mpf(1), mpf(0)))
            self.stability += sum(q * q for q in g) * v * v / (4 * mpmath.sqrt(S + 1))
        program.learn(x, y)
        assert sum(map(mpf, program.shares)) <= 1 + 16 * EPSILON

    def check(self, U: Matrix) -> None:
        program, T = self.program, len(self.rounds)
        stability = program.stability + program.stability_rest
        n = program.longest
        grid = n * mpf(2) ** (max(n - 1, 0).bit_length() - 46)
        assert abs(stability - self.stability) <= T * grid + stability * mpf(2) ** -48
        compared = sum((_loss([dot(u, x) for u in U], y) for x, y in self.rounds), mpf(0))
        penalty = sum(
            (mpf(cell.m) ** 2 * mpmath.sqrt(mpf(cell.S) + 1) * mpf(u.get(i, 0)) ** 2
             for u in U for i, cell in program.cells.items()), mpf(0)
        )  # fmt: skip
        assert self.own <= compared + penalty + stability + mpf(2) ** -30
        parts = {"comparator_loss": upward(compared), "penalty": upward(penalty)}
        inherited = Fraction(parts["comparator_loss"]) + Fraction(parts["penalty"])
        evidence = parts | {
            "stability": stability,
            "cuts": program.cuts,
            "rounds": T,
            "rounding": class_rounding(T, self.classes, n, inherited + Fraction(stability)),
            "loss": program.loss + program.loss_rest,
        }
        assert named("fixed-share-classes").evaluate(evidence).holds


@pytest.mark.shows("holds", "fixed-share-classes")
@settings(max_examples=25, deadline=None)
@given(streams, comparators)
def test_the_theorem_holds_for_floats_and_the_rounding_term_covers_them(
    rounds: Rounds, U: Matrix
) -> None:
    Judged(rounds).check(U)


wild = st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e-308, -1e-200, 1e-160, 1e155, 1e300, -1.7e308])
wild_rows = st.lists(wild, min_size=2, max_size=2).map(lambda v: dict(enumerate(v)))
wild_streams = st.lists(st.tuples(wild_rows, st.integers(0, C - 1)), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None)
@given(wild_streams, st.sampled_from([0.0, 1.0, -3.0]))
def test_underflow_and_jumps_of_scale_are_covered(rounds: Rounds, size: float) -> None:
    """U in the units of 1/m, so that neither side is about one feature alone."""
    largest = {i: max(abs(x[i]) for x, _ in rounds) for i in (0, 1)}
    row = {i: size / m for i, m in largest.items() if m > 1e-300}
    Judged(rounds).check([row, {}, {i: -v for i, v in row.items()}])


def test_a_long_run_of_many_classes_stays_inside_the_rounding_term() -> None:
    rng = np.random.default_rng(1)
    rounds: Rounds = []
    for t in range(60):
        x = {int(i): float(rng.choice([-1.0, 0.5, 2.0])) for i in rng.choice(30, 12, replace=False)}
        rounds.append((x | {-1: 1.0}, t % 11))
    Judged(rounds, 11).check([{0: 0.5, -1: 0.1}] + [{}] * 10)


@pytest.mark.shows("refuses", "fixed-share-classes")
def test_measures_below_zero_cut_terms_and_runs_without_a_round_are_refused() -> None:
    parts = {"comparator_loss": 1.0, "penalty": 0.0, "stability": 0.5, "rounding": 0.0}
    sound: dict[str, Any] = parts | {"cuts": 0.0, "rounds": 3}
    evaluate = named("fixed-share-classes").evaluate
    assert evaluate({**sound, "loss": 1.5 + 3.1}).holds  # ln 24 = 3.18
    assert not evaluate({**sound, "loss": 1.5 + 3.2}).holds
    for name in parts:
        with pytest.raises(nv.HypothesisError, match="measures of 0 or more"):
            evaluate({**sound, name: -1e-9})
    with pytest.raises(nv.HypothesisError, match="one round or more"):
        evaluate({**sound, "rounds": 0})
    with pytest.raises(nv.HypothesisError, match="scores without a term beyond ±64"):
        evaluate({**sound, "cuts": 1.0})


def test_the_rounding_term_is_what_the_page_says() -> None:
    found = class_rounding(3, 5, 9, Fraction(1, 3))
    whole = 3 * 3 + 9 + Fraction(1, 3)  # 5 has three binary digits, 8 has four
    assert found == Fraction(3 * 9 * 16, 2**44) + Fraction(3 * 45, 2**50) * whole
    assert class_rounding(20_000, 26, 17, 30_000) < Fraction(1, 5_000)
    for rounds, classes, longest in ((2**39, 4, 1), (1, 2, 2**20 + 1)):
        with pytest.raises(nv.HypothesisError, match="rounding: expected at most"):
            class_rounding(rounds, classes, longest, 1)
