"""What the mistakes of one pass say about unseen examples: err(h) is the probability that h is
wrong on a fresh one, and h_t is the hypothesis that predicts round t.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb, prod

from novikoff.theory.theorem import Number, exact, exp, ln, require, root, theorem

ABOUT_MEAN_ERROR = ("progressive", "progressive-mixture")
"""The theorems that bound the mean error of the hypotheses of any run, and can be certified."""


@theorem("random-stopping", "littlestone1989")
def random_stopping(mistake_bound: int, sample: int) -> Fraction:
    """Proof: The error of h_t is the probability that round t is a mistake, given the rounds before
    it. The sum over rounds is E[M] ≤ B.

    Tight: with E[M] in place of B it is an equality.
    """
    require(sample >= 1, "random-stopping", "at least one round", sample)
    return Fraction(mistake_bound) / sample


@theorem("controlled-testing", "angluin1988")
def controlled_testing(epsilon: float, delta: float) -> Fraction:
    """Proof: An h with an error above ε passes n_i fresh examples with probability (1 − ε)^{n_i} ≤
    δ/(i + 2)², and these probabilities sum to less than δ.

    Tight: not: the share of failures is measured, and is below δ.
    """
    sound = 0 < epsilon < 1 and 0 < delta < 1
    require(sound, "controlled-testing", "0 < ε, δ < 1", (epsilon, delta))
    return Fraction(epsilon)


@theorem("progressive", "cesabianchi2004")
def progressive(rounds: int, mistakes: int, delta: float) -> Number:
    """Proof: With c = 1 − e^{−λ}, E[e^{−λ·mistake}] = 1 − c·err(h_t) given the past, so the product
    of e^{−λ·mistake}/(1 − c·err(h_t)) is a martingale, and ever exceeds |Λ|/δ with probability at
    most δ/|Λ| (Ville). So Σ −ln(1 − c·err(h_t)) ≤ λM + ln(|Λ|/δ). Because −ln(1 − cp) is convex in
    p, this bounds the mean. It holds for each λ of the grid, and by the union bound for all.

    Tight: not: the share of failures is measured, and is below δ.
    """
    require(rounds >= 1, "progressive", "at least one round", rounds)
    require(0 < delta < 1, "progressive", "0 < δ < 1", delta)
    mass = ln(34 / exact(delta))
    found: list[Number] = [1]
    for j in range(34):
        rate = root(exact(2) ** (6 - j))
        above = 1 - exp(-(rate * mistakes + mass) / rounds)
        found.append(above / (1 - exp(-rate)))
    return min(found)


@theorem("progressive-mixture", "cesabianchi2004")
def progressive_mixture(rounds: int, mistakes: int, delta: float) -> Number:
    """Proof: As for `progressive`, the product of e^{−λ·mistake}/(1 − c·err(h_t)) is a martingale
    for each λ, so their mean over Λ is one: with probability ≥ 1 − δ it stays below 1/δ (Ville).
    Because ln(1 − cp) is concave in p, Π(1 − c·err(h_t)) ≤ (1 − c·mean)^T, so the mean error is
    below the p at which the stated sum, which rises in p, reaches |Λ|/δ. The sum is at least its
    largest term, so the p is never above the bound of `progressive`. Derived here.

    Tight: not: the share of failures is measured, and is below δ.
    """
    require(rounds >= 1, "progressive-mixture", "at least one round", rounds)
    require(0 < delta < 1, "progressive-mixture", "0 < δ < 1", delta)
    mass = ln(34 / exact(delta))
    p = exact(progressive.formula(rounds, mistakes, delta))  # not below the root, or 1
    for _ in range(200):  # Newton's steps, which never pass the root: the sum's ln is convex
        total = slope = exact(0)
        for rate in (root(exact(2) ** (6 - j)) for j in range(34)):
            lost = 1 - exp(-rate)
            term = exp(-rate * mistakes - ln(1 - lost * p) * rounds)
            total += term
            slope += term * lost * rounds / (1 - lost * p)
        step = (ln(total) - mass) * total / slope
        if step <= p * exact(10) ** -40:  # at the root, or below one above 1
            break
        p -= step
    return p if p < 1 else 1


@theorem("leave-one-out", "freund1999")
def leave_one_out(rounds: int, expected_mistakes: float) -> Fraction:
    """Proof: To h_t a fresh example looks like the t-th: E[err(h_t)] is the probability of a
    mistake in round t, and these sum to E[M_{m+1}]. If the vote errs, at least half of the
    hypotheses do.

    Tight: every distribution: for the drawn hypothesis it is an equality.
    """
    require(rounds >= 1, "leave-one-out", "at least one round", rounds)
    return Fraction(expected_mistakes) / rounds


@theorem("clopper-pearson", "clopper1934")
def clopper_pearson(rows: int, errors: int, delta: float) -> Number:
    """Proof: A frozen h errs on each fresh row with probability err, whatever the other rows are,
    so its errors are Bin(n, err). Let k be the largest count whose p is below err. The bound fails
    only if at most k errors come. Because P[Bin(n, p) ≤ k] falls in p, that has probability at most
    δ.

    Tight: an err just above the p of some k: then so few errors come with probability δ.
    """
    require(rows >= 1, "clopper-pearson", "at least one row", rows)
    require(0 < delta < 1, "clopper-pearson", "0 < δ < 1", delta)
    require(0 <= errors <= rows, "clopper-pearson", "from 0 to n errors", errors)
    if errors == rows:
        return 1
    low, high = exact(0), exact(1)
    for _ in range(200):
        p = (low + high) / 2
        tail = sum(comb(rows, i) * p**i * (1 - p) ** (rows - i) for i in range(errors + 1))
        low, high = (low, p) if tail <= exact(delta) else (p, high)
    return high


@theorem("betting-mean", "waudbysmith2024", of="loss")
def betting_mean(losses: Sequence[float], clip: float, delta: float) -> Number:
    """Proof: If m·ln(1/ε) is the mean of the loss of a frozen h, each product of 1 + λ_j(m − X_t),
    which are at least 0 because X_t ≤ 1 and λ_j ≤ 1, is a martingale with mean 1, and so is their
    mean over j. It ever reaches 1/δ with probability at most δ (Ville). It rises in m, so the mean
    is below every m at which it has. The bound is the least m that is a multiple of 2⁻²⁰.

    Tight: not: the share of failures is measured, and is below δ.
    """
    require(0 < delta < 1, "betting-mean", "0 < δ < 1", delta)
    require(0 < clip < 0.5, "betting-mean", "0 < ε < ½", clip)
    most = -ln(clip)
    shares = [exact(loss) / most for loss in losses]
    inside = all(0 <= share <= 1 + exact(2) ** -50 for share in shares)
    require(inside, "betting-mean", "losses from 0 to ln(1/ε)", [*losses])
    low, high = 0, 2**20
    while low + 1 < high:
        steps = (low + high) // 2
        reached = capital(shares, exact(steps) / 2**20) >= 1 / exact(delta)
        low, high = (low, steps) if reached else (steps, high)
    return most * high / 2**20


def capital(shares: list[Decimal], m: Decimal) -> Decimal:
    """The mean over j = 0, …, 23 of Π_t (1 + λ_j (m − X_t)), λ_j = 2^{−j/2}."""
    bets = [root(exact(2) ** -j) for j in range(24)]
    gains = [prod(1 + bet * (m - min(x, exact(1))) for x in shares) for bet in bets]
    return exact(sum(gains) / 24)


@theorem("jensen", "cesabianchi2004")
def jensen(rounds: int, expected_loss: float) -> Fraction:
    """Proof: To h_t, which is made of the rounds before, round t is a fresh one: E[risk(h_t)] is
    E[ℓ_t], and the mean over t of a hypothesis drawn uniformly is E[Σ ℓ_t]/T. By Jensen's
    inequality the loss of a mean is at most the mean of the losses, for each example.

    Tight: hypotheses that do not change: one round, or a learner that has converged.
    """
    require(rounds >= 1, "jensen", "at least one round", rounds)
    return Fraction(expected_loss) / rounds
