"""Halfspaces: h(x) = sgn(w·x)."""

from typing import Any, Self

from novikoff import _core
from novikoff.errors import HypothesisError, InputError
from novikoff.hypotheses.hypothesis import (
    Hypothesis,
    all_rows,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.streams import BinaryLabels, Block
from novikoff.types import AnyArray, FloatArray, Label


class Halfspace(Hypothesis):
    """h(x) = sgn(w·x), with sgn(0) = +1; signs are exact for the weights as they stand.

    ``bias`` is the value of a constant feature folded into x, ``bias_weight`` its weight.
    """

    def __init__(
        self,
        weights: Any,
        bias: float | None = None,
        bias_weight: float = 0.0,
        labels: tuple[Label, ...] = (),
    ) -> None:
        self.weights = finite("weights", weights, 1)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.bias_weight = finite_number("bias_weight", bias_weight)
        self.labels = checked_labels(labels, 2)
        self._rule = _core.halfspace(self.bias or 0.0, self.bias_weight, self.weights)

    def __repr__(self) -> str:
        return f"Halfspace({len(self.weights)} features, norm {self.norm:.6g})"

    @property
    def norm(self) -> float:
        """‖w‖, the constant feature's weight included."""
        return self._rule.norm()

    def margins(self, X: Any, y: Any) -> FloatArray:
        """y_t (w·x_t)/‖w‖ for each row: how far on its label's side it lies."""
        if self.norm == 0:
            raise HypothesisError("margins: expected w other than 0, got 0. Learn a mistake first.")
        several = self.labels and self.labels[0] == f"not {self.labels[1]}"
        known = BinaryLabels(self.labels[1]) if several else BinaryLabels(known=self.labels)
        signs = known.encode(y)
        scores = self.scores(X)
        if signs.shape != scores.shape:
            raise InputError(
                f"y: expected one label for each of the {len(scores)} rows of X, got "
                f"{len(signs)}. Pass labels of the same length."
            )
        margins: FloatArray = signs * scores / self.norm
        return margins

    def margin(self, X: Any, y: Any) -> float:
        """The smallest of the margins: min_t y_t (w·x_t)/‖w‖."""
        margins = self.margins(X, y)
        if margins.size == 0:
            raise InputError("X: expected at least one row, got none. A margin needs an example.")
        return float(margins.min())

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.weights)

    def with_labels(self, labels: tuple[Label, ...]) -> Self:
        """Return the same halfspace speaking these labels, (that of −1, that of +1)."""
        return type(self)(self.weights, self.bias, self.bias_weight, labels)

    def _native_predictions(self, block: Block) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: Block) -> FloatArray:
        return all_rows(block, self._rule.scores(block.native))

    def _state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        metadata = {"bias": self.bias, "bias_weight": self.bias_weight}
        return metadata, {"weights": self.weights}

    @classmethod
    def _restore(
        cls, metadata: dict[str, Any], arrays: dict[str, AnyArray], labels: tuple[Label, ...]
    ) -> Self:
        return cls(arrays["weights"], **metadata, labels=labels)
