"""Calibration: whether what is given a probability of p happens in a share p of the rows."""

from typing import NamedTuple

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.receipts.fresh_bounds import clopper_pearson_interval
from novikoff.types import AnyArray, FloatArray

BINS = 15
"""How many bins there are by default."""
EQUAL_BINS = 10
"""How many bins of equal width there are by default."""


def calibration_error(probabilities: object, happened: object, bins: int = BINS) -> float:
    """Measure how far probabilities are from what happened: 0 is perfect.

    It is Σ_b (n_b/n) |mean p − share that happened|, over bins with as many rows each. The rows
    fall into bins by the rank of their p, and rows with the same p share their average outcome, so
    their order does not matter. If you give a fair coin 90 % every time, the error is 0.4. With few
    rows in a bin, luck alone makes an error.

    >>> calibration_error([0.25] * 4 + [1.0, 1.0], [True, False, False, False, True, True])
    0.0
    """
    p, outcomes = _checked(probabilities, happened)
    if bins < 1:
        raise parameter("bins", "at least one", bins)
    values, place, counts = np.unique(p, return_inverse=True, return_counts=True)
    share = np.bincount(place, outcomes, len(values)) / counts
    gaps = np.sort(p) - np.repeat(share, counts)
    return sum(abs(float(part.sum())) for part in np.array_split(gaps, bins)) / len(p)


class CalibrationBin(NamedTuple):
    """The rows whose probability lies in one range, and how often it came true."""

    low: float
    high: float
    """The range: low ≤ p < high, and p = 1 is in the last one."""
    rows: int
    mean: float
    """The mean of the probabilities."""
    happened: int
    interval: tuple[float, float]
    """Where the share that comes true lies, among all rows of this range (Clopper–Pearson)."""

    @property
    def calibrated(self) -> bool:
        """Whether the mean probability lies in the interval."""
        return self.interval[0] <= self.mean <= self.interval[1]


def calibration_bins(
    probabilities: object, happened: object, delta: float = 0.05, bins: int = EQUAL_BINS
) -> tuple[CalibrationBin, ...]:
    """Return bins of equal width that hold rows, with intervals that hold at once.

    The ranges do not depend on the rows, so given how many rows fall into a bin, those that came
    true are binomial. Each interval has δ/bins, and all hold with probability at least 1 − δ.

    >>> calibration_bins([0.05, 0.07, 0.92, 0.95], [False, False, True, True])[-1].happened
    2
    """
    p, outcomes = _checked(probabilities, happened)
    if bins < 1:
        raise parameter("bins", "at least one", bins)
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    found = []
    for b in np.unique(place).tolist():
        chosen = place == b
        rows, came = int(chosen.sum()), int(outcomes[chosen].sum())
        interval = clopper_pearson_interval(came, rows, delta / bins)
        with np.errstate(under="ignore"):
            mean = float(p[chosen].mean())
        found.append(CalibrationBin(b / bins, (b + 1) / bins, rows, mean, came, interval))
    return tuple(found)


def _checked(probabilities: object, happened: object) -> tuple[FloatArray, AnyArray]:
    """Return the probabilities and outcomes as arrays of the same length."""
    p, outcomes = _numbers("probabilities", probabilities), _numbers("happened", happened)
    if p.ndim != 1 or p.shape != outcomes.shape or not len(p):
        raise InputError(
            f"happened: expected one outcome for each probability, got arrays of shape "
            f"{outcomes.shape} and {p.shape}. Pass two lists of the same length."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("probabilities: expected numbers from 0 to 1, got others. Check them.")
    return p, outcomes


def _numbers(name: str, values: object) -> FloatArray:
    """Return values as floats; refuse what is no number."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise parameter(name, "a list of numbers", values) from None
