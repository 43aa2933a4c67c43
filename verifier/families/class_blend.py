"""Blend for many classes: it is replayed bit for bit.

docs/programs_classes.md defines the program `blend-classes/1`. The four members that keep weights
for every feature and class learn in one loop here, from one list for each feature.
"""

import hashlib
import struct
from fractions import Fraction
from math import sqrt

from verifier.core.certificate import Names, Object, Refused, canonical, require
from verifier.core.exact import least_float, whole
from verifier.core.files import Label
from verifier.core.learner import LEARNERS, PARAMETERS, integers
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.class_losses import SoftmaxLeast, SoftmaxLoss
from verifier.families.class_mixture import (
    FEW,
    MODERATION,
    TERM_LIMIT,
    Chances,
    ClassNewton,
    ClassRate,
    ClassStack,
    class_sum,
    column_sums,
    cut,
    grid_shift,
    grid_sum,
    softmax,
)
from verifier.families.losses import FloatData, LogisticRun, Values, added, float_log1p
from verifier.families.perceptron import LINEAR, check_hashing, comparator

THEOREMS |= {
    "fixed-share-classes": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(U) + ½Σ_i λ_i Σ_k U_{k,i}² + ½Σ_t Σ_i Σ_k g_{t,k}²x_{t,i}²/λ_{t,i} "
        "+ ln K + ln T + rounding for every U with a row U_k for each class k, where p_t(y_t) is "
        "the probability that the mixture of K = 8 members gave to the class of round t, T the "
        "number of rounds, L(U) = Σ_t ln Σ_k e^{(U_k − U_{y_t})·x_t}, g_t the gradient of this "
        "loss at the scores of the member AdaptiveGradient(½), none of whose terms was cut, "
        "λ_{t,i} = 2m√(Σ_{s<t} x_{s,i}² mean_k g_{s,k}² + m²) with m = max_{s≤t} |x_{s,i}|, and "
        "λ_i the same after the last round"
    ),
}

CLASS_MEMBERS = 8
MOST_CLASSES = 1 << 20
MOST_LONGEST = 1 << 20  # features in a row, for the rounding


class Codes(dict[Label, int]):
    """The numbers of declared classes."""

    def __missing__(self, label: Label) -> int:
        raise Refused(f"{label!r:.40} is none of its classes")


class ClassData(FloatData):
    """Rows whose classes are all declared, in the order of their numbers, also unseen ones."""

    def coded(self, names: list[Label]) -> dict[Label, int]:
        """Return the number of each class."""
        found = Codes({name: k for k, name in enumerate(names)})
        require(len(found) == len(names) > 1, "its classes are not different, or fewer than two")
        self.seen = set[int]()
        return found

    def code(self, where: str, label: Label) -> int:
        """Return the number of a class, which has then been seen."""
        k = super().code(where, label)
        self.seen.add(k)
        return k


class ClassCell:
    """The state of a feature: m, r, S, G of members 3 and 4, V; w of members 2 to 5, end to end."""

    __slots__ = ("S", "V", "fast", "m", "r", "slow", "w")

    def __init__(self, size: float, classes: int) -> None:
        self.m = self.r = size
        self.S = self.slow = self.fast = 0.0
        self.V = 1.0
        self.w = [0.0] * (4 * classes)


# A feature of a row: its index, its cell, x, v = x/m, c = m before/m now, u = x/r cut to ±1,
# d = r before/r now, and x/λ of member 2 in units of 1/m.
ClassPart = tuple[int, ClassCell, float, float, float, float, float, float]


class ClassBlend(LogisticRun):
    """Eight members that give each class a probability, in a mixture with share 1/(t + 2)."""

    theorems: Names = ("fixed-share-classes", "progressive")
    evidence: Names = ("w", "loss", "least")
    optional: Names = ("least",)
    program = "blend-classes/1"
    reads = ClassData
    many = True

    def __init__(self, data: ClassData, classes: int, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        require(classes == len(data.codes), "its classes are not as many as it says")
        self.classes, self.unseen = classes, classes - len(data.seen)
        self.base, self.recent = (
            ClassRate(classes, 1.0, 1.0),
            ClassRate(classes, float(classes), 0.9375),
        )
        self.cells: dict[int, ClassCell] = {}
        self.squares = 0.0  # N
        self.newton, self.stack = ClassNewton(classes), ClassStack()
        self.shares = [1.0 / 8.0] * CLASS_MEMBERS
        self.mean_shares = [1.0 / 8.0] * CLASS_MEMBERS  # round t counted t times
        self.stability, self.stability_rest = 0.0, 0.0
        self.longest, self.cuts = 0, 0
        self.cut = False  # was a term of member 2 cut in this round?

    def gather(self, x: Values) -> tuple[list[ClassPart], list[tuple[int, float]]]:
        """Return the features that have appeared before, and those that are new."""
        parts: list[ClassPart] = []
        new: list[tuple[int, float]] = []
        get = self.cells.get
        for i, value in zip(*x, strict=True):
            cell, size = get(i), abs(value)
            if cell is None:
                new.append((i, value))
                continue
            m, r = cell.m, cell.r
            if size <= r == m:
                v = u = value / m
                c = d = 1.0
                share = (0.5 * v) / sqrt(cell.S + 1.0)
            else:
                top, scale = max(m, size), max(r, min(size, 2.0 * r))
                v, c, d = value / top, m / top, r / scale
                u = max(min(value / scale, 1.0), -1.0)
                share = (0.5 * v) / sqrt((cell.S * c) * c + 1.0)
            parts.append((i, cell, value, v, c, u, d, share))
        return parts, new

    def scored(self, parts: list[ClassPart]) -> list[list[float]]:
        """Return the scores of members 2 to 5."""
        C = self.classes
        shift = grid_shift(TERM_LIMIT, len(parts))
        rows = []
        for _, cell, _, _, c, u, _, share in parts:
            rates = [c * share] * C + [u] * (3 * C)
            row = [(w * rate + shift) - shift for w, rate in zip(cell.w, rates, strict=True)]
            if max(row) >= TERM_LIMIT or min(row) <= -TERM_LIMIT:  # 64 may be more, rounded down
                terms = [w * rate for w, rate in zip(cell.w, rates, strict=True)]
                self.cut = self.cut or max(map(abs, terms[:C])) > TERM_LIMIT
                row = [(term + shift) - shift for term in cut(terms)]
            rows.append(row)
        sums = column_sums(rows, 4 * C)
        return [sums[C * j : C * (j + 1)] for j in range(4)]

    def forecast(self, parts: list[ClassPart]) -> tuple[list[Chances], float]:
        """Return what the members say, and q of member 5."""
        self.cut = False
        q = grid_sum([cell.V * (u * u) for _, cell, _, _, _, u, _, _ in parts])
        certain = 1.0 / sqrt(1.0 + MODERATION * q)
        first, second, third, fourth = self.scored(parts)
        found = [self.base.chances(), self.recent.chances()]
        found += [softmax(first), softmax(second), softmax(third)]
        found.append(softmax([s * certain for s in fourth]))
        found.append(softmax(self.newton.scores([(part[0], part[5]) for part in parts])))
        found.append(softmax(self.stack.scores([logs for _, logs in found])))
        return found, q

    def mixed(self, p: list[list[float]]) -> list[float]:
        """Return the chances of the mixture, summed from the first member to the last."""
        a, b, c, d, e, f, g, h = self.shares
        return [
            ((((((a * p0 + b * p1) + c * p2) + d * p3) + e * p4) + f * p5) + g * p6) + h * p7
            for p0, p1, p2, p3, p4, p5, p6, p7 in zip(*p, strict=True)
        ]

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        self.spend_unseen(10_000 + 900 * len(x[0]))
        parts, new = self.gather(x)
        self.work.spend(5000 * self.classes * len(new), "so many classes and features")
        found, q = self.forecast(parts)
        p = [chances for chances, _ in found]
        mixture = self.mixed(p)
        label = mixture.index(max(mixture))
        chance, mixture[y] = mixture[y], 0.0
        loss = float_log1p(class_sum(mixture) / chance)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        self.learn_shares([own[y] for own in p])
        self.stack.learn(p[7], y)
        self.played += 1
        self.learn_members(parts, new, p[2:7], y, q)
        self.base.learn(y)
        self.recent.learn(y)
        return label != y

    def spend_unseen(self, steps: int) -> None:
        """Take the steps of a round for all classes that no row has: the data do not bound them."""
        self.work.spend(steps * self.unseen, "a run with so many classes that no row has")

    def learn_shares(self, evidence: list[float]) -> None:
        """Apply Bayes' rule, then spread a share 1/(t + 2) over all members."""
        total = 0.0
        for share, e in zip(self.shares, evidence, strict=True):
            total += share * e
        alpha = 1.0 / (self.played + 2.0)
        for j, e in enumerate(evidence):
            kept = (self.shares[j] * e) / total
            self.shares[j] = (1.0 - alpha) * kept + alpha / 8.0
            self.mean_shares[j] += (self.shares[j] - self.mean_shares[j]) * (2.0 * alpha)

    def learn_members(
        self,
        parts: list[ClassPart],
        new: list[tuple[int, float]],
        p: list[list[float]],
        y: int,
        q: float,
    ) -> None:
        """Let members 2 to 6 learn from their own probabilities."""
        C, count = self.classes, float(len(new))
        self.squares += grid_sum([part[5] * part[5] for part in parts]) + count
        spreads = [class_sum([c * (1.0 - c) for c in own]) / C for own in p[3:]]
        for own in p:  # they become the slopes g
            own[y] = own[y] - 1.0
        sums = [class_sum([g * g for g in own]) for own in p[:3]]
        self.measure_member(parts, len(new), sums[0])
        for i, value in new:
            size = abs(value)
            cell = self.cells[i] = ClassCell(size, C)
            u = value / size
            parts.append((i, cell, value, u, 1.0, u, 1.0, 0.0))
        h = max(spreads[0], 1e-3)
        self.learn_features(parts, [s / C for s in sums], p, h, 1.0 / (1.0 + h * (q + count)))
        if not self.newton.few:
            return
        if len(self.newton.slots) + len(new) > FEW:
            self.newton.end()
            self.stack.restart()
            return
        fresh = [(part[0], part[5]) for part in parts[len(parts) - len(new) :]]
        self.newton.learn(fresh, max(0.5 * spreads[1], 1e-3), p[4])

    def measure_member(self, parts: list[ClassPart], new: int, squares: float) -> None:
        """Measure what the bound on the loss of member 2 needs; squares are Σ_k g_k²."""
        price = grid_sum([v * share for _, _, _, v, _, _, _, share in parts]) + 0.5 * new
        cost = 0.5 * (squares * price)
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, cost)
        self.longest = max(self.longest, len(parts) + new)
        self.cuts += self.cut

    def learn_features(
        self, parts: list[ClassPart], means: list[float], p: list[list[float]], h: float, b: float
    ) -> None:
        """Learn the weights of members 2 to 5, given the means of their g² and h, b of member 5."""
        C = self.classes
        slopes = [*p[0], *p[1], *p[2], *p[3]]
        first, second, third = means
        pace = sqrt(self.played / self.squares) if parts else 0.0
        slow, fast, fall = 0.5 * pace, 2.0 * pace, h * b
        for _, cell, value, v, c, u, d, _ in parts:
            u2, w = u * u, cell.w
            if c != 1.0:
                cell.m = abs(value)
                w = [theta * c for theta in w[:C]] + w[C:]
            cell.r = max(cell.r, min(abs(value), 2.0 * cell.r))
            cell.S = (cell.S * c) * c + first * (v * v)
            A = cell.slow = (cell.slow * d) * d + second * u2
            B = cell.fast = (cell.fast * d) * d + third * u2
            reach = cell.V * u
            cell.V -= fall * (reach * reach)
            rates = [v] * C + [(slow * u) / sqrt(A) if A > 0.0 else 0.0] * C
            rates += [(fast * u) / sqrt(B) if B > 0.0 else 0.0] * C + [reach * b] * C
            cell.w = [weight - rate * g for weight, rate, g in zip(w, rates, slopes, strict=True)]

    def fingerprint(self) -> str:
        """Return SHA-256 over the whole state, as docs/programs_classes.md lists it."""
        joined = len(self.newton.slots)
        numbers = 4 * self.classes * len(self.cells) + joined * (joined + self.classes)
        self.work.spend(1000 * (numbers + 2 * self.classes), "a hash of so many states")
        digest = hashlib.sha256(struct.pack("<QQQ", self.played, self.classes, self.newton.few))
        found = [self.squares]
        for rate in (self.base, self.recent):
            found += [*rate.counts, rate.total]
        found += [*self.shares, *self.mean_shares, *self.stack.weights]
        for line in self.stack.A:
            found += line
        digest.update(struct.pack(f"<{len(found)}d", *found))
        digest.update(self.newton.packed())
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            own = [cell.m, cell.r, cell.S, cell.slow, cell.fast, cell.V, *cell.w]
            digest.update(struct.pack(f"<Q{len(own)}d", i, *own))
        return digest.hexdigest()

    def take(self, evidence: Object) -> None:
        """Take the comparator U, by feature, and prepare to sum its losses."""
        self.compared = "w" in evidence
        self.fine, weights = comparator(evidence.get("w", []), many=True)
        require(all(k < self.classes for k in weights), "its w has a weight for no class")
        self.by_feature: dict[int, list[tuple[int, int]]] = {}  # (class, weight)
        for k, column in weights.items():
            for i, weight in column.items():
                self.by_feature.setdefault(i, []).append((k, weight))
        self.times, unit = 1, 1 << (self.fine + self.data.grid)
        self.softmax_loss = SoftmaxLoss(unit)
        self.dual = None  # that of two labels
        digits = self.softmax_loss.digits
        self.softmax_least = SoftmaxLeast(digits, unit) if "least" in evidence else None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of the comparator in a round of the first pass, which stands for all."""
        if not (times and self.compared):
            return
        self.spend_unseen(30_000)
        self.times = times
        scores = [0] * self.classes
        row = x[0], whole(x[1], self.data.grid)
        for i, value in zip(*row, strict=True):
            for k, weight in self.by_feature.get(i, ()):
                scores[k] += weight * value
        own = scores[y]
        excess = [score - own for score in scores]
        self.softmax_loss.add(excess)
        if self.softmax_least:
            self.softmax_least.add(y, excess, row)

    def class_penalty(self) -> Fraction:
        """Return ½Σ λ_i Σ_k U_ki² = Σ_i m²√(S + 1)Σ_k U_ki², rounded up."""
        digits = self.softmax_loss.digits
        total = digits.of(0)
        for i, weights in self.by_feature.items():
            if i not in self.cells:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
            cell = self.cells[i]
            squares = Fraction(sum(w * w for _, w in weights), 1 << (2 * self.fine))
            size = Fraction(cell.m)
            total += digits.of(Fraction(cell.S) + 1).sqrt() * (size * size * squares)
        return Fraction(total.high)

    def confirm(self, evidence: Object) -> None:
        """Confirm the loss, and the least value if it is stated."""
        super().confirm(evidence)
        if self.compared and self.softmax_least:
            same = canonical(evidence["least"]) == canonical(self.least)
            require(same, f"its least value is not {self.least}: certify the run again")

    @property
    def least(self) -> float | None:
        """The greatest float, 0 or more, that no k L(U) + ½Σ λ_i Σ_k U_ki² is below, k passes."""
        if not self.softmax_least:
            return None
        digits, unit = self.softmax_least.digits, 1 << (2 * (32 + self.data.grid))
        total = digits.of(0)
        for i, pulls in self.softmax_least.pull.items():
            cell = self.cells[i]
            squares = Fraction(sum(pull * pull for pull in pulls) * self.times**2, unit)
            share = digits.of(squares / Fraction(cell.m) ** 2)
            total += share / digits.of(Fraction(cell.S) + 1).sqrt()
        found = self.softmax_least.entropy() * self.times - total * Fraction(1, 4)
        return max(0.0, -least_float(-Fraction(found.low)))

    def bound(self, theorem: str) -> float:
        """Evaluate X + ln 8T + nT 2^(b(n−1)−44) + 2⁻⁵⁰T(C + 40)(b(C)T + n + X).

        X is L(U) + penalty + stability, n the longest row, and b counts binary digits.
        """
        T, C, n = self.played, self.classes, self.longest
        require(T > 0, "it has no round")
        require(T * C <= 1 << 40, "it has more than 2^40 rounds, each counted once for a class")
        require(n <= MOST_LONGEST, "a row has more than 2^20 features")
        require(self.cuts == 0, "a term of a score was cut, and its theorem allows none")
        X = self.times * self.softmax_loss.total() + self.class_penalty()
        X += Fraction(self.stability + self.stability_rest)
        price = Fraction(self.softmax_loss.digits.of(CLASS_MEMBERS * T).ln().high)
        rounding = Fraction(n * T << max(n - 1, 0).bit_length(), 1 << 44)
        rounding += Fraction(T * (C + 40), 1 << 50) * (C.bit_length() * T + n + X)
        return least_float(X + price + rounding)


LEARNERS |= {"ClassBlend": ClassBlend}
PARAMETERS |= {"ClassBlend": {"classes": integers(2, MOST_CLASSES)} | LINEAR}
