"""N experts or K arms, losses in [0, 1], T rounds; m* are the mistakes of the best expert.

Regret is the learner's loss minus that of the best. Expected regret is Σ p_t·l_t minus the loss of
the best; the bound of `hedge` on it holds for every sequence of losses, even one that responds to
the learner. Pseudo-regret is E[own loss] − min_k E[loss of k]: for losses fixed beforehand, the
mean regret. Probabilities 1 − δ are over the learner's draws.
"""

from decimal import Decimal

from novikoff.theory.theorem import exact, ln, require, root, theorem


@theorem("weighted-majority", "littlestone1994", families=("weighted-majority",))
def weighted_majority(experts: int, beta: float, best_mistakes: int) -> Decimal:
    """Proof: A mistake means that at least half of the weight erred. That part is multiplied by β,
    so at most a share (1 + β)/2 of the whole is left. The best expert's weight alone is β^{m*}.

    Tight: N = 2^k experts; in round j those whose number has bit j err, always half of the weight:
    M = k, and the bound tends to k as β → 0. For other β we measure how near it comes.
    """
    require(0 < beta < 1, "weighted-majority", "0 < β < 1", beta)
    return (-exact(best_mistakes) * ln(beta) + ln(experts)) / ln(2 / (1 + exact(beta)))


@theorem(
    "randomized-weighted-majority",
    "littlestone1994",
    families=("randomized-weighted-majority",),
)
def randomized_weighted_majority(experts: int, beta: float, best_mistakes: int) -> Decimal:
    """Proof: When a share F of the weight errs, the whole is multiplied by 1 − (1 − β)F ≤
    e^{−(1−β)F}, and E[M] is the sum of the F. The best expert's weight alone is β^{m*}.

    Tight: not: only in the limit: N experts who err one after another force 1/2 + … + 1/N as β → 0,
    and the bound allows ln N, less than ½ more; we measure how near it comes.
    """
    require(0 < beta < 1, "randomized-weighted-majority", "0 < β < 1", beta)
    return (-exact(best_mistakes) * ln(beta) + ln(experts)) / (1 - exact(beta))


@theorem("hedge", "cesabianchi2006, Thm 2.2", families=("hedge",), of="regret")
def hedge(experts: int, rounds: int, eta: float) -> Decimal:
    """Proof: In a round ln Σe^{−ηL} falls by at least η times the mean loss minus η²/8 (Hoeffding's
    lemma). At the end it is at least −η times the least loss. Sum, and choose η.

    Tight: not: only in the limit: experts that are fair coins force √(T ln N/2) as T and N grow
    (cesabianchi2006, Thm 3.7); we measure how near it comes.
    """
    require(eta > 0 or experts == 1, "hedge", "η > 0", eta)
    return ln(experts) / exact(eta) + exact(eta) * rounds / 8 if eta > 0 else Decimal(0)


@theorem(
    "hedge-anytime",
    "cesabianchi2006, Thm 2.3",
    families=("hedge",),
    of="regret",
)
def hedge_anytime(experts: int, rounds: int) -> Decimal:
    """Proof: As for `hedge`, with a falling η, which never raises the potential (1/η)
    ln((1/N)Σe^{−ηL}). This gives (3/2)√(T ln N/2), which is less; the theorem states the book's
    bound.

    Tight: not: it allows more than `hedge`, whose bound is forced; we measure how near it comes.
    """
    return 2 * root(rounds * ln(experts) / 2) + root(ln(experts) / 8)


@theorem("exp3", "bubeck2012, Thm 3.1", families=("exp3",), of="pseudo-regret")
def exp3(arms: int, rounds: int, anytime: bool) -> Decimal:
    """Proof: Hedge on the estimates, whose second moment Σ p l̂² is at most K in expectation; l̂
    is unbiased.

    Tight: not: we measure how near it comes on the lower bound's instance (docs/experts.md).
    """
    return 2 * root(rounds * arms * ln(arms)) if anytime else root(2 * rounds * arms * ln(arms))


@theorem("exp3p", "bubeck2012, Thm 3.3", families=("exp3p",), of="regret")
def exp3p(arms: int, rounds: int, delta: float, anytime: bool) -> Decimal:
    """Proof: The added β/p makes each arm's sum of estimated gains an upper bound on the true sum
    with probability 1 − δ; the rest is `exp3` with a share γ of exploration.

    Tight: not: we measure how near it comes (docs/experts.md).
    """
    require(0 < delta < 1, "exp3p", "0 < δ < 1", delta)
    epochs = [(2**r, (r + 1) * (r + 2)) for r in range(int(rounds).bit_length())]
    parts = epochs if anytime else [(rounds, 1)]
    logs = (root(T * arms * ln(arms * share / exact(delta))) for T, share in parts)
    return Decimal("5.15") * sum(logs, Decimal(0))


@theorem("exp3ix", "neu2015, Thm 1", families=("exp3ix",), of="regret")
def exp3ix(arms: int, rounds: int, delta: float, anytime: bool) -> Decimal:
    """Proof: l/(p + γ) is so far below the unbiased estimate that Σ l̂ exceeds Σ l by at most
    ln(K/δ)/(2γ) with probability 1 − δ. Use this twice, with δ/2 each; the rest is `exp3`.

    Tight: not: we measure how near it comes (docs/experts.md).
    """
    require(0 < delta < 1 < arms, "exp3ix", "0 < δ < 1 and two arms or more", (delta, arms))
    size, log, miss = arms * rounds, ln(arms), ln(2 / exact(delta))
    if anytime:
        return 4 * root(size * log) + (2 * root(size / log) + 1) * miss
    return 2 * root(2 * size * log) + (root(2 * size / log) + 1) * miss
