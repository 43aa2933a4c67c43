"""Minnow and its balanced form: weights ∝ e^{ηθ}, θ = Σ y x over the mistakes."""

from collections import defaultdict
from fractions import Fraction
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields, number, progressive, rounds_of
from oracle.data import Data, Vector, added, dot, with_constant
from oracle.exponentials import Sum
from oracle.perceptrons import weights
from oracle.reals import Real, Surd, Value, real, require, settled


def minnow(claim: Claim, data: Data) -> Outcome:
    """Play sgn Σ x_j e^{ηθ_j}; balanced, sgn Σ x_j (e^{ηθ_j} − e^{−ηθ_j})."""
    balanced = claim.learner == "BalancedMinnow"
    eta, bias = Fraction(claim.parameters["eta"]), claim.parameters["bias"]
    xs = [with_constant(x, bias) for x in data.xs]
    theta: Vector = {}
    mistakes: list[int] = []
    for t in rounds_of(claim.passes, len(xs), mistakes):
        x, y = xs[t % len(xs)], data.ys[t % len(xs)]
        if (1 if _sign(x, theta, eta, balanced) >= 0 else -1) != y:
            theta = added(theta, x, y)
            mistakes.append(t + 1)
    if claim.theorem == "progressive":
        value = progressive(len(xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value)
    d = (data.facts["dimension"] + bool(bias)) * (2 if balanced else 1)
    return Outcome(mistakes, _bound(claim, xs, data.ys, d))


def _sign(x: Vector, theta: Vector, eta: Fraction, balanced: bool) -> int:
    terms: dict[Fraction, Fraction] = defaultdict(Fraction)
    for j, v in x.items():
        exponent = eta * theta.get(j, Fraction(0))
        terms[exponent] += v
        if balanced:
            terms[-exponent] -= v
    return Sum(terms).sign


def _bound(claim: Claim, xs: list[Vector], ys: list[int], d: int) -> Value:
    """(‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)); L = 0 for `minnow`, whose margin is γ."""
    fields(claim.evidence, {"w", "gamma"})
    w, gamma = weights(claim.evidence["w"]), number(claim.evidence["gamma"], "gamma")
    require(gamma > 0, "γ is not above 0")
    balanced = claim.learner == "BalancedMinnow"
    require(balanced or all(v >= 0 for v in w.values()), "a weight is below 0")
    margins = [y * dot(w, x) for x, y in zip(xs, ys, strict=True)]
    loss = Fraction(0)
    if claim.theorem == "minnow":
        require(all(m >= gamma for m in margins), "a margin is below γ")
    else:
        loss = claim.passes * sum((max(Fraction(0), gamma - m) for m in margins), Fraction(0))
    eta = Fraction(claim.parameters["eta"])
    norm = sum((abs(v) for v in w.values()), Fraction(0))
    radius = max((abs(v) for x in xs for v in x.values()), default=Fraction(0))
    if norm == 0 or (d == 1 and (radius == 0 or loss == 0)):
        return Surd(loss / gamma)
    require(d >= 1, "there is no feature that w could weigh")

    def room() -> Any:
        return real(eta * gamma) - real(norm) * ln_cosh(eta * radius)

    require(settled(room) > 0, "ηγ is not above ‖w‖₁ ln cosh(ηR∞)")
    return Real(lambda: (real(norm) * mp.log(d) + real(eta * loss)) / room())


def ln_cosh(z: Fraction) -> Any:
    """ln cosh z for z ≥ 0, without cancellation for small z."""
    x = real(z)
    if z < 1:
        return mp.log1p(2 * mp.sinh(x / 2) ** 2)
    return x + mp.log1p(mp.exp(-2 * x)) - mp.log(2)
