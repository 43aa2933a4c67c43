"""Regression in fractions: the definition of the forecaster, without a matrix that is kept."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

Matrix = list[list[Fraction]]


def solved(A: Matrix, b: list[Fraction]) -> list[Fraction]:
    """Return u with A u = b, by elimination."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


class Forecaster:
    """ŷ_t = x_t·(λI + Σ_{s≤t} x_s x_sᵀ)⁻¹ Σ_{s<t} y_s x_s, from the rows seen."""

    def __init__(self, ridge: float, dimension: int) -> None:
        self.ridge, self.size = Fraction(ridge), dimension
        self.A = [[self.ridge * (i == j) for j in range(dimension)] for i in range(dimension)]
        self.b = [Fraction(0)] * dimension

    def learn(self, x: Any, y: float) -> Fraction:
        row = [Fraction(float(value)) for value in x]
        self.A = [[a + row[i] * row[j] for j, a in enumerate(self.A[i])] for i in range(self.size)]
        prediction = dot(row, solved(self.A, self.b))
        self.b = [b + Fraction(float(y)) * value for b, value in zip(self.b, row, strict=True)]
        return prediction

    @property
    def best(self) -> list[Fraction]:
        """The u that makes Σ (y − u·x)² + λ‖u‖² least."""
        return solved(self.A, self.b)
