"""Interrupts: signals wait while a round is played, and are heard between rounds.

Python runs a signal's handler between any two instructions, so Ctrl-C could come after a learner
has learned from a round and before its ledger knows about it. Within ``waiting()`` the program's
handlers are called only at boundaries: by ``look()``, and at once inside ``listening()``, while the
program waits for rounds or runs the user's code.
"""

import _signal  # type: ignore[import-not-found]
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import TypeVar

# ``signal`` wraps ``_signal``; every play asks for handlers, and its enums are slow.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK", "SIGALRM", "SIGUSR1", "SIGUSR2")
_SIGNALS = tuple(int(getattr(signal, name)) for name in _NAMES if hasattr(signal, name))
_OF_TUPLE = type(iter(()))
T = TypeVar("T")


class _Ear:
    """Signals that have come. As a context it listens: they are heard at once."""

    __slots__ = ("came", "handlers", "listeners", "outer")

    def __init__(self) -> None:
        self.outer: _Ear | None = None
        self.handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
        self.came: list[tuple[int, FrameType | None]] = []
        self.listeners = 0

    def __enter__(self) -> None:
        self.listeners += 1
        if self.came:
            try:
                self.look()
            except BaseException:
                self.listeners -= 1
                raise

    def __exit__(self, *_: object) -> None:
        self.listeners -= 1

    def look(self) -> None:
        """Call the handlers of the signals that have come since."""
        while self.came:
            number, frame = self.came.pop(0)
            self.handlers[number](number, frame)

    def take(self, number: int, frame: FrameType | None) -> None:
        """Keep a signal until somebody looks or listens; call its handler if somebody listens."""
        if self.listeners:
            self.handlers[number](number, frame)
        else:
            self.came.append((number, frame))

    def restore(self) -> None:
        """Give the program all of its handlers back, even if one raises meanwhile."""
        raised = None
        while True:
            try:
                for number, handler in self.handlers.items():
                    _signal.signal(number, handler)
                break
            except BaseException as error:
                raised = error
        if raised is not None:
            raise raised


class _Main:
    """The main thread, which alone hears signals, and its ear if it is within ``waiting()``."""

    ear: _Ear | None = None
    ident: int | None = None
    """Its number when the process was last forked."""


_main = _Main()


def _forking() -> None:
    _main.ident = threading.main_thread().ident


def _forked() -> None:
    """In a process that another thread has forked nobody plays: give it the program's handlers."""
    if _main.ident == threading.get_ident():
        return
    while _main.ear is not None:
        _main.ear.restore()
        _main.ear = _main.ear.outer


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forking, after_in_child=_forked)


class Waiting:
    """Signals with a handler in Python wait for a boundary, in the thread that hears them."""

    __slots__ = ("_ear",)

    def __enter__(self) -> None:
        ear = self._ear = _Ear()
        ear.outer = _main.ear
        handlers, take = ear.handlers, ear.take
        try:
            for number in _SIGNALS:
                handler = _signal.getsignal(number)
                if callable(handler):
                    handlers[number] = handler
                    _signal.signal(number, take)
        except BaseException:
            ear.restore()
            raise
        _main.ear = ear

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        ear = self._ear
        ear.listeners, _main.ear = 0, ear.outer
        ear.restore()
        if kind is None or not issubclass(kind, KeyboardInterrupt):  # which already stops all
            ear.look()


_AT_ONCE = nullcontext()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def waiting() -> AbstractContextManager[None]:
    """Make signals wait for a boundary; only the main thread ever hears them."""
    return Waiting() if _is_main() else _AT_ONCE


def look() -> None:
    """Hear the waiting signals: this is a boundary between rounds."""
    ear = _main.ear
    if ear is not None and ear.came and _is_main():
        ear.look()


def listening() -> AbstractContextManager[None]:
    """Hear signals at once: nothing is half done while the program is in here."""
    ear = _main.ear
    return _AT_ONCE if ear is None or not _is_main() else ear


def heard(items: Iterator[T]) -> Iterator[T]:
    """Return what an iterator gives, and hear signals at once while it is waited for.

    Nobody waits for the items of a tuple, which are there already.
    """
    return items if type(items) is _OF_TUPLE else _heard(items)


def _heard(items: Iterator[T]) -> Iterator[T]:
    while True:
        with listening():
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM, as from a supervisor, stop the work as Ctrl-C does."""
    if not _is_main():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
