"""Who is using a learner that is played in Python; ``core/access.hpp`` does it for the core."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from novikoff.errors import BusyError


class Access:
    """Many may read, one may write: while one writes, others are refused."""

    def __init__(self) -> None:
        self._lock, self._writing = Lock(), False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Refuse while another thread writes; a writer that comes meanwhile waits."""
        self._refuse_while_written()
        with self._lock:
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Refuse others from now on, and wait for those that still read."""
        self._refuse_while_written()
        self._writing = True
        try:
            with self._lock:
                yield
        finally:
            self._writing = False

    def _refuse_while_written(self) -> None:
        if self._writing:
            raise BusyError(
                "learner: expected one thread at a time, got a second one. Give each thread its "
                "own learner, or let them share a hypothesis()."
            )
