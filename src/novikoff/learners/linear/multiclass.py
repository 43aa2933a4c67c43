"""Multiclass hypotheses, one weight vector per class: h(x) = argmax_k w_k·x."""

from collections.abc import Iterator
from typing import NamedTuple, Self

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
from novikoff.saving.contents import bias_of, check_fields, is_count, number_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, IntArray, Label


class Columns(NamedTuple):
    """Weights of which few are not 0: those, class by class.

    The features of each class ascend, with −1 for the constant one; ``ends`` says where each class
    ends.
    """

    dimension: int
    ends: IntArray
    features: IntArray
    weights: FloatArray

    def of_class(self, k: int) -> tuple[IntArray, FloatArray]:
        """Return the features of a class, the constant one first if it is there, and weights."""
        start, end = self.ends[k - 1] if k else 0, self.ends[k]
        return self.features[start:end], self.weights[start:end]

    def constants(self) -> FloatArray:
        """Return the weight of the constant feature in every class."""
        found = np.zeros(len(self.ends))
        constant = self.features == -1
        found[self._classes()[constant]] = self.weights[constant]
        return found

    def matrix(self) -> FloatArray:
        """Return every weight, with a row per feature and a column per class."""
        found = np.zeros((self.dimension, len(self.ends)))
        inner = self.features >= 0
        found[self.features[inner], self._classes()[inner]] = self.weights[inner]
        return found

    def _classes(self) -> IntArray:
        """Return the class of each weight."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))


class Multiclass(RowHypothesis):
    """A linear classifier for many classes: predicts the one with the largest score.

    h(x) = argmax_k w_k·x, ties to the first class; decided exactly.

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
        dense = finite("w", w, 2)
        self.bias = None if bias is None else finite_number("bias", bias)
        classes = dense.shape[1]
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
        self._kept: FloatArray | Columns = dense
        self._rule = _core.multiclass(self.bias or 0.0, self.bias_weights, dense)

    @classmethod
    def listed(
        cls,
        columns: Columns,
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> Self:
        """Return the hypothesis with these weights, without making an array of all weights."""
        found = cls.__new__(cls)
        found.bias = None if bias is None else finite_number("bias", bias)
        found._rule = _core.listed_multiclass(found.bias or 0.0, *columns)
        found._kept = columns
        found.bias_weights = finite("bias_weights", columns.constants(), 1)
        classes = len(columns.ends)
        found.labels = checked_labels(tuple(labels)[:classes], classes)
        found.features = features
        return found

    @property
    def w(self) -> FloatArray:
        """Every weight: one row per feature, one column per class."""
        kept = self._kept
        return finite("w", kept.matrix(), 2) if isinstance(kept, Columns) else kept

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.bias_weights)

    def __repr__(self) -> str:
        return f"Multiclass({self.dimension} features, {self.classes} classes)"

    def weights(self) -> dict[Label, dict[Feature, float]]:
        """Return {label: {feature: weight}} of the weights that are not 0."""
        names = self._feature_names()
        labels = self.labels or range(self.classes)
        return {
            label: {names[j]: weight for j, weight in self._nonzeros(k)}
            for k, label in enumerate(labels)
        }

    def _nonzeros(self, k: int) -> Iterator[tuple[int, float]]:
        """Yield the features of a class whose weights are not 0, with their weights."""
        if isinstance(self._kept, Columns):
            features, weights = self._kept.of_class(k)
            inner = features >= 0
            features, weights = features[inner], weights[inner]
        else:
            features = np.flatnonzero(self._kept[:, k])
            weights = self._kept[features, k]
        yield from zip(features.tolist(), weights.tolist(), strict=True)

    def top(self, count: int = 20) -> dict[Label, list[tuple[Feature, float]]]:
        """Return, for each label, the features with the largest weights, regardless of sign."""
        return {label: by_size(found, count) for label, found in self.weights().items()}

    @property
    def dimension(self) -> int:
        """The number of features."""
        kept = self._kept
        return kept.dimension if isinstance(kept, Columns) else len(kept)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, one per class."""
        if isinstance(self._kept, Columns):
            return type(self).listed(self._kept, self.bias, labels, self.features)
        return type(self)(self._kept, self.bias, self.bias_weights, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        flat = all_rows(block, self._rule.scores(block.native))
        return flat.reshape(len(block), self.classes)

    def _state(self) -> State:
        kept = self._kept
        if not isinstance(kept, Columns):
            return {"bias": self.bias}, {"w": kept, "bias_weights": self.bias_weights}
        return {"bias": self.bias, "dimension": kept.dimension}, {
            "listed_ends": kept.ends,
            "listed_features": kept.features,
            "listed_weights": kept.weights,
        }

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        bias = bias_of(metadata)
        if "listed_ends" not in arrays:
            return cls(arrays["w"], bias, arrays["bias_weights"], labels)
        check_fields(metadata, {"dimension": is_count})
        columns = Columns(
            int(number_of(metadata, "dimension")),
            arrays["listed_ends"],
            arrays["listed_features"],
            arrays["listed_weights"],
        )
        return cls.listed(columns, bias, labels)
