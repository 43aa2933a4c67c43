"""Learners for losses, which are float programs: they are replayed bit for bit.

docs/programs.md defines them. Python's floats are those of IEEE 754, so that every operation here
is one of the program: `+ − × /` and `√` round to nearest, and `fsum` is the rounded exact sum.
"""

import hashlib
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from math import frexp, fsum, ldexp, sqrt

from verifier.core.certificate import (
    Json,
    Names,
    Object,
    Refused,
    TooLarge,
    canonical,
    require,
)
from verifier.core.data import Data
from verifier.core.duals import LogisticDual
from verifier.core.enclosures import Precision
from verifier.core.exact import dot, least_float, whole
from verifier.core.files import Rows
from verifier.core.learner import LEARNERS, PARAMETERS, Learner, Work, numbers, one_of, remark
from verifier.core.theorem import THEOREMS, Theorem
from verifier.core.transforms import Transforms, check_floats
from verifier.families.perceptron import LINEAR, check_hashing, comparator

THEOREMS |= {
    "ftrl-diag": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + ½Σ_i λ_i u_i² + ½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + rounding for "
        "every u, where ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, g_t its derivative "
        "at the score that was played, L(u) = Σ_t ℓ_t(u·x_t), "
        "λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with m = max_{s≤t} |x_{s,i}|, and λ_i the "
        "same after the last round"
    ),
}

L2E = float.fromhex("0x1.71547652b82fep0")
LN2H, LN2L = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
SQH = float.fromhex("0x1.6a09e667f3bcdp-1")
ROUND = 6755399441055744.0  # 1.5·2⁵²: adding and subtracting it rounds to a whole number
MOST_PASSES = 1000  # each reads all lines of a file again, also those without a round


def factorial(n: int) -> float:
    """Return n!, a whole number up to 14!."""
    return 1.0 if n < 2 else n * factorial(n - 1)


EXP = [1.0 / factorial(n) for n in range(14, 1, -1)]  # 1/14!, …, 1/2!
LOG = [2.0 / (2 * n + 1) for n in range(10, 0, -1)]  # 2/21, …, 2/3


def horner(coefficients: list[float], x: float) -> float:
    """Evaluate a polynomial, its highest coefficient first."""
    found = coefficients[0]
    for c in coefficients[1:]:
        found = found * x + c
    return found


def float_exp(x: float) -> float:
    """Return e^x as the programs define it."""
    x = min(max(x, -708.0), 708.0)
    k = (x * L2E + ROUND) - ROUND
    a, b = x - k * LN2H, k * LN2L
    r = a - b
    rest = (a - r) - b
    w = (r * r) * horner(EXP, r) + rest
    h = 1.0 + r
    low = r - (h - 1.0)
    return ldexp(h + (low + w), int(k))


def float_log1p(x: float) -> float:
    """Return ln(1 + x) for x ≥ 0 as the programs define it."""
    u = 1.0 + x
    m, k = frexp(u)  # ½ ≤ m < 1
    if m < SQH:
        m, k = m * 2.0, k - 1
    if k == 0:
        f, c = x, 0.0
    else:
        f, c = m - 1.0, (x - (u - 1.0) if x < 1.0 else 1.0 - (u - x)) / u
    s = f / (2.0 + f)
    z = s * s
    half = (0.5 * f) * f
    R = z * horner(LOG, z)
    return k * LN2H - ((half - (s * (half + R) + (k * LN2L + c))) - f)


def added(total: float, rest: float, term: float) -> tuple[float, float]:
    """Add a term to a sum of two floats: total is the rounded sum, rest gathers its errors."""
    s = total + term
    b = s - total
    return s, rest + ((total - (s - b)) + (term - b))


def check_passes(passes: int) -> None:
    """Refuse to play too many passes: a float program cannot leave any of them out."""
    if passes > MOST_PASSES:
        most = f"{MOST_PASSES}, the most that are played here"
        raise TooLarge(f"the certificate: {passes} passes are more than {most}")


class FloatData(Data):
    """The rows of a float program, which are read only if the floats are fit for it."""

    def __init__(
        self, rows: Rows, labels: Json, bias: Json, transforms: Transforms | None = None
    ) -> None:
        check_floats()
        super().__init__(rows, labels, bias, transforms)


class LogLoss:
    """An upper bound of Σ ln(1 + e^{−y u·x}), in decimals of 30 digits that are rounded up.

    ln(1 + e^{−z}) = max(0, −z) + ln(1 + e^{−|z|}), and the logarithms of 64 rounds are one.
    """

    def __init__(self, unit: int) -> None:
        self.digits = Precision(30)
        self.unit = Decimal(unit)  # what z is a whole number of
        self.linear, self.logs, self.product, self.count = 0, Decimal(0), Decimal(1), 0

    def add(self, z: int) -> None:
        """Add a round with y u·x = z units."""
        down, up = self.digits.down, self.digits.up
        self.linear += max(0, -z)
        small = up.exp(down.divide(Decimal(abs(z)), self.unit).copy_negate())
        self.product = up.multiply(self.product, up.add(1, up.next_plus(small)))
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


Cell = tuple[float, float, float]  # m, θ and S of a feature
Values = tuple[list[int], list[float]]  # indices and values of a row, the constant at −1
Sizes = Callable[[int], tuple[float, float] | None]  # m and S of a feature, if it has appeared


class LogisticRun(Learner[int, Values]):
    """A run of a float program for the logistic loss, and the loss of a comparator u beside it."""

    reads = FloatData
    transforms = True
    data: Data
    rate: float
    sizes: Sizes
    played = 0  # rounds
    loss = loss_rest = 0.0

    def __init__(self, data: Data) -> None:
        self.data, self.work = data, Work()

    def rounds(self) -> Iterator[tuple[int, Values]]:
        """Yield y and x of each row as floats, x with the constant feature."""
        bias = self.data.bias
        for y, indices, values in self.data.given():
            yield y, ([*indices, -1], [*values, bias]) if bias else (indices, values)

    def play(
        self,
        passes: int,
        evidence: Object,
        transcript: Iterator[int],
        states: dict[int, str] | None = None,
    ) -> None:
        """Play the run. No pass can be left out, so only so many are played."""
        check_passes(passes)
        super().play(passes, evidence, transcript, states)

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and prepare to sum its losses."""
        self.compared = "w" in evidence
        self.fine, weights = comparator(evidence.get("w", []), many=False)
        self.u, self.times = weights[0], 1
        self.unit = 1 << (self.fine + self.data.grid)  # u·x is a whole number of its inverse
        self.log_loss = LogLoss(self.unit)
        self.dual = LogisticDual() if "least" in evidence else None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of the comparator in a round of the first pass, which stands for all."""
        if times and self.compared:
            self.times = times
            row = x[0], whole(x[1], self.data.grid)
            z = y * dot(self.u, row)
            self.log_loss.add(z)
            if self.dual:
                self.dual.take(y, z, self.unit, row)

    @property
    def observed(self) -> float:
        """The loss if it is what the theorem is about, else the mistakes."""
        return self.loss + self.loss_rest if self.compared else self.mistakes

    def completed(self, evidence: Object) -> Object:
        """Return the evidence with the least value, if it has one."""
        return evidence | {"least": self.least} if "least" in evidence else evidence

    def confirm(self, evidence: Object) -> None:
        """Confirm the loss, and that all of it was computed with such floats."""
        check_floats()
        if self.compared:
            same = canonical(evidence["loss"]) == canonical(self.observed)
            require(same, f"its loss is not {self.observed}")
        if self.compared and self.dual:
            same = canonical(evidence["least"]) == canonical(self.least)
            require(same, f"its least value is not {self.least}: certify the run again")

    def penalty(self, sizes: Sizes, rate: float) -> Fraction:
        """Return ½Σ λ_i u_i² = Σ (m u)²√(S + 1)/(2 rate), rounded up; (m, S) is sizes(i)."""
        digits = self.log_loss.digits
        total = digits.of(0)
        for i, weight in self.u.items():
            found = sizes(i)
            if found is None:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
            share = Fraction(found[0]) * Fraction(weight, 1 << self.fine)
            total += digits.of(Fraction(found[1]) + 1).sqrt() * (share * share)
        return Fraction((total / (2 * Fraction(rate))).high)

    @property
    def least(self) -> float | None:
        """The greatest float, 0 or more, that k L(u) + ½Σ λ_i u_i² is not below, with k passes.

        λ_i = m²√(S + 1)/rate, and (m, S) is sizes(i). None if the certificate does not say.
        """
        if not self.dual:
            return None
        digits = self.dual.digits

        def lambdas(i: int) -> Decimal:
            m, S = self.sizes(i) or (1.0, 0.0)  # every feature of a row has appeared
            share = Fraction(m) * Fraction(m) / Fraction(self.rate)
            return (digits.of(Fraction(S) + 1).sqrt() * share).low

        found = self.dual.least(lambdas, self.data.grid, self.times)
        return max(0.0, -least_float(-Fraction(found)))


class AdaptiveGradient(LogisticRun):
    """m = max|x|, w = rate·θ/(m√(S + 1)); θ ← θ − g x/m, S ← S + (g x/m)² in every round."""

    theorems: Names = ("ftrl-diag", "progressive")
    evidence: Names = ("w", "loss", "least")
    optional: Names = ("least",)
    program = "adaptive-gradient/1"

    def __init__(self, data: Data, rate: float, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.rate = rate
        self.cells: dict[int, Cell] = {}
        self.stability, self.stability_rest = 0.0, 0.0

    def scaled(self, i: int, x: float) -> Cell:
        """Return (m, θ, S) with this x among what m is the maximum of."""
        m, theta, S = self.cells.get(i, (0.0, 0.0, 0.0))
        size = abs(x)
        if size <= m:
            return m, theta, S
        c = m / size
        return size, theta * c, (S * c) * c

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        parts, terms = [], []
        for i, value in zip(*x, strict=True):
            m, theta, S = self.scaled(i, value)
            root, share = sqrt(S + 1.0), value / m
            parts.append((i, m, theta, S, root, share))
            terms.append(((self.rate * theta) / root) * share)
        s = fsum(terms)
        e = float_exp(-abs(s))
        d = 1.0 + e
        right = (s >= 0) == (y > 0)
        slope = e / d if right else 1.0 / d  # |g|
        g = -slope if y > 0 else slope
        loss = float_log1p(e) if right else abs(s) + float_log1p(e)
        costs = []
        for i, m, theta, S, root, share in parts:
            step = g * share
            square = step * step
            costs.append(square / root)
            self.cells[i] = m, theta - step, S + square
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        cost = (0.5 * self.rate) * fsum(costs)
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, cost)
        self.played += 1
        return not right

    def fingerprint(self) -> str:
        """Return SHA-256 over (index, m, θ, S) of every feature, ascending; 2⁶⁴ − 1 is −1."""
        self.work.spend(1000 * len(self.cells), "a hash of so many states")
        digest = hashlib.sha256()
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            digest.update(struct.pack("<Qddd", i, *cell))
        return digest.hexdigest()

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared."""
        m, _, S = self.cells.get(i, (0.0, 0.0, 0.0))
        return (m, S) if i in self.cells else None

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + penalty + stability + 2⁻⁴⁹T(T + 5(stability + penalty + loss))."""
        T, share = self.played, Fraction(self.played, 1 << 49)
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        stability = Fraction(self.stability + self.stability_rest)
        loss, penalty = Fraction(self.loss + self.loss_rest), self.penalty(self.sizes, self.rate)
        rounding = share * (T + 5 * (stability + penalty + loss))
        return least_float(self.times * self.log_loss.total() + penalty + stability + rounding)


LEARNERS |= {"AdaptiveGradient": AdaptiveGradient}
LOGISTIC = remark(one_of("logistic"))  # so far the only loss
RATE = numbers(1 / (1 << 20), float(1 << 20))
PARAMETERS |= {"AdaptiveGradient": {"rate": RATE, "loss": LOGISTIC} | LINEAR}
