"""Comparators for Minnow: the w that makes its bounds least, by linear programming.

With γ = (1 + c‖w‖₁)/η, c = ln cosh(ηR∞), the bound of ``minnow-hinge`` is the objective of a linear
program in w, and ``minnow`` also requires that no round has a loss. A primal-dual method in the
core (``core/comparators/simplex.hpp``) solves both; no comparator can beat the dual value.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff import _core
from novikoff.comparators.soft_margin import Found, Rows, Watch
from novikoff.errors import InputError

_TOLERANCE = 1e-3
_SECONDS = 0.1  # between two checks for Ctrl-C
_SMALLEST, _LARGEST = 1e-12, 700.0  # ηR∞: below, c is practically 0; above, e^{ηR∞} overflows
_HOPELESS = 1000.0  # times the rounds: such a large bound says nothing


Measure = int | float | Fraction


@dataclass(frozen=True)
class Weighed:
    """A comparator with γ, the measures that Minnow's theorems need, and the least bound."""

    theorem: str
    found: Found
    evidence: dict[str, Measure]
    least: float
    """No comparator has a bound below it."""


def weighed(rows: Rows, eta: float, balanced: bool, passes: int, watch: Watch) -> Iterator[Weighed]:
    """Yield the best comparator for ``minnow-hinge`` and, if one separates, that for ``minnow``."""
    search = _Search(rows, eta, balanced, passes, watch)
    # No feature at all; or e^700 and more, which only the comparator 0 can make up for.
    if not _SMALLEST <= search.reach <= _LARGEST or not 1e-200 <= eta <= 1e200:
        yield search.hinged(rows.measured(np.zeros(rows.columns), 0.0), 0.0)
        return
    search.descend()
    found, least = search.comparator(), search.solver.dual
    yield search.hinged(found, least)
    if not rows.stopped:
        search.solver.demand_separation(_HOPELESS * passes * rows.count)
        search.descend()
        found, least = search.comparator(), search.solver.dual
    yield from search.separating(found, least)


class _Search:
    """The linear program of one run."""

    def __init__(self, rows: Rows, eta: float, balanced: bool, passes: int, watch: Watch) -> None:
        self.rows, self.eta, self.passes, self.watch = rows, eta, passes, watch
        self.sides = 2 if balanced else 1
        rate = min(max(eta, 1e-200), 1e200)
        self.solver = _core.Simplex(rate, balanced, float(passes), rows.bias)
        for block, labels in rows.blocks:
            taken = self.solver.add(block.native, labels)
            if taken < len(block):
                raise InputError(f"row {taken + 1}: {block.fault(taken)}")
        self.reach = eta * self.solver.radius

    def descend(self) -> None:
        """Work until the gap is small, or until Ctrl-C asks for the result so far."""
        try:
            while not self.rows.stopped:
                self.watch()
                if self.solver.descend(_TOLERANCE, _SECONDS):
                    break
        except KeyboardInterrupt:
            if self.rows.stopped:
                raise
            self.rows.stopped = True

    def comparator(self) -> Found:
        """Return the best w, scaled so that γ = 1; 0 if there is no useful one."""
        bias_weight, w = self.solver.w()
        whole = np.zeros(self.rows.columns)
        whole[: len(w)] = w
        load = self.solver.shift * (math.fsum(np.abs(w)) + abs(bias_weight))
        # Beyond this, ηγ − c‖w‖₁ would have no digits left.
        scale = self.eta / (1 + load) if load < 1e9 else 0.0
        return self.rows.measured(whole * scale, bias_weight * scale)

    def hinged(self, found: Found, least: float) -> Weighed:
        """Measure a w with γ = 1."""
        evidence = self._evidence(found, 1.0)
        # Measures are rounded outward; w = 0 does not need that.
        loss = Fraction(found.hinge) if evidence["norm1"] else self.rows.count
        evidence["gamma_hinge"] = self.passes * loss
        return Weighed("minnow-hinge", found, evidence, least)

    def separating(self, found: Found, least: float) -> list[Weighed]:
        """Measure a w with γ = min_t y_t w·x_t, if that gives a bound."""
        evidence = self._evidence(found, found.margin)
        room = self.eta * found.margin - self.solver.shift * float(evidence["norm1"])
        if not room > 1e-9 * self.eta * found.margin:
            return []
        return [Weighed("minnow", found, evidence, least)]

    def _evidence(self, found: Found, gamma: float) -> dict[str, Measure]:
        weights = [abs(Fraction(float(v))) for v in (found.bias_weight, *found.w[found.w != 0])]
        return {
            "norm1": sum(weights, Fraction(0)),
            "dimension": self.sides * self.solver.features,
            "eta": self.eta,
            "gamma": gamma,
            "radius_inf": self.solver.radius,
        }
