"""Limits: what would take all memory, or never end, fails alone."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

HANGS = 120
"""Seconds after which a verdict on a few rows is taken never to come."""
ROOM = 2**31
"""Bytes of memory that a verdict on a few rows may take, beyond those the process has."""


@contextmanager
def little_time() -> Iterator[None]:
    """End what would never end: some numbers of a certificate say how much work there is."""

    def ring(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no verdict after {HANGS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def little_memory() -> Iterator[None]:
    """Let the process have no more than some room beyond what it has: a hog fails, alone."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    if before[1] != resource.RLIM_INFINITY:
        limit = min(limit, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
