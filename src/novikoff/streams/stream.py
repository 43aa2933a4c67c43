"""What every stream offers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from novikoff.streams.blocks.block import Block
from novikoff.streams.files.headers import Table
from novikoff.streams.files.words import Texts
from novikoff.streams.labels.declared import Declared
from novikoff.types import Label, PerRound, Player


class Rounds(NamedTuple):
    """Some rounds of a stream."""

    rows: Block
    labels: PerRound
    """As the user wrote them."""
    weights: PerRound | None = None
    """What scales each round's update; None if nothing does."""
    place: Callable[[int], str] | None = None
    """Where row t stands, such as ``mail.svm:812``; None if rounds only have numbers."""

    def part(self, start: int, stop: int) -> "Rounds":
        """Return rounds [start, stop)."""
        if start == 0 and stop == len(self.rows):
            return self
        place = self.place
        return Rounds(
            self.rows.part(start, stop),
            self.labels[start:stop],
            None if self.weights is None else self.weights[start:stop],
            None if place is None else lambda t: place(start + t),
        )


class Stream(ABC):
    """Rounds to play, in blocks of rows with their labels: what ``stream`` and ``read`` return."""

    name: str = "stream"
    positive: Label | None = None
    declared: Declared = ()
    """The labels that its rounds may have, or "open"; () if nobody said."""
    closes: bool = False
    """Whether a whole pass has shown every label there is, as one over a file has."""
    whole: bool = False
    """Whether it holds all its rounds from the start, as arrays and frames do."""
    feature_names: tuple[str, ...] | None = None
    """What its numbered features are called, from its first block on; None without names."""
    table: Table | None = None
    """The columns of a table that is text, from its first block on."""
    texts: Texts | None = None
    """How texts become its rows; None if they are not made of texts."""
    learned: Table | None = None
    """The columns that a run has learned from, by which the table is read."""
    worded_as: Texts | None = None
    """How the texts that a run has learned from became rows, by which those of an iterable do."""
    numbered_as: tuple[str, ...] | None = None
    """The names of the numbered features learned from, in the order in which a table has to give
    them."""
    reordered: bool = False
    """Whether the columns learned from stand in another order than the table's own."""
    replayable: bool = False

    @property
    def skips(self) -> bool:
        """Whether it skips rounds whose labels a run does not take; see ``admit``."""
        return False

    @property
    def origin(self) -> object:
        """What the rounds come from: two streams with the same origin give the same rounds."""
        return self

    @property
    def itself(self) -> "Stream":
        """The stream itself, of which this may be a view that nobody else should keep."""
        return self

    @property
    def rounds(self) -> int | None:
        """How many rounds there are, if that is known."""
        return None

    @property
    def progress(self) -> tuple[int, int | None] | None:
        """(bytes read in this pass, bytes there are), if rounds come from files."""
        return None

    def read_like(self, table: Table | None) -> None:
        """From the next pass on, read a table like the one that a run has learned from."""
        self.learned = table

    def word_like(self, texts: Texts | None) -> None:
        """From the next pass on, read the texts of an iterable as a run's texts were read."""
        self.worded_as = texts

    def number_like(self, columns: tuple[str, ...] | None) -> None:
        """From the next pass on, match the columns of a table of numbers with these, by name."""
        self.numbered_as = columns

    def admit(self, labels: tuple[Label, ...]) -> None:  # noqa: B027 — most need not know
        """Learn which labels a run takes: a file that skips lines skips rounds of any other."""

    def meet(self, learner: Player) -> None:  # noqa: B027 — most need not know
        """Get to know the learner that plays its rounds: an adversary answers its predictions."""

    @abstractmethod
    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds from the first on."""


class Wrapped(Stream):
    """Another stream's rounds, changed or watched in some way."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.name, self.positive, self.replayable = stream.name, stream.positive, stream.replayable
        self.declared, self.closes = stream.declared, stream.closes

    @property
    def feature_names(self) -> tuple[str, ...] | None:  # type: ignore[override]
        """What its numbered features are called."""
        return self.stream.feature_names

    @property
    def table(self) -> Table | None:  # type: ignore[override]
        """The columns of a table that is text."""
        return self.stream.table

    @property
    def texts(self) -> Texts | None:  # type: ignore[override]
        """How texts become its rows."""
        return self.stream.texts

    def read_like(self, table: Table | None) -> None:
        """Read a table as the one that a run has learned from."""
        self.stream.read_like(table)

    def word_like(self, texts: Texts | None) -> None:
        """Read the texts of an iterable as a run's texts were read."""
        self.stream.word_like(texts)

    def number_like(self, columns: tuple[str, ...] | None) -> None:
        """Match the columns of a table of numbers with these, by name."""
        self.stream.number_like(columns)

    @property
    def skips(self) -> bool:
        """Whether it skips rounds whose labels a run does not take."""
        return self.stream.skips

    @property
    def origin(self) -> object:
        """What the rounds come from."""
        return self.stream.origin

    @property
    def progress(self) -> tuple[int, int | None] | None:
        """(bytes read in this pass, bytes there are), if rounds come from files."""
        return self.stream.progress

    def admit(self, labels: tuple[Label, ...]) -> None:
        """Learn which labels a run takes."""
        self.stream.admit(labels)


class Looked(Wrapped):
    """A stream whose first block is kept, so that a look at it is not a reading of its own.

    Whoever stops after the first block leaves the reading to the next one, who begins with the same
    block. Whoever goes on reads the rest, and the next one begins a new reading. Only one at a time
    can read it.
    """

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._first: list[Rounds] = []
        self._rest: Iterator[Rounds] | None = None

    @property
    def itself(self) -> Stream:
        """The stream that is looked at."""
        return self.stream

    @property
    def rounds(self) -> int | None:
        """How many rounds there are, if that is known."""
        return self.stream.rounds

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds from the first on."""
        rest = self._rest
        if rest is None:
            rest = iter(self.stream.blocks())
            self._first = [Rounds(*rounds) for rounds in islice(rest, 1)]
            self._rest = rest
        yield from self._first
        self._first, self._rest = [], None
        yield from rest
