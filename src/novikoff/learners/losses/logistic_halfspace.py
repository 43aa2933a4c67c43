"""A halfspace that gives probabilities: P(+1 | x) = 1/(1 + e^{−w·x})."""

import numpy as np

from novikoff import _core
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray


class LogisticHalfspace(Halfspace):
    """h(x) = +1 if P(+1 | x) = 1/(1 + e^{−w·x}) is at least ½, and −1 otherwise.

    The score w·x is the correctly rounded sum of the rounded products, so the order of the features
    does not change it.
    """

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        return _core.program_probabilities(self.scores(X))

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return np.where(self._native_scores(block) >= 0, np.int8(1), np.int8(-1))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        found = _core.linear_scores(block.native, self.w, self.bias_weight, self.bias or 0.0)
        return all_rows(block, found)
