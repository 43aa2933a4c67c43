"""A mixture of frozen Blends with many classes, such as those of shards.

docs/programs_classes.md defines the program `frozen-mixture-classes/1`. As for two labels, the
members are read from a model, and named by the hashes of their states.
"""

import hashlib
import math
import struct
from fractions import Fraction

from verifier.core.certificate import Names, Object, require
from verifier.core.enclosures import Precision
from verifier.core.exact import least_float
from verifier.core.learner import LEARNERS, PARAMETERS, integers
from verifier.core.models import Model
from verifier.families.class_blend import (
    CLASS_MEMBERS,
    MOST_CLASSES,
    ClassBlend,
    ClassCell,
    ClassData,
)
from verifier.families.class_mixture import CLASS_STACKED, FEW, ClassNewton, ClassRate, class_sum
from verifier.families.frozen_blends import CERTAIN, HASHES, part_of_model
from verifier.families.losses import LogisticRun, Values, added, float_exp, float_log1p
from verifier.families.perceptron import LINEAR, check_hashing

CLASS_CELL = 6  # numbers of a feature that all classes share
MOST_ROUND_CLASSES = 1 << 40


class FrozenClassBlend(ClassBlend):
    """The hypothesis of Blend: the last state of all its members, mixed by the mean shares."""

    def begin(self, model: Model) -> None:
        """Take the whole state from the arrays of a model."""
        counts, squares = model.counts("counts"), model.reals("squares")
        model.expect(len(counts) == 4 and counts[2] == self.classes, "so many classes")
        model.expect(counts[3] < 2 and len(squares) == 1, "four counts and a sum of squares")
        self.played, self.newton.few, self.squares = counts[1], bool(counts[3]), squares[0]
        self.begin_rate(model, "base_rate", self.base)
        self.begin_rate(model, "recent_rate", self.recent)
        self.shares = self.begin_shares(model, "shares")
        self.mean_shares = self.begin_shares(model, "mean_shares")
        matrix, self.stack.weights = model.reals("stack_matrix"), model.reals("stack_weights")
        sound = len(self.stack.weights) == CLASS_STACKED and len(matrix) == CLASS_STACKED**2
        model.expect(sound, "a stack of seven members")
        rows = range(0, CLASS_STACKED**2, CLASS_STACKED)
        self.stack.A = [matrix[at : at + CLASS_STACKED] for at in rows]
        self.begin_newton(model)
        self.begin_cells(model)

    def begin_rate(self, model: Model, array: str, rate: ClassRate) -> None:
        """Take the counts of a base rate, and their total."""
        found = model.reals(array)
        sound = len(found) == self.classes + 1 and min(found, default=-1.0) >= 0
        model.expect(sound, f"counts of classes for {array!r}")
        *rate.counts, rate.total = found
        rate.logs = [float_log1p(n) for n in rate.counts]

    def begin_shares(self, model: Model, array: str) -> list[float]:
        """Take shares of the members."""
        found = model.reals(array)
        sound = len(found) == CLASS_MEMBERS and min(found, default=-1.0) >= 0 and sum(found) > 0
        model.expect(sound, f"eight shares for {array!r}")
        return found

    def begin_newton(self, model: Model) -> None:
        """Take the features of the Newton member in their order; P has rows to its diagonal."""
        features, matrix = model.counts("newton_features", -1), model.reals("newton_matrix")
        weights, size, C = model.reals("newton_weights"), len(features), self.classes
        sound = len({*features}) == size <= FEW and (self.newton.few or not size)
        sound = sound and len(weights) == size * C and len(matrix) == size * (size + 1) // 2
        model.expect(sound, "the features of the Newton member")
        newton = ClassNewton(C)
        newton.few, newton.slots = self.newton.few, {i: slot for slot, i in enumerate(features)}
        newton.w = [weights[C * slot : C * (slot + 1)] for slot in range(size)]
        lower = [matrix[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(size)]
        newton.P = [
            lower[i] + [lower[j][i] for j in range(i + 1, size)] for i in range(size)
        ]  # it is symmetric
        self.newton = newton

    def begin_cells(self, model: Model) -> None:
        """Take the cell of every feature, the constant one first; m is 0 before it appears."""
        flat, weights, each = model.reals("features"), model.reals("weights"), 4 * self.classes
        count, rest = divmod(len(flat), CLASS_CELL)
        model.expect(rest == 0 and len(weights) == each * count, "numbers for each feature")
        for n in range(count):
            m, r, S, slow, fast, V = flat[CLASS_CELL * n : CLASS_CELL * (n + 1)]
            if m:
                model.expect(m > 0 and r > 0 and min(S, slow, fast, V) >= 0, "sizes above 0")
                cell = self.cells[n - 1] = ClassCell(m, self.classes)
                cell.r, cell.S, cell.slow, cell.fast, cell.V = r, S, slow, fast, V
                cell.w = weights[each * n : each * (n + 1)]
        known = all(i in self.cells for i in self.newton.slots)
        model.expect(known, "features of the Newton member that have appeared")

    def freeze(self) -> None:
        """Become the hypothesis, after the hash of the state was taken."""
        self.shares, self.recent = self.mean_shares, self.base

    def said(self, x: Values) -> list[float]:
        """Return the probability of every class; nothing is learned."""
        parts, _ = self.gather(x)
        found, _ = self.forecast(parts)
        mixed = self.mixed([chances for chances, _ in found])
        total = class_sum(mixed)
        return raised_chances([chance / total for chance in mixed])


def raised_chances(chances: list[float]) -> list[float]:
    """Return probabilities of which none is below that of a score of −30, divided by their sum."""
    require(all(0.0 <= p <= 1.0 for p in chances), "a member gives a class no probability")
    raised = [max(p, CERTAIN) for p in chances]
    total = class_sum(raised)
    return [p / total for p in raised]


def surprise(chances: list[float], y: int) -> float:
    """Return ln(1 + (the chances of all other classes)/that of y)."""
    others = [*chances]
    others[y] = 0.0
    return float_log1p(class_sum(others) / chances[y])


class FrozenClassMixture(LogisticRun):
    """P(j) = Σ π_k p_k(j) with frozen p_k; π_k ∝ e^{−L_k} by Bayes' rule, from equal weights on."""

    theorems: Names = ()
    resumed: Names = ("mixture",)
    evidence: Names = ("loss",)
    transforms = False
    once = True
    many = True
    reads = ClassData
    program = "frozen-mixture-classes/1"

    def __init__(
        self, data: ClassData, classes: int, hypotheses: list[str], hashing: Object | None = None
    ) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        require(classes == len(data.codes), "its classes are not as many as it says")
        self.classes, self.unseen = classes, classes - len(data.seen)
        self.hashes, self.hashing = hypotheses, hashing
        self.members: list[FrozenClassBlend] = []
        self.losses, self.rests = [0.0] * len(hypotheses), [0.0] * len(hypotheses)
        self.weights = [1.0 / len(hypotheses)] * len(hypotheses)

    def begin(self, model: Model) -> None:
        """Take the members from a model; the weights are equal, whatever they are in the model."""
        for k, stated in enumerate(self.hashes):
            member = FrozenClassBlend(self.class_data, self.classes, self.hashing)
            member.work = self.work  # all of them together
            member.begin(part_of_model(model, k))
            require(member.fingerprint() == stated, f"member {k + 1} of the model is another")
            member.freeze()
            self.members.append(member)

    @property
    def class_data(self) -> ClassData:
        """The rows."""
        assert isinstance(self.data, ClassData)
        return self.data

    def take(self, evidence: Object) -> None:
        """Take the loss, which is what the theorem is about."""
        self.compared, self.dual = True, None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Measure nothing: the members' losses are part of the run."""

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and take it into the weights."""
        steps = (10_000 + 900 * len(x[0])) * len(self.members)
        self.work.spend(steps * self.unseen, "a run with so many classes that no row has")
        mixed = [0.0] * self.classes
        for k, (member, weight) in enumerate(zip(self.members, self.weights, strict=True)):
            own = member.said(x)
            mixed = [p + weight * q for p, q in zip(mixed, own, strict=True)]
            cost = surprise(own, y)
            self.losses[k], self.rests[k] = added(self.losses[k], self.rests[k], cost)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, surprise(mixed, y))
        sums = [total + rest for total, rest in zip(self.losses, self.rests, strict=True)]
        least = min(sums)
        found, total = [float_exp(least - own) for own in sums], 0.0
        for weight in found:
            total = total + weight
        self.weights = [weight / total for weight in found]
        self.played += 1
        return mixed.index(max(mixed)) != y

    def fingerprint(self) -> str:
        """Return SHA-256 over the members' hashes, the rounds, and the members' losses."""
        digest = hashlib.sha256(b"".join(map(bytes.fromhex, self.hashes)))
        digest.update(struct.pack("<Q", self.played))
        digest.update(struct.pack(f"<{2 * len(self.losses)}d", *self.losses, *self.rests))
        return digest.hexdigest()

    def bound(self, theorem: str) -> float:
        """Evaluate the least L_k + ln K + 2⁻⁵²T(C + 40)(K + 32 + L_k)."""
        T, C, K = self.played, self.classes, len(self.members)
        require(T > 0, "it has no round")
        few = T * C <= MOST_ROUND_CLASSES
        require(few, "it has more than 2^40 rounds, each counted once for a class")
        best = Fraction(math.nextafter(min(self.losses), math.inf))
        rounding = Fraction(T * (C + 40), 1 << 52) * (K + 32 + best)
        return least_float(best + rounding + Fraction(Precision(30).of(K).ln().high))


LEARNERS |= {"FrozenClassMixture": FrozenClassMixture}
PARAMETERS |= {
    "FrozenClassMixture": {"classes": integers(2, MOST_CLASSES), "hypotheses": HASHES} | LINEAR
}
