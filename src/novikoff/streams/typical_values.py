"""The typical size of a value, which is a good size for a constant feature."""

import math
from collections.abc import Generator, Iterator
from contextlib import closing

import numpy as np

from novikoff.errors import as_float
from novikoff.streams.blocks.block import Block
from novikoff.streams.stream import Rounds, Stream

ROWS = 1000
_LARGEST_POWER = 300


def typical_value(stream: Stream, rows: int = ROWS) -> float:
    """Return the power of two at or below √(mean of v²), over the values v ≠ 0 of the first rows.

    A power of two costs the exact arithmetic nothing. Without any value it is 1.

    >>> from novikoff.streams import stream
    >>> typical_value(stream([[0.1, 0.0], [0.0, -0.15]], [1, -1]))
    0.125
    """
    logs: list[float] = []
    with closing(_first(stream, rows)) as blocks:
        for block in blocks:
            logs += [math.log2(abs(v)) for v in _values(block) if v and math.isfinite(v)]
    if not logs:
        return 1.0
    largest = max(logs)  # squares of the rest, relative to the largest, cannot overflow
    mean = sum(4.0 ** (one - largest) for one in logs) / len(logs)
    power = math.floor(largest + math.log2(mean) / 2)
    return 2.0 ** max(-_LARGEST_POWER, min(power, _LARGEST_POWER))


def _first(stream: Stream, rows: int) -> Generator[Block]:
    """Yield blocks until they have this many rows."""
    for found in stream.blocks():
        block = Rounds(*found).rows
        yield block.part(0, min(rows, len(block)))
        rows -= len(block)
        if rows <= 0:
            return


def _values(block: Block) -> Iterator[float]:
    """Yield the values of every row; a text is a feature of value 1."""
    for t in range(len(block)):
        row = block.row(t)
        if isinstance(row, dict):
            yield from (1.0 if isinstance(v, str) else as_float(v) for v in row.values())
        else:
            yield from np.asarray(row[1] if isinstance(row, tuple) else row, float).tolist()
