"""Comparators for the perceptron's theorems: w's that balance ‖w‖ against the hinge losses.

Every bound grows with ‖w‖² and with the losses, so its best w lies on the path of soft-margin
problems: for some cost C it minimises ½‖w‖² + C Σ_t max(0, 1 − y_t w·x_t), or the same with squared
losses. Dual coordinate descent in the core walks along that path; any w it finds gives a bound, and
its duality gap says how much a better one could gain.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.streams import ArrayBlock, Block
from novikoff.types import AnyArray, FloatArray, IntArray

_STEP = 4.0  # between two costs on the path
_SECONDS = 0.1  # between two looks at Ctrl-C
Watch = Callable[[], None]


@dataclass(frozen=True)
class Found:
    """A comparator, and what it makes of the rounds: proved bounds, rounded outward."""

    w: FloatArray
    bias_weight: float
    norm2: float
    hinge: float
    hinge2: float
    margin: float


class Rows:
    """The rounds of one pass, in blocks, with labels −1 and +1."""

    def __init__(self, blocks: list[tuple[ArrayBlock, AnyArray]], bias: float | None) -> None:
        self.blocks = blocks
        self.bias = bias or 0.0
        self.columns = max((block.columns for block, _ in blocks), default=0)
        self.count = sum(len(block) for block, _ in blocks)
        self.radius2 = self._measures(np.zeros(self.columns), 0.0).radius_square
        self.stopped = False
        """Whether Ctrl-C asked to make do with what is found."""

    def solver(self, cost: float, squared: bool) -> Any:
        """Return a solver of the soft-margin problem on these rows."""
        solver = _core.SoftMargin(cost, squared, abs(self.bias))
        for block, labels in self.blocks:
            taken = solver.add(block.native, labels)
            if taken < len(block):
                raise InputError(f"row {taken + 1}: {block.fault(taken)}")
        return solver

    def found(self, solver: Any) -> Found:
        """Measure the w a solver has."""
        bias_weight, w = solver.w()
        whole = np.zeros(self.columns)
        whole[: len(w)] = w
        return self.measured(whole, math.copysign(1.0, self.bias) * bias_weight)

    def measured(self, w: FloatArray, bias_weight: float) -> Found:
        """Measure any w."""
        m = self._measures(w, bias_weight)
        norm2 = _core.norm2(w, bias_weight)
        return Found(w, bias_weight, norm2, m.hinge, m.hinge_square, m.margin)

    def over(self, found: Found, rows: IntArray) -> tuple[float, float]:
        """Return (Σ hinge, Σ‖x‖²) over these rows, counted from 0, each as often as it is named."""
        m = _core.Measures(found.w, found.bias_weight, self.bias)
        start = 0
        for block, labels in self.blocks:
            inside = rows[(rows >= start) & (rows < start + len(block))] - start
            m.add_rows(block.native, labels, np.ascontiguousarray(inside))
            start += len(block)
        return m.hinge, m.energy

    def _measures(self, w: FloatArray, bias_weight: float) -> Any:
        m = _core.Measures(np.ascontiguousarray(w), bias_weight, self.bias)
        for block, labels in self.blocks:
            m.add(block.native, labels, 0, len(block))
        return m


class Path:
    """The solutions for costs on a geometric grid, found as they are asked for."""

    def __init__(self, rows: Rows, squared: bool, tolerance: float, watch: Watch) -> None:
        self.rows, self.tolerance, self.watch = rows, tolerance, watch
        self.solver = rows.solver(1.0, squared)
        self.points: dict[float, tuple[Found, float]] = {}
        """cost: (the comparator, the dual value: no w has ½‖w‖² + cost · loss below it)."""

    def at(self, cost: float) -> Found:
        """Return the comparator of a cost; after Ctrl-C, that of the nearest cost known."""
        if cost not in self.points and (not self.rows.stopped or not self.points):
            self.solver.set_cost(cost)
            try:
                while not self.rows.stopped:
                    self.watch()
                    if self.solver.descend(self.tolerance, _SECONDS):
                        break
            except KeyboardInterrupt:
                if self.rows.stopped:
                    raise
                self.rows.stopped = True
            self.solver.certify()
            self.points[cost] = self.rows.found(self.solver), float(self.solver.dual)
        nearest = min(self.points, key=lambda known: abs(math.log(known / cost)))
        return self.points[nearest][0]

    def best(self, value: Callable[[Found], float], start: float) -> Found:
        """Return the comparator with the least value: down the path from a cost, then between."""
        costs = [start]
        for factor in (_STEP, 1 / _STEP):
            cost = start
            while value(self.at(cost * factor)) < value(self.at(cost)) * (1 - 1e-4):
                cost *= factor
                costs.append(cost)
                if not 1e-60 < cost < 1e60:
                    break
        centre = min(costs, key=lambda c: value(self.at(c)))
        for power in (-4, -2, 2, 4):  # so that `least` knows what lies further off
            self.at(centre * _STEP**power)
        low, high = math.log(centre / _STEP), math.log(centre * _STEP)
        for _ in range(9):  # golden section
            third = (high - low) * 0.381966
            left, right = low + third, high - third
            if value(self.at(math.exp(left))) < value(self.at(math.exp(right))):
                high = right
            else:
                low = left
        nothing = self.rows.measured(np.zeros(self.rows.columns), 0.0)
        return min((nothing, *(found for found, _ in self.points.values())), key=value)

    def least(self, value: Callable[[float, float], float]) -> float:
        """Return about the least value of any (‖w‖², loss) that lies above every dual line."""
        norms = [found.norm2 for found, _ in self.points.values()]
        top = 4 * max(norms, default=0.0)
        found = math.inf
        for norm2 in np.concatenate([[0.0], np.geomspace(1e-6, 1, 400) * top]) if top else [0.0]:
            lines = ((dual - norm2 / 2) / cost for cost, (_, dual) in self.points.items())
            found = min(found, value(float(norm2), max(0.0, *lines)))
        return found


def gathered(blocks: Iterator[tuple[Block, AnyArray]], bias: float | None) -> Rows:
    """Keep the blocks of one pass."""
    kept = [(block, labels) for block, labels in blocks if isinstance(block, ArrayBlock)]
    return Rows(kept, bias)


def watching(report: Callable[[float], None] | None) -> Watch:
    """Return what is called now and then while a comparator is sought."""
    began = time.perf_counter()

    def watch() -> None:
        if report is not None:
            report(time.perf_counter() - began)

    return watch
