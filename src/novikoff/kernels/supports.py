"""Supports: the examples behind an expansion Σ a_i K(x_i, ·), and scores by matrix products."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from novikoff.kernels.exact import Row, custom_sign, sign
from novikoff.kernels.kernel import UNIT, Custom, Kernel, ProductKernel
from novikoff.kernels.kernel_points import (
    WIDE,
    Points,
    joined,
    pack,
    points,
    products,
    unpacked,
)
from novikoff.streams.blocks.block import SparseBlock
from novikoff.types import AnyArray, FloatArray, IntArray

_TILE = 512  # supports at a time: the tile of kernel values stays in the cache


class Device(Protocol):
    """What computes Σ_i a_i K(x_t, x_i): the processor, or another device."""

    def weighted(
        self, supports: "Supports", x: Points, slots: IntArray | None, a: FloatArray
    ) -> FloatArray:
        """Return one row of scores for every x, over these supports or all of them."""
        ...

    def gram(self, supports: "Supports", x: Points) -> FloatArray:
        """Return K(x, z) for all x and z of these rows; it may be overwritten by the next one."""
        ...


class Supports:
    """Examples in slots 0, 1, …, as rows without zeros and, if narrow, also as a matrix.

    A packed row finds the slot of an equal one, and ``rows`` are views of these bytes.
    """

    def __init__(self, kernel: Kernel, bias: float | None, device: Device | None = None) -> None:
        self.kernel, self.bias, self.device = kernel, bias or 0.0, device
        self.rows: list[Row] = []
        self.width = 0
        self.changed = 0
        """How often a slot was filled, so that copies on a device know what they lack."""
        self._slots: dict[bytes, int] = {}
        self._matrix = np.zeros((0, 0))
        self._squares, self._largest, self._norms = np.zeros(0), np.zeros(0), np.zeros(0)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """The memory of the examples."""
        stored = sum(i.nbytes + v.nbytes for i, v in self.rows)
        return stored + self._matrix.nbytes + self._squares.nbytes * 3

    def find(self, x: Points, t: int) -> int | None:
        """Return the slot of an example equal to row t of x."""
        return self._slots.get(_packed(x, t))

    def put(self, x: Points, t: int, slot: int | None = None) -> int:
        """Keep row t of x, in a new slot or instead of another; return its slot."""
        key = _packed(x, t)
        row = unpacked(key)
        self.grow(x.columns)
        new = slot is None
        slot = len(self.rows) if slot is None else slot
        self._reserve(slot + 1)
        self._squares[slot], self._largest[slot] = x.squares[t], x.largest[t]
        self._norms[slot] = x.norms[t]
        if self.width <= WIDE:
            self._matrix[slot] = 0
            self._matrix[slot, row[0]] = row[1]
        if new:
            self.rows.append(row)
        else:
            self._slots.pop(pack(self.rows[slot]), None)
            self.rows[slot] = row
        self._slots[key] = slot
        self.changed += 1
        return slot

    def absorb(self, x: Points, chosen: IntArray) -> list[int]:
        """Keep these rows of x, equal ones once; return their slots."""
        self.grow(x.columns)
        found, new, known = [], [], len(self)
        for t, key in zip(chosen.tolist(), x.packed(chosen), strict=True):
            slot = self._slots.get(key)
            if slot is None:
                slot = self._slots[key] = len(self.rows)
                self.rows.append(unpacked(key))
                new.append(t)
            found.append(slot)
        self._reserve(len(self))
        slots = slice(known, len(self))
        self._squares[slots], self._largest[slots] = x.squares[new], x.largest[new]
        self._norms[slots] = x.norms[new]
        if self.width <= WIDE:
            assert not isinstance(x.given, SparseBlock)
            self._matrix[slots, : x.columns] = x.given[new]
            self._matrix[slots, x.columns :] = 0
        self.changed += len(new)
        return found

    def truncate(self, count: int) -> None:
        """Keep only the first slots, whatever an exception left in the others."""
        del self.rows[count:]
        self._slots = {key: k for key, k in self._slots.items() if k < count}
        self.changed += 1

    def take(self, rows: Sequence[Row], width: int) -> None:
        """Replace all examples by these, no two of which are equal."""
        block = joined(rows, width)
        x, done = points(block, 0, len(rows), self.bias)
        if done < len(rows):
            raise ValueError("supports with values that are not finite, or indices that are wrong")
        keys = [pack(row) for row in rows]
        self._slots = {key: k for k, key in enumerate(keys)}
        self.rows, self.width = [unpacked(key) for key in keys], width
        self._squares, self._largest, self._norms = x.squares, x.largest, x.norms
        self._matrix = x.matrix if x.narrow else np.zeros((0, 0))
        self.changed += 1

    def grow(self, width: int) -> None:
        """Make room for ``width`` columns."""
        if width <= self.width:
            return
        if width > WIDE:
            self._matrix = np.zeros((0, 0))
        else:
            wider = np.zeros((len(self._matrix), width))
            wider[:, : self._matrix.shape[1]] = self._matrix
            self._matrix = wider
        self.width = width

    def copy(self, slots: IntArray, width: int) -> "Supports":
        """Return only the examples of these slots, on the processor."""
        found = Supports(self.kernel, self.bias)
        found.take([self.rows[k] for k in slots], max(width, self.width))
        return found

    def twin(self) -> "Supports":
        """Return a copy, on the same device."""
        found = Supports(self.kernel, self.bias, self.device)
        found.rows, found.width, found._slots = [*self.rows], self.width, {**self._slots}
        found.changed = self.changed + 1
        for name in ("_matrix", "_squares", "_largest", "_norms"):
            setattr(found, name, getattr(self, name).copy())
        return found

    def _reserve(self, count: int) -> None:
        room = max(2 * count, 64)
        for name in ("_squares", "_largest", "_norms"):
            if len(getattr(self, name)) < count:
                longer = np.zeros(room)
                longer[: len(getattr(self, name))] = getattr(self, name)
                setattr(self, name, longer)
        if self.width <= WIDE and len(self._matrix) < count:
            taller = np.zeros((room, self.width))
            taller[: len(self._matrix)] = self._matrix
            self._matrix = taller

    def chosen(self, slots: slice | IntArray) -> Points:
        """Return the examples of these slots."""
        rows: FloatArray | SparseBlock
        if self.width <= WIDE:
            rows = self._matrix[slots]
        else:
            rows = joined([self.rows[k] for k in np.arange(len(self))[slots]], self.width)
        return Points(rows, self._squares[slots], self._largest[slots], self._norms[slots])

    def matrix(self, a: Points, b: Points) -> FloatArray:
        """Return K(x, z) for x in a and z in b."""
        with np.errstate(all="ignore"):
            if isinstance(self.kernel, Custom):
                width = max(a.columns, b.columns)
                return self.kernel.matrix(_dense(a, width), _dense(b, width))
            assert isinstance(self.kernel, ProductKernel)
            found = products(a, b)
            if self.bias:
                found += self.bias * self.bias
            return self.kernel.mapped(found, a.squares, b.squares)

    def columns(self, x: Points, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """Return K(x_t, ·) over all x, a row for each t, and these t: at least the given ones."""
        if self.device is not None and isinstance(self.kernel, ProductKernel) and x.narrow:
            return np.arange(len(x)), self.device.gram(self, x)
        return rows, np.ascontiguousarray(self.matrix(x.at(rows), x))

    def diagonal(self, x: Points) -> FloatArray:
        """Return K(x, x) of every row."""
        if isinstance(self.kernel, ProductKernel):
            with np.errstate(all="ignore"):
                return self.kernel.diagonal(x.squares)
        dense = _dense(x, x.columns)
        return np.array([self.kernel(row, row) for row in dense], np.float64)

    def scores(
        self, x: Points, slots: IntArray | None, a: AnyArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ a_i K(x_i, x) for every x, one column per column of a, and bounds on the errors.

        The sum runs over ``slots``, or over all of them if it is None.
        """
        a = np.asarray(a, np.float64)
        if len(a) == 0:
            return np.zeros((len(x), a.shape[1])), np.zeros(len(x))
        with np.errstate(all="ignore"):  # exact arithmetic decides what overflows
            return self._scores(x, slots, a)

    def _scores(
        self, x: Points, slots: IntArray | None, a: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        count = len(a)
        if self.device is not None and isinstance(self.kernel, ProductKernel):
            found = self.device.weighted(self, x, slots, a)
        elif isinstance(self.kernel, Custom):
            z = self.chosen(slice(0, count) if slots is None else slots)
            values = self.matrix(x, z)
            size = (np.abs(values) @ np.abs(a)).max(axis=1, initial=0)
            return values @ a, (count + 4) * UNIT * size * (1 + 1e-6)
        else:
            found = self.tiled(x, slots, a)
        largest = self._norms[: len(self)] if slots is None else self._norms[slots]
        total = float(np.abs(a).sum(axis=0).max(initial=0))
        return found, self.error(x, float(largest.max(initial=0)), total, count)

    def error(self, x: Points, norm: float, total: float, count: int) -> FloatArray:
        """Bound the error of a sum of this many a_i K(x_i, x) with Σ|a_i| = total, ‖x_i‖ ≤ norm."""
        assert isinstance(self.kernel, ProductKernel)
        with np.errstate(all="ignore"):
            columns = max(x.columns, self.width) + 1
            largest, off = self.kernel.reach(x.norms, norm, columns)
            bound = total * (off + (count + 4) * UNIT * (largest + off)) * (1 + 1e-6)
            return np.asarray(bound + 1e-300, np.float64)

    def sum_error(self, x: Points, gram: FloatArray, slots: AnyArray, a: FloatArray) -> FloatArray:
        """Bound the error of every prefix of Σ_e a_e K(x_e, x), from these kernel values."""
        total, count = float(np.abs(a).sum()), len(a)
        if isinstance(self.kernel, ProductKernel):
            return self.error(x, float(self._norms[slots].max(initial=0)), total, count)
        largest = np.abs(gram).max(axis=1, initial=0)
        return np.asarray((count + 4) * UNIT * total * largest * (1 + 1e-6), np.float64)

    def dense(self) -> tuple[FloatArray, FloatArray] | None:
        """Return the examples as a matrix, and their ‖x‖²; None if they are too wide."""
        count = len(self)
        return None if self.width > WIDE else (self._matrix[:count], self._squares[:count])

    def tiled(self, x: Points, slots: IntArray | None, a: FloatArray) -> FloatArray:
        """Return one row of scores for every x, tile by tile."""
        found = np.zeros((len(x), a.shape[1]))
        for start in range(0, len(a), _TILE):
            stop = min(start + _TILE, len(a))
            chosen = slice(start, stop) if slots is None else slots[start:stop]
            found += self.matrix(x, self.chosen(chosen)) @ a[start:stop]
        return found

    def sign(self, x: Points, t: int, a: AnyArray) -> int:
        """Return sgn Σ a_i K(x_i, x_t) in real arithmetic."""
        if isinstance(self.kernel, Custom):
            width, kept = max(x.columns, self.width), np.flatnonzero(a)
            z = _dense(self.chosen(kept), width)
            return custom_sign(self.kernel, _dense(x.part(t), width)[0], z, a[kept])
        kept = np.flatnonzero(a)
        return sign(self.kernel, self.bias, x.row(t), [self.rows[k] for k in kept], a[kept])


def _packed(x: Points, t: int) -> bytes:
    return x.packed(np.array([t]))[0]


def _dense(x: Points, width: int) -> FloatArray:
    found = np.zeros((len(x), width))
    for t in range(len(x)):
        indices, values = x.row(t)
        found[t, indices] = values
    found.flags.writeable = False
    return found
