"""Comparators for many classes: the U that makes L(U) + ½ Σ_i λ_i Σ_k U_ki² least.

L(U) = Σ_t ln Σ_k e^{(U_k − U_{y_t})·x_t}. This is ℓ2-regularised multinomial regression with one λ
per column. The core solves it by Newton's method, and then measures the U it found: the loss and
the penalty from above, and from the dual how much smaller the least value could be.
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

_PRODUCTS = 10**12  # of a value with a class, before the search gives up
_PASSES = (500, 20_000)  # at least, and at most
_FINEST = 1e-15  # the least part of the value that floats can tell
_SECONDS = 0.1  # between two looks at Ctrl-C


@dataclass(frozen=True)
class SoftmaxComparator:
    """A U, and what it makes of the rounds: proved bounds, rounded outward."""

    w: FloatArray
    """A row for every feature, a column for every class."""
    bias_weights: FloatArray
    loss: float
    """L(U)."""
    penalty: float
    """½ Σ λ_i U_ki²."""
    gap: float
    """How far below loss + penalty the least value may lie; infinite if a λ is out of range."""

    @property
    def value(self) -> float:
        """Return loss + penalty."""
        return self.loss + self.penalty

    @property
    def triples(self) -> list[list[float]]:
        """[class, index, weight] of every weight that is not 0; index −1: the constant's."""
        w = np.vstack([self.bias_weights.reshape(1, -1), self.w])
        j, k = np.nonzero(w)
        triples = zip(k.tolist(), (j - 1).tolist(), w[j, k].tolist(), strict=True)
        return [list(triple) for triple in triples]


class SoftmaxRows:
    """The rounds of one pass, in blocks, with class ids as labels, and the λ of every column."""

    def __init__(
        self,
        blocks: Iterable[tuple[ArrayBlock, AnyArray]],
        lambdas: FloatArray,
        classes: int,
        *,
        bias: float = 0.0,
        bias_lambda: float = 1.0,
    ) -> None:
        self.blocks = list(blocks)
        self.classes = classes
        self.count = sum(len(block) for block, _ in self.blocks)
        columns = max((block.columns for block, _ in self.blocks), default=0)
        self.lambdas = np.ones(max(columns, len(lambdas)))
        """A column that no λ is given for has no value but 0, and any λ will do."""
        self.lambdas[: len(lambdas)] = lambdas
        self.bias, self.bias_lambda = bias, bias_lambda

    def best(self, tolerance: float = 1e-6, watch: Watch = lambda: None) -> SoftmaxComparator:
        """Return a U whose gap is at most tolerance · value, unless the search takes too long.

        It stops early if floats can tell no better U. Ctrl-C ends the search with the U found so
        far; a second one is raised.
        """
        solver, aim = self._solver(), tolerance / 2
        most = int(np.clip(_PRODUCTS // (self.values * self.classes), *_PASSES))
        while True:
            try:
                while not solver.descend(aim, _SECONDS, most):
                    watch()
                    if solver.passes >= most or solver.stuck:
                        break
            except KeyboardInterrupt:
                most = 0
            constant, w = solver.w()
            found = self.measured(w, constant)
            if found.gap <= tolerance * found.value:
                return found
            aim /= 8
            if solver.passes >= most or solver.stuck or aim < _FINEST or math.isinf(found.gap):
                return self._no_worse_than_0(found)

    @property
    def values(self) -> int:
        """How many values there are about, the constant feature's included, 1 or more."""
        return 1 + sum(len(block) * (1 + block.values_per_row) for block, _ in self.blocks)

    def measured(self, w: FloatArray, bias_weights: FloatArray) -> SoftmaxComparator:
        """Measure any U; features it does not know weigh 0, and so does what is not finite."""
        whole = np.zeros((len(self.lambdas), self.classes))
        whole[: len(w)] = np.where(np.isfinite(w), w, 0.0)
        constant = np.where(np.isfinite(bias_weights), bias_weights, 0.0)
        m = _core.SoftmaxMeasures(
            whole, constant, self.lambdas, self.bias_lambda, self.bias, self.count
        )
        for block, labels in self.blocks:
            m.add(block.native, labels)
        return SoftmaxComparator(whole, constant, m.loss, m.penalty, m.gap)

    def _no_worse_than_0(self, found: SoftmaxComparator) -> SoftmaxComparator:
        """Return U, or 0 if its value, T ln C, is less: a search that stops early may be there."""
        if found.value <= self.count * math.log(self.classes):
            return found
        nothing = self.measured(np.zeros((0, self.classes)), np.zeros(self.classes))
        return min(found, nothing, key=lambda one: one.value)

    def leads(self, found: SoftmaxComparator) -> FloatArray:
        """By how much the right class of every row leads every other, in plain floats."""
        leads = []
        for block, labels in self.blocks:
            scores = np.column_stack([self._scores(block, found, k) for k in range(self.classes)])
            rows = np.arange(len(scores))
            own = scores[rows, labels]
            scores[rows, labels] = -np.inf
            leads.append(own - scores.max(axis=1))
        return np.concatenate(leads) if leads else np.zeros(0)

    def _scores(self, block: ArrayBlock, found: SoftmaxComparator, k: int) -> FloatArray:
        w, constant = np.ascontiguousarray(found.w[:, k]), float(found.bias_weights[k])
        scores: FloatArray = _core.linear_scores(block.native, w, constant, self.bias)[0]
        return scores

    def _solver(self) -> _core.SoftmaxRegression:
        solver = _core.SoftmaxRegression(self.lambdas, self.bias_lambda, self.bias, self.classes)
        for block, labels in self.blocks:
            taken = solver.add(block.native, labels)
            if taken < len(block):
                raise InputError(f"row {taken + 1}: {block.fault(taken)}")
        return solver
