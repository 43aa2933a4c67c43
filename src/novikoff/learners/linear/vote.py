"""Votes of many halfspaces: h(x) = sgn Σ_k c_k sgn(w_k·x)."""

from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError
from novikoff.learners.hypothesis import (
    State,
    checked_labels,
    finite,
    finite_number,
    whole,
)
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of, number_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

_MULTIPLICATIONS = 2**28  # per slice of rows: about a tenth of a second


class Vote(RowHypothesis):
    """What ``VotedPerceptron`` has learned: all of its weights vote.

    h(x) = sgn Σ_k c_k sgn(w_k·x), with sgn(0) = +1; every sign is exact.

    w_0 is ``base`` and each w_k is w_{k−1} plus row k of ``steps`` (compressed sparse rows:
    starts, indices, values; index −1 is the constant feature). ``counts`` holds c_0, c_1, ….
    Scoring n rows costs n times the stored steps: no w_k is ever formed.
    """

    def __init__(
        self,
        base: npt.ArrayLike,
        steps: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
        counts: npt.ArrayLike,
        bias: float | None = None,
        base_bias: float = 0.0,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.base = finite("base", base, 1)
        if len(steps) != 3:
            raise InputError(
                f"steps: expected starts, indices and values, got {len(steps)} arrays. Pass three."
            )
        self.steps = (
            whole("starts", steps[0], np.int64),
            whole("indices", steps[1], np.int32),
            finite("values", steps[2], 1),
        )
        self.counts = finite("counts", counts, 1)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.base_bias = finite_number("base_bias", base_bias)
        self.labels = checked_labels(labels, 2)
        self.features = features
        try:
            self._electorate = _core.electorate(
                self.bias or 0.0, self.base_bias, self.base, *self.steps, self.counts
            )
        except ValueError as error:
            raise InputError(f"steps: expected {error}, got others. Check the arrays.") from None

    def __len__(self) -> int:
        """How many halfspaces vote."""
        return int(np.count_nonzero(self.counts))

    def __repr__(self) -> str:
        return f"Vote({len(self)} halfspaces of {len(self.base)} features, {self.nbytes} bytes)"

    @property
    def nbytes(self) -> int:
        """The memory of base, steps and counts."""
        return sum(a.nbytes for a in (self.base, *self.steps, self.counts))

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.base)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same vote with these labels, (that of −1, that of +1)."""
        return type(self)(
            self.base, self.steps, self.counts, self.bias, self.base_bias, labels, self.features
        )

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return np.where(self._native_scores(block) >= 0, 1, -1)

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        scores = np.zeros(len(block))
        # Slices, so that Ctrl-C is heard between two of them.
        rows = max(1, _MULTIPLICATIONS // max(len(self.steps[2]) + len(self.base), 1))
        for start in range(0, len(block), rows):
            stop = min(start + rows, len(block))
            part, done = self._electorate.votes(block.native, start, stop)
            if done < stop:
                raise InputError(f"row {done + 1}: {block.fault(done)}")
            scores[start:stop] = part
        return scores

    def _state(self) -> State:
        starts, indices, values = self.steps
        arrays = {"base": self.base, "starts": starts, "indices": indices, "values": values}
        return {"bias": self.bias, "base_bias": self.base_bias}, arrays | {"counts": self.counts}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        steps = (arrays["starts"], arrays["indices"], arrays["values"])
        bias, base_bias = bias_of(metadata), number_of(metadata, "base_bias")
        return cls(arrays["base"], steps, arrays["counts"], bias, base_bias, labels)
