"""Points: rows as a kernel takes them, dense if they are narrow enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from novikoff import _core
from novikoff.cores import core_count
from novikoff.kernels.exact import Row
from novikoff.streams import ArrayBlock
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.types import AnyArray, FloatArray, IntArray

WIDE = 2**14  # columns, beyond which rows stay sparse
_MANY = 16  # rows, from which on whole numbers are worth a look
_FEW = 2  # cores, up to which one thread with whole numbers is faster than BLAS on all of them


@dataclass(frozen=True)
class Points:
    """Rows and their norms, including the constant feature."""

    given: AnyArray | SparseBlock
    """The rows as they came, of float32 or float64."""
    squares: FloatArray
    """‖x‖²."""
    largest: FloatArray
    """‖x‖_∞."""
    norms: FloatArray
    """‖x‖, rounded upward."""

    def __len__(self) -> int:
        return len(self.given)

    @property
    def columns(self) -> int:
        """How many features the rows have."""
        return self.given.columns if isinstance(self.given, SparseBlock) else self.given.shape[1]

    @property
    def narrow(self) -> bool:
        """Whether the rows are a matrix."""
        return not isinstance(self.given, SparseBlock)

    @cached_property
    def matrix(self) -> FloatArray:
        """The rows as a matrix of float64, if they are narrow."""
        assert not isinstance(self.given, SparseBlock)
        return np.ascontiguousarray(self.given, np.float64)

    def row(self, t: int) -> Row:
        """Return row t without its zeros."""
        return self.rows(np.array([t]))[0]

    def rows(self, chosen: IntArray) -> list[Row]:
        """Return these rows without their zeros."""
        return [unpacked(row) for row in self.packed(chosen)]

    def packed(self, chosen: IntArray) -> list[bytes]:
        """Return these rows without their zeros as bytes, equal if and only if the rows are."""
        if isinstance(self.given, SparseBlock):
            return [pack(_sorted_row(*self.given.row(t))) for t in chosen.tolist()]
        return _core.packed_rows(self.given, np.asarray(chosen, np.int64))

    def part(self, t: int) -> "Points":
        """Return row t alone."""
        rows, one = self.given, slice(t, t + 1)
        row = rows.part(t, t + 1) if isinstance(rows, SparseBlock) else rows[one]
        return Points(row, self.squares[one], self.largest[one], self.norms[one])

    def at(self, chosen: IntArray) -> "Points":
        """Return these rows."""
        given = self.given
        if isinstance(given, SparseBlock):
            rows: AnyArray | SparseBlock = joined(self.rows(chosen), self.columns)
        else:
            rows = given[chosen]
        return Points(rows, self.squares[chosen], self.largest[chosen], self.norms[chosen])

    @property
    def sparse(self) -> SparseBlock:
        """The rows as sparse ones."""
        if isinstance(self.given, SparseBlock):
            return self.given
        return joined(self.rows(np.arange(len(self))), self.columns)


def pack(row: Row) -> bytes:
    """Return a row as bytes: its places as int64, then its values as float64."""
    return row[0].tobytes() + row[1].tobytes()


def unpacked(row: bytes) -> Row:
    """Return the row that these bytes hold, without copying it."""
    count = len(row) // 16
    return np.frombuffer(row, np.int64, count), np.frombuffer(row, np.float64, count, 8 * count)


def _sorted_row(indices: AnyArray, values: AnyArray) -> Row:
    order = np.argsort(indices)
    order = order[values[order] != 0]
    return indices[order].astype(np.int64), values[order].astype(np.float64)


def joined(rows: Sequence[Row], columns: int) -> SparseBlock:
    """Stack rows."""
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(indices) for indices, _ in rows], out=starts[1:])
    indices = np.concatenate([r[0] for r in rows]) if rows else np.zeros(0, np.int64)
    values = np.concatenate([r[1] for r in rows]) if rows else np.zeros(0)
    return SparseBlock(starts, indices.astype(np.int64), values, columns)


def points(block: ArrayBlock, start: int, stop: int, bias: float) -> tuple[Points, int]:
    """Return rows [start, stop) of a block up to the first refused one, and its number."""
    squares, largest, done = block.native.extents(start, stop)
    if block.columns > WIDE:
        part = block.part(start, done)
        wide = _narrowed(part) if isinstance(part, DenseBlock) else part
        assert isinstance(wide, SparseBlock)
        return _measured(wide, squares, largest, bias), done
    rows = block.values[start:done] if isinstance(block, DenseBlock) else matrix(block, start, done)
    if not block.dense:  # summed like dense rows, to the last bit
        squares, largest, _ = _core.Block.dense(rows).extents(0, len(rows))
    return _measured(rows, squares, largest, bias), done


def _measured(
    rows: AnyArray | SparseBlock, squares: FloatArray, largest: FloatArray, bias: float
) -> Points:
    columns = rows.columns if isinstance(rows, SparseBlock) else rows.shape[1]
    largest = np.maximum(largest, abs(bias))
    with np.errstate(over="ignore"):
        squares = squares + bias * bias
        plain = (squares > 1e-280) & (squares < 1e300)
        # If the square may have overflowed or underflowed: ‖x‖ ≤ ‖x‖_∞ √(d + 1).
        norms = np.where(plain, np.sqrt(squares), largest * np.sqrt(columns + 1.0)) * (1 + 1e-6)
    return Points(rows, squares, largest, norms)


def _narrowed(rows: DenseBlock) -> SparseBlock:
    places = [np.flatnonzero(row) for row in rows.values]
    kept = [(p, row[p].astype(np.float64)) for p, row in zip(places, rows.values, strict=True)]
    return joined(kept, rows.columns)


def matrix(block: ArrayBlock, start: int, stop: int) -> FloatArray:
    """Return rows [start, stop) as a dense matrix of float64."""
    if isinstance(block, DenseBlock):
        return np.ascontiguousarray(block.values[start:stop], np.float64)
    assert isinstance(block, SparseBlock)
    starts = block.starts[start : stop + 1]
    within = slice(int(starts[0]), int(starts[-1]))
    dense = np.zeros((stop - start, block.columns))
    owner = np.repeat(np.arange(stop - start), np.diff(starts))
    dense[owner, block.indices[within]] = block.values[within]
    return dense


def products(a: Points, b: Points) -> FloatArray:
    """Return x·z for x in a and z in b, without the constant feature."""
    if a.narrow and b.narrow:
        shared = min(a.columns, b.columns)
        left, right = a.matrix[:, :shared], b.matrix[:, :shared]
        many = min(len(a), len(b)) >= _MANY
        if (
            many
            and core_count() <= _FEW
            and (whole := _core.whole_products(left, right)) is not None
        ):
            return whole
        found: FloatArray = left @ right.T
        return found
    if len(b) < len(a):
        return products(b, a).T
    used, wide = _renumbered(b.sparse)
    found = np.zeros((len(a), len(b)))
    for t in range(len(a)):
        indices, values = a.row(t)
        places = np.minimum(np.searchsorted(used, indices), max(len(used) - 1, 0))
        both = used[places] == indices if len(used) else np.zeros(len(indices), bool)
        w = np.zeros(len(used))
        w[places[both]] = values[both]
        found[t] = _core.halfspace(0.0, 0.0, w).scores(wide.native)[0]
    return found


def _renumbered(rows: SparseBlock) -> tuple[IntArray, SparseBlock]:
    """Return which columns the rows use, and the rows with only these columns, renumbered."""
    starts = np.asarray(rows.starts, np.int64)
    within = slice(int(starts[0]), int(starts[-1]))
    used, places = np.unique(rows.indices[within], return_inverse=True)
    values = np.asarray(rows.values[within], np.float64)
    block = SparseBlock(starts - starts[0], places.astype(np.int64), values, len(used))
    return used.astype(np.int64), block
