"""Halving for halfspaces by centroids."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.errors import UnrealizableError, parameter
from novikoff.learners.cutting import CuttingLearner, Left
from novikoff.types import AnyArray, FloatArray

_KEPT = 0.1  # the part of the points that must be left to go on with
_LEVELS = 15  # times d: a cut that leaves less, in quarters, is taken for one that leaves nothing
_RIDGE = 2.0**-40  # of the points' variance, for directions that they miss


class CentroidHalving(CuttingLearner):
    """V ← {w ∈ V : y w·x ≥ 0} on a mistake; predicts with V's centroid   (grunbaum1960).

    V is the unit ball at first; 0 predicts +1. A cut through the centroid leaves at most 1 − 1/e of
    the volume, so M ≤ d ln(1 + 1/ρ)/ln(e/(e − 1)): less than the ellipsoid's by a factor of about
    d. The theorem is for the exact centroid. This one is the mean of ``samples`` points that walk
    about V by hit-and-run (smith1984; bertsimas2004), at least 2d of them, so that its bound is
    approximate. Draws are a function of (seed, cut, place).

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 2.0], [2.0, 1.0], [1.0, 0.0]], [-1, 1, 1])
    >>> run = nv.play(nv.CentroidHalving(seed=1), rounds)
    >>> run.mistakes, run.hypothesis().predict([[1.0, 0.0], [0.0, 1.0]]).tolist()
    (2, [1, -1])
    """

    left_arrays = ("centre", "points", "normals")

    def __init__(
        self,
        seed: int = 0,
        samples: int = 256,
        bias: float | None = None,
        dimension: int | None = None,
    ) -> None:
        super().__init__(bias, dimension)
        if not (isinstance(seed, (int, np.integer)) and 0 <= seed < 2**64):
            raise parameter("seed", "a whole number from 0 to 2^64 − 1", seed)
        whole = isinstance(samples, (int, np.integer)) and not isinstance(samples, bool)
        if not (whole and 16 <= samples <= 2**20):
            raise parameter("samples", "a whole number from 16 to 2^20", samples)
        self.seed, self.samples = int(seed), int(samples)

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that make a learner like this one, as plain data."""
        return {"seed": self.seed, "samples": self.samples, **super().parameters}

    def _count_of(self, size: int) -> int:
        return max(self.samples, 2 * size)

    def _ball(self, size: int) -> Left:
        draws = Draws(self.seed, 0)
        points = draws.directions(self._count_of(size), size)
        points *= draws.uniforms(len(points))[:, None] ** (1 / size)
        return Cone(self.seed, np.zeros(size), points, np.zeros((0, size)))

    def _left_of(self, arrays: dict[str, AnyArray], size: int) -> Left:
        centre, points, normals = (arrays[name] for name in self.left_arrays)
        known = centre.shape == (size,) and points.shape == (self._count_of(size), size)
        if size == 0 or not known or normals.shape != (max(1, len(normals)), size):
            raise ValueError("a centre, points and normals")
        if max(np.abs(array).max() for array in (centre, points, normals)) > 1.001:
            raise ValueError("points of the unit ball")
        return Cone(self.seed, centre.copy(), points.copy(), normals.copy())


class Draws:
    """Random numbers that are a function of (seed, series) and of those drawn before."""

    def __init__(self, seed: int, series: int) -> None:
        self.seed, self.series, self.place = seed, series, 0

    def uniforms(self, count: int) -> FloatArray:
        """Return numbers of [0, 1)."""
        found = _core.draw_uniforms(self.seed, self.series, self.place, count)
        self.place += count
        return found

    def directions(self, count: int, size: int, shape: FloatArray | None = None) -> FloatArray:
        """Return unit vectors; with a triangular shape L, those of L g for normal g."""
        g = _core.draw_normals(self.seed, self.series, self.place, count * size)
        self.place += count * size
        found = g.reshape(count, size)
        if shape is not None:
            found = _products(found, shape)
        lengths: FloatArray = np.sqrt((found * found).sum(axis=1, keepdims=True))
        return np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)


@dataclass(frozen=True, eq=False)
class Cone(Left):
    """{‖w‖ ≤ 1 : n·w ≥ 0 for each of the normals}, with points spread evenly over it."""

    seed: int
    centre: FloatArray
    points: FloatArray
    normals: FloatArray

    def cut(self, a: FloatArray) -> "Cone":
        """Return the part with a·w ≥ 0; points outside begin again from one inside, and all walk.

        Where few are inside the cut is approached by levels, each of which keeps a quarter.
        """
        normal = a / np.sqrt((a * a).sum())
        draws, points = Draws(self.seed, len(self.normals) + 1), self.points
        sides = _products(normal[None], points)[0]
        if not len(self.normals):  # the ball is even: a point is as good as its opposite
            points, sides = np.where(sides[:, None] < 0, -points, points), np.abs(sides)
        normals = np.vstack([self.normals, normal])
        for _ in range(_LEVELS * len(a) + 10):
            inside = (sides >= 0).mean() >= _KEPT
            level = 0.0 if inside else float(np.quantile(sides, 0.75))
            kept = np.flatnonzero(sides >= level)
            outside = np.flatnonzero(sides < level)
            points = points.copy()
            points[outside] = points[kept[(draws.uniforms(len(outside)) * len(kept)).astype(int)]]
            points, mean = _walked(points, normals, level, draws)
            if inside:
                return replace(self, centre=mean, points=points, normals=normals)
            sides = _products(normal[None], points)[0]
        raise UnrealizableError(
            "expected a halfspace that agrees with every label so far, got none that a walk could "
            "find. Use a learner for noisy labels."
        )

    def arrays(self) -> dict[str, AnyArray]:
        """Return centre, points and normals."""
        return {"centre": self.centre, "points": self.points, "normals": self.normals}


def _walked(
    points: FloatArray, normals: FloatArray, level: float, draws: Draws
) -> tuple[FloatArray, FloatArray]:
    """Walk every point by hit-and-run: along a random chord to a random place on it   (smith1984).

    Directions are drawn in proportion to the points' own spread, so that a thin body is as easy
    as a round one. Returns the points and the mean of the second half of the walk.
    """
    count, size = points.shape
    steps = 10 + 2 * size
    mean = np.zeros(size)
    floors = np.zeros(len(normals))
    floors[-1] = level
    for step in range(steps):
        if step % size == 0:
            shape = _spread(points)
            room = np.maximum(_products(points, normals) - floors, 0)
        directions = draws.directions(count, size, shape)
        rates = _products(directions, normals)
        low, high = _chords(points, directions, room, rates)
        along = low + draws.uniforms(count) * (high - low)
        points = points + along[:, None] * directions
        room = np.maximum(room + along[:, None] * rates, 0)
        if step >= steps // 2:
            mean += points.mean(axis=0) / (steps - steps // 2)
    return points, mean


def _chords(
    points: FloatArray, directions: FloatArray, room: FloatArray, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how far each point may go back and forth along its direction."""
    middle = -(points * directions).sum(axis=1)
    inside = np.maximum(1 - (points * points).sum(axis=1), 0)
    half = np.sqrt(middle * middle + inside)
    with np.errstate(all="ignore"):
        stops = -room / rates
    low = np.where(rates > 0, stops, -np.inf).max(axis=1, initial=-np.inf)
    high = np.where(rates < 0, stops, np.inf).min(axis=1, initial=np.inf)
    return (
        np.minimum(np.maximum(low, middle - half), 0),
        np.maximum(np.minimum(high, middle + half), 0),
    )


def _spread(points: FloatArray) -> FloatArray:
    """Return a triangular L with L Lᵀ the covariance of the points, or a little more."""
    apart = points - points.mean(axis=0)
    size = points.shape[1]
    spread = _products(apart.T, apart.T) / len(points)
    spread[np.arange(size), np.arange(size)] += _RIDGE * max(np.trace(spread), 2.0**-900)
    return np.asarray(np.linalg.cholesky(spread), np.float64)


def _products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a bᵀ, without BLAS: threads change no bit."""
    found: FloatArray = np.einsum("nj,mj->nm", a, b)
    return found
