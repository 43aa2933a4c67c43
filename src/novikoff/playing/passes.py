"""The course of a play: how many passes it makes, and how far it has come."""

from typing import NamedTuple

from novikoff.errors import InputError, Named, Phrase
from novikoff.learners.row_by_row import block_learner_of
from novikoff.playing.ledger import Ledger
from novikoff.playing.saved_run import Reading
from novikoff.streams import Stream
from novikoff.types import Player


class Course(NamedTuple):
    """Passes over a stream: how many, and the current one; a file holds it as plain data."""

    passes: int
    """How many passes to make, or at most."""
    until_clean: bool
    """Whether the first pass without a mistake is the last."""
    number: int
    """The number of the current pass, from 1."""
    rounds: int
    """The ledger's rounds when that pass began."""
    over: int
    """Passes over this stream in all plays of it, including the current pass."""

    @property
    def plain(self) -> Reading:
        """The same as plain data."""
        return self._asdict()

    @classmethod
    def of(cls, plain: Reading) -> "Course":
        """Take plain data; files of earlier versions know only one pass."""
        first = cls(1, False, 1, 0, 1)._asdict()
        found = cls(**(first | {name: plain[name] for name in first if name in plain}))
        counts = (found.passes, found.number, found.over)
        whole = all(type(n) is int and n >= 1 for n in counts) and found.number <= found.passes
        begun = type(found.rounds) is int and found.rounds >= 0
        if not (whole and begun and type(found.until_clean) is bool):
            raise ValueError("passes of a run that was interrupted")
        return found

    def next(self, ledger: Ledger) -> "Course":
        """Return the course at its next pass, which begins after the last round."""
        return self._replace(number=self.number + 1, rounds=ledger.rounds, over=self.over + 1)

    def clean(self, ledger: Ledger) -> bool:
        """Say whether the current pass has made no mistake."""
        mistaken = ledger.mistake_rounds
        return len(mistaken) == 0 or int(mistaken[-1]) <= self.rounds


def stream_for(learner: Player, source: object) -> Stream:
    """Take a stream as it is, and other data as the stream that the learner plays."""
    return block_learner_of(learner).stream_of(source)


def not_replayable(source: Stream) -> InputError:
    """Return the error for a stream that is used up."""
    return InputError(
        where=source.name,
        expected="a stream that can be played again",
        got="one that is used up by its first pass",
        remedy=Phrase(
            Named("spool", "Put the rounds in a list or arrays, or spool them: nv.cache"), "."
        ),
    )
