"""Datasets of Ray as streams: their rows stay where they are, and each shard reads its own."""

import logging
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Protocol, TypeGuard

from novikoff.extras import extra
from novikoff.streams import Stream
from novikoff.streams.frames import FrameStream
from novikoff.streams.stream import Rounds
from novikoff.types import Label


class Dataset(Protocol):
    """A ``ray.data.Dataset``, as far as it is used here."""

    def materialize(self) -> "Dataset":
        """Compute it, and keep it in the object store."""

    def to_arrow_refs(self) -> list[object]:
        """Return where its tables are."""


class Table(Protocol):
    """A table of pyarrow, as far as it is used here."""

    num_rows: int


class StoredTables(Stream):
    """Rows of tables in Ray's object store, fetched one table after another."""

    name = "dataset"
    replayable = True
    closes = True

    def __init__(self, tables: tuple[object, ...], label: str, positive: Label | None) -> None:
        self.tables, self.label, self.positive = tables, label, positive

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rows of every table."""
        ray = extra("ray", "a dataset of Ray")
        for place in self.tables:
            table = ray.get(place)
            if table.num_rows:
                yield from FrameStream(table, self.label, self.positive).blocks()


class DatasetStream(StoredTables):
    """The rows of a ``ray.data.Dataset``, in its order.

    ``label`` names the column of labels. The others are features, as those of a frame: numbers by
    the column's name, texts as ``name=value``. The dataset is computed once, and its tables stay in
    Ray's object store.
    """

    def __init__(
        self, dataset: Dataset, label: str = "label", positive: Label | None = None
    ) -> None:
        ray = extra("ray", "a dataset of Ray")
        with _in_order():
            self.dataset = dataset.materialize()
            super().__init__(tuple(self.dataset.to_arrow_refs()), label, positive)
        count = ray.remote(_rows)
        sizes: list[int] = ray.get([count.remote(table) for table in self.tables])
        self.ends = [0, *accumulate(sizes)]
        """The row after each table's last, from 0 on."""

    @property
    def origin(self) -> object:
        """The dataset itself."""
        return self.dataset

    @property
    def rounds(self) -> int | None:
        """The number of rows."""
        return self.ends[-1]

    def around(self, start: int, stop: int) -> tuple[StoredTables, int]:
        """Return the tables that hold rows [start, stop), and the number of their first row."""
        first = bisect_right(self.ends, start) - 1
        last = bisect_right(self.ends, stop - 1)
        tables = StoredTables(self.tables[first:last], self.label, self.positive)
        return tables, self.ends[first]


def is_dataset(data: object) -> TypeGuard[Dataset]:
    """Say whether something is a dataset of Ray, without importing it."""
    kinds = type(data).__mro__
    return any(k.__module__.startswith("ray.data") and k.__name__ == "Dataset" for k in kinds)


def _rows(table: Table) -> int:
    return table.num_rows


@contextmanager
def _in_order() -> Iterator[None]:
    """Let Ray keep the order of rows, draw no bars, and tell only what went wrong."""
    context = extra("ray.data", "a dataset of Ray").DataContext.get_current()
    options = context.execution_options
    logger = logging.getLogger("ray.data")
    before, level = (options.preserve_order, context.enable_progress_bars), logger.level
    options.preserve_order, context.enable_progress_bars = True, False
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        options.preserve_order, context.enable_progress_bars = before
        logger.setLevel(level)
