"""The status of a source: whether its messages come, and how many are still to be read."""

import time
from dataclasses import dataclass, field

import msgspec


class SourceAnswer(msgspec.Struct, frozen=True):
    """How the service is doing with its source."""

    source: str
    connected: bool
    """Whether the source answered the last time."""
    stopped: str | None
    """Why no more messages are read until somebody acts; None if they are."""
    seconds: float
    """How long ago it last answered."""
    lag: dict[str, int]
    """Of each partition, how many messages are still to be read, as far as we know."""


@dataclass
class SourceStatus:
    """What a service knows of its source. One thread writes it, others read."""

    address: str
    name: str = ""
    """The source as the log names it; empty before it has answered."""
    connected: bool = False
    stopped: str | None = None
    trouble: str = ""
    """Why the source does not answer as it should."""
    lag: dict[int, int] = field(default_factory=dict)
    current: float = field(default_factory=time.monotonic)
    """When it last answered."""

    def answer(self) -> SourceAnswer:
        """Return it as JSON has it."""
        return SourceAnswer(
            self.name or self.address,
            self.connected,
            self.stopped,
            round(time.monotonic() - self.current, 3),
            {str(partition): lag for partition, lag in sorted(self.lag.items())},
        )
