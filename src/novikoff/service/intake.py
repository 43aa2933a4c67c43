"""The intake: how far each source was read, as the log says; it is part of the replica.

A ``consumed`` record announces the messages of the ``learn`` records that follow, and each of
these counts one message. So wherever a log ends, it says exactly which messages it has counted.
"""

from collections import deque

import msgspec

from novikoff.errors import InputError
from novikoff.streams.log.records import Consumed, Passed

_LATEST = 100
_MOST = 10_000  # messages with consecutive offsets that a record announces


class BadMessage(msgspec.Struct, frozen=True):
    """A message that was passed over because it is no example."""

    partition: int
    offset: int
    error: str


class KeptBadMessage(BadMessage, frozen=True, forbid_unknown_fields=True):
    """The same, as a snapshot keeps it."""


class SourceState(msgspec.Struct, forbid_unknown_fields=True):
    """What is known of a source."""

    offsets: dict[int, int] = {}
    """Of each partition the offset from which to read on."""
    learned: int = 0
    """Messages that made a round."""
    bad: int = 0
    repeated: int = 0
    """Messages whose key had been used before."""
    lost: int = 0
    """Offsets that the source no longer had when they were read."""
    latest: list[KeptBadMessage] = []
    """The latest bad ones."""

    def pass_to(self, where: str, partition: int, offset: int, count: int) -> None:
        """Read on after these messages; refuse a log whose offsets do not rise."""
        before = self.offsets.get(partition, 0)
        if offset < before or count < 1:
            raise InputError(
                f"log, {where}: expected messages from offset {before:,} of partition "
                f"{partition} on, got {count:,} at {offset:,}. Restore the log from a backup."
            )
        self.offsets[partition] = offset + count


class IntakeState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An intake as a snapshot has it."""

    sources: dict[str, SourceState]
    announced: tuple[str, list[tuple[int, int]]]


class Intake:
    """The sources that a log has messages of."""

    def __init__(self) -> None:
        self.sources: dict[str, SourceState] = {}
        self.announced: deque[tuple[int, int]] = deque()
        """The messages whose records come next, as (partition, offset)."""
        self._source = ""

    def announce(self, record: Consumed) -> None:
        """Expect the records of these messages, and of no others any more."""
        self._source, messages = record.source, list[tuple[int, int]]()
        ahead = dict(self.source(record.source).offsets)
        for partition, first, count in record.runs:
            if first < ahead.get(partition, 0) or not 1 <= count <= _MOST:
                raise InputError(
                    f"log, {record.source}: expected messages from offset "
                    f"{ahead.get(partition, 0):,} of partition {partition} on, got {count:,} at "
                    f"{first:,}. Restore the log from a backup."
                )
            ahead[partition] = first + count
            messages += [(partition, first + place) for place in range(count)]
        self.announced = deque(messages)

    def count(self) -> None:
        """Count the message whose record has come."""
        partition, offset = self.announced.popleft()
        found = self.sources[self._source]
        found.pass_to(self._source, partition, offset, 1)
        found.learned += 1

    def skip(self, record: Passed) -> None:
        """Pass over messages."""
        found = self.source(record.source)
        found.pass_to(record.source, record.partition, record.offset, record.count)
        if record.cause == "bad":
            found.bad += record.count
            found.latest.append(KeptBadMessage(record.partition, record.offset, record.text))
            del found.latest[:-_LATEST]
        elif record.cause == "repeated":
            found.repeated += record.count
        else:
            found.lost += record.count

    def source(self, name: str) -> SourceState:
        """Return what is known of a source, which may be new."""
        return self.sources.setdefault(name, SourceState())

    def offsets(self, source: str) -> dict[int, int]:
        """Return where to read on in each partition, of those that were read."""
        found = self.sources.get(source)
        return {} if found is None else dict(found.offsets)

    @property
    def ending(self) -> Consumed | None:
        """The record that must come before any other, because a crash left messages announced."""
        return Consumed(self._source, ()) if self.announced else None

    @property
    def state(self) -> IntakeState | None:
        """All of it, for a snapshot; None if there was never a source."""
        if not self.sources:
            return None
        sources = msgspec.convert(msgspec.to_builtins(self.sources), dict[str, SourceState])
        return IntakeState(sources, (self._source, list(self.announced)))

    def restore(self, state: IntakeState) -> None:
        """Go on from a snapshot."""
        self.sources, (self._source, announced) = state.sources, state.announced
        self.announced = deque(announced)
