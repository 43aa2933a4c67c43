"""Learners for the logistic loss that are one score: P(+1 | x) = 1/(1 + e^{−s})."""

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import Hypothesis, all_rows
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.losses.program_hypothesis import ProgramHypothesis
from novikoff.learners.protocols import NativeScores
from novikoff.streams import one_row

Loss = Literal["logistic"]


class LogisticLearner(CoreLearner):
    """It predicts +1 if s ≥ 0, gives the probability 1/(1 + e^{−s}), and learns every round.

    A subclass is a float program (docs/programs.md) that says what s is.
    """

    program: ClassVar[str]
    """The name and version of the program."""
    scales_loss: ClassVar[bool] = True
    conservative: ClassVar[bool] = False
    refuses: ClassVar[bool] = False
    """Whether it may refuse to learn from an x that it can predict."""
    core: NativeScores

    @property
    @abstractmethod
    def constants(self) -> dict[str, float]:
        """The numbers that the program was given, by name."""

    def score(self, x: object) -> float:
        """Return s as the program computes it; changes nothing."""
        if isinstance(x, dict) and self.named and not self.transforms:
            known = self.core.score_named(self.features, x)
            if known is not None:
                return known
        block = self.made(self.fitting(one_row(x)))
        if block.named:
            score = self.core.score_named(self.features, block.rows[0])
            if score is None:
                raise InputError(f"x: {block.fault(0)}")
            return score
        return float(all_rows(block, self.core.scores(block.native))[0])

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
