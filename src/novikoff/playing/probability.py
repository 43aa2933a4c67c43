"""Probability: how likely a learner thinks each label is, in the user's labels."""

from collections.abc import Mapping

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.learners.protocols import (
    ProbabilisticHypothesis,
    ProbabilisticLearner,
    is_probable,
)
from novikoff.streams import LabelMap, as_block
from novikoff.types import AnyArray, Label


def check_probable(learner: object) -> ProbabilisticLearner:
    """Return a learner that gives probabilities; refuse any other."""
    if is_probable(learner):
        return learner
    advice = "Play Blend, or calibrate scores."
    raise parameter("learner", "one that gives probabilities", learner, advice)


def probabilities_of(model: object, labels: LabelMap, X: object) -> AnyArray:
    """Return the positive label's probability of every row; with many classes, a column for each.

    A model that is not a hypothesis is asked row by row.
    """
    if isinstance(model, ProbabilisticHypothesis):
        return model.probabilities(X)
    block = as_block(X)
    found = (probability_of(model, labels, block.row(t)) for t in range(len(block)))
    return np.array([[*one.values()] if isinstance(one, dict) else one for one in found])


def probability_of(learner: object, labels: LabelMap, x: object) -> float | dict[Label, float]:
    """Return the probability of the positive label; with many classes, of each label."""
    found = check_probable(learner).probability(x)
    if isinstance(found, float):
        return found
    if isinstance(found, Mapping):
        return dict(found)
    names, values = labels.every, found.tolist()
    if len(names) != len(values):
        raise InputError(
            where="labels",
            expected=f"a name for each of the {len(values)} classes",
            got=str(len(names)),
            remedy="Declare all labels.",
        )
    return dict(zip(names, values, strict=True))
