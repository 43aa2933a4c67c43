"""Newton's method for the logistic loss: fixed weights at which the gradient all but vanishes.

It makes P(u) = Σ_t ln(1 + e^{−y_t u·x_t}) + (λ/2)‖u‖² least. With slopes σ(−y_t u·x_t) the dual
value of a u is P(u) − ‖∇P(u)‖²/2λ, so that a small gradient is a small gap, and the slopes need not
be kept: u is enough. Each step solves (λ + XᵀDX)s = −∇P by conjugate gradients, divided by the
diagonal, and is halved until P falls.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from novikoff.comparators.soft_margin import Watch
from novikoff.streams import ArrayBlock
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.types import AnyArray, FloatArray, IntArray

_STEPS, _PRODUCTS = 100, 3000
_GAP = 1e-9  # of the value


class _Part(NamedTuple):
    """The values of some rows, each with its row and its column."""

    rows: IntArray
    columns: IntArray
    values: FloatArray


class ScaledRows:
    """Rows whose columns, and a constant one behind them, are divided by their largest value."""

    def __init__(self, blocks: Sequence[ArrayBlock], constant: bool) -> None:
        self.count = sum(map(len, blocks))
        parts, start = [], 0
        for block in blocks:
            parts.append(_part(block, start))
            start += len(block)
        width = max((block.columns for block in blocks), default=0)
        self.largest = np.zeros(width)
        """max_t |x_{t,i}| of every column."""
        for part in parts:
            np.maximum.at(self.largest, part.columns, np.abs(part.values))
        scale = np.where(self.largest > 0, self.largest, 1.0)
        self.parts = [part._replace(values=part.values / scale[part.columns]) for part in parts]
        self.scale, self.constant, self.width = scale, constant, width + constant

    def scores(self, u: FloatArray) -> FloatArray:
        """Return X u."""
        found = np.full(self.count, u[-1] if self.constant else 0.0)
        for rows, columns, values in self.parts:
            found += np.bincount(rows, values * u[columns], self.count)
        return found

    def sums(self, r: FloatArray, squared: bool = False) -> FloatArray:
        """Return Xᵀ r, or the same with the squares of the values."""
        found = np.zeros(self.width)
        for rows, columns, values in self.parts:
            factors = values * values if squared else values
            found += np.bincount(columns, factors * r[rows], self.width)
        if self.constant:
            found[-1] += r.sum()
        return found


def _part(block: ArrayBlock, start: int) -> _Part:
    if isinstance(block, DenseBlock):
        rows, columns = np.nonzero(block.values)
        return _Part(rows + start, columns, block.values[rows, columns].astype(np.float64))
    assert isinstance(block, SparseBlock)
    within = slice(block.starts[0], block.starts[-1])
    rows = np.repeat(np.arange(len(block)), np.diff(block.starts)) + start
    return _Part(rows, block.indices[within], block.values[within].astype(np.float64))


def newton(X: ScaledRows, y: AnyArray, penalty: float, watch: Watch) -> FloatArray:
    """Return u with a gap of about 1e-9 of its value, or the best u that was found in time."""
    u, products = np.zeros(X.width), 0
    z = np.zeros(X.count)
    for _ in range(_STEPS):
        watch()
        shares = _shares(z)
        gradient = penalty * u - X.sums(y * shares)
        value = _value(z, u, penalty)
        if gradient @ gradient <= 2 * penalty * _GAP * value or products >= _PRODUCTS:
            break
        step, tried = _step(X, shares * (1 - shares), gradient, penalty, _PRODUCTS - products)
        products += tried
        move, length = y * X.scores(step), 1.0
        slope = gradient @ step
        while _value(z + length * move, u + length * step, penalty) > value + 1e-4 * length * slope:
            length /= 2
            if length < 1e-10:  # floats cannot tell a better u
                return u
        u, z = u + length * step, z + length * move
    return u


def _shares(z: FloatArray) -> FloatArray:
    """1/(1 + e^z)."""
    e = np.exp(-np.abs(z))
    found: FloatArray = np.where(z > 0, e, 1.0) / (1 + e)
    return found


def _value(z: FloatArray, u: FloatArray, penalty: float) -> float:
    return float(np.logaddexp(0, -z).sum() + penalty / 2 * (u @ u))


def _step(
    X: ScaledRows, weights: FloatArray, gradient: FloatArray, penalty: float, most: int
) -> tuple[FloatArray, int]:
    """Solve (λ + XᵀDX)s = −∇P nearly, and return how many products with X that took."""
    diagonal = penalty + X.sums(weights, squared=True)
    s, rest = np.zeros(X.width), -gradient
    near = rest / diagonal
    p, size = near.copy(), rest @ near
    goal = size * min(0.01, float(size)) ** 2
    for count in range(1, most + 1):
        image = penalty * p + X.sums(weights * X.scores(p))
        rate = size / (p @ image)
        s, rest = s + rate * p, rest - rate * image
        near = rest / diagonal
        before, size = size, rest @ near
        if size <= goal:
            return s, count
        p = near + (size / before) * p
    return s, most
