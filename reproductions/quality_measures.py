"""What the quality table measures: error, log loss and calibration error of some predictions."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
BINS = 15
LEAST = 1e-15  # a probability of 0 that comes true would cost ∞; this one costs 34.5


class Guesses(NamedTuple):
    """What a learner predicted: labels and, if it gives them, probabilities.

    With two labels −1 and +1 the probabilities are those of +1, otherwise one column per class.
    """

    labels: Labels
    probabilities: Floats | None = None


class Scores(NamedTuple):
    """How good some guesses were; None if the learner gives no probabilities."""

    error: float
    log_loss: float | None
    calibration: float | None
    rounds: int


def judged(guesses: Guesses, y: Labels) -> Scores:
    """Compare guesses with the labels that came."""
    error, p = float(np.mean(guesses.labels != y)), guesses.probabilities
    if p is None:
        return Scores(error, None, None, len(y))
    if p.ndim == 1:
        came = np.where(y > 0, p, 1 - p)
        calibration = calibration_error(p, y > 0)
    else:
        came = p[np.arange(len(y)), y]
        calibration = calibration_error(p.max(axis=1), p.argmax(axis=1) == y)
    return Scores(error, log_loss(came), calibration, len(y))


def log_loss(came: Floats) -> float:
    """−(1/n) Σ ln p_t, with p_t the probability that was given to the label that came."""
    return float(-np.mean(np.log(np.clip(came, LEAST, 1))))


def calibration_error(p: Floats, happened: npt.NDArray[np.bool_]) -> float:
    """Σ_b (n_b/n) |mean p − share that happened|, over 15 bins with as many rounds each.

    This is the expected calibration error with bins of equal mass: round t falls into a bin by the
    rank of its p. Rounds with the same p share their average outcome, so that the result does not
    depend on the order of rounds.
    """
    values, place, counts = np.unique(p, return_inverse=True, return_counts=True)
    share = np.bincount(place, happened, len(values)) / counts
    gaps = np.sort(p) - np.repeat(share, counts)
    return float(sum(abs(part.sum()) for part in np.array_split(gaps, BINS)) / len(p))


def ratio(ours: Scores, theirs: Scores, measure: str) -> float | None:
    """Return ours/theirs; for errors with half an error added to each, so that 0 is allowed."""
    if measure == "error":
        half = 0.5 / ours.rounds
        return (ours.error + half) / (theirs.error + half)
    mine, other = getattr(ours, measure), getattr(theirs, measure)
    return None if mine is None or other is None else float(mine / max(other, 1e-12))


def geometric_mean(ratios: Iterable[float]) -> float:
    """(Π r)^{1/n}."""
    logs = [math.log(r) for r in ratios]
    return math.exp(math.fsum(logs) / len(logs))
