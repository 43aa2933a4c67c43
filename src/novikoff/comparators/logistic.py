"""Comparators for learners of the logistic loss: the u that makes L(u) + ½ Σ_i λ_i u_i² least.

L(u) = Σ_t ln(1 + e^{−y_t u·x_t}). This is ℓ2-regularised logistic regression with one λ per column;
the core solves its dual (yu2011) and then measures the u it found: the loss and the penalty from
above, and from the dual how much smaller the least value could be.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from novikoff import _core
from novikoff.comparators.soft_margin import Watch
from novikoff.errors import InputError
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray

_VISITS = 10**9  # of rows, before the search gives up
_PASSES = (200, 20_000)  # at least, and at most
_STAGE = 500  # passes; the gap must halve whenever they double from there
_FINEST = 1e-15  # the least part of the value that floats can tell
_SECONDS = 0.1  # between two looks at Ctrl-C


@dataclass(frozen=True)
class LogisticComparator:
    """A u, and what it makes of the rounds: proved bounds, rounded outward."""

    w: FloatArray
    bias_weight: float
    loss: float
    """L(u)."""
    penalty: float
    """½ Σ λ_i u_i²."""
    gap: float
    """How far below loss + penalty the least value may lie; infinite if a λ is out of range."""

    @property
    def value(self) -> float:
        """Return loss + penalty."""
        return self.loss + self.penalty

    @property
    def pairs(self) -> list[list[float]]:
        """[index, weight] of every weight that is not 0; the index of the constant's is −1."""
        constant: list[list[float]] = [[-1, self.bias_weight]] if self.bias_weight else []
        return constant + [[int(j), float(self.w[j])] for j in np.flatnonzero(self.w)]


class LogisticRows:
    """The rounds of one pass, in blocks, with labels −1 and +1, and the λ of every column."""

    def __init__(
        self,
        blocks: Iterable[tuple[ArrayBlock, AnyArray]],
        lambdas: FloatArray,
        *,
        bias: float = 0.0,
        bias_lambda: float = 1.0,
    ) -> None:
        self.blocks = list(blocks)
        self.count = sum(len(block) for block, _ in self.blocks)
        columns = max((block.columns for block, _ in self.blocks), default=0)
        self.lambdas = np.ones(max(columns, len(lambdas)))
        """A column that no λ is given for has no value but 0, and any λ will do."""
        self.lambdas[: len(lambdas)] = lambdas
        self.bias, self.bias_lambda = bias, bias_lambda

    def best(self, tolerance: float = 1e-6, watch: Watch = lambda: None) -> LogisticComparator:
        """Return a u whose gap is at most tolerance · value, unless the search takes too long.

        It stops early if the gap is infinite or hardly shrinks, because more passes would prove
        little more. Ctrl-C ends the search with the u found so far; a second one is raised.
        """
        solver, aim = self._solver(), tolerance / 2
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
            found = self.measured(*_finite(*solver.w()), solver.alphas())
            if found.gap <= tolerance * found.value:
                return found
            if solver.passes < stage:
                aim /= 8
            elif found.gap <= before / 2:
                before, stage = found.gap, min(2 * stage, most)
            else:
                most = 0
            if solver.passes >= most or aim < _FINEST or math.isinf(found.gap):
                return self._no_worse_than_0(found, solver.alphas())

    def measured(
        self, w: FloatArray, bias_weight: float, alphas: FloatArray | None = None
    ) -> LogisticComparator:
        """Measure any u; features it does not know weigh 0. ``alphas`` make the dual value."""
        whole = np.zeros(len(self.lambdas))
        whole[: len(w)] = w
        m = _core.LogisticMeasures(
            whole, bias_weight, self.lambdas, self.bias_lambda, self.bias, self.count
        )
        start = 0
        for block, labels in self.blocks:
            stop = start + len(block)
            m.add(block.native, labels, None if alphas is None else alphas[start:stop])
            start = stop
        return LogisticComparator(whole, bias_weight, m.loss, m.penalty, m.gap)

    def _no_worse_than_0(self, found: LogisticComparator, alphas: FloatArray) -> LogisticComparator:
        """Return u, or 0 if its value, T ln 2, is less: a search that stops early may be there."""
        if found.value <= self.count * math.log(2):
            return found
        return min(found, self.measured(np.zeros(0), 0.0, alphas), key=lambda one: one.value)

    def margins(self, found: LogisticComparator) -> FloatArray:
        """y_t u·x_t of every row, in plain floats."""
        margins = [
            _core.linear_scores(block.native, found.w, found.bias_weight, self.bias)[0] * labels
            for block, labels in self.blocks
        ]
        return np.concatenate(margins) if margins else np.zeros(0)

    def _solver(self) -> _core.LogisticRegression:
        solver = _core.LogisticRegression(self.lambdas, self.bias_lambda, self.bias)
        for block, labels in self.blocks:
            taken = solver.add(block.native, labels)
            if taken < len(block):
                raise InputError(f"row {taken + 1}: {block.fault(taken)}")
        return solver


def _finite(bias_weight: float, w: FloatArray) -> tuple[FloatArray, float]:
    """Return u with 0 for a weight that is beyond float64: any u gives a bound."""
    return np.where(np.isfinite(w), w, 0.0), bias_weight if np.isfinite(bias_weight) else 0.0
