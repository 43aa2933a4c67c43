"""Regression: labels are real numbers, and the learner is a float program.

docs/programs_regression.md defines it, and proves the rounding term of its theorem.
"""

import hashlib
import math
import struct
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import fsum, sqrt
from operator import mul

from verifier.core.certificate import Json, Names, Object, Refused, canonical, expect, require
from verifier.core.data import KINDS, FeatureRows, checked_bias, stated_labels
from verifier.core.enclosures import Precision
from verifier.core.exact import dot, grid, least_float, whole
from verifier.core.files import Label, Rows
from verifier.core.learner import LEARNERS, PARAMETERS, Learner, Work, numbers
from verifier.core.theorem import THEOREMS, Theorem
from verifier.core.transforms import Transforms, check_floats
from verifier.families.losses import Values, added, check_passes
from verifier.families.perceptron import LINEAR, check_hashing, comparator

THEOREMS |= {
    "vaw-tight": Theorem(
        "Σ_t (y_t − ŷ_t)² ≤ Σ_t (y_t − u·x_t)² + λ‖u‖² + Σ_t y_t² x_t·A_t⁻¹x_t + rounding for "
        "every u, where A_t = λI + Σ_{s≤t} x_s x_sᵀ, ŷ_t = x_t·A_t⁻¹ Σ_{s<t} y_s x_s, and λ is the "
        "ridge"
    ),
    "vaw": Theorem(
        "Σ_t (y_t − ŷ_t)² ≤ Σ_t (y_t − u·x_t)² + λ‖u‖² + Y² Σ_i ln(1 + Σ_t x_{t,i}²/λ) + rounding "
        "for every u, where ŷ_t = x_t·(λI + Σ_{s≤t} x_s x_sᵀ)⁻¹ Σ_{s<t} y_s x_s, λ is the ridge, "
        "and Y = max_t |y_t|"
    ),
}

MOST_FEATURES, MOST_REGRESSED = 1001, 1 << 26
FEW_FEATURES = 64  # with more, the work of a round counts: data of little size can ask for much


def in_range(value: float) -> bool:
    """Say whether a number is 0, or neither too small nor too large in size."""
    return value == 0 or 2.0**-200 <= abs(value) <= 2.0**200


class RealData(FeatureRows[float, Values]):
    """Rows with real labels, x as floats with the constant feature at index −1."""

    packed = "<dI"

    def __init__(
        self, rows: Rows, labels: Json, bias: Json, transforms: Transforms | None = None
    ) -> None:
        check_floats()
        require(stated_labels(labels, "real")[1] is True, "its labels are no numbers")
        self.bias = checked_bias(bias)
        self.rows, self.labels, self.transforms = rows, labels, transforms
        self.grid, self.fine = grid([self.bias]), 0  # of the values, and of the labels
        for y, _, values in self.given():
            self.count += 1
            self.grid, self.fine = max(self.grid, grid(values)), max(self.fine, grid([y]))

    def code(self, where: str, label: Label) -> float:
        """Return a label that must be a number."""
        real = isinstance(label, (int, float)) and not isinstance(label, bool)
        value = float(label) if real else math.nan
        expect(math.isfinite(value), where, "a number as the label", label)
        return value + 0.0  # −0 is 0

    def rounds(self) -> Iterator[tuple[float, Values]]:
        """Yield y and x of each row, x with the constant feature."""
        bias = self.bias
        for y, indices, values in self.given():
            yield y, ([*indices, -1], [*values, bias]) if bias else (indices, values)


class ForwardRegression(Learner[float, Values]):
    """ŷ = b·v with v = (A + x xᵀ)⁻¹x; then A += x xᵀ and b += y x; P is about A⁻¹."""

    theorems: Names = ("vaw-tight", "vaw")
    evidence: Names = ("w", "loss")
    reads = RealData
    transforms = True
    program = "forward-regression/1"
    data: RealData

    def __init__(self, data: RealData, ridge: float, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        self.data, self.work, self.ridge = data, Work(), ridge
        self.slots: dict[int, int] = {}  # the place of each feature, in the order of joining
        self.P: list[list[float]] = []
        self.A: list[list[float]] = []  # what its two parts add up to, rounded
        self.parts: list[list[tuple[float, float]]] = []
        self.b: list[tuple[float, float]] = []
        self.squares = self.largest = 0.0  # Σ y², max |y|
        self.loss = self.loss_rest = self.drift = self.drift_rest = 0.0
        self.stability = self.stability_rest = 0.0
        self.played, self.times = 0, 1

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
        self.fine, weights = comparator(evidence["w"], many=False)
        self.u = weights[0]
        self.unit = max(self.fine + self.data.grid, self.data.fine)
        self.errors, self.energy = 0, dict[int, int]()  # Σ (y − u·x)², Σ x_i², in units

    def measure(self, y: float, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of the comparator in a round of the first pass, which stands for all."""
        if times:
            self.times, values = times, whole(x[1], self.data.grid)
            score = dot(self.u, (x[0], values)) << (self.unit - self.fine - self.data.grid)
            self.errors += (whole([y], self.unit)[0] - score) ** 2
            for i, value in zip(x[0], values, strict=True):
                self.energy[i] = self.energy.get(i, 0) + value * value

    def join(self, x: Values) -> list[float]:
        """Return x over all places; features that are new join."""
        for i in x[0]:
            if i not in self.slots:
                size = self.slots[i] = len(self.slots)
                require(size < MOST_FEATURES, f"it has more than {MOST_FEATURES} features")
                for rows in (self.P, self.A):
                    for row in rows:
                        row.append(0.0)
                    rows.append([0.0] * (size + 1))
                for parts in self.parts:
                    parts.append((0.0, 0.0))
                self.parts.append([(0.0, 0.0)] * size + [(self.ridge, 0.0)])
                self.P[size][size], self.A[size][size] = 1.0 / self.ridge, self.ridge
                self.b.append((0.0, 0.0))
        z = [0.0] * len(self.slots)
        for i, value in zip(*x, strict=True):
            z[self.slots[i]] = value
        return z

    def residual(self, z: list[float], v: list[float]) -> list[float]:
        """Return z − (A + z zᵀ) v."""
        c, opposite = 1.0 - fsum(map(mul, z, v)), [-one for one in v]
        return [
            fsum([value * c, *map(mul, row, opposite)])
            for value, row in zip(z, self.A, strict=True)
        ]

    def mistaken(self, y: float, x: Values) -> bool:
        """Play a round, and learn from it; a number is never just right or wrong."""
        sound = in_range(y) and all(map(in_range, x[1]))
        require(sound, "it has numbers that are too large or too small")
        z = self.join(x)
        self.work.spend(500 * max(0, len(z) ** 2 - FEW_FEATURES**2), "a run with so many features")
        k = [fsum(map(mul, row, z)) for row in self.P]
        q = fsum(map(mul, z, k))
        d = 1.0 + q
        v = [one / d for one in k]
        r = self.residual(z, v)
        most = max(map(abs, z), default=0.0)
        require(q >= 0 and max(map(abs, r), default=0.0) <= most, "floats cannot play it")
        c = fsum(map(mul, k, r)) / d
        steps = [fsum(map(mul, row, r)) - one * c for row, one in zip(self.P, k, strict=True)]
        v = [one + step for one, step in zip(v, steps, strict=True)]
        r = self.residual(z, v)
        require(max(map(abs, r), default=0.0) <= 2.0**-10 * most, "floats cannot play it")
        e = y - fsum((total + rest) * one for (total, rest), one in zip(self.b, v, strict=True))
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, e * e)
        off = self.residue(z, v, r)
        cost = (2.0 * (sqrt(self.squares / self.ridge) * off)) * abs(e)
        self.drift, self.drift_rest = added(self.drift, self.drift_rest, cost)
        term = (y * y) * (fsum(map(mul, z, v)) + 2.0 * (off / sqrt(self.ridge)))
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, term)
        self.step(z, y, k, 1.0 / d)
        return False

    def residue(self, z: list[float], v: list[float], r: list[float]) -> float:
        """Return ‖r‖, and what rounding may have hidden of it."""
        square = [self.A[i][i] + value * value for i, value in enumerate(z)]
        reach = fsum(sqrt(one) * abs(weight) for one, weight in zip(square, v, strict=True))
        return sqrt(fsum(map(mul, r, r))) + 2.0**-49 * (sqrt(fsum(square)) * reach)

    def step(self, z: list[float], y: float, k: list[float], f: float) -> None:
        """Learn: lower P by f k kᵀ, and add z zᵀ to A and y z to b."""
        for i, (row, one) in enumerate(zip(self.P, k, strict=True)):
            self.P[i] = [p - f * (one * other) for p, other in zip(row, k, strict=True)]
            require(self.P[i][i] > 0, "floats cannot play it")
        places = [i for i, value in enumerate(z) if value != 0]
        for i in places:
            for j in places:
                total, rest = self.parts[i][j] = added(*self.parts[i][j], z[i] * z[j])
                self.A[i][j] = total + rest
            self.b[i] = added(*self.b[i], y * z[i])
        self.squares, self.largest = self.squares + y * y, max(self.largest, abs(y))
        self.played += 1

    @property
    def observed(self) -> float:
        """The squared loss."""
        return self.loss + self.loss_rest

    def confirm(self, evidence: Object) -> None:
        """Confirm the loss, and that all of it was computed with such floats."""
        check_floats()
        same = canonical(evidence["loss"]) == canonical(self.observed)
        require(same, f"its loss is not {self.observed}")

    def fingerprint(self) -> str:
        """Return SHA-256 over Σ y², and b and the rows up to it of every feature, ascending."""
        self.work.spend(1000 * len(self.slots) ** 2, "a hash of so many states")
        order = sorted((i % (1 << 64), slot) for i, slot in self.slots.items())
        digest = hashlib.sha256(struct.pack("<d", self.squares))
        for n, (i, slot) in enumerate(order):
            digest.update(struct.pack("<Qdd", i, *self.b[slot]))
            for _, other in order[: n + 1]:
                entry = self.P[slot][other], *self.parts[slot][other]
                digest.update(struct.pack("<ddd", *entry))
        return digest.hexdigest()

    def width(self) -> Fraction:
        """Return Y² Σ ln(1 + Σ x_i²/λ), rounded up."""
        digits, logs = Precision(30), Decimal(0)
        for energy in self.energy.values():
            ratio = Fraction(self.times * energy, 1 << 2 * self.data.grid) / Fraction(self.ridge)
            logs = digits.up.add(logs, digits.of(1 + ratio).ln().high)
        return Fraction(self.largest) ** 2 * Fraction(logs)

    def bound(self, theorem: str) -> float:
        """Evaluate Σ (y − u·x)² + λ‖u‖² + the term of the theorem + rounding."""
        require(self.played <= MOST_REGRESSED, f"it has more than {MOST_REGRESSED} rounds")
        for i in self.u:
            if i not in self.slots:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
        errors = Fraction(self.times * self.errors, 1 << 2 * self.unit)
        square = Fraction(sum(v * v for v in self.u.values()), 1 << 2 * self.fine)
        tight = theorem == "vaw-tight"
        stability = Fraction(self.stability + self.stability_rest) if tight else Fraction(0)
        drift, loss = Fraction(self.drift + self.drift_rest), Fraction(self.observed)
        rounding = drift + drift / (1 << 20) + (loss + stability) / (1 << 49)
        term = stability if tight else self.width()
        return least_float(errors + Fraction(self.ridge) * square + term + rounding)


KINDS += ["real"]
LEARNERS |= {"ForwardRegression": ForwardRegression}
RIDGE = numbers(1 / (1 << 40), float(1 << 40))
PARAMETERS |= {"ForwardRegression": {"ridge": RIDGE} | LINEAR}
