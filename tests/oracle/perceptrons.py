"""The perceptron and its theorems: two labels, and many classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

from oracle.claim import ZERO, Claim, Outcome, fields, number, progressive, rounds_of
from oracle.data import CONSTANT, Data, Vector, added, dot, with_constant
from oracle.reals import Surd, Value, is_whole, require


@dataclass(frozen=True)
class Measured:
    """What the theorems of the perceptron are made of; a margin of None has no limit."""

    radius2: Fraction
    norm2: Fraction
    margins: Sequence[Fraction | None]
    """Of the comparator in every row of a pass: y w·x, or the least w·(Φ(x, y) − Φ(x, z))."""
    energies: Sequence[Fraction]
    """‖x‖², or ‖Φ(x, y) − Φ(x, ŷ)‖², of every mistake."""
    mistakes: Sequence[int]
    passes: int

    @property
    def hinges(self) -> list[Fraction]:
        """max(0, 1 − margin) of every row of a pass."""
        return [Fraction(0) if m is None else max(Fraction(0), 1 - m) for m in self.margins]


def perceptron_bound(theorem: str, run: Measured) -> Value:
    """Return what a theorem of the perceptron allows, exactly."""
    a, hinges = run.radius2 * run.norm2, run.hinges
    if theorem in ("novikoff", "structured"):
        limited = [m for m in run.margins if m is not None]
        require(all(m > 0 for m in limited), "the comparator has no margin above 0")
        require(limited or not run.margins, "there is no other output to separate from")
        return Surd(a / min(limited) ** 2) if limited else ZERO
    loss = run.passes * sum(hinges, Fraction(0))
    if theorem == "hinge":
        return Surd(a + 2 * loss)
    if theorem == "hinge-tight":  # ((√a + √(a + 4L))/2)² = a/2 + L + √(a²/4 + aL)
        return Surd(a / 2 + loss, a * a / 4 + a * loss)
    if theorem == "freund-schapire":  # (√a + √Q)² = a + Q + √(4aQ)
        square = run.passes * sum((h * h for h in hinges), Fraction(0))
        return Surd(a + square, 4 * a * square)
    require(theorem == "run", f"{theorem} is no theorem of the perceptron")
    own = sum((hinges[(t - 1) % len(hinges)] for t in run.mistakes), Fraction(0))
    return Surd(own, run.norm2 * sum(run.energies, Fraction(0)))


def weights(pairs: Any) -> Vector:
    """Return the comparator that the evidence lists as [index, weight]."""
    require(isinstance(pairs, list), "w is no list")
    w: Vector = {}
    for pair in pairs:
        require(isinstance(pair, list) and len(pair) == 2, "w is no list of pairs")
        index, weight = pair
        require(is_whole(index, CONSTANT), "an index of w is no index")
        require(index not in w, "an index of w appears twice")
        w[int(index)] = number(weight, "a weight")
    return w


def state_hash(w: Vector) -> str:
    """Return SHA-256 over a line "i n e" for each weight n·2^e other than 0, n odd and in hex."""
    lines = []
    for i, value in sorted((i if i != CONSTANT else 2**64 - 1, v) for i, v in w.items() if v):
        n, e = value.numerator, 0
        while 2**-e < value.denominator:
            e -= 1
        while n % 2 == 0:
            n, e = n // 2, e + 1
        lines.append(f"{i} {n:x} {e}\n")
    return sha256("".join(lines).encode()).hexdigest()


def played(claim: Claim, data: Data, w: Vector, passes: int) -> tuple[Vector, list[int], list[str]]:
    """Play w ← w + y x on mistakes; a score of 0 predicts +1, or is always wrong."""
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    strict = claim.parameters["ties"] == "mistake"
    mistakes: list[int] = []
    states: list[str] = []
    for t in rounds_of(passes, len(xs), mistakes):
        x, y = xs[t % len(xs)], data.ys[t % len(xs)]
        score = dot(w, x)
        guess = 0 if strict and score == 0 else 1 if score >= 0 else -1
        if guess != y:
            w = added(w, x, y)
            mistakes.append(t + 1)
        states.append(state_hash(w))
    return w, mistakes, states + states[-1:] * (passes * len(xs) - len(states))


def binary(claim: Claim, data: Data) -> Outcome:
    """Play the run, from w = 0 or from the weights that the rounds before it left."""
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    first: Vector = {}
    if claim.before is not None:
        first, _, _ = played(claim, claim.before, {}, 1)
    _, mistakes, after = played(claim, data, dict(first), claim.passes)
    states = dict(enumerate(after, 1))
    start = None if claim.before is None else state_hash(first)
    if claim.theorem == "progressive":
        value = progressive(len(xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value, states=states, start=start)
    fields(claim.evidence, {"w"})
    u = weights(claim.evidence["w"])
    squares = [dot(x, x) for x in xs]
    run = Measured(
        max(squares, default=Fraction(0)),
        dot(u, u),
        [y * dot(u, x) for x, y in zip(xs, data.ys, strict=True)],
        [squares[(t - 1) % len(xs)] for t in mistakes],
        mistakes,
        claim.passes,
    )
    if claim.theorem == "hinge-resumed":
        a, b = run.radius2 * run.norm2, run.norm2 * dot(first, first)
        c = run.passes * sum(run.hinges, Fraction(0)) - dot(u, first)
        value = Surd(c + a / 2, a * a / 4 + a * c + b)
        return Outcome(mistakes, value, states=states, start=start)
    return Outcome(mistakes, perceptron_bound(claim.theorem, run), states=states, start=start)


def class_weights(triples: Any, classes: int) -> dict[int, Vector]:
    """Return the comparator that the evidence lists as [class, index, weight]."""
    require(isinstance(triples, list), "w is no list")
    w: dict[int, Vector] = {k: {} for k in range(classes)}
    for triple in triples:
        require(isinstance(triple, list) and len(triple) == 3, "w is no list of triples")
        k, index, weight = triple
        require(is_whole(k, 0), "a class of w is no class")
        require(is_whole(index, CONSTANT), "an index of w is no index")
        part = w.setdefault(int(k), {})
        require(index not in part, "an entry of w appears twice")
        part[int(index)] = number(weight, "a weight")
    return w


def multiclass(claim: Claim, data: Data) -> Outcome:
    """Play w_y ← w_y + x, w_ŷ ← w_ŷ − x; ties go to the first class seen, y's own among them."""
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    w: list[Vector] = []
    mistakes: list[int] = []
    for t in rounds_of(claim.passes, len(xs), mistakes):
        x, y = xs[t % len(xs)], data.ys[t % len(xs)]
        if y == len(w):
            w.append({})
        scores = [dot(v, x) for v in w]
        guess = scores.index(max(scores))
        if guess != y:
            w[y], w[guess] = added(w[y], x, 1), added(w[guess], x, -1)
            mistakes.append(t + 1)
    if claim.theorem == "progressive":
        # Nobody who has not seen the first label could predict it: its round counts as well.
        value = progressive(len(xs), len(mistakes) + 1, claim.evidence, claim.passes)
        return Outcome(mistakes, value)
    fields(claim.evidence, {"w"})
    u = class_weights(claim.evidence["w"], len(w))
    margins: list[Fraction | None] = []
    for x, y in zip(xs, data.ys, strict=True):
        others = [dot(u[k], x) for k in range(len(w)) if k != y]
        margins.append(dot(u[y], x) - max(others) if others else None)
    steps = [2 * dot(xs[(t - 1) % len(xs)], xs[(t - 1) % len(xs)]) for t in mistakes]
    norm2 = sum((dot(v, v) for v in u.values()), Fraction(0))
    radius2 = max(steps, default=Fraction(0))
    run = Measured(radius2, norm2, margins, steps, mistakes, claim.passes)
    return Outcome(mistakes, perceptron_bound(claim.theorem, run))
