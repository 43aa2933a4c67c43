"""CoinBetting, a float program without a rate, and what its wealth says of a run.

docs/programs.md defines the program `coin-betting/1`.
"""

import hashlib
import struct
from collections.abc import Iterable
from fractions import Fraction
from math import fsum, sqrt
from typing import NamedTuple

from verifier.core.certificate import Names, Object, Refused, require
from verifier.core.data import Data
from verifier.core.exact import grid, least_float, whole
from verifier.core.learner import LEARNERS, PARAMETERS
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.losses import (
    LOGISTIC,
    RATE,
    LogisticRun,
    Values,
    added,
    float_exp,
    float_log1p,
)
from verifier.families.perceptron import LINEAR, check_hashing

THEOREMS |= {
    "betting": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + Σ_i (1 − W_i + u_i θ_i) + rounding for every u, where "
        "ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, g_t its derivative at the score "
        "that was played, L(u) = Σ_t ℓ_t(u·x_t), θ_i = −Σ_t g_t x_{t,i}, and W_i = 1 − "
        "Σ_t g_t x_{t,i} w_{t,i} is what the bets on feature i have made of a wealth of 1"
    ),
}

Purse = tuple[float, float, float, float]  # m, the wealth W, θ and S of a feature


class Betting(NamedTuple):
    """What bets say of a comparator u: Σ (1 − W + u m θ), Σ m|u|, and how many features there are.

    θ is in units of m, the largest |x|.
    """

    regret: Fraction
    reach: Fraction
    features: int


def betting(
    u: dict[int, int], fine: int, purses: Iterable[tuple[int, float, float, float]]
) -> Betting:
    """Return what bets say of u, in units of 2^−fine; (i, m, W, θ) are those of each feature."""
    wealth: list[float] = []
    regret = reach = Fraction(0)
    left = dict(u)
    for i, m, W, theta in purses:
        wealth.append(W)
        weight = left.pop(i, 0)
        if weight:
            share = Fraction(m) * Fraction(weight, 1 << fine)
            regret += share * Fraction(theta)
            reach += abs(share)
    for i in left:
        raise Refused(f"its w has a weight for feature {i}, which never appears")
    g, total = grid(wealth), 0
    for units in whole(wealth, g):
        total += units
    return Betting(regret + len(wealth) - Fraction(total, 1 << g), reach, len(wealth))


def betting_rounding(T: int, loss: Fraction, bets: Betting) -> Fraction:
    """Return 2⁻⁴⁹T(T + d + 5 loss + T Σ m|u|)."""
    return Fraction(T, 1 << 49) * (T + bets.features + 5 * loss + T * bets.reach)


class CoinBetting(LogisticRun):
    """m = max|x|, w = 0.8 W clamp(θ/√(S + 1), ±1)/√(S + 1); W −= (g x/m) w, θ −= g x/m."""

    theorems: Names = ("betting", "progressive")
    evidence: Names = ("w", "rate", "loss", "least")
    optional: Names = ("least",)
    program = "coin-betting/1"

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.cells: dict[int, Purse] = {}

    def scaled(self, i: int, x: float) -> Purse:
        """Return (m, W, θ, S) with this x among what m is the maximum of."""
        m, W, theta, S = self.cells.get(i, (0.0, 1.0, 0.0, 0.0))
        size = abs(x)
        if size <= m:
            return m, W, theta, S
        c = m / size
        return size, W, theta * c, (S * c) * c

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        parts, terms = [], []
        for i, value in zip(*x, strict=True):
            m, W, theta, S = self.scaled(i, value)
            root, share = sqrt(S + 1.0), value / m
            bet = ((0.8 * W) * min(max(theta / root, -1.0), 1.0)) / root
            parts.append((i, m, W, theta, S, share, bet))
            terms.append(bet * share)
        s = fsum(terms)
        e = float_exp(-abs(s))
        d = 1.0 + e
        right = (s >= 0) == (y > 0)
        slope = e / d if right else 1.0 / d  # |g|
        g = -slope if y > 0 else slope
        loss = float_log1p(e) if right else abs(s) + float_log1p(e)
        for i, m, W, theta, S, share, bet in parts:
            step = g * share
            self.cells[i] = m, W - step * bet, theta - step, S + step * step
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        self.played += 1
        return not right

    def fingerprint(self) -> str:
        """Return SHA-256 over (index, m, W, θ, S) of every feature, ascending; 2⁶⁴ − 1 is −1."""
        self.work.spend(1000 * len(self.cells), "a hash of so many states")
        digest = hashlib.sha256()
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            digest.update(struct.pack("<Qdddd", i, *cell))
        return digest.hexdigest()

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and the rate of the penalty that `least` is about."""
        super().take(evidence)
        rate = evidence.get("rate", 1.0)
        if not (isinstance(rate, float) and RATE.has(rate)):
            raise Refused(f"its rate is not {RATE.words}")
        self.rate = rate

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared."""
        m, _, _, S = self.cells.get(i, (0.0, 0.0, 0.0, 0.0))
        return (m, S) if i in self.cells else None

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + Σ (1 − W + u m θ) + 2⁻⁴⁹T(T + d + 5 loss + T Σ m|u|)."""
        T = self.played
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        bets = betting(self.u, self.fine, ((i, *cell[:3]) for i, cell in self.cells.items()))
        rounding = betting_rounding(T, Fraction(self.loss + self.loss_rest), bets)
        return least_float(self.times * self.log_loss.total() + bets.regret + rounding)


LEARNERS |= {"CoinBetting": CoinBetting}
PARAMETERS |= {"CoinBetting": {"loss": LOGISTIC} | LINEAR}
