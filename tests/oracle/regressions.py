"""Regression: the float program as docs/programs_regression.md has it, the bound by mpmath."""

import hashlib
import struct
from pathlib import Path
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields
from oracle.data import CONSTANT, Data, dot, with_constant
from oracle.losses import executed
from oracle.perceptrons import weights
from oracle.reals import Real, real, require

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "programs.md", DOCS / "programs_regression.md")


def state_hash(twin: Any) -> str:
    """Return SHA-256 over the state of the page's program, in the order that the page lists it."""
    codes = {i if i != CONSTANT else 2**64 - 1: i for i in twin.P}
    order = sorted(codes)
    found = struct.pack("<d", twin.squares)
    for n, code in enumerate(order):
        i = codes[code]
        found += struct.pack("<Qdd", code, *twin.b[i])
        for other in order[: n + 1]:
            j = codes[other]
            found += struct.pack("<ddd", twin.P[i][j], *twin.A[i][j])
    return hashlib.sha256(found).hexdigest()


def forward_regression(claim: Claim, data: Data) -> Outcome:
    """Play `forward-regression/1`, and evaluate its theorem, with its term for rounding."""
    fields(claim.evidence, {"w", "loss"})
    ridge = claim.parameters["ridge"]
    twin = executed(PAGES)["ForwardRegression"](ridge)
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    states: dict[int, str] = {}
    for t in range(claim.passes * len(xs)):
        x, y = xs[t % len(xs)], data.ys[t % len(xs)]
        try:
            twin.learn({j: float(v) for j, v in x.items()}, float(y))
        except (ArithmeticError, ValueError):
            require(False, "floats cannot play it")
        states[t + 1] = state_hash(twin)
    u = weights(claim.evidence["w"])
    require(u.keys() <= twin.P.keys(), "w weighs a feature that never appears")
    require(claim.passes * len(xs) <= 2**26, "there are too many rounds")
    loss, drift = twin.loss + twin.loss_rest, twin.drift + twin.drift_rest
    tight = claim.theorem == "vaw-tight"
    stability = twin.stability + twin.stability_rest if tight else 0.0

    def allowed() -> Any:
        pairs = list(zip(xs, data.ys, strict=True))
        errors = sum((real(y - dot(u, x)) ** 2 for x, y in pairs), mp.mpf(0))
        penalty = real(ridge) * sum((real(v) ** 2 for v in u.values()), mp.mpf(0))
        energies = [sum((real(x[i]) ** 2 for x in xs if i in x), mp.mpf(0)) for i in twin.P]
        logs = sum((mp.log1p(claim.passes * e / real(ridge)) for e in energies), mp.mpf(0))
        largest = max((abs(real(y)) for y in data.ys), default=mp.mpf(0))
        term = real(stability) if tight else largest**2 * logs
        rounding = (1 + mp.mpf(2) ** -20) * real(drift)
        rounding += mp.mpf(2) ** -49 * (real(loss) + real(stability))
        return claim.passes * errors + penalty + term + rounding

    return Outcome([], Real(allowed), loss=loss, states=states)
