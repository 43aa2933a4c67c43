"""Packing of Arrow files: whether buffers are compressed, found without reading any of them.

A file of some kilobytes may unpack to gigabytes, and pyarrow offers no limit. So we look into the
messages' own tables (flatbuffers), just far enough: the footer says where each record batch is, and
the batch says whether it is compressed.
"""

import struct

_FILE_TAIL = b"ARROW1"
_BATCHES = 3  # field of the footer
_HEADER, _COMPRESSION = 2, 3  # fields of a message, of a record batch
_BLOCK = 24  # bytes: offset, size of the message, size of its body


def refuse_packed(file: str) -> None:
    """Raise a ValueError if a record batch of an Arrow file is compressed, or lies nowhere."""
    with open(file, "rb") as source:
        size = source.seek(0, 2)
        source.seek(max(0, size - 10))
        (length,), tail = struct.unpack("<i", source.read(4)), source.read()
        if tail != _FILE_TAIL or not 0 <= length <= size - 10:
            raise ValueError("a file without the end of an Arrow file")
        source.seek(size - 10 - length)
        for offset, message in _blocks(source.read(length)):
            if not 0 <= offset <= offset + message <= size:
                raise ValueError("a batch outside the file")
            source.seek(offset)
            if _is_packed(source.read(message)):
                raise ValueError("compressed columns")


def _blocks(footer: bytes) -> list[tuple[int, int]]:
    """Return (offset, size) of the messages of all record batches."""
    place = _field(footer, _root(footer), _BATCHES)
    if place is None:
        return []
    place += _whole(footer, "<I", place)
    count = _whole(footer, "<I", place)
    if count * _BLOCK > len(footer):
        raise ValueError("more batches than the file holds")
    starts = range(place + 4, place + 4 + count * _BLOCK, _BLOCK)
    return [(_whole(footer, "<q", at), _whole(footer, "<i", at + 8)) for at in starts]


def _is_packed(message: bytes) -> bool:
    start = 8 if message[:4] == b"\xff\xff\xff\xff" else 4  # the size of the message is before it
    table = message[start:]
    place = _field(table, _root(table), _HEADER)
    if place is None:
        raise ValueError("a batch without a header")
    return _field(table, place + _whole(table, "<I", place), _COMPRESSION) is not None


def _root(data: bytes) -> int:
    return _whole(data, "<I", 0)


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return where a field of a table is; None if it is left out."""
    fields = table - _whole(data, "<i", table)
    if 4 + 2 * number >= _whole(data, "<H", fields):
        return None
    offset = _whole(data, "<H", fields + 4 + 2 * number)
    return table + offset if offset else None


def _whole(data: bytes, form: str, place: int) -> int:
    if not 0 <= place <= len(data) - struct.calcsize(form):
        raise ValueError("a table outside its message")
    return int(struct.unpack_from(form, data, place)[0])
