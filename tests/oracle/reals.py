"""Real numbers: exact ones as p + √q, others by mpmath with as many digits as it takes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from mpmath import mp, mpf

DIGITS = 200
MOST_DIGITS = 50_000
ENOUGH_DIGITS = 3_200
"""Numbers that agree so far are taken as equal."""
SURELY = 100
"""Digits to which two evaluations must agree."""


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

    @property
    def nearby(self) -> float:
        """A float close to it."""
        with mp.workdps(40):
            return float(real(self.p) + mp.sqrt(real(self.q)))


@dataclass(frozen=True)
class Real:
    """A number that ``evaluate`` gives to the precision mpmath is set to."""

    evaluate: Callable[[], Any]

    @cached_property
    def value(self) -> Any:
        """The number, to more than 100 digits."""
        return settled(self.evaluate)

    @property
    def nearby(self) -> float:
        """A float close to it."""
        return float(self.value)

    def at_most(self, other: Fraction) -> bool:
        """Whether it is at most another, with more digits until it is told from it."""
        near, digits = self.value, DIGITS
        while digits <= ENOUGH_DIGITS:
            with mp.workdps(digits):
                limit = real(other)
                gap = max(abs(near), abs(limit)) * mpf(10) ** (SURELY - digits)
                if abs(near - limit) > gap:
                    return bool(near < limit)
            digits *= 2
            with mp.workdps(digits):
                near = self.evaluate()
        return True


Value = Surd | Real


def real(value: Fraction | int | float) -> Any:
    """Return a rational number as mpmath has it, at the precision that is set."""
    exact = Fraction(value)
    return mpf(exact.numerator) / mpf(exact.denominator)


def slope(z: Fraction) -> int:
    """Return k for α = k/2³⁰ near 1/(1 + e^z): docs/certificates.md, "What no fixed weights …"."""
    floor = Context(prec=30, rounding=ROUND_FLOOR, Emax=10**17, Emin=-(10**17), traps=[])
    exponent = floor.divide(Decimal(-abs(z.numerator)), Decimal(z.denominator))
    e = floor.exp(exponent)
    alpha = floor.divide(e if z > 0 else Decimal(1), floor.add(Decimal(1), e))
    return min(int(floor.multiply(alpha, Decimal(2**30))), 2**30)


def settled(evaluate: Callable[[], Any]) -> Any:
    """Evaluate with more and more digits until two results agree to 100 of them."""
    digits, before = DIGITS, None
    while digits <= MOST_DIGITS:
        with mp.workdps(digits):
            found = evaluate()
            if before is not None and abs(found - before) <= abs(found) * mpf(10) ** -SURELY:
                return found
        before, digits = found, digits + SURELY if before is None else digits * 2
    raise AssertionError("no two evaluations agree: the number may be 0")


def is_least_float(value: Any, claimed: Any, slack: Fraction = Fraction(0)) -> bool:
    """Whether ``claimed`` is the least float64 not below the value, or not below it with slack."""
    if not is_number(claimed) or not fits_float(claimed):
        return False
    below = math.nextafter(float(claimed), -math.inf)
    reached = value.at_most(Fraction(claimed))
    if math.isinf(below):
        return bool(reached)
    return bool(reached and not value.at_most(Fraction(below) - slack * abs(Fraction(claimed))))


def least_float(value: Any) -> float:
    """Return the least float64 that is not below the value."""
    found = float(value.nearby)
    while math.isfinite(found) and not value.at_most(Fraction(found)):
        found = math.nextafter(found, math.inf)
    while math.isfinite(found):
        below = math.nextafter(found, -math.inf)
        if math.isinf(below) or not value.at_most(Fraction(below)):
            return found
        found = below
    return found


def is_number(value: object) -> bool:
    """Whether a JSON value is a finite number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, int) or math.isfinite(value)


def is_whole(value: Any, low: int, high: int | None = None) -> bool:
    """Whether a JSON value is a whole number from low to high."""
    if not is_number(value) or Fraction(value) % 1:
        return False
    return bool(low <= value and (high is None or value <= high))


def fits_float(value: int | float) -> bool:
    """Whether a number is a float64 exactly."""
    try:
        return Fraction(float(value)) == Fraction(value)
    except OverflowError:
        return False
