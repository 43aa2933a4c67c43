"""What the mistakes of one pass say of examples not yet seen."""

import math
from collections.abc import Callable
from fractions import Fraction

from verifier.core.certificate import Json, Object, require
from verifier.core.data import AnyRounds
from verifier.core.enclosures import Enclosure, Precision, rounded_up, settled
from verifier.core.exact import BELOW_1, above_0
from verifier.core.learner import RUN_THEOREMS, AnyLearner, RunTheorem
from verifier.core.theorem import THEOREMS, Theorem

INDEPENDENT = "the rounds are independent draws from one distribution"
CHOSEN_BEFORE = "learner, class and parameters were chosen before the data were seen"
ALL_CHOSEN_BEFORE = "learner, class, parameters and δ were chosen before the data were seen"
LATE_LABELS = "when a label came, and whether it came at all, did not depend on the label"
THEOREMS |= {
    "random-stopping": Theorem(
        "E[err] ≤ B/m for the hypothesis at a uniformly random time of m rounds, if the learner "
        "makes at most B mistakes on every stream of these examples",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
    "controlled-testing": Theorem(
        "with probability ≥ 1 − δ, err ≤ ε for the first hypothesis i = 0, 1, … that makes no "
        "error on n_i = ⌈ln((i + 2)²/δ)/ε⌉ fresh examples, if each earlier one is taught an "
        "example on which it erred; a learner that makes at most B mistakes needs at most "
        "n_0 + … + n_B examples",
        "probable",
        (INDEPENDENT, ALL_CHOSEN_BEFORE),
    ),
    "progressive": Theorem(
        "with probability ≥ 1 − δ, for all T at once, the mean error of the hypotheses h_1, …, h_T "
        "of the T rounds is at most min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), "
        "Λ = {2^(3 − j/2) : j = 0..33}",
        "probable",
        (INDEPENDENT, ALL_CHOSEN_BEFORE),
        further=(LATE_LABELS,),
        earlier=("15e489c3ef8ad5e94831f6d841fc4e8d78b8022d77ae8d7b8d729f2b8459c6f9",),
        withdrawn=("821ca979ea79a1a0377fa0699e79b01dc4a6f066a66def76a4486a2ae07caf31",),
    ),
    "progressive-mixture": Theorem(
        "with probability ≥ 1 − δ, for all T at once, the mean error of the hypotheses h_1, …, h_T "
        "of the T rounds is at most the p with Σ_λ e^{−λM}(1 − (1 − e^{−λ})p)^{−T} = |Λ|/δ, "
        "Λ = {2^(3 − j/2) : j = 0..33}",
        "probable",
        (INDEPENDENT, ALL_CHOSEN_BEFORE),
        further=(LATE_LABELS,),
    ),
    "leave-one-out": Theorem(
        "E[err] ≤ E[M_{m+1}]/(m + 1) for a hypothesis drawn uniformly from those of one pass over "
        "m + 1 rounds; their vote errs at most twice as often; the average of the weights has no "
        "such guarantee",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
    "jensen": Theorem(
        "E[risk(h)] ≤ E[Σ_t ℓ_t]/T for the mean h of the hypotheses h_1, …, h_T of T rounds, or of "
        "some of them drawn uniformly, where ℓ_t is the loss of h_t in round t and risk the "
        "expected loss, if the loss is convex in what the mean is taken of: scores, weights of "
        "linear hypotheses, or probabilities for log loss",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
}


def counted(data: AnyRounds, mistakes: int) -> int:
    """Return how many mistakes count.

    With classes the first round is judged when its own is known: it counts as one.
    """
    return min(data.count, mistakes + data.many)


def progressive_bound(data: AnyRounds, mistakes: int, delta: Json) -> float:
    """Evaluate min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), or 1."""
    share = 34 / above_0(delta, "delta", BELOW_1)
    made = counted(data, mistakes)

    def least(digits: Precision) -> Enclosure:
        found = []
        for rate in (digits.of(Fraction(2) ** (6 - j)).sqrt() for j in range(34)):
            mass = rate * made + digits.of(share).ln()
            found.append((1 - (-mass / data.count).exp()) / (1 - (-rate).exp()))
        return Enclosure(digits, min(f.low for f in found), min(f.high for f in found))

    return min(1.0, rounded_up(least))


def mixture_bound(data: AnyRounds, mistakes: int, delta: Json) -> float:
    """Find the least float p at which Σ_λ e^{−λM}(1 − cp)^{−T} reaches 34/δ, or 1; c = 1 − e^{−λ}.

    The sum rises in p.
    """
    share = 34 / above_0(delta, "delta", BELOW_1)
    made, count = counted(data, mistakes), data.count
    goal = math.log(share.numerator) - math.log(share.denominator)

    def lead(digits: Precision, p: Fraction) -> Enclosure:
        total = digits.of(-share)
        for rate in (digits.of(Fraction(2) ** (6 - j)).sqrt() for j in range(34)):
            kept = 1 - (1 - (-rate).exp()) * p
            total = total + (-rate * made - kept.ln() * count).exp()
        return total

    def reached(p: float) -> bool:
        return settled(lambda digits: lead(digits, Fraction(p)), lambda value: value >= 0)

    low, high = 0.0, 1.0  # floats tell about where it is
    rates = [2.0 ** (3 - j / 2) for j in range(34)]
    while low < (p := (low + high) / 2) < high:
        logs = [-rate * made - math.log1p(math.expm1(-rate) * p) * count for rate in rates]
        most = max(logs)
        rough = most + math.log(math.fsum(math.exp(one - most) for one in logs))
        low, high = (low, p) if rough >= goal else (p, high)
    return least_reached(reached, high)


def least_reached(reached: Callable[[float], bool], guess: float) -> float:
    """Return the least float up to 1 that is reached, as all above it are; 1 if none is."""
    low = high = guess
    step = math.ulp(guess)
    while high < 1 and not reached(high):
        low, high, step = high, min(1.0, high + step), 16 * step
    while low > 0 and reached(low):
        low, high, step = max(0.0, low - step), low, 16 * step
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def check_fresh(run: AnyLearner, one_pass: bool) -> None:
    """Require a run of one pass, whose labels were known before."""
    require(one_pass and run.data.count > 0, "the rounds of later passes are not fresh")
    require(run.known, "its tags are not known before the first round")


def progressive(run: AnyLearner, one_pass: bool, evidence: Object) -> float:
    """Evaluate the bound for a run."""
    check_fresh(run, one_pass)
    return progressive_bound(run.data, run.mistakes, evidence["delta"])


def progressive_mixture(run: AnyLearner, one_pass: bool, evidence: Object) -> float:
    """Evaluate the bound for a run."""
    check_fresh(run, one_pass)
    return mixture_bound(run.data, run.mistakes, evidence["delta"])


RUN_THEOREMS |= {
    "progressive": RunTheorem(("delta",), progressive),
    "progressive-mixture": RunTheorem(("delta",), progressive_mixture, like="progressive"),
}
