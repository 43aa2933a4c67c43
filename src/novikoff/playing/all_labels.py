"""All labels of a stream, for a learner that must know how many there are before round 1."""

from typing import Protocol, TypeGuard

from novikoff.learners.learner import Learner
from novikoff.streams import Stream
from novikoff.streams.labels.label_maps import label_array, plain
from novikoff.types import Label

_SIGNS: tuple[frozenset[object], ...] = (frozenset({-1, 1}), frozenset({0, 1}))


class ManyLabelled(Protocol):
    """A learner that becomes another one if there are more than two labels."""

    def for_labels(self, count: int) -> Learner:
        """Return the learner for this many labels; itself for two."""
        ...


def fits_labels(learner: object) -> TypeGuard[ManyLabelled]:
    """Say whether a learner asks how many labels there are."""
    return hasattr(learner, "for_labels")


def first_labels(source: Stream) -> tuple[Label, ...]:
    """Return the labels that a run should declare before it plays a stream; () for −1, 0 and 1.

    It looks at the first block. If that has exactly two labels, they are taken to be all; a third
    one makes the run look again.
    """
    for rounds in source.blocks():
        found = _distinct(rounds[1])
        if any(found <= signs for signs in _SIGNS):
            return ()
        return in_order(found) if len(found) == 2 else every_label(source)
    return ()


def every_label(source: Stream) -> tuple[Label, ...]:
    """Return all labels of a stream, in order; this reads it once."""
    found: set[Label] = set()
    for rounds in source.blocks():
        found |= _distinct(rounds[1])
    return in_order(found)


def in_order(labels: set[Label]) -> tuple[Label, ...]:
    """Return labels in ascending order; numbers stand before texts."""
    return tuple(sorted(labels, key=lambda label: (isinstance(label, str), label)))


def _distinct(labels: object) -> set[Label]:
    array = label_array(labels)
    if array.dtype.kind == "O":
        return {plain(label) for label in array}
    return {plain(label) for label in set(array.tolist())}
