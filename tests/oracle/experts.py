"""Experts and arms: losses in [0, 1], or advice of −1 and +1 with an outcome."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields, probability
from oracle.data import Data, Vector
from oracle.reals import Real, real, require

Losses = list[list[Fraction]]


def losses_of(claim: Claim, data: Data, count: int) -> Losses:
    """Return the losses of all experts or arms in every round."""
    require(data.width == count, "the data have another number of columns")
    require(claim.passes == 1, "the rounds are played once")
    require(len(data.xs) >= 1, "there are no rounds")
    kind = str(claim.evidence["rows"])
    require(kind in ("losses", "advice"), "the rows are neither losses nor advice")
    return [_row(kind, x, y, count) for x, y in zip(data.xs, data.ys, strict=True)]


def _row(kind: str, x: Vector, y: int, count: int) -> list[Fraction]:
    if kind == "losses":
        require(y == 1, "a row of losses has another label than 1")
        row = [x.get(k, Fraction(0)) for k in range(count)]
        require(all(0 <= loss <= 1 for loss in row), "a loss is outside [0, 1]")
        return row
    advice = [x.get(k, Fraction(0)) for k in range(count)]
    require(all(a in (-1, 1) for a in advice), "an advice is neither −1 nor +1")
    return [Fraction(a != y) for a in advice]


def weighted_majority(claim: Claim, data: Data) -> Outcome:
    """Play sgn Σ_i β^{m_i} a_i exactly; M ≤ (m* ln(1/β) + ln N)/ln(2/(1 + β))."""
    fields(claim.evidence, {"rows"})
    count, beta = int(claim.parameters["experts"]), Fraction(claim.parameters["beta"])
    losses = losses_of(claim, data, count)
    require(claim.evidence["rows"] == "advice", "a vote needs advice")
    weights, mistakes = [Fraction(1)] * count, list[int]()
    for t, (row, y) in enumerate(zip(losses, data.ys, strict=True), 1):
        right = sum((w for w, loss in zip(weights, row, strict=True) if not loss), Fraction(0))
        score = y * (2 * right - sum(weights))
        if (1 if score >= 0 else -1) != y:
            mistakes.append(t)
        weights = [w * beta if loss else w for w, loss in zip(weights, row, strict=True)]
    best = min(sum(column) for column in zip(*losses, strict=True))

    def bound() -> Any:
        return (mp.log(count) - best * mp.log(real(beta))) / -mp.log((1 + real(beta)) / 2)

    return Outcome(mistakes, Real(bound))


def randomized(claim: Claim, data: Data) -> Outcome:
    """E[M] = Σ p_t·l_t with p ∝ β^L; E[M] ≤ (L* ln(1/β) + ln N)/(1 − β)."""
    fields(claim.evidence, {"rows", "expected"})
    count, beta = int(claim.parameters["experts"]), Fraction(claim.parameters["beta"])
    losses = losses_of(claim, data, count)
    best = min(sum(column) for column in zip(*losses, strict=True))

    def bound() -> Any:
        return (mp.log(count) - real(best) * mp.log(real(beta))) / (1 - real(beta))

    own = Real(lambda: _expected(losses, lambda _: -mp.log(real(beta))))
    return Outcome([], Real(bound), own)


def hedge(claim: Claim, data: Data) -> Outcome:
    """Σ p_t·l_t − L* with p ∝ e^{−ηL} ≤ (ln N)/η + ηT/8; at any T, with η_t = √(8 ln N/t)."""
    fields(claim.evidence, {"rows", "expected"})
    parameters = claim.parameters
    count, T = int(parameters["experts"]), len(data.xs)
    eta, horizon = parameters["eta"], parameters["horizon"]
    anytime = eta is None and horizon is None
    require((claim.theorem == "hedge-anytime") == anytime, "the theorem is about another rate")
    losses = losses_of(claim, data, count)
    best = min(sum(column) for column in zip(*losses, strict=True))

    def rate(t: int) -> Any:
        if eta is not None:
            return real(eta)
        return mp.sqrt(8 * mp.log(count) / (t if horizon is None else int(horizon)))

    def bound() -> Any:
        if anytime:
            return 2 * mp.sqrt(T * mp.log(count) / 2) + mp.sqrt(mp.log(count) / 8)
        if eta is None and count == 1:
            return mp.mpf(0)
        return mp.log(count) / rate(1) + rate(1) * T / 8

    own = Real(lambda: _expected(losses, rate))
    return Outcome([], Real(bound), own, Fraction(best))


def _expected(losses: Losses, rate: Callable[[int], Any]) -> Any:
    """Σ_t p_t·l_t with p_t ∝ e^{−η_t L}, L the losses before round t."""
    totals, found = [Fraction(0)] * len(losses[0]), mp.mpf(0)
    for t, row in enumerate(losses, 1):
        low = min(totals)
        eta = rate(t)
        weights = [mp.exp(-eta * real(total - low)) for total in totals]
        own = mp.fsum(w * real(loss) for w, loss in zip(weights, row, strict=True))
        found += own / mp.fsum(weights)
        totals = [total + loss for total, loss in zip(totals, row, strict=True)]
    return found


def bandit(claim: Claim, data: Data) -> Outcome:
    """What Exp3, Exp3-IX and Exp3.P are promised on these losses; nothing is drawn here."""
    own = claim.learner == "Exp3IX"
    fields(claim.evidence, {"rows", "delta"} if own else {"rows"})
    K, horizon = int(claim.parameters["arms"]), claim.parameters["horizon"]
    rounds = len(losses_of(claim, data, K))
    require(horizon is None or rounds <= horizon, "more rounds than the horizon")
    T = rounds if horizon is None else int(horizon)
    anytime = horizon is None
    if claim.learner == "Exp3":
        return Outcome([], Real(lambda: mp.sqrt((4 if anytime else 2) * T * K * mp.log(K))))
    if own:
        require(K >= 2, "Exp3-IX has its theorem for two arms or more")
        delta = probability(claim.evidence["delta"])
        return Outcome([], Real(lambda: _implicit(K, T, delta, anytime)))
    delta = Fraction(claim.parameters["delta"])
    epochs = [(2**r, (r + 1) * (r + 2)) for r in range(T.bit_length())] if anytime else [(T, 1)]
    return Outcome(
        [],
        Real(
            lambda: mp.fsum(
                real(Fraction(515, 100)) * mp.sqrt(length * K * mp.log(real(K * share / delta)))
                for length, share in epochs
            )
        ),
    )


def _implicit(K: int, T: int, delta: Fraction, anytime: bool) -> Any:
    """2√(2KT ln K) + (√(2KT/ln K) + 1) ln(2/δ), or 4√(KT ln K) + (2√(KT/ln K) + 1) ln(2/δ)."""
    scale = 4 if anytime else 2
    log = mp.log(K)
    return 2 * mp.sqrt(scale * K * T * log) + (mp.sqrt(scale * K * T / log) + 1) * mp.log(
        real(2 / delta)
    )
