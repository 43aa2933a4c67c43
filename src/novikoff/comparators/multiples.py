"""Comparators for many classes that are multiples of given directions.

The directions are the learner's own weights and those of soft-margin problems, one against the
rest. For each the best multiple is found from the margins.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.comparators.soft_margin import Path, Rows, Watch
from novikoff.hypotheses import Multiclass
from novikoff.types import AnyArray, FloatArray

_COSTS = (1.0, 16.0, 256.0)  # times 1/R²
_TOLERANCE = 1e-2
Blocks = list[tuple[Any, AnyArray]]


@dataclass(frozen=True)
class Direction:
    """A w, its length, and what it makes of each round: y w·x, or a class's lead over the rest."""

    w: FloatArray
    bias_weights: FloatArray
    norm2: float
    margins: FloatArray

    def best(self, value: Callable[[float, FloatArray], float]) -> tuple[float, float]:
        """Return (the least value of ‖s w‖² and the losses of s w, the s that has it)."""
        length = math.sqrt(self.norm2) or 1.0
        scales = np.concatenate([[0.0], np.geomspace(1e-6, 1e4, 400) / length])

        def at(s: float) -> float:
            return value(s * s * self.norm2, np.maximum(0.0, 1 - s * self.margins))

        return min((at(float(s)), float(s)) for s in scales)


def class_directions(blocks: Blocks, own: Multiclass, watch: Watch) -> list[Direction]:
    """Return directions for many classes."""
    classes, bias = own.w.shape[1], own.bias
    found = [_led(blocks, own)]
    one_by_one = [
        Path(
            Rows([(block, _sides(ids, k)) for block, ids in blocks], bias), False, _TOLERANCE, watch
        )
        for k in range(classes)
    ]
    for cost in _COSTS:
        columns = [path.at(cost / max(path.rows.radius2, 1e-60)) for path in one_by_one]
        w = np.column_stack([column.w for column in columns])
        constant = np.array([column.bias_weight for column in columns])
        found.append(_led(blocks, Multiclass(w, bias, constant)))
    return found


def _sides(ids: AnyArray, k: int) -> AnyArray:
    return np.where(ids == k, np.int8(1), np.int8(-1))


def _led(blocks: Blocks, h: Multiclass) -> Direction:
    margins = []
    for block, ids in blocks:
        scores = h._native_scores(block)
        rounds = np.arange(len(ids))
        right = scores[rounds, ids]
        scores[rounds, ids] = -math.inf
        margins.append(right - (scores.max(axis=1) if scores.shape[1] > 1 else 0.0))
    norm2 = float((h.w**2).sum() + (h.bias_weights**2).sum())
    return Direction(h.w, h.bias_weights, norm2, np.concatenate(margins))
