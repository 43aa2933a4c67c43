"""What a ledger follows besides: calibration, confusion, and how labels follow one another.

No theorem needs these; they are for people. A run that was saved before they were counted goes on
without them.
"""

from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.playing.measures import Measure, by_name
from novikoff.types import Arrays, FloatArray, IntArray, Label

CONFUSED_LABELS = 64
"""How many labels a confusion table has at most."""


class Calibration(NamedTuple):
    """Rounds in bins of equal width from 0 to 1, by a probability given before y was known.

    It is the probability of the positive label; with many classes, that of the predicted one.
    """

    rounds: IntArray
    came: IntArray
    """In how many of them the label came."""
    sums: FloatArray
    """The sum of the probabilities in each bin."""


_LABEL_CHANGES = by_name(Measure("label_changes", int, "sum"))
_CALIBRATION = by_name(Measure("calibration", Calibration, "sum"))
_CONFUSION = by_name(Measure("confusion", dict, "sum"))
FOLLOWED = frozenset(_LABEL_CHANGES | _CALIBRATION | _CONFUSION)


def declared(tally: _core.Tally) -> dict[str, Measure]:
    """Return which of these measures a run has: those that were counted in every round.

    A confusion table is for many labels, and there is none before the first mistake.
    """
    found = dict(_LABEL_CHANGES) if tally.rounds and tally.follows_labels else {}
    if tally.rounds and tally.calibrated:
        found |= _CALIBRATION
    if tally.mistakes and tally.confused:
        found |= _CONFUSION
    return found


def value(tally: _core.Tally, name: str) -> int | Calibration | IntArray:
    """Return one of these measures; the confusion is an array [label][prediction]."""
    if name == "label_changes":
        return tally.label_changes
    arrays: Arrays = tally.state()
    if name == "calibration":
        return Calibration(*(arrays[f"calibration_{part}"] for part in Calibration._fields))
    side = CONFUSED_LABELS if len(arrays["confusion"]) else 0
    return arrays["confusion"].reshape(side, side)


def with_followed(arrays: Arrays) -> Arrays:
    """Return the arrays of a saved run, completed if it was saved before these were counted."""
    blank = _core.Tally().state()
    missing = {f"ledger.{name}": blank[name] for name in _SAVED}
    return missing | arrays


_SAVED = (
    "label_changes", "calibration_rounds", "calibration_came", "calibration_sums", "confusion",
)  # fmt: skip


def confusion_by_label(
    counts: IntArray, labels: tuple[Label, ...]
) -> dict[Label, dict[Label, int]]:
    """Return how often each label was taken for which other: only those that were."""
    found: dict[Label, dict[Label, int]] = {}
    for y, predicted in zip(*np.nonzero(counts), strict=True):
        found.setdefault(labels[y], {})[labels[predicted]] = int(counts[y, predicted])
    return found
