"""Predictions of a frozen model on fresh rows: what they say of rows to come."""

from decimal import Decimal
from fractions import Fraction
from math import comb, inf, nextafter

from verifier.core.certificate import Json, Object, Refused, TooLarge, require
from verifier.core.data import Data
from verifier.core.enclosures import Precision, rounded_up
from verifier.core.exact import BELOW_1, above_0, least_float
from verifier.core.learner import is_integer
from verifier.core.predicted import PREDICTION_CLAIMS, Measured, PredictionClaim, Predictions
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.fixed_weights import BELOW_HALF, ChanceLoss

FRESH = (
    "the rows are independent draws from one distribution",
    "the model was frozen, and δ was chosen, before the rows were seen",
    "the predictions are the model's",
)
THEOREMS |= {
    "clopper-pearson": Theorem(
        "with probability ≥ 1 − δ, a model that is frozen before n fresh rows and is wrong on k of "
        "them has err ≤ p, the least p with P[Bin(n, p) ≤ k] ≤ δ, or 1 if k = n",
        "probable",
        FRESH,
    ),
    "betting-mean": Theorem(
        "with probability ≥ 1 − δ, for all n at once, a model that is frozen before n fresh rows "
        "has E[−ln p(y)] ≤ m·ln(1/ε) for each m with (1/24)Σ_j Π_t (1 + λ_j(m − X_t)) ≥ 1/δ, and "
        "for m = 1, where λ_j = 2^{−j/2} for j = 0..23, p(y) is the probability of the label, "
        "moved into [ε, 1 − ε], and X_t = −ln p_t(y_t)/ln(1/ε) in row t",
        "probable",
        FRESH,
    ),
}
MOST_TIED = 2000  # rows for which a tie is decided in whole numbers
STEPS = 1 << 20  # m is a whole number of 2^−20
BETS = 24


def lower_tail(k: int, n: int, p: Fraction, digits: Precision) -> tuple[Decimal, Decimal]:
    """Enclose P[Bin(n, p) ≤ k] for 0 < p < 1, with q = 1 − p.

    Its first term is q^n, and term i + 1 is term i times (n − i)p/((i + 1)q). All are above 0, so
    both ends are products and sums of ends.
    """
    ends = []
    for at, q in ((digits.down, digits.of(1 - p).low), (digits.up, digits.of(1 - p).high)):
        odds = at.divide(Decimal(p.numerator), Decimal((1 - p).numerator))  # p/q
        term, square, power = Decimal(1), q, n
        while power:  # term = q^n, every product rounded the same way
            term = at.multiply(term, square) if power % 2 else term
            square, power = at.multiply(square, square), power // 2
        total = term
        for i in range(k):
            term = at.divide(at.multiply(at.multiply(term, odds), n - i), i + 1)
            total = at.add(total, term)
        ends.append(total)
    return ends[0], ends[1]


def is_rare(k: int, n: int, p: float, delta: Fraction) -> bool:
    """Say whether P[Bin(n, p) ≤ k] ≤ δ, for k < n."""
    if not 0 < p < 1:
        return p >= 1
    share, exact = digits_of(delta), Fraction(p)
    for digits in (40, 160):
        low, high = lower_tail(k, n, exact, Precision(digits))
        if high <= share or low > share:
            return high <= share
    if n > MOST_TIED:
        raise TooLarge("the certificate: its probability is too near to δ to tell them apart")
    a, b = exact.numerator, exact.denominator
    whole = sum(comb(n, i) * a**i * (b - a) ** (n - i) for i in range(k + 1))
    return bool(whole * delta.denominator <= delta.numerator * b**n)


def digits_of(value: Fraction) -> Decimal:
    """Return a float as a decimal, which holds all of its digits."""
    return Decimal.from_float(float(value))


def error_counts(evidence: Object, data: Data, predictions: Predictions) -> int:
    """Count the rows whose prediction is wrong.

    Numbers that are at least the threshold say the positive label; labels say what they are.
    """
    threshold = evidence["threshold"]
    if predictions.kind == "label":
        require(threshold is None, "its predictions are labels, which take no threshold")
        codes = dict(data.codes)
        other = -1 if not data.many else len(codes)  # all labels but the positive one are one
        pairs = zip(data, predictions, strict=True)
        return sum(codes.get(label, other) != y for (y, _), label in pairs)
    if data.many or not isinstance(threshold, float):
        raise Refused("its threshold is no float for two labels")
    numbers = zip(data, predictions.numbers(), strict=True)
    return sum((value >= threshold) != (y > 0) for (y, _), value in numbers)


def measure_errors(evidence: Object, bound: Json, data: Data, predictions: Predictions) -> Measured:
    """Check that the bound is the least float p with P[Bin(n, p) ≤ k] ≤ δ; 1 if k = n."""
    delta = above_0(evidence["delta"], "delta", BELOW_1)
    k, n = error_counts(evidence, data, predictions), data.count
    if not isinstance(bound, float):
        raise Refused("its bound is no float")
    if k == n:
        return Measured({"mistakes": k}, k, 1.0)
    require(is_rare(k, n, bound, delta), f"so few errors as {k} are more likely at its bound")
    below = nextafter(bound, -inf)
    require(not is_rare(k, n, below, delta), "its bound is not the least")
    require(0 < bound <= 1, "its bound is no probability")
    return Measured({"mistakes": k}, k, bound)


class Capital:
    """A lower bound of (1/24)Σ_j Π_t (1 + λ_j(m − X_t)), in decimals of 30 digits rounded down."""

    def __init__(self, m: Fraction, clip: Fraction) -> None:
        self.digits = Precision(30)
        roots = [self.digits.of(Fraction(1, 1 << j)).sqrt() for j in range(BETS)]
        self.bets = [(root.low, root.high) for root in roots]
        self.products = [Decimal(1)] * BETS
        self.most = (-self.digits.of(clip).ln()).low  # ln(1/ε)
        self.m = self.digits.of(m).low

    def add(self, q: Decimal) -> None:
        """Add a row whose label has the probability q, rounded down."""
        down, up = self.digits.down, self.digits.up
        loss = Decimal(0) if q >= 1 else down.next_minus(down.ln(q)).copy_negate()
        gain = down.subtract(self.m, min(Decimal(1), up.divide(loss, self.most)))
        for j, (low, high) in enumerate(self.bets):
            factor = down.add(1, down.multiply(gain, low if gain > 0 else high))
            self.products[j] = down.multiply(self.products[j], max(Decimal(0), factor))

    def reaches(self, delta: Fraction) -> bool:
        """Say whether it is surely at least 1/δ."""
        down, total = self.digits.down, Decimal(0)
        for product in self.products:
            total = down.add(total, product)
        return down.multiply(down.divide(total, BETS), digits_of(delta)) >= 1


def measure_mean(evidence: Object, bound: Json, data: Data, predictions: Predictions) -> Measured:
    """Evaluate m·ln(1/ε), where m = steps·2^−20 is one at which the capital reaches 1/δ, or 1."""
    require(predictions.kind == "probability", "its predictions are no probabilities")
    delta = above_0(evidence["delta"], "delta", BELOW_1)
    clip, steps = above_0(evidence["clip"], "clip", BELOW_HALF), evidence["steps"]
    if not (is_integer(steps) and 0 < steps <= STEPS):
        raise Refused("its steps are no whole number from 1 to 2^20")
    m = Fraction(steps, STEPS)
    capital, loss = Capital(m, clip), ChanceLoss(clip)
    for (y, _), p in zip(data, predictions.numbers(), strict=True):
        loss.add(y, p)
        capital.add(loss.chance(y, p))
    won = steps == STEPS or capital.reaches(delta)
    require(won, "the capital does not reach 1/δ at its mean")
    mean = least_float(loss.total() / data.count)
    found = rounded_up(lambda digits: -digits.of(clip).ln() * m)
    return Measured({"loss": mean}, mean, found)


PREDICTION_CLAIMS |= {
    "clopper-pearson": PredictionClaim(
        ("predictions", "kind", "threshold", "delta"), ("mistakes",), measure_errors, many=True
    ),
    "betting-mean": PredictionClaim(
        ("predictions", "kind", "clip", "delta", "steps"), ("loss",), measure_mean
    ),
}
