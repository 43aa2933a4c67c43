"""One weight vector a class: h(x) = argmax_k w_k·x."""

from typing import Any, ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.hypotheses.hypothesis import (
    Hypothesis,
    all_rows,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.streams import Block
from novikoff.types import AnyArray, FloatArray, Label


class Multiclass(Hypothesis):
    """h(x) = argmax_k w_k·x, ties to the first class; decided exactly.

    ``weights`` has one row a feature and one column a class; ``bias_weights`` is the constant
    feature's row.
    """

    multiclass: ClassVar[bool] = True

    def __init__(
        self,
        weights: Any,
        bias: float | None = None,
        bias_weights: Any = None,
        labels: tuple[Label, ...] = (),
    ) -> None:
        self.weights = finite("weights", weights, 2)
        self.bias = None if bias is None else finite_number("bias", bias)
        classes = self.weights.shape[1]
        if classes == 0:
            raise InputError("weights: expected at least one class, got none. Learn a round first.")
        self.bias_weights = finite(
            "bias_weights", np.zeros(classes) if bias_weights is None else bias_weights, 1
        )
        if len(self.bias_weights) != classes:
            raise InputError(
                f"bias_weights: expected one for each of {classes} classes, got "
                f"{len(self.bias_weights)}. Pass as many."
            )
        # More labels than classes: those that a run has read ahead, not yet learned from.
        self.labels = checked_labels(tuple(labels)[:classes], classes)
        self._rule = _core.multiclass(self.bias or 0.0, self.bias_weights, self.weights)

    def __repr__(self) -> str:
        return f"Multiclass({self.weights.shape[0]} features, {self.weights.shape[1]} classes)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.weights)

    def with_labels(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis speaking these labels, one a class."""
        return type(self)(self.weights, self.bias, self.bias_weights, labels)

    def _native_predictions(self, block: Block) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: Block) -> FloatArray:
        flat = all_rows(block, self._rule.scores(block.native))
        return flat.reshape(len(block), -1)

    def _state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        return {"bias": self.bias}, {"weights": self.weights, "bias_weights": self.bias_weights}

    @classmethod
    def _restore(
        cls, metadata: dict[str, Any], arrays: dict[str, AnyArray], labels: tuple[Label, ...]
    ) -> Self:
        return cls(arrays["weights"], metadata["bias"], arrays["bias_weights"], labels)
