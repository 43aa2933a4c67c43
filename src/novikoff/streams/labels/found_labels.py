"""Labels found in a stream before its first round, for learners that must know all of them."""

from itertools import islice

import numpy as np

from novikoff.streams.labels.declared import is_hashable, is_missing, plain
from novikoff.streams.stream import Looked, Stream
from novikoff.types import Label, PerRound

_SIGNS = ({-1, 1}, {0, 1})


def found_labels(stream: Stream, two: bool = False) -> tuple[Label, ...]:
    """Return every label of a stream that can be read again: numbers in order, then texts.

    A missing label is left out: its round is refused in its turn, which tells its place.
    Labels −1 and +1, or 0 and 1, need no declaration: if the first block has no other, nothing
    more is read, and () is returned. With ``two``, nothing more is read if the first block has
    exactly two labels: they are taken for all.
    """
    stream = Looked(stream)
    first = _met(stream, 1)
    if any(first <= signs for signs in _SIGNS):
        return ()
    return _ordered(first) if two and len(first) == 2 else every_label(stream)


def every_label(stream: Stream) -> tuple[Label, ...]:
    """Return every label of a stream: numbers in order, then texts."""
    return _ordered(_met(stream, None))


def _ordered(labels: set[Label]) -> tuple[Label, ...]:
    return tuple(sorted(labels, key=_rank))


def _rank(label: Label) -> tuple[int, float, str, str]:
    """Return what orders labels of any kinds: numbers, then texts, then others by their types."""
    if isinstance(label, (int, float)):
        return 0, label, "", ""
    if isinstance(label, str):
        return 1, 0, "", label
    return 2, 0, type(label).__name__, repr(label)


def _met(stream: Stream, blocks: int | None) -> set[Label]:
    """Return the labels of the first blocks, or of all, but for missing ones."""
    met: set[Label] = set()
    for rounds in islice(stream.blocks(), blocks):
        labels = _plain_labels(rounds.labels)
        try:
            met.update(labels)
        except TypeError:  # one that cannot be hashed is no label
            met.update(label for label in labels if is_hashable(label))
    return {label for label in met if not is_missing(label)}


def _plain_labels(labels: PerRound) -> list[Label]:
    """Return labels as Python values, whole numbers once each."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufUS":
        if labels.dtype.kind in "biu":
            labels, _ = np.unique(labels, return_counts=True)  # without counts it imports numpy.ma
        found: list[Label] = labels.tolist()
        return found
    given = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return [plain(label) for label in given]
