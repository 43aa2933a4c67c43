"""Comparators for learners of losses: the u that makes L(u) + ½ Σ_i λ_i u_i² least.

L(u) = Σ_t ℓ_t(u·x_t), with one of the losses ``logistic``, ``hinge``, ``squared`` (y − s)² and
``absolute`` |y − s|. Newton's method or dual coordinate descent (hsieh2008, yu2011) finds it, and
then the core measures it: the loss and the penalty from above, and from the dual a value that no u
is below. The dual bounds the loss together with its penalty, not the loss alone.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from novikoff import _core
from novikoff.comparators.newton import CURVES, NewtonSearch
from novikoff.comparators.soft_margin import Watch
from novikoff.errors import InputError, parameter
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray

_VISITS = 10**9  # of rows, before the search gives up
_PASSES = (200, 20_000)  # at least, and at most
_STAGE = 500  # passes; whenever they double from there, the gap must shrink
_SHRINKS = 0.5, math.inf  # to this share; kinks of a loss may hold it up for a long time
_FINEST = 1e-15  # the least part of the value that floats can tell
_PULLED = 1e-9  # of the value: a finer u gains nothing worth a step
_SECONDS = 0.1  # between two looks at Ctrl-C

Loss = Literal["logistic", "hinge", "squared", "absolute"]
"""Of a score s: ln(1 + e^{−ys}), max(0, 1 − ys), (y − s)² or |y − s|."""


@dataclass(frozen=True)
class Comparator:
    """Fixed weights to compare a learner with, and what they lose on the same rounds.

    All numbers are proved bounds, rounded outward.
    """

    w: FloatArray
    bias_weight: float
    loss: float
    """L(u)."""
    penalty: float
    """½ Σ λ_i u_i²."""
    gap: float
    """How far below loss + penalty the least value may lie; infinite if a λ is out of range."""
    least: float
    """No u has a loss plus penalty below this; 0 if nothing better is proved."""

    @property
    def value(self) -> float:
        """The loss plus the penalty."""
        return self.loss + self.penalty

    @property
    def pairs(self) -> list[list[float]]:
        """[index, weight] of every weight that is not 0; the index of the constant's is −1."""
        constant: list[list[float]] = [[-1, self.bias_weight]] if self.bias_weight else []
        return constant + [[int(j), float(self.w[j])] for j in np.flatnonzero(self.w)]


class Solver(Protocol):
    """Dual coordinate descent in the core."""

    @property
    def passes(self) -> int:
        """Passes over the rows so far."""

    def add(self, block: _core.Block, labels: AnyArray) -> int:
        """Take the rows of a block; return their number, or the first row refused."""

    def descend(self, tolerance: float, seconds: float, passes: int) -> bool:
        """Work on; say whether the gap seems to be at most tolerance · value."""

    def w(self) -> tuple[float, FloatArray]:
        """Return the weight of the constant feature and the others."""

    def alphas(self) -> FloatArray:
        """Return the dual point, one α for each row."""


class Measures(Protocol):
    """Bounds for one u, gathered over blocks."""

    @property
    def loss(self) -> float:
        """L(u) from above."""

    @property
    def penalty(self) -> float:
        """½ Σ λ_i u_i² from above."""

    @property
    def gap(self) -> float:
        """Loss + penalty − least."""

    @property
    def least(self) -> float:
        """The dual value from below."""

    def add(self, block: _core.Block, labels: AnyArray, alphas: FloatArray | None) -> None:
        """Include the rows of a block."""


class _Core(NamedTuple):
    """The core's part for one loss, and the labels that it takes."""

    solver: Callable[[FloatArray, float, float], Solver]
    measures: Callable[[FloatArray, float, FloatArray, float, float, int], Measures]
    labels: type[np.int8 | np.float64]


_CORES: dict[Loss, _Core] = {
    "logistic": _Core(_core.LogisticRegression, _core.LogisticMeasures, np.int8),
    "hinge": _Core(_core.HingeRegression, _core.HingeMeasures, np.int8),
    "squared": _Core(_core.SquaredRegression, _core.SquaredMeasures, np.float64),
    "absolute": _Core(_core.AbsoluteRegression, _core.AbsoluteMeasures, np.float64),
}


class PenalisedRows:
    """The rounds of one pass, in blocks, and the λ of every column.

    Labels are −1 and +1 for the logistic and the hinge loss, any numbers for the other two.
    """

    def __init__(
        self,
        blocks: Iterable[tuple[ArrayBlock, AnyArray]],
        lambdas: FloatArray,
        *,
        loss: Loss = "logistic",
        bias: float = 0.0,
        bias_lambda: float = 1.0,
    ) -> None:
        if loss not in _CORES:
            raise parameter("loss", f"one of {', '.join(_CORES)}", loss)
        self.loss: Loss = loss
        self._core = _CORES[loss]
        self.blocks = [(block, y.astype(self._core.labels, copy=False)) for block, y in blocks]
        self.count = sum(len(block) for block, _ in self.blocks)
        columns = max((block.columns for block, _ in self.blocks), default=0)
        self.lambdas = np.ones(max(columns, len(lambdas)))
        """A column that no λ is given for has no value but 0, and any λ will do."""
        self.lambdas[: len(lambdas)] = lambdas
        self.bias, self.bias_lambda = bias, bias_lambda

    def best(self, tolerance: float = 1e-6, watch: Watch = lambda: None) -> Comparator:
        """Return a u whose gap is at most tolerance · value, unless the search takes too long.

        It stops early if the gap is infinite or hardly shrinks, because more passes would prove
        little more. Ctrl-C ends the search with the u found so far; a second one is raised.
        """
        solver = self._solver()  # which refuses rows that are no x
        curve = CURVES.get(self.loss)
        if curve is None or not self.blocks or not self._usable:
            return self.descended(solver, tolerance, watch)
        search = NewtonSearch(self, curve, watch)
        u = search.improved(tolerance / 2)
        found = self.measured(*_finite(float(u[0]), u[1:]))
        if search.stopped:
            return self._no_worse_than_0(found, None)
        if found.gap <= tolerance * found.value:
            return found
        other = self.descended(solver, tolerance, watch)
        return min(found, other, key=lambda one: one.gap)

    def pulled(self, pull: FloatArray, watch: Watch = lambda: None) -> Comparator:
        """Return a u that makes L(u) + ½ Σ λ_i u_i² − pull·u small; its gap is that without pull.

        The pull has the constant feature first. It is for losses with a second derivative.
        """
        whole = np.zeros(len(self.lambdas) + 1)
        whole[: len(pull)] = pull
        u = NewtonSearch(self, CURVES[self.loss], watch, whole).improved(_PULLED)
        return self.measured(*_finite(float(u[0]), u[1:]))

    @property
    def touched(self) -> AnyArray:
        """Whether each feature, the constant one first, has a value other than 0 in some row."""
        found = np.zeros(len(self.lambdas) + 1, bool)
        found[0] = self.bias != 0
        for block, _ in self.blocks:
            found[1 + block.entries().columns] = True
        return found

    def descended(self, solver: Solver, tolerance: float, watch: Watch) -> Comparator:
        """Search by dual coordinate descent, which needs no second derivative."""
        aim, shrinks = tolerance / 2, _SHRINKS[self.loss not in CURVES]
        most = int(np.clip(_VISITS // max(self.count, 1), *_PASSES))
        stage, before = min(_STAGE, most), math.inf
        while True:
            try:
                while not solver.descend(aim, _SECONDS, stage):
                    watch()
                    if solver.passes >= stage:
                        break
            except KeyboardInterrupt:
                most = 0
            bias_weight, w = solver.w()
            found = self.measured(*_finite(bias_weight, w), solver.alphas())
            if found.gap <= tolerance * found.value:
                return found
            if solver.passes < stage:
                aim /= 8
            elif found.gap <= shrinks * before:
                before, stage = found.gap, min(2 * stage, most)
            else:
                most = 0
            if solver.passes >= most or aim < _FINEST or math.isinf(found.gap):
                return self._no_worse_than_0(found, solver.alphas())

    @property
    def _usable(self) -> bool:
        """Whether no λ is out of range for the core."""
        all_of_them = np.append(self.lambdas, self.bias_lambda)
        return bool(np.all((all_of_them >= 2.0**-900) & (all_of_them <= 2.0**900)))

    def measured(
        self, w: FloatArray, bias_weight: float, alphas: FloatArray | None = None
    ) -> Comparator:
        """Measure any u; features it does not know weigh 0. ``alphas`` make the dual value."""
        whole = np.zeros(len(self.lambdas))
        whole[: len(w)] = w
        m = self._core.measures(
            whole, bias_weight, self.lambdas, self.bias_lambda, self.bias, self.count
        )
        start = 0
        for block, labels in self.blocks:
            stop = start + len(block)
            m.add(block.native, labels, None if alphas is None else alphas[start:stop])
            start = stop
        return Comparator(whole, bias_weight, m.loss, m.penalty, m.gap, max(m.least, 0.0))

    def _no_worse_than_0(self, found: Comparator, alphas: FloatArray | None) -> Comparator:
        """Return u, or 0 if its value is less: a search that stops early may be there."""
        zero = self.measured(np.zeros(0), 0.0, alphas)
        return zero if zero.value < found.value else found

    def scores(self, found: Comparator) -> FloatArray:
        """u·x_t of every row, in plain floats."""
        scores = [
            _core.linear_scores(block.native, found.w, found.bias_weight, self.bias)[0]
            for block, _ in self.blocks
        ]
        return np.concatenate(scores) if scores else np.zeros(0)

    def margins(self, found: Comparator) -> FloatArray:
        """y_t u·x_t of every row, in plain floats."""
        labels = [labels for _, labels in self.blocks]
        return self.scores(found) * np.concatenate(labels) if labels else np.zeros(0)

    def _solver(self) -> Solver:
        solver = self._core.solver(self.lambdas, self.bias_lambda, self.bias)
        for block, labels in self.blocks:
            taken = solver.add(block.native, labels)
            if taken < len(block):
                raise InputError(f"row {taken + 1}: {block.fault(taken)}")
        return solver


def _finite(bias_weight: float, w: FloatArray) -> tuple[FloatArray, float]:
    """Return u with 0 for a weight that is beyond float64: any u gives a bound."""
    return np.where(np.isfinite(w), w, 0.0), bias_weight if math.isfinite(bias_weight) else 0.0
