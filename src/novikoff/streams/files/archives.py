"""Archives of several compressed streams in a row, each of which must be whole."""

from collections.abc import Callable
from typing import Protocol

_TAKEN = 2**16


class Readable(Protocol):
    """A file, or what reads like one."""

    def read(self, size: int, /) -> bytes:
        """Read at most so many bytes; none at the end."""

    def close(self) -> None:
        """Read no more."""


class Decompressor(Protocol):
    """``bz2.BZ2Decompressor``, or what works like it."""

    @property
    def eof(self) -> bool:
        """Whether the compressed stream has ended."""

    @property
    def unused_data(self) -> bytes:
        """What came after its end."""

    @property
    def needs_input(self) -> bool:
        """Whether it can go on only with more bytes."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most so many bytes more."""


class Streams:
    """Compressed streams in a row, read as one file; whatever else is among them is refused.

    ``bz2.BZ2File`` and ``lzma.LZMAFile`` end in silence where a later stream does not begin as one.
    """

    def __init__(self, file: Readable, begin: Callable[[], Decompressor], padding: int = 0) -> None:
        self._file, self._begin, self._padding = file, begin, padding
        self._stream = begin()
        self._ended = False

    def read(self, size: int) -> bytes:
        """Read at most so many bytes, at least one unless it is the end."""
        while not self._ended:
            taken = b""
            if self._stream.eof:
                taken = self._between(self._stream.unused_data)
                if not taken:
                    self._ended = True
                    break
                self._stream = self._begin()
            elif self._stream.needs_input:
                taken = self._file.read(_TAKEN)
                if not taken:
                    raise EOFError("a stream without its end")
            found = self._stream.decompress(taken, size)
            if found:
                return found
        return b""

    def _between(self, rest: bytes) -> bytes:
        """Return the first bytes of the next stream, behind zeros that fill up; none at the end."""
        zeros = 0
        while True:
            rest = rest or self._file.read(_TAKEN)
            bare = rest.lstrip(b"\0") if self._padding else rest
            zeros += len(rest) - len(bare)
            if bare or not rest:
                break
            rest = b""
        if zeros and zeros % self._padding:
            raise EOFError(f"{zeros} zeros behind a stream, no multiple of {self._padding}")
        return bare

    def close(self) -> None:
        """Leave the file to who opened it."""
