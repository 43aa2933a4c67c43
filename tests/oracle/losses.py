"""Learners for losses: the float programs as docs/programs.md has them, bounds by mpmath."""

import hashlib
import re
import struct
from functools import cache
from pathlib import Path
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields, progressive
from oracle.data import CONSTANT, Data, dot, with_constant
from oracle.perceptrons import weights
from oracle.reals import Real, real, require

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"


@cache
def programs() -> dict[str, Any]:
    """Return what the page defines: its blocks of Python, executed."""
    found: dict[str, Any] = {"__name__": "programs"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), found)
    return found


def state_hash(twin: Any) -> str:
    """Return SHA-256 over (u64 index, m, θ, S), ascending; the constant feature is 2⁶⁴ − 1."""
    cells = {i if i != CONSTANT else 2**64 - 1: cell for i, cell in twin.cells.items()}
    packed = (struct.pack("<Qddd", i, *cells[i]) for i in sorted(cells))
    return hashlib.sha256(b"".join(packed)).hexdigest()


def played(claim: Claim, data: Data) -> tuple[Any, list[int], dict[int, str]]:
    """Return the learner of the page after the run, its mistakes, and its state's hashes."""
    twin = programs()["AdaptiveGradient"](claim.parameters["rate"])
    rows = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    floats = [{j: float(v) for j, v in x.items()} for x in rows]
    mistakes: list[int] = []
    states: dict[int, str] = {}
    for t in range(claim.passes * len(floats)):
        x, y = floats[t % len(floats)], data.ys[t % len(floats)]
        if twin.learn(x, y) != y:
            mistakes.append(t + 1)
        states[t + 1] = state_hash(twin)
    return twin, mistakes, states


def adaptive_gradient(claim: Claim, data: Data) -> Outcome:
    """Play `adaptive-gradient/1`, and evaluate `ftrl-diag` on it, with its term for rounding."""
    twin, mistakes, states = played(claim, data)
    if claim.theorem == "progressive":
        value = progressive(len(data.xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states)
    fields(claim.evidence, {"w", "loss"})
    u = weights(claim.evidence["w"])
    require(u.keys() <= twin.cells.keys(), "w weighs a feature that never appears")
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    margins = [y * dot(u, x) for x, y in zip(xs, data.ys, strict=True)]
    loss, stability = twin.loss + twin.loss_rest, twin.stability + twin.stability_rest
    rounds = claim.passes * len(xs)

    def allowed() -> Any:
        compared = claim.passes * sum((mp.log1p(mp.exp(-real(z))) for z in margins), mp.mpf(0))
        penalty = mp.mpf(0)
        for i, weight in u.items():
            m, _, S = (real(part) for part in twin.cells[i])
            rate = m * m * mp.sqrt(S + 1) / real(claim.parameters["rate"])  # λ at the end
            penalty += rate * real(weight) ** 2 / 2
        whole = rounds + 5 * (real(stability) + penalty + real(loss))
        return compared + penalty + real(stability) + mp.mpf(2) ** -49 * rounds * whole

    return Outcome(mistakes, Real(allowed), loss=loss, states=states)
