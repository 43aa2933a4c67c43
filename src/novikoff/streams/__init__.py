"""Streams: where rounds come from."""

from novikoff.lazy_names import LazyNames
from novikoff.streams.arrays import stream as stream  # before its module takes the name

# What the package offers, by the module that holds it. The same in __init__.pyi.
_NAMES = LazyNames(
    __name__,
    {
        "answering": "AnsweringStream",
        "arrays": "ArrayStream stream",
        "blocks.block": "ArrayBlock Block",
        "blocks.examples": "ExampleBlock ExampleStream Outputs as_examples",
        "blocks.forms": "as_block one_row",
        "blocks.named": "Hashing NamedBlock",
        "blocks.points": "PointBlock",
        "files.caches": "cache",
        "files.file_stream": "FileStream",
        "files.reading": "read",
        "files.words": "Words",
        "frames": "FrameStream",
        "iterables": "IterableStream as_stream",
        "labels.binary_labels": "BinaryLabels",
        "labels.class_labels": "ClassLabels",
        "labels.label_maps": "LabelMap",
        "labels.real_labels": "RealLabels",
        "stream": "Rounds Stream",
        "transforms": "Cross Normalize Presence Scale Transform Transforms as_transforms",
    },
)
__getattr__ = _NAMES.get
__all__ = [*_NAMES.all()]  # noqa: PLE0604 — they are strings
