"""The families of learners that mix the weights of their shards.

A comparator pays its losses in every epoch, divided by the number of shards; a search along
soft-margin problems finds it, as for the perceptron.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from novikoff import verifier
from novikoff.comparators.class_comparators import class_rows, class_weights
from novikoff.comparators.histogram import histogram, margins_of
from novikoff.comparators.scaling import Blocks, near_one
from novikoff.comparators.soft_margin import Found, Path, Rows, pairs
from novikoff.errors import HypothesisError
from novikoff.learners.linear.mixing import MixingLearner
from novikoff.playing.run import Run
from novikoff.receipts import objectives
from novikoff.receipts.family import Evidence, Family, Labels, Question, kept_rounds, register
from novikoff.receipts.large_rounds import LargeRounds, MixedSums, Sampled, large_rounds
from novikoff.receipts.reread_rounds import coded, mistaken_rows
from novikoff.receipts.separation import TOLERANCE, OwnWeights, separating
from novikoff.saving.storage import plain_labels
from novikoff.streams import Stream
from novikoff.theory import Bound, named
from novikoff.types import FloatArray

_THEOREM = "parameter-mixing"
_SLACK = 1 + Fraction(1, 2**20)  # more than the rounding of the sums of sizes
Entries = list[list[float]]


def _bounds(
    gathered: Callable[[Run, Blocks, float], Rows], entries: Callable[[Found], Entries]
) -> Callable[[Question], list[Bound]]:
    """Return a function that finds a run's bound, from its rows and a comparator's entries."""

    def bounds(question: Question) -> list[Bound]:
        run = question.run
        if not question.about(_THEOREM):
            return []
        if isinstance(question.stream, LargeRounds):
            return _large_bounds(question, question.stream)
        scaled = near_one(coded(run, question.stream), run.learner.bias)
        rows = gathered(run, scaled.blocks, scaled.bias)
        found, least = _best(question, rows, scaled.shift)
        best = scaled.restorable(rows, found)
        written = scaled.original(best)
        product, square = rounding(run.learner, written)
        evidence = {
            "radius2": rows.radius2,
            "norm2": best.norm2,
            "hinge": _passes(run, rows) * best.hinge,
            "shards": len(run.learner.shards),
            "rounding_product": product,
            "rounding_norm2": square * Fraction(4) ** scaled.shift,
        }
        value = named(_THEOREM).evaluate(evidence).value
        gap = max(0.0, value - least)
        margins = histogram(margins_of(rows, best))
        return [Bound(_THEOREM, value, run.mistakes, gap, {"w": entries(written)}, margins)]

    return bounds


def _large_bounds(question: Question, large: LargeRounds) -> list[Bound]:
    """Return the bound of a comparator that is found on a sample and measured on all rows."""
    run = question.run
    scaled = near_one(coded(run, Sampled(large)), run.learner.bias)
    rows = Rows(scaled.blocks, scaled.bias)
    found, _ = _best(question, rows, scaled.shift)
    best = scaled.original(scaled.restorable(rows, found))
    entries: list[verifier.Json] = [[*pair] for pair in pairs(best)]
    sums = large.sums(run, entries)
    if sums is None:
        raise HypothesisError(
            f"{_THEOREM}: expected rows whose losses can be added up exactly block by block, got "
            "values or ties of a kind that cannot. Certify a run of smaller files."
        )
    value = sums.bound(_THEOREM, entries, run.mistakes, run.learner.epochs)
    if value is None:
        return []
    return [Bound(_THEOREM, value, run.mistakes, None, {"w": entries})]


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them, or replay them block by block if they are too many."""
    found = large_rounds(run, stream)
    return kept_rounds(run, stream) if found is None else found


def _sums(run: Run, stream: Stream, theorem: str, evidence: Evidence) -> MixedSums | None:
    large = large_rounds(run, stream) if theorem == _THEOREM else None
    return None if large is None else large.sums(run, evidence.get("w"))


def _passes(run: Run, rows: Rows) -> int:
    return run.ledger.rounds // rows.count


def _best(question: Question, rows: Rows, shift: int) -> tuple[Found, float]:
    """Return the comparator that makes the bound about least, and a floor for all others."""
    run, r2 = question.run, rows.radius2
    shards, passes = len(run.learner.shards), _passes(question.run, rows)

    def value(norm2: float, loss: float) -> float:
        return shards * objectives.hinge_tight(r2 * norm2, passes * loss / shards)

    path = Path(rows, False, TOLERANCE, question.watch)
    start = min(max(passes / (shards * r2), 1e-60), 1e60) if r2 > 0 else 1.0
    found, least = path.best(value, start)
    widest = separating(OwnWeights(run, shift), rows, path)
    if widest is not None and 1e-100 < widest.margin < 1e100:
        stretch = (1 + 2.0**-50) / widest.margin
        without_loss = rows.measured(stretch * widest.w, stretch * widest.bias_weight)
        found = min(found, without_loss, key=lambda one: value(one.norm2, one.hinge))
    return found, least


def rounding(learner: MixingLearner, comparator: Found) -> tuple[Fraction, Fraction]:
    """Return a lower bound on w·Δ and an upper one on E.

    Rounding moves a mean m by at most 2⁻⁵³|m|, and its square by 2⁻⁵²m² and a little.
    """
    if not np.isfinite([learner.squares, *learner.sizes.max(initial=0, keepdims=True)]).all():
        raise HypothesisError(
            f"{_THEOREM}: expected weights whose squares are within the range of float64, got "
            "larger ones. Rescale the features."
        )
    sizes, constant = learner.rounded_sizes()
    weights = np.atleast_1d(comparator.bias_weight)
    sizes, constant = sizes[:, : len(weights)], constant[: len(weights)]
    total = _products(weights, constant)
    n = min(len(sizes), len(comparator.w))
    total += _products(comparator.w[:n].ravel(), sizes[:n].ravel())
    return -total * _SLACK / 2**53, Fraction(learner.squares) * _SLACK / 2**52


def _products(w: FloatArray, sizes: FloatArray) -> Fraction:
    """Return Σ |w_j| sizes_j, rounded up by far less than the slack."""
    with np.errstate(over="ignore"):
        total = float(np.abs(w) @ sizes)
    if np.isfinite(total):
        return Fraction(total) + Fraction(1, 2**1000)
    both = zip(np.abs(w).tolist(), sizes.tolist(), strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in both), Fraction(0))


def _two_labels(run: Run, blocks: Blocks, bias: float) -> Rows:
    return Rows(blocks, bias)


def _classes(run: Run, blocks: Blocks, bias: float) -> Rows:
    count = sum(len(block) for block, _ in blocks)
    return class_rows(blocks, bias, mistaken_rows(run, count))


def _class_labels(run: Run, stream: Stream) -> Labels:
    return {"classes": plain_labels(run.labels.known)}


register(
    Family(_THEOREM, _bounds(_two_labels, pairs), rounds=_rounds, sums=_sums),
    Family("multiclass-parameter-mixing", _bounds(_classes, class_weights), labels=_class_labels),
)
