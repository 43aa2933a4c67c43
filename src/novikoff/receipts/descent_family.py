"""The family of gradient descent, a float program (docs/programs.md)."""

import hashlib
import math
from fractions import Fraction

import numpy as np

from novikoff import _core
from novikoff.comparators.histogram import histogram
from novikoff.comparators.penalised import Comparator, PenalisedRows
from novikoff.errors import HypothesisError
from novikoff.learners import GradientDescent
from novikoff.playing.run import Run
from novikoff.receipts.family import (
    Family,
    Question,
    chained_form,
    check_labelled,
    check_theorem,
    register,
)
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.streams import ArrayBlock, Stream
from novikoff.theory import Bound, named
from novikoff.theory.descent_theorems import FAR, SHARE, descent_rounding
from novikoff.types import AnyArray, FloatArray

_SLACK = 1e-12  # far above the rounding of a dual value
_STATE = np.dtype([("index", "<u8"), ("w", "<f8")])


def _learner(run: Run) -> GradientDescent:
    learner = run.learner
    assert isinstance(learner, GradientDescent)
    return learner


def _check(run: Run) -> None:
    """Refuse a run that no theorem covers."""
    check_labelled(run)
    ledger = run.ledger
    largest = max(ledger.radius_inf, ledger.stability)
    if largest > FAR:
        raise HypothesisError(
            f"certify: expected values and steps up to 2**300, got {largest:.3g}. Choose a smaller "
            "rate, or scale the features."
        )


def _check_theorem(run: Run, theorem: str) -> None:
    """Refuse a theorem that is not about the run's loss."""
    check_theorem(run, theorem)
    if theorem == "ogd-logistic" and (loss := _learner(run).loss) != "logistic":
        raise HypothesisError(
            f"certify: expected the logistic loss for ogd-logistic, got the {loss} loss. Ask ogd, "
            "which is about every loss."
        )


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to other weights."""
    found = kept(stream)
    again = check_rounds(run, found)
    same = np.array_equal(_learner(run).w, _learner(again).w)
    if not same or again.ledger.loss != run.ledger.loss:
        raise other_rounds("which end in the learner's state", "which end in another")
    return found


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with the u that makes L(u) + ‖u − w_1‖²/2η about least."""
    run, learner = question.run, _learner(question.run)
    own = ["ogd", "ogd-logistic"] if learner.loss == "logistic" else ["ogd"]
    own = own if run.start is None else ["ogd-resumed"]
    asked = [theorem for theorem in own if question.about(theorem)]
    if not (asked and run.ledger.rounds):
        return []
    rows, passes = _penalised(question)
    first = np.zeros(1) if run.start is None else _learner(run.start).w
    best = rows.best(watch=question.watch)
    best = best if run.start is None else _resumed(run, rows, best, passes)
    evidence = _evidence(run, best, first, passes) | {"radius2": _radius2(rows)}
    rest = 1 - SHARE * Fraction(learner.rate) * Fraction(evidence["radius2"])
    found, margins = [], histogram(rows.margins(best))
    for theorem in asked:
        if theorem == "ogd-logistic" and rest <= 0 and question.theorem is None:
            continue  # it does not apply; somebody who names it is told why
        value, gap = named(theorem).evaluate(evidence).value, None
        if theorem == "ogd-logistic":
            gap = max(0.0, value - passes * best.least * (1 - _SLACK) / float(rest))
        comparator = {"w": best.pairs, "loss": run.ledger.loss}
        found.append(Bound(theorem, value, run.ledger.loss, gap, comparator, margins))
    return found


def _penalised(question: Question) -> tuple[PenalisedRows, int]:
    """Return the rounds of one pass with λ = 1/η for all passes, and the number of passes."""
    run, learner = question.run, _learner(question.run)
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    passes = run.ledger.rounds // sum(len(block) for block, _ in blocks)
    weight = 1 / (learner.rate * passes)  # k L + P = k (L + P/k)
    rows = PenalisedRows(
        blocks,
        np.full(len(learner.w) - 1, weight),
        loss=learner.loss,
        bias=learner.bias or 0.0,
        bias_lambda=weight,
    )
    return rows, passes


def _resumed(run: Run, rows: PenalisedRows, best: Comparator, passes: int) -> Comparator:
    """Return the best of a few u for a run from w_1: the one given, w_1, the last weights, and for
    the logistic loss about the least of L(u) + ‖u − w_1‖²/2η.

    A feature that is 0 in all of these rounds weighs 0, because it changes nothing.
    """
    assert run.start is not None
    learner, first = _learner(run), _learner(run.start).w
    begun = np.zeros(len(learner.w))
    begun[: len(first)] = first
    touched = rows.touched
    known = [np.append(best.bias_weight, best.w), begun, learner.w]
    if learner.loss == "logistic":
        near = rows.pulled(begun / (learner.rate * passes))
        known.append(np.append(near.bias_weight, near.w))
    measured = [rows.measured(u[1:], float(u[0])) for u in (_within(u, touched) for u in known)]

    def value(one: Comparator) -> float:
        u = _within(np.append(one.bias_weight, one.w), touched)
        gained = float(u @ (learner.w - begun)) / learner.rate  # but for what no u changes
        return passes * one.loss + gained

    return min(measured, key=value)


def _within(u: FloatArray, touched: AnyArray) -> FloatArray:
    """Return u for the features of these rounds, and 0 for all others."""
    found = np.zeros(len(touched))
    found[: len(u)] = u[: len(touched)]
    return np.where(touched, found, 0.0)


def _evidence(
    run: Run, best: Comparator, first: FloatArray, passes: int
) -> dict[str, float | Fraction]:
    """Return the measures of the theorems, each rounded in the direction that keeps them true."""
    ledger, learner = run.ledger, _learner(run)
    u, half = np.append(best.bias_weight, best.w), 2 * learner.rate
    penalty, start = (_squared_above(*pair) / half for pair in ((u, first), (first, np.zeros(1))))
    with np.errstate(over="ignore"):  # the theorem then says nothing
        far2 = math.fsum(np.square(_difference(learner.w, u))) * (1 - 2**-50)
    sums = ledger.loss, ledger.stability, _up(penalty), _up(start)
    return {
        "comparator_loss": _up(passes * best.loss),
        "penalty": _up(penalty),
        "distance": far2 / half * (1 - 2**-50),
        "stability": ledger.stability,
        "rounding": descent_rounding(ledger.rounds, *sums),
        "rate": learner.rate,
    }


def _difference(w: FloatArray, u: FloatArray) -> FloatArray:
    """Return w − u, each coordinate rounded."""
    found = np.zeros(max(len(w), len(u)))
    found[: len(w)] = w
    found[: len(u)] -= u
    return found


def _squared_above(w: FloatArray, u: FloatArray) -> float:
    """Return ‖w − u‖² from above."""
    far = _difference(w, u)
    return float(_core.norm2(far[1:], float(far[0]))) * (1 + 2**-50)


def _radius2(rows: PenalisedRows) -> float:
    """Return R² = max ‖x_t‖² from above."""
    found = _core.Measures(np.zeros(len(rows.lambdas)), 0.0, rows.bias)
    for block, labels in rows.blocks:
        found.add(block.native, labels.astype(np.int8), 0, len(block))
    return float(found.radius_square)


def _up(value: float) -> float:
    return math.nextafter(value, math.inf)


def descent_hash(w: FloatArray) -> str:
    """Return SHA-256 over (u64 index, w) of every weight that is not 0, ascending.

    Both are little-endian; the index of the constant feature, whose weight is w[0], is 2⁶⁴ − 1.
    """
    order = np.roll(np.arange(len(w)), -1)  # the constant feature last
    order = order[w[order] != 0]
    packed = np.zeros(len(order), _STATE)
    packed["index"] = order.astype(np.uint64) - np.uint64(1)
    packed["w"] = w[order]
    return hashlib.sha256(packed.tobytes()).hexdigest()


register(
    Family(
        "gradient-descent",
        _bounds,
        check=_check,
        check_theorem=_check_theorem,
        rounds=_rounds,
        form=chained_form,
        state=lambda run: descent_hash(_learner(run).w),
    )
)
