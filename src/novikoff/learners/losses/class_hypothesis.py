"""What the mixture for many classes has learned: P(k | x) for every class k."""

from collections.abc import Mapping
from typing import Self

from novikoff import _core
from novikoff.learners.hypothesis import State, all_rows, checked_labels, finite_number
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of
from novikoff.streams import ArrayBlock, as_block
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

MOST_CLASSES = 2**20


class ClassBlendHypothesis(RowHypothesis):
    """h(x) = argmax_k P(k | x), ties to the first class; P is a mixture of frozen members.

    ``state`` holds the members and the weights of the mixture, as the learner saves them. A feature
    that the learner has not met counts as 0.
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
        self._rule.restore(self.state)
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
        return self._native_scores(self._fitting(as_block(X)))

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
