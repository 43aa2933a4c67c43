"""Halving for halfspaces by ellipsoids."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from novikoff.errors import HypothesisError, UnrealizableError
from novikoff.learners.linear.cutting import Body, CuttingLearner
from novikoff.learners.linear.ordered_sums import product, row_sums, sums
from novikoff.types import AnyArray, FloatArray

_NOISE = 2.0**-50  # of a sum, relative to its terms: a few roundings


class EllipsoidHalving(CuttingLearner):
    """Encloses the weights that fit its mistakes in an ellipsoid, and predicts with its centre.

    E ← the least ellipsoid around {w ∈ E : y w·x ≥ 0} on a mistake   (bland1981; maass1994).

    E is the unit ball at first, and a score of 0 predicts +1. Every mistake leaves at most
    e^{−1/(2(d+1))} of the volume, and the correct halfspaces fill a small ball: M ≤ 2d(d+1) ln(1 +
    1/ρ), logarithmic in the margin ρ, in which the perceptron's bound is quadratic. With one
    feature it halves an interval.

    It keeps the axes rather than the matrix, so that the matrix stays positive whatever is rounded.
    A round that leaves no w of length 1 is refused, because no halfspace agrees with every label.
    So is a round that makes the ellipsoid too thin for float64 to tell from its centre.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 2.0], [2.0, 1.0], [1.0, 0.0]], [-1, 1, 1])
    >>> run = nv.play(nv.EllipsoidHalving(), rounds)
    >>> run.mistakes, run.hypothesis().predict([[1.0, 0.0], [0.0, 1.0]]).tolist()
    (2, [1, -1])
    """

    family: ClassVar[str] = "ellipsoid"

    saved = ("centre", "axes")

    def __init__(self, bias: float | None = None, dimension: int | None = None) -> None:
        super().__init__(bias, dimension)

    def _ball(self, size: int) -> Body:
        return Ellipsoid(np.zeros(size), np.eye(size))

    def _body(self, arrays: dict[str, AnyArray], size: int) -> Body:
        centre, axes = arrays["centre"], arrays["axes"]
        if centre.shape != (size,) or axes.shape != (size, size) or size == 0:
            raise ValueError("a centre and its axes")
        return Ellipsoid(centre.copy(), axes.copy())


@dataclass(frozen=True, eq=False)
class Ellipsoid(Body):
    """{centre + Σ_k u_k axes_k : ‖u‖ ≤ 1}."""

    centre: FloatArray
    axes: FloatArray

    def cut(self, a: FloatArray) -> "Ellipsoid":
        """Return the least ellipsoid around the part with a·w ≥ 0   (bland1981, deep cuts)."""
        d = len(a)
        with np.errstate(all="ignore"):
            reach = product(self.axes, a[:, None])[:, 0]
            width = math.sqrt(sums(reach * reach))
            terms = a * self.centre
            depth = self._depth(float(sums(terms)), float(sums(np.abs(terms))), width)
            turn = reach / width
            step = product(turn[None], self.axes)[0]
            along = d * (1 - depth) / (d + 1)
            across = d * math.sqrt((1 - depth) * (1 + depth) / ((d - 1) * (d + 1))) if d > 1 else 0
            centre = self.centre + (1 + d * depth) / (d + 1) * step
            axes = np.multiply.outer((along - across) * turn, step)
            axes += across * self.axes
            return Ellipsoid(centre, axes).checked()

    def _depth(self, score: float, terms: float, width: float) -> float:
        """Return how deep the cut is: 0 through the centre, 1 if it leaves one point."""
        if not width > _NOISE * len(self.centre) * terms:
            raise _too_thin()
        depth = max(0.0, -score / width)
        if depth >= 1:  # in real arithmetic w = 0 always remains, and the depth is at most 1
            raise _none_left("but w = 0, up to rounding")
        return depth

    def checked(self) -> "Ellipsoid":
        """Refuse a body that is not an ellipsoid in floats, or that contains no w of length 1."""
        farthest = math.sqrt(sums(self.centre * self.centre))
        farthest += math.sqrt(sums(row_sums(self.axes * self.axes)))
        if not math.isfinite(farthest):
            raise _too_thin()
        if farthest < 1 - _NOISE * len(self.centre):
            raise _none_left("of length 1")
        return self

    def arrays(self) -> dict[str, AnyArray]:
        """Return centre and axes."""
        return {"centre": self.centre, "axes": self.axes}


def _none_left(where: str) -> UnrealizableError:
    return UnrealizableError(
        "expected a halfspace that agrees with every label so far, got none: no w is left "
        f"{where}. Use a learner for noisy labels."
    )


def _too_thin() -> HypothesisError:
    return HypothesisError(
        "expected an ellipsoid that float64 can tell from its centre, got one that is thinner "
        "across x. The margin is too small for this learner, or there is none."
    )
