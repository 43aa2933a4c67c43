"""What the figures show of a ledger: errors and losses over time, and calibration."""

from dataclasses import dataclass

import numpy as np

from novikoff.playing.checkpoints import LossCheckpoints, mistakes_at
from novikoff.playing.ledger import Ledger
from novikoff.receipts.calibration import CalibrationBin
from novikoff.receipts.error_bounds import mixture_bound
from novikoff.theory import Bound
from novikoff.types import FloatArray, IntArray

_STEPS = 240  # points of a curve
_WINDOWS = 20  # a sliding window has this part of the rounds
_LEAST_WINDOW = 100


@dataclass(frozen=True)
class ErrorsOverTime:
    """How often a run was wrong, up to some of its rounds and in a window before each."""

    rounds: IntArray
    so_far: FloatArray
    recent: FloatArray
    window: int


def errors_over_time(ledger: Ledger) -> ErrorsOverTime:
    """Return M_t/t and (M_t − M_{t−n})/n for a window of n rounds, shorter at the beginning."""
    last, made = ledger.rounds, ledger.mistake_rounds
    window = min(last, max(_LEAST_WINDOW, last // _WINDOWS))
    first = max(1, window // 4)  # before that, each mistake is a peak
    rounds = np.unique(np.linspace(first, last, _STEPS).astype(np.int64))
    up_to, before = mistakes_at(rounds, made), mistakes_at(np.maximum(rounds - window, 0), made)
    recent = (up_to - before) / np.minimum(rounds, window)
    return ErrorsOverTime(rounds, up_to / rounds, recent, window)


@dataclass(frozen=True)
class LossOverTime:
    """The losses up to some rounds: the run's own, and those that it is compared with."""

    rounds: IntArray
    own: FloatArray
    compared: FloatArray | None
    """The loss of the fixed weights u of a bound; None if it is not known."""
    frequencies: float | None
    """The mean loss of giving each label its frequency."""
    bound: Bound | None

    @property
    def allowed(self) -> float | None:
        """The most that the loss of the whole run can be."""
        return None if self.bound is None else self.bound.value


def loss_over_time(
    ledger: Ledger, bound: Bound | None, frequencies: float | None
) -> LossOverTime | None:
    """Return the losses at the checkpoints; None for learners without a loss."""
    points = ledger.checkpoints
    if not isinstance(points, LossCheckpoints):
        return None
    known = np.isfinite(points.loss)
    rounds, own = points.rounds[known], points.loss[known]
    compared: FloatArray | None = None
    if bound is not None and bound.along is not None:
        losses = dict(bound.along)
        if losses.keys() >= {*rounds.tolist()}:
            compared = np.array([losses[t] for t in rounds.tolist()])
    return LossOverTime(rounds, own, compared, frequencies, bound)


def played_bins(ledger: Ledger, delta: float) -> tuple[CalibrationBin, ...]:
    """Return the bins of a run that have rounds, with intervals that are all right at once.

    Let q_t be the chance of the label given x_t and the past. A bin's rounds are chosen before
    their labels are known, so ``mixture_bound`` holds for the mean of q_t over them, and for
    that of 1 − q_t. With B bins, each of the 2B bounds gets δ/(2B). Nothing is assumed.
    """
    if not hasattr(ledger, "calibration"):
        return ()
    counts = ledger.calibration
    bins = len(counts.rounds)
    share = delta / (2 * bins)
    found = []
    columns = (part.tolist() for part in counts)
    for k, (rounds, came, total) in enumerate(zip(*columns, strict=True)):
        if rounds:
            high = mixture_bound(came, rounds, share)
            low = max(0.0, 1 - mixture_bound(rounds - came, rounds, share))
            edges = k / bins, (k + 1) / bins
            found.append(CalibrationBin(*edges, rounds, total / rounds, came, (low, high)))
    return tuple(found)
