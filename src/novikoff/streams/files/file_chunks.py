"""Chunks of files as blocks of rows."""

from functools import cached_property

from novikoff import _core
from novikoff.streams.blocks.block import SparseBlock
from novikoff.streams.blocks.named import NamedBlock


def numbered_block(chunk: _core.Chunk) -> SparseBlock:
    """Return the rows of a chunk whose features are numbered, without a copy."""
    return SparseBlock(chunk.starts, chunk.indices, chunk.values, chunk.columns, chunk.width)


class ChunkBlock(NamedBlock):
    """Rows of a chunk whose features are named."""

    def __init__(self, chunk: _core.Chunk, rows: int, first: int = 0) -> None:
        self.chunk, self.count, self.first = chunk, rows, first

    @cached_property
    def rows(self) -> list[dict[str, object]]:  # type: ignore[override]
        """The rows as dicts."""
        return [self.row(t) for t in range(self.count)]

    def __len__(self) -> int:
        return self.count

    @property
    def values_per_row(self) -> int:
        """How many values a row holds, on average."""
        return len(self.chunk.values) // max(self.chunk.rows, 1)

    def row(self, t: int) -> dict[str, object]:
        """Return row t as a dict."""
        return self.chunk.row(self.first + t)

    def part(self, start: int, stop: int) -> "ChunkBlock":
        """Return rows [start, stop), without a copy."""
        return ChunkBlock(self.chunk, stop - start, self.first + start)

    def numbered(
        self, features: _core.Features, start: int, stop: int, *, adopt: bool
    ) -> SparseBlock:
        """Return rows [start, stop) by the ids of their names, up to the first refused row."""
        start, stop = self.first + start, self.first + stop
        starts, indices, values = self.chunk.number(features, start, stop, adopt)
        columns = max(int(indices.max(initial=-1)) + 1, len(features))
        return SparseBlock(starts, indices, values, columns)

    def fault(self, t: int) -> str:
        """Say why row t is refused: a file's values are finite, so only their size can be wrong."""
        return self.otherwise
