"""Streams over any iterable of (x, y)."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from novikoff.errors import InputError
from novikoff.streams.block import Block, DenseBlock, is_pair, one_row, sparse_rows
from novikoff.streams.stream import Stream
from novikoff.types import Label

_ROUNDS_PER_BLOCK = 1024


class IterableStream(Stream):
    """Pairs (x, y), gathered into blocks; x is a vector or a pair (indices, values)."""

    name = "iterable"

    def __init__(self, pairs: Iterable[tuple[Any, Any]], positive: Label | None = None) -> None:
        self.pairs = pairs
        self.positive = positive
        self.replayable = iter(pairs) is not pairs

    def blocks(self) -> Iterator[tuple[Block, Any]]:
        """Yield blocks of rows of one form.

        Rounds gathered before an error are yielded before it is raised.
        """
        gathered: list[Any] = []
        labels: list[Any] = []
        form: object = None
        error: BaseException | None = None
        pairs = iter(self.pairs)
        for number in range(1, 2**62):
            try:
                pair = next(pairs)
                x, y = _split(pair, number)
            except StopIteration:
                break
            except Exception as raised:
                error = raised
                break
            found = _form(x)
            if gathered and (found != form or len(gathered) == _ROUNDS_PER_BLOCK):
                yield _join(gathered), labels
                gathered, labels = [], []
            form = found
            gathered.append(x)
            labels.append(y)
        if gathered:
            yield _join(gathered), labels
        if error is not None:
            raise error


def as_stream(source: Any, positive: Label | None = None) -> Stream:
    """Take a stream as it is, and any iterable of (x, y) as a stream."""
    if isinstance(source, Stream):
        return source
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, dict, np.ndarray)):
        return IterableStream(source, positive)
    raise InputError(
        f"stream: expected a stream or an iterable of (x, y), got {type(source).__name__}. "
        "Wrap arrays with nv.stream(X, y)."
    )


def _split(pair: Any, number: int) -> tuple[Any, Any]:
    try:
        x, y = pair
    except (TypeError, ValueError):
        raise InputError(
            f"round {number}: expected a pair (x, y), got {type(pair).__name__}. "
            "Wrap arrays with nv.stream(X, y)."
        ) from None
    if is_pair(x):
        return x, y
    block = one_row(x, f"round {number}")
    return block, y


def _form(x: Any) -> object:
    if isinstance(x, DenseBlock):
        return x.values.dtype, x.columns
    return "sparse"


def _join(gathered: list[Any]) -> Block:
    if isinstance(gathered[0], DenseBlock):
        return DenseBlock(np.concatenate([row.values for row in gathered]))
    if isinstance(gathered[0], tuple):
        return sparse_rows(gathered)
    return gathered[0] if len(gathered) == 1 else _stack(gathered)


def _stack(rows: list[Any]) -> Block:
    return sparse_rows([row.row(0) for row in rows])
