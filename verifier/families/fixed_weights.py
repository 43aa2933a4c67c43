"""Predictions of anybody's learner: what they lose, against the best fixed weights."""

import math
from decimal import Decimal
from fractions import Fraction

from verifier.core.certificate import Json, Object, Refused, require
from verifier.core.data import Data
from verifier.core.duals import DualBound, LogisticDual
from verifier.core.enclosures import Enclosure, Precision, rounded_up
from verifier.core.exact import MOST, Vector, above_0, dot, least_float, whole
from verifier.core.predicted import PREDICTION_CLAIMS, Measured, PredictionClaim, Predictions
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.losses import LogLoss
from verifier.families.perceptron import comparator

WHEN = (
    "the files do not show whether a prediction was made before its label was known; the "
    "inequality holds in any case, but only predictions made before are worth anything"
)
BELOW_HALF = math.nextafter(0.5, 0.0)
THEOREMS |= {
    "fixed-weights": Theorem(
        "Σ_t −ln p_t(y_t) ≤ min_u [Σ_t ln(1 + e^{−y_t u·x_t}) + ½Σ_i λ_i u_i²] + B, where p_t(y_t) "
        "is the probability that the prediction of row t gives to its label, and "
        "λ_i = λ·max_t x_{t,i}²",
        assumptions=(WHEN,),
    ),
}


class ChanceLoss:
    """An upper bound of Σ −ln p_t(y_t), in decimals of 30 digits that are rounded up.

    The logarithms of 64 rounds are one.
    """

    def __init__(self, clip: Fraction | None) -> None:
        self.digits = Precision(30)
        self.logs, self.product, self.count = Decimal(0), Decimal(1), 0
        self.ends = (Decimal(0), Decimal(1))
        if clip is not None:  # a float has at most 1074 digits behind the point, and so has 1 − ε
            low = Decimal.from_float(float(clip))
            self.ends = low, Precision(1100).down.subtract(Decimal(1), low)

    def chance(self, y: int, p: float) -> Decimal:
        """Return the probability of the label, rounded down, if p is that of the positive one."""
        low, high = self.ends
        q = min(max(Decimal.from_float(p), low), high)
        down = self.digits.down
        return down.plus(q) if y > 0 else down.subtract(Decimal(1), q)

    def add(self, y: int, p: float) -> None:
        """Add a round."""
        q = self.chance(y, p)
        self.count += 1
        require(q > 0, f"prediction {self.count} gives its label the probability 0: state a clip")
        self.product = self.digits.down.multiply(self.product, q)
        if self.count % 64 == 0:
            self.gather()

    def gather(self) -> None:
        """Add the logarithm of the product so far."""
        down, up = self.digits.down, self.digits.up
        if self.product < 1:
            self.logs = up.subtract(self.logs, down.next_minus(down.ln(self.product)))
        self.product = Decimal(1)

    def total(self) -> Fraction:
        """Return the upper bound."""
        self.gather()
        return Fraction(self.logs)


class FixedWeights:
    """Weights u and their penalty ½Σ_i λ_i u_i², λ_i = λ·max_t x_{t,i}²; what no other go below."""

    def __init__(self, evidence: Object, grid: int) -> None:
        self.penalty = above_0(evidence["penalty"], "penalty")
        self.fine, weights = comparator(evidence["w"], many=False)
        self.u, self.grid = weights[0], grid
        self.unit = 1 << (self.fine + self.grid)  # u·x is a whole number of its inverse
        self.largest: dict[int, int] = {}  # |x_i|, in units of 2^−grid

    def see(self, x: Vector) -> None:
        """Look for the largest values in a row."""
        largest = self.largest
        for i, value in zip(*x, strict=True):
            if abs(value) > largest.get(i, 0):
                largest[i] = abs(value)

    def least(self, dual: DualBound) -> Fraction:
        """Return what no u goes below with its penalty."""

        def lambdas(i: int) -> Decimal:
            share = self.penalty * Fraction(self.largest[i] ** 2, 1 << 2 * self.grid)
            return dual.digits.of(share).low

        return Fraction(dual.least(lambdas, self.grid))

    def paid(self) -> Fraction:
        """Return ½Σ_i λ_i u_i²."""
        for i in self.u:
            if i not in self.largest:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
        squares = sum((self.largest[i] * weight) ** 2 for i, weight in self.u.items())
        return self.penalty * Fraction(squares, 2 * self.unit**2)


def compared(own: Fraction, value: Fraction, least: Fraction, others: Object) -> Measured:
    """Return own − least, the bound, and own − value, what the predictions lose more than u."""
    regret, found = least_float(own - value), least_float(own - least)
    facts = {"loss": least_float(own), "least": -least_float(-least), "regret": regret} | others
    finite = all(abs(v) <= MOST for v in (found, *facts.values()) if isinstance(v, float))
    require(finite, "a number of it is beyond every float")
    return Measured(facts, regret, found)


def base_rate_loss(positives: int, count: int) -> float:
    """Return n·H(k/n): what the frequency of the positive label loses, rounded up."""

    def formula(digits: Precision) -> Enclosure:
        parts = [k for k in (positives, count - positives) if k]
        return sum((digits.of(Fraction(count, k)).ln() * k for k in parts), digits.of(0))

    return 0.0 if positives in (0, count) else rounded_up(formula)


def clip_of(value: Json, kind: str) -> Fraction | None:
    """Return the ε at which probabilities are clipped, if they are."""
    if value is None:
        return None
    require(kind == "probability", "its predictions are no probabilities, which are clipped")
    return above_0(value, "clip", BELOW_HALF)


def measure_logistic(
    evidence: Object, bound: Json, data: Data, predictions: Predictions
) -> Measured:
    """Find B = Σ_t −ln p_t(y_t) − D, where D is the dual lower bound."""
    require(predictions.kind in ("probability", "score"), "its predictions have no log loss")
    chances = ChanceLoss(clip_of(evidence["clip"], predictions.kind))
    scores, fixed = LogLoss(1 << predictions.grid), FixedWeights(evidence, data.grid)
    loss, dual = LogLoss(fixed.unit), LogisticDual()
    positives = mistakes = 0
    middle = 0.5 if predictions.kind == "probability" else 0.0
    for (y, x), value in zip(data, predictions.numbers(), strict=True):
        if predictions.kind == "score":
            scores.add(y * whole([value], predictions.grid)[0])
        else:
            chances.add(y, value)
        fixed.see(x)
        z = y * dot(fixed.u, x)
        loss.add(z)
        dual.take(y, z, fixed.unit, x)
        positives += y > 0
        mistakes += (value >= middle) != (y > 0)
    own, best = chances.total() + scores.total(), loss.total() + fixed.paid()
    others: Object = {"mistakes": mistakes, "baseline": base_rate_loss(positives, data.count)}
    return compared(own, best, fixed.least(dual), others)


PREDICTION_CLAIMS |= {
    "fixed-weights": PredictionClaim(
        ("predictions", "kind", "clip", "penalty", "bias", "w"),
        ("loss", "least", "regret", "mistakes", "baseline"),
        measure_logistic,
    ),
}
