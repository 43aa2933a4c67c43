"""Kernels: K(x, z) = φ(x)·φ(z) without φ."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from novikoff.errors import InputError, as_float, parameter
from novikoff.types import Fields, FloatArray

UNIT = 2.0**-53  # half the distance from 1 to the next float
_TINY = 2.0**-1060  # more than underflow loses in one entry
_SLACK = 1 + 1e-6  # for rounding while we compute a bound


class Kernel(ABC):
    """A kernel of two vectors: ``linear``, ``polynomial``, ``rbf``, or a function of yours."""

    @property
    @abstractmethod
    def plain(self) -> Fields:
        """The kernel as plain data."""

    @abstractmethod
    def __call__(self, x: npt.ArrayLike, z: npt.ArrayLike) -> float:
        """Return K(x, z) of two vectors."""


class ProductKernel(Kernel):
    """A kernel that is a function of x·z, ‖x‖² and ‖z‖²."""

    @abstractmethod
    def mapped(self, products: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
        """Return K from the products x·z and the ‖x‖² of rows and columns; overwrites products."""

    @abstractmethod
    def diagonal(self, squares: FloatArray) -> FloatArray:
        """Return K(x, x) from ‖x‖²."""

    @abstractmethod
    def reach(self, norms: FloatArray, norm: float, features: int) -> tuple[FloatArray, FloatArray]:
        """Return a bound on |K|, and a bound on the error of its float.

        They hold for x whose norms are at most ``norms`` and any z whose norm is at most ``norm``,
        in whatever order the products are summed (higham2002, §3.1).
        """

    def __call__(self, x: npt.ArrayLike, z: npt.ArrayLike) -> float:
        """Return K(x, z) of two vectors."""
        a, b = (np.asarray(v, np.float64).reshape(1, -1) for v in (x, z))
        squares = (np.einsum("ij,ij->i", v, v) for v in (a, b))
        return float(self.mapped(a @ b.T, *squares)[0, 0])


@dataclass(frozen=True)
class Polynomial(ProductKernel):
    """A polynomial kernel, (x·z + c)^degree; ``linear`` is x·z."""

    degree: int
    c: float

    @property
    def plain(self) -> Fields:
        """The kernel as plain data."""
        return {"name": "polynomial", "degree": self.degree, "c": self.c}

    def mapped(self, products: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
        """Return (x·z + c)^degree."""
        if self.c:
            products += self.c
        return _power(products, self.degree)

    def diagonal(self, squares: FloatArray) -> FloatArray:
        """Return (‖x‖² + c)^degree."""
        return _power(squares + self.c, self.degree)

    def reach(self, norms: FloatArray, norm: float, features: int) -> tuple[FloatArray, FloatArray]:
        """Bound |b|^degree and its error, with b = x·z + c and |x·z| ≤ ‖x‖‖z‖."""
        size = norms * norm * _SLACK
        base = size + self.c
        off = (features + 4) * UNIT * base * _SLACK + features * _TINY
        top, d = base + off, self.degree
        largest = top**d * _SLACK
        rounding = d * UNIT * _SLACK * largest + _TINY * (1 + top) ** d
        return largest, d * top ** (d - 1) * off * _SLACK + rounding


@dataclass(frozen=True)
class RadialBasis(ProductKernel):
    """K(x, z) = e^{−gamma‖x − z‖²}."""

    gamma: float

    @property
    def plain(self) -> Fields:
        """The kernel as plain data."""
        return {"name": "rbf", "gamma": self.gamma}

    def mapped(self, products: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
        """Return exp(−gamma(‖x‖² + ‖z‖² − 2x·z))."""
        products *= 2
        products -= rows[:, None]
        products -= columns
        products *= self.gamma
        np.minimum(products, 0, out=products)
        return np.exp(products, out=products)

    def diagonal(self, squares: FloatArray) -> FloatArray:
        """Return 1."""
        return np.ones_like(squares)

    def reach(self, norms: FloatArray, norm: float, features: int) -> tuple[FloatArray, FloatArray]:
        """Bound e^{−gd} and its error: the error of gd, and 2^−48, far more than exp's own."""
        far = (norms + norm) ** 2 * _SLACK
        off = self.gamma * ((features + 10) * UNIT * far * _SLACK + features * _TINY)
        return np.ones_like(off), np.minimum(1.0, np.expm1(off) * _SLACK + 2.0**-48)


@dataclass(frozen=True)
class Custom(Kernel):
    """K(x, z) by any callable of two vectors; its floats count as exact values."""

    function: Callable[[FloatArray, FloatArray], float]

    @property
    def plain(self) -> Fields:
        """Refuse: a function is not plain data."""
        raise parameter(
            "kernel", "linear, polynomial or rbf to save or certify", self.function,
            "A callable lives only as long as its process.",
        )  # fmt: skip

    def __call__(self, x: npt.ArrayLike, z: npt.ArrayLike) -> float:
        """Return K(x, z) of two vectors."""
        return self._value(np.asarray(x, np.float64), np.asarray(z, np.float64))

    def _value(self, x: FloatArray, z: FloatArray) -> float:
        found = self.function(x, z)
        if not isfinite(as_float(found)):
            raise InputError(
                f"kernel: expected a finite number, got {found!r}. "
                "Return K(x, z) for any two vectors."
            )
        return float(found)

    def matrix(self, rows: FloatArray, columns: FloatArray) -> FloatArray:
        """Return K(z, x) for x in rows and z in columns."""
        values = [self._value(z, x) for x in rows for z in columns]
        return np.array(values, np.float64).reshape(len(rows), len(columns))


def _power(base: FloatArray, degree: int) -> FloatArray:
    """Return base^degree by squaring; overwrites the base."""
    result: FloatArray | None = None
    while True:
        if degree & 1:
            if result is None:
                result = base if degree == 1 else base.copy()
            else:
                result *= base
        degree >>= 1
        if not degree:
            assert result is not None
            return result
        np.multiply(base, base, out=base)


def polynomial(degree: int, c: float = 1.0) -> Polynomial:
    """Return the polynomial kernel, (x·z + c)^degree; the degree is at least 1 and c at least 0.

    >>> polynomial(2)([1.0, 2.0], [3.0, 0.5])  # (4 + 1)²
    25.0
    """
    whole = isinstance(degree, (int, np.integer)) and not isinstance(degree, bool)
    if not (whole and 1 <= degree <= 100):
        raise parameter("degree", "a whole number from 1 to 100", degree)
    if not 0 <= as_float(c) < 1e100:
        raise parameter("c", "a number of at least 0", c, "With c < 0 the kernel is not legal.")
    return Polynomial(int(degree), float(c))


def rbf(gamma: float) -> RadialBasis:
    """Return the Gaussian kernel, e^{−gamma |x − z|²}, for gamma > 0.

    >>> round(rbf(0.5)([1.0, 2.0], [1.0, 0.0]), 4)  # e^{−2}
    0.1353
    """
    if not 0 < as_float(gamma) < 1e100:
        raise parameter("gamma", "a positive number", gamma)
    return RadialBasis(float(gamma))


linear = Polynomial(1, 0.0)


def as_kernel(kernel: object) -> Kernel:
    """Take a kernel, its plain data, or a callable of two vectors."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, dict):
        if kernel.get("name") == "polynomial" and kernel.keys() == {"name", "degree", "c"}:
            return polynomial(kernel["degree"], kernel["c"])
        if kernel.get("name") == "rbf" and kernel.keys() == {"name", "gamma"}:
            return rbf(kernel["gamma"])
    elif callable(kernel):
        return Custom(kernel)
    raise parameter(
        "kernel", "nv.linear, nv.polynomial, nv.rbf or a function of two vectors", kernel
    )
