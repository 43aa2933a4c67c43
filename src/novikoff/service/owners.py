"""Owners: the one thread that a replica belongs to, and how others have something done by it."""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

Task = Callable[[], None]
_LOOK = 0.5  # seconds between looks whether the program ends


class Owner(Protocol):
    """A thread that does one task after the other."""

    def call(self, task: Task) -> None:
        """Have a task done soon; any thread may ask for it."""

    def close(self) -> None:
        """Do what was asked for, and no more."""


class LoopOwner:
    """The thread of an event loop: with it, a request is planned and applied where it came in.

    The interpreter lets one thread run at a time, so a thread of its own would gain nothing and
    would have to wait for its turn after every sync.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def call(self, task: Task) -> None:
        """Have a task done in the next turn of the loop."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(task)

    def close(self) -> None:
        """Leave the loop to whoever runs it."""


class ThreadOwner:
    """A thread of its own, for programs without an event loop."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="owner")
        self._thread.start()

    def _work(self) -> None:
        """Do tasks until None comes, or the program ends."""
        while True:
            try:
                task = self._tasks.get(timeout=_LOOK)
            except queue.Empty:
                if not threading.main_thread().is_alive():
                    return
                continue
            if task is None:
                return
            task()
            del task  # it may hold a run

    def call(self, task: Task) -> None:
        """Have a task done after those that wait."""
        self._tasks.put(task)

    def close(self) -> None:
        """Do what waits, and end the thread."""
        self._tasks.put(None)
        self._thread.join()
