"""Sums Σ c e^a with rational c and a: a ring in which signs are certain."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from oracle.reals import real


@dataclass(frozen=True)
class Sum:
    """Σ c e^a as {a: c}."""

    terms: dict[Fraction, Fraction]

    @staticmethod
    def of(value: Fraction | int) -> "Sum":
        """Return a rational number."""
        return Sum({Fraction(0): Fraction(value)})

    def __add__(self, other: "Sum") -> "Sum":
        """Add two: terms of equal exponents meet."""
        found: dict[Fraction, Fraction] = defaultdict(Fraction, self.terms)
        for a, c in other.terms.items():
            found[a] += c
        return Sum(found)

    def __mul__(self, other: "Sum") -> "Sum":
        """Multiply two: e^a e^b = e^(a + b)."""
        found: dict[Fraction, Fraction] = defaultdict(Fraction)
        for a, c in self.terms.items():
            for b, d in other.terms.items():
                found[a + b] += c * d
        return Sum(found)

    def __sub__(self, other: "Sum") -> "Sum":
        """Subtract."""
        return self + other * Sum.of(-1)

    @property
    def sign(self) -> int:
        """The sign; by Lindemann and Weierstrass the sum is 0 only if every c is."""
        left = {a: c for a, c in self.terms.items() if c}
        if not left:
            return 0
        if len({c > 0 for c in left.values()}) == 1:
            return 1 if next(iter(left.values())) > 0 else -1
        top, digits = max(left), 50
        while True:
            with mp.workdps(digits):
                found = [real(c) * mp.exp(real(a - top)) for a, c in left.items()]
                total, size = mp.fsum(found), mp.fsum(map(abs, found))
                if abs(total) > size * mpf(10) ** (20 - digits):
                    return 1 if total > 0 else -1
            digits *= 2

    @property
    def value_if_rational(self) -> Fraction:
        """The number, where every exponent is 0."""
        assert not any(self.terms)
        return sum(self.terms.values(), Fraction(0))

    @property
    def value(self) -> Any:
        """The number, at the precision that is set."""
        return mp.fsum(real(c) * mp.exp(real(a)) for a, c in self.terms.items())


ZERO = Sum({})


@dataclass(frozen=True)
class Root:
    """(p + √q)/r for sums p, q ≥ 0 and r > 0."""

    p: Sum
    q: Sum
    r: Sum

    def at_most(self, other: Fraction) -> bool:
        """Whether p + √q ≤ r·other: squares are compared."""
        room = self.r * Sum.of(other) - self.p
        return room.sign >= 0 and (room * room - self.q).sign >= 0

    @property
    def nearby(self) -> float:
        """A float close to it."""
        with mp.workdps(60):
            root = mp.sqrt(abs(self.q.value))
            return float((self.p.value + root) / self.r.value)
