"""Frames: any table with the Arrow PyCapsule interface. Each row is a dict of its columns."""

from collections.abc import Iterator, Sized
from typing import Protocol, TypeGuard

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.extras import require_extra
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.dates import IN_FRAMES, refuse_dates
from novikoff.streams.files.headers import unknown_column
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import Label

_ROWS = 1024


class Frame(Protocol):
    """A table with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table as a capsule of an Arrow stream."""


class FrameStream(Stream):
    """The rows of a pandas, polars, pyarrow or duckdb table, or of any other with the interface.

    Numeric columns are features of their name, string columns features ``name=value``; those that
    begin with a date are refused.
    ``label`` and ``weight`` name the columns that hold the label and the weight of a round.
    """

    name = "frame"
    whole = True

    def __init__(
        self, frame: Frame, label: str, positive: Label | None = None, weight: str | None = None
    ) -> None:
        self.frame = frame
        self.label, self.weight, self.positive = label, weight, positive
        self.replayable = not isinstance(frame, Iterator)
        if self.replayable:
            self._opened()

    @property
    def origin(self) -> object:
        """The table itself."""
        return self.frame

    @property
    def rounds(self) -> int | None:
        """The number of rows, if the table knows it."""
        return len(self.frame) if isinstance(self.frame, Sized) else None

    def blocks(self) -> Iterator[Rounds]:
        """Yield rows, and the labels that were among them."""
        frame, first = self._opened(), True
        while rows := _next_rows(frame, "frame"):
            labels = [row.pop(self.label) for row in rows]
            if first:
                refuse_dates("frame", rows[0].items(), IN_FRAMES)
                first = False
            weights = None if self.weight is None else [row.pop(self.weight) for row in rows]
            yield Rounds(framed(rows), labels, weights)

    def _opened(self) -> _core.Frame:
        frame = open_frame(self.frame, "frame")
        for name, column in (("y", self.label), ("weights", self.weight)):
            if column is not None and column not in frame.columns:
                raise unknown_column(name, column, frame.columns, "the frame")
        if self.label == self.weight:
            raise parameter("weights", "a column other than the label's", self.weight)
        return frame


def is_frame(X: object) -> TypeGuard[Frame]:
    """Say whether X is a table with the Arrow PyCapsule interface."""
    return hasattr(X, "__arrow_c_stream__")


def open_frame(X: Frame, where: str) -> _core.Frame:
    """Begin to read a table. The index of a pandas frame is not a column."""
    if hasattr(X, "reset_index"):
        X = X.reset_index(drop=True)
    try:
        return _core.Frame(X.__arrow_c_stream__())
    except ImportError:  # pandas hands its tables over by way of pyarrow
        require_extra("pyarrow", where)
        raise
    except (KeyError, NotImplementedError, TypeError, ValueError) as error:
        advice = "" if "column" in str(error) else " Keep columns of numbers, strings and bools."
        raise InputError(f"{where}: {error}{advice}") from None


def framed(rows: list[dict[str, object]]) -> NamedBlock:
    """Return rows of a frame as a block that knows where they come from."""
    found = NamedBlock(rows)
    found.framed = True
    return found


def frame_rows(X: Frame, where: str) -> list[dict[str, object]]:
    """Return every row of a table."""
    frame = open_frame(X, where)
    found: list[dict[str, object]] = []
    while rows := _next_rows(frame, where):
        found += rows
    return found


def _next_rows(frame: _core.Frame, where: str) -> list[dict[str, object]]:
    try:
        return frame.rows(_ROWS)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
