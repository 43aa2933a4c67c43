"""Enclosures of real numbers, with as many digits as it takes."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TypeVar

from verifier.core.certificate import TooLarge
from verifier.core.exact import LEAST, least_float

T = TypeVar("T")
Rounded = Callable[[Decimal, Decimal], Decimal]


class Precision:
    """Decimals of so many digits, rounded down and rounded up, with exponents of any size."""

    def __init__(self, digits: int) -> None:
        self.down, self.up = (
            Context(prec=digits, rounding=way, Emax=10**17, Emin=-(10**17), traps=[])
            for way in (ROUND_FLOOR, ROUND_CEILING)
        )

    def of(self, value: "Enclosure | Fraction | int") -> "Enclosure":
        """Enclose a whole number or a fraction."""
        if isinstance(value, Enclosure):
            return value
        n, d = Decimal(value.numerator), Decimal(value.denominator)
        return Enclosure(self, self.down.divide(n, d), self.up.divide(n, d))


class Enclosure:
    """Two decimals between which a real number lies: every operation rounds outward."""

    def __init__(self, digits: Precision, low: Decimal, high: Decimal) -> None:
        self.digits, self.low, self.high = digits, low, high

    def __neg__(self) -> "Enclosure":
        return Enclosure(self.digits, self.high.copy_negate(), self.low.copy_negate())

    def __add__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        at, term = self.digits, self.digits.of(other)
        return Enclosure(at, at.down.add(self.low, term.low), at.up.add(self.high, term.high))

    __radd__ = __add__

    def __sub__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        return self + -self.digits.of(other)

    def __rsub__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        return -self + other

    def __mul__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        factor = self.digits.of(other)
        return self.ends(self.digits.down.multiply, self.digits.up.multiply, factor)

    __rmul__ = __mul__

    def __truediv__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        divisor = self.digits.of(other)
        if divisor.low <= 0 <= divisor.high:
            return Enclosure(self.digits, Decimal("-Infinity"), Decimal("Infinity"))
        return self.ends(self.digits.down.divide, self.digits.up.divide, divisor)

    def __rtruediv__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        return self.digits.of(other) / self

    def ends(self, down: Rounded, up: Rounded, other: "Enclosure") -> "Enclosure":
        """Return the least and the greatest result of the ends."""
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        lows, highs = ([way(a, b) for a, b in pairs] for way in (down, up))
        return Enclosure(self.digits, min(lows), max(highs))

    def rising(self, function: Callable[[Context, Decimal], Decimal], exact: int) -> "Enclosure":
        """Apply what rises and is rounded to the nearest decimal, hence off by less than a unit.

        At `exact` it is whole, and not rounded.
        """
        down, up = self.digits.down, self.digits.up
        low, high = function(down, self.low), function(up, self.high)
        low = low if self.low == exact else down.next_minus(low)
        return Enclosure(self.digits, low, high if self.high == exact else up.next_plus(high))

    def exp(self) -> "Enclosure":
        """Return e to this power."""
        return self.rising(Context.exp, 0)

    def ln(self) -> "Enclosure":
        """Return the natural logarithm of what is above 0."""
        return self.rising(Context.ln, 1)

    def sqrt(self) -> "Enclosure":
        """Return the square root of what is at least 0."""
        return self.rising(Context.sqrt, 0)


DIGITS = (18, *(40 << doublings for doublings in range(8)))  # the first few fit a machine word


def settled(enclosure: Callable[[Precision], Enclosure], settle: Callable[[Decimal], T]) -> T:
    """Return what both ends of an enclosure settle on when it has enough digits."""
    for digits in DIGITS:
        found = enclosure(Precision(digits))
        if found.low.is_finite() and found.high.is_finite():
            low, high = settle(found.low), settle(found.high)
            if low == high:
                return low
    raise TooLarge("the certificate: it takes more than 5000 digits to decide")


def least_float_above(value: Decimal) -> float:
    """Return the least float that is at least a decimal, infinity if there is none."""
    if value > Decimal("1e400"):
        return math.inf
    if value.copy_abs() < Decimal("1e-400"):  # as a fraction it might take all memory
        return LEAST if value > 0 else 0.0
    return least_float(Fraction(value))


def rounded_up(formula: Callable[[Precision], Enclosure]) -> float:
    """Return the least float that is at least the value of a formula."""
    return settled(formula, least_float_above)
