"""Formulas of the theorems: their numbers, at the edges of their hypotheses too, rounded upward."""

import math
import random
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

import novikoff as nv
from novikoff.theory import named
from novikoff.theory.theorem import exact, exp, ln, ln_cosh, root, upward

NUMBERS: dict[str, tuple[dict[str, Any], float]] = {
    "consistent": ({"size": 9}, 8),
    "halving": ({"size": 9}, 3),
    "littlestone": ({"littlestone_dimension": 4}, 4),
    "iterated-halving": ({"size": 8, "best_mistakes": 2}, 11),
    "elimination": ({"dimension": 5, "monotone": False}, 6),
    "elimination, monotone": ({"dimension": 5, "monotone": True}, 5),
    "grid-halving": ({"dimension": 3, "grid_steps": 10}, 3 * math.log2(21)),
    "ellipsoid": ({"dimension": 2, "relative_margin": 0.25}, 12 * math.log(5)),
    "centroid": (
        {"dimension": 2, "relative_margin": 0.25}, 2 * math.log(5) / math.log(math.e / (math.e - 1))
    ),
    "novikoff": ({"radius2": 2, "norm2": 3, "margin": 0.5}, 24),
    "hinge": ({"radius2": 2, "norm2": 3, "hinge": 5}, 16),
    "hinge-tight": ({"radius2": 2, "norm2": 2, "hinge": 3}, 9),
    "freund-schapire": ({"radius2": 2, "norm2": 2, "hinge2": 9}, 25),
    "run": ({"norm2": 2, "mistake_hinge": 3, "mistake_energy": 8}, 7),
    "structured": ({"radius2": 8, "norm2": 2, "margin": 0.5}, 64),
    "modified-perceptron": (
        {"sigma": 0.5, "start_cosine": 0.25}, 2 * math.log(4) / math.log(4 / 3)
    ),
    "parameter-mixing": (
        {"radius2": 2, "norm2": 2, "hinge": 9, "shards": 3, "rounding_product": 0,
         "rounding_norm2": 0}, 27
    ),
    "parameter-mixing, rounded": (
        {"radius2": 2, "norm2": 2, "hinge": 9, "shards": 3, "rounding_product": 1,
         "rounding_norm2": -2}, 3 * (2 + 2 + math.sqrt(8))
    ),
    "parameter-mixing, no root": (
        {"radius2": 2, "norm2": 2, "hinge": 9, "shards": 3, "rounding_product": 0,
         "rounding_norm2": -20}, 3 * (3 + 2)
    ),
    "parameter-mixing, exact": (
        {"radius2": 2, "norm2": 2, "hinge": 0, "shards": 3, "rounding_product": 0,
         "rounding_norm2": 0}, 12
    ),
    "minnow": (
        {"norm1": 2, "dimension": 7, "eta": 0.25, "gamma": 3, "radius_inf": 3},
        2 * math.log(7) / (0.75 - 2 * math.log(math.cosh(0.75))),
    ),
    "minnow-hinge": (
        {"norm1": 2, "dimension": 7, "eta": 0.25, "gamma": 4, "radius_inf": 3, "gamma_hinge": 6},
        (2 * math.log(7) + 1.5) / (1 - 2 * math.log(math.cosh(0.75))),
    ),
    "minnow-hinge, no comparator": (
        {"norm1": 0, "dimension": 7, "eta": 9.0, "gamma": 4, "radius_inf": 3, "gamma_hinge": 6},
        1.5,
    ),
    "weighted-majority": (
        {"experts": 10, "beta": 0.5, "best_mistakes": 4},
        (4 * math.log(2) + math.log(10)) / math.log(4 / 3),
    ),
    "randomized-weighted-majority": (
        {"experts": 10, "beta": 0.5, "best_mistakes": 4}, 2 * (4 * math.log(2) + math.log(10))
    ),
    "hedge": (
        {"experts": 10, "rounds": 100, "eta": 0.5}, math.log(10) / 0.5 + 100 / 16
    ),
    "hedge-anytime": (
        {"experts": 10, "rounds": 100},
        2 * math.sqrt(50 * math.log(10)) + math.sqrt(math.log(10) / 8),
    ),
    "exp3": ({"arms": 5, "rounds": 100, "anytime": False}, math.sqrt(1000 * math.log(5))),
    "exp3, anytime": (
        {"arms": 5, "rounds": 100, "anytime": True}, 2 * math.sqrt(500 * math.log(5))
    ),
    "exp3p": (
        {"arms": 5, "rounds": 100, "delta": 0.05, "anytime": False},
        5.15 * math.sqrt(500 * math.log(100)),
    ),
    "exp3ix": (
        {"arms": 5, "rounds": 100, "delta": 0.1, "anytime": False},
        2 * math.sqrt(1000 * math.log(5))
        + (math.sqrt(1000 / math.log(5)) + 1) * math.log(20),
    ),
    "exp3ix, anytime": (
        {"arms": 5, "rounds": 100, "delta": 0.1, "anytime": True},
        4 * math.sqrt(500 * math.log(5))
        + (2 * math.sqrt(500 / math.log(5)) + 1) * math.log(20),
    ),
    "random-stopping": ({"mistake_bound": 3, "sample": 30}, 0.1),
    "controlled-testing": ({"epsilon": 0.25, "delta": 0.1}, 0.25),
    "leave-one-out": ({"rounds": 20, "expected_mistakes": 5.0}, 0.25),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERS)
def test_formulas_give_their_numbers_rounded_upward(case: str) -> None:
    evidence, expected = NUMBERS[case]
    theorem = named(case.partition(",")[0])
    value = theorem.evaluate(evidence).value
    assert value == pytest.approx(expected, rel=1e-12)
    assert value >= expected * (1 - 1e-15)
    for missing in evidence:
        with pytest.raises(nv.HypothesisError) as refusal:
            theorem.evaluate({k: v for k, v in evidence.items() if k != missing})
        assert str(refusal.value) == (
            f"{theorem.id}: expected the measures {', '.join(evidence)}, got none for {missing}. "
            "Measure them first, or ask another theorem."
        )


def test_all_measures_that_are_missing_are_named() -> None:
    with pytest.raises(nv.HypothesisError, match=r"got none for norm2, margin\. Measure them"):
        named("novikoff").evaluate({"radius2": 1, "margin": None})


def test_the_callers_precision_changes_no_bound() -> None:
    evidence = {"radius2": 2, "norm2": 3, "hinge": 5}
    expected = named("hinge-tight").evaluate(evidence).value
    with localcontext(Context(prec=3)):
        assert named("hinge-tight").evaluate(evidence).value == expected


def test_a_comparator_of_zero_has_a_bound_without_a_logarithm() -> None:
    """Which is a fraction, and so is not raised by the error of decimals."""
    nothing = {"norm1": 0, "dimension": 4, "eta": 0.1, "radius_inf": 1}
    for gamma in (0.5, 1.0, 1.5):
        evidence = nothing | {"gamma": gamma, "gamma_hinge": 6 * gamma}
        assert named("minnow-hinge").evaluate(evidence).value == 6.0


EDGES: list[tuple[str, dict[str, Any], float]] = [
    ("consistent", {"size": 1}, 0),
    ("halving", {"size": 1}, 0),
    ("littlestone", {"littlestone_dimension": 0}, 0),
    ("iterated-halving", {"size": 1, "best_mistakes": 3}, 3),
    ("grid-halving", {"dimension": 2, "grid_steps": 1}, 2 * math.log2(3)),
    ("ellipsoid", {"dimension": 1, "relative_margin": 1.0}, 4 * math.log(2)),
    ("centroid", {"dimension": 1, "relative_margin": 1.0}, math.log(2) / -math.log(1 - 1 / math.e)),
    ("modified-perceptron", {"sigma": 0.5, "start_cosine": 1.0}, 0),
    ("modified-perceptron", {"sigma": 2.0**-30, "start_cosine": 0.5}, 2.0**61 * math.log(2)),
    ("hedge", {"experts": 1, "rounds": 9, "eta": 0.0}, 0),
    ("random-stopping", {"mistake_bound": 1, "sample": 1}, 1),
    ("leave-one-out", {"rounds": 1, "expected_mistakes": 0.5}, 0.5),
    ("progressive", {"rounds": 1, "mistakes": 1, "delta": 0.5}, 1),
    ("exp3ix", {"arms": 2, "rounds": 0, "delta": 0.5, "anytime": False}, math.log(4)),
]


def test_theorems_apply_up_to_the_edge_of_their_hypotheses() -> None:
    for name, evidence, expected in EDGES:
        assert named(name).evaluate(evidence).value == pytest.approx(expected), name


def test_bounds_are_the_least_floats_above_their_values() -> None:
    """An integer or a fraction exactly; a decimal raised by its error of less than 1e-49."""
    with localcontext(Context(prec=60)):
        assert upward(3) == 3.0
        assert upward(2**53 + 1) == 2.0**53 + 2
        assert upward(Fraction(1, 3)) == math.nextafter(1 / 3, 1)
        assert upward(Fraction(-1, 3)) == -1 / 3
        assert upward(10**400) == math.inf
        assert upward(Decimal(3)) == math.nextafter(3, 4)
        assert upward(Decimal(0)) == 0.0
        assert upward(Decimal(-3)) == -math.nextafter(3, 2)
        assert upward(Decimal(3) - Decimal("4e-50")) == 3.0
        assert upward(Decimal(3) - Decimal("2e-50")) == math.nextafter(3, 4)


def test_decimals_have_sixty_digits() -> None:
    """Whatever their caller's have."""
    third = Decimal("0." + 60 * "3")
    assert [exact(Fraction(1, 3)), exact(Decimal("0." + 61 * "3"))] == [third, third]
    with localcontext(Context(prec=90)):
        for found, true in (
            (ln(2), Decimal(2).ln()), (root(2), Decimal(2).sqrt()), (exp(1), Decimal(1).exp()),
            (ln_cosh(1), ((Decimal(1).exp() + Decimal(-1).exp()) / 2).ln()),
        ):  # fmt: skip
            assert len(found.as_tuple().digits) == 60
            assert abs(found - true) < Decimal("1e-58")


def test_floats_are_taken_as_the_numbers_they_are() -> None:
    """Formulas without a root or a logarithm are evaluated in fractions."""
    draw = random.Random(0)
    for a, b, c in ([draw.random() for _ in range(3)] for _ in range(20)):
        A, B, C = Fraction(a), Fraction(b), Fraction(c)
        for name, measures, value in (
            ("novikoff", (a, b, c), A * B / C**2),
            ("parameter-mixing", (a, b, 0, 7, 0, 0), 7 * A * B),
            ("hinge", (a, b, c), A * B + 2 * C),
            ("structured", (a, b, c), A * B / C**2),
            ("minnow-hinge", (0, 1, a, b, 1, c), C / B),
            ("random-stopping", (3, 1 + int(100 * a)), Fraction(3, 1 + int(100 * a))),
            ("leave-one-out", (7, a), A / 7),
            ("controlled-testing", (a, b), A),
        ):
            evidence = dict(zip(named(name).needs, measures, strict=True))
            assert named(name).evaluate(evidence).value == upward(value), name
