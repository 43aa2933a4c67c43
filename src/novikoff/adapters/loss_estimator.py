"""Estimators for losses: those that have ``predict_proba``."""

from abc import ABC

import numpy as np

from novikoff.adapters.estimator import Estimator
from novikoff.errors import InputError, Phrase, argument
from novikoff.learners import Hypothesis
from novikoff.learners.protocols import ProbabilisticHypothesis
from novikoff.playing.run import Run
from novikoff.streams import ArrayStream
from novikoff.types import AnyArray, FloatArray


class LossEstimator(Estimator, ABC):
    """An estimator whose learner gives probabilities and learns from every row."""

    passes: int
    max_weight: float | None

    def predict_proba(self, X: object) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``, for every row.

        One run per class gives P(class) against the rest; they are divided by their sum.
        """
        rows = self._rows(X)
        found = self._by_class(lambda hypothesis: _probabilities(hypothesis, rows))
        if self._hypotheses[0].multiclass:
            return found
        if len(self.classes_) == 2:
            return np.column_stack([1 - found[:, 0], found[:, 0]])
        total = found.sum(axis=1, keepdims=True)
        equal = np.full_like(found, 1 / found.shape[1])
        np.divide(found, total, out=equal, where=total > 0)
        return equal

    def predict_log_proba(self, X: object) -> FloatArray:
        """Return the natural logarithm of ``predict_proba``; −∞ for a probability of 0."""
        with np.errstate(divide="ignore"):
            found: FloatArray = np.log(self.predict_proba(X))
        return found

    def _largest(self, weights: FloatArray | None) -> float | None:
        """Return ``max_weight``; without one, the largest of the weights that ``fit`` got."""
        if self.max_weight is None and weights is not None:
            return float(weights.max())
        return self.max_weight

    def _check_declared(self, weights: object) -> None:
        """Refuse weights before the largest is declared: a later chunk may have a larger one."""
        if weights is not None and self.max_weight is None:
            raise InputError(
                where="sample_weight",
                expected="a largest weight, declared before the first round",
                got="none",
                remedy=Phrase("Declare it with ", argument("max_weight"), "."),
            )

    def _play(self, run: Run, source: ArrayStream) -> None:
        run.play(source, passes=self.passes)


def _probabilities(hypothesis: Hypothesis, rows: AnyArray) -> FloatArray:
    assert isinstance(hypothesis, ProbabilisticHypothesis)
    return hypothesis.probabilities(rows)
