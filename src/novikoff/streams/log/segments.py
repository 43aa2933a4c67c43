"""Segments: the files of a log. Each holds framed records with consecutive sequence numbers.

    segment = "NVKLOG" 0 1 | first sequence number u64 | CRC-32C of these 16 bytes u32
              | records
    record  = CRC-32C u32 | length u32 | sequence u64 | durable u64 | payload

All numbers are little-endian. The CRC covers everything after itself. ``durable`` is the sequence
number up to which the log was on disk when the record was written. It tells a torn end from
damage: a bad record that no later record calls durable was never acknowledged. Zeros may follow the
last record: they make room for the next ones.
"""

import os
import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

import google_crc32c

from novikoff.errors import InputError
from novikoff.saving.versions import LOG
from novikoff.streams.log.records import Record, decoded

MAGIC = b"NVKLOG\x00" + bytes([LOG.newest])
"""The last byte is the version of the log."""
SUFFIX = ".nvlog"
_HEAD = struct.Struct("<8sQ")
_SUM = struct.Struct("<I")
_FRAME = struct.Struct("<IQQ")
HEADER = _HEAD.size + _SUM.size
OVERHEAD = _SUM.size + _FRAME.size
LONGEST = 2**28
"""How many bytes a record may have."""
_NAME = re.compile(rf"(\d{{20}}){re.escape(SUFFIX)}")


class Framed(NamedTuple):
    """A record in a segment: its number, its bytes, and where the next one begins."""

    sequence: int
    durable: int
    payload: memoryview
    end: int


class Torn(NamedTuple):
    """The end of a log that was being written when the process or the machine stopped."""

    path: str
    offset: int
    """Where the last whole record ends."""
    lost: int
    """How many bytes follow; none of them was acknowledged."""


def segment_name(first: int) -> str:
    """Return the name of the segment that begins with this record."""
    return f"{first:020d}{SUFFIX}"


def segments_of(folder: str) -> list[tuple[int, str]]:
    """Return (first sequence number, path) of every segment, in order."""
    found = [(match, name) for name in os.listdir(folder) if (match := _NAME.fullmatch(name))]
    return sorted((int(match[1]), os.path.join(folder, name)) for match, name in found)


def header(first: int) -> bytes:
    """Return the head of the segment that begins with this record."""
    head = _HEAD.pack(MAGIC, first)
    return head + _SUM.pack(google_crc32c.value(head))


def framed(sequence: int, durable: int, payload: bytes) -> bytes:
    """Return the bytes of a record."""
    rest = _FRAME.pack(len(payload), sequence, durable) + payload
    return _SUM.pack(google_crc32c.value(rest)) + rest


def frame_at(data: memoryview, offset: int) -> Framed | None:
    """Return the record at an offset; None if there is no whole one."""
    begin = offset + OVERHEAD
    if begin > len(data):
        return None
    length, sequence, durable = _FRAME.unpack_from(data, offset + _SUM.size)
    end = begin + length
    if length > LONGEST or end > len(data):
        return None
    (expected,) = _SUM.unpack_from(data, offset)
    if google_crc32c.value(data[offset + _SUM.size : end].tobytes()) != expected:
        return None
    return Framed(sequence, durable, data[begin:end], end)


def record_of(path: str, found: Framed) -> Record:
    """Return what a record of a segment says."""
    return decoded(found.payload, f"{path}, record {found.sequence}")


def read_segment(path: str, first: int, last: bool) -> Iterator[Framed | Torn]:
    """Yield the records of a segment; if it is the last one, perhaps its torn end.

    Anything else that is wrong is an error that names the file and the offset.
    """
    with open(path, "rb") as file:
        data = memoryview(file.read())
    sequence, offset = first, HEADER
    if bytes(data[:HEADER]) != header(first):
        _refuse_version(path, data)
        _refuse_damage(path, data, Expected(0, first, last))
        yield Torn(path, 0, len(data))
        return
    while offset < len(data):
        found = frame_at(data, offset)
        if found is None or found.sequence != sequence:
            lost = len(bytes(data[offset:]).rstrip(b"\0"))
            if not lost:
                return
            whole = found is not None  # a record that is not torn, in the wrong place
            _refuse_damage(path, data, Expected(offset, sequence, last and not whole))
            yield Torn(path, offset, lost)
            return
        yield found
        sequence, offset = sequence + 1, found.end


class Expected(NamedTuple):
    """What should be where something is wrong."""

    offset: int
    sequence: int
    last: bool
    """Whether this is the last segment, whose end may be torn."""


def _refuse_version(path: str, data: memoryview) -> None:
    if bytes(data[:7]) == MAGIC[:7] and len(data) >= HEADER and data[7] != MAGIC[7]:
        LOG.check(f"{LOG.name}/{data[7]}", path)


def _refuse_damage(path: str, data: memoryview, expected: Expected) -> None:
    """Refuse a bad record, unless it is the end of the log and was never acknowledged."""
    if expected.last and not _acknowledged(data, expected):
        return
    raise InputError(
        f"{path}, offset {expected.offset}: expected record {expected.sequence}, got damaged "
        "bytes in the middle of the log. Restore the file from a backup; nothing was changed."
    )


def _acknowledged(data: memoryview, expected: Expected) -> bool:
    """Say whether a later record calls the one that is missing durable.

    Sequence numbers are near the expected one, so their six upper bytes are looked for.
    """
    whole = bytes(data)
    for upper in {expected.sequence >> 16, (expected.sequence >> 16) + 1}:
        pattern, place = upper.to_bytes(6, "little"), expected.offset
        while (place := whole.find(pattern, place + 1)) >= 0:
            found = frame_at(data, place - 10) if place - 10 > expected.offset else None
            if found is not None and found.durable >= expected.sequence:
                return True
    return False
