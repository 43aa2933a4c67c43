"""The log loss of a comparator with many classes from above, its dual from below."""

from decimal import Decimal
from fractions import Fraction
from math import ldexp

from verifier.core.enclosures import Enclosure, Precision
from verifier.core.exact import Vector
from verifier.families.class_mixture import softmax

TINY = Decimal("1e-34")  # above e^−79


class SoftmaxLoss:
    """An upper bound of Σ ln Σ_k e^{z_k} with z_y = 0, in decimals of 30 digits, rounded up.

    ln Σ_k e^{z_k} = top + ln Σ_k e^{z_k − top}, and the logarithms of 64 rounds are one.
    """

    def __init__(self, unit: int) -> None:
        self.digits = Precision(30)
        self.unit = Decimal(unit)  # what z is a whole number of
        self.far = 79 * unit  # e^−79 is below TINY
        self.linear, self.logs, self.product, self.count = 0, Decimal(0), Decimal(1), 0

    def add(self, z: list[int]) -> None:
        """Add a round with scores of z units, 0 for its class."""
        up, far, unit = self.digits.up, self.far, self.unit
        top = max(z)
        self.linear += top
        powers = Decimal(0)
        for score in z:
            gap = top - score
            if gap == 0:
                power = Decimal(1)
            elif gap >= far:
                power = TINY
            else:
                power = up.next_plus(up.exp(up.divide(Decimal(-gap), unit)))
            powers = up.add(powers, power)
        self.product = up.multiply(self.product, powers)
        self.count += 1
        if self.count % 64 == 0:
            self.gather()

    def gather(self) -> None:
        """Add the logarithm of the product so far."""
        up = self.digits.up
        if self.product > 1:  # it is above 1 as soon as it has a factor
            self.logs = up.add(self.logs, up.next_plus(up.ln(self.product)))
        self.product = Decimal(1)

    def total(self) -> Fraction:
        """Return the upper bound."""
        self.gather()
        return Fraction(self.linear) / Fraction(self.unit) + Fraction(self.logs)


class SoftmaxLeast:
    """What L(U) + ½Σ λ_i Σ_k U_ki² is not below for any U, from the dual, in decimals of 30 digits.

    For any α_t ≥ 0 with Σ_k α_tk = 1 it is at least Σ H(α_t) − ½Σ_i Σ_k v_ki²/λ_i, with
    H(α) = −Σ_k α_k ln α_k and v_k = Σ_t ([k = y_t] − α_tk) x_t, because
    ln Σ_k e^{s_k} ≥ H(α) + Σ_k α_k s_k for all scores. Here α_tk = r_tk/2³²: the softmax of the
    comparator's scores, rounded down for k other than y_t, which gets the rest.
    """

    whole = 1 << 32

    def __init__(self, digits: Precision, unit: int) -> None:
        self.digits, self.unit = digits, unit  # what z is a whole number of
        self.pull: dict[int, list[int]] = {}  # v by feature, in units of 2⁻³² times those of x
        self.logs, self.count = Decimal(0), 0  # Σ r ln r, of so many rounds

    def add(self, y: int, z: list[int], x: Vector) -> None:
        """Add a round with scores of z units."""
        top, far, unit, N = max(z), 800 * self.unit, self.unit, self.whole
        chances, _ = softmax([-(min(top - score, far) / unit) for score in z])
        parts = [int(ldexp(chance, 32)) for chance in chances]
        parts[y] = 0
        parts[y] = N - sum(parts)
        up = self.digits.up
        for part in parts:
            if part > 1:
                term = up.multiply(part, up.next_plus(up.ln(Decimal(part))))
                self.logs = up.add(self.logs, term)
        self.count += 1
        pulls = [-part for part in parts]
        pulls[y] += N
        for i, value in zip(*x, strict=True):
            old = self.pull.get(i) or [0] * len(z)
            self.pull[i] = [a + b * value for a, b in zip(old, pulls, strict=True)]

    def entropy(self) -> Enclosure:
        """Return Σ H(r_t/2³²) = Σ_t 32 ln 2 − Σ_k r ln r/2³², from below."""
        logs = Enclosure(self.digits, self.logs, self.logs)
        return self.digits.of(2).ln() * (32 * self.count) - logs / self.whole
