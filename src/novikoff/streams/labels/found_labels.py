"""Labels found in a stream before its first round, for learners that must know all of them."""

from itertools import islice

from novikoff.streams.labels.declared import plain
from novikoff.streams.stream import Looked, Stream
from novikoff.types import Label

_SIGNS = ({-1, 1}, {0, 1})


def found_labels(stream: Stream, two: bool = False) -> tuple[Label, ...]:
    """Return every label of a stream that can be read again: numbers in order, then texts.

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
    return tuple(sorted(labels, key=lambda label: (isinstance(label, str), label)))


def _met(stream: Stream, blocks: int | None) -> set[Label]:
    """Return the labels of the first blocks, or of all."""
    met: set[Label] = set()
    for rounds in islice(stream.blocks(), blocks):
        labels = getattr(rounds.labels, "tolist", lambda y=rounds.labels: y)()
        met.update(map(plain, labels))
    return met
