"""Comparators that are multiples of given directions, for Minnow.

The directions are the learner's own weights and those of soft-margin problems. For each the best γ
is found from the margins.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.comparators.soft_margin import Path, Rows, Watch
from novikoff.hypotheses import Halfspace
from novikoff.types import AnyArray, FloatArray

_COSTS = (1.0, 16.0, 256.0)  # times 1/R²
_TOLERANCE = 1e-2
Blocks = list[tuple[Any, AnyArray]]


@dataclass(frozen=True)
class Direction:
    """A w, its length, and what it makes of each round: y w·x."""

    w: FloatArray
    bias_weights: FloatArray
    norm2: float
    margins: FloatArray


def simplex_directions(
    blocks: Blocks, own: Halfspace, balanced: bool, watch: Watch
) -> list[Direction]:
    """Return directions with ‖w‖₁ = 1 for Minnow, w ≥ 0 unless balanced."""
    rows = Rows(blocks, own.bias)
    path = Path(rows, False, _TOLERANCE, watch)
    pairs = [(own.w, own.bias_weight)]
    for cost in _COSTS:
        found = path.at(cost / max(rows.radius2, 1e-60))
        pairs.append((found.w, found.bias_weight))
    directions = []
    for raw, raw_bias in pairs:
        w, bias_weight = (raw, raw_bias) if balanced else (np.maximum(raw, 0), max(raw_bias, 0.0))
        total = float(np.abs(w).sum() + abs(bias_weight))
        if total == 0:
            continue
        h = Halfspace(w / total, own.bias, bias_weight / total)
        margins = np.concatenate([h._native_scores(block) * labels for block, labels in blocks])
        directions.append(Direction(h.w, np.array([h.bias_weight]), 1.0, margins))
    return directions
