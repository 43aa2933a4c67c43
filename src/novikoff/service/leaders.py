"""Leaders: the service that a follower follows, and how far behind it the follower is."""

import time
from dataclasses import dataclass, field

import msgspec

STALE = 10.0
"""Seconds without a word from the leader after which a follower is not ready."""


class Lag(msgspec.Struct, frozen=True):
    """How far a follower is behind its leader."""

    leader: str
    connected: bool
    """Whether the leader answered the last time."""
    records: int
    """How many records of the leader it has not applied, as far as it knows."""
    seconds: float
    """How long ago it last had everything that the leader had."""


@dataclass
class Leader:
    """What a follower knows of its leader. One thread writes it, others read."""

    url: str
    sequence: int = 0
    """The last record that the leader is known to have."""
    connected: bool = False
    current: float = field(default_factory=time.monotonic)
    """When the follower last had all that the leader had."""

    def lag(self, sequence: int) -> Lag:
        """Return how far a replica with this last record is behind."""
        return Lag(
            self.url,
            self.connected,
            max(self.sequence - sequence, 0),
            round(time.monotonic() - self.current, 3),
        )
