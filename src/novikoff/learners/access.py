"""Who is using a learner that is played in Python (``playing/access.hpp`` for the core)."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock, get_ident

from novikoff.errors import BusyError


class Access:
    """Many may read, one may write: while one writes, others are refused.

    A kernel that is the user's function may read inside a reading; what it writes is refused.
    """

    def __init__(self) -> None:
        self._lock, self._writing = RLock(), False
        self._reader: int | None = None  # the thread that reads

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Refuse while another thread writes; a writer that comes meanwhile waits."""
        self._refuse(self._writing)
        with self._lock:
            before, self._reader = self._reader, get_ident()
            try:
                yield
            finally:
                self._reader = before

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Refuse others from now on, and wait for those that still read."""
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
