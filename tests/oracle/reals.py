"""Real numbers: exact ones as p + √q, others by mpmath with as many digits as it takes."""

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from mpmath import mp, mpf

DIGITS = 200
MOST_DIGITS = 50_000
SURELY = 100
"""Digits to which two evaluations must agree; numbers that agree so far are taken as equal."""


class UntrueError(Exception):
    """What a certificate claims is not so, for the reason given."""


def require(condition: object, reason: str) -> None:
    """Stop where a claim is found untrue."""
    if not condition:
        raise UntrueError(reason)


@dataclass(frozen=True)
class Surd:
    """p + √q with rational p and q ≥ 0."""

    p: Fraction
    q: Fraction = Fraction(0)

    def at_most(self, other: Fraction) -> bool:
        """Whether p + √q ≤ other: squares are compared."""
        return other >= self.p and (other - self.p) ** 2 >= self.q


@dataclass(frozen=True)
class Real:
    """A number that ``evaluate`` gives to the precision mpmath is set to."""

    evaluate: Callable[[], Any]

    @cached_property
    def value(self) -> Any:
        """The number, to more than 100 digits."""
        return settled(self.evaluate)

    def at_most(self, other: Fraction) -> bool:
        """Whether it is at most another, a difference beyond 100 digits being none."""
        value = self.value
        with mp.workdps(DIGITS * 2):
            limit = real(other)
            return bool(value <= limit + max(abs(value), abs(limit)) * mpf(10) ** -SURELY)


Value = Surd | Real


def real(value: Fraction | int | float) -> Any:
    """Return a rational number as mpmath has it, at the precision that is set."""
    exact = Fraction(value)
    return mpf(exact.numerator) / mpf(exact.denominator)


def settled(evaluate: Callable[[], Any]) -> Any:
    """Evaluate with more and more digits until two results agree to 100 of them."""
    digits, before = DIGITS, None
    while digits <= MOST_DIGITS:
        with mp.workdps(digits):
            found = evaluate()
            if before is not None and abs(found - before) <= abs(found) * mpf(10) ** -SURELY:
                return found
        before, digits = found, digits + DIGITS if before is None else digits * 2
    raise AssertionError("no two evaluations agree: the number may be 0")


def is_least_float(value: Value, claimed: Any) -> bool:
    """Whether ``claimed`` is the least float64 that is not below the value."""
    if not is_number(claimed) or not fits_float(claimed):
        return False
    below = math.nextafter(float(claimed), -math.inf)
    reached = value.at_most(Fraction(claimed))
    return reached and (math.isinf(below) or not value.at_most(Fraction(below)))


def least_float(value: Value) -> float:
    """Return the least float64 that is not below the value, by bisection over all floats."""
    low, high = -math.inf, math.inf
    middle = 0.0
    while True:
        if value.at_most(Fraction(middle)):
            high = middle
        else:
            low = middle
        if math.nextafter(low, math.inf) == high:
            return high
        middle = _between(low, high)


def _between(low: float, high: float) -> float:
    """Return the float in the middle of those between two, counted by their bits."""
    return _float_of((_rank(low) + _rank(high)) // 2)


def _rank(value: float) -> int:
    """Return the place of a float among all, in their order; 0.0 is at 0."""
    bits = int(struct.unpack("<q", struct.pack("<d", value))[0])
    return bits if bits >= 0 else -(bits + 2**63)


def _float_of(rank: int) -> float:
    bits = rank if rank >= 0 else -rank - 2**63
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def is_number(value: object) -> bool:
    """Whether a JSON value is a finite number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, int) or math.isfinite(value)


def is_whole(value: object, low: int, high: int | None = None) -> bool:
    """Whether a JSON value is a whole number from low to high."""
    if not is_number(value) or Fraction(value) % 1:  # type: ignore[arg-type]
        return False
    return low <= value and (high is None or value <= high)  # type: ignore[operator]


def fits_float(value: int | float) -> bool:
    """Whether a number is a float64 exactly."""
    try:
        return Fraction(float(value)) == Fraction(value)
    except OverflowError:
        return False


def sign_of_exponentials(terms: Mapping[Fraction, Fraction]) -> int:
    """Return the sign of Σ c e^a; by Lindemann and Weierstrass it is 0 only if every c is."""
    left = {a: c for a, c in terms.items() if c}
    if not left:
        return 0
    if len({c > 0 for c in left.values()}) == 1:
        return 1 if next(iter(left.values())) > 0 else -1
    top = max(left)

    def total() -> Any:
        return mp.fsum(real(c) * mp.exp(real(a - top)) for a, c in left.items())

    return 1 if settled(total) > 0 else -1
