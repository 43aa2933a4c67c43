"""One stream, several runs: every block is read once and played by each of them."""

import time
from collections.abc import Iterator, Sequence

from novikoff.errors import InputError
from novikoff.interrupts import listening
from novikoff.playing.passes import without_kept
from novikoff.playing.progress import Report
from novikoff.playing.run import Run
from novikoff.streams import Rounds, Stream
from novikoff.streams.files.headers import Table
from novikoff.streams.labels.class_labels import ClassLabels
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.streams.stream import Wrapped
from novikoff.types import Label


class Part(Wrapped):
    """Some rounds of a stream that is being read, or its end: no rounds, and no label to come."""

    def __init__(self, stream: Stream, rounds: Rounds | None, first: bool) -> None:
        super().__init__(stream)
        self._rounds = rounds
        self.closes = stream.closes and rounds is None
        if not first:  # the runs know what the stream has declared
            self.positive, self.declared = None, ()

    @property
    def origin(self) -> object:
        """Itself: no other part has the same rounds."""
        return self

    def read_like(self, table: Table | None) -> None:
        """Change nothing: the stream is being read."""

    def number_like(self, columns: tuple[str, ...] | None) -> None:
        """Change nothing: the stream is being read."""

    def admit(self, labels: tuple[Label, ...]) -> None:
        """Change nothing: what one run takes must not decide which rounds the others get."""

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds."""
        if self._rounds is not None:
            yield self._rounds


def play_together(
    runs: Sequence[Run], stream: Stream, report: Report | None = None
) -> tuple[float, ...]:
    """Play one pass of a stream with several runs; return the seconds that each of them took.

    Each run ends as if it had played the stream alone. ``report`` hears about the first one.
    """
    seconds = [0.0] * len(runs)
    order, classes = LabelOrder(), ClassLabels()
    blocks, first, rounds = iter(stream.blocks()), True, None
    while first or rounds is not None:
        with listening():
            rounds = next(blocks, None)
        for k, run in enumerate(runs):
            began = time.perf_counter()
            _play(run, Part(stream, rounds, first), None if k else report)
            seconds[k] += time.perf_counter() - began
        if rounds is not None:
            order.add(classes.encode(rounds.labels))
        first = False
    for run in runs:
        run.stream, run.order = stream, order
    return tuple(seconds)


def _play(run: Run, part: Part, report: Report | None) -> None:
    """Play a part of the stream; if it is refused, say by whom."""
    try:
        run.play(part, progress=report)
    except InputError as error:
        without_kept(error)
        error.add_note(f"{type(run.learner).__name__} refused it. Compare the others without it.")
        raise
