"""Predictions as the verifier reads them: from files, numbers, labels or dicts."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from novikoff import verifier
from novikoff.errors import parameter
from novikoff.saving.whole_files import require_regular
from novikoff.streams.labels.declared import plain
from novikoff.types import Label

_LARGEST = int(np.finfo(np.float64).max)


class PredictionFile(NamedTuple):
    """A file of predictions: one on each line, or the cells of a column if it is CSV."""

    path: str
    column: str = ""


def predictions_of(predictions: object, label: Label | None) -> verifier.Source:
    """Return what the verifier reads predictions from: a file, numbers, labels, or dicts.

    A dict is a probability for each label, as river has it; the positive label's is taken.
    """
    if isinstance(predictions, (str, os.PathLike)):
        predictions = PredictionFile(os.fspath(predictions))
    if isinstance(predictions, PredictionFile):
        require_regular(predictions.path, "predictions")  # they are read more than once
        return partial(verifier.read_predictions, *predictions)
    if isinstance(predictions, Iterator) or not isinstance(predictions, Iterable):
        raise parameter("predictions", "numbers that can be read again, or a file", predictions)
    values = list(predictions)

    def source() -> Iterator[tuple[str, verifier.Given]]:
        for number, value in enumerate(values, 1):
            yield f"prediction {number}", _one(value, label)

    return source


def _one(value: object, label: Label | None) -> verifier.Given:
    """Return one prediction as plain data; NaN, which is refused with its place, if it is none."""
    if isinstance(value, Mapping):
        value = value.get(label)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    found = plain(value)
    if isinstance(found, int) and abs(found) > _LARGEST:
        return math.inf  # refused with its place, as it is in a file
    return found if isinstance(found, (int, float, str)) else math.nan
