"""Rows for learners of finite classes, with the points they stand for."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novikoff.classes.finite_class import FiniteClass, zeros_and_ones
from novikoff.errors import InputError
from novikoff.streams import Block, NamedBlock, PointBlock
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.stream import Rounds, Stream


class PointRows(SparseBlock):
    """Points of a class as rows: their vectors on a cube, else a 1 at the point's number.

    Anything else becomes a row that is refused with the reason when it is met.
    """

    def __init__(self, H: FiniteClass, given: Block) -> None:
        if isinstance(given, NamedBlock):
            raise InputError("x: expected points of the class, got named features. Pass points.")
        self.points: list[int] = []
        self.faults: dict[int, str] = {}
        indices: list[int] = []
        values: list[float] = []
        starts = [0]
        for t in range(len(given)):
            try:
                point = H.locate(given.row(t))
            except InputError as error:
                self.faults[t] = str(error).removeprefix("x: ")
                self.points.append(-1)
                indices.append(0)
                values.append(np.nan)
            else:
                self.points.append(point)
                ones = [point] if H.cube is None else [j for j in range(H.cube) if point >> j & 1]
                indices += ones
                values += [1.0] * len(ones)
            starts.append(len(indices))
        width = max(1, len(H.points) if H.cube is None else H.cube)
        super().__init__(
            np.array(starts, np.int64), np.array(indices, np.int64), np.array(values), width
        )

    def row(self, t: int) -> Any:
        """Return the number of the point."""
        return self.points[t]

    def features(self) -> SparseBlock:
        """Return the rows without their points."""
        return SparseBlock(self.starts, self.indices, self.values, self.columns)

    def part(self, start: int, stop: int) -> SparseBlock:
        """Return rows [start, stop)."""
        twin = super().part(start, stop)
        twin.__class__ = PointRows
        assert isinstance(twin, PointRows)
        twin.points = self.points[start:stop]
        twin.faults = {t - start: why for t, why in self.faults.items() if start <= t < stop}
        return twin

    def fault(self, t: int) -> str:
        """Say why row t is not a point."""
        return self.faults.get(t) or super().fault(t)


class PointStream(Stream):
    """A stream whose points, given by number, name or vector, become rows."""

    def __init__(self, H: FiniteClass, stream: Stream) -> None:
        self.H, self.stream, self.name = H, stream, stream.name
        self.positive, self.replayable = stream.positive, stream.replayable

    def blocks(self) -> Iterator[Rounds]:
        """Yield the same rounds."""
        for rounds in self.stream.blocks():
            found = Rounds(*rounds)
            yield found._replace(rows=self._rows(found.rows))

    def _rows(self, given: Block) -> Block:
        try:
            rows = PointRows(self.H, given)
        except InputError:
            return given
        return given if rows.faults else rows.features()


class CubeRows(DenseBlock):
    """Vectors of zeros and ones; any other vector is refused with the reason when it is met."""

    def __init__(self, d: int, given: Block) -> None:
        if isinstance(given, (NamedBlock, PointBlock)):
            raise InputError(
                f"x: expected vectors of {d} zeros and ones, got others. Pass vectors."
            )
        rows = np.zeros((len(given), d))
        self.faults: dict[int, str] = {}
        for t in range(len(given)):
            try:
                rows[t] = zeros_and_ones(given.row(t), d)
            except InputError as error:
                self.faults[t] = str(error).removeprefix("x: ")
                rows[t, 0] = np.nan
        super().__init__(rows)

    def part(self, start: int, stop: int) -> DenseBlock:
        """Return rows [start, stop)."""
        twin = super().part(start, stop)
        twin.__class__ = CubeRows
        assert isinstance(twin, CubeRows)
        twin.faults = {t - start: why for t, why in self.faults.items() if start <= t < stop}
        return twin

    def fault(self, t: int) -> str:
        """Say why row t is not a point."""
        return self.faults.get(t) or super().fault(t)
