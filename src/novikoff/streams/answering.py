"""Streams whose labels answer the learner's predictions: an adversary at play."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeGuard

from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.streams.blocks.forms import one_row
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import Player


class Adversary(Protocol):
    """Whoever asks for predictions, and answers them with labels."""

    def ask(self) -> object | None:
        """Return the next x; None at the end."""

    def answer(self, prediction: Any, /) -> int:
        """Return the label, −1 or +1, of the x asked about, given what was predicted for it."""


def is_adversary(source: object) -> TypeGuard[Adversary]:
    """Say whether it asks and answers."""
    asks = callable(getattr(source, "ask", None)) and callable(getattr(source, "answer", None))
    return asks and not isinstance(source, type)


class AnsweringStream(Stream):
    """``ask() -> x | None`` and ``answer(prediction) -> y`` of an adversary, as a stream.

    It remembers its rounds. Once the adversary has ended, the stream can be played again, with the
    same rounds, for bounds and certificates.
    """

    name = "adversary"

    def __init__(self, adversary: Adversary) -> None:
        self.adversary = adversary
        self.played: list[tuple[object, int]] = []
        """The rounds so far."""
        self._learner: Player | None = None
        self._over = False

    @property
    def replayable(self) -> bool:  # type: ignore[override]
        """Whether the adversary has ended."""
        return self._over

    @property
    def rounds(self) -> int | None:
        """How many rounds there were, once the adversary has ended."""
        return len(self.played) if self._over else None

    def meet(self, learner: Player) -> None:
        """Choose the learner to play against; its predictions must not be drawn at random."""
        if getattr(learner, "randomized", False):
            raise HypothesisError(
                f"adversary: expected a deterministic learner, got {type(learner).__name__}, whose "
                "predictions are drawn. The lower bound does not apply to it."
            )
        if getattr(learner, "multiclass", False):
            raise parameter("learner", "one of two labels", learner)
        self._learner = learner

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds, one by one while they are being made."""
        if self._over:
            for x, y in self.played:
                yield Rounds(one_row(x), [y])
            return
        if self._learner is None:
            raise InputError(
                "adversary: expected a learner to answer, got none. Play it: nv.play(learner, it)."
            )
        while (x := self.adversary.ask()) is not None:
            y = self.adversary.answer(self._learner.predict(x))
            self.played.append((x, y))
            yield Rounds(one_row(x), [y])
        self._over = True
