"""Streams over arrays."""

from collections.abc import Iterator
from typing import Any

from novikoff.errors import InputError
from novikoff.streams.block import Block, as_block
from novikoff.streams.labels import label_array
from novikoff.streams.stream import Stream
from novikoff.types import Label


class ArrayStream(Stream):
    """A matrix and its labels, one round a row."""

    name = "arrays"
    replayable = True

    def __init__(self, X: Any, y: Any, positive: Label | None = None) -> None:
        self.block = as_block(X)
        self.labels = label_array(y)
        self.positive = positive
        if self.labels.shape != (len(self.block),):
            raise InputError(
                f"y: expected one label for each of the {len(self.block)} rows of X, got an array "
                f"of shape {self.labels.shape}. Pass labels of the same length."
            )

    @property
    def rounds(self) -> int:
        """The number of rows."""
        return len(self.block)

    def blocks(self) -> Iterator[tuple[Block, Any]]:
        """Yield the whole array as one block."""
        yield self.block, self.labels


def stream(X: Any, y: Any, *, positive: Label | None = None) -> ArrayStream:
    """Stream the rows of X with their labels y.

    X is a NumPy array (float32 or float64 in C order are not copied) or a scipy sparse matrix
    or array. Labels are −1 and +1, 0 and 1, or bools; any others with ``positive``, the label
    that counts as +1, or with a multiclass learner.
    """
    return ArrayStream(X, y, positive)
