"""Minnow and balanced Minnow: sums of exponentials."""

from collections import defaultdict
from fractions import Fraction

from verifier.core.certificate import Object, require
from verifier.core.data import Data
from verifier.core.enclosures import DIGITS, Enclosure, Precision, rounded_up, settled
from verifier.core.exact import LEAST, Vector, least_float
from verifier.core.learner import LEARNERS, PARAMETERS, Work, numbers
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.perceptron import LINEAR, Perceptron

SIGNED = "; the balanced form takes w of either sign, and its d counts every feature twice"
THEOREMS |= {
    "minnow": Theorem(
        "M ≤ ‖w‖₁ ln d/(ηγ − ‖w‖₁ ln cosh(ηR∞)) if w ≥ 0, y_t w·x_t ≥ γ > 0 for every t and the "
        "denominator is positive" + SIGNED,
        earlier=("78f5efac5d88455d5a2c939c551e365b3258c612bc3f558cac2b16c83804f611",),
    ),
    "minnow-hinge": Theorem(
        "M ≤ (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where L = Σ_t max(0, γ − y_t w·x_t), if "
        "w ≥ 0, γ > 0 and the denominator is positive" + SIGNED,
        earlier=("b5131dba3c5fd1e60d13265e2cf1a1f7146332a846028154f817133121750e5c",),
    ),
}


def sign_of_exponentials(terms: dict[Fraction, int], work: Work) -> int:
    """Return the sign of Σ c e^a, 0 only if there is no term (Lindemann, Weierstrass)."""
    if not terms or min(terms.values()) > 0 or max(terms.values()) < 0:
        return sum(terms.values())
    top = max(terms)

    def score(digits: Precision) -> Enclosure:
        count = digits.down.prec
        near = [(a - top, c) for a, c in terms.items() if top - a < 3 * count]
        far = sum(abs(c) for a, c in terms.items() if top - a >= 3 * count)  # e^−3 < 1/10
        if count > DIGITS[1]:  # what rows of data seldom take
            work.spend(20 * count**2 * len(near), "a tie that is nearly one")
        rest = digits.of(Fraction(far, 10**count))
        total = sum((digits.of(a).exp() * c for a, c in near), digits.of(0))
        return Enclosure(digits, (total - rest).low, (total + rest).high)

    return 1 if settled(score, lambda end: end > 0) else -1


class Minnow(Perceptron):
    """w_j ∝ e^{ηθ_j}, balanced e^{ηθ_j} − e^{−ηθ_j}, with θ ← θ + y x on a mistake."""

    theorems = ("minnow", "minnow-hinge", "progressive")
    evidence = ("w", "gamma")
    balanced = False

    def __init__(self, data: Data, eta: float, hashing: Object | None = None) -> None:
        super().__init__(data, hashing=hashing)
        self.rate = Fraction(eta) / (1 << data.grid)

    def score(self, x: Vector) -> int:
        """Return the sign of Σ x_j e^{ηθ_j}; the weights are θ."""
        sums: dict[int, int] = defaultdict(int)
        for j, v in zip(*x, strict=True):
            sums[self.weights.get(j, 0)] += v
            if self.balanced:
                sums[-self.weights.get(j, 0)] -= v
        exponents = {theta * self.rate: c for theta, c in sums.items() if c}
        return sign_of_exponentials(exponents, self.work)

    def bound(self, theorem: str) -> float:
        """Evaluate (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)), d counting twice if balanced."""
        w, data = self.w[0].values(), self.data
        require(theorem != "minnow" or self.hinge == 0, "its w does not separate the data by gamma")
        require(self.balanced or min(w, default=0) >= 0, "its w is negative somewhere")
        if not any(w):  # no logarithm is left
            return least_float(Fraction(self.hinge, self.unit))
        d = max(1, data.features + (data.bias != 0)) * (2 if self.balanced else 1)
        reach: Fraction = self.rate * (1 << data.grid) * Fraction(data.largest)
        norm: int = sum(map(abs, w))
        gain: Fraction = self.rate * self.unit

        def value(digits: Precision) -> Enclosure:
            # ln cosh z = z + ln((1 + e^{−2z})/2), in which nothing overflows
            room = gain - norm * (reach + ((1 + digits.of(-2 * reach).exp()) / 2).ln())
            require(room.high > 0, "ηγ is not above ‖w‖₁ ln cosh(ηR∞)")
            above = norm * digits.of(d).ln() + self.rate * self.hinge
            return above / room

        return rounded_up(value)


class BalancedMinnow(Minnow):
    """Minnow over the features and their negatives."""

    balanced = True


LEARNERS |= {"Minnow": Minnow, "BalancedMinnow": BalancedMinnow}
PARAMETERS |= dict.fromkeys(("Minnow", "BalancedMinnow"), {"eta": numbers(LEAST, 1e300)} | LINEAR)
