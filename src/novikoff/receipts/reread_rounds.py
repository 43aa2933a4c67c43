"""The rounds of a run, read again."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, Named, Phrase, argument
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.linear.mixing import Heard
from novikoff.playing.ledger import counted
from novikoff.playing.passes import Course, not_replayable, stream_for, without_kept
from novikoff.playing.run import Run
from novikoff.streams import Block, Stream
from novikoff.streams.blocks.named import (
    NamedBlock,
    names_state,
    new_features,
    restore_names,
)
from novikoff.streams.stream import Rounds, Wrapped
from novikoff.types import AnyArray, IntArray


class OtherRoundsError(HypothesisError):
    """A stream does not hold the rounds of the run."""


def stream_of(run: Run, stream: object) -> Stream:
    """Return the stream played: the run's own, or the one given."""
    if stream is not None:
        return stream_for(run.learner, stream)
    if run.stream is None:
        raise InputError(
            "stream: expected the stream that was played, got none. Rounds played one by one, and "
            "runs that were loaded, need it: bounds(run, stream)."
        )
    return run.stream


@contextmanager
def of_stopped_play(run: Run) -> Iterator[None]:
    """Say with an error about the stream of a run that its play has stopped midway, if it has."""
    try:
        yield
    except (InputError, OtherRoundsError) as error:
        without_kept(error)
        unfinished, rounds = run.unfinished, run.ledger.rounds
        if unfinished is None:
            raise
        if not rounds:
            raise OtherRoundsError(
                where="run",
                expected="one that has played some rounds",
                got="one whose play stopped at its first",
                remedy="Play it again; the error of that play says what is wrong.",
            ) from None
        first = Phrase("Pass these alone, for a file with ", argument("first"), ", or ")
        raise error.with_advice(
            Phrase(
                f"The run's play stopped midway, after {counted(rounds, 'round')}. ",
                Phrase("You can ") if Course.of(unfinished).rounds else first,
                Named("go_on", "play the rest first: run.go_on(stream)"),
                ".",
            )
        ) from None


class Kept(Wrapped):
    """A stream that is read once and kept in memory, because something needs all of it again."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._rounds: list[Rounds] | None = None

    @property
    def loaded(self) -> bool:
        """Whether the rounds are in memory."""
        return self._rounds is not None

    @property
    def rounds(self) -> int | None:
        """How many rounds there are, if that is known."""
        return self.stream.rounds

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds from the first on; the stream itself is read only once."""
        if self._rounds is None:
            self._rounds = [Rounds(*rounds) for rounds in self.stream.blocks()]
        yield from self._rounds


def kept(stream: Stream) -> Stream:
    """Return a stream that is read only once, however often somebody asks for its rounds."""
    return stream if isinstance(stream, Kept) else Kept(stream)


def check_rounds(run: Run, source: Stream, heard: Heard | None = None) -> Run:
    """Refuse a stream on which the learner makes other mistakes: it is not the one played.

    Return the run of a fresh learner over it. ``heard`` hears of every mean of shards.
    """
    if not source.replayable:
        raise not_replayable(source)
    again = run.fresh() if run.start is None else run.start.continued()
    if heard is not None:
        again.learner.heard = heard
    again.play(source)
    rows = again.ledger.rounds
    if rows == 0 or run.ledger.rounds % rows:
        raise OtherRoundsError(
            f"bounds: expected a stream of the run's {run.ledger.rounds} rounds, or of one of its "
            f"passes, got {rows} rounds. Pass the whole stream that was played."
        )
    while again.ledger.rounds < run.ledger.rounds:
        again.play(source)
    if not run.ledger.judges:
        if again.ledger.loss != run.ledger.loss:
            raise other_rounds(f"with a loss of {run.ledger.loss}", f"of {again.ledger.loss}")
        return again
    played, found = run.ledger.mistake_rounds, again.ledger.mistake_rounds
    alike = again.learner.dimension == run.learner.dimension
    if not (np.array_equal(played, found) and alike):
        raise other_rounds(f"with {len(played)} mistakes", f"with {len(found)}")
    if not run.order.counts:  # a run that was loaded
        run.order = again.order
    return again


def other_rounds(played: str, found: str) -> OtherRoundsError:
    """Return the error of a stream that does not hold the rounds of a run."""
    return OtherRoundsError(
        f"bounds: expected the rounds that were played, {played}, got others, {found}.",
        remedy=Phrase(
            "Pass all of them in one stream in their order, those of earlier days too, or certify "
            "what came after a saved model with ",
            argument("start"),
            "; and teach the learner by its run alone.",
        ),
    )


def coded(run: Run, source: Stream) -> Iterator[tuple[Block, AnyArray]]:
    """Yield (block, labels) for one pass, as the learner saw them: transforms included."""
    labels, features = run.labels.copy(), features_before(run)
    steps = transforms_of(run.learner)
    if steps is not None:
        before = None if run.start is None else transforms_of(run.start.learner)
        steps = steps.fresh() if before is None else before.frozen()
    if steps is not None and run.columns is not None:
        steps.name_columns(run.columns)
    for rounds in source.blocks():
        rows, y, *_ = Rounds(*rounds)
        if steps is not None:
            rows = steps.learned_rows(rows, features)
        elif isinstance(rows, NamedBlock):
            rows = rows.numbered(features, 0, len(rows), adopt=True)
        yield rows, np.asarray(labels.encode(y))


def features_before(run: Run) -> _core.Features:
    """Return the names of features as they were numbered before the first round of a run."""
    found = new_features(run.learner.hashing)
    if run.start is not None and run.start.learner.named:
        known = run.start.learner.features
        restore_names(found, names_state(known, len(known)))
    return found


def mistaken_rows(run: Run, count: int) -> IntArray:
    """Return the rows of the mistakes, from 0, for passes over this many rows."""
    found: IntArray = (run.ledger.mistake_rounds - 1) % count
    return found
