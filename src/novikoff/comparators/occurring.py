"""Columns that occur. Hashing leaves most of millions of columns empty: a search skips those.

The weights of the others then lie side by side, which is most of what makes the search fast.
"""

import numpy as np

from novikoff.comparators.scaling import Blocks
from novikoff.streams.blocks.block import SparseBlock
from novikoff.types import FloatArray, IntArray

_MANY = 1 << 16  # columns, from which on it is worth looking
_FEW = 4  # if one in so many occurs, the rows are worth a copy


def occurring(blocks: Blocks) -> tuple[Blocks, IntArray | None]:
    """Return the rows without columns that hold no value, and the columns left, in order.

    If there are few columns, or most of them occur, return the rows as they are, and None.
    """
    sparse = [block for block, _ in blocks if isinstance(block, SparseBlock)]
    width = max((block.columns for block in sparse), default=0)
    if len(sparse) < len(blocks) or width < _MANY:
        return blocks, None
    seen = np.zeros(width, bool)
    for block in sparse:
        indices = block.indices[_inside(block)]
        if not (indices.min(initial=0) >= 0 and indices.max(initial=0) < width):
            return blocks, None  # whoever reads the rows names what is wrong
        seen[indices] = True
    columns: IntArray = np.flatnonzero(seen)
    if len(columns) * _FEW > width:
        return blocks, None
    places: IntArray = np.cumsum(seen) - 1
    narrow = [_renamed(block, places, len(columns)) for block in sparse]
    return [(block, y) for block, (_, y) in zip(narrow, blocks, strict=True)], columns


def weights_of(columns: IntArray, w: FloatArray) -> FloatArray:
    """Return the weights of some columns; those beyond the end of w are 0."""
    found = np.zeros((len(columns), *w.shape[1:]))
    inside = columns < len(w)
    found[inside] = w[columns[inside]]
    return found


def renumbered(columns: IntArray | None, entries: list[list[float]]) -> list[list[float]]:
    """Return […, column, weight] with the original columns; the constant's stays −1."""
    if columns is None:
        return entries
    names = [*columns.tolist(), -1]
    return [[*rest, names[int(j)], weight] for *rest, j, weight in entries]


def _renamed(block: SparseBlock, places: IntArray, columns: int) -> SparseBlock:
    """Return a block's rows, with other numbers for its columns."""
    inside = _inside(block)
    indices = places.astype(block.indices.dtype)[block.indices[inside]]
    starts = block.starts - block.starts[0]
    return SparseBlock(starts, indices, block.values[inside], columns)


def _inside(block: SparseBlock) -> slice:
    """Say which of its values are in a block, which may be a part of another."""
    return slice(int(block.starts[0]), int(block.starts[-1]))
