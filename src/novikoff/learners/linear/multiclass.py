"""Multiclass hypotheses, one weight vector per class: h(x) = argmax_k w_k·x."""

from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError
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


class Multiclass(RowHypothesis):
    """h(x) = argmax_k w_k·x, ties to the first class; decided exactly.

    ``w`` has one row per feature and one column per class; ``bias_weights`` is the constant
    feature's row.
    """

    multiclass = True

    def __init__(
        self,
        w: npt.ArrayLike,
        bias: float | None = None,
        bias_weights: npt.ArrayLike | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.w = finite("w", w, 2)
        self.bias = None if bias is None else finite_number("bias", bias)
        classes = self.w.shape[1]
        if classes == 0:
            raise InputError("w: expected at least one class, got none. Learn a round first.")
        self.bias_weights = finite(
            "bias_weights", np.zeros(classes) if bias_weights is None else bias_weights, 1
        )
        if len(self.bias_weights) != classes:
            raise InputError(
                f"bias_weights: expected one for each of {classes} classes, got "
                f"{len(self.bias_weights)}. Pass as many."
            )
        # A run may have read more labels than it has learned from.
        self.labels = checked_labels(tuple(labels)[:classes], classes)
        self.features = features
        self._rule = _core.multiclass(self.bias or 0.0, self.bias_weights, self.w)

    def __repr__(self) -> str:
        return f"Multiclass({self.w.shape[0]} features, {self.w.shape[1]} classes)"

    def weights(self) -> dict[Label, dict[Feature, float]]:
        """Return {label: {feature: weight}} of the weights that are not 0."""
        names = self._feature_names()
        labels = self.labels or range(self.w.shape[1])
        return {
            label: {names[j]: float(column[j]) for j in np.flatnonzero(column)}
            for label, column in zip(labels, self.w.T, strict=True)
        }

    def top(self, count: int = 20) -> dict[Label, list[tuple[Feature, float]]]:
        """Return, for each label, the features with the largest weights, regardless of sign."""
        return {label: by_size(found, count) for label, found in self.weights().items()}

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.w)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, one per class."""
        return type(self)(self.w, self.bias, self.bias_weights, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        flat = all_rows(block, self._rule.scores(block.native))
        return flat.reshape(len(block), -1)

    def _state(self) -> State:
        return {"bias": self.bias}, {"w": self.w, "bias_weights": self.bias_weights}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        return cls(arrays["w"], bias_of(metadata), arrays["bias_weights"], labels)
