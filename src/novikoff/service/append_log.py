"""The append log: records are added at its end and are on the disk when ``commit`` returns."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from novikoff.errors import InputError
from novikoff.service.disk import Disk, disk_error
from novikoff.streams.log.receipt_links import last_link
from novikoff.streams.log.records import Record
from novikoff.streams.log.segments import (
    HEADER,
    Torn,
    framed,
    header,
    record_of,
    segment_name,
    segments_of,
)
from novikoff.streams.log.segments import read_segment as _read
from novikoff.streams.log.snapshot_files import latest_snapshot

SEGMENT = 2**26
"""How many bytes a segment has before the next one begins."""
_AHEAD = 2**16, 2**22  # zeros written ahead: as many as the segment has bytes, within these


class Numbered(NamedTuple):
    """A record with its sequence number."""

    sequence: int
    record: Record


class AppendLog:
    """A folder of segments. One process writes it; ``recover`` comes before the first commit.

    A failed commit leaves the log as it was: the segment is cut back to what was durable, and the
    next commit begins a new one. After a failed ``fdatasync`` the kernel may drop what it could not
    write, so a second one on the same file proves nothing.

    Records are written over zeros that are already in the file: then a sync need not wait for the
    journal of the file system, which would also wait for what others write.
    """

    def __init__(self, folder: str, disk: Disk | None = None, segment: int = SEGMENT) -> None:
        self.folder, self.torn = folder, 0
        self.durable = 0
        """The sequence number up to which everything is on the disk."""
        self._disk, self._segment = disk or Disk(), segment
        self._file: int | None = None
        self._path, self._size = "", 0  # of the segment being written; what is durable of it
        self._ahead = 0  # zeros after that; -1 if there is no room for any
        self._broken = False  # other bytes may be in the file after the durable ones
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._lock = _locked(folder)

    @property
    def first(self) -> int:
        """The sequence number of the first record that is still there."""
        found = segments_of(self.folder)
        return found[0][0] if found else self.durable + 1

    @property
    def size(self) -> int:
        """How many bytes the segments have."""
        return sum(os.path.getsize(path) for _, path in segments_of(self.folder))

    def recover(self, after: int = 0) -> Iterator[Numbered]:
        """Yield the records after a sequence number; cut off a torn end when all is checked.

        Damage anywhere else is an error that names the file and the offset. So is a log that ends
        before its snapshots or receipts do: it has lost records that were acknowledged.
        """
        self.durable = after
        segments, link = segments_of(self.folder), last_link(self.folder)
        least = max(after, latest_snapshot(self.folder), 0 if link is None else link.sequence)
        if least and not segments:
            raise _gap(self.folder, least, 0)
        if segments and segments[0][0] > after + 1:
            raise InputError(
                f"{segments[0][1]}: expected record {after + 1}, got {segments[0][0]} as the "
                "first. Restore the segments before it from a backup; if the folder is one, copy "
                "the whole folder again."
            )
        following = [*(first for first, _ in segments[1:]), None]
        for (first, path), end in zip(segments, following, strict=False):
            if end is not None and end <= after + 1:
                continue
            yield from self._recovered(path, first, end, after, least)

    def _recovered(
        self, path: str, first: int, end: int | None, after: int, least: int
    ) -> Iterator[Numbered]:
        """Yield the records of one segment after a number; ``end`` is where the next one begins.

        The last segment has no ``end``, and must go on to the record ``least``.
        """
        sequence, size, torn = first - 1, HEADER, None
        if first > self.durable + 1:
            raise _gap(path, self.durable + 1, first)
        for found in _read(path, first, end is None):
            if isinstance(found, Torn):
                torn, size = found, found.offset
                break
            sequence, size = found.sequence, found.end
            if sequence > after:
                self.durable = sequence
                yield Numbered(sequence, record_of(path, found))
        if end is not None and sequence + 1 != end:
            raise _gap(path, end, sequence + 1)
        if end is None and sequence < least:
            raise _gap(path, least, sequence)
        if torn is not None:  # all is checked
            self._cut(torn)
        self._path, self._size = (path, size) if end is None and size else ("", 0)

    def _cut(self, torn: Torn) -> None:
        """Cut off what was being written when the process or the machine stopped."""
        self.torn += torn.lost
        if torn.offset == 0:
            self._disk.remove(torn.path)
        else:
            file = self._disk.extend(torn.path, torn.offset)
            self._disk.sync(file)
            self._disk.close(file)
        self._disk.sync_folder(self.folder)

    def commit(self, payloads: Sequence[bytes]) -> int:
        """Add records and return the sequence number of the last when all are on the disk."""
        durable = self.durable
        data = b"".join(
            framed(durable + place, durable, payload) for place, payload in enumerate(payloads, 1)
        )
        try:
            self._mend()
            file = self._open(len(data))
            self._broken = True
            self._disk.write(file, data)
            if 0 <= self._ahead < len(data):
                self._stretch(file, self._size + len(data))
            self._disk.sync(file)
            self._broken = False
        except OSError as error:
            with suppress(OSError):
                self._mend()
            raise disk_error(error, self.folder) from error
        self._size += len(data)
        if self._ahead > 0:
            self._ahead = max(0, self._ahead - len(data))
        self.durable = durable + len(payloads)
        return self.durable

    def _stretch(self, file: int, end: int) -> None:
        """Write zeros after the end, if there is room; they count from the durable bytes on."""
        least, most = _AHEAD
        zeros = min(max(end, least), most, self._segment - end)
        if zeros <= 0:
            return
        try:
            self._disk.write(file, bytes(zeros))
        except OSError:  # the records themselves may still fit
            self._disk.cut(file, end)
            self._ahead = -1
            return
        self._disk.move(file, end)
        self._ahead = end + zeros - self._size

    def begin_after(self, sequence: int) -> None:
        """Begin an empty log after a record that somebody else has."""
        path = os.path.join(self.folder, segment_name(sequence + 1))
        file = self._disk.create(path)
        self._disk.write(file, header(sequence + 1))
        self._disk.sync(file)
        self._disk.close(file)
        self._disk.sync_folder(self.folder)

    def _open(self, more: int) -> int:
        """Return the file to write to, a new one if the last is full."""
        if self._file is None and self._path and self._size + more <= self._segment:
            self._file = self._disk.extend(self._path, self._size)
        full = self._size > HEADER and self._size + more > self._segment
        if self._file is not None and not full:
            return self._file
        self._leave()
        head = header(self.durable + 1)
        self._path = os.path.join(self.folder, segment_name(self.durable + 1))
        self._size, self._broken = 0, True
        file = self._file = self._disk.create(self._path)
        self._disk.write(file, head)
        self._disk.sync(file)
        self._disk.sync_folder(self.folder)
        self._size, self._broken = len(head), False
        return file

    def _mend(self) -> None:
        """After a failure, cut the segment back to what is durable, and leave it."""
        if not self._broken:
            return
        if self._size <= HEADER:  # it holds no record
            with suppress(FileNotFoundError):
                self._disk.remove(self._path)
        else:
            file = self._disk.extend(self._path, self._size)
            try:
                self._disk.sync(file)
            finally:
                self._disk.close(file)
        self._broken = False
        self._leave()

    def _leave(self) -> None:
        """Write no more to this segment; a crash may leave it with its zeros, which say nothing."""
        file, size, ahead = self._file, self._size, self._ahead
        self._file, self._path, self._size, self._ahead = None, "", 0, 0
        if file is None:
            return
        if ahead > 0:
            with suppress(OSError):
                self._disk.cut(file, size)
        with suppress(OSError):
            self._disk.close(file)

    def drop_before(self, sequence: int) -> int:
        """Remove segments whose records all come before this one; return how many."""
        segments, dropped = segments_of(self.folder), 0
        for (_, path), (following, _) in pairwise(segments):
            if following > sequence:
                break
            self._disk.remove(path)
            dropped += 1
        return dropped

    def close(self) -> None:
        """Close the files; another process may write the log now."""
        with suppress(OSError):
            self._mend()
        self._leave()
        os.close(self._lock)


def _gap(path: str, expected: int, got: int) -> InputError:
    return InputError(
        f"{path}: expected the log to go on to record {expected}, got {got}. Restore the folder "
        "from a backup, or copy it again if it is one; nothing was changed."
    )


def _locked(folder: str) -> int:
    """Return the lock of a folder, which only one process can hold."""
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise InputError(
            f"{folder}: expected a log that nobody writes, got one in use. Stop the other service."
        ) from None
    return lock
