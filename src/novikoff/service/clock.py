"""The clock of a service: the time of day, which never runs backwards and never jumps."""

import time


class Clock:
    """Seconds since 1970, taken from the system once, and then counted by its steady clock.

    If somebody sets the system's clock, a running service does not notice. After a restart the
    time goes on from the latest record, even if the system's clock was set back.
    """

    def __init__(self, latest: float = 0.0) -> None:
        self._start = max(time.time(), latest) - time.monotonic()

    def now(self) -> float:
        """Return the time."""
        return self._start + time.monotonic()
