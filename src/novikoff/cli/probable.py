"""Probabilities that ``novikoff predict`` writes, and their log loss on rows that have labels."""

import csv
import io
from typing import NamedTuple

import numpy as np

from novikoff.cli.escapes import as_line, json_line
from novikoff.cli.parser import UsageError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.protocols import ProbabilisticHypothesis
from novikoff.receipts.fresh_rows import label_table
from novikoff.types import AnyArray, FloatArray, Label

LEAST = 2.0**-53
"""What a probability of 0 counts as: −ln 0 would hide all other losses."""


class Probable(NamedTuple):
    """How likely each label is: one row per x, one column per label."""

    labels: tuple[Label, ...]
    table: FloatArray

    def loss(self, labels: list[Label | None]) -> float:
        """Return Σ −ln P(y) in natural logarithms, over the rows that have a label y.

        A label that the model does not know has the probability 0, which counts as 2⁻⁵³.
        """
        column = {label: k for k, label in enumerate(self.labels)}
        rows = [t for t, y in enumerate(labels) if y is not None]
        places = np.array([column.get(labels[t], -1) for t in rows], np.intp)
        chances = np.where(places < 0, 0.0, self.table[rows, places])
        return float(-np.log(np.maximum(chances, LEAST)).sum())

    def outcomes(self, labels: list[Label | None]) -> tuple[FloatArray, AnyArray]:
        """Return probabilities and whether they came true, for the rows that have a label.

        Of two labels the second, the positive one, counts; of many the likeliest.
        """
        rows = [t for t, y in enumerate(labels) if y is not None]
        table = self.table[rows]
        named = np.full(len(rows), 1) if len(self.labels) == 2 else table.argmax(axis=1)
        came = [labels[t] == self.labels[k] for t, k in zip(rows, named.tolist(), strict=True)]
        return table[np.arange(len(rows)), named], np.array(came, bool)

    def lines(self, predictions: AnyArray) -> str:
        """Return a line of CSV per row: the prediction, then the probability of each label."""
        found = io.StringIO()
        writer = csv.writer(found, lineterminator="\n")
        named = names_of(self.labels)
        for prediction, row in zip(predictions.tolist(), self.table.tolist(), strict=True):
            name = named.get(prediction)
            writer.writerow([as_line(prediction) if name is None else name, *map(repr, row)])
        return found.getvalue()

    @property
    def header(self) -> str:
        """The line of CSV above them: what each column holds."""
        return header_of(self.labels)


def header_of(labels: tuple[Label, ...]) -> str:
    """Return a line of CSV that names the columns of these labels."""
    found = io.StringIO()
    csv.writer(found, lineterminator="\n").writerow(["prediction", *names_of(labels).values()])
    return found.getvalue()


def names_of(labels: tuple[Label, ...]) -> dict[Label, str]:
    """Return what labels are called on one line; texts are JSON if one reads like another label.

    >>> names_of(("a", 1)), names_of(("a", 1, "1"))
    ({'a': 'a', 1: '1'}, {'a': '"a"', 1: '1', '1': '"1"'})
    """
    found = {label: as_line(label) for label in labels}
    if len({*found.values()}) == len(found):
        return found
    return {y: json_line(y) if isinstance(y, str) else name for y, name in found.items()}


def probable(h: ProbabilisticHypothesis, rows: object) -> Probable:
    """Return how likely each label is for every row; of two, the first has 1 − P(second)."""
    return Probable(*label_table(h, rows))


def with_probabilities(h: Hypothesis) -> ProbabilisticHypothesis:
    """Return the hypothesis if it has probabilities; say what has them if not."""
    if isinstance(h, ProbabilisticHypothesis):
        return h
    raise UsageError(
        f"--probabilities: expected a model that gives them, got a {type(h).__name__}. Learn with "
        "--learner blend, or write --scores."
    )
