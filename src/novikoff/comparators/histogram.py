"""A comparator's margins on the rounds in 64 bins: small enough for every bound to carry."""

import numpy as np

from novikoff.comparators.class_comparators import ClassRows
from novikoff.comparators.soft_margin import Found, Rows
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.types import AnyArray, FloatArray, Histogram

_BINS = 64
_MIDDLE = (0.01, 0.99)  # quantiles; the bins extend beyond by at most a quarter of their distance


def margins_of(rows: Rows, found: Found) -> FloatArray:
    """y_t w·x_t of every row, in plain floats; with classes, the lead of the correct one."""
    if isinstance(rows, ClassRows):
        many = Multiclass(found.w, rows.bias, found.bias_weight)
        margins = [_leads(many.scores(block), labels) for block, labels in rows.blocks]
    else:
        h = Halfspace(found.w, rows.bias, float(found.bias_weight))
        margins = [h.scores(block) * labels for block, labels in rows.blocks]
    return np.concatenate(margins) if margins else np.zeros(0)


def _leads(scores: FloatArray, labels: AnyArray) -> FloatArray:
    """w_y·x − max_{k ≠ y} w_k·x."""
    rows = np.arange(len(scores))
    right = scores[rows, labels]
    rest = scores.copy()
    rest[rows, labels] = -np.inf
    leads: FloatArray = right - rest.max(axis=1)
    return leads


def histogram(values: FloatArray) -> Histogram | None:
    """Count values in bins of equal width, from the least to the largest.

    Values far beyond the middle 98 % would flatten it, so they go to the end bins. None if there is
    no value, or one too large for a float.

    >>> import numpy as np
    >>> found = histogram(np.append(np.linspace(-1, 1, 999), 1000.0))
    >>> round(found.low, 2), round(found.high, 2), sum(found.counts), found.below, found.above
    (-1.0, 1.47, 1000, 0, 1)
    """
    if values.size == 0 or float(np.abs(values).max()) > 1e300 or np.isnan(values).any():
        return None
    least, most = float(values.min()), float(values.max())
    left, right = (float(q) for q in np.quantile(values, _MIDDLE))
    reach = (right - left) / 4
    low, high = max(least, left - reach), min(most, right + reach)
    if (high - low) / _BINS <= 4 * np.spacing(max(-low, high)):  # one value, or as good as one
        half = max(0.5, abs(low))
        low, high = low - half, high + half
    counts, _ = np.histogram(np.clip(values, low, high), bins=_BINS, range=(low, high))
    below, above = int((values < low).sum()), int((values > high).sum())
    return Histogram(low, high, tuple(counts.tolist()), below, above)
