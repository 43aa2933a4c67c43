"""Points: rows as a kernel takes them, dense where they are narrow enough."""

from collections.abc import Sequence

import numpy as np

from novikoff import _core
from novikoff.kernels.exact import Row
from novikoff.streams import ArrayBlock
from novikoff.streams.block import DenseBlock, SparseBlock
from novikoff.types import FloatArray

WIDE = 2**14  # columns, beyond which rows stay sparse


class Points:
    """Rows with ‖x‖², the constant feature included, and norms rounded upward."""

    def __init__(
        self, rows: FloatArray | SparseBlock, squares: FloatArray, largest: FloatArray, bias: float
    ) -> None:
        self.rows = rows
        self.largest = np.maximum(largest, abs(bias))
        """‖x‖_∞, the constant feature included."""
        self.columns = rows.columns if isinstance(rows, SparseBlock) else rows.shape[1]
        with np.errstate(over="ignore"):
            self.squares = squares + bias * bias
            plain = (self.squares > 1e-280) & (self.squares < 1e300)
            spread = self.largest * np.sqrt(self.columns + 1.0)
            self.norms = np.where(plain, np.sqrt(self.squares), spread) * (1 + 1e-6)

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, t: int) -> Row:
        """Return row t without its zeros."""
        if isinstance(self.rows, SparseBlock):
            indices, values = self.rows.row(t)
            order = np.argsort(indices)
            order = order[values[order] != 0]
            return indices[order].astype(np.int64), values[order].astype(np.float64)
        places = np.flatnonzero(self.rows[t])
        return places, self.rows[t, places]

    def part(self, t: int) -> "Points":
        """Return row t alone."""
        rows = self.rows
        one = rows.part(t, t + 1) if isinstance(rows, SparseBlock) else rows[t : t + 1]
        found = Points.__new__(Points)
        found.rows, found.columns = one, self.columns
        found.squares, found.largest = self.squares[t : t + 1], self.largest[t : t + 1]
        found.norms = self.norms[t : t + 1]
        return found

    @property
    def sparse(self) -> SparseBlock:
        """The rows as sparse ones."""
        if isinstance(self.rows, SparseBlock):
            return self.rows
        return joined([self.row(t) for t in range(len(self))], self.columns)


def joined(rows: Sequence[Row], columns: int) -> SparseBlock:
    """Put rows under each other."""
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(indices) for indices, _ in rows], out=starts[1:])
    indices = np.concatenate([r[0] for r in rows]) if rows else np.zeros(0, np.int64)
    values = np.concatenate([r[1] for r in rows]) if rows else np.zeros(0)
    return SparseBlock(starts, indices.astype(np.int64), values, columns)


def points(block: ArrayBlock, start: int, stop: int, bias: float) -> tuple[Points, int]:
    """Return rows [start, stop) of a block, up to the first that is refused, and which that is."""
    squares, largest, done = block.native.extents(start, stop)
    if block.columns > WIDE:
        part = block.part(start, done)
        wide = _narrowed(part) if isinstance(part, DenseBlock) else part
        assert isinstance(wide, SparseBlock)
        return Points(wide, squares, largest, bias), done
    rows = matrix(block, start, done)
    if not block.dense:  # summed as those of dense rows are, to the last bit
        squares, largest, _ = _core.Block.dense(rows).extents(0, len(rows))
    return Points(rows, squares, largest, bias), done


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
    if isinstance(a.rows, np.ndarray) and isinstance(b.rows, np.ndarray):
        shared = min(a.columns, b.columns)
        found: FloatArray = a.rows[:, :shared] @ b.rows[:, :shared].T
        return found
    if len(b) < len(a):
        return products(b, a).T
    columns, wide = max(a.columns, b.columns), b.sparse
    found = np.zeros((len(a), len(b)))
    for t in range(len(a)):
        indices, values = a.row(t)
        w = np.zeros(columns)
        w[indices] = values
        found[t] = _core.halfspace(0.0, 0.0, w).scores(wide.native)[0]
    return found
