"""Streams: where rounds come from."""

from novikoff.streams.answering import AnsweringStream
from novikoff.streams.arrays import ArrayStream, stream
from novikoff.streams.blocks.block import ArrayBlock, Block
from novikoff.streams.blocks.examples import ExampleBlock, ExampleStream, Outputs, as_examples
from novikoff.streams.blocks.forms import as_block, one_row
from novikoff.streams.blocks.named import Hashing, NamedBlock
from novikoff.streams.blocks.points import PointBlock
from novikoff.streams.files.caches import cache
from novikoff.streams.files.file_stream import FileStream
from novikoff.streams.files.reading import read
from novikoff.streams.files.words import Words
from novikoff.streams.frames import FrameStream
from novikoff.streams.iterables import IterableStream, as_stream
from novikoff.streams.labels.binary_labels import BinaryLabels
from novikoff.streams.labels.class_labels import ClassLabels
from novikoff.streams.labels.label_maps import LabelMap
from novikoff.streams.labels.real_labels import RealLabels
from novikoff.streams.stream import Rounds, Stream
from novikoff.streams.transforms import (
    Cross,
    Normalize,
    Presence,
    Scale,
    Transform,
    Transforms,
    as_transforms,
)

__all__ = [
    "AnsweringStream",
    "ArrayBlock",
    "ArrayStream",
    "BinaryLabels",
    "Block",
    "ClassLabels",
    "Cross",
    "ExampleBlock",
    "ExampleStream",
    "FileStream",
    "FrameStream",
    "Hashing",
    "IterableStream",
    "LabelMap",
    "NamedBlock",
    "Normalize",
    "Outputs",
    "PointBlock",
    "Presence",
    "RealLabels",
    "Rounds",
    "Scale",
    "Stream",
    "Transform",
    "Transforms",
    "Words",
    "as_block",
    "as_examples",
    "as_stream",
    "as_transforms",
    "cache",
    "one_row",
    "read",
    "stream",
]
