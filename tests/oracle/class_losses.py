"""Blend for many classes: the program as docs/programs_classes.md has it, bounds by mpmath."""

import hashlib
import re
import struct
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from mpmath import mp

from oracle.claim import Claim, Outcome, fields, progressive
from oracle.data import CONSTANT, Data, dot, with_constant
from oracle.losses import PAGE, played
from oracle.perceptrons import class_weights
from oracle.reals import Real, real, require

CLASSES_PAGE = Path(__file__).parents[2] / "docs" / "programs_classes.md"


@cache
def class_programs() -> dict[str, Any]:
    """Return what both pages define: their blocks of Python, executed."""
    found: dict[str, Any] = {"__name__": "programs"}
    for page in (PAGE, CLASSES_PAGE):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(compile(block, str(page), "exec"), found)
    return found


def class_hash(twin: Any) -> str:
    """Return SHA-256 over the state of the page's program, in the order that the page lists it."""
    found = struct.pack("<QQQ", twin.rounds, twin.classes, twin.newton.few)
    numbers = [twin.squares]
    for rate in twin.rates:
        numbers += [*rate.counts, rate.total]
    numbers += [*twin.shares, *twin.mean_shares, *twin.stack]
    numbers += [entry for row in twin.A for entry in row]
    found += struct.pack(f"<{len(numbers)}d", *numbers)
    joined = sorted(twin.newton.w, key=_code)
    found += struct.pack("<Q", len(joined))
    for n, i in enumerate(joined, 1):
        own = [*twin.newton.w[i], *(twin.newton.P[i, j] for j in joined[:n])]
        found += struct.pack(f"<Q{len(own)}d", _code(i), *own)
    for i in sorted(twin.cells, key=_code):
        cell = twin.cells[i]
        own = [cell.m, cell.r, cell.S, *cell.G, cell.V, *(w for line in cell.w for w in line)]
        found += struct.pack(f"<Q{len(own)}d", _code(i), *own)
    return hashlib.sha256(found).hexdigest()


def _code(i: int) -> int:
    return i if i != CONSTANT else 2**64 - 1


def class_blend(claim: Claim, data: Data) -> Outcome:
    """Play `blend-classes/1`, and evaluate `fixed-share-classes` on it."""
    C = int(claim.parameters["classes"])
    twin = class_programs()["ClassBlend"](C)
    mistakes, states = played(twin, class_hash, claim, data)
    rounds = claim.passes * len(data.xs)
    if claim.theorem == "progressive":
        value = progressive(len(data.xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states)
    fields(claim.evidence, {"w", "loss"} | (claim.evidence.keys() & {"least"}))
    require(rounds > 0, "a run without a round has no bound")
    require(twin.cuts == 0, "a term was cut")
    w = class_weights(claim.evidence["w"], C)
    require(len(w) == C, "w weighs a class that there is not")
    U = [w[k] for k in range(C)]
    require(all(u.keys() <= twin.cells.keys() for u in U), "w weighs a feature that never appears")
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    stability = twin.stability + twin.stability_rest

    def allowed() -> Any:
        compared = penalty = mp.mpf(0)
        for x, y in zip(xs, data.ys, strict=True):
            scores = [dot(u, x) for u in U]
            compared += mp.log(mp.fsum(mp.exp(real(s - scores[y])) for s in scores))
        for u in U:
            for i, weight in u.items():
                m, S = real(twin.cells[i].m), real(twin.cells[i].S)
                penalty += m * m * mp.sqrt(S + 1) * real(weight) ** 2
        X = claim.passes * compared + penalty + real(stability)
        n, two = twin.longest, mp.mpf(2)
        grid = n * rounds * two ** (len(bin(n - 1)) - 2 if n > 1 else 0) / two**44
        floats = two**-50 * rounds * (C + 40) * ((len(bin(C)) - 2) * rounds + n + X)
        return X + mp.log(8) + mp.log(rounds) + grid + floats

    def dual() -> Any:
        """Return the dual value at the shares r/2³², times −1."""
        N, total = 2**32, mp.mpf(0)
        pulls: dict[tuple[int, int], Any] = {}
        for x, y in zip(xs, data.ys, strict=True):
            shares = _shares([dot(u, x) for u in U], y)
            parts = (mp.mpf(share) / N for share in shares if share)
            total += sum((-part * mp.log(part) for part in parts), mp.mpf(0))
            for k, share in enumerate(shares):
                for i, value in x.items():
                    pull = (Fraction(int(k == y)) - Fraction(share, N)) * value
                    pulls[k, i] = pulls.get((k, i), Fraction(0)) + pull
        for (_, i), pull in pulls.items():
            m, S = real(twin.cells[i].m), real(twin.cells[i].S)
            total -= claim.passes * real(pull) ** 2 / (4 * m * m * mp.sqrt(S + 1))
        return -claim.passes * total

    own = twin.loss + twin.loss_rest
    return Outcome(mistakes, Real(allowed), loss=own, states=states, dual=Real(dual))


def _shares(scores: list[Fraction], y: int) -> list[int]:
    """Return the softmax by the page's program in whole parts of 2⁻³²; y's is what is left."""
    top = max(scores)
    found, _ = class_programs()["softmax"]([-float(min(top - s, Fraction(800))) for s in scores])
    shares = [int(Fraction(p) * 2**32) for p in found]
    shares[y] = 2**32 - sum(share for k, share in enumerate(shares) if k != y)
    return shares
