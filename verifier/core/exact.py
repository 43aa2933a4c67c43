"""Exact arithmetic: a float is a whole number over a power of two."""

import math
import struct
import sys
from collections.abc import Iterable
from fractions import Fraction
from itertools import repeat
from operator import mul

from verifier.core.certificate import Json, Refused

Vector = tuple[list[int], list[int]]  # indices, and values as whole numbers
LEAST, MOST = math.ulp(0.0), sys.float_info.max  # of the floats above 0
BELOW_1, BELOW_1E100 = math.nextafter(1.0, 0.0), math.nextafter(1e100, 0.0)


def grid(values: Iterable[float]) -> int:
    """Return the least g for which every value times 2^g is whole."""
    return max([d for _, d in map(float.as_integer_ratio, values)], default=1).bit_length() - 1


def whole(values: Iterable[float], g: int) -> list[int]:
    """Return each value times 2^g, which is whole."""
    try:
        return list(map(int, map(math.ldexp, values, repeat(g))))
    except OverflowError:  # beyond what a float holds
        return [int(Fraction(v) * (1 << g)) for v in values]


def dot(w: dict[int, int], x: Vector) -> int:
    """Return w·x."""
    return sum(map(mul, map(w.get, x[0], repeat(0)), x[1]))


def least_float(value: Fraction, root: Fraction = Fraction(0)) -> float:
    """Return the least float that is at least value + √root, infinity if there is none."""
    n, d = root.numerator, root.denominator
    try:
        near = float(value + Fraction(math.isqrt(n * d << 128), d << 64))  # to 64 bits, from below
    except OverflowError:
        return math.inf

    def enough(at: int) -> bool:
        f = float_at(at)
        return f == math.inf or (f >= value and (Fraction(f) - value) ** 2 >= root)

    low = high = place_of(near)
    while not enough(high):  # it is the next float, unless value and √root cancel
        low, high = high, min(2 * high - low + 1, place_of(math.inf))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float_at(high)


def place_of(value: float) -> int:
    """Return the place of a float among all floats, that of 0 being 0."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & (1 << 63) - 1)


def float_at(place: int) -> float:
    """Return the float at a place."""
    found: float = struct.unpack("<d", struct.pack("<q", abs(place)))[0]
    return found if place >= 0 else -found


def above_0(value: Json, name: str, most: float = MOST) -> Fraction:
    """Return a float that must be above 0 and at most so much."""
    if not (isinstance(value, float) and 0 < value <= most):
        raise Refused(f"its {name} is no float above 0 and up to {most}")
    return Fraction(value)
