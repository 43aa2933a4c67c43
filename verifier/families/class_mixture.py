"""Parts of Blend for many classes: sums, base rates, a Newton member and the stack.

Every operation is one of the float program `blend-classes/1`, which docs/programs_classes.md
defines. Sums on a grid are exact, in any order; a sum over classes has four lanes. `reduce` adds
from left to right; `sum` of a newer Python does not, and is for exact sums.
"""

import struct
from collections.abc import Sequence
from functools import reduce
from math import ldexp, sqrt
from operator import add

from verifier.families.losses import EXP, L2E, LN2H, LN2L, ROUND, float_log1p

CLASS_STACKED = 7  # members that the stack combines
FEW = 257  # features that the Newton member takes
TERM_LIMIT = 64.0
MODERATION = 0.39269908169872414  # π/8


def grid_shift(limit: float, count: int) -> float:
    """Return what rounds terms of at most that size to a grid: 1.5 times a power of two."""
    return 2.0 * limit * ldexp(1.5, (count - 1).bit_length())


def cut(terms: list[float]) -> list[float]:
    """Return the terms, those beyond ±64 cut."""
    if terms and (max(terms) > TERM_LIMIT or min(terms) < -TERM_LIMIT):
        return [max(min(term, TERM_LIMIT), -TERM_LIMIT) for term in terms]
    return terms


def grid_sum(terms: list[float]) -> float:
    """Return the sum of terms on a grid."""
    shift = grid_shift(TERM_LIMIT, len(terms))
    return sum([(term + shift) - shift for term in cut(terms)], 0.0)


def column_sums(rows: list[list[float]], size: int) -> list[float]:
    """Return the sum of each column of numbers on a grid."""
    return [*map(sum, zip(*rows, strict=True))] if rows else [0.0] * size


def class_sum(values: list[float]) -> float:
    """Return the sum of values in four lanes: class k belongs to lane k mod 4."""
    first = reduce(add, values[::4], 0.0) + reduce(add, values[1::4], 0.0)
    return first + (reduce(add, values[2::4], 0.0) + reduce(add, values[3::4], 0.0))


def exponentials(xs: Sequence[float]) -> list[float]:
    """Return e^x of each x from −300 to 0, as `float_exp` does."""
    e14, e13, e12, e11, e10, e9, e8, e7, e6, e5, e4, e3, e2 = EXP
    found = []
    for x in xs:
        k = (x * L2E + ROUND) - ROUND
        a, b = x - k * LN2H, k * LN2L
        r = a - b
        rest = (a - r) - b
        q = (((((e14 * r + e13) * r + e12) * r + e11) * r + e10) * r + e9) * r + e8
        q = (((((q * r + e7) * r + e6) * r + e5) * r + e4) * r + e3) * r + e2
        w = (r * r) * q + rest
        h = 1.0 + r
        low = r - (h - 1.0)
        found.append(ldexp(h + (low + w), int(k)))
    return found


Chances = tuple[list[float], list[float]]  # probabilities, and their logarithms


def softmax(scores: list[float]) -> Chances:
    """Return the probabilities and their logarithms; none is below e⁻³⁰⁰ times another."""
    top = max(scores)
    gaps = [max(s - top, -300.0) for s in scores]
    powers = exponentials(gaps)
    total = class_sum(powers)
    rest = float_log1p(total - 1.0)
    return [e / total for e in powers], [gap - rest for gap in gaps]


class ClassRate:
    """Members 0 and 1: p_k = (n_k + 1)/(n + C), where a share of all counts stays in a round."""

    def __init__(self, classes: int, weight: float, keep: float) -> None:
        self.counts, self.total = [0.0] * classes, 0.0
        self.logs = [0.0] * classes  # ln(n_k + 1)
        self.weight, self.keep = weight, keep

    def chances(self) -> Chances:
        """Return the probabilities and their logarithms."""
        size = float(len(self.counts))
        whole = self.total + size
        everything = float_log1p(self.total + (size - 1.0))
        return [(n + 1.0) / whole for n in self.counts], [log - everything for log in self.logs]

    def learn(self, y: int) -> None:
        """Count a round."""
        if self.keep != 1.0:
            self.counts = [self.keep * n for n in self.counts]
        self.counts[y] += self.weight
        self.total = self.keep * self.total + self.weight
        if self.keep != 1.0:
            self.logs = [float_log1p(n) for n in self.counts]
        else:
            self.logs[y] = float_log1p(self.counts[y])


class ClassNewton:
    """Member 6: w_k ← w_k − P u g_k/(1 + hq), P ← P − h Pu(Pu)ᵀ/(1 + hq), q = uᵀPu."""

    def __init__(self, classes: int) -> None:
        self.classes, self.few = classes, True
        self.slots: dict[int, int] = {}
        self.P: list[list[float]] = []
        self.w: list[list[float]] = []
        self.pu: list[float] = []
        self.q, self.broken = 0.0, False

    def scores(self, row: list[tuple[int, float]]) -> list[float]:
        """Return the scores of a row of (feature, u), and keep Pu and q."""
        if not self.few:
            self.pu, self.q, self.broken = [], 0.0, False
            return [0.0] * self.classes
        known = [(self.slots[i], u) for i, u in row]
        shift = grid_shift(2.0, len(known))
        P = self.P
        columns = [[(p * u + shift) - shift for p in P[slot]] for slot, u in known]
        self.pu = column_sums(columns, len(P))
        self.q = grid_sum([self.pu[slot] * u for slot, u in known])
        self.broken = not self.q >= 0.0
        if self.broken:
            self.pu = [0.0] * len(P)
            for slot, u in known:
                self.pu[slot] = u
            self.q = grid_sum([u * u for _, u in known])
        shift = grid_shift(TERM_LIMIT, len(known))
        terms = [cut([w * u for w in self.w[slot]]) for slot, u in known]
        rounded = [[(term + shift) - shift for term in line] for line in terms]
        certain = 1.0 / sqrt(1.0 + MODERATION * self.q)
        return [s * certain for s in column_sums(rounded, self.classes)]

    def end(self) -> None:
        """Give every class 1/C from now on."""
        self.slots, self.P, self.w, self.few = {}, [], [], False

    def restart(self) -> None:
        """Begin again with P = I."""
        size = len(self.P)
        self.P = [[0.0] * i + [1.0] + [0.0] * (size - i - 1) for i in range(size)]

    def learn(self, new: list[tuple[int, float]], h: float, g: list[float]) -> None:
        """Learn from the row that was scored last and its new features (index, u)."""
        if self.broken:
            self.restart()
        for i, u in new:
            self.slots[i] = len(self.P)
            for line in self.P:
                line.append(0.0)
            self.P.append([0.0] * len(self.P) + [1.0])
            self.w.append([0.0] * self.classes)
            self.pu.append(u)
        self.step(self.q + float(len(new)), h, g)

    def step(self, q: float, h: float, g: list[float]) -> None:
        """Take the Newton step along Pu; begin again if P would lose its positive diagonal."""
        b = 1.0 / (1.0 + h * q)
        root = sqrt(h * b)
        for slot, reach in enumerate(self.pu):
            rate = reach * b
            line = self.w[slot]
            self.w[slot] = [w - rate * slope for w, slope in zip(line, g, strict=True)]
        cuts = [reach * root for reach in self.pu]
        if any(not self.P[i][i] - c * c > 0.0 for i, c in enumerate(cuts)):
            self.restart()
            return
        self.P = [
            [p - c * other for p, other in zip(line, cuts, strict=True)]
            for line, c in zip(self.P, cuts, strict=True)
        ]

    def packed(self) -> bytes:
        """Return the count of features; by index: index, w, P with those up to this one."""
        order = sorted((i % (1 << 64), slot) for i, slot in self.slots.items())
        found = [struct.pack("<Q", len(order))]
        for n, (i, slot) in enumerate(order):
            row = [self.P[slot][other] for _, other in order[: n + 1]]
            numbers = [*self.w[slot], *row]
            found.append(struct.pack(f"<Q{len(numbers)}d", i, *numbers))
        return b"".join(found)


class ClassStack:
    """Member 7: the softmax of Σ_j ω_j ln p_j; ω ← ω − A⁻¹∇, A gains the Fisher information."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin again with the mean of the members' logarithms."""
        every = range(CLASS_STACKED)
        self.weights = [1.0 / 7.0] * CLASS_STACKED
        self.A = [[3.0 if i == j else 0.0 for j in every] for i in every]

    def scores(self, logs: list[list[float]]) -> list[float]:
        """Return the scores, summed from the first member to the last, and keep the logarithms."""
        self.logs = [[max(log, -30.0) for log in member] for member in logs]
        scores = [0.0] * len(logs[0])
        for omega, member in zip(self.weights, self.logs, strict=True):
            scores = [s + omega * log for s, log in zip(scores, member, strict=True)]
        return scores

    def learn(self, chances: list[float], y: int) -> None:
        """Learn from the logarithms that were scored last; chances are those of the stack."""
        deviations, weighted = [], []
        for logs in self.logs:
            mean = class_sum([c * log for c, log in zip(chances, logs, strict=True)])
            own = [log - mean for log in logs]
            deviations.append(own)
            weighted.append([c * d for c, d in zip(chances, own, strict=True)])
        for i, (line, own) in enumerate(zip(self.A, weighted, strict=True)):
            for j, other in enumerate(deviations[: i + 1]):
                line[j] += class_sum([a * b for a, b in zip(own, other, strict=True)])
        step = solved(self.A, [-own[y] for own in deviations])
        self.weights = [omega - s for omega, s in zip(self.weights, step, strict=True)]


def solved(A: list[list[float]], right: list[float]) -> list[float]:
    """Return A⁻¹ right, with A = LDLᵀ given by its lower triangle. No D is below 1."""
    size, x = len(right), list(right)
    D: list[float] = []
    L: list[list[float]] = []
    for i in range(size):
        line: list[float] = []
        for j in range(i):
            rest = A[i][j]
            for own, d, other in zip(line, D, L[j], strict=False):
                rest -= (own * d) * other
            line.append(rest / D[j])
        rest = A[i][i]
        for own, d in zip(line, D, strict=True):
            rest -= (own * d) * own
        D.append(max(rest, 1.0))
        L.append(line)
    for i in range(size):
        for k in range(i):
            x[i] -= L[i][k] * x[k]
    for i in range(size - 1, -1, -1):
        x[i] = x[i] / D[i]
        for k in range(i + 1, size):
            x[i] -= L[k][i] * x[k]
    return x
