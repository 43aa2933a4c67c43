"""Streams over any iterable of (x, y)."""

import itertools
import time
from collections.abc import Iterable, Iterator
from typing import TypeGuard

import numpy as np

from novikoff.errors import InputError
from novikoff.streams.answering import AnsweringStream, is_adversary
from novikoff.streams.blocks.block import Block, DenseBlock, SparseBlock, sparse_rows
from novikoff.streams.blocks.forms import one_row
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.blocks.points import PointBlock
from novikoff.streams.frames import is_frame
from novikoff.streams.stream import Rounds, Stream

_MOST_ROUNDS = 1024
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
                row, y, weight = _split(next(pairs), number, reused)
            except StopIteration:
                break
            except BaseException as raised:  # a Ctrl-C inside the source, too, comes after them
                error = raised
                break
            if not self.replayable:
                quick = time.perf_counter() - began < _QUICK
                limit = min(2 * limit, _MOST_ROUNDS) if quick else 1
            if gathered.rows and _form(row) != gathered.form:
                yield gathered.rounds()
                gathered = _Gathered()
            gathered.add(row, y, weight)
            if len(gathered.rows) >= limit:
                yield gathered.rounds()
                gathered = _Gathered()
        if gathered.rows:
            yield gathered.rounds()
        if error is not None:
            raise error


Row = dict[str, object] | DenseBlock | SparseBlock | PointBlock


class _Gathered:
    """Rounds whose rows have one form."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.labels: list[object] = []
        self.weights: list[object] = []
        self.form: object = None
        self.weighted = False

    def add(self, row: Row, y: object, weight: object) -> None:
        if not self.rows:
            self.form = _form(row)
        self.rows.append(row)
        self.labels.append(y)
        self.weights.append(1.0 if weight is None else weight)
        self.weighted = self.weighted or weight is not None

    def rounds(self) -> Rounds:
        return Rounds(_join(self.rows), self.labels, self.weights if self.weighted else None)


def as_stream(source: object) -> Stream:
    """Take a stream as it is, and any iterable of (x, y) as a stream."""
    if isinstance(source, Stream):
        return source
    if is_adversary(source):
        return AnsweringStream(source)
    frame = is_frame(source)
    other = frame or isinstance(source, (str, bytes, dict, np.ndarray))
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


def _split(pair: Iterable[object], number: int, kept: bool) -> tuple[Row, object, object]:
    """Return (a row, y, the weight or None); a dict stays one until it is joined."""
    try:
        x, y, *rest = pair
        if len(rest) > 1:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            f"example {number}: expected a pair (x, y), or (x, y, weight), got "
            f"{type(pair).__name__}. Wrap arrays with nv.stream(X, y)."
        ) from None
    found = x if type(x) is dict else one_row(x, f"example {number}")
    row = found.rows[0] if isinstance(found, NamedBlock) else found
    return (_kept(row) if kept else row), y, rest[0] if rest else None


def _kept(row: Row) -> Row:
    """Return a copy of a row, because some sources use one dict for all their rows."""
    return dict(row) if isinstance(row, dict) else row.copy()


def _form(row: Row) -> object:
    if isinstance(row, (dict, PointBlock)):
        return type(row)
    return (row.values.dtype, row.columns) if isinstance(row, DenseBlock) else "sparse"


def _join(rows: list[Row]) -> Block:
    """Return rows of one form as a block."""
    first = rows[0]
    if _are_dicts(rows):
        return NamedBlock(rows)
    if isinstance(first, PointBlock):
        return PointBlock([row.points[0] for row in rows if isinstance(row, PointBlock)])
    if len(rows) == 1 and not isinstance(first, dict):
        return first
    if isinstance(first, DenseBlock):
        return DenseBlock(np.concatenate([r.values for r in rows if isinstance(r, DenseBlock)]))
    return sparse_rows([r.row(0) for r in rows if isinstance(r, SparseBlock)])


def _are_dicts(rows: list[Row]) -> TypeGuard[list[dict[str, object]]]:
    """Say whether rows, which have one form, are dicts."""
    return isinstance(rows[0], dict)
