"""The structured perceptron on chains, by brute force over all outputs."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

from oracle.claim import Claim, Outcome, fields, progressive, rounds_of
from oracle.data import Tagged, Vector
from oracle.perceptrons import Measured, class_weights, perceptron_bound
from oracle.reals import require

Output = tuple[int, ...]
Weights = dict[tuple[int, int], Fraction]
"""By (tag, index): a feature's number; d for the start; d + 1 + k for the tag k before."""
MOST_OUTPUTS = 100_000


def chain(claim: Claim, data: Tagged) -> Outcome:
    """Play w ← w + Φ(x, y) − Φ(x, ŷ), ŷ the best output with the tags seen so far and y's own."""
    d = data.facts["dimension"]
    known = len(claim.parameters["problem"]["tags"] or [])
    w: Weights = {}
    mistakes: list[int] = []
    steps: list[Fraction] = []
    for t in rounds_of(claim.passes, len(data.xs), mistakes):
        x, y = data.xs[t % len(data.xs)], data.ys[t % len(data.xs)]
        new = max([known, *(k + 1 for k in y)])
        z = _best(w, x, new, d)
        if z != y:
            step = _difference(_phi(x, y, d), _phi(x, z, d))
            for key, value in step.items():
                w[key] = w.get(key, Fraction(0)) + value
            steps.append(sum((v * v for v in step.values()), Fraction(0)))
            mistakes.append(t + 1)
        known = new
    if claim.theorem == "progressive":
        # A tag that nobody has seen cannot be predicted. As with classes, the first round counts.
        require(
            claim.parameters["problem"]["tags"] is not None, "its tags are not known beforehand"
        )
        errors = len(mistakes) + 1
        return Outcome(mistakes, progressive(len(data.xs), errors, claim.evidence, claim.passes))
    fields(claim.evidence, {"w"})
    u = _flat(class_weights(claim.evidence["w"], len(data.tags)))
    margins = [_margin(u, x, y, len(data.tags), d) for x, y in zip(data.xs, data.ys, strict=True)]
    norm2 = sum((v * v for v in u.values()), Fraction(0))
    radius2 = max(steps, default=Fraction(0))
    run = Measured(radius2, norm2, margins, steps, mistakes, claim.passes)
    return Outcome(mistakes, perceptron_bound(claim.theorem, run))


def _flat(w: dict[int, Vector]) -> Weights:
    return {(k, j): v for k, part in w.items() for j, v in part.items()}


def _phi(x: list[Vector], z: Output, d: int) -> Weights:
    """Φ(x, z): how often each (tag, feature), and each (tag, tag before), is there."""
    found: Counter[tuple[int, int]] = Counter()
    for i, (position, tag) in enumerate(zip(x, z, strict=True)):
        for j, count in position.items():
            found[tag, j] += int(count)
        found[tag, d if i == 0 else d + 1 + z[i - 1]] += 1
    return {key: Fraction(count) for key, count in found.items()}


def _difference(a: Weights, b: Weights) -> Weights:
    return {k: a.get(k, Fraction(0)) - b.get(k, Fraction(0)) for k in a.keys() | b.keys()}


def _score(w: Weights, x: list[Vector], z: Output, d: int) -> Fraction:
    return sum((w.get(k, Fraction(0)) * v for k, v in _phi(x, z, d).items()), Fraction(0))


def _outputs(x: list[Vector], tags: int) -> Any:
    assert tags ** len(x) <= MOST_OUTPUTS, "the oracle is for short sentences"
    return product(range(tags), repeat=len(x))


def _best(w: Weights, x: list[Vector], tags: int, d: int) -> Output:
    """Of the best outputs the one whose tags, from the last to the first, were seen first."""
    found: Output = min(_outputs(x, tags), key=lambda z: (-_score(w, x, z, d), z[::-1]))
    return found


def _margin(u: Weights, x: list[Vector], y: Output, tags: int, d: int) -> Fraction | None:
    others = [_score(u, x, z, d) for z in _outputs(x, tags) if z != y]
    return _score(u, x, y, d) - max(others) if others else None
