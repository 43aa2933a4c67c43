"""The tail of a log: whole records as they are on the disk, for those who follow it.

    reply = records | (CRC-32C, length 0, sequence of the last durable record, the same)

Records are framed as in segments. The last frame has no payload: it says how far the log is.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from novikoff.service.refusals import Gone
from novikoff.service.service_engine import Engine
from novikoff.streams.log.segments import HEADER, frame_at, framed, segment_name, segments_of

LONGEST_WAIT = 30.0
"""Seconds for which a reply may stay open."""
_PIECE = 2**20
_POLL = 0.02
_MOST = 2**26  # bytes of a reply


class LogTail:
    """Reads a log that is being written, from after a record on."""

    def __init__(self, folder: str, after: int) -> None:
        self.folder, self.sequence = folder, after
        self._first, self._offset = 0, HEADER  # of the segment being read

    def read(self, durable: int) -> bytes:
        """Return the records after the last one returned, up to a durable one; some or all."""
        if self.sequence >= durable:
            return b""
        if not self._first:
            self.go()
        found = self._piece(durable)
        if not found and os.path.exists(self._path(self.sequence + 1)):
            self._first, self._offset = self.sequence + 1, HEADER
            found = self._piece(durable)
        return found

    def _path(self, first: int) -> str:
        return os.path.join(self.folder, segment_name(first))

    def go(self) -> None:
        """Go to the record after ``sequence``; refuse if the log does not go back to it."""
        firsts = [first for first, _ in segments_of(self.folder) if first <= self.sequence + 1]
        if not firsts:
            raise Gone(
                where="after",
                expected="a record that the log still goes back to",
                got=str(self.sequence),
                remedy="Begin from GET /v1/snapshot.",
            )
        self._first, self._offset, target = firsts[-1], HEADER, self.sequence
        self.sequence = self._first - 1
        while self.sequence < target and self._piece(target):
            pass

    def _piece(self, durable: int) -> bytes:
        """Return whole records from here on."""
        size = _PIECE
        while True:
            with open(self._path(self._first), "rb") as file:
                file.seek(self._offset)
                data = file.read(size)
            view, end = memoryview(data), 0
            while self.sequence < durable and (found := frame_at(view, end)) is not None:
                self.sequence, end = found.sequence, found.end
            if end or len(data) < size:
                self._offset += end
                return data[:end]
            size *= 4  # one record is longer than that


async def tail(engine: Engine, found: LogTail, wait: float) -> AsyncIterator[bytes]:
    """Yield the records there are, and new ones for some seconds; at last how far the log is."""
    until, sent = time.monotonic() + wait, 0
    while sent < _MOST:
        durable = min(engine.log.durable, engine.replica.sequence)
        piece = await run_in_threadpool(found.read, durable)
        if piece:
            sent += len(piece)
            yield piece
        elif engine.leaving or time.monotonic() >= until:
            break
        else:
            await asyncio.sleep(_POLL)
    last = engine.replica.sequence
    yield framed(last, last, b"")
