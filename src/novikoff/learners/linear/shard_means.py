"""The mean of the weights of several shards: each weight is summed exactly and rounded once."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.types import AnyArray, FloatArray, IntArray

MOST_SHARDS = 1 << 24
_TOGETHER = 1 << 14  # weights that are in the cache at once
_SPLIT = 2.0**27 + 1  # takes a float apart into two halves
_FAR = 2.0**900  # sizes beyond this, or below its inverse, are left to fractions


@dataclass(frozen=True)
class Ended:
    """The weights of a shard at the end of an epoch: sums of floats, mostly of one."""

    weights: FloatArray
    slots: IntArray
    """Where further parts belong; a slot may have several."""
    parts: FloatArray


class Mean(NamedTuple):
    """Rounded means, and which of them are not exact."""

    weights: FloatArray
    rounded: AnyArray


class _Sum(NamedTuple):
    """value + error, |error| ≤ ½ ulp(value), is a sum, unless it is `lost`."""

    value: FloatArray
    error: FloatArray
    lost: AnyArray


def mean_of(ends: Sequence[Ended]) -> Mean:
    """Return the mean of the shards' weights, each the float nearest to the exact mean.

    Floats do nearly all of it: a sum in two floats, its quotient, and the exact remainder, which
    tells whether the quotient is the nearest float. Fractions do the rest.
    """
    size = max(len(end.weights) for end in ends)
    found = Mean(np.zeros(size), np.zeros(size, bool))
    layers = [end.weights for end in ends] + [one for end in ends for one in _layers(end)]
    hard: list[int] = []
    with np.errstate(all="ignore"):
        for start in range(0, size, _TOGETHER):
            inside = slice(start, min(start + _TOGETHER, size))
            total = _summed([layer[inside] for layer in layers], inside.stop - start)
            doubt = _divide(total, len(ends), found.weights[inside], found.rounded[inside])
            hard += (np.flatnonzero(doubt) + start).tolist()
    for slot in hard:
        mean = sum((Fraction(float(one[slot])) for one in layers if slot < len(one)), Fraction(0))
        mean /= len(ends)
        found.weights[slot] = _nearest(mean)
        found.rounded[slot] = Fraction(float(found.weights[slot])) != mean
    return found


def _layers(end: Ended) -> Iterator[FloatArray]:
    """Yield the further parts in their places, in as many layers as a slot has parts."""
    slots, parts = end.slots, end.parts
    while len(slots):
        _, first = np.unique(slots, return_index=True)
        layer = np.zeros(len(end.weights))
        layer[slots[first]] = parts[first]
        yield layer
        slots, parts = np.delete(slots, first), np.delete(parts, first)


def _summed(layers: list[FloatArray], size: int) -> _Sum:
    """Add up arrays of at most this size, each entry in two floats."""
    value, error, lost = np.zeros(size), np.zeros(size), np.zeros(size, bool)
    for layer in layers:
        n = len(layer)
        value[:n], below = _two_sum(value[:n], layer)
        error[:n], rest = _two_sum(error[:n], below)
        lost[:n] |= rest != 0
    value, error = _two_sum(value, error)
    return _Sum(value, error, lost)


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a + b rounded, and its rounding error (knuth1997)."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


def _divide(total: _Sum, count: int, quotient: FloatArray, rounded: AnyArray) -> AnyArray:
    """Write the rounded quotients, and whether they were rounded; return which are in doubt."""
    np.divide(total.value, count, out=quotient)
    scaled = _SPLIT * quotient
    high = scaled - (scaled - quotient)
    product = quotient * count
    below = (high * count - product) + (quotient - high) * count
    rest = ((total.value - product) - below) + total.error  # of the true mean, times count
    np.not_equal(rest, 0, out=rounded)
    size = np.abs(total.value)
    plain = (size < _FAR) & (size > 1 / _FAR)
    step = np.abs(np.nextafter(quotient, np.where(rest > 0, np.inf, -np.inf)) - quotient)
    near = 2 * np.abs(rest) < step * count * (1 - 2.0**-40)
    certain = plain & (near | (total.error == 0)) | (size == 0)
    rounded |= ~plain & (size > 0)
    doubt: AnyArray = total.lost | ~certain
    return doubt


def _nearest(value: Fraction) -> float:
    """Return the finite float that is nearest to a value."""
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -sys.float_info.max
