"""Streams over any iterable of (x, y)."""

import itertools
import time
from collections.abc import Iterable, Iterator
from types import GeneratorType
from typing import TypeGuard

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.streams.answering import AnsweringStream, is_adversary
from novikoff.streams.blocks.block import Block, DenseBlock, SparseBlock, sparse_rows
from novikoff.streams.blocks.forms import one_row
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.blocks.points import PointBlock
from novikoff.streams.frames import is_frame
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import AnyArray

_MOST_ROUNDS = 1024
_LONG = 4096  # values; longer vectors are kept one by one until they are joined
_QUICK = 1e-3  # seconds; a source slower than this is played round by round


class IterableStream(Stream):
    """Pairs (x, y), in blocks; x is a vector, a pair (indices, values), a dict or a point.

    In a triple (x, y, weight), the weight scales the update.

    A source that can be iterated only once is played as it arrives. Rounds are gathered only while
    the source is quick, so that the rounds of a slow source are played at once.
    """

    name = "iterable"

    def __init__(self, pairs: Iterable[Iterable[object]]) -> None:
        self.pairs = pairs
        self.replayable = not isinstance(pairs, Iterator)

    @property
    def origin(self) -> object:
        """The iterable itself."""
        return self.pairs

    def blocks(self) -> Iterator[Rounds]:
        """Yield blocks of rows of one form; rounds gathered before an error come before it."""
        gathered = _Gathered()
        limit = _MOST_ROUNDS if self.replayable else 1
        reused = type(self.pairs) not in (list, tuple)  # might the source use its x again?
        error: BaseException | None = None
        pairs = iter(self.pairs)
        for number in itertools.count(1):
            began = time.perf_counter()
            try:
                pair = next(pairs)
                if type(pair) is tuple and len(pair) == 2:
                    (x, y), weight = pair, None
                else:
                    x, y, weight = _split(pair, number)
                x = x if self.worded_as is None else self.worded_as.row(x)
                row = None if gathered.put(x) else _row(x, number, reused)
            except StopIteration:
                break
            except BaseException as raised:  # a Ctrl-C inside the source, too, comes after them
                error = raised
                break
            if not self.replayable:
                quick = time.perf_counter() - began < _QUICK
                limit = min(2 * limit, _MOST_ROUNDS) if quick else 1
            if row is not None:
                if gathered.labels and _form(row) != gathered.form:
                    yield gathered.rounds()
                    gathered = _Gathered()
                gathered.add(row)
            gathered.label(y, weight)
            if len(gathered.labels) >= limit:
                yield gathered.rounds()
                gathered = _Gathered()
        if gathered.labels:
            yield gathered.rounds()
        if error is not None:
            raise error


Row = dict[str, object] | AnyArray | SparseBlock | PointBlock
"""A dense row is a vector of float32 or float64."""


class _Gathered:
    """Rounds whose rows have one form."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.labels: list[object] = []
        self.weights: list[object] | None = None
        self.form: object = None
        self.values: AnyArray | None = None
        """The rows, if they are dense and not long: a matrix that is filled as they come."""
        self.shape: tuple[int, ...] = ()
        self.dtype: object = None
        self.lists: _core.Vectors | None = None
        """Writes lists of numbers to the matrix, if it is one of float64."""

    def put(self, x: object) -> bool:
        """Copy a vector like those before it to the matrix; say whether that is done.

        The round of every vector that is put must get its ``label``.
        """
        values = self.values
        if values is None:
            return False
        if type(x) is np.ndarray:
            if x.dtype is not self.dtype or x.shape != self.shape:
                return False
            values[len(self.labels)] = x
            return True
        return self.lists is not None and self.lists.put(len(self.labels), x)

    def add(self, row: Row) -> None:
        """Take a row, the first one or one of the same form."""
        if not self.labels:
            self.form = _form(row)
            if isinstance(row, np.ndarray) and 0 < len(row) <= _LONG:
                self.values = np.empty((_MOST_ROUNDS, len(row)), row.dtype)
                self.shape, self.dtype = row.shape, row.dtype
                self.lists = _core.Vectors(self.values) if row.dtype == np.float64 else None
        if self.values is None:
            self.rows.append(row)
        else:
            self.values[len(self.labels)] = row

    def label(self, y: object, weight: object) -> None:
        """Take the label and the weight of the round whose row came last."""
        if weight is not None and self.weights is None:
            self.weights = [1.0] * len(self.labels)
        if self.weights is not None:
            self.weights.append(1.0 if weight is None else weight)
        self.labels.append(y)

    def rounds(self) -> Rounds:
        block = _join(self.rows) if self.values is None else self._matrix(self.values)
        return Rounds(block, self.labels, self.weights)

    def _matrix(self, values: AnyArray) -> Block:
        return DenseBlock(values[: len(self.labels)])


def as_stream(source: object) -> Stream:
    """Take a stream as it is, and any iterable of (x, y) as a stream."""
    if isinstance(source, Stream):
        return source
    if is_adversary(source):
        return AnsweringStream(source)
    frame = is_frame(source)
    other = frame or isinstance(source, (str, bytes, dict, np.ndarray))
    if isinstance(source, GeneratorType) and source.gi_frame is None:
        raise InputError(
            "stream: expected rounds, got a generator that has come to its end. It can be read "
            "only once: make a new one for every play, or keep its rounds in a list."
        )
    if isinstance(source, Iterable) and not other:
        return IterableStream(source)
    raise InputError(
        f"stream: expected a stream or an iterable of (x, y), got {type(source).__name__}. "
        + (
            "Name its label: nv.stream(frame, 'column')."
            if frame
            else "Read files with nv.read(path)."
            if isinstance(source, str)
            else "Wrap arrays with nv.stream(X, y)."
        )
    )


def _split(pair: Iterable[object], number: int) -> tuple[object, object, object]:
    """Return (x, y, the weight or None)."""
    try:
        x, y, *rest = pair
        if len(rest) > 1:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            f"example {number}: expected a pair (x, y), or (x, y, weight), got "
            f"{type(pair).__name__}. Wrap arrays with nv.stream(X, y)."
        ) from None
    return x, y, rest[0] if rest else None


def _row(x: object, number: int, reused: bool) -> Row:
    """Return x as a row; a copy if the source might use x again for its next rows."""
    if type(x) is dict:
        return dict(x) if reused else x
    found = one_row(x, f"example {number}")
    if isinstance(found, NamedBlock):
        return dict(found.rows[0]) if reused else found.rows[0]
    if isinstance(found, DenseBlock):
        vector: AnyArray = found.values[0]
        return vector.copy() if reused else vector
    return found.copy() if reused else found


def _form(row: Row) -> object:
    if isinstance(row, np.ndarray):
        return row.dtype, len(row)
    return "sparse" if isinstance(row, SparseBlock) else type(row)


def _join(rows: list[Row]) -> Block:
    """Return rows of one form as a block."""
    if _are_dicts(rows):
        return NamedBlock(rows)
    if _are_vectors(rows):
        return DenseBlock(np.stack(rows))
    first = rows[0]
    if isinstance(first, PointBlock):
        return PointBlock([row.points[0] for row in rows if isinstance(row, PointBlock)])
    if len(rows) == 1 and isinstance(first, SparseBlock):
        return first
    return sparse_rows([r.row(0) for r in rows if isinstance(r, SparseBlock)])


def _are_dicts(rows: list[Row]) -> TypeGuard[list[dict[str, object]]]:
    """Say whether rows, which have one form, are dicts."""
    return isinstance(rows[0], dict)


def _are_vectors(rows: list[Row]) -> TypeGuard[list[AnyArray]]:
    """Say whether rows, which have one form, are dense."""
    return isinstance(rows[0], np.ndarray)
