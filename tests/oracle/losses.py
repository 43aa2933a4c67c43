"""Learners for losses: the float programs as docs/programs.md has them, bounds by mpmath."""

import hashlib
import re
import struct
from collections.abc import Callable
from copy import copy
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields, progressive
from oracle.data import CONSTANT, Data, dot, with_constant
from oracle.perceptrons import weights
from oracle.reals import Real, real, require, slope

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"


@cache
def executed(pages: tuple[Path, ...]) -> dict[str, Any]:
    """Return what pages define: their blocks of Python, executed."""
    found: dict[str, Any] = {"__name__": "programs"}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(compile(block, str(page), "exec"), found)
    return found


def programs() -> dict[str, Any]:
    """Return what the page of the programs for two labels defines."""
    return executed((PAGE,))


def state_hash(twin: Any) -> str:
    """Return SHA-256 over (u64 index, m, θ, S), ascending; the constant feature is 2⁶⁴ − 1."""
    packed = (struct.pack("<Qddd", i, *cell) for i, cell in _ascending(twin.cells))
    return hashlib.sha256(b"".join(packed)).hexdigest()


def _ascending(by_feature: dict[int, Any]) -> list[tuple[int, Any]]:
    codes = {i if i != CONSTANT else 2**64 - 1: i for i in by_feature}
    return [(code, by_feature[codes[code]]) for code in sorted(codes)]


def blend_hash(twin: Any) -> str:
    """Return SHA-256 over the state of the page's Blend, in the order that the page lists it."""
    coin, *rates, slow, fast, arow, base, recent, newton = twin.members
    found = struct.pack("<QQ", twin.t, twin.left)
    counts = [slow.N, base.positive, base.negative, recent.positive, recent.negative]
    rows = [entry for row in twin.stack.P for entry in row]
    numbers = [*counts, *twin.weights, *twin.mean, *twin.stack.w, *rows]
    found += struct.pack(f"<{len(numbers)}d", *numbers)
    joined = _ascending({} if twin.left else {i: i for i in newton.first})
    found += struct.pack("<Q", len(joined))
    for n, (code, i) in enumerate(joined, 1):
        found += struct.pack("<Qdd", code, newton.first[i], newton.w[i])
        found += struct.pack(f"<{n}d", *(newton.P[i][j] for _, j in joined[:n]))
    for code, (m, wealth, theta, S) in _ascending(coin.cells):
        i = CONSTANT if code == 2**64 - 1 else code
        cells = [rate.cells[i] for rate in rates]
        (_, a, A), (_, b, B), (_, w, V) = slow.cells[i], fast.cells[i], arow.cells[i]
        assert {m} == {cell[0] for cell in [*cells, slow.cells[i], fast.cells[i], arow.cells[i]]}
        thetas, energies = [theta, *(c[1] for c in cells)], [S, *(c[2] for c in cells)]
        found += struct.pack("<Q16d", code, *thetas, *energies, a, b, w, wealth, A, B, V, m)
    return hashlib.sha256(found).hexdigest()


Played = tuple[list[int], dict[int, str]]


def _rows(claim: Claim, data: Data) -> list[dict[int, Any]]:
    return [with_constant(x, claim.parameters["bias"]) for x in data.xs]


def played(twin: Any, hashed: Callable[[Any], str], claim: Claim, data: Data) -> Played:
    """Let a learner of the page play the run; return its mistakes, and its state's hashes."""
    floats = [{j: float(v) for j, v in x.items()} for x in _rows(claim, data)]
    mistakes: list[int] = []
    states: dict[int, str] = {}
    for t in range(claim.passes * len(floats)):
        x, y = floats[t % len(floats)], data.ys[t % len(floats)]
        if twin.learn(x, y) != y:
            mistakes.append(t + 1)
        states[t + 1] = hashed(twin)
    return mistakes, states


def begun(twin: Any, hashed: Callable[[Any], str], claim: Claim) -> str | None:
    """Let a learner of the page play the rounds before; return the hash of the state they leave."""
    if claim.before is None:
        return None
    for x, y in zip(_rows(claim, claim.before), claim.before.ys, strict=True):
        twin.learn({j: float(v) for j, v in x.items()}, y)
    twin.loss = twin.loss_rest = 0.0
    zero: Any = [0.0] * 3 if isinstance(twin.stability, list) else 0.0
    twin.stability, twin.stability_rest = copy(zero), copy(zero)
    return hashed(twin)


class Compared:
    """A comparator u: L(u) over all passes, and ½ Σ λ_i u_i² for λ = m²√(S + 1)/rate.

    If the run went on from a model with the cells ``first``, θ_i and κ_i are those at its start.
    """

    def __init__(
        self,
        claim: Claim,
        data: Data,
        cells: dict[int, Any],
        rate: float,
        first: dict[int, Any] | None = None,
    ) -> None:
        self.u, self.cells, self.rate = weights(claim.evidence["w"]), cells, rate
        xs = _rows(claim, data)
        here = {i for x in xs for i, v in x.items() if v}
        self.first = {i: cell for i, cell in (first or {}).items() if i in here}
        require(self.u.keys() <= here, "w weighs a feature that never appears")
        self.xs, self.ys = xs, data.ys
        self.margins = [y * dot(self.u, x) for x, y in zip(xs, data.ys, strict=True)]
        self.passes = claim.passes

    def loss(self) -> Any:
        terms = (mp.log1p(mp.exp(-real(z))) for z in self.margins)
        return self.passes * sum(terms, mp.mpf(0))

    def dual(self) -> Any:
        """Return the dual value at α_t = k_t/2³⁰, times −1."""
        N, total = 2**30, mp.mpf(0)
        pulls: dict[int, Any] = {}
        for x, y, z in zip(self.xs, self.ys, self.margins, strict=True):
            k = slope(Fraction(z))
            parts = (mp.mpf(part) / N for part in (k, N - k) if part)
            total += sum((-part * mp.log(part) for part in parts), mp.mpf(0))
            for i, value in x.items():
                pulls[i] = pulls.get(i, 0) + Fraction(k, N) * y * value
        for i, pull in pulls.items():
            m, _, S = (real(part) for part in self.cells[i])
            price = real(self.rate) / (m * m * mp.sqrt(S + 1))
            total -= self.passes * real(pull) ** 2 * price / 2
        return -self.passes * total

    def penalty(self) -> Any:
        total = mp.mpf(0)
        for i, weight in self.u.items():
            m, _, S = (real(part) for part in self.cells[i])
            total += m * m * mp.sqrt(S + 1) / real(self.rate) * real(weight) ** 2 / 2
        return total

    def gained(self) -> Any:
        """Σ u_i θ_i, θ in the units of x."""
        total = mp.mpf(0)
        for i, weight in self.u.items():
            m, theta, _ = (real(part) for part in self.first.get(i, (0.0, 0.0, 0.0)))
            total += real(weight) * m * theta
        return total

    def potential(self) -> Any:
        """Σ θ_i²/2κ_i."""
        total = mp.mpf(0)
        for m, theta, S in self.first.values():
            kappa = real(m) ** 2 * mp.sqrt(real(S) + 1) / real(self.rate)
            total += (real(m) * real(theta)) ** 2 / kappa / 2
        return total


def adaptive_gradient(claim: Claim, data: Data) -> Outcome:
    """Play `adaptive-gradient/1`, and evaluate `ftrl-diag` on it, with its term for rounding."""
    twin = programs()["AdaptiveGradient"](claim.parameters["rate"])
    start = begun(twin, state_hash, claim)
    first = dict(twin.cells)
    mistakes, states = played(twin, state_hash, claim, data)
    if claim.theorem == "progressive":
        value = progressive(len(data.xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states, start=start)
    fields(claim.evidence, {"w", "loss"} | (claim.evidence.keys() & {"least"}))
    u = Compared(claim, data, twin.cells, claim.parameters["rate"], first)
    loss, stability = twin.loss + twin.loss_rest, twin.stability + twin.stability_rest
    rounds = claim.passes * len(data.xs)

    def allowed() -> Any:
        penalty, before = u.penalty(), u.potential()
        whole = rounds + 5 * (real(stability) + penalty + real(loss) + before)
        own = u.loss() + penalty + before - u.gained() + real(stability)
        return own + mp.mpf(2) ** -49 * rounds * whole

    dual = Real(u.dual)
    return Outcome(mistakes, Real(allowed), loss=loss, states=states, start=start, dual=dual)


class Gambler:
    """The page's CoinBetting, with the loss of the scores it plays."""

    def __init__(self) -> None:
        self.coin = programs()["CoinBetting"]()
        self.cells, self.loss, self.loss_rest = self.coin.cells, 0.0, 0.0

    def learn(self, x: dict[int, float], y: int) -> int:
        """Play one round; return the prediction."""
        page, s = programs(), self.coin.score(x)
        e = page["exp"](-abs(s))
        right = (s >= 0) == (y > 0)
        loss = page["log1p"](e) if right else abs(s) + page["log1p"](e)
        self.loss, self.loss_rest = page["added"](self.loss, self.loss_rest, loss)
        self.coin.step(x, s, y)
        return 1 if s >= 0 else -1


def purse_hash(twin: Gambler) -> str:
    """Return SHA-256 over (u64 index, m, W, θ, S), ascending; the constant feature is 2⁶⁴ − 1."""
    packed = (struct.pack("<Qdddd", i, *cell) for i, cell in _ascending(twin.cells))
    return hashlib.sha256(b"".join(packed)).hexdigest()


class Bets(Compared):
    """What the bets of CoinBetting say of a comparator; a purse is (m, W, θ, S)."""

    def __init__(self, claim: Claim, data: Data, purses: dict[int, Any], rate: float) -> None:
        cells = {i: (m, theta, S) for i, (m, _, theta, S) in purses.items()}
        super().__init__(claim, data, cells, rate)
        self.purses = purses

    def excess(self) -> Any:
        """Σ (1 − W_i + u_i m_i θ_i)."""
        total = mp.mpf(0)
        for i, (m, wealth, theta, _) in self.purses.items():
            total += 1 - real(wealth) + real(self.u.get(i, 0)) * real(m) * real(theta)
        return total

    def rounding(self, rounds: int, loss: Any) -> Any:
        reach = sum((abs(real(v)) * real(self.cells[i][0]) for i, v in self.u.items()), mp.mpf(0))
        whole = rounds + len(self.cells) + 5 * loss + rounds * reach
        return mp.mpf(2) ** -49 * rounds * whole


def coin_betting(claim: Claim, data: Data) -> Outcome:
    """Play `coin-betting/1`, and evaluate `betting` on it, with its term for rounding."""
    twin = Gambler()
    mistakes, states = played(twin, purse_hash, claim, data)
    if claim.theorem == "progressive":
        value = progressive(len(data.xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states)
    fields(claim.evidence, {"w", "rate", "loss"} | (claim.evidence.keys() & {"least"}))
    rate = claim.evidence["rate"]
    require(isinstance(rate, float) and 2.0**-20 <= rate <= 2.0**20, "the rate is none")
    u, loss = Bets(claim, data, twin.cells, rate), twin.loss + twin.loss_rest
    rounds = claim.passes * len(data.xs)

    def allowed() -> Any:
        return u.loss() + u.excess() + u.rounding(rounds, real(loss))

    return Outcome(mistakes, Real(allowed), loss=loss, states=states, dual=Real(u.dual))


def _through_bets(claim: Claim, data: Data, purses: dict[int, Any]) -> Any:
    """Evaluate `betting-share` on the page's Blend."""
    u, rounds = Bets(claim, data, purses, 1.0), claim.passes * len(data.xs)
    own = u.loss() + max(u.excess(), mp.mpf(0))
    rounding = rounds * mp.mpf(2) ** -43 + u.rounding(rounds, own)
    return own + mp.log(11) + mp.log(rounds) + rounding


def blend(claim: Claim, data: Data) -> Outcome:
    """Play `blend/1`, and evaluate its theorem on it through a member."""
    twin = programs()["Blend"]()
    start = begun(twin, blend_hash, claim)
    firsts = [dict(member.cells) for member in twin.members[1:4]]
    prior, earlier = twin.weights[1:4], twin.t
    mistakes, states = played(twin, blend_hash, claim, data)
    if claim.theorem == "progressive":
        value = progressive(len(data.xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states, start=start)
    fields(claim.evidence, {"w", "rate", "loss"} | (claim.evidence.keys() & {"least"}))
    rate = claim.evidence["rate"]
    require(isinstance(rate, float) and rate in (0.25, 1.0, 4.0), "no member has this rate")
    n = (0.25, 1.0, 4.0).index(rate)
    u = Compared(claim, data, twin.members[1 + n].cells, rate, firsts[n])
    stability = twin.stability[n] + twin.stability_rest[n]
    rounds = claim.passes * len(data.xs)
    require(rounds > 0, "a run without a round has no bound")

    def allowed() -> Any:
        if claim.theorem == "betting-share":
            return _through_bets(claim, data, twin.members[0].cells)
        own = u.loss() + u.penalty() + u.potential() + real(stability)  # of the member
        exponent = -43 if claim.before is None else -42
        rounding = rounds * (mp.mpf(2) ** exponent + mp.mpf(2) ** -49 * (rounds + 5 * own))
        if claim.before is None:
            return own + mp.log(11) + mp.log(rounds) + rounding
        price = mp.log((mp.mpf(earlier) + rounds) / (earlier + 1)) - mp.log(real(prior[n]))
        return own - u.gained() + price + rounding

    own, dual = twin.loss + twin.loss_rest, Real(u.dual)
    return Outcome(mistakes, Real(allowed), loss=own, states=states, start=start, dual=dual)
