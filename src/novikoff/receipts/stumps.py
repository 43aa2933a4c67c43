"""Stumps: the best that one can do in hindsight with a single feature."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novikoff.errors import NovikoffError
from novikoff.learners.feature_learner import takes_features
from novikoff.learners.hypothesis import Feature
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.playing.run import Run
from novikoff.receipts.reread_rounds import coded
from novikoff.streams import Stream
from novikoff.streams.blocks.block import ArrayBlock, Entries
from novikoff.types import AnyArray, FloatArray, IntArray, Label

_MOST_COUNTS = 2**24  # features × labels


@dataclass(frozen=True)
class Stump:
    """Guess one label if a feature is above a threshold, and another if it is not.

    The threshold is the feature's mean over the rows, in which an absent feature counts as 0. The
    labels are the most frequent ones on each side.
    """

    feature: Feature
    threshold: float
    above: Label
    otherwise: Label
    errors: int
    rows: int

    @property
    def error_rate(self) -> float:
        """The share of the rows that it gets wrong."""
        return self.errors / self.rows


def best_feature(run: Run, stream: Stream) -> Stump | None:
    """Return the stump that errs least on the rows of a run; of several, that of the first feature.

    It reads the rows twice. None if the learner does not learn from rows of features, and if there
    are too many features to count them by label.
    """
    labels = run.ledger.labels
    names = _names(run) if takes_features(run.learner) else None
    if not names or len(labels) < 2 or len(names) * len(labels) > _MOST_COUNTS:
        return None
    rows, sums = np.zeros(len(labels), np.int64), np.zeros(len(names))
    for codes, found in _read(run, stream):
        rows += np.bincount(codes, minlength=len(labels))
        with np.errstate(over="ignore", invalid="ignore"):
            np.add.at(sums, found.columns, found.values)
    if not rows.sum():
        return None
    means = np.where(np.isfinite(sums), sums / rows.sum(), 0.0)
    return _least(rows, _apart(run, stream, means, len(labels)), means, names, labels)


def _apart(run: Run, stream: Stream, means: FloatArray, labels: int) -> IntArray:
    """Count, by label and feature, the rows on the side of the mean on which 0 is not.

    Of sparse rows, these are all stored.
    """
    counts = np.zeros(labels * len(means), np.int64)
    for codes, (at, features, values) in _read(run, stream):
        mean = means[features]
        there = (values > mean) == (mean >= 0)
        places = codes[at][there] * len(means) + features[there]
        np.add.at(counts, places, 1)
    return counts.reshape(labels, len(means))


def _least(
    rows: IntArray,
    apart: IntArray,
    means: FloatArray,
    names: list[Feature],
    labels: tuple[Label, ...],
) -> Stump:
    """Return the stump with the fewest errors: n − max_k apart_k − max_k (n_k − apart_k)."""
    rest = rows[:, None] - apart
    errors = rows.sum() - apart.max(axis=0) - rest.max(axis=0)
    best = int(errors.argmin())
    above, otherwise = (labels[int(side[:, best].argmax())] for side in (apart, rest))
    if means[best] < 0:
        above, otherwise = otherwise, above
    mean = float(means[best])
    return Stump(names[best], mean, above, otherwise, int(errors[best]), int(rows.sum()))


def _names(run: Run) -> list[Feature] | None:
    try:
        found = run.hypothesis()
    except NovikoffError:  # nothing was learned
        return None
    return found.named_features() if isinstance(found, RowHypothesis) else None


def _read(run: Run, stream: Stream) -> Iterator[tuple[AnyArray, Entries]]:
    """Yield the labels' numbers, and the values other than 0, of one block after another."""
    for block, found in coded(run, stream):
        codes = (found > 0).astype(np.intp) if found.dtype == np.int8 else found.astype(np.intp)
        if isinstance(block, ArrayBlock):
            yield codes, block.entries()
