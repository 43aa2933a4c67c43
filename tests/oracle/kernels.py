"""The kernel perceptron: linear, polynomial and rbf."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import mp

from oracle.claim import ZERO, Claim, Outcome, fields, number, progressive
from oracle.data import Data, Vector, dot, with_constant
from oracle.perceptrons import Measured, perceptron_bound
from oracle.reals import Real, Value, is_whole, real, require, sign_of_exponentials

Terms = dict[Fraction, Fraction]
"""Σ c e^a as {a: c}; of the polynomial kernels a is always 0."""


def kernel_perceptron(claim: Claim, data: Data) -> Outcome:
    """Play sgn Σ_i y_i K(x_i, x) over the mistakes so far."""
    xs = [with_constant(x, claim.parameters["bias"]) for x in data.xs]
    kernel = _kernel(claim.parameters["kernel"])
    strict = claim.parameters["ties"] == "mistake"
    steps: list[tuple[int, int]] = []
    mistakes: list[int] = []
    for t in range(claim.passes * len(xs)):
        s = t % len(xs)
        y = data.ys[s]
        sign = sign_of_exponentials(_sum(kernel, xs, [(i, Fraction(z)) for i, z in steps], xs[s]))
        guess = sign or (0 if strict else 1)
        if guess != y:
            steps.append((s, y))
            mistakes.append(t + 1)
    if claim.theorem == "progressive":
        value = progressive(len(xs), len(mistakes), claim.evidence, claim.passes)
        return Outcome(mistakes, value)
    fields(claim.evidence, {"a"})
    a = _coefficients(claim.evidence["a"], len(xs))
    scores = [_sum(kernel, xs, a, x) for x in xs]
    signed = zip(scores, data.ys, strict=True)
    margins = [{e: y * c for e, c in found.items()} for found, y in signed]
    squares = [sum(kernel(x, x).values(), Fraction(0)) for x in xs]  # K(x, x) is rational
    norm2: Terms = defaultdict(Fraction)
    for i, c in a:
        for exponent, value in scores[i].items():
            norm2[exponent] += c * value
    energies = [squares[(t - 1) % len(xs)] for t in mistakes]
    found = Gathered(max(squares, default=Fraction(0)), norm2, margins, energies, mistakes)
    return Outcome(mistakes, _bound(claim, found))


class Gathered:
    """What the theorems need, as sums of exponentials."""

    def __init__(
        self,
        radius2: Fraction,
        norm2: Terms,
        margins: list[Terms],
        energies: list[Fraction],
        mistakes: list[int],
    ) -> None:
        self.radius2, self.norm2, self.margins = radius2, norm2, margins
        self.energies, self.mistakes = energies, mistakes


def _bound(claim: Claim, run: Gathered) -> Value:
    rational = all(e == 0 for terms in [run.norm2, *run.margins] for e in terms)
    if rational:
        margins = [sum(terms.values(), Fraction(0)) for terms in run.margins]
        norm2 = sum(run.norm2.values(), Fraction(0))
        exact = Measured(run.radius2, norm2, margins, run.energies, run.mistakes, claim.passes)
        return perceptron_bound(claim.theorem, exact)
    if claim.theorem == "novikoff":
        separates = all(sign_of_exponentials(terms) > 0 for terms in run.margins)
        require(separates, "the comparator has no margin above 0")
    return Real(lambda: _formula(claim, run)) if run.margins else ZERO


def _formula(claim: Claim, run: Gathered) -> Any:
    """The theorems of the perceptron, at the precision that is set."""
    margins = [_evaluated(terms) for terms in run.margins]
    hinges = [max(mp.mpf(0), 1 - margin) for margin in margins]
    norm2 = _evaluated(run.norm2)
    a, loss = real(run.radius2) * norm2, claim.passes * mp.fsum(hinges)
    if claim.theorem == "novikoff":
        return a / min(margins) ** 2
    if claim.theorem == "hinge":
        return a + 2 * loss
    if claim.theorem == "hinge-tight":
        return ((mp.sqrt(a) + mp.sqrt(a + 4 * loss)) / 2) ** 2
    if claim.theorem == "freund-schapire":
        return (mp.sqrt(a) + mp.sqrt(claim.passes * mp.fsum(h * h for h in hinges))) ** 2
    assert claim.theorem == "run"
    own = mp.fsum(hinges[(t - 1) % len(hinges)] for t in run.mistakes)
    return own + mp.sqrt(norm2 * real(sum(run.energies, Fraction(0))))


def _evaluated(terms: Terms) -> Any:
    return mp.fsum(real(c) * mp.exp(real(a)) for a, c in terms.items())


def _kernel(stated: dict[str, Any]) -> Callable[[Vector, Vector], Terms]:
    if stated["name"] == "rbf":
        gamma = Fraction(stated["gamma"])
        return lambda x, z: {-gamma * (dot(x, x) + dot(z, z) - 2 * dot(x, z)): Fraction(1)}
    degree, c = int(stated["degree"]), Fraction(stated["c"])
    return lambda x, z: {Fraction(0): (dot(x, z) + c) ** degree}


def _sum(
    kernel: Callable[[Vector, Vector], Terms],
    xs: list[Vector],
    steps: list[tuple[int, Fraction]],
    x: Vector,
) -> Terms:
    terms: Terms = defaultdict(Fraction)
    for i, c in steps:
        for exponent, value in kernel(xs[i], x).items():
            terms[exponent] += c * value
    return terms


def _coefficients(pairs: Any, rows: int) -> list[tuple[int, Fraction]]:
    require(isinstance(pairs, list), "a is no list")
    found: dict[int, Fraction] = {}
    for pair in pairs:
        require(isinstance(pair, list) and len(pair) == 2, "a is no list of pairs")
        require(is_whole(pair[0], 1, rows), "a weighs a row that is not there")
        require(pair[0] - 1 not in found, "a row of a appears twice")
        found[int(pair[0]) - 1] = number(pair[1], "a coefficient")
    return list(found.items())
