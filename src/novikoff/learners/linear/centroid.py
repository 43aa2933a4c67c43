"""Halving for halfspaces by centroids."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from novikoff.errors import UnrealizableError, parameter
from novikoff.learners.learner import checked_seed
from novikoff.learners.linear.cutting import Body, CuttingLearner
from novikoff.learners.linear.ordered_sums import product, sums
from novikoff.learners.linear.walk import Draws, Polytope, spread
from novikoff.types import AnyArray, FloatArray

_KEPT = 0.1  # the share of the points that a cut must leave
_LEVELS = 15  # times d: after so many levels, a quarter each, a cut counts as leaving nothing


class CentroidHalving(CuttingLearner):
    """Keeps the weights that fit its mistakes, and predicts with their centre of gravity.

    V ← {w ∈ V : y w·x ≥ 0} on a mistake; predicts with V's centroid   (grunbaum1960).

    V is the unit ball at first, and a score of 0 predicts +1. A cut through the centroid leaves at
    most 1 − 1/e of the volume, so M ≤ d ln(1 + 1/ρ)/ln(e/(e − 1)): about d times less than the
    ellipsoid's bound. The theorem is about the exact centroid. This learner uses the mean of
    ``samples`` points, at least 2d, that walk about V by hit-and-run (smith1984; bertsimas2004), so
    its bound is approximate. Draws are a function of (seed, cut, place), and every CPU walks to the
    same bits.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 2.0], [2.0, 1.0], [1.0, 0.0]], [-1, 1, 1])
    >>> run = nv.play(nv.CentroidHalving(seed=1), rounds)
    >>> run.mistakes, run.hypothesis().predict([[1.0, 0.0], [0.0, 1.0]]).tolist()
    (2, [1, -1])
    """

    family: ClassVar[str] = "centroid"

    saved = ("centre", "points", "normals")

    def __init__(
        self,
        seed: int = 0,
        samples: int = 256,
        bias: float | None = None,
        dimension: int | None = None,
    ) -> None:
        super().__init__(bias, dimension)
        whole = isinstance(samples, (int, np.integer)) and not isinstance(samples, bool)
        if not (whole and 16 <= samples <= 2**20):
            raise parameter("samples", "a whole number from 16 to 2^20", samples)
        self.seed, self.samples = checked_seed(seed), int(samples)

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that make a learner like this one, as plain data."""
        return {"seed": self.seed, "samples": self.samples, **super().parameters}

    def _walkers(self, size: int) -> int:
        return max(self.samples, 2 * size)

    def _ball(self, size: int) -> Body:
        points = Draws(self.seed, 0).of_ball(self._walkers(size), size)
        return Cone(self.seed, np.zeros(size), points, np.zeros((0, size)))

    def _body(self, arrays: dict[str, AnyArray], size: int) -> Body:
        centre, points, normals = (arrays[name] for name in self.saved)
        known = centre.shape == (size,) and points.shape == (self._walkers(size), size)
        if size == 0 or not known or normals.shape != (max(1, len(normals)), size):
            raise ValueError("a centre, points and normals")
        if max(np.abs(array).max() for array in (centre, points, normals)) > 1.001:
            raise ValueError("points of the unit ball")
        return Cone(self.seed, centre.copy(), points.copy(), normals.copy())


@dataclass(frozen=True, eq=False)
class Cone(Body):
    """{‖w‖ ≤ 1 : n·w ≥ 0 for each of the normals}, with points spread evenly over it."""

    seed: int
    centre: FloatArray
    points: FloatArray
    normals: FloatArray

    def cut(self, a: FloatArray) -> "Cone":
        """Return the part with a·w ≥ 0; points outside restart from a point inside, then all walk.

        If few points are inside, the cut is approached by levels, each of which keeps a quarter.
        """
        normal = a / np.sqrt(sums(a * a))
        draws, points = Draws(self.seed, len(self.normals) + 1), self.points
        sides = product(points, normal[:, None])[:, 0]
        if not len(self.normals):  # the ball is even: a point is as good as its opposite
            points, sides = np.where(sides[:, None] < 0, -points, points), np.abs(sides)
        normals = np.vstack([self.normals, normal])
        floors = np.zeros(len(normals))
        for _ in range(_LEVELS * len(a) + 10):
            enough = np.count_nonzero(sides >= 0) >= _KEPT * len(sides)
            floors[-1] = 0.0 if enough else float(np.sort(sides)[3 * len(sides) // 4])
            shape = spread(points)  # before dropping any, because those left may be fewer than d
            points = _moved_inside(points, sides >= floors[-1], draws)
            points, mean = Polytope(normals, floors).walked(points, shape, draws)
            if enough:
                return replace(self, centre=mean, points=points, normals=normals)
            sides = product(points, normal[:, None])[:, 0]
        raise UnrealizableError(
            "expected a halfspace that agrees with every label so far, got none that a walk could "
            "find. Use a learner for noisy labels."
        )

    def arrays(self) -> dict[str, AnyArray]:
        """Return centre, points and normals."""
        return {"centre": self.centre, "points": self.points, "normals": self.normals}


def _moved_inside(points: FloatArray, inside: AnyArray, draws: Draws) -> FloatArray:
    """Return the points, after moving each one outside to a random one inside."""
    places, outside = np.flatnonzero(inside), np.flatnonzero(~inside)
    chosen = (draws.uniforms(len(outside)) * len(places)).astype(np.int64)
    moved = points.copy()
    moved[outside] = points[places[chosen]]
    return moved
