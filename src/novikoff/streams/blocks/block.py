"""Blocks: many x's in one array form, shared with the core without a copy."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.streams.missing_values import is_masked
from novikoff.types import EXACT, AnyArray, FloatArray, IntArray

UNSCALABLE = (
    "expected values that float64 can sum, and their weight can scale within its range, got "
    "others. Rescale the features."
)
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)


class Block(ABC):
    """Rows of one form: rows of an array (``native``), or named rows (``rows``)."""

    columns: int
    dense: bool
    named: bool = False
    native: _core.Block
    """What the core reads of an array."""
    rows: list[Any]
    """The dicts of named rows, or the examples of a structure."""
    otherwise: str = UNSCALABLE
    """Why a learner refuses a row that has no fault of its own."""

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def values_per_row(self) -> int:
        """How many values a row holds, on average."""

    @abstractmethod
    def row(self, t: int) -> Any:
        """Return x of row t, as a learner written in Python takes it."""

    @abstractmethod
    def part(self, start: int, stop: int) -> "Block":
        """Return rows [start, stop)."""

    @abstractmethod
    def played(self, t: int, features: _core.Features) -> tuple[_core.Block, int] | None:
        """Return (rows in the core, which of them row t is); None if row t is refused."""

    @abstractmethod
    def digest_bytes(
        self, features: _core.Features, codes: AnyArray, start: int, stop: int
    ) -> bytes:
        """Return the bytes of these rounds that the digest covers."""

    @abstractmethod
    def fault(self, t: int) -> str:
        """Say why the core refuses row t."""


class Entries(NamedTuple):
    """Every value other than 0, with its row and its column."""

    rows: IntArray
    columns: IntArray
    values: FloatArray


class ArrayBlock(Block):
    """Rows of one array form."""

    @abstractmethod
    def entries(self) -> Entries:
        """Return the values other than 0, row after row."""

    def __len__(self) -> int:
        return self.native.rows

    def played(self, t: int, features: _core.Features) -> tuple[_core.Block, int] | None:
        """Return (rows in the core, which of them row t is); None if row t is refused."""
        return (self.native, t) if self.native.sound(t) else None

    def digest_bytes(
        self, features: _core.Features, codes: AnyArray, start: int, stop: int
    ) -> bytes:
        """Return the bytes of these rounds that the digest covers."""
        return self.native.encode(codes, start, stop)


class DenseBlock(ArrayBlock):
    """A matrix of float32 or float64 whose rows are contiguous."""

    dense = True

    def __init__(self, values: AnyArray) -> None:
        self.values = values
        self.columns = values.shape[1]
        self.native = _core.Block.dense(values)

    def __reduce__(self) -> tuple[object, ...]:
        return DenseBlock, (np.ascontiguousarray(self.values),)

    @property
    def values_per_row(self) -> int:
        """The number of columns."""
        return self.columns

    def part(self, start: int, stop: int) -> "DenseBlock":
        """Return rows [start, stop), without a copy."""
        return DenseBlock(self.values[start:stop])

    def copy(self) -> "DenseBlock":
        """Return the same rows in an array of their own."""
        return DenseBlock(self.values.copy())

    def row(self, t: int) -> AnyArray:
        """Return a read-only view of row t."""
        return _frozen_view(self.values[t])

    def entries(self) -> Entries:
        """Return the values other than 0, row after row."""
        rows, columns = np.nonzero(self.values)
        return Entries(rows, columns, self.values[rows, columns].astype(np.float64))

    def fault(self, t: int) -> str:
        """Name the first value that is not finite."""
        bad = np.flatnonzero(~np.isfinite(self.values[t]))
        return _not_finite(int(bad[0]), self.values[t, bad[0]]) if len(bad) else self.otherwise


class SparseBlock(ArrayBlock):
    """Compressed sparse rows, int32 or int64 indices, float32 or float64 values."""

    dense = False

    def __init__(
        self,
        starts: AnyArray,
        indices: AnyArray,
        values: AnyArray,
        columns: int,
        width: int | None = None,
    ) -> None:
        self.starts, self.indices, self.values, self.columns = starts, indices, values, columns
        self.width = columns if width is None else width
        """How many columns the source names, including those that hold only 0."""
        try:
            self.native = _core.Block.sparse(starts, indices, values, columns)
        except ValueError as error:
            raise InputError(
                f"X: expected {error}, got indptr of {len(starts)} entries for {len(indices)} "
                f"indices and {len(values)} values. Rebuild the matrix."
            ) from None

    def __reduce__(self) -> tuple[object, ...]:
        inside = slice(int(self.starts[0]), int(self.starts[-1]))
        starts = self.starts - self.starts[0]
        return SparseBlock, (
            starts, self.indices[inside], self.values[inside], self.columns, self.width,
        )  # fmt: skip

    @property
    def values_per_row(self) -> int:
        """How many values a row holds, on average."""
        return len(self.indices) // max(len(self), 1)

    def row(self, t: int) -> tuple[AnyArray, AnyArray]:
        """Return (indices, values) of row t, as read-only views."""
        within = slice(self.starts[t], self.starts[t + 1])
        return _frozen_view(self.indices[within]), _frozen_view(self.values[within])

    def part(self, start: int, stop: int) -> "SparseBlock":
        """Return rows [start, stop), without a copy."""
        starts = self.starts[start : stop + 1]
        return SparseBlock(starts, self.indices, self.values, self.columns, self.width)

    def copy(self) -> "SparseBlock":
        """Return the same rows in arrays of their own."""
        starts, indices, values = self.starts.copy(), self.indices.copy(), self.values.copy()
        return SparseBlock(starts, indices, values, self.columns)

    def entries(self) -> Entries:
        """Return the values other than 0, row after row."""
        within = slice(int(self.starts[0]), int(self.starts[-1]))
        rows = np.repeat(np.arange(len(self)), np.diff(self.starts))
        values = self.values[within].astype(np.float64)
        there = values != 0
        columns = self.indices[within].astype(np.int64)
        return Entries(rows[there], columns[there], values[there])

    def narrowed(self, columns: int) -> "SparseBlock":
        """Return the same rows with fewer columns; a row with an index beyond them is refused."""
        return SparseBlock(self.starts, self.indices, self.values, columns)

    def fault(self, t: int) -> str:
        """Name the index or the value that is wrong."""
        indices, values = self.row(t)
        if len(indices) and indices.min() < 0:
            return f"expected indices of at least 0, got {indices.min()}. Number features from 0."
        if len(indices) and indices.max() >= self.columns:
            return (
                f"expected indices below {self.columns}, got {indices.max()}. "
                "Widen the matrix or drop the feature."
            )
        unique, counts = np.unique(indices, return_counts=True)
        if (counts > 1).any():
            return (
                f"expected every index once, got {unique[counts > 1][0]} more than once. "
                "Sum the duplicates first (scipy: X.sum_duplicates())."
            )
        bad = np.flatnonzero(~np.isfinite(values))
        return _not_finite(int(indices[bad[0]]), values[bad[0]]) if len(bad) else self.otherwise


def _frozen_view(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _not_finite(feature: int, value: float) -> str:
    return (
        f"expected a finite value for feature {feature}, got {value}. "
        "Drop the row or fill the value in before learning."
    )


def is_pair(x: object) -> TypeGuard[tuple[object, object]]:
    """Say whether x is (indices, values) rather than a dense vector of two numbers."""
    if not (isinstance(x, tuple) and len(x) == 2):
        return False
    return all(isinstance(part, (list, tuple)) or getattr(part, "ndim", 0) == 1 for part in x)


def sparse_rows(pairs: Sequence[tuple[object, object]], where: str = "x") -> SparseBlock:
    """Stack pairs (indices, values). Within a row, indices may be in any order."""
    indices = [_as_indices(pair[0], where) for pair in pairs]
    values = [as_floats(pair[1], where).astype(np.float64, copy=False) for pair in pairs]
    for one, other in zip(indices, values, strict=True):
        if len(one) != len(other):
            raise InputError(
                f"{where}: expected as many values as indices, got {len(one)} indices and "
                f"{len(other)} values. Pass them in pairs."
            )
    starts = np.zeros(len(pairs) + 1, np.int64)
    np.cumsum([len(one) for one in indices], out=starts[1:])
    joined = np.concatenate(indices) if indices else np.zeros(0, np.int64)
    columns = int(joined.max(initial=-1)) + 1
    check_columns(columns, where)
    return SparseBlock(starts, joined, np.concatenate(values) if values else np.zeros(0), columns)


class CompressedRows(Protocol):
    """Compressed sparse rows as scipy holds them."""

    shape: tuple[int, ...]
    indptr: AnyArray
    indices: AnyArray
    data: AnyArray


class SparseMatrix(Protocol):
    """What we need of a scipy sparse matrix or array."""

    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""

    def tocsr(self) -> CompressedRows:
        """Return its compressed sparse rows."""

    def reshape(self, rows: int, columns: int, /) -> "SparseMatrix":
        """Return its values in another shape."""


def is_sparse(X: object) -> TypeGuard[SparseMatrix]:
    """Say whether X is a scipy sparse matrix or array."""
    return hasattr(X, "tocsr")


def from_scipy(X: SparseMatrix, where: str) -> SparseBlock:
    """Take a scipy sparse matrix or array."""
    if X.ndim != 2:
        raise InputError(f"{where}: expected two dimensions, got {X.ndim}. Reshape it to one row.")
    check_columns(X.shape[1], where)
    rows = X.tocsr()
    indices, starts = rows.indices, rows.indptr
    if not indices.dtype == starts.dtype == np.int32:
        indices, starts = _as_indices(indices, where), _as_indices(starts, where)
    values = np.ascontiguousarray(as_floats(rows.data, where))
    indices, starts = np.ascontiguousarray(indices), np.ascontiguousarray(starts)
    return SparseBlock(starts, indices, values, X.shape[1])


def as_floats(x: object, where: str) -> AnyArray:
    """Return float32 and float64 as they are; convert what they hold exactly."""
    if type(x) is np.ndarray and (x.dtype is _F64 or x.dtype is _F32):  # as nearly always
        return x
    if is_masked(x):
        raise InputError(f"{where}: expected numbers, got masked ones. Fill them in or drop them.")
    try:
        values = np.asarray(x)
    except ValueError as error:
        raise InputError(
            f"{where}: expected numbers, got {error}. Make the rows equally long."
        ) from None
    if values.dtype in (_F64, _F32):  # arrays that were pickled have dtypes of their own
        if isinstance(x, (list, tuple)) and (np.abs(values) >= EXACT).any():
            _refuse_inexact(max(map(_whole, np.asarray(x, object).flat)), where)
        return values
    if values.dtype.kind == "b" or values.dtype == np.float16:
        return values.astype(np.float32)
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:  # another byte order
        return values.astype(np.float64)
    if values.dtype.kind in "iu":
        if values.size:
            _refuse_inexact(max(abs(int(values.max())), abs(int(values.min()))), where)
        return values.astype(np.float64)
    texts = values.dtype.kind in "OUS"
    raise InputError(
        f"{where}: expected float32, float64, integers or bools, got {values.dtype}. "
        "Convert the numbers first"
        + (", or pass each row with text as a dict by its names." if texts else ".")
    )


def _refuse_inexact(largest: int, where: str) -> None:
    """Refuse integers of which float64 does not hold every one."""
    if largest > EXACT:
        raise InputError(
            f"{where}: expected integers within ±2^53, which float64 holds exactly, got "
            f"{largest}. Rescale the feature."
        )


def _whole(value: object) -> int:
    """Return the size of an integer; 0 for other numbers."""
    return abs(int(value)) if isinstance(value, (int, np.integer)) else 0


def _as_indices(x: object, where: str) -> AnyArray:
    try:
        indices = np.asarray(x)
    except ValueError as error:
        raise InputError(f"{where}: expected indices, got {error}. Pass one vector.") from None
    if indices.size == 0:
        return np.zeros(0, np.int64)
    if indices.dtype == np.uint64 and indices.max() > _core.MAX_DIMENSION:
        check_columns(int(indices.max()) + 1, where)
    if indices.dtype.kind not in "iu":
        raise InputError(
            f"{where}: expected whole numbers as indices, got {indices.dtype}. "
            "Number features from 0."
        )
    return indices.astype(np.int64, copy=False)


def check_columns(columns: int, where: str) -> None:
    """Refuse more features than the core can hold."""
    if columns > _core.MAX_DIMENSION:
        raise InputError(
            f"{where}: expected at most {_core.MAX_DIMENSION} features, got {columns}. "
            "Hash the features to fewer."
        )
