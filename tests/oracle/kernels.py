"""The kernel perceptron: linear, polynomial and rbf."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from oracle.claim import ZERO as NOTHING
from oracle.claim import Bounded, Claim, Outcome, fields, number, progressive, rounds_of
from oracle.data import Data, Vector, dot, with_constant
from oracle.exponentials import ZERO, Root, Sum
from oracle.reals import is_whole, require

Kernel = Callable[[Vector, Vector], Sum]


def kernel_perceptron(claim: Claim, data: Data) -> Outcome:
    """Play sgn Σ_i y_i K(x_i, x) over the mistakes so far."""
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    kernel = _kernel(claim.parameters["kernel"])
    table = [[kernel(x, z) for z in xs] for x in xs]
    strict = claim.parameters["ties"] == "mistake"
    scores, mistakes = [ZERO] * len(xs), list[int]()
    for t in rounds_of(claim.passes, len(xs), mistakes):
        s = t % len(xs)
        guess = scores[s].sign or (0 if strict else 1)
        if guess != data.ys[s]:
            step = Sum.of(data.ys[s])
            scores = [score + step * K for score, K in zip(scores, table[s], strict=True)]
            mistakes.append(t + 1)
    if claim.theorem == "progressive":
        value = progressive(len(xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value)
    fields(claim.evidence, {"a"})
    a = _coefficients(claim.evidence["a"], len(xs))
    own = [sum_of(Sum.of(c) * table[i][s] for i, c in a) for s in range(len(xs))]
    squares = [table[s][s].value_if_rational for s in range(len(xs))]
    run = Gathered(
        max(squares, default=Fraction(0)),
        sum_of(Sum.of(c) * own[i] for i, c in a),
        [Sum.of(y) * score for y, score in zip(data.ys, own, strict=True)],
        [squares[(t - 1) % len(xs)] for t in mistakes],
        mistakes,
        claim.passes,
    )
    return Outcome(mistakes, _bound(claim.theorem, run))


def sum_of(sums: Any) -> Sum:
    """Return the sum of sums."""
    return reduce(add, sums, ZERO)


@dataclass(frozen=True)
class Gathered:
    """What the theorems need, as sums of exponentials; K(x, x) is rational."""

    radius2: Fraction
    norm2: Sum
    margins: list[Sum]
    energies: list[Fraction]
    mistakes: list[int]
    passes: int

    @property
    def hinges(self) -> list[Sum]:
        """max(0, 1 − margin) of every row of a pass."""
        found = [Sum.of(1) - margin for margin in self.margins]
        return [hinge if hinge.sign > 0 else ZERO for hinge in found]


def _bound(theorem: str, run: Gathered) -> Bounded:
    """The theorems of the perceptron, as (p + √q)/r."""
    if not run.margins:
        return NOTHING
    a, one, passes = Sum.of(run.radius2) * run.norm2, Sum.of(1), Sum.of(run.passes)
    if theorem == "novikoff":
        require(all(margin.sign > 0 for margin in run.margins), "the comparator has no margin")
        least = reduce(lambda m, n: n if (n - m).sign < 0 else m, run.margins)
        return Root(a, ZERO, least * least)
    hinges = run.hinges
    loss = passes * sum_of(hinges)
    if theorem == "hinge":
        return Root(a + loss * Sum.of(2), ZERO, one)
    if theorem == "hinge-tight":  # (a + 2L + √(a² + 4aL))/2
        return Root(a + loss * Sum.of(2), a * a + a * loss * Sum.of(4), Sum.of(2))
    if theorem == "freund-schapire":
        square = passes * sum_of(hinge * hinge for hinge in hinges)
        return Root(a + square, a * square * Sum.of(4), one)
    require(theorem == "run", f"{theorem} is no theorem of the perceptron")
    own = sum_of(hinges[(t - 1) % len(hinges)] for t in run.mistakes)
    return Root(own, run.norm2 * Sum.of(sum(run.energies, Fraction(0))), one)


def _kernel(stated: dict[str, Any]) -> Kernel:
    if stated["name"] == "rbf":
        gamma = Fraction(stated["gamma"])
        return lambda x, z: Sum({-gamma * (dot(x, x) + dot(z, z) - 2 * dot(x, z)): Fraction(1)})
    degree, c = int(stated["degree"]), Fraction(stated["c"])
    return lambda x, z: Sum.of((dot(x, z) + c) ** degree)


def _coefficients(pairs: Any, rows: int) -> list[tuple[int, Fraction]]:
    require(isinstance(pairs, list), "a is no list")
    found: dict[int, Fraction] = {}
    for pair in pairs:
        require(isinstance(pair, list) and len(pair) == 2, "a is no list of pairs")
        require(is_whole(pair[0], 1, rows), "a weighs a row that is not there")
        require(pair[0] - 1 not in found, "a row of a appears twice")
        found[int(pair[0]) - 1] = number(pair[1], "a coefficient")
    return list(found.items())
