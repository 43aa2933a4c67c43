"""Labels that are real numbers."""

from collections.abc import Mapping
from numbers import Real
from typing import Self

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.streams.labels.declared import Declared, plain
from novikoff.streams.labels.label_maps import label_array
from novikoff.types import AnyArray, FloatArray, Label, PerRound

LEAST, MOST = 2.0**-200, 2.0**200
"""The sizes of numbers other than 0 that learners of real labels take: no product overflows."""


class RealLabels:
    """Labels that are numbers: a learner takes them as they are, as float64.

    There is no set of labels to declare and none is the positive one.
    """

    closed: bool | None = None
    positive: None = None

    @property
    def others(self) -> Mapping[Label, None]:
        """None: no label counts as −1."""
        return {}

    @property
    def known(self) -> tuple[Label, ...]:
        """None: numbers have no codes."""
        return ()

    every = allowed = spoken = known

    @property
    def table(self) -> list[Label]:
        """None: a prediction is a number, not a name."""
        return []

    def declared(self, labels: Declared) -> Self:
        """Refuse a set of labels: every number may come."""
        given = labels if isinstance(labels, str) else tuple(labels)
        raise parameter("labels", "none, because the labels are numbers", given, "Leave them out.")

    def refuse_positive(self, positive: Label | None) -> None:
        """Refuse to call one number the positive label."""
        if positive is not None:
            raise parameter("positive", "None, because the labels are numbers", positive)

    def close(self) -> None:
        """Do nothing: any number may come."""

    def copy(self) -> Self:
        """Return this map, which never changes."""
        return self

    def encode(self, y: PerRound, first_round: int = 1) -> FloatArray:
        """Return the labels as float64; refuse, with its round, what is not a number in range."""
        labels = label_array(y)
        numbers = _numbers(labels) + 0.0  # −0 is 0
        size = np.abs(numbers)
        fit = (size == 0) | ((size >= LEAST) & (size <= MOST))
        if not fit.all():
            raise _misfit(labels, int(np.argmin(fit)), first_round)
        return numbers

    def decode_one(self, prediction: float) -> float:
        """Return a prediction, which is a number already."""
        return float(prediction)


def _numbers(labels: AnyArray) -> FloatArray:
    """Return labels as float64, with NaN for one that is not a number."""
    if labels.dtype.kind in "iuf":
        return np.ascontiguousarray(labels, np.float64)
    return np.array([_number(label) for label in labels.tolist()], np.float64)


def _number(label: object) -> float:
    if isinstance(label, bool) or not isinstance(label, Real):
        return np.nan
    try:
        return float(label)
    except OverflowError:
        return np.nan


def _misfit(labels: AnyArray, t: int, first_round: int) -> InputError:
    label = plain(labels[t])
    number = _number(label)
    expected = "a number as the label"
    remedy = "Correct it, drop the row, or use a learner of classes."
    if np.isfinite(number):
        expected = "a label that is 0 or a number from 2**-200 to 2**200 in size"
        remedy = "Choose another unit for the labels."
    error = InputError(f"round {first_round + t}: expected {expected}, got {label!r}. {remedy}")
    error.row = t
    return error
