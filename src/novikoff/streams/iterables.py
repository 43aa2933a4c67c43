"""Streams over any iterable of (x, y)."""

import itertools
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from novikoff.errors import InputError
from novikoff.streams.block import Block, DenseBlock, SparseBlock, one_row, sparse_rows
from novikoff.streams.stream import Stream

_MOST_ROUNDS = 1024
_QUICK = 1e-3  # seconds; a source slower than this is played round by round


class IterableStream(Stream):
    """Pairs (x, y), gathered into blocks; x is a vector or a pair (indices, values).

    A source that can be iterated once is played as it arrives: rounds are gathered only while
    the source is quick, so a slow one is never kept waiting for its next example.
    """

    name = "iterable"

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs = pairs
        self.replayable = not isinstance(pairs, Iterator)

    @property
    def origin(self) -> object:
        """The iterable itself."""
        return self.pairs

    def blocks(self) -> Iterator[tuple[Block, Any]]:
        """Yield blocks of rows of one form; rounds gathered before an error come before it."""
        rows: list[Block] = []
        labels: list[Any] = []
        limit = _MOST_ROUNDS if self.replayable else 1
        error: BaseException | None = None
        pairs = iter(self.pairs)
        for number in itertools.count(1):
            began = time.perf_counter()
            try:
                row, y = _split(next(pairs), number)
            except StopIteration:
                break
            except BaseException as raised:  # a Ctrl-C inside the source, too, comes after them
                error = raised
                break
            if not self.replayable:
                quick = time.perf_counter() - began < _QUICK
                limit = min(2 * limit, _MOST_ROUNDS) if quick else 1
            if rows and _form(row) != _form(rows[0]):
                yield _join(rows), labels
                rows, labels = [], []
            rows.append(row)
            labels.append(y)
            if len(rows) >= limit:
                yield _join(rows), labels
                rows, labels = [], []
        if rows:
            yield _join(rows), labels
        if error is not None:
            raise error


def as_stream(source: Any) -> Stream:
    """Take a stream as it is, and any iterable of (x, y) as a stream."""
    if isinstance(source, Stream):
        return source
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, dict, np.ndarray)):
        return IterableStream(source)
    raise InputError(
        f"stream: expected a stream or an iterable of (x, y), got {type(source).__name__}. "
        "Wrap arrays with nv.stream(X, y)."
    )


def _split(pair: Any, number: int) -> tuple[Block, Any]:
    try:
        x, y = pair
    except (TypeError, ValueError):
        raise InputError(
            f"example {number}: expected a pair (x, y), got {type(pair).__name__}. "
            "Wrap arrays with nv.stream(X, y)."
        ) from None
    return one_row(x, f"example {number}"), y


def _form(row: Block) -> object:
    return (row.values.dtype, row.columns) if isinstance(row, DenseBlock) else "sparse"


def _join(rows: list[Block]) -> Block:
    if len(rows) == 1:
        return rows[0]
    if isinstance(rows[0], DenseBlock):
        return DenseBlock(np.concatenate([r.values for r in rows if isinstance(r, DenseBlock)]))
    return sparse_rows([r.row(0) for r in rows if isinstance(r, SparseBlock)])
