"""`vaw` holds in fractions, for the float program, and refuses what it does not cover."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.theory import named
from novikoff.theory.regression_theorems import MOST_ROUNDS, regression_rounding
from regression_twins import Forecaster, dot

values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0, 1e-3, -100.0])
rows = st.lists(values, min_size=3, max_size=3)
streams = st.lists(st.tuples(rows, st.floats(-5, 5, width=32)), min_size=1, max_size=12)
comparators = st.lists(st.floats(-3, 3, width=32), min_size=3, max_size=3)
ridges = st.sampled_from([2.0**-6, 0.1, 1.0, 7.0, 2.0**20])
Rounds = list[tuple[list[float], float]]


def _measures(rounds: Rounds, u: list[float], ridge: float) -> dict[str, Any]:
    """What the theorem needs to know of the rounds, in fractions."""
    w = [Fraction(value) for value in u]
    exact = [([Fraction(v) for v in x], Fraction(y)) for x, y in rounds]
    return {
        "comparator_loss": sum(((y - dot(w, x)) ** 2 for x, y in exact), Fraction(0)),
        "penalty": Fraction(ridge) * dot(w, w),
        "largest_label": max(abs(y) for _, y in exact),
        "ridge": ridge,
        "energies": [sum((x[i] ** 2 for x, _ in exact), Fraction(0)) for i in range(3)],
    }


@pytest.mark.shows("holds", "vaw")
@settings(max_examples=60)
@given(streams, comparators, ridges, st.booleans())
def test_the_theorem_holds_in_real_arithmetic(
    rounds: Rounds, u: list[float], ridge: float, against: bool
) -> None:
    """For given labels, and for labels of size 1 that are far from the prediction."""
    twin = Forecaster(ridge, 3)
    loss, played = Fraction(0), []
    for x, label in rounds:
        ahead = Forecaster(ridge, 3)
        ahead.A, ahead.b = twin.A, twin.b
        y = (-1.0 if ahead.learn(x, 0.0) >= 0 else 1.0) if against else label
        loss += (Fraction(y) - twin.learn(x, y)) ** 2
        played.append((x, y))
    for weights in (u, [float(value) for value in twin.best]):
        allowed = named("vaw").evaluate(_measures(played, weights, ridge) | {"rounding": 0}).value
        assert loss <= Fraction(allowed)


@pytest.mark.shows("holds", "vaw")
@settings(max_examples=60)
@given(streams, comparators, ridges)
def test_the_theorem_holds_for_the_float_program(
    rounds: Rounds, u: list[float], ridge: float
) -> None:
    run = nv.play(nv.ForwardRegression(ridge), rounds)
    ledger = run.ledger
    rounding = regression_rounding(ledger.rounds, ledger.drift, ledger.loss)
    evidence = _measures(rounds, u, ridge) | {"rounding": rounding}
    assert Fraction(ledger.loss) <= Fraction(named("vaw").evaluate(evidence).value)


@settings(max_examples=60)
@given(streams, ridges)
def test_the_rounding_term_covers_the_distance_from_real_arithmetic(
    rounds: Rounds, ridge: float
) -> None:
    """The loss of the floats is at most that of the forecaster in fractions plus the term."""
    twin, run = Forecaster(ridge, 3), nv.Run(nv.ForwardRegression(ridge))
    ideal = Fraction(0)
    for x, y in rounds:
        ideal += (Fraction(y) - twin.learn(x, y)) ** 2
        run.learn(x, y)
    term = regression_rounding(run.ledger.rounds, run.ledger.drift, run.ledger.loss)
    assert Fraction(run.ledger.loss) <= ideal + term
    assert float(term) <= 1e-6 * (1 + run.ledger.loss)


def test_the_proofs_identity() -> None:
    """Σ (y − ŷ)² = min + Σ q y² − Σ ŷ² q/(1 − q), exactly, with q = x·A⁻¹x."""
    rng = np.random.default_rng(2)
    X, y = rng.integers(-3, 4, (8, 3)).tolist(), rng.integers(-5, 6, 8).tolist()
    twin, loss, terms = Forecaster(0.5, 3), Fraction(0), Fraction(0)
    for x, label in zip(X, y, strict=True):
        prediction = twin.learn(x, label)
        probe = Forecaster(0.5, 3)
        probe.A, probe.b = twin.A, [Fraction(value) for value in x]
        q = dot([Fraction(value) for value in x], probe.best)
        loss += (label - prediction) ** 2
        terms += q * label**2 - prediction**2 * q / (1 - q)
    u = twin.best
    least = sum(
        ((label - dot(u, map(Fraction, x))) ** 2 for x, label in zip(X, y, strict=True)),
        Fraction(1, 2) * dot(u, u),
    )
    assert loss == least + terms


@pytest.mark.shows("measured", "vaw")
def test_unit_vectors_with_a_large_ridge_reach_the_bound_in_the_limit() -> None:
    for ridge, share in ((1.0, 0.59), (16.0, 0.94), (2.0**20, 0.999999)):
        rounds = [([float(i == t) for i in range(3)], 1.0) for t in range(3)]
        run = nv.play(nv.ForwardRegression(ridge), rounds)
        evidence = _measures(rounds, [0.0] * 3, ridge) | {"rounding": 0}
        allowed = named("vaw").evaluate(evidence).value
        assert share <= run.ledger.loss / allowed <= 1
        assert allowed == pytest.approx(3 * (1 + math.log1p(1 / ridge)))


@pytest.mark.shows("refuses", "vaw")
@pytest.mark.parametrize(
    "wrong",
    [{"ridge": 0}, {"ridge": -1.0}, {"penalty": -1}, {"comparator_loss": -0.5},
     {"energies": [1.0, -1.0]}, {"rounding": -1}],
    ids=str,
)  # fmt: skip
def test_measures_that_no_run_has_are_refused(wrong: dict[str, Any]) -> None:
    evidence = _measures([([1.0, 0.0, 2.0], 1.0)], [0.0] * 3, 1.0) | {"rounding": 0} | wrong
    with pytest.raises(nv.HypothesisError, match=r"^vaw: expected"):
        named("vaw").evaluate(evidence)


def test_more_rounds_than_the_rounding_term_covers_are_refused() -> None:
    assert regression_rounding(MOST_ROUNDS, 1.0, 0.0) == 1 + Fraction(1, 2**20)
    with pytest.raises(nv.HypothesisError, match=r"^rounding: expected at most 2\*\*26 rounds"):
        regression_rounding(MOST_ROUNDS + 1, 1.0, 0.0)


def test_the_bound_is_its_formula() -> None:
    """Written once more, in 40 digits, from the statement."""
    evidence = _measures([([1.0, 0.0, 2.0], 3.0), ([0.5, 1.0, 0.0], -1.0)], [0.5, 0.0, 1.0], 2.0)
    found = named("vaw").evaluate(evidence | {"rounding": Fraction(1, 8)}).value
    logs = [Decimal(1) + Decimal(e) / 2 for e in ("1.25", "1", "4")]
    expected = Decimal("1.8125") + Decimal("2.5") + 9 * sum(z.ln() for z in logs) + Decimal("0.125")
    assert found == pytest.approx(float(expected), rel=1e-15)
