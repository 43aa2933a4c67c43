"""The labels of a file, found before the first round for a learner that must know them."""

from collections.abc import Iterable

from novikoff.learners import Learner
from novikoff.learners.protocols import fits_labels, is_probable, takes_labels
from novikoff.streams import FileStream
from novikoff.streams.labels.found_labels import found_labels


def declare_labels(learners: Iterable[Learner], stream: FileStream) -> None:
    """Declare the labels of a file, if a learner gives each a probability from round 1 on.

    It reads the labels once more, unless they are declared or −1 and +1, or 0 and 1. If they are
    too many for a learner, they stay undeclared, and its run says so in the round that shows it.
    """
    players = tuple(learners)
    known = stream.declared or stream.positive is not None
    if known or not stream.replayable or not any(map(is_probable, players)):
        return
    if all(map(fits_labels, players)):  # a run looks at the labels itself
        return
    labels = found_labels(stream)
    if labels and all(takes_labels(learner, labels) for learner in players):
        stream.declared = labels
