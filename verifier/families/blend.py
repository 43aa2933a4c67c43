"""Blend, a mixture of learners for losses: it is replayed bit for bit.

docs/programs.md defines the program `blend/1`. The members that keep a cell per feature learn in
one loop here.
"""

import hashlib
import struct
from fractions import Fraction
from math import fsum, sqrt

from verifier.core.certificate import Names, Object, Refused, require
from verifier.core.data import Data
from verifier.core.exact import least_float
from verifier.core.learner import LEARNERS, PARAMETERS
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.betting import betting, betting_rounding
from verifier.families.losses import LogisticRun, Values, added, float_log1p
from verifier.families.mixture import (
    FAR,
    MEMBERS,
    NEWTON,
    BaseRate,
    Mixture,
    OnlineNewton,
    Stack,
    chances,
    clamped,
)
from verifier.families.perceptron import LINEAR, check_hashing

THEOREMS |= {
    "fixed-share": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(u) + ½Σ_i λ_i u_i² + ½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + ln K + ln T + "
        "rounding for every u and every rate in {¼, 1, 4}, where p_t(y_t) is the probability that "
        "the mixture of K = 11 members gave to the label of round t, T the number of rounds, "
        "L(u) = Σ_t ln(1 + e^{−y_t u·x_t}), g_t the derivative of the logistic loss at the score "
        "of the member AdaptiveGradient(rate), λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with "
        "m = max_{s≤t} |x_{s,i}|, and λ_i the same after the last round"
    ),
    "betting-share": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(u) + max(0, Σ_i (1 − W_i + u_i θ_i)) + ln K + ln T + rounding for "
        "every u, where p_t(y_t) is the probability that the mixture of K = 11 members gave to the "
        "label of round t, T the number of rounds, L(u) = Σ_t ln(1 + e^{−y_t u·x_t}), g_t the "
        "derivative of the logistic loss at the score of the member CoinBetting, "
        "θ_i = −Σ_t g_t x_{t,i}, and W_i = 1 − Σ_t g_t x_{t,i} w_{t,i} what its bets on feature i "
        "have made of a wealth of 1"
    ),
}

BLEND_RATES = (0.25, 1.0, 4.0)
GRID = 6291456.0  # 1.5·2²²: adding and subtracting it rounds to a multiple of 2⁻³⁰
HALF_GRID = 1 / (1 << 31)

Numbers = tuple[float, ...]
# θ and S of CoinBetting and of AdaptiveGradient at each rate, w of NormalizedGradient at ½ and 2
# and of Arow, the wealth of CoinBetting, G at ½ and 2, V and m.
BlendCell = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip
NEW: BlendCell = (0.0,) * 8 + (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0)
# A feature's index, its cell, u = x/m, √(S + 1) at each rate and the bet of CoinBetting.
Part = tuple[int, BlendCell, float, float, float, float, float]


def grown(cell: BlendCell, size: float) -> BlendCell:
    """Return a cell in units of a new, larger m."""
    t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m = cell
    c = m / size
    if m > 0:
        V = min((V * (size / m)) * (size / m), 1.0)
    return (
        t0 * c, t1 * c, t2 * c, t3 * c, (S0 * c) * c, (S1 * c) * c, (S2 * c) * c, (S3 * c) * c,
        a, b, w, W, (A * c) * c, (B * c) * c, V, size,
    )  # fmt: skip


class Blend(LogisticRun):
    """P(+1) = Σ π_k p_k; every member learns from every round, and π follows Bayes' rule."""

    theorems: Names = ("fixed-share", "betting-share", "progressive")
    evidence: Names = ("w", "rate", "loss", "least")
    optional: Names = ("least",)
    program = "blend/1"

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.cells: dict[int, BlendCell] = {}
        self.base, self.recent = BaseRate(1.0), BaseRate(0.9375)
        self.newton, self.stack, self.mixture = OnlineNewton(), Stack(), Mixture()
        self.square = 0.0  # N, the sum of Σ u² over the rounds
        self.stability, self.stability_rest = [0.0] * 3, [0.0] * 3

    def gather(self, x: Values) -> tuple[list[Part], list[float]]:
        """Return what learning needs of each feature; the scores of seven members, Σ u², Σ V u²."""
        parts: list[Part] = []
        terms: list[Numbers] = []
        get = self.cells.get
        for i, value in zip(*x, strict=True):
            cell, size = get(i, NEW), abs(value)
            if size > cell[15]:
                cell = grown(cell, size)
            t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, _, _, V, m = cell
            r0, r1, r2, r3 = sqrt(S0 + 1.0), sqrt(S1 + 1.0), sqrt(S2 + 1.0), sqrt(S3 + 1.0)
            u = value / m
            bet = ((0.8 * W) * min(max(t0 / r0, -1.0), 1.0)) / r0
            parts.append((i, cell, u, r1, r2, r3, bet))
            terms.append((
                bet * u, ((0.25 * t1) / r1) * u, (t2 / r2) * u, ((4.0 * t3) / r3) * u,
                a * u, b * u, w * u, (u * u + GRID) - GRID, ((V * u) * u + GRID) - GRID,
            ))  # fmt: skip
        return parts, [fsum(column) for column in zip(*terms, strict=True)] or [0.0] * 9

    def scatter(self, parts: list[Part], g: list[float], spread: float, margin: float) -> None:
        """Learn from a row, given the members' slopes, then y; the margin is Arow's y s."""
        g0, g1, g2, g3, h, k, y = g
        pace = sqrt((self.played + 1.0) / self.square) if self.square > 0 else 0.0
        slow, fast = 0.5 * pace, 2.0 * pace
        beta = 1.0 / (spread + 1.0) if margin < 1 else 0.0
        move = ((1.0 - margin) * beta) * y
        costs: list[Numbers] = []
        for i, cell, u, r1, r2, r3, bet in parts:
            t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m = cell
            s0, s1, s2, s3, s4, s5 = g0 * u, g1 * u, g2 * u, g3 * u, h * u, k * u
            q1, q2, q3 = s1 * s1, s2 * s2, s3 * s3
            costs.append((
                (q1 / r1 + GRID) - GRID, (q2 / r2 + GRID) - GRID, (q3 / r3 + GRID) - GRID,
            ))  # fmt: skip
            A, B, own = A + s4 * s4, B + s5 * s5, V * u
            if A > 0:
                a = a - (slow * s4) / sqrt(A)
            if B > 0:
                b = b - (fast * s5) / sqrt(B)
            self.cells[i] = (
                t0 - s0, t1 - s1, t2 - s2, t3 - s3, S0 + s0 * s0, S1 + q1, S2 + q2, S3 + q3,
                a, b, min(max(w + move * own, -FAR), FAR), W - s0 * bet,
                A, B, V - (beta * own) * own, m,
            )  # fmt: skip
        for n, column in enumerate(zip(*costs, strict=True)):
            whole = fsum(column) + len(parts) * HALF_GRID
            at = self.stability[n], self.stability_rest[n], (0.5 * BLEND_RATES[n]) * whole
            self.stability[n], self.stability_rest[n] = added(*at)

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        parts, sums = self.gather(x)
        before = [*sums[:7], self.base.score(), self.recent.score(), self.newton.score(x)]
        z = [clamped(s, 10.0) for s in before]
        scores = [*before, self.stack.score(z)]
        clipped = [chances(clamped(s, 30.0)) for s in scores]
        p, r = self.mixture.mixed(clipped)
        loss = float_log1p(r / p if y > 0 else p / r)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        self.mixture.learn([pair[0] if y > 0 else pair[1] for pair in clipped], self.played)
        own = [
            pair if abs(s) <= 30.0 else chances(s) for s, pair in zip(scores, clipped, strict=True)
        ]
        g = [-minus if y > 0 else plus for plus, minus in own]
        self.stack.step(z, g[MEMBERS - 1], own[MEMBERS - 1])
        self.square = self.square + sums[7]
        self.scatter(parts, [*g[:6], float(y)], sums[8], y * scores[6])
        self.base.step(y)
        self.recent.step(y)
        if not self.newton.left and self.newton.step(x, g[NEWTON], own[NEWTON]):
            self.mixture.leave()
        self.played += 1
        return (p >= r) != (y > 0)

    def fingerprint(self) -> str:
        """Return SHA-256 over the whole state, as docs/programs.md lists it."""
        joined = len(self.newton.slots)
        self.work.spend(5000 * len(self.cells) + 1000 * joined * joined, "a hash of so many states")
        mixture, base, recent = self.mixture, self.base, self.recent
        numbers = [self.square, base.positive, base.negative, recent.positive, recent.negative]
        numbers += [*mixture.weights, *mixture.mean, *self.stack.w]
        for row in self.stack.P:
            numbers += row
        digest = hashlib.sha256(struct.pack("<QQ", self.played, mixture.left))
        digest.update(struct.pack(f"<{len(numbers)}d", *numbers))
        digest.update(self.newton.packed())
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            digest.update(struct.pack("<Q16d", i, *cell))
        return digest.hexdigest()

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and the rate of the member whose theorem is used."""
        super().take(evidence)
        rate = evidence.get("rate", 1.0)
        if not (isinstance(rate, float) and rate in BLEND_RATES):
            raise Refused("its rate is not 0.25, 1.0 or 4.0")
        self.rate = rate

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared, S of the member with the rate."""
        if i not in self.cells:
            return None
        cell = self.cells[i]
        return cell[15], cell[5 + BLEND_RATES.index(self.rate)]

    def bound(self, theorem: str) -> float:
        """Evaluate what a member's theorem allows it, ln KT and a term for rounding."""
        T = self.played
        require(0 < T <= 1 << 40, "it has no round, or more than 2^40")
        inherited = self.times * self.log_loss.total()
        if theorem == "betting-share":
            purses = ((i, cell[15], cell[11], cell[0]) for i, cell in self.cells.items())
            bets = betting(self.u, self.fine, purses)
            inherited += max(bets.regret, Fraction(0))
            rounding = betting_rounding(T, inherited, bets)
        else:
            n = BLEND_RATES.index(self.rate)
            inherited += self.penalty(self.sizes, self.rate)
            inherited += Fraction(self.stability[n] + self.stability_rest[n])
            rounding = Fraction(T, 1 << 49) * (T + 5 * inherited)
        price = Fraction(self.log_loss.digits.of(MEMBERS * T).ln().high)
        return least_float(inherited + price + Fraction(T, 1 << 43) + rounding)


LEARNERS |= {"Blend": Blend}
PARAMETERS |= {"Blend": LINEAR}
