"""Calibration: whether what is given a probability of p happens in a share p of the rows."""

import numpy as np

from novikoff.errors import InputError, parameter

BINS = 15
"""How many bins there are by default."""


def calibration_error(probabilities: object, happened: object, bins: int = BINS) -> float:
    """Σ_b (n_b/n) |mean p − share that happened|, over bins with as many rows each.

    The rows fall into bins by the rank of their p, and rows with the same p share their average
    outcome, so that their order does not matter. 0 is perfect; the p of a coin that is always
    called 90 % has an error of 0.4. With few rows in a bin, luck alone makes an error.

    >>> calibration_error([0.25] * 4 + [1.0, 1.0], [True, False, False, False, True, True])
    0.0
    """
    p = np.asarray(probabilities, np.float64)
    outcomes = np.asarray(happened, np.float64)
    if p.ndim != 1 or p.shape != outcomes.shape or not len(p):
        raise InputError(
            f"happened: expected one outcome for each probability, got arrays of shape "
            f"{outcomes.shape} and {p.shape}. Pass two lists of the same length."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("probabilities: expected numbers from 0 to 1, got others. Check them.")
    if bins < 1:
        raise parameter("bins", "at least one", bins)
    values, place, counts = np.unique(p, return_inverse=True, return_counts=True)
    share = np.bincount(place, outcomes, len(values)) / counts
    gaps = np.sort(p) - np.repeat(share, counts)
    return float(sum(abs(part.sum()) for part in np.array_split(gaps, bins)) / len(p))
