"""Standard output and standard error, which take whatever a verb prints."""

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO, cast

from novikoff.cli.escapes import ESCAPES


class UnreadError(Exception):
    """The reader of a verb's output has left, as ``head`` does."""


class Outlet:
    """A stream to print to. If its reader leaves, the work goes on and the rest is dropped."""

    def __init__(self, stream: TextIO, name: str, needed: bool = False) -> None:
        self.stream, self.name = stream, name
        self.needed = needed
        """Whether the work is done only for this reader, and stops without one."""
        self.abandoned = False
        """Whether its reader has left."""

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write a text, if somebody reads it."""
        with self._named():
            self.stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, one after another."""
        with self._named():
            self.stream.writelines(lines)

    def flush(self) -> None:
        """Flush what was written, if somebody reads it."""
        with self._named():
            self.stream.flush()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._abandon()
            if self.needed:
                raise UnreadError from None
        except OSError as error:  # a full disk, say
            self._abandon()
            if self.stream is sys.__stderr__:  # there is nowhere to say it
                return
            raise OSError(error.errno, error.strerror, self.name) from None

    def _abandon(self) -> None:
        """Let what is left go nowhere, also what Python flushes when it ends."""
        self.abandoned = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.stream.fileno())
        os.close(nowhere)


def product() -> TextIO:
    """Return standard output for what a verb was asked for: without a reader the work stops."""
    stream = sys.stdout.stream if isinstance(sys.stdout, Outlet) else sys.stdout
    return cast(TextIO, Outlet(stream, "standard output", needed=True))


@contextmanager
def outlets() -> Iterator[tuple[Outlet, Outlet]]:
    """Print through these two outlets in here; a stream that is closed is nowhere.

    A character that the stream's encoding lacks is escaped as in JSON.
    """
    before = sys.stdout, sys.stderr
    with ExitStack() as stack:
        out = _outlet(sys.stdout, "standard output", stack)
        err = _outlet(sys.stderr, "standard error", stack)
        sys.stdout, sys.stderr = cast(TextIO, out), cast(TextIO, err)
        try:
            yield out, err
        finally:
            sys.stdout, sys.stderr = before


def _outlet(stream: TextIO | None, name: str, stack: ExitStack) -> Outlet:
    if stream is None:
        return Outlet(stack.enter_context(open(os.devnull, "w", encoding="utf-8")), name)
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
        stack.callback(stream.reconfigure, errors=stream.errors)
        stream.reconfigure(errors=ESCAPES)
    return Outlet(stream, name)
