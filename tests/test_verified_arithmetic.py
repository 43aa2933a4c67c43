"""The verifier's arithmetic part by part: enclosures hold what they should, and sums are exact."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from brute import littlestone
from novikoff import verifier

NOTHING: Any = SimpleNamespace(dimension=0, grid=0, bias=0.0, count=0)


def test_the_grid_is_the_least_on_which_every_value_is_whole() -> None:
    values: dict[int, list[float]] = {0: [], 1: [0.5, 3.0], 10: [2.0**-10, 0.25], 1074: [5e-324]}
    assert {verifier.grid(found): found for found in values.values()} == values
    assert verifier.grid([4.0, -8.0]) == 0


def test_whole_numbers_beyond_floats_are_those_of_the_grid() -> None:
    values = [1e300, -0.5, 5e-324]
    assert verifier.whole(values, 1074) == [Fraction(v) * 2**1074 for v in values]


def test_of_what_was_got_sixty_letters_are_said() -> None:
    with pytest.raises(verifier.BadData) as error:
        verifier.expect(False, "here", "less", "x" * 99)
    assert str(error.value) == f"here: expected less, got {'x' * 60}"


def test_exponents_of_decimals_have_no_end() -> None:
    with verifier.decimals(40):
        assert 0 < Decimal(-(10**7)).exp() < Decimal(10**7).exp() < Decimal("inf")


def kernel(gamma: float) -> Any:
    return verifier.KernelPerceptron(NOTHING, "positive", {"name": "rbf", "gamma": gamma}, None)


@pytest.mark.parametrize("gamma", [0.5, 3.0, 1e-30, 140.0])
def test_exponentials_lie_between_the_ends_of_their_enclosure(gamma: float) -> None:
    """e^{−140} is less than a unit, 2^−200."""
    point: verifier.Point = ({}, 0)
    x = ([0], [1])  # the distance is 1
    with localcontext(Context(prec=150)):
        exact = Fraction((-Decimal(gamma)).exp()) * 2**200
    learner = kernel(gamma)
    low, high = learner.enclosed(point, x)
    assert (low, high) == (max(0, math.floor(exact) - 1), math.floor(exact) + 2)
    assert learner.enclosed(point, ([], [])) == (1 << 200, 1 << 200)
    for a in (-2, -1, 1, 2):
        assert learner.total([(a, point)], x) == a * (low if a > 0 else high) < a * exact


def test_the_littlestone_dimension_is_that_of_its_definition() -> None:
    """Half of all signs on four points: of such classes some have parts that reach less."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        rows = [tuple(1 if h >> x & 1 else -1 for x in range(4)) for h in rng.permutation(16)[:8]]
        table = ["".join("+" if y > 0 else "-" for y in row) for row in rows]
        learner = verifier.StandardOptimal(NOTHING, {"cube": None, "points": None, "table": table})
        assert learner.dimension(learner.all) == littlestone(rows)


def test_the_smallest_classes_and_the_largest_cube_are_some() -> None:
    signs = ["-", "+"]
    for H in ({"cube": 0, "points": None}, {"cube": None, "points": ["a"]}):
        assert verifier.Halving(NOTHING, H | {"table": signs}).columns == [2]
    for d in (1, 1 << 24):
        assert verifier.Elimination(NOTHING, d, True).most == d
    for d in (0, (1 << 24) + 1):
        with pytest.raises(verifier.Refused, match="it learns other disjunctions"):
            verifier.Elimination(NOTHING, d, True)


def hedge(count: int) -> Any:
    data: Any = SimpleNamespace(dimension=2, bias=0.0, count=count)
    return verifier.Hedge(data, 2, 0.5, None, span=[0.0, 1.0], rewards=False, seed=0)


def test_what_hedge_is_charged_is_known_to_forty_digits() -> None:
    learner, totals, charged = hedge(3), [Fraction(0)] * 2, Decimal(0)
    for losses in ([Fraction(1, 3), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(1, 7)] * 2):
        learner.measure(1, losses, False, 1)
        with localcontext(Context(prec=150)):
            weights = [(-verifier.decimal(total / 2)).exp() for total in totals]
            parts = [w * verifier.decimal(v) for w, v in zip(weights, losses, strict=True)]
            charged += sum(parts, Decimal(0)) / sum(weights, Decimal(0))
            assert abs(learner.charged - charged) < Decimal(10) ** -50
        totals = [a + b for a, b in zip(totals, losses, strict=True)]


@pytest.mark.parametrize("off", [Decimal(10) ** -30, -(Decimal(10) ** -41)])
def test_what_hedge_expects_is_rounded_up_from_all_its_digits(off: Decimal) -> None:
    """Of 60 digits 40 are sure: 1 less 10^−41 may be more than 1."""
    learner = hedge(1)
    with verifier.decimals(60):
        learner.charged = 1 + off
    assert learner.expected(0) == math.nextafter(1.0, 2.0)
