"""A mixture of frozen Blends, such as those of shards: they learn nothing.

docs/programs.md defines the program `frozen-mixture/1`. The members are read from a model, and
named by the hashes of their states. How they were learned is not checked here: a certificate of a
member's own run ends in the same hash.
"""

import hashlib
import math
import struct
from fractions import Fraction

from verifier.core.certificate import Json, Names, Object, require
from verifier.core.data import Data
from verifier.core.enclosures import Precision
from verifier.core.exact import least_float
from verifier.core.learner import LEARNERS, PARAMETERS, Domain
from verifier.core.models import Model
from verifier.families.blend_start import ResumedBlend
from verifier.families.losses import LogisticRun, Values, added, float_exp, float_log1p
from verifier.families.mixture import Pair, chances, clamped
from verifier.families.perceptron import LINEAR, check_hashing

CERTAIN = float.fromhex("0x1.a56e0c2ac7cbfp-44")  # 1/(1 + e³⁰)
MOST_FROZEN = 4096


class FrozenBlend(ResumedBlend):
    """The hypothesis of Blend: the last state of all its members, mixed by the mean weights."""

    def said(self, x: Values) -> float:
        """Return the probability of +1; nothing is learned."""
        _, sums = self.gather(x)
        before = [*sums[:7], self.base.score(), self.recent.score(), self.newton.score(x)]
        scores = [*before, self.stack.score([clamped(s, 10.0) for s in before])]
        positive, negative = 0.0, 0.0
        for s, weight in zip(scores, self.mixture.mean, strict=True):
            p, r = chances(clamped(s, 30.0))
            positive, negative = positive + weight * p, negative + weight * r
        return positive / (positive + negative)


class FrozenMixture(LogisticRun):
    """P(+1) = Σ π_k p_k with frozen p_k; π_k ∝ e^{−L_k} by Bayes' rule, from equal weights on."""

    theorems: Names = ()
    resumed: Names = ("mixture",)
    evidence: Names = ("loss",)
    transforms = False
    once = True
    program = "frozen-mixture/1"

    def __init__(self, data: Data, hypotheses: list[str], hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.hashes, self.hashing = hypotheses, hashing
        self.members: list[FrozenBlend] = []
        self.losses, self.rests = [0.0] * len(hypotheses), [0.0] * len(hypotheses)
        self.weights = [1.0 / len(hypotheses)] * len(hypotheses)

    def begin(self, model: Model) -> None:
        """Take the members from a model; the weights are equal, whatever they are in the model."""
        for k, stated in enumerate(self.hashes):
            member = FrozenBlend(self.data, self.hashing)
            member.work = self.work  # all of them together
            member.begin(part_of_model(model, k))
            require(member.fingerprint() == stated, f"member {k + 1} of the model is another")
            self.members.append(member)

    def take(self, evidence: Object) -> None:
        """Take the loss, which is what the theorem is about."""
        self.compared, self.dual = True, None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Measure nothing: the members' losses are part of the run."""

    def mixed(self, said: list[float]) -> Pair:
        """Return the probabilities of +1 and −1, up to a common factor near 1."""
        positive, negative = 0.0, 0.0
        for p, weight in zip(said, self.weights, strict=True):
            positive, negative = positive + weight * p, negative + weight * (1.0 - p)
        return positive, negative

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and take it into the weights."""
        said = [min(max(member.said(x), CERTAIN), 1.0 - CERTAIN) for member in self.members]
        p, r = self.mixed(said)
        loss = float_log1p(r / p if y > 0 else p / r)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        for k, chance in enumerate(said):
            likely = chance if y > 0 else 1.0 - chance
            cost = float_log1p((1.0 - likely) / likely)
            self.losses[k], self.rests[k] = added(self.losses[k], self.rests[k], cost)
        sums = [total + rest for total, rest in zip(self.losses, self.rests, strict=True)]
        least = min(sums)
        found, total = [float_exp(least - own) for own in sums], 0.0
        for weight in found:
            total = total + weight
        self.weights = [weight / total for weight in found]
        self.played += 1
        return (p >= r) != (y > 0)

    def fingerprint(self) -> str:
        """Return SHA-256 over the members' hashes, the rounds, and the members' losses."""
        digest = hashlib.sha256(b"".join(map(bytes.fromhex, self.hashes)))
        digest.update(struct.pack("<Q", self.played))
        digest.update(struct.pack(f"<{2 * len(self.losses)}d", *self.losses, *self.rests))
        return digest.hexdigest()

    def bound(self, theorem: str) -> float:
        """Evaluate the least L_k + ln K + 2⁻⁴⁹T(K + 64 + L_k)."""
        T, K = self.played, len(self.members)
        require(0 < T <= 1 << 40, "it has no round, or more than 2^40")
        best = Fraction(math.nextafter(min(self.losses), math.inf))
        rounding = Fraction(T, 1 << 49) * (K + 64 + best)
        return least_float(best + rounding + Fraction(Precision(30).of(K).ln().high))


def part_of_model(model: Model, k: int) -> Model:
    """Return the arrays of one member."""
    return Model(lambda name: model.numbers(f"member{k}.{name}"), f"{model.name}, member {k + 1}")


def is_hashes(value: Json) -> bool:
    """Say whether a value is a list of SHA-256, of some members."""
    if not (isinstance(value, list) and 1 <= len(value) <= MOST_FROZEN):
        return False
    digits = {*"0123456789abcdef"}
    return all(isinstance(one, str) and len(one) == 64 and {*one} <= digits for one in value)


HASHES = Domain(f"a list of 1 to {MOST_FROZEN} hashes", is_hashes)
LEARNERS |= {"FrozenMixture": FrozenMixture}
PARAMETERS |= {"FrozenMixture": {"hypotheses": HASHES} | LINEAR}
