"""Row hashes: what tells rows in memory from others, in a plan."""

import json
from hashlib import sha256

import numpy as np

from novikoff.streams import Stream
from novikoff.streams.arrays import ArrayStream
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.blocks.examples import ExampleStream
from novikoff.streams.stream import Rounds
from novikoff.types import AnyArray


def hash_of_rows(stream: Stream) -> str | None:
    """Return the SHA-256 of rows in memory, labels and weights; None if they are elsewhere.

    It is also None for objects that are not plain data: their text may differ in every process.
    """
    if not _in_memory(stream):
        return None
    found = sha256()
    try:
        for one in stream.blocks():
            for part in _parts(Rounds(*one)):
                found.update(len(part).to_bytes(8, "little"))
                found.update(part)
    except (TypeError, ValueError):
        return None
    return found.hexdigest()


def _in_memory(stream: Stream) -> bool:
    if isinstance(stream, ExampleStream):
        return isinstance(stream.pairs, (list, tuple))
    return isinstance(stream, ArrayStream) or stream.whole


def _parts(rounds: Rounds) -> list[bytes]:
    """Return the bytes of labels, weights and rows."""
    rows = rounds.rows
    front = [_bytes_of(rounds.labels), _bytes_of(rounds.weights)]
    if isinstance(rows, DenseBlock):
        return [*front, _bytes_of(rows.values)]
    if isinstance(rows, SparseBlock):
        return [*front, *map(_bytes_of, (rows.starts, rows.indices, rows.values))]
    return [*front, *(_bytes_of(rows.row(t)) for t in range(len(rows)))]


def _bytes_of(value: object) -> bytes:
    """Return the bytes of an array of numbers, or the JSON of any plain data."""
    if isinstance(value, np.ndarray):
        array: AnyArray = value
        if array.dtype.kind in "biuf":
            return f"{array.dtype.str}{array.shape}".encode() + array.tobytes()
        value = array.tolist()
    return json.dumps(value).encode()
