"""Comparators that separate the rounds, with margins as large as can be found."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from novikoff.comparators import margin
from novikoff.comparators.class_comparators import ClassRows
from novikoff.comparators.occurring import weights_of
from novikoff.comparators.soft_margin import Found, Path, Rows, Watch
from novikoff.errors import HypothesisError
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.playing.run import Run
from novikoff.streams.whole_stream import as_one
from novikoff.types import FloatArray, IntArray

TOLERANCE = 1e-3
"""The tolerance for a point on a soft-margin path."""
_LARGE = 20_000_000  # with more values than this, the largest margin takes long
_SMALL = 300_000  # up to this many values it is worth a try without a separating w
_COSTS = 10  # tried in search of a separating w


@dataclass(frozen=True)
class OwnWeights:
    """The weights that a run has learned: they may separate its rounds."""

    run: Run
    shift: int
    """The rows of a search are the run's times 2^shift."""
    columns: IntArray | None = None
    """The columns of the run that these rows have; None for all."""

    def measured(self, rows: Rows) -> list[Found]:
        """Measure them on the rows, if they are of a kind to compare with."""
        h = self.run.learner.hypothesis()
        if isinstance(h, Halfspace):
            return [rows.measured(self._of_rows(h.w), math.ldexp(h.bias_weight, self.shift))]
        if isinstance(h, Multiclass) and isinstance(rows, ClassRows):
            return [rows.measured(self._of_rows(h.w), np.ldexp(h.bias_weights, self.shift))]
        return []

    def _of_rows(self, w: FloatArray) -> FloatArray:
        found: FloatArray = np.ldexp(w, self.shift)
        return found if self.columns is None else weights_of(self.columns, found)


def widest_margin(own: OwnWeights, rows: Rows, watch: Watch) -> Found | None:
    """Return the comparator with the largest margin found, if one separates the rounds."""
    best = _widest(rows)
    if best is not None and best.margin > 0:
        return best
    path = Path(rows, False, TOLERANCE, watch)
    cost = min(1 / rows.radius2, 1e60) if rows.radius2 > 0 else 1.0
    while path.at(cost).margin <= 0 and len(path.points) < _COSTS:
        cost *= 8
    return separating(own, rows, path)


def separating(own: OwnWeights, rows: Rows, path: Path) -> Found | None:
    """Return the comparator with the largest margin on a path, at its end or near it."""
    candidates = [found for found, _ in path.points.values()]
    candidates += own.measured(rows) + harder(rows, path)
    separated = any(found.margin > 0 for found in candidates)
    widest = _widest(rows) if separated or rows.count * rows.columns < _SMALL else None
    candidates += [] if widest is None else [widest]
    if separated:
        cost = max(path.points)
        for _ in range(6):  # harder and harder, while the margin grows
            cost *= 8
            candidates.append(path.at(cost))
    return widest_of(candidates)


def widest_of(candidates: Iterable[Found]) -> Found | None:
    """Return the comparator with the largest margin, if one separates the rounds."""
    right = [found for found in candidates if found.margin > 0]
    return min(right, key=lambda found: math.sqrt(found.norm2) / found.margin, default=None)


def harder(rows: Rows, path: Path) -> list[Found]:
    """Follow the path while the remaining loss is small and falls: its end may separate."""
    cost = max(path.points)
    last, found = path.points[cost][0], []
    while last.margin <= 0 and last.hinge < rows.count / 20 and not rows.stopped:
        cost *= 8
        found.append(path.at(cost))
        if found[-1].hinge > last.hinge / 2:
            break
        last = found[-1]
    return found


def _widest(rows: Rows) -> Found | None:
    """Return the comparator of the largest margin, if the extra ``margin`` is installed."""
    if isinstance(rows, ClassRows) or rows.count * rows.columns > _LARGE:
        return None
    labels = np.concatenate([labels for _, labels in rows.blocks])
    try:
        joined = as_one(block for block, _ in rows.blocks)
        with np.errstate(all="ignore"):  # every proposal is measured
            h = margin(joined, labels, bias=rows.bias or None).hypothesis()
    except (ImportError, HypothesisError):
        return None
    return rows.measured(h.w, h.bias_weight)
