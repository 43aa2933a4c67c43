"""The score of a probability."""

import numpy as np

from novikoff import _core
from novikoff.types import FloatArray


def logit(p: FloatArray) -> FloatArray:
    """Return ln(p/(1 − p)) = ±ln(1 + |2p − 1|/min(p, 1 − p)), with the sign of 2p − 1.

    The logarithm is that of docs/programs.md, so every CPU gets the same bits. A probability that
    is 0, 1 or below 2⁻¹⁰²⁴ gives an infinite score.
    """
    gap = 2 * p - 1
    with np.errstate(divide="ignore", over="ignore"):
        odds = np.abs(gap) / np.where(gap < 0, p, 1 - p)
    infinite = np.isinf(odds)
    size = np.where(infinite, np.inf, _core.program_log1p(np.where(infinite, 0.0, odds)))
    return np.copysign(size, gap)
