"""Label maps: learners speak ±1 or class ids, the user speaks their own labels."""

from collections.abc import Hashable, Iterable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError
from novikoff.types import AnyArray, Label

_SMALL_RANGE = 2**20


class BinaryLabels:
    """Two labels, as −1 and +1.

    Without ``positive`` they are −1 and +1, or 0 and 1, or False and True, whichever appear.
    With it, that label is +1 and every other is −1.
    """

    multiclass = False

    def __init__(self, positive: Label | None = None, known: Iterable[Label] = ()) -> None:
        self.positive = positive
        self.known: tuple[Label, ...] = tuple(known)
        """(the label of −1, the label of +1), or () before they are known."""

    def copy(self) -> "BinaryLabels":
        """Return the same map, apart."""
        return BinaryLabels(self.positive, self.known)

    def encode(self, y: Any, first_round: int = 1) -> npt.NDArray[np.int8]:
        """Map labels to −1 and +1; one that fits no pair is an error that names its round."""
        labels = label_array(y)
        if self.positive is not None:
            return self._against(self.positive, labels)
        if labels.dtype.kind not in "biuf":
            for t, label in enumerate(labels):
                if not (isinstance(label, Real) and label in (-1, 0, 1)):
                    raise self._stranger(labels, t, first_round)
            labels = labels.astype(np.int64)
        signs: npt.NDArray[np.int8]
        signs, minus, zero, _, bad = _core.sign_labels(_numeric(labels))
        if bad >= 0:
            raise self._stranger(labels, bad, first_round)
        if minus or zero:
            self._settle(labels, minus, zero, first_round)
        return signs

    def decode(self, signs: AnyArray) -> AnyArray:
        """Map −1 and +1 back."""
        negative, positive = self.known or (-1, 1)
        return np.where(signs > 0, np.asarray(positive), np.asarray(negative))

    def decode_one(self, sign: int | None) -> Label | None:
        """Map one prediction back; 0 and None, which are no label, give None."""
        return (self.known or (-1, 1))[sign > 0] if sign else None

    def _settle(self, labels: AnyArray, minus: bool, zero: bool, first_round: int) -> None:
        """Learn from these labels whether −1 or 0 is the negative one; both cannot be."""
        kind = {"b": bool, "f": float}.get(labels.dtype.kind, int)
        negative = kind(-1 if minus else 0)
        if minus and zero:
            negative = kind(labels[np.argmax(labels < 1)])
        known = self.known or (negative, kind(1))
        for met, stranger in ((minus, -1), (zero, 0)):
            if met and known[0] != stranger:
                raise self._stranger(labels, int(np.argmax(labels == stranger)), first_round)
        self.known = known

    def _against(self, positive: Label, labels: AnyArray) -> npt.NDArray[np.int8]:
        matches = np.broadcast_to(np.asarray(labels == positive, dtype=bool), labels.shape)
        several = f"not {positive}"
        negative = self.known[0] if self.known else None
        if negative != several:
            others = dict.fromkeys(_plain(v) for v in np.unique(labels[~matches]))
            if negative is not None:
                others[negative] = None
            if others:
                self.known = (next(iter(others)) if len(others) == 1 else several, positive)
        return np.where(matches, np.int8(1), np.int8(-1))

    def _stranger(self, labels: AnyArray, t: int, first_round: int) -> InputError:
        pair = f"{self.known[0]} and {self.known[1]}" if self.known else "−1 and +1, or 0 and 1"
        error = InputError(
            f"round {first_round + t}: expected labels {pair}, got {_plain(labels[t])!r}. Pass "
            "positive=…, the label that counts as +1, or use a multiclass learner."
        )
        error.row = t
        return error


class ClassLabels:
    """Any labels, as class ids in the order in which they were first seen."""

    multiclass = True

    def __init__(self, known: Iterable[Label] = ()) -> None:
        self.ids: dict[Label, int] = {label: k for k, label in enumerate(known)}

    @property
    def known(self) -> tuple[Label, ...]:
        """The labels seen, in order."""
        return tuple(self.ids)

    def copy(self) -> "ClassLabels":
        """Return the same map, apart."""
        return ClassLabels(self.ids)

    def encode(self, y: Any, first_round: int = 1) -> npt.NDArray[np.uint32]:
        """Map labels to ids; a new label takes the next id."""
        labels = label_array(y)
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            raise _no_label(float("nan"), int(np.argmax(np.isnan(labels))), first_round)
        small = labels.dtype.kind in "iu" and labels.dtype != np.uint64
        if small and labels.size and np.ptp(labels) < _SMALL_RANGE:
            low, high = int(labels.min()), int(labels.max())
            integers = np.ascontiguousarray(labels, dtype=np.int64)
            numbers, seen = _core.number_labels(integers, low, high - low + 1)
            ids: npt.NDArray[np.uint32] = self._table(seen)[numbers]
            return ids
        if labels.dtype.kind in "biufUS":
            values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
            order = np.argsort(first)
            return self._table(values[order])[np.argsort(order)[inverse]]
        for t, label in enumerate(labels):
            nan = isinstance(label, float) and np.isnan(label)
            if label is None or nan or not isinstance(label, Hashable):
                raise _no_label(label, t, first_round)
        return np.array([self._id(_plain(label)) for label in labels], np.uint32)

    def decode(self, ids: AnyArray) -> AnyArray:
        """Map ids back."""
        if not self.ids:
            raise InputError(
                "predict: expected a class to predict, got none yet. Learn a round first."
            )
        table = label_array(self.known)
        found: AnyArray = table[ids]
        return found

    def decode_one(self, number: int | None) -> Label | None:
        """Map one prediction back."""
        return None if number is None or number >= len(self.ids) else self.known[number]

    def _table(self, seen: AnyArray) -> npt.NDArray[np.uint32]:
        return np.array([self._id(label) for label in seen.tolist()], np.uint32)

    def _id(self, label: Label) -> int:
        return self.ids.setdefault(label, len(self.ids))


def label_array(y: Any) -> AnyArray:
    """Return labels as an array in which every one keeps its value: no 1 becomes "1"."""
    if isinstance(y, np.ndarray):
        return y
    if isinstance(y, (list, tuple)) and (
        len({type(v) for v in y} - {int, float, bool}) > 1
        or not all(isinstance(v, (int, float, bool, str, np.generic)) for v in y)
        or len({isinstance(v, str) for v in y}) > 1
    ):
        labels = np.empty(len(y), object)
        labels[:] = y
        return labels
    return np.asarray(y)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _numeric(labels: AnyArray) -> AnyArray:
    """Return the labels in one of the forms the core reads; int8 … float64, contiguous."""
    if labels.dtype.kind == "b":
        labels = labels.view(np.uint8)
    if labels.dtype in (np.int64, np.float64, np.int32, np.float32, np.int8, np.uint8):
        return np.ascontiguousarray(labels)
    return labels.astype(np.float64)


def _no_label(label: object, t: int, first_round: int) -> InputError:
    error = InputError(
        f"round {first_round + t}: expected a label, got {label!r}. Drop the round or name its "
        "class."
    )
    error.row = t
    return error
