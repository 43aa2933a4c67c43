"""The signed rows z_t = y_t x_t, and what is certain about them: bounds are rounded outward."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.extras import extra
from novikoff.learners.hypothesis import all_rows
from novikoff.streams import BinaryLabels, Block, NamedBlock, stream
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.blocks.named import new_features
from novikoff.types import AnyArray, FloatArray, IntArray

_UNIT = 2.0**-52
_SAFE = 100  # values between 2^-100 and 2^100 stay as they are
_TINY = 2.0**-960  # smaller products may lose their low part
_LOST = 2.0**-1070  # what one of those can lose
_ENTRIES = 1_000_000  # sum at most this many products exactly; beyond, the float bound must do


Matrix = Any
"""NumPy's dense or SciPy's sparse matrix; SciPy says nothing about its types."""


def required(module: str) -> Any:
    """Import a module that margins need."""
    return extra(module, "margin")


@dataclass(frozen=True, eq=False)
class Rows:
    """z_t = y_t x_t, the constant feature last, divided by 2^exponent: an exact division."""

    block: Block
    signs: FloatArray
    bias: float | None
    matrix: Matrix
    """The x's, float64, dense or compressed sparse rows."""
    exponent: int
    norms: FloatArray
    """‖z_t‖ up to rounding, or a little more if that is tiny; 0 only if z_t is 0."""

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def columns(self) -> int:
        """The number of features, including the constant one."""
        return int(self.matrix.shape[1])

    @property
    def dense(self) -> bool:
        """Whether the matrix is dense."""
        return isinstance(self.matrix, np.ndarray)

    @property
    def column_sizes(self) -> FloatArray:
        """max_t |z_tj| of every feature."""
        if self.dense:
            return np.asarray(np.maximum(self.matrix.max(axis=0), -self.matrix.min(axis=0)))
        return as_array(abs(self.matrix).max(axis=0))

    def dots(self, w: FloatArray) -> FloatArray:
        """z_t·w for every row, in floats."""
        dots: FloatArray = self.signs * (self.matrix @ w)
        return dots

    def take(self, rows: IntArray, scales: FloatArray | float = 1.0) -> Matrix:
        """Return the rows z_t with these numbers, each times its scale, in the matrix's form."""
        taken, factors = self.matrix[rows], self.signs[rows] * scales
        if self.dense:
            return taken * factors[:, None]
        taken.data = taken.data * np.repeat(factors, np.diff(taken.indptr))
        return taken

    def failing(self, w: FloatArray) -> IntArray:
        """Return the rows with z_t·w ≤ 0, exactly, because the core's signs are exact.

        The core counts 0 as positive, so a positive x is strictly right if −w calls it negative.
        """
        features = len(w) - (self.bias is not None)
        right = np.zeros(len(self), bool)
        for sign in (1.0, -1.0):
            bias_weight = -sign * w[-1] if self.bias is not None else 0.0
            side = _core.halfspace(self.bias or 0.0, bias_weight, -sign * w[:features])
            negative = all_rows(self.block, side.predict(self.block.native)) < 0
            right |= negative & (self.signs == sign)
        return np.flatnonzero(~right)

    def closest(self, w: FloatArray) -> float:
        """Return a lower bound of min_t z_t·w, if possible the exact minimum rounded down."""
        dots = self.dots(w)
        size = math.sqrt(float(w @ w))
        error = (self._terms + 4) * (_UNIT * self.norms * size + _LOST)
        near = np.flatnonzero(dots - error <= (dots + error).min())
        if len(near) * self._terms > _ENTRIES:
            return float(np.nextafter((dots - error).min(), -math.inf))
        nearest, rest, lost = exact_dots(self.take(near), w)
        found = np.where(rest < 0, np.nextafter(nearest, -math.inf), nearest).min()
        return float(np.nextafter(found - lost, -math.inf) if lost else found)

    def margin(self, w: FloatArray) -> tuple[float, float]:
        """γ = min_t z_t·w/‖w‖ rounded down, at least 0, and (R/γ)² rounded up."""
        attained = Fraction(max(self.closest(w), 0.0)) ** 2 / square(w)
        bound = directed(self._radius_square / attained, upward=True) if attained else math.inf
        return self._root(attained, upward=False), bound

    def dual_bound(self, rows: IntArray, weights: FloatArray) -> float:
        """‖Σ a_t z_t‖/Σ a_t rounded up: no w has a larger margin, whatever a ≥ 0 is."""
        if not weights.any():
            return self.radius()
        weights = unit(weights)
        largest = away_from_zero(*exact_dots(self.take(rows).T, weights))
        total = sum(map(Fraction, weights.tolist()), Fraction(0))
        return self._root(square(largest) / total**2, upward=True)

    def radius(self) -> float:
        """R = max_t ‖z_t‖, rounded up."""
        return self._root(self._radius_square, upward=True)

    @cached_property
    def _radius_square(self) -> Fraction:
        squares = self.norms**2
        slack = (self._terms + 8) * _UNIT
        near = np.flatnonzero(squares >= squares.max() * (1 - 2 * slack))
        if len(near) * self._terms > _ENTRIES:
            return Fraction(float(squares.max()) * (1 + 2 * slack))
        return Fraction(float(away_from_zero(*exact_dots(self.take(near))).max()))

    def _root(self, number: Fraction, *, upward: bool) -> float:
        return root(number * Fraction(4) ** self.exponent, upward=upward)

    @cached_property
    def _terms(self) -> int:
        """The most products that a dot sums."""
        return self.columns if self.dense else int(np.diff(self.matrix.indptr).max(initial=0))


def read_rows(
    X: object, y: object, known: BinaryLabels, bias: float | None
) -> tuple[Rows, _core.Features | None]:
    """Return the z's of rows and labels, checked, and the names of features if they have any."""
    rounds = list(stream(X, y, positive=known.positive).blocks())
    if not sum(len(part.rows) for part in rounds):
        raise InputError("X: expected at least one row, got none. A margin needs an example.")
    block, labels, features = rounds[0].rows, rounds[0].labels, None
    if block.named:
        named = NamedBlock([row for part in rounds for row in part.rows.rows])
        labels = [label for part in rounds for label in part.labels]
        features = new_features(None)
        block = named.numbered(features, 0, len(named), adopt=True)
        if len(block) < len(named):
            raise InputError(f"row {len(block) + 1}: {named.fault(len(block))}")
    all_rows(block, _core.halfspace(0.0, 0.0, np.zeros(block.columns)).scores(block.native))
    return signed_rows(block, known.encode(labels), bias), features


@np.errstate(all="ignore")  # tiny values may underflow, and the norms allow for it
def signed_rows(block: Block, signs: AnyArray, bias: float | None) -> Rows:
    """Return the z's of a block and its ±1 labels, a constant feature folded in."""
    matrix: Matrix
    if isinstance(block, SparseBlock):
        sparse = required("scipy.sparse")
        parts = (block.values, block.indices, block.starts)
        matrix = sparse.csr_array(parts, shape=(len(block), block.columns)).astype(np.float64)
        if bias is not None:
            constant = sparse.csr_array(np.full((len(block), 1), bias))
            matrix = sparse.csr_array(sparse.hstack([matrix, constant]))
        matrix.data, exponent = _scaled(matrix.data)
        lines = np.repeat(np.arange(len(block)), np.diff(matrix.indptr))
        squares = np.bincount(lines, matrix.data**2, minlength=len(block))
    else:
        assert isinstance(block, DenseBlock)
        matrix = block.values.astype(np.float64, copy=False)
        if bias is not None:
            matrix = np.column_stack((matrix, np.full(len(block), bias)))
        matrix, exponent = _scaled(matrix)
        squares = np.einsum("ij,ij->i", matrix, matrix)
    norms = np.sqrt(squares)
    tiny = np.flatnonzero(norms < 2.0**-480)  # their squares may have underflowed
    if len(tiny) and block.columns:
        norms[tiny] = as_array(abs(matrix[tiny]).max(axis=1)) * math.sqrt(matrix.shape[1])
    return Rows(block, np.asarray(signs, np.float64), bias, matrix, exponent, norms)


def _scaled(values: FloatArray) -> tuple[FloatArray, int]:
    """Divide by a power of two if values are too large or too small to square."""
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    if largest == 0 or abs(exponent) <= _SAFE:
        return values, 0
    scaled = np.ldexp(values, -exponent)
    if not np.array_equal(np.ldexp(scaled, exponent), values):
        smallest = np.abs(values[values != 0]).min()
        raise InputError(
            f"X: expected values whose sizes float64 can hold side by side, got {largest:.3g} and "
            f"{smallest:.3g}. Rescale the features."
        )
    return scaled, exponent


def exact_dots(
    matrix: Matrix, vector: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, float]:
    """Return each row's dot rounded once, the remainder (its sign is exact), and a slack:

    0 unless products were so small that parts of them are lost. Without a vector, the row itself.
    """
    if isinstance(matrix, np.ndarray):
        values = matrix.ravel()
        factors = values if vector is None else np.tile(vector, len(matrix))
        starts = np.arange(len(matrix) + 1) * matrix.shape[1]
    else:
        matrix = matrix.tocsr()
        values, starts = matrix.data, matrix.indptr
        factors = values if vector is None else vector[matrix.indices]
    high, low = two_products(values, factors)
    small = (np.abs(high) < _TINY) & (values != 0) & (factors != 0)
    nearest, rest = [], []
    highs, lows = high.tolist(), low.tolist()
    for start, stop in itertools.pairwise(starts.tolist()):
        parts = highs[start:stop] + lows[start:stop]
        total = math.fsum(parts)
        nearest.append(total)
        rest.append(math.fsum([*parts, -total]))
    return np.array(nearest), np.array(rest), float(small.sum()) * _LOST


def away_from_zero(nearest: FloatArray, rest: FloatArray, lost: float) -> FloatArray:
    """Return |dots| rounded up, of ``exact_dots``."""
    away = np.nextafter(nearest, np.copysign(math.inf, nearest))
    largest: FloatArray = np.abs(np.where(np.sign(rest) * np.sign(nearest) > 0, away, nearest))
    return np.nextafter(largest + lost, math.inf) if lost else largest


def two_products(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a·b rounded, and the rounding error: together they are a·b (Dekker's product)."""
    high = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    shifted = a * 134217729.0  # 2^27 + 1
    high = shifted - (shifted - a)
    return high, a - high


def square(values: FloatArray) -> Fraction:
    """Σ v², exactly."""
    wholes, exponent = as_wholes(values)
    return sum(whole**2 for whole in wholes) * Fraction(4) ** exponent


def as_wholes(values: FloatArray) -> tuple[list[int], int]:
    """Return whole numbers and an exponent: every value is its whole number times 2^exponent."""
    mantissas, exponents = np.frexp(values)
    lowest = int(exponents[values != 0].min(initial=0))
    shifts = np.maximum(exponents - lowest, 0).tolist()
    wholes = zip(np.ldexp(mantissas, 53).tolist(), shifts, strict=True)
    return [int(whole) << shift for whole, shift in wholes], lowest - 53


def directed(number: Fraction, *, upward: bool) -> float:
    """Return the nearest float that is not below the number, or not above."""
    try:
        found = float(number)
    except OverflowError:
        return math.inf if upward else float(np.finfo(np.float64).max)
    wrong = Fraction(found) < number if upward else Fraction(found) > number
    return math.nextafter(found, math.inf if upward else -math.inf) if wrong else found


def root(number: Fraction, *, upward: bool) -> float:
    """√ of a number ≥ 0, rounded in one direction."""
    over, under = number.as_integer_ratio()
    shift = max(0, 66 + (under.bit_length() - over.bit_length()) // 2)
    found = math.isqrt((over << 2 * shift) // under)
    if upward and found * found * under != over << 2 * shift:
        found += 1
    return directed(Fraction(found, 1 << shift), upward=upward)


def unit(w: FloatArray) -> FloatArray:
    """Return w divided by a power of two, so that its largest weight is about 1."""
    return np.asarray(np.ldexp(w, -np.frexp(np.abs(w).max(initial=0.0))[1]))


def as_array(matrix: Matrix) -> FloatArray:
    """Return a dense or sparse matrix as a dense one."""
    found: FloatArray = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return found
