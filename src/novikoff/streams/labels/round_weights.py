"""Weights of rounds: what scales an update."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from novikoff.errors import InputError, Phrase, argument, as_float, parameter
from novikoff.streams.labels.binary_labels import BinaryLabels
from novikoff.streams.labels.label_maps import LabelMap, label_array, plain
from novikoff.types import FloatArray, Label, PerRound

_LOWEST, _HIGHEST = 1e-90, 1e90
_NUMBERS = (int, float, np.integer, np.floating)
_ALLOWED = "0 or a number from 1e-90 to 1e90"


def checked_weights(weights: object, count: int, first_round: int) -> FloatArray:
    """Return one weight per round; an invalid weight is an error that names its round."""
    found = label_array(weights)
    if found.dtype.kind not in "biuf":
        bad = next((w for w in found.ravel() if not isinstance(w, _NUMBERS)), found.dtype)
        raise InputError(f"weights: expected numbers, got {bad!r}. Convert them first.")
    found = np.ascontiguousarray(found, dtype=np.float64)
    if found.shape != (count,):
        raise InputError(
            f"weights: expected one for each of the {count} rounds, got an array of shape "
            f"{found.shape}. Pass weights of the same length."
        )
    allowed = (found == 0) | ((found >= _LOWEST) & (found <= _HIGHEST))
    if not allowed.all():
        t = int(np.argmin(allowed))
        error = InputError(
            f"round {first_round + t}: expected a weight of {_ALLOWED}, got {found[t]}. "
            "Rescale the weights or drop the round."
        )
        error.row = t
        raise error
    return found


def checked_class_weights(weights: Mapping[object, float] | None) -> dict[Label, float]:
    """Return the weights of classes, by the user's labels."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise parameter("class_weights", "None or a dict of label to weight", weights)
    for label, weight in weights.items():
        if not isinstance(weight, _NUMBERS) or not (
            weight == 0 or _LOWEST <= as_float(weight) <= _HIGHEST
        ):
            raise parameter(f"class_weights[{label!r}]", _ALLOWED, weight)
    return {plain(label): float(weight) for label, weight in weights.items()}


def checked_max_weight(most: object, by_class: dict[Label, float]) -> float | None:
    """Return the largest weight of a round: the declared one, or else that of a class, if any."""
    if most is None:
        return max(1.0, *by_class.values()) if by_class else None
    found = as_float(most)
    if isinstance(most, bool) or not _LOWEST <= found <= _HIGHEST:
        raise parameter("max_weight", "None or a number from 1e-90 to 1e90", most)
    return found


class Weighting(NamedTuple):
    """How the weights of a run's rounds reach its learner.

    A weight is that of the round times that of its class. Without ``most`` it is handed on as it
    is. With ``most``, the largest weight there may be, the learner gets v = weight/most, from 0 to
    1.
    """

    by_class: dict[Label, float]
    most: float | None = None

    @property
    def is_plain(self) -> bool:
        """Whether a round without a weight of its own has weight 1 for the learner."""
        return not self.by_class and self.most in (None, 1.0)

    def of_label(self, label: Label) -> float:
        """Return what the learner gets for a label if the round has no weight of its own."""
        return self.by_class.get(label, 1.0) / (self.most or 1.0)

    def of(
        self, y: PerRound, given: PerRound | None, labels: LabelMap, first_round: int
    ) -> tuple[FloatArray, InputError | None]:
        """Return what the learner gets for each round, up to the first invalid weight."""
        weights, fault = combined_weights(y, given, self.by_class, labels, first_round)
        if self.most is None:
            return weights, fault
        above = np.flatnonzero(weights > self.most)
        if len(above):
            t = int(above[0])
            fault = _beyond(float(weights[t]), self.most, first_round + t)
            weights, fault.row = weights[:t], t
        return weights / self.most, fault


def _beyond(weight: float, most: float, number: int) -> InputError:
    return InputError(
        where=f"round {number}",
        expected=f"a weight of at most {most:g}",
        got=f"{weight:g}",
        remedy=Phrase("Declare the largest weight with ", argument("max_weight"), "."),
    )


def class_weights_of(labels: object, weights: dict[Label, float]) -> FloatArray:
    """Return the weight of every label's class; 1 if a class has no weight."""
    array = label_array(labels)
    if array.dtype.kind in "biufUS":
        values, inverse = np.unique(array, return_inverse=True)
        return np.array([weights.get(value, 1.0) for value in values.tolist()])[inverse]
    return np.array([weights.get(plain(label), 1.0) for label in array], np.float64)


def combined_weights(
    y: PerRound,
    given: PerRound | None,
    by_class: dict[Label, float],
    labels: LabelMap,
    first_round: int,
) -> tuple[FloatArray, InputError | None]:
    """Return the weights of rounds times those of their classes, up to the first invalid one."""
    fault = None
    try:
        weights = checked_weights(np.ones(len(y)) if given is None else given, len(y), first_round)
    except InputError as error:
        if error.row is None:
            raise
        fault, y = error, y[: error.row]
        part = None if given is None else given[: error.row]
        weights = checked_weights(part, error.row, first_round)
    if by_class:
        _check_classes(by_class, labels)
        weights = weights * class_weights_of(y, by_class)
        weights = checked_weights(weights, len(y), first_round)
    return weights, fault


def _check_classes(by_class: dict[Label, float], labels: LabelMap) -> None:
    """Refuse a class weight of a label that cannot appear."""
    if not isinstance(labels, BinaryLabels) or labels.positive is not None or not labels.known:
        return
    known: list[Label] = [*labels.pair]
    if {-1, 0} <= by_class.keys():  # both spellings of the negative label
        known += [-1, 0]
    strangers = [label for label in by_class if label not in known]
    if strangers:
        expected = f"weights of the labels {labels.pair[0]!r} and {labels.pair[1]!r}"
        raise parameter("class_weights", expected, strangers[0])
