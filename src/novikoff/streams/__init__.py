"""Streams: where rounds come from."""

from novikoff.streams.answering import AnsweringStream
from novikoff.streams.arrays import ArrayStream, stream
from novikoff.streams.block import ArrayBlock, Block
from novikoff.streams.caches import cache
from novikoff.streams.examples import ExampleBlock, ExampleStream, Outputs, as_examples
from novikoff.streams.files import FileStream
from novikoff.streams.forms import as_block, one_row
from novikoff.streams.frames import FrameStream
from novikoff.streams.iterables import IterableStream, as_stream
from novikoff.streams.labels import BinaryLabels, ClassLabels
from novikoff.streams.named import Hashing, NamedBlock
from novikoff.streams.points import PointBlock
from novikoff.streams.reading import read
from novikoff.streams.stream import Rounds, Stream
from novikoff.streams.words import Words

__all__ = [
    "AnsweringStream",
    "ArrayBlock",
    "ArrayStream",
    "BinaryLabels",
    "Block",
    "ClassLabels",
    "ExampleBlock",
    "ExampleStream",
    "FileStream",
    "FrameStream",
    "Hashing",
    "IterableStream",
    "NamedBlock",
    "Outputs",
    "PointBlock",
    "Rounds",
    "Stream",
    "Words",
    "as_block",
    "as_examples",
    "as_stream",
    "cache",
    "one_row",
    "read",
    "stream",
]
