"""What every stream offers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from novikoff.streams.block import Block
from novikoff.types import Label


class Rounds(NamedTuple):
    """Some rounds of a stream."""

    rows: Block
    labels: Any
    """As the user wrote them."""
    weights: Any = None
    """What scales each round's update; None where nothing does."""
    place: Callable[[int], str] | None = None
    """Where row t stands, such as ``mail.svm:812``; None where rounds only have a number."""

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
    """Rounds in blocks: each an x per row and its label, as the user wrote it."""

    name: str = "stream"
    positive: Label | None = None
    replayable: bool = False

    @property
    def origin(self) -> object:
        """What the rounds come from: two streams of one origin give the same rounds again."""
        return self

    @property
    def rounds(self) -> int | None:
        """How many rounds there are, where that is known."""
        return None

    @property
    def progress(self) -> tuple[int, int | None] | None:
        """(bytes read in this pass, bytes there are), where rounds come from files."""
        return None

    @abstractmethod
    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds from the first on."""


class Wrapped(Stream):
    """Another stream's rounds, in some way changed or watched."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.name, self.positive, self.replayable = stream.name, stream.positive, stream.replayable

    @property
    def origin(self) -> object:
        """What the rounds come from."""
        return self.stream.origin

    @property
    def progress(self) -> tuple[int, int | None] | None:
        """(bytes read in this pass, bytes there are), where rounds come from files."""
        return self.stream.progress
