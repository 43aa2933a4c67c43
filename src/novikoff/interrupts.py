"""Interrupts: signals wait while a round is played, and are heard between rounds.

Python runs a signal's handler between any two instructions, so Ctrl-C could come after a learner
has learned from a round and before its ledger knows about it. Within ``waiting()`` the program's
handlers are called only at boundaries: by ``look()``, and at once inside ``listening()``, while the
program waits for rounds or runs the user's code.
"""

import _signal  # type: ignore[import-not-found]
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Self

# ``signal`` wraps ``_signal``; every play asks for handlers, and its enums are slow.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK", "SIGALRM", "SIGUSR1", "SIGUSR2")
_SIGNALS = tuple(int(getattr(signal, name)) for name in _NAMES if hasattr(signal, name))
_here = threading.local()


class Waiting:
    """Signals with a handler in Python wait for a boundary, in the thread that hears them."""

    def __init__(self) -> None:
        self.held = True
        self._handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
        self._came: list[tuple[int, FrameType | None]] = []
        self._outer: Waiting | None = None

    def __enter__(self) -> Self:
        self._outer = getattr(_here, "current", None)
        try:
            for number in _SIGNALS:
                handler = _signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    _signal.signal(number, self._take)
        except BaseException:
            self._restore()
            raise
        _here.current = self
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.held, _here.current = True, self._outer
        self._restore()
        if kind is None or not issubclass(kind, KeyboardInterrupt):  # which already stops all
            self.look()

    def look(self) -> None:
        """Call the handlers of the signals that have come since."""
        while self._came:
            number, frame = self._came.pop(0)
            self._handlers[number](number, frame)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.held:
            self._came.append((number, frame))
        else:
            self._handlers[number](number, frame)

    def _restore(self) -> None:
        """Give the program all of its handlers back, even if one raises meanwhile."""
        raised = None
        while True:
            try:
                for number, handler in self._handlers.items():
                    _signal.signal(number, handler)
                break
            except BaseException as error:
                raised = error
        if raised is not None:
            raise raised


class _Listening:
    def __init__(self, waiting: Waiting) -> None:
        self.waiting, self.before = waiting, waiting.held

    def __enter__(self) -> None:
        self.waiting.held = False
        self.waiting.look()

    def __exit__(self, *_: object) -> None:
        self.waiting.held = self.before


def waiting() -> AbstractContextManager[object]:
    """Make signals wait for a boundary; only the main thread ever hears them."""
    main = threading.current_thread() is threading.main_thread()
    return Waiting() if main else nullcontext()


def look() -> None:
    """Hear the waiting signals: this is a boundary between rounds."""
    current: Waiting | None = getattr(_here, "current", None)
    if current is not None:
        current.look()


def listening() -> AbstractContextManager[None]:
    """Hear signals at once: nothing is half done while the program is in here."""
    current: Waiting | None = getattr(_here, "current", None)
    return nullcontext() if current is None else _Listening(current)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM, as from a supervisor, stop the work as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
