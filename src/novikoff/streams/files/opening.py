"""Opening files: patterns, standard input, and compressed files."""

import os
import select
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from io import FileIO, UnsupportedOperation
from types import TracebackType
from typing import Self

from novikoff.errors import InputError, parameter
from novikoff.extras import extra
from novikoff.streams.files import addresses
from novikoff.streams.files.archives import GzipDecompressor, Readable, Streams

HEAD = 2**16
LONGEST_LINE = 2**28
"""How many bytes a line, or a record of several lines, may have in any format."""
_PUMPED = 2**18
_PAUSE = 50
"""After how many milliseconds a wait for a file looks whether it should go on."""
_GRACE = 1.0
"""For how many seconds a thread may go on after its stop. An address can make it wait for ever."""
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def as_files(path: Paths) -> tuple[str, ...]:
    """Return the files that a path, a pattern or several of them name; ``-`` is standard input."""
    if isinstance(path, (str, os.PathLike)):
        path = [path]
    try:
        names = [os.fspath(one) for one in path]
    except TypeError:
        raise parameter("path", "a path, a pattern or a list of them", path) from None
    if not all(isinstance(name, str) for name in names):
        raise parameter("path", "paths that are text", path)
    found = [file for name in names for file in _matching(name)]
    if not found:
        raise parameter("path", "at least one file", path)
    return tuple(found)


def is_pipe(file: str) -> bool:
    """Say whether a file can be read only once: standard input, a named pipe, a device."""
    return file == "-" or (os.path.exists(file) and not os.path.isfile(file))


def _matching(name: str) -> list[str]:
    if name == "-" or os.path.exists(name):
        return [name]
    if addresses.is_address(name):
        return addresses.matching(name)
    import glob

    if not glob.has_magic(name):
        return [name]
    found = sorted(file for file in glob.glob(name, recursive=True) if not os.path.isdir(file))
    if not found:
        raise InputError(f"{name}: expected a pattern that some file matches, got none. Check it.")
    return found


def size_of(file: str) -> int | None:
    """Return how many bytes a file has; None for a pipe, and if nobody knows."""
    if os.path.isfile(file):
        return os.path.getsize(file)
    return addresses.size_of(file) if addresses.is_address(file) else None


def empty_file(name: str) -> InputError:
    """Return the error about a file in which there is nothing."""
    return InputError(where=name, expected="rows", got="an empty file", remedy="Check its name.")


def _zstd(file: "_Raw") -> Readable:
    pyarrow = extra("pyarrow", ".zst files")
    opened: Readable = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd")
    return opened


def _gzip(file: "_Raw") -> Readable:
    return Streams(file, GzipDecompressor, padding=1)  # GzipFile may wait for more than it needs


def _bzip2(file: "_Raw") -> Readable:
    import bz2

    return Streams(file, bz2.BZ2Decompressor)


def _xz(file: "_Raw") -> Readable:
    import lzma

    return Streams(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), padding=4)


_COMPRESSIONS: dict[str, tuple[bytes, Callable[["_Raw"], Readable]]] = {
    "gzip": (b"\x1f\x8b", _gzip),
    "bzip2": (b"BZh", _bzip2),
    "xz": (b"\xfd7zXZ\x00", _xz),
    "zstd": (b"\x28\xb5\x2f\xfd", _zstd),
}
_MARKS = (*(magic for magic, _ in _COMPRESSIONS.values()), _BOM, *_UTF16)
"""How files may begin that are not plain UTF-8."""


def _broken_errors() -> tuple[type[Exception], ...]:
    """Return what is raised by a file that is not whole."""
    import lzma
    import zlib

    return EOFError, OSError, ValueError, lzma.LZMAError, zlib.error


class Source:
    """A file as the core reads it: its first bytes, and a descriptor of the rest.

    A thread of its own uncompresses a compressed file, or fetches one from an address, and the core
    reads it through a pipe. The thread closes what it reads.
    """

    def __init__(self, path: str) -> None:
        self.name = "standard input" if path == "-" else path
        self.compression: str | None = None
        self.size: int | None = None
        self._pieces = [b""]
        self._error: BaseException | None = None
        self._pump: threading.Thread | None = None
        self._pipe: int | None = None
        self._stop: weakref.finalize[..., Source] | None = None
        self._raw = _Raw(self._opened(path))
        self.file: Readable = self._raw
        try:
            self._begin()
            self._uncompress()
            if self.head.startswith(_UTF16):
                raise InputError(f"{self.name}: expected UTF-8, got UTF-16. Convert the file.")
            self.head = self.head.removeprefix(_BOM)
        except BaseException:
            self._close()
            raise

    @property
    def head(self) -> bytes:
        """The first bytes, as far as they were read."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]

    @head.setter
    def head(self, head: bytes) -> None:
        self._pieces = [head]

    def _close(self) -> None:
        if self.file is not self._raw:
            self.file.close()
        self._raw.close()

    def _opened(self, path: str) -> Readable:
        if addresses.is_address(path) and not os.path.exists(path):
            self.size = addresses.size_of(path)
            return addresses.opened(path)
        try:
            if path == "-":
                if sys.stdin is None:
                    raise ValueError("standard input is closed")
                return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
            file = open(path, "rb", buffering=0)  # noqa: SIM115 — closed by __exit__
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self.name}: expected a file, got: {reason}.") from None
        if os.path.isfile(path):
            self.size = os.fstat(file.fileno()).st_size
        return file

    def _begin(self) -> None:
        """Read what is there, and on only while a mark may still become whole."""
        while any(mark.startswith(self.head) and mark != self.head for mark in _MARKS):
            if not self.more():
                break

    def _uncompress(self) -> None:
        """Recognise a compressed file by its first bytes, not by its name."""
        for name, (magic, opener) in _COMPRESSIONS.items():
            if self.head.startswith(magic):
                self.compression = name
                self._raw.put_back(self.head)
                self.head = b""
                self.file = opener(self._raw)
                self._begin()
                return

    def more(self) -> bytes:
        """Lengthen the head by what can be read, and return that; of a file, more each time."""
        found = self.read(max(HEAD, 2 * len(self._pieces[-1])))
        self._pieces.append(found)
        return found

    def read(self, size: int) -> bytes:
        """Read on after the head: at most ``size`` bytes, none at the end."""
        try:
            return bytes(self.file.read(size))
        except _broken_errors() as error:
            raise self.broken(error) from None

    def position(self, read_on: int) -> int:
        """Return how many bytes of the file were read, with what was read on after the head."""
        return len(self.head) + read_on if self.compression is None else self._raw.position

    @property
    def is_pumped(self) -> bool:
        """Whether a thread of its own feeds the core."""
        return self._pump is not None

    @property
    def descriptor(self) -> int:
        """What the core reads on from after the head."""
        if self.compression is None and self._raw.descriptor is not None:
            return self._raw.descriptor
        if self._pipe is None:
            self._pipe, feed = os.pipe()
            self._feed = open(feed, "wb", buffering=0)  # noqa: SIM115 — closed by the thread
            self._pump = threading.Thread(target=self._run, args=(self._feed,), daemon=True)
            # Called at the end of the interpreter, too, which must not find the thread in a read.
            self._stop = weakref.finalize(self, _stop, self._raw, self._pump, self._pipe)
            _FED.add(self)
            self._pump.start()
        return self._pipe

    def _run(self, feed: FileIO) -> None:
        try:
            with feed:
                self._pour(feed)
        except BaseException as error:
            self._error = error  # after a stop nobody asks for it

    def _pour(self, feed: FileIO) -> None:
        try:
            while block := self.file.read(_PUMPED):
                rest = memoryview(block)
                while rest:
                    rest = rest[feed.write(rest) :]
        finally:
            self._close()

    def leave(self) -> None:
        """Close the pipe in a forked process; the other waits until nobody can write into it."""
        assert self._stop is not None
        if self._stop.detach() is not None and self._pipe is not None:
            os.close(self._pipe)
        self._feed.close()

    def check(self) -> None:
        """Raise what went wrong while the file was uncompressed."""
        if self._pump is not None:
            self._pump.join()
        if self._error is not None:
            raise self.broken(self._error)

    def broken(self, error: BaseException) -> InputError:
        """Say that the file is not what it seems."""
        kind = f"a whole {self.compression} file" if self.compression else "a file"
        return InputError(f"{self.name}: expected {kind}, got: {error}. Take another copy of it.")

    def overlong(self, line: int) -> InputError:
        """Say that a line is too long to be one."""
        return InputError(
            f"{self.name}:{line}: expected a line of at most {LONGEST_LINE:,} bytes, got a longer "
            "one. End each line, and close each quote."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stop is None:
            self._close()
        else:
            self._stop()


_FED: "weakref.WeakSet[Source]" = weakref.WeakSet()
"""Sources with a thread of their own."""


def _forked() -> None:
    for source in list(_FED):
        source.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _stop(raw: "_Raw", pump: threading.Thread, pipe: int) -> None:
    """Stop a thread, whether it reads or writes; leave it behind if an address keeps it."""
    raw.stopped = True
    os.close(pipe)
    if pump.is_alive():  # the interpreter may end before it begins
        pump.join(_GRACE)


class _Raw:
    """The bytes of a file as they arrive. A signal or a stop ends the wait for them."""

    def __init__(self, file: Readable) -> None:
        self.file = file
        self.descriptor = file.fileno() if isinstance(file, FileIO) else None
        self.position = 0
        self.stopped = self.closed = False
        self._back = b""
        self._arrival: select.poll | None = None
        if self.descriptor is not None and not stat.S_ISREG(os.fstat(self.descriptor).st_mode):
            self._arrival = select.poll()
            self._arrival.register(self.descriptor, select.POLLIN)

    def put_back(self, found: bytes) -> None:
        """Take bytes back that were read, to read them again."""
        self._back = found + self._back
        self.position -= len(found)

    def read(self, size: int, /) -> bytes:
        """Read at most ``size`` bytes, and at least one unless this is the end."""
        if self._back:
            found, self._back = self._back[:size], self._back[size:]
        else:
            found = self._arrived(size)
        self.position += len(found)
        return found

    def _arrived(self, size: int) -> bytes:
        while not self.stopped:
            if self._arrival is None or self._arrival.poll(_PAUSE):
                found: bytes | None = self.file.read(size)
                if found is not None:  # as from a descriptor that does not wait by itself
                    return bytes(found)
        raise BrokenPipeError("nobody reads on")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def writable(self) -> bool:
        return False

    def seek(self, place: int, /) -> int:
        raise UnsupportedOperation("seek")

    def close(self) -> None:
        self.closed = True
        self.file.close()
