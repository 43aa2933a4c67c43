"""Who is using a learner that is played in Python (``playing/access.hpp`` for the core)."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock, get_ident

from novikoff.errors import BusyError


class Access:
    """Many threads may read, one may write; while one writes, the others are refused.

    If the kernel is the user's function, it may read during a reading, but it may not write.
    """

    def __init__(self) -> None:
        self._lock, self._writing = RLock(), False
        self._reader: int | None = None  # the thread that reads

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Refuse if another thread is writing; a writer that arrives during the reading waits."""
        self._refuse(self._writing)
        with self._lock:
            before, self._reader = self._reader, get_ident()
            try:
                yield
            finally:
                self._reader = before

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Refuse other threads from now on, and wait for those that are still reading."""
        self._refuse(self._writing or self._reader == get_ident())
        self._writing = True
        try:
            with self._lock:
                yield
        finally:
            self._writing = False

    @staticmethod
    def _refuse(busy: bool) -> None:
        if busy:
            raise BusyError(
                "learner: expected one thread at a time, got a second one. Give each thread its "
                "own learner, or let them share a hypothesis()."
            )
