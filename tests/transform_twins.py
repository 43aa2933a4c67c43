"""Transforms again, from their definitions, in fractions that are rounded where floats are."""

import struct
from fractions import Fraction
from itertools import combinations
from math import isqrt
from typing import Any

from novikoff import _core
from twins import BIAS, Vector

Key = Any  # a raw feature, or a pair of them


def rounded(value: Fraction) -> Fraction:
    """The nearest float, ties to even, as a fraction."""
    return Fraction(float(value))


def power(x: Fraction) -> int:
    """The least e with |x| ≤ 2^e."""
    e = abs(x.numerator).bit_length() - x.denominator.bit_length() - 2
    while abs(x) > Fraction(2) ** e:
        e += 1
    return e


def root(x: Fraction) -> Fraction:
    """The float nearest to √x."""
    scaled = x * (1 << 2 * 1200)
    whole = isqrt(scaled.numerator // scaled.denominator)
    exact = whole * whole == scaled
    return rounded(Fraction(2 * whole + (not exact), 1 << 1201))


class Scale:
    def __init__(self) -> None:
        self.largest: dict[Key, Fraction] = {}

    def made(self, row: dict[Key, Fraction]) -> dict[Key, Fraction]:
        for i, x in row.items():
            self.largest[i] = max(abs(x), self.largest.get(i, Fraction(0)))
        return {
            i: rounded(x / Fraction(2) ** power(self.largest[i])) if x else x
            for i, x in row.items()
        }


class Normalize:
    def made(self, row: dict[Key, Fraction]) -> dict[Key, Fraction]:
        largest = max(map(abs, row.values()), default=Fraction(0))
        if largest == 0:
            return row
        u = {i: rounded(x / Fraction(2) ** power(largest)) for i, x in row.items()}
        norm = root(rounded(sum((rounded(v * v) for v in u.values()), Fraction(0))))
        return {i: rounded(v / norm) for i, v in u.items()}


class Presence:
    def made(self, row: dict[Key, Fraction]) -> dict[Key, Fraction]:
        return {i: Fraction(x != 0) for i, x in row.items()}


class Cross:
    """Groups are sets of raw features; hashed pairs that collide are added, one by one."""

    def __init__(self, *groups: set[int], bits: int | None = None) -> None:
        self.groups, self.bits = groups, bits

    def made(self, row: dict[Key, Fraction]) -> dict[Key, Fraction]:
        pairs = sorted(
            {
                (min(i, j), max(i, j))
                for a, b in combinations(self.groups, 2)
                for i in a & row.keys()
                for j in b & row.keys()
            }
        )
        if self.bits is None:
            return row | {(i, j): rounded(row[i] * row[j]) for i, j in pairs if (i, j) not in row}
        found = dict(row)
        for i, j in pairs:
            place = (_core.murmur3(struct.pack("<II", i, j)) % 2**self.bits,)
            if product := rounded(row[i] * row[j]):
                found[place] = rounded(found.get(place, Fraction(0)) + product)
        return found


class Transformed:
    """A twin that sees what the steps make of a raw row."""

    def __init__(self, twin: Any, *steps: Any) -> None:
        self.twin, self.steps = twin, steps
        self.keys: dict[Key, int] = {}

    def made(self, x: Vector) -> dict[Key, Fraction]:
        row: dict[Key, Fraction] = {j: v for j, v in x.items() if j != BIAS and v != 0}
        for step in self.steps:
            row = step.made(row)
        return {i: v for i, v in row.items() if v != 0}

    def seen(self, x: Vector) -> Vector:
        """What the twin sees of a raw row: the made features, numbered, and the constant."""
        row = {self.keys.setdefault(i, len(self.keys)): v for i, v in self.made(x).items()}
        return row | ({BIAS: x[BIAS]} if BIAS in x else {})

    def learn(self, x: Vector, y: int) -> bool:
        found: bool = self.twin.learn(self.seen(x), y)
        return found
