"""Learners for the logistic loss that are one score: P(+1 | x) = 1/(1 + e^{−s})."""

from typing import Literal

import numpy as np

from novikoff import _core
from novikoff.errors import parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.losses.program_hypothesis import ProgramHypothesis
from novikoff.learners.losses.score_learner import ScoreLearner

Loss = Literal["logistic"]


class LogisticLearner(ScoreLearner):
    """It predicts +1 if s ≥ 0, gives the probability 1/(1 + e^{−s}), and learns every round.

    A subclass is a float program (docs/programs.md) that says what s is.
    """

    def probability(self, x: object) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        return float(_core.program_probabilities(np.array([self.score(x)]))[0])

    def hypothesis(self) -> Hypothesis:
        """Return the state, frozen: it predicts what the learner predicts now, bit for bit."""
        state, named = self.core.state(), self.known_features
        found = ProgramHypothesis(self.program, self.constants, state, self.bias, features=named)
        return self.carrying(found)


def checked_loss(loss: Loss) -> Loss:
    """Return the loss, if the programs have it."""
    if loss != "logistic":
        raise parameter("loss", "'logistic'", loss)
    return loss
