"""A stream that skips its first rounds, for a run that was interrupted after them."""

from collections.abc import Iterator

from novikoff.errors import InputError
from novikoff.streams.stream import Rounds, Stream, Wrapped


class Skipping(Wrapped):
    """The rounds of a stream without the first ``count``, which are read and skipped."""

    def __init__(self, stream: Stream, count: int) -> None:
        super().__init__(stream)
        self.count = count

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds after those that are skipped."""
        left = self.count
        for rounds in self.stream.blocks():
            size = len(rounds.rows)
            if left < size:
                yield rounds.part(left, size)
            left = max(0, left - size)
        if left:
            raise InputError(
                f"{self.name}: expected the {self.count} rounds that were played before, got "
                f"{self.count - left}. Go on with the file as it was."
            )
