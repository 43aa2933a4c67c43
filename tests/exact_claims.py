"""True certificates of the perceptron, made without the library and without its verifier.

Rows are (label, {index: value}) with indices from 0. Every number is a fraction, and the formulas
are those of docs/theorems.md.
"""

import base64
import hashlib
import json
import math
import struct
from fractions import Fraction
from typing import Any

STATEMENTS = {
    "novikoff": "M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0",
    "hinge": "M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)",
    "hinge-tight": "M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)",
    "freund-schapire": "M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²",
    "run": "M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²",
}

Rows = list[tuple[Any, dict[int, float]]]
Vector = dict[int, Fraction]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def sealed(content: dict[str, Any]) -> dict[str, Any]:
    """The content with the digest of its own bytes."""
    covered = {name: value for name, value in content.items() if name != "sha256"}
    return covered | {"sha256": hashlib.sha256(canonical(covered)).hexdigest()}


def is_positive(label: Any, positive: Any) -> bool:
    """Numbers are equal as numbers, words letter by letter."""
    return isinstance(label, str) == isinstance(positive, str) and bool(label == positive)


def transcript(rounds: list[int]) -> str:
    digits, last = bytearray(), 0
    for t in rounds:
        gap, last = t - last, t
        while gap > 127:
            digits.append(gap & 127 | 128)
            gap >>= 7
        digits.append(gap)
    return base64.b64encode(digits).decode()


def dot(w: Vector, x: Vector) -> Fraction:
    return sum((w[j] * v for j, v in x.items() if j in w), Fraction(0))


def least_float(value: Fraction, root: Fraction) -> float:
    """The least float that is at least value + √root."""
    scale = 1 << 2300
    near = float(value + Fraction(math.isqrt(root.numerator * scale**2 // root.denominator), scale))

    def reaches(x: float) -> bool:
        return Fraction(x) >= value and (Fraction(x) - value) ** 2 >= root

    while not reaches(near):
        near = math.nextafter(near, math.inf)
    while near > 0 and reaches(math.nextafter(near, -math.inf)):
        near = math.nextafter(near, -math.inf)
    return near


def played(rounds: list[tuple[int, Vector]], passes: int, ties: str) -> list[int]:
    """The rounds of the mistakes of w ← w + y x."""
    w: Vector = {}
    mistakes: list[int] = []
    for number in range(passes):
        before = len(mistakes)
        for t, (y, x) in enumerate(rounds, number * len(rounds) + 1):
            score = y * dot(w, x)
            if score < 0 or (score == 0 and (y < 0 or ties == "mistake")):
                mistakes.append(t)
                w = w | {j: w.get(j, Fraction(0)) + y * v for j, v in x.items()}
        if len(mistakes) == before:
            break
    return mistakes


def bound_of(
    theorem: str, rounds: list[tuple[int, Vector]], w: Vector, passes: int, mistakes: list[int]
) -> float:
    margins = [y * dot(w, x) for y, x in rounds]
    squares = [dot(x, x) for _, x in rounds]
    losses = [max(Fraction(0), 1 - m) for m in margins]
    norm2, radius2 = dot(w, w), max(squares, default=Fraction(0))
    wrong = [(t - 1) % len(rounds) for t in mistakes]
    a, L = radius2 * norm2, passes * sum(losses, Fraction(0))
    Q = passes * sum((loss * loss for loss in losses), Fraction(0))
    if theorem == "novikoff":
        return least_float(a / min(margins) ** 2, Fraction(0))
    if theorem == "hinge":
        return least_float(a + 2 * L, Fraction(0))
    if theorem == "hinge-tight":
        return least_float(a / 2 + L, a * a / 4 + a * L)
    if theorem == "freund-schapire":
        return least_float(a + Q, 4 * a * Q)
    energy = sum((squares[k] for k in wrong), Fraction(0))
    return least_float(sum((losses[k] for k in wrong), Fraction(0)), norm2 * energy)


def digest_of(rows: Rows, positive: Any) -> str:
    """Per row: y, the number of nonzeros, then index and value of each."""
    hashed = hashlib.sha256()
    for label, x in rows:
        y = 1 if is_positive(label, positive) else -1
        items = sorted((j, v) for j, v in x.items() if v != 0)
        flat = [number for item in items for number in item]
        hashed.update(struct.pack("<bI" + "Qd" * len(items), y, len(items), *flat))
    return hashed.hexdigest()


def claim(
    rows: Rows,
    theorem: str = "hinge",
    w: tuple[tuple[int, float], ...] = ((0, 1.0), (4, -0.5)),
    positive: Any = 1,
    passes: int = 2,
    **parameters: Any,
) -> dict[str, Any]:
    """A true certificate, if the theorem's hypotheses hold."""
    parameters = {"bias": None, "hashing": None, "ties": "positive"} | parameters
    constant = {-1: Fraction(parameters["bias"])} if parameters["bias"] else {}
    kept = [(label, {j: v for j, v in x.items() if v != 0}) for label, x in rows]
    rounds = [
        (
            1 if is_positive(label, positive) else -1,
            constant | {j: Fraction(v) for j, v in x.items()},
        )
        for label, x in kept
    ]
    mistakes = played(rounds, passes, parameters["ties"])
    weights = {j: Fraction(v) for j, v in w}
    data = {
        "digest": digest_of(rows, positive),
        "rows": len(rows),
        "nonzeros": sum(len(x) for _, x in kept),
        "dimension": max((j + 1 for _, x in kept for j in x), default=0),
        "labels": {"positive": positive},
        "passes": passes,
    }
    content = {
        "format": "novikoff-certificate/1",
        "theorem": theorem,
        "statement": STATEMENTS[theorem],
        "assumptions": [],
        "data": data,
        "learner": {"name": "Perceptron", "parameters": parameters},
        "mistakes": {"count": len(mistakes), "rounds": transcript(mistakes)},
        "evidence": {"w": [[j, v] for j, v in w]},
        "bound": bound_of(theorem, rounds, weights, passes, mistakes),
    }
    return sealed(content)
