"""What Blend has learned: members frozen at their last state, mixed with mean weights."""

from collections.abc import Mapping
from typing import Self

import numpy as np

from novikoff import _core
from novikoff.learners.hypothesis import (
    Feature,
    State,
    all_rows,
    by_size,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.learners.losses.logit import logit
from novikoff.learners.row_hypothesis import RowHypothesis, block_of
from novikoff.saving.contents import bias_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label


class BlendHypothesis(RowHypothesis):
    """What ``Blend`` has learned, frozen: it gives probabilities and no longer changes.

    P(+1 | x) = Σ_k π_k p_k(x), with every member frozen; h(x) = +1 if it is at least ½.

    ``state`` is that of the learner. The weights π_k are their mean over the rounds, in which round
    t counts t times: an average, so that one odd round at the end does not decide.
    """

    def __init__(
        self,
        state: Mapping[str, AnyArray],
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.bias = None if bias is None else finite_number("bias", bias)
        self.labels = checked_labels(labels, 2)
        self.features = features
        self._rule = _core.Blend(self.bias or 0.0)
        self.state = {name: state[name] for name in self._rule.state()}
        self._rule.restore(self.state)
        self._rule.freeze()
        self.bias_weight, weights = self._rule.halfspace()
        self.w = finite("w", weights, 1)

    def __repr__(self) -> str:
        return f"BlendHypothesis({self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.w)

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        return self._native_probabilities(self._fitting(block_of(self, X)))

    def weights(self) -> dict[Feature, float]:
        """Return {feature: weight}: what the stack's score gains per unit of a feature.

        A feature is its name, or its number if features are numbered or hashed. The constant
        feature's weight is ``bias_weight``. The probability also depends on other members.
        """
        names = self._feature_names()
        return {names[j]: float(self.w[j]) for j in np.flatnonzero(self.w)}

    def top(self, count: int = 20) -> list[tuple[Feature, float]]:
        """Return the features that move the score most, with their weights.

        They are ordered by |weight| · max |x|, because columns on raw scales have weights of all
        sizes.
        """
        weights = self.weights()
        return [(feature, weights[feature]) for feature, _ in by_size(self.moves(), count)]

    def moves(self) -> dict[Feature, float]:
        """Return {feature: |weight| · max |x|}: by how much a feature moves the score at most."""
        largest = self.state["cells"].reshape(-1, 16)[1:, 15]
        with np.errstate(over="ignore"):
            moves = np.abs(self.w) * largest
        names = self._feature_names()
        return {names[j]: float(moves[j]) for j in np.flatnonzero(self.w)}

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, (that of −1, that of +1)."""
        return type(self)(self.state, self.bias, labels, self.features)

    def _native_probabilities(self, block: ArrayBlock) -> FloatArray:
        found: FloatArray = all_rows(block, self._rule.probabilities(block.native))
        return found

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return logit(self._native_probabilities(block))

    def _state(self) -> State:
        return {"bias": self.bias}, self.state

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        return cls(arrays, bias_of(metadata), labels)
