"""Streams: where rounds come from."""

from novikoff.streams.arrays import ArrayStream, stream
from novikoff.streams.block import Block, as_block, one_row
from novikoff.streams.iterables import IterableStream, as_stream
from novikoff.streams.labels import BinaryLabels, ClassLabels
from novikoff.streams.stream import Stream

__all__ = [
    "ArrayStream",
    "BinaryLabels",
    "Block",
    "ClassLabels",
    "IterableStream",
    "Stream",
    "as_block",
    "as_stream",
    "one_row",
    "stream",
]
