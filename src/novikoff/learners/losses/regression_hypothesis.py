"""What a learner of real labels has learned: its state, frozen."""

from collections.abc import Mapping
from functools import cached_property
from typing import Self

from novikoff import _core
from novikoff.errors import as_float, parameter
from novikoff.learners.hypothesis import Feature, State, all_rows, by_size, finite, finite_number
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of, number_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

_LEAST, _MOST = 2.0**-40, 2.0**40


def checked_ridge(ridge: object) -> float:
    """Return the ridge λ of a regression."""
    found = as_float(ridge)
    if not _LEAST <= found <= _MOST:
        raise parameter("ridge", "a number from 2**-40 to 2**40", ridge)
    return found


class RegressionHypothesis(RowHypothesis):
    """What ``ForwardRegression`` has learned, frozen: predicts numbers.

    h(x) = b·(A + x xᵀ)⁻¹x, with A = ridge·I + Σ x xᵀ and b = Σ y x of the rounds.

    It predicts what the learner predicts, bit for bit, with its state frozen (docs/programs.md).
    ``state`` is that of the learner. ``w`` are the weights of ridge regression, A⁻¹b: h(x) is w·x
    divided by 1 + xᵀA⁻¹x, so it is nearer to 0 the less is known about the direction of x.
    """

    real = True

    def __init__(
        self,
        ridge: float,
        state: Mapping[str, AnyArray],
        bias: float | None = None,
        features: _core.Features | None = None,
    ) -> None:
        self.ridge = checked_ridge(ridge)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.labels = ()
        self.features = features
        self._rule = _core.ForwardRegression(self.bias or 0.0, self.ridge)
        self.state = {name: state[name] for name in self._rule.state()}
        self._rule.restore(self.state)

    def __repr__(self) -> str:
        return f"RegressionHypothesis({self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return int(self._rule.dimension)

    @cached_property
    def w(self) -> FloatArray:
        """The weight of every feature in ridge regression."""
        return finite("w", self._rule.halfspace()[1], 1)

    @cached_property
    def bias_weight(self) -> float:
        """The weight of the constant feature."""
        return float(self._rule.halfspace()[0])

    def weights(self) -> dict[Feature, float]:
        """Return {feature: weight} of the weights that are not 0.

        A feature is its name, or its number if features are numbered or hashed. The constant
        feature's weight is ``bias_weight``.
        """
        names = self._feature_names()
        return {names[j]: float(self.w[j]) for j in self.w.nonzero()[0]}

    def top(self, count: int = 20) -> list[tuple[Feature, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def _decode(self, predictions: AnyArray) -> AnyArray:
        """Return predictions as they are: numbers."""
        return predictions

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        raise parameter("labels", "none, because predictions are numbers", labels)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return self._native_scores(block)

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return all_rows(block, self._rule.scores(block.native))

    def _state(self) -> State:
        return {"bias": self.bias, "ridge": self.ridge}, self.state

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        if labels:
            raise ValueError("predictions without labels")
        return cls(number_of(metadata, "ridge"), arrays, bias_of(metadata))
