"""What gradient descent has learned: its weights, frozen."""

from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import parameter
from novikoff.learners.hypothesis import (
    Feature,
    State,
    all_rows,
    by_size,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

_ANY_RATE = 1.0  # a score depends neither on the rate nor on the loss


class DescentHypothesis(RowHypothesis):
    """What ``GradientDescent`` has learned, frozen.

    h(x) = +1 if w·x ≥ 0, and −1 otherwise.

    The score w·x is that of the learner, bit for bit (docs/programs.md): the rounded sum of the
    rounded products. ``weights`` holds w of the constant feature, then of the others.
    """

    def __init__(
        self,
        weights: npt.ArrayLike,
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self._all = finite("weights", weights, 1)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.labels = checked_labels(labels, 2)
        self.features = features
        if len(self._all) < 1:
            raise parameter("weights", "that of the constant feature, then the others", "none")
        self._rule = _core.LogisticDescent(self.bias or 0.0, _ANY_RATE)
        self._rule.restore({"w": self._all, "counts": np.zeros(1, np.int64)})
        self.bias_weight, self.w = float(self._all[0]), self._all[1:]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.w)

    def weights(self) -> dict[Feature, float]:
        """Return {feature: weight} of the weights that are not 0.

        A feature is its name, or its number if features are numbered or hashed. The constant
        feature's weight is ``bias_weight``.
        """
        names = self._feature_names()
        return {names[j]: float(self.w[j]) for j in np.flatnonzero(self.w)}

    def top(self, count: int = 20) -> list[tuple[Feature, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, (that of −1, that of +1)."""
        return type(self)(self._all, self.bias, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return np.where(self._native_scores(block) >= 0, np.int8(1), np.int8(-1))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return all_rows(block, self._rule.scores(block.native))

    def _state(self) -> State:
        return {"bias": self.bias}, {"weights": self._all}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        return cls(arrays["weights"], bias_of(metadata), labels)


class LogisticDescentHypothesis(DescentHypothesis):
    """What ``GradientDescent`` has learned with the logistic loss, frozen: gives probabilities.

    h(x) = +1 if P(+1 | x) = 1/(1 + e^{−w·x}) is at least ½, and −1 otherwise.
    """

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        return _core.program_probabilities(self.scores(X))
