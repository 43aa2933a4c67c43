"""Experts and arms: weighted majority, Hedge and bandits."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction

from verifier.core.certificate import Names, Object, canonical, require
from verifier.core.data import Data
from verifier.core.enclosures import Enclosure, Precision, rounded_up
from verifier.core.exact import BELOW_1, LEAST, above_0, least_float
from verifier.core.learner import (
    LEARNERS,
    PARAMETERS,
    Domains,
    Learner,
    Work,
    integers,
    numbers,
    one_of,
    optional,
    remark,
)
from verifier.core.theorem import THEOREMS, Theorem

DRAWN = "the learner drew with the probabilities it states"
CHOSEN = "its parameters, its seed and δ were chosen without knowledge of the losses"
OBLIVIOUS = "no loss depended on its draws"
RATE_CHOSEN = "its parameters and its seed were chosen without knowledge of the losses"
NOT_FORESEEN = "no loss depended on a draw of the same round or of a later one"
ANY_LOSSES = (
    "for any losses in [0, 1], also for losses that respond to the learner, where L are the total "
    "losses of the experts so far and L* is the least of them at the end"
)
THEOREMS |= {
    "weighted-majority": Theorem(
        "M ≤ (m* ln(1/β) + ln N)/ln(2/(1 + β)) for the deterministic vote with factor β, where m* "
        "is the number of mistakes of the best expert",
        earlier=("7a7d274c44d34df90be24b8e03fb32a717ac4a704bfc1376e10866716822d27e",),
    ),
    "randomized-weighted-majority": Theorem(
        "E[L] ≤ (L* ln(1/β) + ln N)/(1 − β) for an expert drawn in proportion to its weight, where "
        "L is the loss of the learner and L* that of the best expert; for ±1 advice a loss is a "
        "mistake",
        "expected",
        (DRAWN, CHOSEN, OBLIVIOUS),
        earlier=("7c539dd4a893b8670c6453cfd1e353320409c146756dd4bf879b6268c263c301",),
        withdrawn=("af38c9d9a4a60f6ca2ad37aa7b3890ae6f2ff06f4588caaa6d0d6994397414cb",),
    ),
    "hedge": Theorem(
        "Σ_t p_t·l_t − L* ≤ (ln N)/η + ηT/8, which is √(T ln N/2) for η = √(8 ln N/T), with "
        f"p_t ∝ e^{{−ηL}}, {ANY_LOSSES}",
        "expected",
        (DRAWN, RATE_CHOSEN, NOT_FORESEEN),
        earlier=("0a1b00b9232aef9c6026affc5daa7f169f0e8d701a79d9475d33dc4475d74031",),
    ),
    "hedge-anytime": Theorem(
        "Σ_t p_t·l_t − L* ≤ 2√(T ln N/2) + √(ln N/8) at every T with p_t ∝ e^{−η_t L} and "
        f"η_t = √(8 ln N/t), {ANY_LOSSES}",
        "expected",
        (DRAWN, RATE_CHOSEN, NOT_FORESEEN),
        earlier=("ce3c1dede8a7b9f0c6afbe650eee858a543c798e70d761c37d817bdc2ce15e0d",),
        withdrawn=("bce22a0fd348a6133296136e2386ac4df2157700a50e99422c5fb9203386a845",),
    ),
    "exp3": Theorem(
        "pseudo-regret ≤ √(2TK ln K) for a known T with η = √(2 ln K/(TK)), and ≤ 2√(TK ln K) at "
        "any T with η_t = √(ln K/(tK))",
        "expected",
        (DRAWN, CHOSEN, OBLIVIOUS),
        earlier=("7d5d5dab3c51acf9082ecc84ad2ae3f2e4f1673090187131bfa06d2fcdc6bfd8",),
        withdrawn=("4db408c1831343c364d911c1c031f3b5d5fa3caf600951cfe115ec762de677e3",),
    ),
    "exp3p": Theorem(
        "with probability ≥ 1 − δ, regret ≤ 5.15√(TK ln(K/δ)) for a known T, and "
        "≤ Σ_r 5.15√(2^r K ln(K(r + 1)(r + 2)/δ)) over 2^r ≤ T at any T",
        "probable",
        (DRAWN, CHOSEN, OBLIVIOUS),
        withdrawn=("c4df638830919968a794c7f56adfd6b5f5e4f9c13a314ed47a3d47b145b2bfc9",),
    ),
    "exp3ix": Theorem(
        "with probability ≥ 1 − δ, regret ≤ 2√(2KT ln K) + (√(2KT/ln K) + 1) ln(2/δ) for a known "
        "T, and ≤ 4√(KT ln K) + (2√(KT/ln K) + 1) ln(2/δ) at any T",
        "probable",
        (DRAWN, CHOSEN, OBLIVIOUS),
        withdrawn=("77cab4ecdd7eb62c5b7c4efba6ea24f05d28c147b83f2916318468e4d019aba7",),
    ),
}


Losses = dict[int, Fraction]  # those above 0, by who had them


class Experts(Learner[int, Losses]):
    """N experts or arms: rows of losses in [0, 1], or of advice ±1 with an outcome, losses 0 or 1.

    Only the losses are measured; what a learner drew is not known here. Losses of 0 are left out.
    """

    evidence: Names = ("rows",)
    once = True
    data: Data
    formula: Callable[[Enclosure], Enclosure]  # of the bound, from ln N

    def __init__(self, data: Data, size: int) -> None:
        require(size == data.width, f"the data have columns for {data.width}, not for {size}")
        self.data, self.size = data, size
        self.totals: dict[int, Fraction] = {}  # of the losses of each that lost
        self.groups = {Fraction(0): size}  # how many lost so much

    @property
    def best(self) -> Fraction:
        """The least of the totals."""
        return min(self.groups)

    def take(self, evidence: Object) -> None:
        """Take what the rows are."""
        require(evidence["rows"] in ("losses", "advice"), "its rows are no losses and no advice")
        self.advised = evidence["rows"] == "advice"

    def rounds(self) -> Iterator[tuple[int, Losses]]:
        """Yield the outcome and the losses above 0 of every round."""
        for y, indices, values in self.data.given():
            if self.advised:
                require(len(indices) == self.size, "a row is no advice of all experts")
                require({-1.0, 1.0} >= set(values), "a row is no advice of −1 and +1")
                yield y, {i: Fraction(1) for i, v in enumerate(values) if v != y}
            else:
                require(0 < min(values, default=1) <= max(values, default=1) <= 1, "no loss")
                yield y, dict(zip(indices, map(Fraction, values), strict=True))

    def mistaken(self, y: int, losses: Losses) -> bool:
        """Judge no draw."""
        return False

    def measure(self, y: int, losses: Losses, mistaken: bool, times: int) -> None:
        """Add up the losses."""
        for i, loss in losses.items():
            before = self.totals.get(i, Fraction(0))
            self.totals[i] = before + loss
            self.groups[before] -= 1
            if not self.groups[before]:
                del self.groups[before]
            self.groups[before + loss] = self.groups.get(before + loss, 0) + 1

    def bound(self, theorem: str) -> float:
        """Evaluate the formula of the learner's theorem."""
        return rounded_up(lambda digits: self.formula(digits.of(self.size).ln()))


class WeightedMajority(Experts):
    """ŷ = sgn Σ β^{m_i} a_i, m_i the mistakes of expert i, a_i its advice; a tie is +1."""

    theorems = ("weighted-majority",)

    def __init__(self, data: Data, experts: int, beta: float) -> None:
        super().__init__(data, experts)
        self.beta, self.work = Fraction(beta), Work()
        self.logs = [Precision(digits).of(self.beta).ln() for digits in (18, 80)]

    def mistaken(self, y: int, losses: Losses) -> bool:
        """Judge the vote."""
        require({*losses.values()} <= {1}, "its losses are no mistakes")
        wrong: dict[int, int] = defaultdict(int)  # experts, by the mistakes they made before
        for i in losses:
            wrong[int(self.totals.get(i, 0))] += 1
        least = int(self.best)
        votes = {int(m) - least: n - 2 * wrong[int(m)] for m, n in self.groups.items()}
        sign, positive = self.sign(votes), y > 0 and self.advised
        return sign < 0 or (sign == 0 and not positive)  # with losses a tie is a mistake

    def sign(self, votes: dict[int, int]) -> int:
        """Return the sign of Σ c β^m."""
        votes = {m: c for m, c in votes.items() if c}
        if not votes or min(votes.values()) > 0 or max(votes.values()) < 0:
            total = sum(votes.values())
            return (total > 0) - (total < 0)

        for log in self.logs:
            near = sum(((log * m).exp() * c for m, c in votes.items()), log * 0)
            if near.low > 0 or near.high < 0:
                return 1 if near.low > 0 else -1
        return self.exact_sign(votes)

    def exact_sign(self, votes: dict[int, int]) -> int:
        """Return the sign of Σ c a^{m − l} b^{h − m} with β = a/b, l ≤ m ≤ h, by Horner's rule."""
        a, b, last, total = *self.beta.as_integer_ratio(), max(votes), 0
        bits = b.bit_length() * (max(votes) - min(votes))
        self.work.spend(len(votes) * bits**2 // 10_000, "a vote that is nearly a tie")
        for m in sorted(votes, reverse=True):
            total = total * a ** (last - m) + votes[m] * b ** (max(votes) - m)
            last = m
        return (total > 0) - (total < 0)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (m* ln(1/β) + ln N)/ln(2/(1 + β))."""
        of = log.digits.of
        return (log - of(self.beta).ln() * self.best) / of(2 / (1 + self.beta)).ln()


class Hedge(Experts):
    """p_t ∝ e^{−η_t L} with η_t = eta, or √(8 ln N/horizon), or √(8 ln N/t)."""

    theorems: Names = ("hedge", "hedge-anytime")  # as its rate is
    evidence = ("rows", "expected")

    def __init__(self, data: Data, experts: int, eta: float | None, horizon: int | None) -> None:
        super().__init__(data, experts)
        require(eta is None or horizon is None, "it has two rates")
        self.eta = None if eta is None else Fraction(eta)
        self.horizon = horizon
        self.theorems = self.theorems[-1:] if eta is horizon is None else self.theorems[:1]
        self.played, self.digits = 0, Precision(60)
        self.charged = self.digits.of(0)

    def rate(self, log: Enclosure) -> Enclosure:
        """Return η_t."""
        if self.eta is not None:
            return log.digits.of(self.eta)
        return (8 * log / (self.horizon or self.played)).sqrt()

    def measure(self, y: int, losses: Losses, mistaken: bool, times: int) -> None:
        """Charge p_t·l_t, in decimals of 60 digits."""
        self.played += 1
        zero, best = self.digits.of(0), self.best
        rate = self.rate(self.digits.of(self.size).ln())
        weights = {total: (rate * (best - total)).exp() for total in self.groups}
        charged = sum(
            (weights[self.totals.get(i, Fraction(0))] * loss for i, loss in losses.items()), zero
        )
        self.charged += charged / sum(
            (weights[total] * n for total, n in self.groups.items()), zero
        )
        super().measure(y, losses, mistaken, times)

    @property
    def observed(self) -> float:
        """What is expected of the draws: the regret."""
        return self.expected(self.best)

    def expected(self, less: Fraction) -> float:
        """Return Σ_t p_t·l_t, less some, rounded up."""
        return least_float(Fraction(self.charged.high) - less)

    def confirm(self, evidence: Object) -> None:
        """Confirm what the evidence says is expected."""
        same = canonical(evidence["expected"]) == canonical(self.observed)
        require(same, f"it expects {self.observed}")

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (ln N)/η + ηT/8, or 2√(T ln N/2) + √(ln N/8)."""
        T: int = self.data.count
        if self.theorems == ("hedge",):
            return log / self.rate(log) + self.rate(log) * T / 8
        return 2 * (T * log / 2).sqrt() + (log / 8).sqrt()


class RandomizedWeightedMajority(Hedge):
    """p_t ∝ β^L."""

    theorems = ("randomized-weighted-majority",)

    def __init__(self, data: Data, experts: int, beta: float) -> None:
        super().__init__(data, experts, None, None)
        self.beta = Fraction(beta)

    @property
    def observed(self) -> float:
        """What is expected of the draws: the loss."""
        return self.expected(Fraction(0))

    def rate(self, log: Enclosure) -> Enclosure:
        """Return ln(1/β)."""
        return -log.digits.of(self.beta).ln()

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (L* ln(1/β) + ln N)/(1 − β)."""
        return (self.best * self.rate(log) + log) / (1 - self.beta)


class Exp3(Experts):
    """What holds in expectation over the draws of a bandit."""

    theorems: Names = ("exp3",)
    remark = "; it speaks of the learner's draws in general, not of those of one run"

    def __init__(self, data: Data, arms: int, horizon: int | None) -> None:
        super().__init__(data, arms)
        self.horizon = horizon
        self.T: int = horizon or data.count
        require(self.T >= data.count > 0, "it goes on after its horizon")
        self.scale = (4 if horizon is None else 2) * self.T * arms

    @property
    def observed(self) -> None:
        """What is observed: nothing, for what was drawn is not known here."""

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate √(2TK ln K), or √(4TK ln K)."""
        return (self.scale * log).sqrt()


class Exp3IX(Exp3):
    """What holds with probability 1 − δ, for a δ of the evidence."""

    theorems = ("exp3ix",)
    evidence = ("rows", "delta")

    def take(self, evidence: Object) -> None:
        """Take δ."""
        super().take(evidence)
        self.delta = above_0(evidence["delta"], "delta", BELOW_1)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate 2r ln K + (r + 1) ln(2/δ), r = √(2TK/ln K) or √(4TK/ln K)."""
        root = (self.scale / log).sqrt()
        return 2 * root * log + (root + 1) * log.digits.of(2 / self.delta).ln()


class Exp3P(Exp3):
    """What holds with probability 1 − δ, for the learner's own δ."""

    theorems = ("exp3p",)

    def __init__(self, data: Data, arms: int, delta: float, horizon: int | None) -> None:
        super().__init__(data, arms, horizon)
        self.delta = Fraction(delta)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate 5.15√(TK ln(K/δ)), or Σ_r 5.15√(2^r K ln(K(r + 1)(r + 2)/δ)) over 2^r ≤ T."""
        parts = [(2**r, (r + 1) * (r + 2)) for r in range(self.T.bit_length())]
        if self.horizon is not None:
            parts = [(self.T, 1)]
        K, of = self.size, log.digits.of
        roots = [(n * K * of(K * share / self.delta).ln()).sqrt() for n, share in parts]
        return Fraction("5.15") * sum(roots, of(0))


SIZE, HORIZON = integers(2, (1 << 31) - 1), optional(integers(1, (1 << 53) - 1))
BETA, DELTA = numbers(1e-6, 0.999999), numbers(math.nextafter(1e-300, 1), BELOW_1)
NO_BIAS = remark(one_of(None))
DRAWS: Domains = {  # losses are not rescaled, and no constant is among them
    "seed": remark(integers(0, (1 << 64) - 1)), "span": remark(one_of([0.0, 1.0])),
    "rewards": remark(one_of(False)), "bias": NO_BIAS,
}  # fmt: skip
LEARNERS |= {
    "WeightedMajority": WeightedMajority, "RandomizedWeightedMajority": RandomizedWeightedMajority,
    "Hedge": Hedge, "Exp3": Exp3, "Exp3IX": Exp3IX, "Exp3P": Exp3P,
}  # fmt: skip
PARAMETERS |= {
    "WeightedMajority": {"experts": SIZE, "beta": BETA, "bias": NO_BIAS},
    "RandomizedWeightedMajority": {"experts": SIZE, "beta": BETA} | DRAWS,
    "Hedge": {"experts": SIZE, "eta": optional(numbers(LEAST, 1e6)), "horizon": HORIZON} | DRAWS,
    "Exp3": {"arms": SIZE, "horizon": HORIZON} | DRAWS,
    "Exp3IX": {"arms": SIZE, "horizon": HORIZON} | DRAWS,
    "Exp3P": {"arms": SIZE, "delta": DELTA, "horizon": HORIZON} | DRAWS,
}
