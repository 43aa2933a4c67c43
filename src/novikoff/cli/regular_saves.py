"""``--save-every``: what has been learned is saved every so many seconds."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from novikoff.interrupts import waiting

_LEAST = 0.001  # seconds: an alarm in 0 seconds would be none


class RegularSaves:
    """Saves what has changed every so many seconds, also while nothing more comes; None: never."""

    def __init__(self, save: Callable[[], None], every: float | None) -> None:
        self._save, self._every = save, every
        self._changed, self._last = False, time.monotonic()
        self._wakes = False

    @property
    def left(self) -> float | None:
        """How many seconds are left until it is time to save; None if there is nothing to save."""
        if self._every is None or not self._changed:
            return None
        return max(self._last + self._every - time.monotonic(), 0.0)

    def changed(self) -> None:
        """Save what has changed if it is time; else see to it that it will be saved."""
        self._changed = True
        left = self.left
        if left == 0:
            self.save()
        elif left is not None and self._wakes:
            signal.setitimer(signal.ITIMER_REAL, max(left, _LEAST))

    def save(self) -> None:
        """Save now, whole: signals wait. What cannot be saved is tried again after a change."""
        with waiting():
            try:
                self._save()
            finally:
                self._changed, self._last = False, time.monotonic()

    @contextmanager
    def waking(self) -> Iterator[None]:
        """Save also while a play waits for rows: an alarm of the system is heard there.

        As any signal it waits for a boundary between rounds (``interrupts``). Only the main thread
        hears it; in another one, a save waits for the next rows.
        """
        if self._every is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._woken)
        self._wakes = True
        try:
            yield
        finally:
            self._wakes = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _woken(self, *_: object) -> None:
        if self._changed:
            self.save()
