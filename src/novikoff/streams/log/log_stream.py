"""The stream of a log: the rounds that a service has played, in their order."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from novikoff.errors import InputError
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.files.file_stream import FileStream, Options
from novikoff.streams.log.beginnings import beginning_of, checked_start
from novikoff.streams.log.records import Begin, Learn, Record, Tell
from novikoff.streams.log.segments import Torn, read_segment, record_of, segments_of
from novikoff.streams.log.snapshot_files import latest_snapshot
from novikoff.streams.stream import Rounds

_ROWS = 1024


def records_of(folder: str) -> Iterator[tuple[int, Record]]:
    """Yield the records of a log with their numbers; a torn end was never acknowledged.

    It reads what is there, also while a service writes more. If old parts were dropped, the log
    begins after them, whatever else its first segment still holds. A log that ends before a
    snapshot of it has lost records, and is refused.
    """
    begin = beginning_of(folder)
    while True:
        extent = extent_of(folder)
        if (now := beginning_of(folder)) == begin:
            return _records(folder, begin.sequence, extent)
        begin = now  # parts were dropped meanwhile


def records_after(folder: str, begin: int) -> Iterator[tuple[int, Record]]:
    """Yield the records after one, as ``records_of`` does; begin with the segment that has them."""
    return _records(folder, begin, extent_of(folder))


class Extent(NamedTuple):
    """Which records a log has."""

    least: int
    """The last one that it must have: a snapshot was taken of it."""
    segments: list[tuple[int, str]]


def extent_of(folder: str) -> Extent:
    """Return the extent of a log that may be being written.

    A record is in its segment before a snapshot is taken of it, so snapshots are looked for first.
    """
    return Extent(latest_snapshot(folder), segments_of(folder))


def _records(folder: str, begin: int, extent: Extent) -> Iterator[tuple[int, Record]]:
    segments = extent.segments
    if not segments:
        raise InputError(f"{folder}: expected a log of novikoff serve, got none. Name its folder.")
    if (first := segments[0][0]) > begin + 1:
        raise _missing(segments[0][1], begin + 1, first)
    following = [*(first for first, _ in segments[1:]), None]
    expected = 0
    for (first, path), end in zip(segments, following, strict=True):
        if end is not None and end <= begin + 1:
            continue
        if expected and first != expected:
            raise _missing(path, expected, first)
        expected = first
        for found in read_segment(path, first, end is None):
            if isinstance(found, Torn):
                break
            expected = found.sequence + 1
            if found.sequence > begin:
                yield found.sequence, record_of(path, found)
    if expected <= (least := max(begin, extent.least)):
        raise InputError(
            f"{segments[-1][1]}: expected the log to go on to record {least}, as a snapshot of it "
            f"does, got {expected - 1}. Restore the folder from a backup, or move its snapshots "
            "away to read what is left."
        )


def _missing(path: str, expected: int, got: int) -> InputError:
    return InputError(
        f"{path}: expected record {expected} as the first, got {got}. Restore the segment before "
        "it from a backup; if the folder is one, copy the whole folder again."
    )


def start_of(folder: str) -> str | None:
    """Return the model that the rounds of a log went on from; None if they began anew."""
    state = ""  # a receipt or a snapshot says it, if parts were dropped
    if beginning_of(folder).sequence == 0:
        _, first = next(records_of(folder), (0, None))
        if not isinstance(first, Begin) or first.rounds == 0:
            return None
        state = first.state
    return checked_start(folder, state)


class LogStream(FileStream):
    """The examples that were learned, and those whose labels were told, in the order of rounds."""

    format = "log"
    named = True

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.replayable = True
        parts = [path for folder in files for _, path in segments_of(folder)]
        self._total = sum(map(os.path.getsize, parts))
        if not self.declared:
            self.declared = self._begun()

    def _begun(self) -> tuple[bool | int | float | str, ...]:
        """Return the labels that the log began with."""
        for folder in self.files:
            if (begin := beginning_of(folder)).sequence:
                return begin.labels
            for _, record in records_of(folder):
                if isinstance(record, Begin):
                    return record.labels
                break
        return ()

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one log."""
        rounds: list[tuple[int, Learn | Tell]] = []
        for sequence, record in records_of(file):
            if isinstance(record, (Learn, Tell)):
                rounds.append((sequence, record))
            if len(rounds) >= _ROWS:
                yield _block(file, rounds)
                rounds = []
        if rounds:
            yield _block(file, rounds)


def _block(folder: str, rounds: list[tuple[int, Learn | Tell]]) -> Rounds:
    numbers = [sequence for sequence, _ in rounds]
    weights = [one.weight for _, one in rounds]
    return Rounds(
        NamedBlock([dict[str, object](one.features) for _, one in rounds]),
        [one.label for _, one in rounds],
        None if all(weight == 1.0 for weight in weights) else weights,
        lambda t: f"{folder}, record {numbers[t]}",
    )
