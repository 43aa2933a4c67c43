"""Gradient descent: `gradient-descent/1` of docs/programs.md, `ogd` and `ogd-logistic`.

Written from THEORY and the page. What is rational is computed in fractions; the logistic loss by
mpmath, with as many digits as it takes.
"""

import hashlib
import struct
from fractions import Fraction
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields, progressive
from oracle.data import CONSTANT, Data, dot, with_constant
from oracle.losses import begun, played, programs
from oracle.perceptrons import weights
from oracle.reals import Real, Surd, Value, real, require

CEILING = Fraction("0.203633")  # c, rounded up
LOSSES = {
    "hinge": lambda y, s: max(Fraction(0), 1 - y * s),
    "squared": lambda y, s: (y - s) ** 2,
    "absolute": lambda y, s: abs(y - s),
}


def weights_hash(twin: Any) -> str:
    """Return SHA-256 over (u64 index, w) where w is not 0; the constant feature is 2⁶⁴ − 1."""
    codes = {2**64 - 1 if i == CONSTANT else i: w for i, w in twin.w.items() if w != 0}
    packed = (struct.pack("<Qd", i, codes[i]) for i in sorted(codes))
    return hashlib.sha256(b"".join(packed)).hexdigest()


def gradient_descent(claim: Claim, data: Data) -> Outcome:
    """Play the program, and evaluate a theorem on it, with its term for rounding."""
    parameters = claim.parameters
    rate, name = Fraction(parameters["rate"]), parameters["loss"]
    logistic = name == "logistic"
    require(claim.theorem != "ogd-logistic" or logistic, "the loss is not logistic")
    twin = programs()["GradientDescent"](parameters["rate"], name)
    start = begun(twin, weights_hash, claim)
    first = {i: Fraction(w) for i, w in twin.w.items()}
    mistakes, states = played(twin, weights_hash, claim, data)
    if claim.theorem == "progressive":
        value = progressive(len(data.xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states, start=start)
    fields(claim.evidence, {"w", "loss"})
    xs = [with_constant(x, parameters["bias"]) for x in data.xs]
    loss, stability = twin.loss + twin.loss_rest, twin.stability + twin.stability_rest
    largest = max((abs(v) for x in xs for v in x.values()), default=Fraction(0))
    require(largest <= 2**300 and stability <= 2.0**300, "values or steps are beyond 2^300")

    u, rounds = weights(claim.evidence["w"]), claim.passes * len(xs)
    before = _apart(first, {}) / (2 * rate)
    require(before * 2 * rate <= 2**400, "the first weights are beyond 2^200")
    penalty = _apart(first, u) / (2 * rate)
    rest = penalty + Fraction(rounds, 2**47) * (rounds + _sum(loss, stability) + penalty + before)
    factor = Fraction(1)
    if claim.theorem != "ogd-logistic":
        ended = {i: Fraction(w) for i, w in twin.w.items()}
        rest += Fraction(stability) - _apart(ended, u) / (2 * rate)
    else:
        longest = max((sum(v * v for v in x.values()) for x in xs), default=Fraction(0))
        require(CEILING * rate * longest < 1, "c·rate·R² is not below 1")
        factor = 1 / (1 - CEILING * rate * longest)
    scores = [(y, dot(u, x)) for x, y in zip(xs, data.ys, strict=True)]
    value = _allowed(name, scores, claim.passes, rest, factor)
    return Outcome(mistakes, value, loss=loss, states=states, start=start)


def _apart(w: dict[int, Fraction], u: dict[int, Any]) -> Fraction:
    """‖w − u‖²."""
    gaps = (w.get(i, Fraction(0)) - u.get(i, 0) for i in {*w, *u})
    return sum((gap * gap for gap in gaps), Fraction(0))


def _sum(*floats: float) -> Fraction:
    return sum(map(Fraction, floats), Fraction(0))


def _allowed(
    name: str, scores: list[tuple[int, Any]], passes: int, rest: Fraction, factor: Fraction
) -> Value:
    """Return factor·(passes·L(u) + rest)."""
    if name in LOSSES:
        total = sum((LOSSES[name](y, Fraction(s)) for y, s in scores), Fraction(0))
        return Surd(factor * (passes * total + rest))

    def value() -> Any:
        total = sum((mp.log1p(mp.exp(-real(y * s))) for y, s in scores), mp.mpf(0))
        return real(factor) * (passes * total + real(rest))

    return Real(value)
