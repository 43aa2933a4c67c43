"""Pieces: the lines of a file that is read in Python, handed on as they arrive."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from novikoff.errors import InputError
from novikoff.streams.files import opening
from novikoff.streams.files.file_stream import FileStream
from novikoff.streams.files.opening import Source
from novikoff.streams.stream import Rounds

_PIECE = 2**18
Item_contra = TypeVar("Item_contra", contravariant=True)
Lines = Iterable[tuple[int, bytes]]
"""Some lines of a file, without their ends, each with its number."""


class Gathered(Protocol[Item_contra]):
    """Rounds that wait to be handed on."""

    def add(self, item: Item_contra) -> None:
        """Add what makes a round; a bad one is skipped, or raises an ``InputError``."""

    def __len__(self) -> int:
        """Return how many rounds there are."""

    def taken(self) -> Rounds:
        """Return them all, and be empty."""


class PieceStream(FileStream):
    """Files that are read in Python, piece by piece."""

    def pieces(self, source: Source) -> Iterator[Lines]:
        """Yield the lines of a file, and note how much of it was read."""
        before = self._read
        for read, lines in pieces_of(source):
            self._read = before + source.position(read)
            yield lines

    def handed_on(
        self, pieces: Iterable[Iterable[Item_contra]], gathered: Gathered[Item_contra], most: int
    ) -> Iterator[Rounds]:
        """Yield the rounds of a file, ``most`` at a time; those before an error come before it.

        A stream that can be read only once is played as it arrives: no round is kept back while the
        next piece is waited for. The first block of any other must not depend on how quickly it
        comes, because labels and weights are looked up there.
        """
        try:
            for piece in pieces:
                for item in piece:
                    gathered.add(item)
                    if len(gathered) >= most:
                        yield gathered.taken()
                if len(gathered) and not self.replayable:
                    yield gathered.taken()
        except InputError:
            if len(gathered):
                yield gathered.taken()
            raise
        if len(gathered):
            yield gathered.taken()


def pieces_of(source: Source) -> Iterator[tuple[int, Lines]]:
    """Yield the lines that end in each piece, and how many bytes were read on after the head.

    The time is linear in the bytes, in however many pieces a line comes.
    """
    piece, rest, number, read = source.head, bytearray(), 1, 0
    while True:
        end, *lines = piece.split(b"\n")
        rest += end
        if lines:
            whole, rest = bytes(rest), bytearray(lines.pop())
            yield read, enumerate([whole, *lines], number)
            number += 1 + len(lines)
        if len(rest) > opening.LONGEST_LINE:
            raise source.overlong(number)
        piece = source.read(_PIECE)
        if not piece:
            break
        read += len(piece)
    if rest:
        yield read, enumerate([bytes(rest)], number)
