"""Means of whole numbers, rounded once to whole numbers, and what the rounding changed."""

from fractions import Fraction

import numpy as np

from novikoff.types import AnyArray, Arrays, IntArray

_LOW = 1 << 32


class WholeMeans:
    """The means of P vectors of whole numbers; an epoch's are gathered, then mixed.

    ``moved`` is P·Δ, Δ the sum of (the rounded mean − the mean) over the epochs, and ``grown`` is
    P²·E, E that of (‖the rounded mean‖² − ‖the mean‖²). Both are whole.
    """

    def __init__(self, shards: int) -> None:
        self.shards = shards
        self.ended = 0
        """How many shards of this epoch have ended."""
        self.total: IntArray = np.zeros(0, np.int64)
        self.moved: IntArray = np.zeros(0, np.int64)
        self.grown = 0

    def add(self, weights: AnyArray) -> None:
        """Add the weights of the next shard, each within 32 bits."""
        size = max(len(weights), len(self.total))
        self.total = padded(self.total, size) + padded(weights.astype(np.int64), size)
        self.ended += 1

    def mix(self) -> IntArray:
        """Return the means, the even one of two that are as near; begin another epoch."""
        total, shards = self.total, self.shards
        mean, rest = np.divmod(total, shards)
        mean += (2 * rest > shards) | ((2 * rest == shards) & (mean % 2 == 1))
        moved = mean * shards - total
        self.moved = padded(self.moved, len(moved)) + moved
        # (Pm)² − s² = (Pm − s)(Pm + s), below 2^63 in size; its sum is taken in two parts.
        products = moved * (mean * shards + total)
        high, low = np.divmod(products, _LOW)
        self.grown += int(high.sum()) * _LOW + int(low.sum())
        self.total, self.ended = np.zeros(0, np.int64), 0
        return mean

    def moved_by(self, unit: int) -> tuple[IntArray, Fraction, Fraction]:
        """Return Δ as whole numbers and their unit, and E, if weights are multiples of 1/unit."""
        whole = unit * self.shards
        return self.moved, Fraction(1, whole), Fraction(self.grown, whole * whole)

    def state(self) -> Arrays:
        """Return all that changes, as plain arrays."""
        high, low = divmod(self.grown, 1 << 62)
        return {
            "mixing_total": self.total,
            "mixing_ended": np.array([self.ended], np.int64),
            "mixing_moved": self.moved,
            "mixing_grown": np.array([high, low], np.int64),
        }

    def restore(self, state: Arrays) -> None:
        """Take over what ``state`` returned."""
        (ended,), (high, low) = state["mixing_ended"].tolist(), state["mixing_grown"].tolist()
        if not (0 <= ended < self.shards and 0 <= low < 1 << 62):
            raise ValueError("the shards of an epoch")
        self.ended, self.grown = ended, (high << 62) + low
        self.total, self.moved = state["mixing_total"].copy(), state["mixing_moved"].copy()


def padded(array: IntArray, size: int) -> IntArray:
    """Return an array of at least this size, with zeros at its end."""
    if len(array) >= size:
        return array
    found = np.zeros(size, np.int64)
    found[: len(array)] = array
    return found
