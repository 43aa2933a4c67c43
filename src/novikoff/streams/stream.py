"""What every stream offers."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from novikoff.streams.block import Block
from novikoff.types import Label


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

    @abstractmethod
    def blocks(self) -> Iterator[tuple[Block, Any]]:
        """Yield (rows, labels) from the first round on."""
