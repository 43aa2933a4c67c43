"""The shards of a stream: which rows are whose, by rules that never look at a row."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import NamedTuple

from novikoff.cluster.datasets import DatasetStream, is_dataset
from novikoff.errors import InputError, parameter
from novikoff.learners.learner import Learner
from novikoff.playing.passes import not_replayable
from novikoff.streams import FileStream, Stream, read
from novikoff.streams.arrays import ArrayStream
from novikoff.streams.blocks.examples import ExampleStream
from novikoff.streams.files.file_stream import Options
from novikoff.streams.files.headers import Table
from novikoff.streams.files.reading import stream_of
from novikoff.streams.stream import Rounds, Wrapped


class Layout(NamedTuple):
    """How the first rows are read, and so all others: the columns of a table."""

    table: Table | None
    names: tuple[str, ...] | None


class Part(Wrapped):
    """Rows [start, stop) of a stream; all of them from ``start`` on if ``stop`` is None."""

    def __init__(self, stream: Stream, start: int, stop: int | None) -> None:
        super().__init__(stream)
        self.start, self.stop = start, stop

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds of the part; what comes before it is read and dropped."""
        at = 0
        for rounds in self.stream.blocks():
            found = Rounds(*rounds)
            size = len(found.rows)
            start = max(self.start - at, 0)
            stop = size if self.stop is None else min(self.stop - at, size)
            if start < stop:
                yield found.part(start, stop)
            at += size
            if self.stop is not None and at >= self.stop:
                return


@dataclass(frozen=True)
class FileShard:
    """Whole files, read where the shard is played."""

    files: tuple[str, ...]
    format: str
    options: Options
    layout: Layout

    def stream(self) -> Stream:
        """Open the files."""
        found = stream_of(self.files, self.format, replace(self.options, threads=1))
        found.read_like(self.layout.table)
        found.number_like(self.layout.names)
        return found


@dataclass(frozen=True)
class RowShard:
    """Some rows of a stream that every shard can read."""

    whole: "FileShard | Stream"
    start: int
    stop: int

    def stream(self) -> Stream:
        """Return the rows."""
        whole = self.whole if isinstance(self.whole, Stream) else self.whole.stream()
        return Part(whole, self.start, self.stop)


ShardSource = FileShard | RowShard


def as_whole(learner: Learner, data: object) -> Stream:
    """Return the stream of all shards: paths are read, anything else is taken as a stream."""
    if isinstance(data, str) or (isinstance(data, (list, tuple)) and _are_paths(data)):
        data = read(data)
    found = DatasetStream(data) if is_dataset(data) else learner.stream_of(data)
    if not found.replayable:
        raise not_replayable(found)
    return found


def _are_paths(data: "list[object] | tuple[object, ...]") -> bool:
    return bool(data) and all(isinstance(one, str) or hasattr(one, "__fspath__") for one in data)


def checked_count(shards: object) -> int:
    """Return the number of shards."""
    if not (type(shards) is int and 1 <= shards < 2**20):
        raise parameter("shards", "a whole number of at least 1", shards)
    return shards


def divided(whole: Stream, count: int) -> tuple[ShardSource, ...]:
    """Divide a stream: files by their order, ⌊kP/F⌋ of file k of F; rows if there are too few.

    Rows are divided as files are: row k of T belongs to shard ⌊kP/T⌋.
    """
    if isinstance(whole, FileStream) and whole.options.first is None:
        layout = layout_of(whole)
        files = whole.files
        if len(files) >= count:
            return tuple(
                FileShard(files[a:b], whole.format, whole.options, layout)
                for a, b in _parts(len(files), count)
            )
        one = FileShard(files, whole.format, whole.options, layout)
        return tuple(RowShard(one, a, b) for a, b in _parts(_rows(whole), count))
    parts = _parts(_rows(whole), count)
    if isinstance(whole, ArrayStream):  # each shard is sent its own rows
        return tuple(RowShard(whole.part(a, b), 0, b - a) for a, b in parts)
    if isinstance(whole, DatasetStream):
        homes = [(whole.around(a, b), a, b) for a, b in parts]
        return tuple(RowShard(tables, a - first, b - first) for (tables, first), a, b in homes)
    if isinstance(whole, ExampleStream) and isinstance(whole.pairs, (list, tuple)):
        pairs = whole.pairs
        return tuple(RowShard(ExampleStream(pairs[a:b]), 0, b - a) for a, b in parts)
    return tuple(RowShard(whole, a, b) for a, b in parts)


def layout_of(stream: Stream) -> Layout:
    """Read the first rows for the columns of a table, if it is one."""
    for _ in islice(stream.blocks(), 1):
        pass
    return Layout(stream.table, stream.feature_names)


def _rows(stream: Stream) -> int:
    """Return how many rows there are; files are read for it."""
    known = stream.rounds
    return sum(len(rounds[0]) for rounds in stream.blocks()) if known is None else known


def _parts(total: int, count: int) -> list[tuple[int, int]]:
    """Return [start, stop) of each of so many parts: item k is in part ⌊k·count/total⌋."""
    if total < count:
        raise InputError(
            f"shards: expected at most {total}, a row for each, got {count}. Use fewer shards."
        )
    ends = [-(-k * total // count) for k in range(count + 1)]
    return [*pairwise(ends)]
