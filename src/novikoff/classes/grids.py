"""Halfspaces on grids of weights: classes whose tables would not fit, column by column."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from novikoff.classes.finite_class import PLAIN, FiniteClass, Words, from_plain, packed, vector_of
from novikoff.errors import InputError, as_float, parameter, whole
from novikoff.types import AnyArray

_LARGEST = 2**28
_BLOCK = 2**16  # hypotheses scored at once
_UNIT = 2.0**-52


class GridHalfspaces:
    """All halfspaces whose weights lie on a grid: a finite class of linear classifiers.

    sgn(w·x) for every w with w_i = m γ/(2Rd), |m| ≤ K = ⌈2R‖w*‖d/γ⌉   (maass1994).

    Some member agrees with sgn(w*·x) wherever ‖x‖ ≤ R and |w*·x| ≥ γ. The points are all vectors
    of d numbers, so there is no table: each x gets its column when it is met, computed exactly.
    """

    points = None
    cube = None

    def __init__(self, d: int, radius: float, norm: float, margin: float) -> None:
        d = whole("d", d, 1)
        for name, value in (("radius", radius), ("norm", norm), ("margin", margin)):
            if not (isinstance(value, (int, float, np.number)) and 0 < as_float(value) < math.inf):
                raise parameter(name, "a positive number", value)
        self.d, self.radius, self.norm, self.margin = d, *map(float, (radius, norm, margin))
        reach = 2 * Fraction(self.radius) * Fraction(self.norm) * self.d / Fraction(self.margin)
        self.steps = math.ceil(reach)
        """K, the steps of the grid from 0."""
        side = 2 * self.steps + 1
        if self.d > 29 or self.d * math.log2(side) > 29 or side**self.d > _LARGEST:
            raise parameter("margin", "one whose grid has at most 2^28 members", margin)
        self.size: int = side**self.d
        self.title = f"grid_halfspaces({d}, {radius:g}, {norm:g}, {margin:g})"

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.size))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GridHalfspaces) and self.plain == other.plain

    def __hash__(self) -> int:
        return hash(tuple(self.plain.values()))

    def __repr__(self) -> str:
        return f"GridHalfspaces({self.title}: {self.size} hypotheses)"

    def __call__(self, h: int, x: object) -> int:
        """Return the sign of a hypothesis, by its number, at a vector."""
        h = whole("h", h, 0, self.size - 1)
        return 1 if _exact(self.weights(h), self.vector(x)) >= 0 else -1

    @property
    def plain(self) -> dict[str, int | float]:
        """The class as plain data."""
        return {"d": self.d, "radius": self.radius, "norm": self.norm, "margin": self.margin}

    def weights(self, h: int) -> AnyArray:
        """Return m of hypothesis number h, whose weights are m γ/(2Rd)."""
        side = 2 * self.steps + 1
        return h // side ** np.arange(self.d) % side - self.steps

    def column(self, x: object) -> Words:
        """Return which hypotheses are +1 at x, one bit each."""
        vector = self.vector(x)
        side = 2 * self.steps + 1
        column = np.zeros((self.size + 63) // 64, np.uint64)
        for start in range(0, self.size, _BLOCK):
            stop = min(start + _BLOCK, self.size)
            grid = np.arange(start, stop)[:, None] // side ** np.arange(self.d) % side - self.steps
            with np.errstate(all="ignore"):  # overflows count as close, and are decided exactly
                scores = grid @ vector
                # |error of a dot product| ≤ d·u·Σ|m_i x_i|/(1 − d·u)   (higham2002, section 3.1)
                error = (self.d + 1) * _UNIT * (np.abs(grid) @ np.abs(vector))
                close = ~(np.abs(scores) > error)
            signs = scores >= 0
            for i in np.flatnonzero(close):
                signs[i] = _exact(grid[i], vector) >= 0
            column[start // 64 : (stop + 63) // 64] = packed(signs[None, :])[0]
        return column

    def sign(self, h: int, column: Words) -> int:
        """Return the sign of hypothesis number h in a column."""
        return 1 if int(column[h >> 6]) >> (h & 63) & 1 else -1

    def vector(self, x: object) -> AnyArray:
        """Return x as a vector of d finite numbers."""
        values = vector_of(x, self.d)
        if values is None or not np.isfinite(values).all():
            raise InputError(
                f"x: expected a vector of {self.d} finite numbers, got {str(x)[:60]}. "
                "Pass a point of the grid's class."
            )
        return values


def grid_halfspaces(d: int, radius: float, norm: float, margin: float) -> GridHalfspaces:
    """Return the halfspaces on a grid that is fine enough for a given margin.

    For every w* with ‖w*‖ ≤ norm, one of them has the sign of w*·x at all x with ‖x‖ ≤ radius and
    |w*·x| ≥ margin.

    >>> H = grid_halfspaces(2, radius=1.0, norm=1.0, margin=0.5)
    >>> H.steps, len(H)
    (8, 289)
    """
    return GridHalfspaces(d, radius, norm, margin)


AnyClass = FiniteClass | GridHalfspaces


def as_class(value: object) -> AnyClass:
    """Take a class as it is, or its plain data."""
    if isinstance(value, (FiniteClass, GridHalfspaces)):
        return value
    if isinstance(value, Mapping) and value.keys() == set(PLAIN):
        return from_plain(value)
    if isinstance(value, Mapping) and value.keys() == {"d", "radius", "norm", "margin"}:
        return GridHalfspaces(**value)
    raise parameter("H", "a finite class", value, "Make one: nv.FiniteClass(table).")


def _exact(weights: AnyArray, x: AnyArray) -> Fraction:
    pairs = zip(weights.tolist(), x.tolist(), strict=True)
    return sum((m * Fraction(v) for m, v in pairs), Fraction(0))
