"""Decisions of expansions: by the float score if its error allows, else exactly."""

import numpy as np

from novikoff.kernels.kernel_points import Points
from novikoff.kernels.supports import Supports
from novikoff.types import AnyArray, FloatArray


def sign_at(
    supports: Supports, x: Points, t: int, score: float, error: float, a: AnyArray
) -> tuple[int, bool]:
    """Return sgn Σ a_i K(x_i, x_t), and whether that needed exact arithmetic."""
    if abs(score) > error:
        return (1 if score > 0 else -1), False
    if not a.any():
        return 0, False
    return supports.sign(x, t, a), True


def winner_at(
    supports: Supports, x: Points, t: int, scores: FloatArray, error: float, a: AnyArray
) -> tuple[int, bool]:
    """Return the first class with the largest score, and whether that needed exact arithmetic."""
    top = scores.max(initial=-np.inf)
    near = np.flatnonzero(~(scores < top - 2 * error))  # all that may still be the largest
    best, exact = int(near[0]), False
    for k in near[1:].tolist():
        difference = a[:, k] - a[:, best]
        if difference.any():
            exact = True
            if supports.sign(x, t, difference) > 0:
                best = k
    return best, exact


def signs(
    supports: Supports, x: Points, scores: FloatArray, error: FloatArray, a: AnyArray
) -> AnyArray:
    """Return sgn of every score, one column per column of a, with sgn(0) = +1."""
    found = np.where(scores >= 0, 1, -1)
    open_ = np.argwhere(~(np.abs(scores) > error[:, None]))
    for t, k in open_.tolist():
        score = float(scores[t, k])
        sign, _ = sign_at(supports, x, t, score, float(error[t]), a[:, k])
        found[t, k] = 1 if sign >= 0 else -1
    return found


def winners(
    supports: Supports, x: Points, scores: FloatArray, error: FloatArray, a: AnyArray
) -> AnyArray:
    """Return the first class with the largest score, for every row."""
    if scores.shape[1] < 2:
        return np.zeros(len(scores), np.int64)
    found: AnyArray = scores.argmax(axis=1)
    top = np.partition(scores, -2, axis=1)[:, -2:]
    for t in np.flatnonzero(~(top[:, 1] - top[:, 0] > 2 * error)).tolist():
        found[t], _ = winner_at(supports, x, t, scores[t], float(error[t]), a)
    return found
