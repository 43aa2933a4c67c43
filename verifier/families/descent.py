"""Gradient descent, a float program, and what bounds its loss."""

import hashlib
import struct
from collections.abc import Callable
from fractions import Fraction
from math import fsum, ldexp

from verifier.core.certificate import Names, Object, Refused, require
from verifier.core.data import Data
from verifier.core.exact import dot, grid, least_float, whole
from verifier.core.learner import LEARNERS, PARAMETERS, one_of
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.losses import (
    RATE,
    LogisticRun,
    Values,
    added,
    float_exp,
    float_log1p,
)
from verifier.families.perceptron import LINEAR, check_hashing

THEOREMS |= {
    "ogd": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + ‖u‖²/2rate − ‖w_{T+1} − u‖²/2rate + (rate/2)Σ_t g_t²‖x_t‖² + "
        "rounding for every u, where ℓ_t(s) is the loss of a score s, logistic ln(1 + e^{−y_t s}), "
        "hinge max(0, 1 − y_t s), squared (y_t − s)² or absolute |y_t − s|, g_t its derivative at "
        "the score that was played, and L(u) = Σ_t ℓ_t(u·x_t)"
    ),
    "ogd-logistic": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ (L(u) + ‖u‖²/2rate + rounding)/(1 − c·rate·R²) for every u, if "
        "c·rate·R² < 1, where ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, "
        "L(u) = Σ_t ℓ_t(u·x_t), R = max_t ‖x_t‖ and c = 0.203633 ≥ ½ max_g g²/−ln(1 − g)"
    ),
}

HUGE, BEYOND = ldexp(1.0, 900), ldexp(1.0, 300)
SHARE = Fraction(203633, 1_000_000)  # c: ½ g² ≤ c ℓ for the logistic loss


def clipped(value: float) -> float:
    """Return a float, or ±2⁹⁰⁰ if it is beyond."""
    return min(max(value, -HUGE), HUGE)


def logistic_cost(s: float, y: int) -> tuple[float, float]:
    """Return ln(1 + e^{−ys}) and its derivative, as the program computes them."""
    e = float_exp(-abs(s))
    d, right = 1.0 + e, (s >= 0) == (y > 0)
    slope = e / d if right else 1.0 / d
    loss = float_log1p(e) if right else abs(s) + float_log1p(e)
    return loss, -slope if y > 0 else slope


def hinge_cost(s: float, y: int) -> tuple[float, float]:
    """Return max(0, 1 − ys) and its derivative."""
    return (1.0 - y * s, float(-y)) if y * s < 1.0 else (0.0, 0.0)


def squared_cost(s: float, y: int) -> tuple[float, float]:
    """Return (y − s)² and its derivative."""
    return (s - y) * (s - y), 2.0 * (s - y)


def absolute_cost(s: float, y: int) -> tuple[float, float]:
    """Return |y − s| and its derivative."""
    return abs(s - y), float(s > y) - float(s < y)


COSTS: dict[str, Callable[[float, int], tuple[float, float]]] = {
    "logistic": logistic_cost,
    "hinge": hinge_cost,
    "squared": squared_cost,
    "absolute": absolute_cost,
}


def apart(w: dict[int, float], fine: int, u: dict[int, int]) -> Fraction:
    """Return ‖w − u‖², where u is in whole numbers of 2^−fine."""
    g = max(fine, grid(w.values()))
    gone = dict(zip(w, whole(w.values(), g), strict=True))
    for i, v in u.items():
        gone[i] = gone.get(i, 0) - (v << (g - fine))
    return Fraction(dot(gone, ([*gone], [*gone.values()])), 1 << 2 * g)


class GradientDescent(LogisticRun):
    """w ← w − rate·g·x in every round, in plain floats."""

    theorems: Names = ("ogd", "ogd-logistic", "progressive")
    evidence: Names = ("w", "loss")
    program = "gradient-descent/1"

    def __init__(self, data: Data, rate: float, loss: str, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.rate, self.name, self.cost = rate, loss, COSTS[loss]
        self.weights: dict[int, float] = {}
        self.stability, self.stability_rest = 0.0, 0.0
        self.whole_loss = self.radius2 = 0  # L(u) of the other losses, and R², in whole numbers
        if loss != "logistic":
            self.theorems = ("ogd", "progressive")

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        terms = [clipped(self.weights.get(i, 0.0) * value) for i, value in zip(*x, strict=True)]
        s = fsum(terms)
        loss, g = self.cost(s, y)
        a, squares = self.rate * g, []
        for i, value in zip(*x, strict=True):
            step = clipped(a * value)
            self.weights[i] = self.weights.get(i, 0.0) - step
            squares.append(clipped(step * step))
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, clipped(loss))
        cost = fsum(squares) / (2.0 * self.rate)
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, cost)
        self.played += 1
        return (s >= 0) != (y > 0)

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of u in a round of the first pass, which stands for all; measure ‖x‖²."""
        if not (times and self.compared):
            return
        row = x[0], whole(x[1], self.data.grid)
        self.times, z, unit = times, dot(self.u, row), 1 << (self.fine + self.data.grid)
        self.radius2 = max(self.radius2, dot(dict(zip(*row, strict=True)), row))
        if self.name == "logistic":
            self.log_loss.add(y * z)
        elif self.name == "hinge":
            self.whole_loss += max(0, unit - y * z)
        elif self.name == "squared":
            self.whole_loss += (y * unit - z) * (y * unit - z)
        else:
            self.whole_loss += abs(y * unit - z)

    def fingerprint(self) -> str:
        """Return SHA-256 over (index, w) of every weight but 0, ascending; 2⁶⁴ − 1 is −1."""
        self.work.spend(1000 * len(self.weights), "a hash of so many states")
        digest = hashlib.sha256()
        for i, w in sorted((i % (1 << 64), w) for i, w in self.weights.items() if w):
            digest.update(struct.pack("<Qd", i, w))
        return digest.hexdigest()

    def compared_loss(self) -> Fraction:
        """Return L(u), rounded up if it is logistic."""
        if self.name == "logistic":
            return self.times * self.log_loss.total()
        unit = 1 << (self.fine + self.data.grid)
        whole_unit = unit * unit if self.name == "squared" else unit
        return self.times * Fraction(self.whole_loss, whole_unit)

    def penalised(self, penalty: Fraction, start: Fraction) -> Fraction:
        """Return L(u) + penalty + 2⁻⁴⁷T(T + loss + stability + penalty + start)."""
        T, stability = self.played, self.stability + self.stability_rest
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        small = self.data.largest <= BEYOND and stability <= BEYOND
        require(small, "its values or its steps are beyond 2^300")
        own = Fraction(self.loss + self.loss_rest) + Fraction(stability)
        rounding = Fraction(T, 1 << 47) * (T + own + penalty + start)
        return self.compared_loss() + penalty + rounding

    def moved(self) -> Fraction:
        """Return (rate/2)Σ g²‖x‖² − ‖w − u‖²/2rate, w being the weights after the last round."""
        far2 = apart(self.weights, self.fine, self.u)
        return Fraction(self.stability + self.stability_rest) - far2 / (2 * Fraction(self.rate))

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem for a run from w = 0, whose penalty is ‖u‖²/2rate."""
        rate = Fraction(self.rate)
        allowed = self.penalised(apart({}, self.fine, self.u) / (2 * rate), Fraction(0))
        if theorem == "ogd":
            return least_float(allowed + self.moved())
        share = SHARE * rate * Fraction(self.radius2, 1 << 2 * self.data.grid)
        if share >= 1:
            raise Refused("its rate is too large for the longest row")
        return least_float(allowed / (1 - share))


LEARNERS |= {"GradientDescent": GradientDescent}
PARAMETERS |= {"GradientDescent": {"rate": RATE, "loss": one_of(*COSTS)} | LINEAR}
