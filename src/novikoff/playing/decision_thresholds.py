"""Thresholds of decisions: the probability from which on a run decides on the positive label.

A learner predicts with its own rule, and its mistakes and theorems are about that rule. A threshold
belongs to the run: it moves only what the run hands out, and its errors are counted apart.
"""

import math

import numpy as np

from novikoff.errors import as_float, parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.protocols import ProbabilisticHypothesis, is_probable
from novikoff.streams import BinaryLabels, LabelMap
from novikoff.streams.labels.label_maps import label_array
from novikoff.types import AnyArray


def checked_threshold(threshold: object) -> float:
    """Return a probability, if it is one."""
    found = as_float(threshold)
    if isinstance(threshold, bool) or not 0 <= found <= 1:
        raise parameter("threshold", "a probability from 0 to 1", threshold)
    return found


def threshold_of(false_positive: float, false_negative: float) -> float:
    """Return fp/(fp + fn): from this probability on, +1 costs less on average than −1.

    Deciding on +1 costs (1 − p)·fp on average, deciding on −1 costs p·fn.

    >>> threshold_of(1.0, 4.0), threshold_of(1e308, 1e308)
    (0.2, 0.5)
    """
    if math.isinf(false_positive + false_negative):  # the ratio is that of the halves
        false_positive, false_negative = false_positive / 2, false_negative / 2
    return false_positive / (false_positive + false_negative)


def check_decidable(learner: object, labels: LabelMap) -> None:
    """Refuse a threshold for a learner that gives no probability of one positive label."""
    if not is_probable(learner):
        raise parameter(
            "threshold", "a learner that gives probabilities", learner, "Play AdaptiveGradient."
        )
    if not isinstance(labels, BinaryLabels):
        raise parameter(
            "threshold", "two labels", labels.every, "With many classes the likeliest one counts."
        )


def check_probable(h: Hypothesis) -> ProbabilisticHypothesis:
    """Return a hypothesis that gives the probability of one positive label; refuse any other."""
    if not isinstance(h, ProbabilisticHypothesis) or h.multiclass:
        expected = "a model with two labels that gives probabilities"
        raise parameter("threshold", expected, h, "Leave it out.")
    return h


def decided(h: Hypothesis, X: object, threshold: float | None) -> AnyArray:
    """Return the label of every row: as h predicts, or as the threshold decides."""
    if threshold is None:
        return h.predict(X)
    positive = check_probable(h).probabilities(X) >= threshold
    found: AnyArray = label_array(h.labels or (-1, 1))[positive.astype(np.intp)]
    return found
