"""Points of a finite domain: rows that are a number or a name, and have no features."""

from collections.abc import Sequence
from typing import SupportsIndex, TypeGuard

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.streams.blocks.block import Block, SparseBlock
from novikoff.streams.blocks.named import NamedBlock
from novikoff.types import AnyArray

Point = int | str
GivenPoint = SupportsIndex | str
"""A point as the user gives it: its number, an int or one of NumPy's, or its name."""


def is_point(x: object) -> TypeGuard[GivenPoint]:
    """Say whether x is a point's number or its name."""
    return isinstance(x, (int, np.integer, str)) and not isinstance(x, bool)


class PointBlock(Block):
    """Points, each by its number or its name.

    A learner of a finite class turns them into rows (``fitting``). For any other learner they are
    rows with a single 1, at the point's number or under its name.
    """

    dense = False
    columns = 0

    def __init__(self, points: Sequence[GivenPoint]) -> None:
        self.points: list[Point] = [x if isinstance(x, str) else int(x) for x in points]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def values_per_row(self) -> int:
        """One: the point."""
        return 1

    def row(self, t: int) -> Point:
        """Return the point itself."""
        return self.points[t]

    def part(self, start: int, stop: int) -> "PointBlock":
        """Return rows [start, stop)."""
        return PointBlock(self.points[start:stop])

    def copy(self) -> "PointBlock":
        """Return the same points."""
        return PointBlock(self.points)

    def played(self, t: int, features: _core.Features) -> tuple[_core.Block, int] | None:
        """Return (rows in the core, which of them row t is); None if row t is refused."""
        return self._marked(t).played(0, features)

    def digest_bytes(
        self, features: _core.Features, codes: AnyArray, start: int, stop: int
    ) -> bytes:
        """Return the bytes of these rounds that the digest covers."""
        rows = range(start, stop)
        return b"".join(
            self._marked(t).digest_bytes(features, codes[t : t + 1], 0, 1) for t in rows
        )

    def fault(self, t: int) -> str:
        """Say why the core refuses row t."""
        return self._marked(t).fault(0)

    def refusal(self) -> InputError:
        """Return the error for a learner that needs features."""
        text = isinstance(self.points[0], str)
        return InputError(
            f"x: expected one dimension, of features, got {self.points[0]!r}. "
            + (
                "Turn text into features with nv.Words().features(text), or pass "
                if text
                else "Pass "
            )
            + "a vector, a pair (indices, values) or a dict; put a single example in a list."
        )

    def marked(self) -> Block:
        """Return rows with a single 1 each, under the point's name if points have names."""
        if any(isinstance(x, str) for x in self.points):
            return NamedBlock([{str(x): 1.0} for x in self.points])
        return marked_rows([int(x) for x in self.points])

    def _marked(self, t: int) -> Block:
        point = self.points[t]
        return NamedBlock([{point: 1.0}]) if isinstance(point, str) else marked_rows([point])


def marked_rows(points: list[int], columns: int | None = None) -> SparseBlock:
    """Return rows with a single 1 each, at these places."""
    indices = np.array(points, np.int64)
    width = int(indices.max(initial=-1)) + 1 if columns is None else columns
    starts = np.arange(len(points) + 1, dtype=np.int64)
    return SparseBlock(starts, indices, np.ones(len(points)), max(width, 0))
