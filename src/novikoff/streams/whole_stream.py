"""A whole stream in memory, for work that needs all of it at once."""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from novikoff.errors import InputError
from novikoff.streams.blocks.block import Block, DenseBlock, SparseBlock
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import IntArray

B = TypeVar("B", bound=Block)


def whole(stream: Stream) -> tuple[Block, list[object]]:
    """Return all rows as one block, and their labels."""
    blocks: list[Block] = []
    labels: list[object] = []
    for rounds in stream.blocks():
        found = Rounds(*rounds)
        blocks.append(found.rows)
        labels += list(found.labels)
    return as_one(blocks), labels


def as_one(parts: Iterable[Block]) -> Block:
    """Stack blocks of one form."""
    blocks = list(parts)
    if len(blocks) == 1:
        return blocks[0]
    if named := _all_of(NamedBlock, blocks):
        return NamedBlock([row for block in named for row in block.rows])
    if dense := _all_of(DenseBlock, blocks):
        return DenseBlock(np.concatenate([block.values for block in dense]))
    sparse = _all_of(SparseBlock, blocks)
    if sparse or not blocks:
        return _joined(sparse)
    raise InputError("stream: expected rows of one form, got several. Read them apart.")


def taken(block: Block, rows: IntArray) -> Block:
    """Return these rows of a block, in this order."""
    if isinstance(block, NamedBlock):
        return NamedBlock([block.rows[t] for t in rows.tolist()])
    if isinstance(block, DenseBlock):
        return DenseBlock(block.values[rows])
    if not isinstance(block, SparseBlock):
        raise InputError("stream: expected rows of numbers or names, got others. Read them apart.")
    sizes = np.diff(block.starts)[rows]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    places = np.repeat(block.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
    return SparseBlock(
        starts, block.indices[places].astype(np.int64), block.values[places], block.columns
    )


def _all_of(kind: type[B], blocks: list[Block]) -> list[B]:
    """Return the blocks if all of them are of this kind, else an empty list."""
    found = [block for block in blocks if isinstance(block, kind)]
    return found if len(found) == len(blocks) else []


def _joined(blocks: list[SparseBlock]) -> SparseBlock:
    starts, indices, values = [np.zeros(1, np.int64)], [], []
    for block in blocks:
        first, last = int(block.starts[0]), int(block.starts[-1])
        starts.append(block.starts[1:].astype(np.int64) - first + starts[-1][-1])
        indices.append(block.indices[first:last].astype(np.int64))
        values.append(block.values[first:last].astype(np.float64))
    columns = max((block.columns for block in blocks), default=0)
    empty = [np.zeros(0, np.int64)], [np.zeros(0)]
    return SparseBlock(
        np.concatenate(starts),
        np.concatenate(indices or empty[0]),
        np.concatenate(values or empty[1]),
        columns,
    )
