"""Brings features of any scale near 1 by a power of two, which changes none of their digits.

A w for x·2^s is w·2^s for x, with the same margins. So costs and squares stay within the floats.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from novikoff.comparators.soft_margin import Found, Rows
from novikoff.comparators.solver import BiasWeight
from novikoff.streams import ArrayBlock, Block
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.types import AnyArray

_FAR = 60  # this many powers of two from 1, squares and costs begin to leave the floats
Blocks = list[tuple[ArrayBlock, AnyArray]]


@dataclass(frozen=True)
class Scaled:
    """Rounds whose x's are multiplied by 2^shift."""

    blocks: Blocks
    bias: float
    shift: int
    lossless: bool
    """Whether every digit survived; False if some values were so small that they became 0."""

    def original(self, found: Found) -> Found:
        """Return the w for the original rounds; a weight too small for a float becomes 0."""
        w, bias_weight = (
            np.nan_to_num(_shifted(part, self.shift), posinf=0.0, neginf=0.0)
            for part in (found.w, found.bias_weight)
        )
        return replace(found, w=w, bias_weight=bias_weight if w.ndim > 1 else float(bias_weight))

    def restorable(self, rows: Rows, found: Found) -> Found:
        """Return a comparator without the weights that ``original`` would lose."""
        kept = self.original(found)
        w, bias_weight = (_shifted(part, -self.shift) for part in (kept.w, kept.bias_weight))
        if np.array_equal(w, found.w) and np.array_equal(bias_weight, found.bias_weight):
            return found
        return rows.measured(w, bias_weight if w.ndim > 1 else float(bias_weight))


def near_one(given: Iterable[tuple[Block, AnyArray]], bias: float | None) -> Scaled:
    """Return rounds with their largest value near 1, if it was far from it."""
    kept = [
        (block, labels) for block, labels in given if isinstance(block, (DenseBlock, SparseBlock))
    ]
    values = [block.values for block, _ in kept]
    largest = max([abs(bias or 0.0), *(float(np.abs(part).max(initial=0)) for part in values)])
    shift = -math.frexp(largest)[1]
    if abs(shift) < _FAR:
        return Scaled([*kept], bias or 0.0, 0, True)
    blocks = [(_times(block, shift), labels) for block, labels in kept]
    constant = math.ldexp(bias or 0.0, shift)
    again = (_times(block, -shift).values for block, _ in blocks)
    same = all(map(np.array_equal, again, values)) and math.ldexp(constant, -shift) == (bias or 0)
    return Scaled([*blocks], constant, shift, same)


def _shifted(part: BiasWeight, shift: int) -> AnyArray:
    with np.errstate(over="ignore", under="ignore"):
        found: AnyArray = np.ldexp(np.asarray(part), shift)
    return found


def _times(block: DenseBlock | SparseBlock, shift: int) -> DenseBlock | SparseBlock:
    values = _shifted(block.values.astype(np.float64), shift)
    if isinstance(block, SparseBlock):
        return SparseBlock(block.starts, block.indices, values, block.columns)
    return DenseBlock(np.ascontiguousarray(values))
