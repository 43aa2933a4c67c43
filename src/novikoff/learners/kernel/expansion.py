"""Expansions in a kernel: h(x) = sgn Σ_i a_i K(x_i, x), and votes of many of them."""

from collections.abc import Iterator
from math import inf, isfinite, sqrt
from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError
from novikoff.kernels import Kernel, Points, Supports, as_kernel, points
from novikoff.kernels.decisions import signs, winners
from novikoff.kernels.exact import Row
from novikoff.kernels.supports import Device
from novikoff.learners.hypothesis import (
    State,
    checked_labels,
    finite,
    finite_number,
    whole,
)
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of
from novikoff.streams import ArrayBlock, as_block
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

_ROWS = 256  # rows scored at once
_VALUES = 2**23  # prefixes of votes, at once


class KernelExpansion(RowHypothesis):
    """What a kernel perceptron has learned, frozen: some examples with their coefficients.

    h(x) = sgn Σ_i a_i K(x_i, x), with sgn(0) = +1; with classes, argmax_k Σ_i a_ik K(x_i, x).

    Ties go to the first class. Decisions are exact for the given coefficients.
    ``points`` are the x_i; ``coefficients`` has one number for each, or a row with one per class.
    """

    def __init__(
        self,
        kernel: object,
        points: object,
        coefficients: npt.ArrayLike,
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.kernel = as_kernel(kernel)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.supports = _as_supports(self.kernel, points, self.bias)
        several = np.ndim(coefficients) == 2
        self.coefficients = finite("coefficients", coefficients, 2 if several else 1)
        if len(self.coefficients) != len(self.supports):
            raise InputError(
                f"coefficients: expected one for each of {len(self.supports)} points, got "
                f"{len(self.coefficients)}. Pass as many."
            )
        self.multiclass = several
        self.labels = _fitted_labels(labels, self.coefficients)
        self.features = features

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.supports)} supports, {self.kernel})"

    def __len__(self) -> int:
        """How many supports there are."""
        return len(self.supports)

    @property
    def nbytes(self) -> int:
        """The memory of supports and coefficients."""
        return self.supports.nbytes + self.coefficients.nbytes

    @property
    def norm(self) -> float:
        """The length of the weights, ‖w‖ = √(aᵀKa), over all classes."""
        if len(self.supports) == 0:
            return 0.0
        everything, a = self.supports.chosen(slice(0, len(self.supports))), self._columns
        image = self.supports.scores(everything, None, a)[0]
        with np.errstate(all="ignore"):
            square = float((a * image).sum())
        return sqrt(max(0.0, square)) if isfinite(square) else inf

    @property
    def dimension(self) -> int:
        """The number of features."""
        return self.supports.width

    @property
    def _columns(self) -> FloatArray:
        return self.coefficients if self.multiclass else self.coefficients[:, None]

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels."""
        kernel, supports, a = self.kernel, self.supports, self.coefficients
        return type(self)(kernel, supports, a, self.bias, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        found, a = np.zeros(len(block), np.int64), self._columns
        judge = winners if self.multiclass else signs
        for start, x in self._parts(block, _ROWS):
            scores = self.supports.scores(x, None, a)
            with np.errstate(all="ignore"):  # scores beyond float64 are decided exactly
                part = judge(self.supports, x, *scores, a)
            found[start : start + len(x)] = part if self.multiclass else part[:, 0]
        return found

    def _native_scores(self, block: ArrayBlock) -> AnyArray:
        found = np.zeros((len(block), self._columns.shape[1]))
        for start, x in self._parts(block, _ROWS):
            found[start : start + len(x)] = self.supports.scores(x, None, self._columns)[0]
        return found if self.multiclass else found[:, 0]

    def _parts(self, block: ArrayBlock, rows: int) -> Iterator[tuple[int, Points]]:
        for start in range(0, len(block), rows):
            stop = min(start + rows, len(block))
            x, done = points(block, start, stop, self.supports.bias)
            if done < stop:
                raise InputError(f"row {done + 1}: {block.fault(done)}")
            yield start, x

    def _state(self) -> State:
        metadata = {"kernel": self.kernel.plain, "bias": self.bias}
        return metadata, supports_state(self.supports) | {"coefficients": self.coefficients}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        supports = restored_supports(as_kernel(metadata["kernel"]), bias_of(metadata), arrays)
        a = arrays["coefficients"]
        return cls(supports.kernel, supports, a, bias_of(metadata), labels)


class KernelVote(KernelExpansion):
    """What the voted kernel perceptron has learned: all of its expansions vote.

    h(x) = sgn Σ_e c_e sgn(score_e(x)), a vote of expansions; with classes, argmax_k of votes.

    Expansion e of class k has the steps of class k up to e. ``votes`` are (steps, counts,
    zero_counts): steps holds rows (slot, class, value) in their order, counts holds the votes of
    the expansion after each step, and zero_counts those of the empty expansion, which votes +1, one
    per class. Every sign is exact.
    """

    def __init__(
        self,
        kernel: object,
        points: object,
        votes: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        steps, counts, zero_counts = votes
        self.steps = finite("steps", np.reshape(steps, (-1, 3)), 2)
        self.counts = finite("counts", counts, 1)
        several = np.ndim(zero_counts) == 1
        self.zero_counts = finite("zero_counts", zero_counts, 1 if several else 0)
        supports = _as_supports(as_kernel(kernel), points, bias)
        a = np.zeros((len(supports), self.zero_counts.size))
        slots, classes, values = self._split()
        within = (slots >= 0) & (slots < len(supports)) & (classes >= 0) & (classes < a.shape[1])
        if len(self.counts) != len(slots) or not within.all():
            raise InputError("steps: expected slots of points with a count each, got others.")
        np.add.at(a, (slots, classes), values)
        super().__init__(
            supports.kernel, supports, a if several else a[:, 0], bias, labels, features
        )

    def _split(self) -> tuple[AnyArray, AnyArray, FloatArray]:
        return self.steps[:, 0].astype(int), self.steps[:, 1].astype(int), self.steps[:, 2]

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same vote with these labels."""
        votes = (self.steps, self.counts, self.zero_counts)
        return type(self)(self.kernel, self.supports, votes, self.bias, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        found = self._native_scores(block)
        if not self.multiclass:
            return np.where(found >= 0, 1, -1)
        return found.argmax(axis=1) if found.shape[1] else np.zeros(len(found), np.int64)

    def _native_scores(self, block: ArrayBlock) -> AnyArray:
        slots, classes, values = self._split()
        found = np.tile(np.atleast_1d(self.zero_counts), (len(block), 1))
        rows = max(1, min(_ROWS, _VALUES // max(len(slots), 1)))
        supports = self.supports
        for start, x in self._parts(block, rows):
            gram = supports.matrix(x, supports.chosen(slice(0, len(supports))))
            part = found[start : start + len(x)]
            for k in range(part.shape[1]):
                mine = np.flatnonzero(classes == k)
                part[:, k] += self._votes(x, gram, slots[mine], values[mine]) @ self.counts[mine]
        return found if self.multiclass else found[:, 0]

    def _votes(
        self, x: Points, gram: FloatArray, slots: AnyArray, values: FloatArray
    ) -> FloatArray:
        """Return sgn of the expansion after each step, for every row."""
        with np.errstate(all="ignore"):
            prefixes = gram[:, slots]
            prefixes *= values
            np.cumsum(prefixes, axis=1, out=prefixes)
        found = np.where(prefixes >= 0, 1.0, -1.0)
        error = self.supports.sum_error(x, gram, slots, values)
        for t, e in np.argwhere(~(np.abs(prefixes) > error[:, None])).tolist():
            a = np.bincount(slots[: e + 1], values[: e + 1], len(self.supports))
            found[t, e] = 1.0 if self.supports.sign(x, t, a) >= 0 else -1.0
        return found

    def _state(self) -> State:
        metadata, arrays = super()._state()
        votes = {"steps": self.steps, "counts": self.counts, "zero_counts": self.zero_counts}
        return metadata, arrays | votes

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        supports = restored_supports(as_kernel(metadata["kernel"]), bias_of(metadata), arrays)
        zero_counts = arrays["zero_counts"]
        if arrays["coefficients"].ndim == 1:  # two labels; a file stores a number as a row of one
            zero_counts = zero_counts.reshape(())
        votes = (arrays["steps"], arrays["counts"], zero_counts)
        return cls(supports.kernel, supports, votes, bias_of(metadata), labels)


def _as_supports(kernel: Kernel, given: object, bias: float | None) -> Supports:
    """Take supports as they are, or the rows of a matrix, which must all differ."""
    if isinstance(given, Supports):
        return given
    block = as_block(given, "points")
    if not isinstance(block, ArrayBlock):
        raise InputError("points: expected numbered features, got named ones. Pass a matrix.")
    supports = Supports(kernel, bias)
    supports.grow(block.columns)
    x, done = points(block, 0, len(block), bias or 0.0)
    if done < len(block):
        raise InputError(f"points: row {done + 1}: {block.fault(done)}")
    for t in range(len(x)):
        if supports.find(x, t) is not None:
            raise InputError(f"points: expected each once, got row {t + 1} again. Add them up.")
        supports.put(x, t)
    return supports


def _fitted_labels(labels: tuple[Label, ...], a: FloatArray) -> tuple[Label, ...]:
    if a.ndim == 1:
        return checked_labels(labels, 2)
    return checked_labels(tuple(labels)[: a.shape[1]], a.shape[1])


def supports_state(supports: Supports) -> Arrays:
    """Return the examples as compressed sparse rows."""
    starts = np.cumsum([0] + [len(indices) for indices, _ in supports.rows], dtype=np.int64)
    return {
        "support_starts": starts,
        "support_indices": np.concatenate([np.zeros(0, np.int64), *(r[0] for r in supports.rows)]),
        "support_values": np.concatenate([np.zeros(0), *(r[1] for r in supports.rows)]),
        "support_width": np.array([supports.width], np.int64),
    }


def restored_supports(
    kernel: Kernel, bias: float | None, arrays: Arrays, device: Device | None = None
) -> Supports:
    """Take over what ``supports_state`` returned."""
    starts = whole("starts", arrays["support_starts"], np.int64)
    indices = whole("indices", arrays["support_indices"], np.int64)
    values = finite("values", arrays["support_values"], 1)
    width = int(arrays["support_width"][0])
    sound = len(starts) > 0 and starts[0] == 0 and (np.diff(starts) >= 0).all()
    if not (sound and starts[-1] == len(indices) == len(values)):
        raise ValueError("supports whose rows do not fit together")
    if not max(0, int(indices.max(initial=-1)) + 1) <= width <= _core.MAX_DIMENSION:
        raise ValueError("supports with indices beyond their width")
    ends = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    rows: list[Row] = [(indices[a:b], values[a:b]) for a, b in ends]
    supports = Supports(kernel, bias, device)
    supports.take(rows, width)
    return supports
