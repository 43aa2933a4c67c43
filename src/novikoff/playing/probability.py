"""Probability: how likely a learner thinks each label is, in the user's labels."""

from collections.abc import Mapping

from novikoff.errors import parameter
from novikoff.learners.protocols import is_probable
from novikoff.streams import LabelMap
from novikoff.types import Label


def probability_of(learner: object, labels: LabelMap, x: object) -> float | dict[Label, float]:
    """Return the probability of the positive label; with many classes, of each label."""
    if not is_probable(learner):
        advice = "Play Blend, or calibrate scores."
        raise parameter("learner", "one that gives probabilities", learner, advice)
    found = learner.probability(x)
    if isinstance(found, float):
        return found
    if isinstance(found, Mapping):
        return dict(found)
    return dict(zip(labels.every, found.tolist(), strict=True))
