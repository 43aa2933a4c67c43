"""The u that makes L(u) + ½ Σ_i λ_i u_i² − Σ_i b_i u_i small, for learners that go on from a state.

L(u) = Σ_t ln(1 + e^{−y_t u·x_t}). In units v_i = √λ_i u_i the penalty is ½‖v‖², and a quasi-Newton
method with a short memory finds the rest. Any u gives a bound, so that the search may
stop anywhere.
"""

from collections.abc import Iterable

import numpy as np

from novikoff.streams import ArrayBlock
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.types import AnyArray, FloatArray, IntArray

_MEMORY = 10
_STEPS = 200
_FINE = 1e-9  # of the value: less is not worth a step


class PulledRows:
    """Rounds with labels −1 and +1, the constant feature first, as entries of a sparse matrix."""

    def __init__(self, blocks: Iterable[tuple[ArrayBlock, AnyArray]], bias: float) -> None:
        rows, columns, values, labels, count = [], [], [], [], 0
        for block, y in blocks:
            at, j, x = _entries(block)
            rows.append(at + count)
            columns.append(j + 1)
            values.append(x)
            labels.append(np.asarray(y, np.float64))
            count += len(block)
        every = np.arange(count if bias else 0)
        self.rows: IntArray = np.concatenate([every, *rows])
        self.columns: IntArray = np.concatenate([np.zeros(len(every), np.int64), *columns])
        self.values: FloatArray = np.concatenate([np.full(len(every), bias), *values])
        self.labels: FloatArray = np.concatenate([np.zeros(0), *labels])
        self.width = int(self.columns.max(initial=0)) + 1

    def scores(self, u: FloatArray) -> FloatArray:
        """u·x of every row."""
        return np.bincount(self.rows, self.values * u[self.columns], len(self.labels)).astype(
            np.float64
        )

    def summed(self, factors: FloatArray) -> FloatArray:
        """Σ_t factor_t x_t."""
        return np.bincount(self.columns, self.values * factors[self.rows], self.width).astype(
            np.float64
        )


def _entries(block: ArrayBlock) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the row, the column and the value of every value other than 0."""
    if isinstance(block, DenseBlock):
        at, j = np.nonzero(block.values)
        return at, j, block.values[at, j].astype(np.float64)
    assert isinstance(block, SparseBlock)
    first, last = int(block.starts[0]), int(block.starts[-1])
    at = np.repeat(np.arange(len(block)), np.diff(block.starts))
    j = block.indices[first:last].astype(np.int64)
    return at, j, block.values[first:last].astype(np.float64)


def pulled(rows: PulledRows, lambdas: FloatArray, pull: FloatArray, passes: int) -> FloatArray:
    """Return u, the constant feature's first; rows count ``passes`` times."""
    root = np.sqrt(lambdas)
    b = pull / root

    def measured(v: FloatArray) -> tuple[float, FloatArray]:
        z = rows.labels * rows.scores(v / root)
        tail = np.exp(-np.abs(z))
        loss = np.maximum(-z, 0.0) + np.log1p(tail)
        slope = -np.where(z >= 0, tail, 1.0) / (1.0 + tail)
        gradient = passes * rows.summed(slope * rows.labels) / root + v - b
        return float(passes * loss.sum() + 0.5 * (v @ v) - b @ v), gradient

    v: FloatArray = np.zeros(rows.width)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        value, gradient = measured(v)
        pairs: list[tuple[FloatArray, FloatArray]] = []
        for _ in range(_STEPS):
            direction = -_inverse(pairs, gradient)
            size, found = 1.0, measured(v + direction)
            slope = float(gradient @ direction)
            while not found[0] <= value + 1e-4 * size * slope and size > 1e-12:
                size /= 2
                found = measured(v + size * direction)
            if not found[0] < value - _FINE * abs(value):
                break
            move, change = size * direction, found[1] - gradient
            if float(move @ change) > 0:
                pairs = [*pairs[1 - _MEMORY :], (move, change)]
            v, (value, gradient) = v + move, found
    u = v / root
    return np.where(np.isfinite(u), u, 0.0)


def _inverse(pairs: list[tuple[FloatArray, FloatArray]], gradient: FloatArray) -> FloatArray:
    """Return about H⁻¹ g: the two loops over the last moves."""
    q, sizes = gradient.copy(), []
    for s, y in reversed(pairs):
        sizes.append(float(s @ q) / float(s @ y))
        q = q - sizes[-1] * y
    if pairs:
        s, y = pairs[-1]
        q = q * (float(s @ y) / float(y @ y))
    for (s, y), a in zip(pairs, reversed(sizes), strict=True):
        q = q + (a - float(y @ q) / float(s @ y)) * s
    return q
