"""Perceptrons in floats where those decide, and in whole numbers where they do not.

What a perceptron does depends on signs alone: of w·x in every round, and of 1 − y u·x for the
comparator u. A float sum has the right sign if it is farther from 0 than its error can be.

Let ε = 2⁻⁵³, n the number of values in x, w the exact weights and v the floats that are kept of
them. A float operation errs by at most ε times its exact result, and a product that is too small
for that by at most 2⁻¹⁰⁷⁵.

1. Rounding of a sum: |fl(Σ v_j x_j) − v·x| ≤ 2nε Σ|v_j x_j| + n 2⁻¹⁰⁷⁴ for n ≤ 2⁵⁰, in any
   order, also if the sum is compensated, or if all x_j are one number that multiplies the sum of
   the v_j; and Σ|v_j x_j| ≤ ‖v‖‖x‖ (Cauchy, Schwarz).
2. Size of w: in a mistake y w·x ≤ 0, so that ‖w + y x‖² ≤ ‖w‖² + ‖x‖², as in Novikoff's proof.
   So ‖w‖ ≤ W, where W² is the square at the start plus ‖x‖² of every mistake.
3. Drift of v: v + y x is rounded, by at most ε‖v + y x‖ ≤ ε(W + ‖v − w‖), W taken after the
   mistake. So ‖v − w‖ ≤ 2εK after at most 2⁵⁰ mistakes, where K is the sum of all W; that is
   at most W, so that ‖v‖ ≤ 2W. (Sums of floats that are too small for ε are exact.)

Together |fl(Σ v_j x_j) − w·x| ≤ (4nW + 2K) ε‖x‖ + n 2⁻¹⁰⁷⁴. Of the comparator, which is made of
floats, the error is at most 2nε‖u‖‖x‖ + n 2⁻¹⁰⁷⁴. hypot errs by less than the distance to the
next float, hence ‖x‖ ≤ 2 hypot(x) whatever its size; and W and K, which are rounded in up to 2⁵⁰
steps, are at most twice the floats that are kept of them. In these floats the errors are at most

    (2nW + K) · hypot(x) · 2⁻⁵⁰ + n 2⁻¹⁰⁷⁴,     n · hypot(u) · hypot(x) · 2⁻⁵⁰ + n 2⁻¹⁰⁷⁴

and `doubt` is twice that or more, for its own rounding. It multiplies by hypot(x) first: what
overflows is infinite, which decides nothing, and what is too small for ε is below the least
normal float, which is added. A sum that overflows decides nothing either,
and is no bound on the least margin.

This part changes no verdict. Without it, the same runs are played in whole numbers alone.
"""

import math
import sys
from array import array
from collections.abc import Iterable, Iterator
from itertools import repeat
from operator import itemgetter, mul

from verifier.core.certificate import Object
from verifier.core.data import FloatRows
from verifier.core.exact import Vector, dot, grid, whole
from verifier.core.learner import LEARNERS
from verifier.families.linear_start import NAMES, ResumedPerceptron
from verifier.families.perceptron import check_hashing

LEAST_NORMAL = sys.float_info.min
DENSE = 1 << 22  # features below this have their own place in lists, others as they appear


class FloatRow:
    """The floats of a row, two or more, and the places of its features."""

    __slots__ = ("equal", "norm", "of", "places", "values")

    def __init__(self, places: list[int], values: list[float]) -> None:
        self.places, self.values = places, values
        self.norm = math.hypot(*values)
        self.of = itemgetter(*places)  # returns what an array or a list has there
        value = values[0]
        self.equal = value == values[-1] and values.count(value) == len(values)  # such as ones

    def dot(self, numbers: "array[float]") -> float:
        """Return the sum of the values, each times the number in its place."""
        found = self.of(numbers)
        total: float = sum(found if self.equal else map(mul, found, self.values))
        return self.values[0] * total if self.equal else total

    def exact_dot(self, numbers: list[int], x: list[int]) -> int:
        """Return the same sum in whole numbers, which x are of the values."""
        found = self.of(numbers)
        total: int = sum(found if self.equal else map(mul, found, x))
        return x[0] * total if self.equal else total


class Places:
    """Arrays over the features; the constant feature, −1, is in the last place.

    ``v`` are the floats of the weights, ``u`` those of the comparator, ``w`` its whole numbers.
    """

    def __init__(self, w: dict[int, int], fine: int) -> None:
        self.known, self.unit, self.far = w, 1 << fine, dict[int, int]()
        self.v, self.u = array("d", [0.0]), array("d", self.floats([-1]))
        self.w = [w.get(-1, 0)]

    def floats(self, indices: Iterable[int]) -> list[float]:
        """Return the comparator's weights of features, which are floats."""
        return [self.known.get(j, 0) / self.unit for j in indices]

    def of(self, indices: list[int]) -> list[int]:
        """Return the places of features, which ascend."""
        dense = len(self.v) - 1 - len(self.far)
        if not indices or indices[-1] < dense:
            return indices
        if dense < DENSE:  # make room for as many again
            size = min(2 * indices[-1] + 1, DENSE)
            self.insert(dense, size - dense)
            for j in [j for j in self.known if dense <= j < size]:
                self.put(j, j)
        for j in indices if indices[-1] >= DENSE else ():
            if j >= DENSE and j not in self.far:
                self.far[j] = DENSE + len(self.far)
                self.insert(self.far[j], 1)
                self.put(self.far[j], j)
        return [self.far.get(j, j) for j in indices]

    def insert(self, place: int, count: int) -> None:
        """Insert places for features."""
        self.v[place:place] = self.u[place:place] = array("d", [0.0]) * count
        self.w[place:place] = [0] * count

    def put(self, place: int, j: int) -> None:
        """Put the comparator's weight of a feature into its place."""
        self.w[place] = self.known.get(j, 0)
        self.u[place] = self.w[place] / self.unit


class FilteredPerceptron(ResumedPerceptron):
    """A perceptron that is judged and measured in floats, exactly where they leave a doubt."""

    reads = FloatRows
    data: FloatRows

    def __init__(
        self, data: FloatRows, ties: str = "positive", hashing: Object | None = None
    ) -> None:
        super().__init__(data, ties, hashing)
        self.hashing = hashing
        self.size = self.drift = 0.0  # W and K
        self.lowest, self.reach = math.inf, 0.0  # above the least margin, below the radius
        self.clear = 1.0  # about the share of margins above 1: if it is small, floats help little
        self.scale, self.row = 1.0, FloatRow([-1], [0.0])

    def take(self, evidence: Object) -> None:
        """Take the comparator in both forms, and the weights that the run begins with."""
        super().take(evidence)
        self.places = Places(self.w[0], self.fine)
        self.length = math.hypot(*self.places.floats(self.w[0]))
        try:
            floats = [v / (1 << self.data.grid) for v in self.weights.values()]
            for j, value in zip(self.weights, floats, strict=True):
                self.places.v[self.places.of([j])[0]] = value
            self.size = self.drift = math.hypot(*floats)
        except OverflowError:  # no float is near such a weight
            self.size = math.inf
        self.refine(self.data.grid)

    def confirm(self, evidence: Object) -> None:
        """Confirm what could not be known before the rows were read."""
        check_hashing(self.data, self.hashing)
        super().confirm(evidence)

    def rounds(self) -> Iterator[tuple[int, Vector]]:
        """Yield the rounds of a pass. The floats of the one being played are the ``row``."""
        constant, bias = ([-1], [self.data.bias]) if self.data.bias else ([], [])
        for y, indices, values in self.data.floats():
            found, places, floats = constant + indices, self.places.of(indices), bias + values
            if len(floats) < 2:  # of one place, itemgetter returns no tuple
                found, places, floats = [*found, -1, -1], [*places, -1, -1], [*floats, 0.0, 0.0]
            self.row = FloatRow(constant + places, floats)
            yield y, (found, [])

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round, and learn from a mistake; a score of 0 is + unless it is always wrong."""
        row = self.row
        score = y * row.dot(self.places.v)
        doubt = row.norm * (2 * len(row.values) * self.size + self.drift) * 2**-49 + LEAST_NORMAL
        if not doubt < abs(score) < math.inf:
            score = y * dot(self.weights, self.exact(x))
        if score > 0 or (score == 0 and y > 0 and not self.strict):
            return False
        self.learn(y, x)
        return True

    def learn(self, y: int, x: Vector) -> None:
        """Add y x to w, and to the floats that are kept of it."""
        row, w, v = self.row, self.weights, self.places.v
        steps = zip(*self.exact(x), row.places, row.values, strict=True)
        if y > 0:
            for j, number, place, value in steps:
                w[j] += number
                v[place] += value
        else:
            for j, number, place, value in steps:
                w[j] -= number
                v[place] -= value
        self.size = math.hypot(self.size, row.norm)
        self.drift += self.size

    def measure(self, y: int, x: Vector, mistaken: bool, times: int) -> None:
        """Add a round to the sums, if it can change them."""
        row = self.row
        clear = not mistaken and self.clear > 0.25 and not self.near(y)
        if not clear:
            margin = y * row.exact_dot(self.places.w, self.exact(x)[1])
            self.compare(margin, mistaken, times)
            clear = margin > self.unit
        self.clear += (clear - self.clear) / 64
        if mistaken or not row.norm < self.reach:
            self.widen(self.square(self.exact(x)), mistaken)
            self.reach = max(self.reach, row.norm * (1 - 2**-49) - LEAST_NORMAL)

    def near(self, y: int) -> bool:
        """Say whether the comparator's margin may be below 1, or the least so far."""
        row = self.row
        margin = y * row.dot(self.places.u)
        doubt = row.norm * self.length * len(row.values) * 2**-49 + LEAST_NORMAL
        if not math.isfinite(margin):  # it may be any number
            return True
        if max(1.0, self.lowest) < margin - doubt:
            return False
        self.lowest = min(self.lowest, math.nextafter(margin + doubt, math.inf))
        return True

    def exact(self, x: Vector) -> Vector:
        """Return the row in whole numbers of the unit, which becomes finer if it is too coarse."""
        if x[1]:
            return x
        row = self.row
        values = row.values[:1] if row.equal else row.values
        scaled = list(map(mul, values, repeat(self.scale)))
        if all(map(float.is_integer, scaled)):  # infinity is no integer
            found = list(map(math.floor, scaled))
        else:
            self.refine(grid(values))
            found = whole(values, self.data.grid)
        x[1].extend(found * len(row.values) if row.equal else found)
        return x

    def refine(self, finest: int) -> None:
        """Go over to a unit of 2^−finest or finer, in few steps however many rows ask for it."""
        more = max(0, -(-finest // 16) * 16 - self.data.grid)
        self.data.grid += more
        self.scale = math.ldexp(1.0, self.data.grid) if self.data.grid < 1024 else math.inf
        for weights in (self.weights, self.first):
            for j in weights:
                weights[j] <<= more
        self.unit, self.hinge = self.unit << more, self.hinge << more
        self.mistake_hinge, self.hinge2 = self.mistake_hinge << more, self.hinge2 << 2 * more
        self.energy, self.radius2 = self.energy << 2 * more, self.radius2 << 2 * more
        self.least = None if self.least is None else self.least << more


LEARNERS |= dict.fromkeys(NAMES, FilteredPerceptron)
