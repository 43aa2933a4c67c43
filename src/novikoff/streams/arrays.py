"""Streams over arrays, lists of dicts and frames."""

from collections.abc import Iterator, Mapping

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.streams.blocks.block import Block
from novikoff.streams.blocks.forms import as_block
from novikoff.streams.blocks.points import PointBlock
from novikoff.streams.frames import FrameStream, is_frame
from novikoff.streams.labels.declared import Declared, checked_declaration
from novikoff.streams.labels.label_maps import label_array
from novikoff.streams.labels.round_weights import checked_weights
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import Label


def _rows(X: object, y: object) -> Block:
    """Take the rows; refuse labels in their place, if the rows stand in the place of the labels."""
    try:
        found = as_block(X)
    except InputError:
        if _is_flat(X) and _has_rows(y):
            raise _swapped() from None
        raise
    if not found.dense and isinstance(found, PointBlock) and _has_rows(y):
        raise _swapped()
    return found


def _is_flat(X: object) -> bool:
    """Say whether this is a vector, as labels are, or the name of a column."""
    return isinstance(X, str) or getattr(X, "ndim", None) == 1


def _has_rows(y: object) -> bool:
    """Say whether this is a table, as rows are."""
    first = y[0] if isinstance(y, (list, tuple)) and y else None
    return getattr(y, "ndim", None) == 2 or isinstance(first, (Mapping, list, np.ndarray))


def _swapped() -> InputError:
    return InputError(
        "X, y: expected rows and then their labels, got labels and then rows: the two look "
        "swapped. Say nv.stream(X, y)."
    )


class ArrayStream(Stream):
    """A matrix, or rows of named features, and their labels: one round per row."""

    name = "arrays"
    replayable = whole = True

    def __init__(
        self, X: object, y: object, positive: Label | None = None, weights: object = None
    ) -> None:
        self.block = _rows(X, y)
        self.labels = label_array(y)
        self.positive = positive
        rows = len(self.block)
        if self.labels.shape != (rows,):
            raise InputError(
                f"y: expected one label for each of the {rows} rows of X, got an array "
                f"of shape {self.labels.shape}. Pass labels of the same length."
            )
        self.weights = None if weights is None else checked_weights(weights, rows, 1)

    @property
    def rounds(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def part(self, start: int, stop: int) -> "ArrayStream":
        """Return rows [start, stop) as a stream, without a copy."""
        weights = None if self.weights is None else self.weights[start:stop]
        rows = self.block.part(start, stop)
        found = ArrayStream(rows, self.labels[start:stop], self.positive, weights)
        found.declared = self.declared
        return found

    def blocks(self) -> Iterator[Rounds]:
        """Yield the whole array as one block."""
        return iter((Rounds(self.block, self.labels, self.weights),))


def stream(
    X: object,
    y: object,
    *,
    positive: Label | None = None,
    weights: object = None,
    labels: Declared = (),
) -> Stream:
    """Make a stream of the rows of X with their labels y.

    - ``X`` is a NumPy array (float32 or float64 in C order are not copied), a scipy sparse matrix
      or array, a list of dicts of named features, or a frame: any table with the Arrow PyCapsule
      interface (pandas, polars, pyarrow, duckdb).
    - ``y`` are the labels, or the name of a frame's column. They are −1 and +1, 0 and 1, or bools;
      they may be anything with ``positive``, the label that counts as +1, or with a learner for
      many classes.
    - ``weights`` has one number per row, which scales its update; for a frame it may name a column.
    - ``labels`` declares the labels that there are: a run refuses any other. ``labels="open"`` lets
      new labels in.

    >>> import novikoff as nv
    >>> rows = [{"free": 2, "from": "bank"}, {"hello": 1, "from": "friend"}]
    >>> run = nv.play(nv.Perceptron(), nv.stream(rows, ["spam", "ham"], positive="spam"))
    >>> run.hypothesis().weights()
    {'from=friend': -1.0, 'hello': -1.0}
    """
    if isinstance(y, str) and is_frame(X):
        if weights is not None and not isinstance(weights, str):
            raise parameter("weights", "None or a column of the frame, as y is", weights)
        found: Stream = FrameStream(X, y, positive, weights)
    else:
        found = ArrayStream(X, y, positive, weights)
    found.declared = checked_declaration(labels)
    return found
