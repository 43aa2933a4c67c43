"""Comparators for the perceptron's theorems: w's that balance ‖w‖ against the hinge losses.

Every bound grows with ‖w‖² and with the losses, so its best w lies on the path of soft-margin
problems: for some cost C it minimises ½‖w‖² + C Σ_t max(0, 1 − y_t w·x_t), or the same with squared
losses. Dual coordinate descent in the core walks along that path; any w it finds gives a bound, and
its duality gap says how much a better one could gain.
"""

import heapq
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from novikoff import _core
from novikoff.comparators.solver import Adding, BiasWeight, Measured, Solver
from novikoff.errors import InputError
from novikoff.streams import ArrayBlock, Block
from novikoff.types import AnyArray, FloatArray, IntArray

_STEP = 4.0  # between a cost and the next one beyond all known costs
_NEAR = 1.05  # closer costs count as equal
_MOST = 40  # comparators on a path
_LOOSE = 4  # times the gap wanted: good enough to see where the best cost lies
_TIGHT = 1 / 8  # of the gap wanted: more would not help
_ROUNDED = 1e-9  # of Σα, more than rounding can take from it
_USUAL = -0.6  # the slope of log(tangent of a cost / the cost) over log(cost), about
_SLOPE = 1e-4  # a relative change, for derivatives
_FINE = 1e-6  # share of a bound that is not worth searching for
_PASSES = 50_000  # for one cost: rows of very different sizes may never settle
_SECONDS = 0.1  # between two checks for Ctrl-C
Watch = Callable[[], None]
Value = Callable[[float, float], float]


@dataclass(frozen=True)
class Found:
    """A comparator with its measures on the rounds: proved bounds, rounded outward."""

    w: FloatArray
    """With classes, one column for each."""
    bias_weight: BiasWeight
    norm2: float
    hinge: float
    hinge2: float
    margin: float


class Rows:
    """The rounds of one pass, in blocks, with labels −1 and +1."""

    within = 2e-4
    """The search ends if a better comparator could gain at most this share of the bound."""

    def __init__(self, blocks: list[tuple[ArrayBlock, AnyArray]], bias: float | None) -> None:
        self.blocks = blocks
        self.bias = bias or 0.0
        self.columns = max((block.columns for block, _ in blocks), default=0)
        self.count = sum(len(block) for block, _ in blocks)
        self.nothing = self.measured(*self.zero())
        self.radius2 = float(self._measures(*self.zero()).radius_square)
        """The theorems' R²."""
        self.stopped = False
        """Whether Ctrl-C asked for the result so far."""

    def zero(self) -> tuple[FloatArray, BiasWeight]:
        """Return w = 0 and bias_weight = 0."""
        return np.zeros(self.columns), 0.0

    def solver(self, cost: float, squared: bool) -> Solver:
        """Return a solver of the soft-margin problem on these rows."""
        solver = self._solver(cost, squared)
        for block, labels in self.blocks:
            taken = solver.add(block.native, labels)
            if taken < len(block):
                raise InputError(f"row {taken + 1}: {block.fault(taken)}")
        return solver

    def found(self, solver: Solver) -> Found:
        """Measure a solver's w."""
        bias_weight, w = solver.w()
        return self.measured(w, math.copysign(1.0, self.bias) * bias_weight)

    def measured(self, w: FloatArray, bias_weight: BiasWeight) -> Found:
        """Measure any w; unknown features weigh 0."""
        whole = self.zero()[0]
        whole[: len(w)] = w
        m = self._measures(whole, bias_weight)
        return Found(
            whole,
            bias_weight,
            _core.norm2(whole, float(bias_weight)),
            m.hinge,
            m.hinge_square,
            m.margin,
        )

    def over(self, found: Found, rows: IntArray) -> tuple[float, float]:
        """Return (Σ hinge, Σ‖x‖²) over these rows, from 0, counting repeated rows repeatedly."""
        m = self._over(found, rows)
        return m.hinge, m.energy

    def _over(self, found: Found, rows: IntArray) -> Measured:
        m = self._unmeasured(found.w, found.bias_weight)
        start = 0
        for block, labels in self.blocks:
            inside = rows[(rows >= start) & (rows < start + len(block))] - start
            m.add_rows(block.native, labels, np.ascontiguousarray(inside))
            start += len(block)
        return m

    def _measures(self, w: FloatArray, bias_weight: BiasWeight) -> Measured:
        m = self._unmeasured(w, bias_weight)
        for block, labels in self.blocks:
            m.add(block.native, labels, 0, len(block))
        return m

    def _unmeasured(self, w: FloatArray, bias_weight: BiasWeight) -> Measured:
        return _core.Measures(w, float(bias_weight), self.bias)

    def _solver(self, cost: float, squared: bool) -> Adding:
        return _core.SoftMargin(cost, squared, abs(self.bias))


class Floor(NamedTuple):
    """A floor for the loss of every w, from dual variables α ≥ 0 with v = Σ α_t y_t x_t.

    With ξ_t ≥ 1 − y_t w·x_t, the slack of a round, Σ α_t ξ_t ≥ Σα − w·v ≥ Σα − ‖w‖‖v‖. On the
    left, Σ α_t ξ_t ≤ (max α) Σξ and Σ α_t ξ_t ≤ √(Σα²) √(Σξ²).
    """

    total: float
    """Σα."""
    length: float
    """‖v‖."""
    most: float
    """max α, or √(Σα²) for squared losses."""
    squared: bool

    @classmethod
    def of(cls, alphas: FloatArray, found: Found, squared: bool) -> Self:
        """Return the floor of a solver's α, whose v is the comparator found."""
        most = math.sqrt(float(alphas @ alphas)) if squared else float(alphas.max(initial=0))
        total = float(alphas.sum()) * (1 - _ROUNDED)
        return cls(total, math.sqrt(found.norm2), most, squared)

    def at(self, norm: float) -> float:
        """Return what no w with this ‖w‖ has less of: Σξ, or ½ Σξ²."""
        if self.most == 0:
            return 0.0
        share = max(0.0, self.total - norm * self.length) / self.most
        return share * share / 2 if self.squared else share


class Path:
    """The solutions for all costs, each found when first needed."""

    def __init__(self, rows: Rows, squared: bool, tolerance: float, watch: Watch) -> None:
        self.rows, self.tolerance, self.watch = rows, tolerance, watch
        self.squared = squared
        self.solver = rows.solver(1.0, squared)
        self.points: dict[float, tuple[Found, float]] = {}
        """cost: (the comparator, the dual value: no w has ½‖w‖² + cost · loss below it)."""
        self.floors: list[Floor] = []
        self._gaps: dict[float, float] = {}
        """cost: the gap for which it was solved, as a share of the value."""

    def at(self, cost: float) -> Found:
        """Return the comparator for a cost; after Ctrl-C, that of the nearest known cost."""
        if cost not in self.points:
            self._solve(cost, self.tolerance)
        return self.points[self._nearest(cost)][0]

    def _solve(self, cost: float, tolerance: float) -> None:
        """Find the comparator for a cost, or a better one; after Ctrl-C only if none is known."""
        if self.rows.stopped and self.points:
            return
        self.solver.set_cost(cost)
        try:
            self._descend(tolerance)
        except KeyboardInterrupt:
            if self.rows.stopped:
                raise
            self.rows.stopped = True
        self.solver.certify()
        _, before = self.points.get(cost, (None, 0.0))
        found = self.rows.found(self.solver)
        self.points[cost] = found, max(before, float(self.solver.dual))
        self.floors.append(Floor.of(self.solver.alphas(), found, self.squared))
        self._gaps[cost] = tolerance

    def _descend(self, tolerance: float) -> None:
        last = self.solver.passes + _PASSES
        while not self.rows.stopped and self.solver.passes < last:
            self.watch()
            if self.solver.descend(tolerance, _SECONDS) or self.solver.settled:
                return

    def _nearest(self, cost: float) -> float:
        return min(self.points, key=lambda known: abs(math.log(known / cost)))

    def best(self, value: Value, start: float) -> tuple[Found, float]:
        """Return the comparator with the least value of (‖w‖², loss), and a floor for all others.

        The floors say where a w with a smaller value could be. The search follows the path there
        until they say that none is much smaller. Values grow with ‖w‖² and with the loss.
        """
        self.at(start)
        for _ in range(_MOST):
            found = self.choice(value)
            least, norm2 = self._least(value)
            if value(found.norm2, self.loss(found)) - least <= self.rows.within * least:
                break
            cost = self._towards(value, norm2)
            if cost is None or self.rows.stopped:
                break
            self._solve(cost, self._next_gap(cost))
        return found, least

    def choice(self, value: Value) -> Found:
        """Return the known comparator with the least value."""
        known = (self.rows.nothing, *(found for found, _ in self.points.values()))
        return min(known, key=lambda found: value(found.norm2, self.loss(found)))

    def loss(self, found: Found) -> float:
        """Return the loss that the cost multiplies: Σ hinge, or ½ Σ hinge²."""
        return found.hinge2 / 2 if self.squared else found.hinge

    def _next_gap(self, cost: float) -> float:
        """Return the gap to solve a cost for: a large one first, to see where the best cost is."""
        known = self._gaps.get(cost)
        if known is None:
            return max(self.tolerance, _LOOSE * self.rows.within)
        return min(known, self.rows.within) / 2

    def _towards(self, value: Value, norm2: float) -> float | None:
        """Return the cost to solve next: first the best one, as far as the known ones tell.

        Once that is known well, a w with about this ‖w‖² may still be better. The cost is a known
        one if it should be solved to a smaller gap; None if nothing is worth it.
        """
        within = self.rows.within
        other = self._tangent(value, norm2, self._floor(norm2))
        for cost, enough in ((self._aim(value), within), (other, _TIGHT * within)):
            if cost is None:
                continue
            known = self._nearest(cost)
            if max(cost / known, known / cost) > _NEAR:
                return cost
            if self._gaps[known] > enough:
                return known
        return self._between(norm2)

    def _aim(self, value: Value) -> float | None:
        """Return the cost that is its own tangent, by the secant of the two that come closest."""
        off = []
        for cost, (found, _) in self.points.items():
            tangent = self._tangent(value, found.norm2, self.loss(found))
            if tangent is not None:
                off.append((math.log(tangent / cost), math.log(cost)))
        if not off:
            return None
        (y, x), *more = sorted(off, key=lambda one: abs(one[0]))
        slope = (more[0][0] - y) / (more[0][1] - x) if more else _USUAL
        return math.exp(x - y / (slope if slope < _USUAL / 4 else _USUAL))

    def _tangent(self, value: Value, norm2: float, loss: float) -> float | None:
        """Return the cost C whose line ½‖w‖² + C · loss touches the curve of equal values there.

        So C = ½ (∂value/∂loss) / (∂value/∂‖w‖²).
        """
        here = value(norm2, loss)
        by_norm = value(norm2 * (1 + _SLOPE), loss) - here
        by_loss = value(norm2, loss * (1 + _SLOPE)) - here
        if not (by_norm > 0 and by_loss > 0):
            return None
        cost = (by_loss / loss) / (by_norm / norm2) / 2
        low, high = min(self.points) / _STEP**2, max(self.points) * _STEP**2
        return cost if low < cost < high and 1e-60 < cost < 1e60 else None

    def _between(self, norm2: float) -> float | None:
        """Return a new cost between those with a smaller and a larger ‖w‖²; None if none is new."""
        below = [cost for cost, (found, _) in self.points.items() if found.norm2 <= norm2]
        above = [cost for cost in self.points if cost not in below]
        low = max(below, default=min(self.points) / _STEP**2)
        high = min(above, default=max(self.points) * _STEP**2)
        if high < low * _NEAR or not 1e-60 < math.sqrt(low * high) < 1e60:
            return None
        return math.sqrt(low * high)

    def _floor(self, norm2: float) -> float:
        """Return a lower bound on the loss of every w with this ‖w‖²."""
        norm = math.sqrt(norm2)
        return max(floor.at(norm) for floor in self.floors)

    def _least(self, value: Value) -> tuple[float, float]:
        """Return the least value of a (‖w‖², loss) above every floor, and where it is.

        Between a² and b² the value is at least that of (a², the loss at b²): such parts are halved,
        the most promising first, until the best is known closely.
        """
        norms = [found.norm2 for found, _ in self.points.values()]
        known = min(value(norm2, self._floor(norm2)) for norm2 in (0.0, *norms))
        top = math.sqrt(max(norms)) or 1.0
        for _ in range(100):
            if value(top * top, 0.0) >= known:
                break
            top *= 2
        parts = [(value(0.0, self._floor(top * top)), 0.0, top), (value(top * top, 0.0), top, top)]
        heapq.heapify(parts)
        for _ in range(1000):
            least, a, b = parts[0]
            if a == b or value(a * a, self._floor(a * a)) - least <= _FINE * least:
                break
            middle = (a + b) / 2
            corners = [(a, middle), (middle, b)]
            halves = [(value(p * p, self._floor(q * q)), p, q) for p, q in corners]
            heapq.heapreplace(parts, halves[0])
            heapq.heappush(parts, halves[1])
        return parts[0][0], parts[0][1] ** 2


def pairs(found: Found) -> list[list[float]]:
    """Return [index, weight] of every weight that is not 0; index −1: the constant's."""
    constant: list[list[float]] = [[-1, float(found.bias_weight)]] if found.bias_weight else []
    return constant + [[int(j), float(found.w[j])] for j in np.flatnonzero(found.w)]


def gathered(blocks: Iterator[tuple[Block, AnyArray]], bias: float | None) -> Rows:
    """Keep the blocks of one pass."""
    kept = [(block, labels) for block, labels in blocks if isinstance(block, ArrayBlock)]
    return Rows(kept, bias)


def watching(report: Callable[[float], None] | None) -> Watch:
    """Return the function to call now and then during the search for a comparator."""
    began = time.perf_counter()

    def watch() -> None:
        if report is not None:
            report(time.perf_counter() - began)

    return watch
