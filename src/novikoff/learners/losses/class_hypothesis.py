"""What the mixture for many classes has learned: P(k | x) for every class k."""

from collections.abc import Mapping
from typing import Self

import numpy as np

from novikoff import _core
from novikoff.learners.hypothesis import Feature, State, all_rows, checked_labels, finite_number
from novikoff.learners.row_hypothesis import RowHypothesis, block_of
from novikoff.saving.contents import bias_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

MOST_CLASSES = 2**20
_CELL = 6  # m, r, S, G, G, V of a feature
_RATE = 0.5  # of member 2


class ClassBlendHypothesis(RowHypothesis):
    """What ``ClassBlend`` has learned, frozen: it gives each class a probability.

    h(x) = argmax_k P(k | x), ties to the first class; P is a mixture of frozen members.

    ``state`` is that of the learner. The weights of the mixture are their mean over the rounds, in
    which round t counts t times, and the recent base rate is the base rate, because no round is
    recent for rows to come. A feature that the learner has not met counts as 0.
    """

    multiclass = True

    def __init__(
        self,
        state: Mapping[str, AnyArray],
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.bias = None if bias is None else finite_number("bias", bias)
        classes = int(state["counts"][2]) if state["counts"].shape == (4,) else 0
        if not 2 <= classes <= MOST_CLASSES or state["base_rate"].shape != (classes + 1,):
            raise ValueError("a learner's saved state")
        self._rule = _core.ClassBlend(self.bias or 0.0, classes)
        self.state = {name: state[name] for name in self._rule.state()}
        frozen = {"shares": state["mean_shares"], "recent_rate": state["base_rate"]}
        self._rule.restore(self.state | frozen)
        self.labels = checked_labels(labels, classes)
        self.features = features

    def __repr__(self) -> str:
        return f"ClassBlendHypothesis({self.dimension} features, {self.classes} classes)"

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self._rule.classes)

    @property
    def dimension(self) -> int:
        """The number of features."""
        return int(self._rule.dimension)

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of every class, one row for each x and one column per class."""
        return self._native_scores(self._fitting(block_of(self, X)))

    def weights(self) -> dict[Label, dict[Feature, float]]:
        """Return {label: {feature: weight}}: what the stack's score of a label gains per unit.

        Only differences between labels count, so the weights of a feature add up to 0. The
        probability also depends on other members.
        """
        moves, largest = self._moves()
        names = self._feature_names()
        labels = self.labels or range(self.classes)
        return {
            label: {names[j]: float(column[j] / largest[j]) for j in np.flatnonzero(column)}
            for label, column in zip(labels, moves.T, strict=True)
        }

    def top(self, count: int = 20) -> dict[Label, list[tuple[Feature, float]]]:
        """Return, for each label, the features that move its score most, with their weights.

        They are ordered by |weight| · max |x|, because columns on raw scales have weights of all
        sizes.
        """
        moves, largest = self._moves()
        names = self._feature_names()
        labels = self.labels or range(self.classes)
        found: dict[Label, list[tuple[Feature, float]]] = {}
        for label, column in zip(labels, moves.T, strict=True):
            order = np.argsort(-np.abs(column), kind="stable")[:count]
            kept = [int(j) for j in order if column[j]]
            found[label] = [(names[j], float(column[j] / largest[j])) for j in kept]
        return found

    def moves(self) -> dict[Label, dict[Feature, float]]:
        """Return {label: {feature: |weight| · max |x|}}: by how much it moves the score at most."""
        moves, _ = self._moves()
        names = self._feature_names()
        labels = self.labels or range(self.classes)
        return {
            label: {names[j]: abs(float(column[j])) for j in np.flatnonzero(column)}
            for label, column in zip(labels, moves.T, strict=True)
        }

    def _moves(self) -> tuple[FloatArray, FloatArray]:
        """Return by how much a feature at its largest |x| moves each score, and these |x|.

        The members 2 to 6 have a score Σ w·rate per class (docs/programs_classes.md), with a rate
        of RATES[0]/√(S + 1) for member 2 and of 1 for the others if x is that large. The stack
        adds up ω times their logarithms.
        """
        omega, classes = self.state["stack_weights"], self.classes
        cells = self.state["features"].reshape(-1, _CELL)[1:]  # without the constant feature
        w = self.state["weights"].reshape(-1, 4, classes)[1:]
        moves = omega[2] * _RATE / np.sqrt(cells[:, 2] + 1)[:, None] * w[:, 0]
        for member in (3, 4, 5):
            moves += omega[member] * w[:, member - 2]
        newton, slots = self.state["newton_weights"], self.state["newton_features"]
        numbered = slots >= 0
        moves[slots[numbered]] += omega[6] * newton.reshape(-1, classes)[numbered]
        moves -= moves.mean(axis=1, keepdims=True)
        return moves, np.where(cells[:, 0] > 0, cells[:, 0], 1.0)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, one per class."""
        return type(self)(self.state, self.bias, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        found: FloatArray = all_rows(block, self._rule.probabilities(block.native))
        return found.reshape(-1, self.classes)

    def _state(self) -> State:
        return {"bias": self.bias}, self.state

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        return cls(arrays, bias_of(metadata), labels)
