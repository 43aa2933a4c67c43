"""Exact sums of a comparator's hinge losses over many rows, without playing them one by one.

Over the n rows whose margin y u·x is below 1, Σ max(0, 1 − y u·x) = n − u·v with v = Σ y x. Floats
tell which rows these are, whole numbers those that floats leave in doubt; and v is summed in parts
of 24 bits, whose sums are exact in float64 for up to 2²⁸ rows.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from novikoff import verifier
from novikoff.learners.feature_learner import transforms_of
from novikoff.playing.run import Run
from novikoff.receipts.reread_rounds import check_rounds, coded
from novikoff.streams import ArrayBlock, Stream
from novikoff.types import AnyArray, FloatArray, IntArray

MANY = 1_000_000
"""Values from which on it pays."""
_PART = 24  # bits
_WIDE = 2.0**300  # values and weights beyond this, or below its inverse, go the other way
_ROWS = 1 << 28
_TIES = 20_000  # rows in doubt beyond which nothing is gained
_HINGES = ("hinge", "hinge-tight")


class ExactSums(Protocol):
    """What the rows of one pass say of a theorem, summed up without a replay in Python."""

    @property
    def about(self) -> dict[str, object]:
        """What a certificate says of the rows, without labels and passes."""
        ...

    @property
    def rows(self) -> int:
        """How many rows there are."""
        ...

    def bound(
        self, theorem: str, entries: verifier.Json, mistakes: int, passes: int
    ) -> float | None:
        """Evaluate a theorem as the verifier does; None if the verifier would refuse it."""
        ...


@dataclass(frozen=True)
class Sums:
    """What the rows of one pass have in common with a comparator."""

    about: dict[str, object]
    """What a certificate says of them, without labels and passes."""
    rows: int
    hinge: Fraction
    radius2: Fraction

    def bound(
        self, theorem: str, entries: verifier.Json, mistakes: int, passes: int
    ) -> float | None:
        """Evaluate a theorem as the verifier does; None if the verifier would refuse it."""
        run = verifier.Perceptron.__new__(verifier.Perceptron)
        self.measure(run, entries, passes)
        found = run.bound(theorem)
        return found if mistakes <= found < np.inf else None

    def measure(self, run: verifier.Perceptron, entries: verifier.Json, passes: int) -> None:
        """Give a run of the verifier what it would have measured."""
        fine, w = verifier.comparator(entries, many=False)
        grid = self.radius2.denominator.bit_length() // 2
        grid = max(grid, self.hinge.denominator.bit_length() - 1 - fine)
        run.w, run.unit = w, 1 << grid + fine
        run.radius2 = int(self.radius2 * (1 << 2 * grid))
        run.hinge = int(passes * self.hinge * run.unit)


class Adding:
    """Adds up one block of rows after another."""

    def __init__(self, w: Mapping[int, float], bias: float) -> None:
        self.w, self.bias = w, bias
        self.columns = max(w, default=-1) + 1
        self.u = np.zeros(max(self.columns, 1))
        for j, v in w.items():
            if j >= 0:
                self.u[j] = v
        self.parts: dict[int, FloatArray] = {}
        self.active = self.signs = self.rows = self.nonzeros = self.dimension = self.doubts = 0
        self.digest, self.radius2, self.reach = hashlib.sha256(), Fraction(0), -1.0

    def add(self, block: ArrayBlock, labels: AnyArray) -> bool:
        """Add a block; say whether floats could tell nearly everything about it."""
        rows, columns, values = block.entries()
        count, y = len(block), labels.astype(np.float64)
        size = np.abs(values)
        if not (size.max(initial=1) < _WIDE and size.min(initial=1) > 1 / _WIDE):
            return False
        self.digest.update(block.native.encode(labels, 0, count))
        self.rows, self.nonzeros = self.rows + count, self.nonzeros + len(values)
        self.dimension = max(self.dimension, int(columns.max(initial=-1)) + 1)
        known = columns < self.columns
        u = np.where(known, self.u[np.where(known, columns, 0)], 0.0)
        products = u * values
        constant = self.w.get(-1, 0.0) * self.bias
        margins = y * (np.bincount(rows, products, count) + constant)
        mass = np.bincount(rows, np.abs(products), count) + abs(constant)
        lengths = np.bincount(rows, minlength=count) + 4
        doubt = lengths * mass * 2.0**-50 + 2.0**-1000
        starts = np.concatenate([[0], np.cumsum(lengths - 4)])
        found = _Block(starts, columns, values, u, y)
        active = margins < 1
        for t in np.flatnonzero(np.abs(margins - 1) <= 2 * doubt).tolist():
            self.doubts += 1
            active[t] = found.margin(t, Fraction(self.w.get(-1, 0.0)) * Fraction(self.bias)) < 1
        self._sum(found, rows, active)
        squares = np.bincount(rows, values * values, count) + self.bias**2
        whole = squares.max(initial=0) < 2.0**53 and not (np.modf(values)[0].any() or self.bias % 1)
        self._widen(found, squares, squares * (0.0 if whole else lengths * 2.0**-50))
        return self.doubts < _TIES and self.rows < _ROWS

    def _sum(self, found: "_Block", rows: IntArray, active: AnyArray) -> None:
        """Add y x of the active rows to v, in parts of 24 bits."""
        self.active += int(active.sum())
        self.signs += int(found.y[active].sum())
        there = active[rows] & (found.u != 0)
        columns, rest = found.columns[there], (found.y[rows] * found.values)[there]
        largest = float(np.abs(rest).max(initial=0))
        at = -(math.frexp(largest)[1] // _PART * _PART)
        while rest.any():
            whole = np.rint(np.ldexp(rest, at))
            part = self.parts.setdefault(at, np.zeros(self.columns))
            np.add.at(part, columns, whole)
            rest = rest - np.ldexp(whole, -at)
            at += _PART

    def _widen(self, found: "_Block", squares: AnyArray, doubt: AnyArray) -> None:
        """Look exactly at the rows that may be the longest so far."""
        for t in np.flatnonzero(squares + doubt > self.reach).tolist():
            if squares[t] + doubt[t] > self.reach:
                self.doubts += 1
                exact = found.square(t) + Fraction(self.bias) ** 2
                self.radius2 = max(self.radius2, exact)
                self.reach = max(self.reach, float(squares[t] - doubt[t]))

    def sums(self) -> Sums:
        """Return the exact sums."""
        inner = Fraction(self.w.get(-1, 0.0)) * Fraction(self.bias) * self.signs
        fine = verifier.grid(self.w.values())
        whole = dict(zip(self.w, verifier.whole(self.w.values(), fine), strict=True))
        for at, part in self.parts.items():
            there = np.flatnonzero(part).tolist()
            total = sum(int(v) * whole[j] for j, v in zip(there, part[there].tolist(), strict=True))
            inner += total * Fraction(2) ** (-at - fine)
        about: dict[str, object] = {
            "digest": self.digest.hexdigest(),
            "rows": self.rows,
            "nonzeros": self.nonzeros,
            "dimension": self.dimension,
        }
        return Sums(about, self.rows, self.active - inner, self.radius2)


@dataclass(frozen=True)
class _Block:
    """The values of a block, row after row, with the comparator's weights beside them."""

    starts: IntArray
    columns: IntArray
    values: FloatArray
    u: FloatArray
    y: FloatArray

    def margin(self, t: int, constant: Fraction) -> Fraction:
        """Return y u·x of row t."""
        pairs = zip(self._row(t, self.u), self._row(t, self.values), strict=True)
        return int(self.y[t]) * (sum((a * b for a, b in pairs), Fraction(0)) + constant)

    def square(self, t: int) -> Fraction:
        """Return ‖x‖² of row t."""
        return sum((v * v for v in self._row(t, self.values)), Fraction(0))

    def _row(self, t: int, values: FloatArray) -> Iterator[Fraction]:
        return map(Fraction, values[self.starts[t] : self.starts[t + 1]].tolist())


def exact_sums(run: Run, stream: Stream, theorem: str, entries: object) -> Sums | None:
    """Return the exact sums of a perceptron's run, replayed by the core; None if nothing is gained.

    Small data, other theorems, transforms, a start and values of extreme sizes are left to the
    verifier's own replay, which takes them all.
    """
    if theorem not in _HINGES:
        return None
    adding = added_up(run, stream, entries)
    if adding is None or adding.nonzeros < MANY:
        return None
    check_rounds(run, stream)
    return adding.sums()


def added_up(run: Run, stream: Stream, entries: object) -> Adding | None:
    """Add up the losses of a comparator over the rows, in one reading; None if that is too hard."""
    plain = run.start is None and transforms_of(run.learner) is None
    if not plain or not isinstance(entries, list):
        return None
    w = {int(j): float(v) for j, v in entries}
    sizes = [1.0, *map(abs, w.values())]
    if max(sizes) > _WIDE or min(sizes) < 1 / _WIDE or max(w, default=0) >= _ROWS:
        return None
    adding = Adding(w, run.learner.bias or 0.0)
    for block, labels in coded(run, stream):
        if not (isinstance(block, ArrayBlock) and adding.add(block, labels)):
            return None
    return adding
