"""The course of a play: how many passes it makes, and how far it has come."""

from typing import NamedTuple, TypeVar

from novikoff.errors import InputError, KeptNote, Named, NovikoffError, Phrase, parameter, whole
from novikoff.learners.row_by_row import block_learner_of
from novikoff.playing.ledger import Ledger, counted
from novikoff.playing.progress import Report
from novikoff.playing.saved_run import Reading
from novikoff.streams import Stream
from novikoff.types import Player

E = TypeVar("E", bound=NovikoffError)
MOST_PASSES = 1000
"""The most passes that ``until_clean`` makes, unless ``max_passes`` says otherwise."""
_LEFT_AT = "left_at"  # among the plain data, if other rounds were learned since the interruption


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

    @classmethod
    def interrupted(cls, unfinished: Reading | None, ledger: Ledger) -> "Course":
        """Return the course that a run goes on with; refuse one that it cannot go on with."""
        if unfinished is None:
            raise InputError(
                "run: expected one that was interrupted, got one that is finished. Play a stream."
            )
        course = cls.of(unfinished)
        if _LEFT_AT in unfinished:
            played = unfinished[_LEFT_AT] - course.rounds
            since = counted(ledger.rounds - unfinished[_LEFT_AT], "round")
            raise InputError(
                f"run: expected no other round since it was interrupted, got {since} learned since "
                f"then. The run keeps all its rounds, {played:,} of them from the interrupted "
                "pass: play the rest of that pass as a stream of its own, with run.play."
            )
        return course

    def next(self, ledger: Ledger) -> "Course":
        """Return the course at its next pass, which begins after the last round."""
        return self._replace(number=self.number + 1, rounds=ledger.rounds, over=self.over + 1)

    def clean(self, ledger: Ledger) -> bool:
        """Say whether the current pass has made no mistake."""
        mistaken = ledger.mistake_rounds
        return len(mistaken) == 0 or int(mistaken[-1]) <= self.rounds


_ONCE = Course(passes=1, until_clean=False, number=1, rounds=0, over=1)


def checked_passes(passes: int, until_clean: bool, max_passes: int | None) -> Course:
    """Return the course of a play of a new learner."""
    if type(passes) is int and passes == 1 and until_clean is False and max_passes is None:
        return _ONCE
    if until_clean and passes != 1:
        raise parameter("passes", "1 with until_clean", passes, "Limit passes with max_passes.")
    if until_clean:
        most = MOST_PASSES if max_passes is None else whole("max_passes", max_passes, 1)
        return Course(most, True, 1, 0, 1)
    if max_passes is not None:
        raise parameter(
            "max_passes", "None without until_clean", max_passes, "Pass passes, or until_clean."
        )
    return Course(whole("passes", passes, 1), False, 1, 0, 1)


def reporting(report: Report, source: Stream, course: Course) -> Report:
    """Return what adds to the progress of rounds how far the stream is, and how many there are."""
    left, rounds = course.passes - course.number + 1, source.rounds
    total = None if rounds is None or course.until_clean else course.rounds + rounds * left
    return lambda progress: report(progress._replace(total=total, bytes=source.progress))


def left_at(unfinished: Reading | None, rounds: int, ledger: Ledger) -> Reading | None:
    """Note after how many rounds a run left its unfinished pass, if it has learned others since."""
    if unfinished is None or ledger.rounds == rounds:
        return unfinished
    return {_LEFT_AT: rounds} | unfinished


def checked_unfinished(unfinished: Reading | None, ledger: Ledger) -> Reading | None:
    """Return where a saved run was interrupted; refuse a place that its ledger does not have."""
    if unfinished is None:
        return None
    began = Course.of(unfinished).rounds
    left = unfinished.get(_LEFT_AT, ledger.rounds)
    if began > ledger.rounds:
        raise ValueError("a pass that began after the last round")
    if type(left) is not int or not began <= left <= ledger.rounds:
        raise ValueError("a pass that was left before it began or after the last round")
    return unfinished


def with_kept(error: E, rounds: int) -> E:
    """Return an error of a play with a note that the run keeps the rounds before it."""
    if rounds:
        kept = f"The run has played {counted(rounds, 'round')} so far, and keeps them"
        error.add_note(KeptNote(f"{kept}; run.go_on(stream) plays the rest of a mended stream."))
    return error


def without_kept(error: E) -> E:
    """Return an error without such a note, for whoever has no such run in hand."""
    notes = vars(error).pop("__notes__", ())
    for note in notes:
        if not isinstance(note, KeptNote):
            error.add_note(note)
    return error


def with_lost(error: E, rounds: int) -> E:
    """Return an error of a play whose run nobody gets, with a note on how to keep the rounds."""
    without_kept(error)
    if rounds:
        played = f"{counted(rounds, 'round')} came before it, in a run that is lost now"
        error.add_note(KeptNote(f"{played}; run = nv.Run(learner) and run.play(stream) keep them."))
    return error


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
