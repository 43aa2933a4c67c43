"""The verifier's arithmetic part by part: enclosures hold what they should, and sums are exact."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute import littlestone
from novikoff import verifier

NOTHING: Any = SimpleNamespace(dimension=0, grid=0, bias=0.0, biased=False, count=0)


def precisely(value: Any) -> Any:
    """Return a number to 200 digits; call it where mpmath has as many."""
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def holds(found: verifier.Enclosure, value: Any) -> bool:
    """Say whether an enclosure holds a number known to 200 digits."""
    return bool(precisely(found.low) <= value <= precisely(found.high))


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
    far = verifier.Precision(40).of(10**7)
    assert 0 < (-far).exp().low < far.exp().high < Decimal("inf")


FRACTIONS = st.fractions(max_denominator=10**30) | st.floats(
    allow_nan=False, allow_infinity=False, min_value=-1e30, max_value=1e30
).map(Fraction)
DIGITS = st.sampled_from([5, 40, 80])


@given(FRACTIONS, FRACTIONS, DIGITS)
def test_enclosures_hold_sums_products_and_quotients(a: Any, b: Any, digits: int) -> None:
    of = verifier.Precision(digits).of
    x, y = of(a), of(b)
    for found, exact in ((x + y, a + b), (x - b, a - b), (a - y, a - b), (x * y, a * b)):
        assert Fraction(found.low) <= exact <= Fraction(found.high)
    if b:
        assert Fraction((x / y).low) <= a / b <= Fraction((x / y).high)


@given(FRACTIONS, DIGITS)
def test_enclosures_hold_exponentials_logarithms_and_roots(a: Fraction, digits: int) -> None:
    of = verifier.Precision(digits).of
    with mpmath.workdps(200):
        if abs(a) < 10**4:
            assert holds(of(a).exp(), mpmath.exp(precisely(a)))
        if a > 0:
            assert holds(of(a).ln(), mpmath.log(precisely(a)))
            assert holds(of(a).sqrt(), mpmath.sqrt(precisely(a)))


NEAR_1 = [math.nextafter(1.0, 0.0), 1 - 2.0**-30, 0.999999, 0.5, 1e-6, 2.0**-53, 5e-324]


def _majority(beta: float, size: int, best: int) -> Any:
    learner: Any = object.__new__(verifier.WeightedMajority)
    learner.beta, learner.size, learner.groups = Fraction(beta), size, {Fraction(best): size}
    return learner


@pytest.mark.parametrize("beta", NEAR_1)
@pytest.mark.parametrize("best", [0, 1, 10**6])
@pytest.mark.parametrize("size", [2, 3, 10**6])
def test_the_bound_of_a_majority_is_the_least_float_above_it(
    beta: float, size: int, best: int
) -> None:
    """For β near 1 the logarithm of 2/(1 + β) is that of a number near 1, and must not round."""
    with mpmath.workdps(400):
        b = precisely(beta)
        above = best * mpmath.log(1 / b) + mpmath.log(size)
        value = above / mpmath.log(2 / (1 + b))
        bound = _majority(beta, size, best).bound("weighted-majority")
        assert precisely(math.nextafter(bound, 0.0)) < value <= precisely(bound)


@pytest.mark.parametrize("delta", [5e-324, 1e-300, 0.05, math.nextafter(1.0, 0.0)])
@pytest.mark.parametrize(("rounds", "mistakes"), [(1, 0), (1, 1), (10**6, 3), (10**12, 10**12)])
def test_the_progressive_bound_is_the_least_float_above_it(
    rounds: int, mistakes: int, delta: float
) -> None:
    data: Any = SimpleNamespace(count=rounds, many=False)
    with mpmath.workdps(200):
        rates = [mpmath.sqrt(mpmath.mpf(2) ** (6 - j)) for j in range(34)]
        mass = mpmath.log(34 / precisely(delta))
        value = min(
            (1 - mpmath.exp(-(rate * mistakes + mass) / rounds)) / (1 - mpmath.exp(-rate))
            for rate in rates
        )
        bound = verifier.progressive_bound(data, mistakes, delta)
        if value > 1:
            assert bound == 1
        else:
            assert precisely(math.nextafter(bound, 0.0)) < value <= precisely(bound)


Value = Callable[[Any], Any]  # of a learner, to 200 digits
REGRETS: dict[str, tuple[type[verifier.Experts], Value]] = {
    "hedge": (
        verifier.Hedge,
        lambda a: mpmath.log(a.size) / precisely(a.eta) + precisely(a.eta) * a.data.count / 8,
    ),
    "hedge-anytime": (
        verifier.Hedge,
        lambda a: (
            2 * mpmath.sqrt(a.data.count * mpmath.log(a.size) / 2)
            + mpmath.sqrt(mpmath.log(a.size) / 8)
        ),
    ),
    "exp3": (
        verifier.Exp3,
        lambda a: mpmath.sqrt(2 * a.T * a.size * mpmath.log(a.size)),
    ),
    "exp3ix": (
        verifier.Exp3IX,
        lambda a: (
            2 * mpmath.sqrt(2 * a.T * a.size * mpmath.log(a.size))
            + (mpmath.sqrt(2 * a.T * a.size / mpmath.log(a.size)) + 1)
            * mpmath.log(2 / precisely(a.delta))
        ),
    ),
    "exp3p": (
        verifier.Exp3P,
        lambda a: (
            mpmath.mpf(515)
            / 100
            * mpmath.sqrt(a.T * a.size * mpmath.log(a.size / precisely(a.delta)))
        ),
    ),
}


@pytest.mark.parametrize("theorem", REGRETS)
@pytest.mark.parametrize("size", [2, 3, (1 << 31) - 1])
@pytest.mark.parametrize("rounds", [1, 1000, (1 << 53) - 1])
@pytest.mark.parametrize("small", [5e-324, 0.05, math.nextafter(1.0, 0.0)])
def test_the_bounds_of_regrets_are_the_least_floats_above_them(
    theorem: str, size: int, rounds: int, small: float
) -> None:
    kind, exact = REGRETS[theorem]
    learner: Any = object.__new__(kind)
    learner.size, learner.T, learner.horizon = size, rounds, rounds
    learner.data, learner.delta = SimpleNamespace(count=rounds), Fraction(small)
    learner.eta, learner.theorems = Fraction(small), (theorem,)
    learner.scale = 2 * rounds * size
    bound = learner.bound(theorem)
    with mpmath.workdps(200):
        value = exact(learner)
        if bound == math.inf:
            assert value > precisely(verifier.MOST)
        else:
            assert precisely(math.nextafter(bound, 0.0)) < value <= precisely(bound)


def kernel(gamma: float) -> Any:
    return verifier.KernelPerceptron(NOTHING, "positive", {"name": "rbf", "gamma": gamma})


@pytest.mark.parametrize("gamma", [0.5, 3.0, 1e-30, 140.0])
def test_exponentials_lie_between_the_ends_of_their_enclosure(gamma: float) -> None:
    """e^{−140} is less than a unit, 2^−200."""
    point: verifier.Point = ({}, 0)
    x = ([0], [1])  # the distance is 1
    learner = kernel(gamma)
    low, high = learner.enclosed(point, x)
    with mpmath.workdps(200):
        exact = Fraction(*mpmath.libmp.to_rational((mpmath.exp(-precisely(gamma)) * 2**200)._mpf_))
    assert (low, high) == (math.floor(exact), math.floor(exact) + 1)
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
    classes: list[verifier.Class] = [
        {"table": ["-", "+"], "cube": 0, "points": None},
        {"table": ["-", "+"], "cube": None, "points": ["a"]},
    ]
    for H in classes:
        assert verifier.Halving(NOTHING, H).columns == [2]
    for d in (1, 1 << 24):
        assert verifier.Elimination(NOTHING, d, True).bound("elimination") == d


def test_a_class_whose_dimension_takes_too_long_gets_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = [f"{h:08b}".replace("0", "-").replace("1", "+") for h in range(0, 256, 3)]
    monkeypatch.setattr(verifier.StandardOptimal, "most", 100)
    learner = verifier.StandardOptimal(NOTHING, {"cube": None, "points": None, "table": table})
    with pytest.raises(verifier.TooLarge, match="Ldim"):
        learner.dimension(learner.all)


def hedge(count: int) -> Any:
    data: Any = SimpleNamespace(width=2, count=count)
    return verifier.Hedge(data, 2, 0.5, None)


def test_what_hedge_is_charged_is_enclosed_to_forty_digits() -> None:
    learner, totals, charged = hedge(3), [Fraction(0)] * 2, mpmath.mpf(0)
    rows = ([Fraction(1, 3), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(1, 7)] * 2)
    for losses in rows:
        learner.measure(1, {i: loss for i, loss in enumerate(losses) if loss}, False, 1)
        with mpmath.workdps(200):
            weights = [mpmath.exp(-precisely(total / 2)) for total in totals]
            parts = [w * precisely(v) for w, v in zip(weights, losses, strict=True)]
            charged += sum(parts) / sum(weights)
            assert holds(learner.charged, charged)
        assert learner.charged.high - learner.charged.low < Decimal("1e-50")
        totals = [a + b for a, b in zip(totals, losses, strict=True)]
    assert learner.best == min(totals)


@pytest.mark.parametrize("high", ["1." + "0" * 57 + "1", "1.0000000001"])
def test_what_hedge_expects_is_rounded_up_from_all_its_digits(high: str) -> None:
    learner = hedge(1)
    learner.charged = verifier.Enclosure(learner.digits, Decimal("0.9"), Decimal(high))
    assert learner.expected(0) == verifier.least_float(Fraction(high)) > 1
