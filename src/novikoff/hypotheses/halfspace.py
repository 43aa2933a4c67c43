"""Halfspaces: h(x) = sgn(w·x)."""

from typing import Any, Self

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError
from novikoff.hypotheses.hypothesis import (
    Hypothesis,
    all_rows,
    by_size,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.streams import ArrayBlock, BinaryLabels
from novikoff.types import AnyArray, FloatArray, Label


class Halfspace(Hypothesis):
    """h(x) = sgn(w·x), with sgn(0) = +1; signs are exact for the weights as they stand.

    ``w`` holds one weight a feature; ``weights()`` and ``top()`` give them by name.
    ``bias`` is the value of a constant feature folded into x, ``bias_weight`` its weight.
    """

    def __init__(
        self,
        w: Any,
        bias: float | None = None,
        bias_weight: float = 0.0,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.w = finite("w", w, 1)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.bias_weight = finite_number("bias_weight", bias_weight)
        self.labels = checked_labels(labels, 2)
        self.features = features
        self._rule = _core.halfspace(self.bias or 0.0, self.bias_weight, self.w)

    def __repr__(self) -> str:
        return f"Halfspace({len(self.w)} features, norm {self.norm:.6g})"

    @property
    def norm(self) -> float:
        """‖w‖, the constant feature's weight included."""
        return self._rule.norm()

    def weights(self) -> dict[Any, float]:
        """Return {feature: weight} of the weights that are not 0.

        A feature is its name, or its number where features are numbered or hashed. The constant
        feature's weight is ``bias_weight``.
        """
        names = self._feature_names()
        return {names[j]: float(self.w[j]) for j in np.flatnonzero(self.w)}

    def top(self, count: int = 20) -> list[tuple[Any, float]]:
        """Return the features that weigh most, the sign aside, with their weights."""
        return by_size(self.weights(), count)

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
        return len(self.w)

    def with_labels(self, labels: tuple[Label, ...]) -> Self:
        """Return the same halfspace speaking these labels, (that of −1, that of +1)."""
        return type(self)(self.w, self.bias, self.bias_weight, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return all_rows(block, self._rule.scores(block.native))

    def _state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        metadata = {"bias": self.bias, "bias_weight": self.bias_weight}
        return metadata, {"w": self.w}

    @classmethod
    def _restore(
        cls, metadata: dict[str, Any], arrays: dict[str, AnyArray], labels: tuple[Label, ...]
    ) -> Self:
        return cls(arrays["w"], **metadata, labels=labels)
