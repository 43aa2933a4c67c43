"""The mean of the weights of several shards: each weight is summed exactly and rounded once."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.types import AnyArray, FloatArray, IntArray

MOST_SHARDS = 1 << 24


@dataclass(frozen=True)
class Ended:
    """The weights of a shard at the end of an epoch: sums of floats, mostly of one."""

    weights: FloatArray
    slots: IntArray
    """Where further parts belong; a slot may have several."""
    parts: FloatArray

    def in_order(self) -> "Ended":
        """Return the same with ascending slots."""
        if (np.diff(self.slots) >= 0).all():
            return self
        order = np.argsort(self.slots, kind="stable")
        return Ended(self.weights, self.slots[order], self.parts[order])

    def terms(self, slot: int) -> Iterator[float]:
        """Yield the floats that add up to one weight; slots must ascend."""
        if slot < len(self.weights):
            yield float(self.weights[slot])
        first, last = np.searchsorted(self.slots, [slot, slot + 1])
        yield from self.parts[first:last].tolist()


class Mean(NamedTuple):
    """Rounded means, and which of them are not exact."""

    weights: FloatArray
    rounded: AnyArray


def mean_of(ends: Sequence[Ended]) -> Mean:
    """Return the mean of the shards' weights, each the float nearest to the exact mean.

    Floats in the core do nearly all of it (``shard_mean.hpp`` has the proof). Fractions do the
    rest: weights of extreme size, and sums that three floats do not hold.
    """
    sorted_ends = [end.in_order() for end in ends]
    weights, rounded, doubtful = _core.shard_mean(
        [np.ascontiguousarray(end.weights, np.float64) for end in sorted_ends],
        [np.ascontiguousarray(end.slots, np.int64) for end in sorted_ends],
        [np.ascontiguousarray(end.parts, np.float64) for end in sorted_ends],
    )
    for slot in doubtful.tolist():
        total = sum((Fraction(v) for end in sorted_ends for v in end.terms(slot)), Fraction(0))
        weights[slot] = _nearest(total / len(ends))
        rounded[slot] = Fraction(float(weights[slot])) != total / len(ends)
    return Mean(weights, rounded)


def _nearest(value: Fraction) -> float:
    """Return the finite float that is nearest to a value."""
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -sys.float_info.max
