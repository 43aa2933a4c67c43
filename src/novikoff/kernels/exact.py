"""Exact signs of Σ a_i K(x_i, x), in real arithmetic on the given floats, for rare near ties.

Floats are whole numbers over a power of two, so polynomials of them are too. For the rbf kernel
equal distances are gathered first: by the theorem of Lindemann and Weierstrass (baker1975, Thm 1.4)
the sum is then 0 only if no coefficient is left, and enough digits tell any other sum from 0.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from operator import mul
from typing import SupportsFloat

import numpy as np

from novikoff.decimal_contexts import HUGE, decimals, within
from novikoff.kernels.kernel import Custom, Kernel, Polynomial, RadialBasis
from novikoff.types import FloatArray, IntArray

Row = tuple[IntArray, FloatArray]
"""The indices of the values other than 0, ascending, and the values."""
_FAST = 2.0**61  # sums of int64 below this are exact


def sign(
    kernel: Kernel, bias: float, x: Row, rows: Sequence[Row], coefficients: Iterable[SupportsFloat]
) -> int:
    """Return sgn Σ a_i K(x_i, x): −1, 0 or 1."""
    kept = [(row, a) for row, a in zip(rows, coefficients, strict=True) if a != 0]
    if not kept:
        return 0
    rows, values = [row for row, _ in kept], [float(a) for _, a in kept]
    a, _ = _whole(values)
    if isinstance(kernel, Polynomial):
        return _polynomial_sign(kernel, bias, _products(x, rows), a)
    assert isinstance(kernel, RadialBasis)
    return _radial_sign(kernel, _products(x, rows), a)


def custom_sign(kernel: Custom, x: FloatArray, rows: FloatArray, a: Iterable[SupportsFloat]) -> int:
    """Return sgn Σ a_i K(x_i, x) of a callable's floats."""
    terms = zip(map(float, a), rows, strict=True)
    total = sum((Fraction(c) * Fraction(kernel(z, x)) for c, z in terms if c), Fraction(0))
    return _signum(total)


class _Products:
    """x·x, and for each row z·x and z·z, in units of 2^−unit."""

    def __init__(self, square: int, products: list[int], squares: list[int], unit: int) -> None:
        self.square, self.products, self.squares, self.unit = square, products, squares, unit


def _products(x: Row, rows: Sequence[Row]) -> _Products:
    stored = [x[1], *(row[1] for row in rows)]
    largest = max((float(np.abs(v).max(initial=0)) for v in stored), default=0.0)
    longest = max(len(v) for v in stored)
    if largest * largest * longest < _FAST and all((v == np.rint(v)).all() for v in stored):
        return _small_products(x, rows)
    flat, g = _whole([float(v) for values in stored for v in values])
    whole, at = [], 0
    for values in stored:
        whole.append(flat[at : at + len(values)])
        at += len(values)
    known = dict(zip(x[0].tolist(), whole[0], strict=True))
    products = [
        sum(map(mul, map(known.get, row[0].tolist(), repeat(0)), values))
        for row, values in zip(rows, whole[1:], strict=True)
    ]
    squares = [sum(map(mul, values, values)) for values in whole]
    return _Products(squares[0], products, squares[1:], 2 * g)


def _small_products(x: Row, rows: Sequence[Row]) -> _Products:
    """The same for small whole numbers, by int64."""
    width = max((int(row[0][-1]) + 1 for row in (x, *rows) if len(row[0])), default=0)
    dense = np.zeros(width, np.int64)
    dense[x[0]] = x[1].astype(np.int64)
    values = [row[1].astype(np.int64) for row in rows]
    products = [int(dense[row[0]] @ v) for row, v in zip(rows, values, strict=True)]
    return _Products(int(dense @ dense), products, [int(v @ v) for v in values], 0)


def _whole(values: list[float]) -> tuple[list[int], int]:
    """Return values times 2^g, which are whole, and g."""
    ratios = [v.as_integer_ratio() for v in values]
    g = max((d for _, d in ratios), default=1).bit_length() - 1
    return [n << (g - d.bit_length() + 1) for n, d in ratios], g


def _polynomial_sign(kernel: Polynomial, bias: float, found: _Products, a: list[int]) -> int:
    (shift,), fine = _whole([kernel.c])
    (constant,), coarse = _whole([bias])
    unit = max(found.unit, fine, 2 * coarse)
    rest = (shift << (unit - fine)) + (constant * constant << (unit - 2 * coarse))
    bases = [(p << (unit - found.unit)) + rest for p in found.products]
    return _signum(sum(c * b**kernel.degree for c, b in zip(a, bases, strict=True)))


def _radial_sign(kernel: RadialBasis, found: _Products, a: list[int]) -> int:
    sums: dict[int, int] = defaultdict(int)
    for c, p, z in zip(a, found.products, found.squares, strict=True):
        sums[found.square + z - 2 * p] += c
    terms = sorted((distance, c) for distance, c in sums.items() if c)
    if not terms:
        return 0
    if len({c > 0 for _, c in terms}) == 1:
        return _signum(terms[0][1])
    nearest, rate = terms[0][0], Fraction(kernel.gamma) / (1 << found.unit)
    digits = 40
    while True:
        with within(decimals(digits, exponent=HUGE)):
            parts = [_decimal((nearest - d) * rate).exp() * c for d, c in terms]
            # A part is off by a unit, and by one more for each unit of its exponent.
            error = sum(map(abs, parts), Decimal(0)) * Decimal(10) ** (20 - digits)
            total = sum(parts, Decimal(0))
            if abs(total) > error:
                return 1 if total > 0 else -1
        digits *= 2


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _signum(value: int | Fraction) -> int:
    return int(value > 0) - int(value < 0)
