"""Parts of Blend: the Newton steps, the base rates, and the mixture of all members.

Every operation is one of the float program `blend/1`.
"""

import struct
from math import fsum, sqrt

from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.losses import Values, float_exp, float_log1p

THEOREMS |= {
    "mixture": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L_k + ln K + rounding for every member k, and if members share "
        "1/(t + 1) of the weight after round t then ≤ L_k + ln K + ln T + rounding, where "
        "p_t(y_t) is the probability that the mixture of K members gave to the label of round t, "
        "T the number of rounds, and L_k the sum of −ln of the probabilities that "
        "member k gave to the labels"
    ),
}

MEMBERS, NEWTON, STACKED = 11, 9, 10  # the stack is the last, OnlineNewton the one before it
FAR = 1048576.0  # 2²⁰
MOST_JOINED = 129  # features of OnlineNewton, the constant one included

Pair = tuple[float, float]  # the probabilities of +1 and −1


def clamped(x: float, most: float) -> float:
    """Return x, or the end of ±most that it is beyond."""
    return min(max(x, -most), most)


def chances(s: float) -> Pair:
    """Return the probabilities of +1 and −1 if the score is s."""
    e = float_exp(-abs(s))
    d = 1.0 + e
    return (1.0 / d, e / d) if s >= 0 else (e / d, 1.0 / d)


def newton(
    g: float, chance: Pair, q: float, diagonal: list[float], k: list[float]
) -> tuple[float, float, bool]:
    """Return the sizes of a Newton step, for w and for P, and whether P stays positive."""
    h = max(chance[0] * chance[1], 0.001)
    d = 1.0 + h * q
    b = h / d if q >= 0 else 0.0
    stays = all(p - b * (own * own) > 0 for p, own in zip(diagonal, k, strict=True))
    return g / d, b, q >= 0 and stays


class OnlineNewton:
    """k = P z, w ← w − g k/(1 + h q), P ← P − h k kᵀ/(1 + h q); features in the order they came."""

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.first: list[float] = []
        self.w: list[float] = []
        self.P: list[list[float]] = []  # row i has the entries up to its diagonal
        self.left = False
        self.seen: dict[int, float] = {}  # by slot: z of the row that was scored last
        self.k: list[float] = []
        self.q = 0.0

    def products(self) -> list[float]:
        """Return P z: each term is rounded to so few bits that their sum is exact."""
        columns, P = [], self.P
        for slot, z in self.seen.items():
            column = P[slot] + [row[slot] for row in P[slot + 1 :]]
            columns.append([p * z for p in column])
        found = []
        for terms in zip(*columns, strict=True):
            M = 512.0 * max(*terms, -min(terms))
            found.append(fsum([(term + M) - M for term in terms]))
        return found or [0.0] * len(P)

    def score(self, x: Values) -> float:
        """Return w·z, moderated by q = zᵀP z."""
        if self.left:
            return 0.0
        slots, first = self.slots, self.first
        known = [(slots[i], value) for i, value in zip(*x, strict=True) if i in slots]
        self.seen = {slot: clamped(value / first[slot], FAR) for slot, value in known}
        self.k = self.products()
        self.q = fsum([z * self.k[slot] for slot, z in self.seen.items()])
        s = fsum([self.w[slot] * z for slot, z in self.seen.items()])
        return s / sqrt(1.0 + 0.39269908169872414 * max(self.q, 0.0))  # π/8

    def step(self, x: Values, g: float, chance: Pair) -> bool:
        """Learn from the row that was scored last; say whether the member leaves after it."""
        k, P = self.k, self.P
        a, b, positive = newton(g, chance, self.q, [row[-1] for row in P], k)
        if positive:
            self.w = [w - a * own for w, own in zip(self.w, k, strict=True)]
            for i, (own, row) in enumerate(zip(k, P, strict=True)):
                P[i] = [p - b * (own * other) for p, other in zip(row, k, strict=False)]
        else:
            self.P = [[0.0] * i + [1.0] for i in range(len(P))]
        slots = self.slots
        new = [(i, v) for i, v in zip(*x, strict=True) if i not in slots]
        if len(slots) + len(new) > MOST_JOINED:
            self.slots, self.first, self.w, self.P, self.left = {}, [], [], [], True
            return True
        for i, value in zip(*x, strict=True):
            if i in slots and abs(self.seen[slots[i]]) == FAR:
                self.begin(slots[i], value)
        for i, value in new:
            slots[i] = len(slots)
            self.first.append(abs(value))
            self.w.append(0.0)
            self.P.append([0.0] * len(self.P) + [1.0])
        return False

    def begin(self, slot: int, value: float) -> None:
        """Give a feature a new unit and its own variance, and nothing in common with others."""
        self.first[slot], self.w[slot] = abs(value), 0.0
        self.P[slot] = [0.0] * slot + [1.0]
        for row in self.P[slot + 1 :]:
            row[slot] = 0.0

    def packed(self) -> bytes:
        """Return the count of features; by index: index, unit, w, P with those up to this one."""
        order = sorted((i % (1 << 64), slot) for i, slot in self.slots.items())
        found = [struct.pack("<Q", len(order))]
        for n, (i, slot) in enumerate(order):
            pairs = [(max(slot, other), min(slot, other)) for _, other in order[: n + 1]]
            row = [self.P[high][low] for high, low in pairs]
            found.append(struct.pack(f"<Q{n + 3}d", i, self.first[slot], self.w[slot], *row))
        return b"".join(found)


class Stack:
    """A Newton step on the scores z of the members, clipped to ±10."""

    def __init__(self) -> None:
        self.w = [1.0 / STACKED] * STACKED
        self.restart()

    def restart(self) -> None:
        """Begin again with P = I/3."""
        every = range(STACKED)
        self.P = [[1.0 / 3.0 if i == j else 0.0 for j in every] for i in every]

    def score(self, z: list[float]) -> float:
        """Return w·z, summed from the first member to the last."""
        s = 0.0
        for w, value in zip(self.w, z, strict=True):
            s = s + w * value
        return s

    def step(self, z: list[float], g: float, chance: Pair) -> None:
        """Learn from the scores."""
        k, q = [], 0.0
        for row, own in zip(self.P, z, strict=True):
            total = 0.0
            for p, value in zip(row, z, strict=True):
                total = total + p * value
            k.append(total)
            q = q + own * total
        a, b, positive = newton(g, chance, q, [self.P[i][i] for i in range(STACKED)], k)
        if positive:
            self.w = [w - a * own for w, own in zip(self.w, k, strict=True)]
            rows = zip(self.P, k, strict=True)
            self.P = [[p - b * (i * j) for p, j in zip(row, k, strict=True)] for row, i in rows]
        else:
            self.restart()


class Mixture:
    """Weights π of the members: Bayes' rule, then a share 1/(t + 2) spread over all of them."""

    def __init__(self) -> None:
        self.weights = [1.0 / MEMBERS] * MEMBERS
        self.mean = self.weights  # over the rounds, weighted by t + 1
        self.left = False  # has OnlineNewton left?

    def mixed(self, clipped: list[Pair]) -> Pair:
        """Return the probabilities of +1 and −1, up to a common factor near 1."""
        positive, negative = 0.0, 0.0
        for (p, r), weight in zip(clipped, self.weights, strict=True):
            positive, negative = positive + weight * p, negative + weight * r
        return positive, negative

    def learn(self, likelihoods: list[float], t: int) -> None:
        """Take the probabilities that the members gave to the label of the round after t others."""
        part, share = 2.0 / (t + 2), 1.0 / (t + 2)
        olds = zip(self.mean, self.weights, strict=True)
        self.mean = [old + (w - old) * part for old, w in olds]
        found, total = [], 0.0
        for p, weight in zip(likelihoods, self.weights, strict=True):
            found.append(weight * p)
            total = total + found[-1]
        keep, spread = 1.0 - share, share / (MEMBERS - self.left)
        self.weights = [keep * (weight / total) + spread for weight in found]
        if self.left:
            self.weights[NEWTON] = 0.0

    def leave(self) -> None:
        """Give the weight of OnlineNewton to the others."""
        self.left = True
        self.weights, self.mean = without_newton(self.weights), without_newton(self.mean)


def without_newton(weights: list[float]) -> list[float]:
    """Return the weights with 0 for OnlineNewton, whose share goes to the others."""
    rest = 0.0
    for k, weight in enumerate(weights):
        rest = rest + (weight if k != NEWTON else 0.0)
    return [weight / rest if k != NEWTON else 0.0 for k, weight in enumerate(weights)]


class BaseRate:
    """The logarithm of the odds of the labels so far, of which a share stays in every round."""

    def __init__(self, keep: float) -> None:
        self.keep, self.positive, self.negative = keep, 0.0, 0.0

    def score(self) -> float:
        """Return ln((n₊ + ½)/(n₋ + ½))."""
        a, b = self.positive + 0.5, self.negative + 0.5
        return float_log1p((a - b) / b) if a >= b else -float_log1p((b - a) / a)

    def step(self, y: int) -> None:
        """Count a label."""
        self.positive = self.keep * self.positive + (1.0 if y > 0 else 0.0)
        self.negative = self.keep * self.negative + (1.0 if y < 0 else 0.0)
