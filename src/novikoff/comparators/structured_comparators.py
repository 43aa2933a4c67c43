"""Comparators for structured runs: a run's learned weights, scaled to suit a bound.

A round's loss is max(0, 1 − (w·Φ(x, y) − max_{z ≠ y} w·Φ(x, z))); it needs the second-best output.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff import _core
from novikoff.types import FloatArray, IntArray

_BITS = 12  # bits of a scale: then its products with whole weights and margins are exact
Whole = _core.ChainWeights | _core.ArcWeights | Mapping[object, int]
"""The whole weights of a hypothesis: of a chain, of trees, or by feature."""
Objective = Callable[[float, float, float], float]
"""A function of ‖w‖², Σ hinge and Σ hinge² over one pass."""


@dataclass(frozen=True)
class Direction:
    """Whole weights, and the margin of every round of one pass."""

    weights: IntArray
    """For a chain one row per tag: the features, then the start, then each previous tag."""
    norm2: int
    margins: IntArray

    @classmethod
    def of(cls, whole: Whole, margins: IntArray) -> "Direction":
        """Measure the weights of a chain, of trees or of any other problem."""
        if isinstance(whole, _core.ChainWeights):
            both = np.concatenate([whole.emissions, whole.moves])
            rows = both.reshape(-1, max(whole.tags, 1)).T
        elif isinstance(whole, _core.ArcWeights):
            rows = whole.entries()[1].reshape(1, -1)
        else:
            rows = np.array([list(whole.values())], np.int64)
        values = rows[rows != 0].tolist()
        return cls(rows, sum(v * v for v in values), margins)

    @property
    def bounded(self) -> IntArray:
        """The margins of the rounds that have another output."""
        found: IntArray = self.margins[self.margins != _core.NO_OTHER]
        return found

    def losses(self, scale: Fraction, rounds: IntArray | None = None) -> tuple[Fraction, Fraction]:
        """Return the exact (Σ hinge, Σ hinge²) of scale · w, over one pass or these rounds."""
        chosen = self.margins if rounds is None else self.margins[rounds]
        lost = [m for m in chosen.tolist() if m != _core.NO_OTHER and scale * m < 1]
        count, total, squares = len(lost), sum(lost), sum(m * m for m in lost)
        return count - scale * total, count - 2 * scale * total + scale**2 * squares

    def scaled(self, objective: Objective) -> Fraction:
        """Return nearly the best multiple of w."""
        m = self.bounded.astype(np.float64)
        size = float(np.abs(m).max(initial=0.0)) or 1.0
        low, high = math.log(1e-3 / size), math.log(1e3)
        best = 0.0
        for _ in range(3):
            scales = np.exp(np.linspace(low, high, 60))
            values = [self._value(objective, scale, m) for scale in scales.tolist()]
            k = int(np.argmin(values))
            best = float(scales[k])
            low, high = math.log(scales[max(k - 1, 0)]), math.log(scales[min(k + 1, 59)])
        mantissa, exponent = math.frexp(best)
        return Fraction(round(mantissa * 2**_BITS)) * Fraction(2) ** (exponent - _BITS)

    def _value(self, objective: Objective, scale: float, m: FloatArray) -> float:
        hinges = np.maximum(0.0, 1.0 - scale * m)
        norm2 = scale * scale * self.norm2
        return objective(norm2, float(hinges.sum()), float(np.square(hinges).sum()))

    def entries(self, scale: Fraction) -> list[list[float]]:
        """Return [tag, index, weight] of every weight that is not 0."""
        tags, indices = np.nonzero(self.weights)
        values = (float(scale * v) for v in self.weights[tags, indices].tolist())
        return [list(t) for t in zip(tags.tolist(), indices.tolist(), values, strict=True)]
