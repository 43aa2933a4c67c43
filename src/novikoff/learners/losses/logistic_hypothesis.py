"""What a learner for the logistic loss has learned: P(+1 | x) = 1/(1 + e^{−s})."""

from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import as_float, parameter
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
from novikoff.saving.contents import bias_of, number_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

_LEAST, _MOST = 2.0**-20, 2.0**20


def checked_rate(rate: object) -> float:
    """Return the rate of a float program."""
    found = as_float(rate)
    if not _LEAST <= found <= _MOST:
        raise parameter("rate", "a number from 2**-20 to 2**20", rate)
    return found


class LogisticHypothesis(RowHypothesis):
    """What ``AdaptiveGradient`` has learned, frozen: gives probabilities.

    h(x) = +1 if P(+1 | x) = 1/(1 + e^{−s}) is at least ½, and −1 otherwise.

    The score s is that of the learner, bit for bit, with its state frozen (docs/programs.md): w·x
    as long as no |x_i| exceeds the largest that was learned from. Beyond it the weight of a
    feature shrinks, because nothing is known about values of that size.

    ``cells`` holds (m, θ, S) of the constant feature, then of the others.
    """

    def __init__(
        self,
        cells: npt.ArrayLike,
        rate: float,
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.cells = finite("cells", cells, 2)
        self.rate = checked_rate(rate)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.labels = checked_labels(labels, 2)
        self.features = features
        if self.cells.shape[0] < 1 or self.cells.shape[1] != 3:
            raise parameter("cells", "(m, θ, S) for each feature", f"shape {self.cells.shape}")
        self._rule = _core.AdaptiveGradient(self.bias or 0.0, self.rate)
        self._rule.restore({"cells": self.cells.reshape(-1), "counts": np.zeros(1, np.int64)})
        self.bias_weight, weights = self._rule.halfspace()
        self.w = finite("w", weights, 1)

    def __repr__(self) -> str:
        return f"LogisticHypothesis({self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.w)

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        return _core.program_probabilities(self.scores(X))

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
        return type(self)(self.cells, self.rate, self.bias, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return np.where(self._native_scores(block) >= 0, np.int8(1), np.int8(-1))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return all_rows(block, self._rule.scores(block.native))

    def _state(self) -> State:
        return {"bias": self.bias, "rate": self.rate}, {"cells": self.cells}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        return cls(arrays["cells"], number_of(metadata, "rate"), bias_of(metadata), labels)
