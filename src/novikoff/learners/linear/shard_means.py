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
    rest = (total.value - product) - below  # exactly, of the true mean times count
    size = np.abs(total.value)
    doubt: AnyArray = total.lost | ~((size < _FAR) & (size > 1 / _FAR) | (size == 0))
    if total.error.any():
        rest, slip = _two_sum(rest, total.error)
        doubt |= _step(quotient, rest, count) | (slip != 0)
    np.not_equal(rest, 0, out=rounded)
    return doubt


def _step(quotient: FloatArray, rest: FloatArray, count: int) -> AnyArray:
    """Move quotients to the next float if that is nearer, or as near and even.

    Return which are in doubt, because the true mean is beyond the next float.
    """
    further = np.nextafter(quotient, np.where(rest > 0, np.inf, -np.inf))
    whole = np.abs(further - quotient) * count
    twice = 2 * np.abs(rest)
    odd = quotient.view(np.int64) & 1 == 1
    np.copyto(quotient, further, where=(twice > whole) | ((twice == whole) & odd))
    beyond: AnyArray = np.abs(rest) > whole
    return beyond


def _nearest(value: Fraction) -> float:
    """Return the finite float that is nearest to a value."""
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -sys.float_info.max
