"""Learners for losses that are one score: they predict its sign, and learn from every round."""

from abc import abstractmethod
from typing import ClassVar

from novikoff.errors import InputError
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.protocols import NativeScores
from novikoff.streams import one_row


class ScoreLearner(CoreLearner):
    """It predicts +1 if s ≥ 0, and learns every round.

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
