"""Members of a finite class."""

from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff.classes import FiniteClass, as_class
from novikoff.classes.point_rows import PointRows
from novikoff.errors import InputError
from novikoff.learners.hypothesis import State, checked_labels
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.streams import ArrayBlock, Block
from novikoff.types import AnyArray, Arrays, Fields, Label


class Member(RowHypothesis):
    """A sign at every point of a finite class: one of its hypotheses, or a majority of several.

    ``member`` is its name or number in H; None if no hypothesis of H has these signs.
    """

    features = None

    def __init__(
        self, H: FiniteClass, signs: npt.ArrayLike, labels: tuple[Label, ...] = ()
    ) -> None:
        self.H = H
        self.signs = np.array(signs, np.int8)
        if self.signs.shape != (len(H.points),) or not np.isin(self.signs, (-1, 1)).all():
            raise InputError(
                f"signs: expected −1 or +1 for each of {len(H.points)} points, got {signs!r}. "
                "Name every one."
            )
        self.signs.flags.writeable = False
        self.labels = checked_labels(labels, 2)

    def __repr__(self) -> str:
        return f"Member({'none' if self.member is None else self.member} of {self.H!r})"

    @property
    def member(self) -> str | int | None:
        """The hypothesis of H with these signs; None if there is none."""
        found = (1 << len(self.H)) - 1
        for column, sign in zip(self.H.bitsets, self.signs.tolist(), strict=True):
            found &= column if sign > 0 else ~column
        return self.H.hypotheses[found.bit_length() - 1] if found else None

    @property
    def dimension(self) -> int:
        """The number of features: the variables of a cube, else one per point."""
        return len(self.H.points) if self.H.cube is None else self.H.cube

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels."""
        return type(self)(self.H, self.signs, labels)

    def _fitting(self, block: Block) -> ArrayBlock:
        rows = PointRows(self.H, block)
        for t, why in rows.faults.items():
            raise InputError(f"row {t + 1}: {why}")
        return rows

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        assert isinstance(block, PointRows)
        found: AnyArray = self.signs[np.array(block.points, np.int64)]
        return found

    def _native_scores(self, block: ArrayBlock) -> AnyArray:
        return self._native_predictions(block).astype(np.float64)

    def _state(self) -> State:
        return {"H": self.H.plain}, {"signs": self.signs}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        H = as_class(metadata["H"])
        assert isinstance(H, FiniteClass)
        return cls(H, arrays["signs"], labels)
