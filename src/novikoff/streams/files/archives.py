"""Archives that hold several compressed streams, one after the other; each must be whole."""

import zlib
from collections.abc import Callable
from typing import Protocol

_TAKEN = 2**16


class Readable(Protocol):
    """A file, or what reads like one."""

    def read(self, size: int, /) -> bytes:
        """Read at most ``size`` bytes; return none at the end."""

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
        """Return at most ``max_length`` more bytes."""


class GzipDecompressor:
    """What ``bz2.BZ2Decompressor`` is for bzip2."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS + 16)
        self._more = False  # whether it has given as much as it was allowed to

    @property
    def eof(self) -> bool:
        """Whether the compressed stream has ended."""
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        """What came after its end."""
        return self._stream.unused_data

    @property
    def needs_input(self) -> bool:
        """Whether it can go on only with more bytes."""
        return not (self._more or self._stream.unconsumed_tail)

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most ``max_length`` more bytes."""
        found = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self._more = len(found) == max_length
        return found


class Streams:
    """Compressed streams, one after the other, read as one file; anything else is refused.

    ``bz2.BZ2File`` and ``lzma.LZMAFile`` end silently if a later stream is broken at its start.
    """

    def __init__(self, file: Readable, begin: Callable[[], Decompressor], padding: int = 0) -> None:
        self._file, self._begin, self._padding = file, begin, padding
        self._stream = begin()
        self._ended = False

    def read(self, size: int) -> bytes:
        """Read at most ``size`` bytes, and at least one unless this is the end."""
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
        """Return the first bytes of the next stream, after the padding; none at the end."""
        zeros = 0
        while True:
            rest = rest or self._file.read(_TAKEN)
            bare = rest.lstrip(b"\0") if self._padding else rest
            zeros += len(rest) - len(bare)
            if bare or not rest:
                break
            rest = b""
        if zeros and zeros % self._padding:
            raise EOFError(f"{zeros} zeros after a stream, not a multiple of {self._padding}")
        return bare

    def close(self) -> None:
        """Leave the file open; whoever opened it closes it."""
