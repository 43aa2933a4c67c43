"""What the mistakes of one pass say of examples not yet seen."""

from fractions import Fraction

from verifier.core.certificate import Json, Object, require
from verifier.core.data import AnyRounds
from verifier.core.enclosures import Enclosure, Precision, rounded_up
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
    ),
    "leave-one-out": Theorem(
        "E[err] ≤ E[M_{m+1}]/(m + 1) for a hypothesis drawn uniformly from those of one pass over "
        "m + 1 rounds; their vote errs at most twice as often; the average of the weights has no "
        "such guarantee",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
}


def progressive_bound(data: AnyRounds, mistakes: int, delta: Json) -> float:
    """Evaluate min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), or 1."""
    share = 34 / above_0(delta, "delta", BELOW_1)
    # With classes the first round is judged when its own is known: it counts as a mistake here.
    made = min(data.count, mistakes + data.many)

    def least(digits: Precision) -> Enclosure:
        found = []
        for rate in (digits.of(Fraction(2) ** (6 - j)).sqrt() for j in range(34)):
            mass = rate * made + digits.of(share).ln()
            found.append((1 - (-mass / data.count).exp()) / (1 - (-rate).exp()))
        return Enclosure(digits, min(f.low for f in found), min(f.high for f in found))

    return min(1.0, rounded_up(least))


def progressive(run: AnyLearner, one_pass: bool, evidence: Object) -> float:
    """Evaluate the bound for a run of one pass, whose labels were known before."""
    require(one_pass and run.data.count > 0, "the rounds of later passes are not fresh")
    require(run.known, "its tags are not known before the first round")
    return progressive_bound(run.data, run.mistakes, evidence["delta"])


RUN_THEOREMS |= {"progressive": RunTheorem(("delta",), progressive)}
