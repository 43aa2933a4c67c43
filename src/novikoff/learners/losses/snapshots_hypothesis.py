"""What Blend has learned, as the mean of its snapshots."""

from collections.abc import Sequence
from typing import Self

import numpy as np

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
from novikoff.learners.losses.logit import logit
from novikoff.learners.losses.snapshots import packed, unpacked
from novikoff.learners.row_hypothesis import RowHypothesis, block_of
from novikoff.saving.contents import bias_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label


class SnapshotsHypothesis(RowHypothesis):
    """What ``Blend`` has learned if it freezes snapshots: the mean of sixteen of its states.

    P(+1 | x) is the mean of what Blend would have said at each of its snapshots, which are drawn
    uniformly over the rounds. So if the rows of the run and x are drawn alike, its expected log
    loss is at most the expected mean loss of the run: each snapshot has that expected loss, and by
    Jensen's inequality a mean of probabilities loses no more than the mean of their losses. The
    last state of a run has no such guarantee.

    ``states`` are those of the learner, ``dimension`` is how many features it has met.
    """

    def __init__(
        self,
        states: Sequence[Arrays],
        dimension: int,
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.bias = None if bias is None else finite_number("bias", bias)
        self.labels = checked_labels(labels, 2)
        self.features = features
        self.states = tuple(states)
        self._dimension = dimension
        self._rules = [_core.Blend(self.bias or 0.0) for _ in self.states]
        for rule, state in zip(self._rules, self.states, strict=True):
            rule.restore(state)
        if not self._rules or max(rule.dimension for rule in self._rules) > dimension:
            raise parameter("states", f"one or more, of at most {dimension} features", len(states))

    def __repr__(self) -> str:
        return f"SnapshotsHypothesis({len(self.states)} states, {self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return self._dimension

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        return self._native_probabilities(self._fitting(block_of(self, X)))

    def weights(self) -> dict[Feature, float]:
        """Return {feature: weight}: the mean over the snapshots of what a stack gains per unit."""
        found = np.zeros(self.dimension)
        for rule in self._rules:
            _, w = rule.halfspace()
            found[: len(w)] += w / len(self._rules)
        names, weights = self._feature_names(), finite("weights", found, 1)
        return {names[j]: float(weights[j]) for j in np.flatnonzero(weights)}

    def top(self, count: int = 20) -> list[tuple[Feature, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, (that of −1, that of +1)."""
        return type(self)(self.states, self.dimension, self.bias, labels, self.features)

    def _native_probabilities(self, block: ArrayBlock) -> FloatArray:
        total = np.zeros(len(block))
        for rule in self._rules:
            total += all_rows(block, rule.probabilities(block.native))
        found: FloatArray = total / len(self._rules)
        return found

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return np.where(self._native_probabilities(block) >= 0.5, np.int8(1), np.int8(-1))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return logit(self._native_probabilities(block))

    def _state(self) -> State:
        metadata = {"bias": self.bias, "dimension": self.dimension}
        return metadata, packed(self.states, _core.Blend(0.0).state())

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        states = unpacked(arrays, _core.Blend(0.0).state())
        dimension = metadata["dimension"]
        if type(dimension) is not int or not 0 <= dimension <= _core.MAX_DIMENSION:
            raise ValueError("a number of features")
        return cls(states, dimension, bias_of(metadata), labels)
