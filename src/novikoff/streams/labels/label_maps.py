"""Label maps: learners speak ±1 or class ids, the user speaks their own labels."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np

from novikoff.errors import InputError
from novikoff.streams.labels.declared import Declared, is_hashable, is_missing, plain
from novikoff.streams.missing_values import is_masked
from novikoff.types import EXACT, AnyArray, Label, PerRound

__all__ = ["LabelMap", "label_array", "no_label", "plain", "refuse_missing"]

_INT64 = range(-(2**63), 2**63)
# Kinds of labels that one array can hold. Beside a float, a large whole number would change.
_ALIKE = ({"text"}, {"bool"}, {"whole", "large"}, {"whole", "number"})


class LabelMap(Protocol):
    """The map between a run's labels, as the user writes them, and what its learner calls them.

    ``BinaryLabels``, ``ClassLabels`` and ``Outputs`` are the three of them. ``encode`` learns new
    labels; a run encodes with a copy, and keeps the old map if it refuses the rounds.
    """

    closed: bool | None
    """Whether every other label is refused; None while nobody has said."""

    @property
    def positive(self) -> Label | None:
        """The one label that counts as +1, if the user named it."""

    @property
    def others(self) -> Mapping[Label, None]:
        """With ``positive``: the labels that count as −1, met or declared."""

    @property
    def known(self) -> tuple[Label, ...]:
        """The labels that the learner has codes for, in the order of their codes."""

    @property
    def every(self) -> tuple[Label, ...]:
        """The labels that a ledger lists: those met, then those declared and never met."""

    @property
    def allowed(self) -> tuple[Label, ...]:
        """The labels of a closed set; () while it is open."""

    @property
    def spoken(self) -> tuple[Label, ...]:
        """What a hypothesis calls its predictions; () while nothing is known."""

    @property
    def table(self) -> list[Label]:
        """What the learner's predictions are called, lowest code first; None for an abstention."""

    def declared(self, labels: Declared) -> Self:
        """Return the same map with this set of labels, closed, or open to any."""

    def close(self) -> None:
        """Refuse new labels from now on, unless the set was declared open."""

    def copy(self) -> Self:
        """Return a map that knows the same and can change on its own."""

    def encode(self, y: PerRound, first_round: int = 1) -> PerRound:
        """Map labels to codes; a label that cannot be mapped is an error that names its round."""

    def decode_one(self, prediction: Any, /) -> Label | None:
        """Map one prediction, of our learner or the user's own, back; None for an abstention."""


def label_array(y: object) -> AnyArray:
    """Return labels as an array in which each keeps its value: 1 does not become "1"."""
    if type(y) is np.ndarray:
        return y
    if is_masked(y):
        raise InputError("y: expected a label for every row, got masked ones. Drop those rows.")
    if isinstance(y, np.ndarray):
        return np.asarray(y)
    if isinstance(y, (list, tuple)):
        kinds = {_kind(label) for label in y}
        if "other" in kinds or not any(kinds <= alike for alike in _ALIKE):
            labels = np.empty(len(y), object)
            labels[:] = y
            return labels
    return np.asarray(y)


def _kind(label: object) -> str:
    if isinstance(label, (str, np.str_)):
        return "other" if label.endswith("\0") else "text"  # NumPy drops zeros at the end
    if isinstance(label, (bool, np.bool_)):
        return "bool"
    if isinstance(label, (int, np.integer)):
        if -EXACT <= label <= EXACT:
            return "whole"
        return "large" if int(label) in _INT64 else "other"
    return "number" if isinstance(label, (float, np.floating)) else "other"


def refuse_missing(labels: AnyArray, first_round: int) -> None:
    """Refuse None, NaN and labels that cannot be hashed."""
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
        if missing.any():
            raise no_label(float("nan"), int(np.argmax(missing)), first_round)
    if labels.dtype.kind == "O":
        for t, label in enumerate(labels):
            if is_missing(label) or not is_hashable(label):
                raise no_label(label, t, first_round)


def no_label(label: object, t: int, first_round: int) -> InputError:
    """Return the error about a round without a label."""
    error = InputError(
        f"round {first_round + t}: expected a label, got {label!r}. Drop the round or name its "
        "class."
    )
    error.row = t
    return error
