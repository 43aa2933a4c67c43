"""The family of gradient descent, a float program (docs/programs.md)."""

import hashlib
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff import _core, verifier
from novikoff.comparators.histogram import histogram
from novikoff.comparators.logistic import LogisticRows
from novikoff.comparators.soft_margin import Path, Rows, Watch
from novikoff.errors import HypothesisError
from novikoff.learners import GradientDescent
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Question, check_labelled, check_theorem, register
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.receipts.separation import TOLERANCE
from novikoff.streams import ArrayBlock, Stream
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.theory import Bound, named
from novikoff.theory.descent_theorems import FAR, SHARE, descent_rounding
from novikoff.types import AnyArray, FloatArray

Blocks = list[tuple[ArrayBlock, AnyArray]]
_SLACK = 1e-12  # far above the rounding of a dual value
_STATE = np.dtype([("index", "<u8"), ("w", "<f8")])


@dataclass(frozen=True)
class _Compared:
    """A comparator u of one pass: its weights, L(u) from above, and a floor for L(u) + ‖u‖²/2η."""

    w: FloatArray
    """That of the constant feature, then the others."""
    loss: float
    least: float

    @property
    def pairs(self) -> list[list[float]]:
        """[index, weight] of every weight that is not 0; the index of the constant's is −1."""
        return [[int(j) - 1, float(self.w[j])] for j in np.flatnonzero(self.w)]


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
    """Compare the run with the u that makes L(u) + ‖u‖²/2η least."""
    run, learner = question.run, _learner(question.run)
    own = ["ogd", "ogd-logistic"] if learner.loss == "logistic" else ["ogd"]
    asked = [theorem for theorem in own if question.about(theorem)]
    if not asked:
        return []
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    passes = run.ledger.rounds // sum(len(block) for block, _ in blocks)
    best = _best(learner, blocks, passes, question.watch)
    evidence = _evidence(run, best, passes) | {"radius2": _radius2(blocks, learner.bias or 0.0)}
    margins = histogram(_margins(blocks, best.w, learner.bias or 0.0))
    comparator = {"w": best.pairs, "loss": run.ledger.loss}
    found = []
    rest = 1 - SHARE * Fraction(learner.rate) * Fraction(evidence["radius2"])
    for theorem in asked:
        if theorem == "ogd-logistic" and rest <= 0 and question.theorem is None:
            continue  # it does not apply; somebody who names it is told why
        value, gap = named(theorem).evaluate(evidence).value, None
        if theorem == "ogd-logistic":
            gap = max(0.0, value - passes * best.least * (1 - _SLACK) / float(rest))
        found.append(Bound(theorem, value, run.ledger.loss, gap, comparator, margins))
    return found


def _best(learner: GradientDescent, blocks: Blocks, passes: int, watch: Watch) -> _Compared:
    """Return a u for which L(u) + ‖u‖²/2η is about least; 0 if the search led out of the floats."""
    bias, rate = learner.bias or 0.0, learner.rate * passes  # k L + P = k (L + P/k)
    columns = max((block.columns for block, _ in blocks), default=0)
    if learner.loss == "logistic":
        rows = LogisticRows(blocks, np.full(columns, 1 / rate), bias=bias, bias_lambda=1 / rate)
        best = rows.best(watch=watch)
        u = np.append(best.bias_weight, best.w)
        return _Compared(u, best.loss, best.value - best.gap)
    found = [_soft(blocks, bias, rate, watch), np.zeros(columns + 1), learner.w]
    losses = [(_exact_loss(blocks, u, bias, learner.loss), u) for u in found]
    loss, u = min(losses, key=lambda one: one[0] + float(one[1] @ one[1]) / (2 * rate))
    return _Compared(u, loss, 0.0)


def _soft(blocks: Blocks, bias: float, rate: float, watch: Watch) -> FloatArray:
    """Return the u with the least Σ max(0, 1 − y u·x) + ‖u‖²/2η: a soft margin of cost η."""
    best = Path(Rows(blocks, bias), False, TOLERANCE, watch).at(rate)
    u = np.append(best.bias_weight, best.w)
    found: FloatArray = np.where(np.isfinite(u), u, 0.0)
    return found


def _exact_loss(blocks: Blocks, u: FloatArray, bias: float, loss: str) -> float:
    """Return L(u), computed in whole numbers and rounded up."""
    rows = [
        (y, *row)
        for block, labels in blocks
        for y, row in zip(labels.tolist(), _plain(block), strict=True)
    ]
    fine = verifier.grid(u.tolist())
    coarse = verifier.grid([bias, *(v for _, _, values in rows for v in values)])
    weights = dict(enumerate(verifier.whole(u.tolist(), fine), -1))
    unit, total = 1 << (fine + coarse), 0
    for y, indices, values in rows:
        x = [-1, *indices], verifier.whole([bias, *values], coarse)
        miss = unit - y * verifier.dot(weights, x)
        total += {"hinge": max(0, miss), "squared": miss * miss, "absolute": abs(miss)}[loss]
    return verifier.least_float(Fraction(total, unit**2 if loss == "squared" else unit))


def _plain(block: ArrayBlock) -> Iterator[tuple[list[int], list[float]]]:
    """Yield the indices and the values of each row."""
    for t in range(len(block)):
        if isinstance(block, DenseBlock):
            values = block.values[t].astype(np.float64).tolist()
            yield [*range(len(values))], values
        elif isinstance(block, SparseBlock):
            indices, values = block.row(t)
            yield indices.tolist(), values.astype(np.float64).tolist()


def _evidence(run: Run, best: _Compared, passes: int) -> dict[str, float | Fraction]:
    """Return the measures of the theorems, each rounded in the direction that keeps them true."""
    ledger, learner = run.ledger, _learner(run)
    penalty = _up(_core.norm2(best.w[1:], float(best.w[0])) / (2 * learner.rate))
    return {
        "comparator_loss": _up(passes * best.loss),
        "penalty": penalty,
        "distance": _squared_distance(learner.w, best.w) / (2 * learner.rate) * (1 - 2**-50),
        "stability": ledger.stability,
        "rounding": descent_rounding(ledger.rounds, ledger.loss, ledger.stability, penalty),
        "rate": learner.rate,
    }


def _squared_distance(w: FloatArray, u: FloatArray) -> float:
    """Return ‖w − u‖² from below."""
    size = max(len(w), len(u))
    far = np.zeros(size)
    far[: len(w)] = w
    far[: len(u)] -= u
    with np.errstate(over="ignore", under="ignore"):
        return math.fsum(np.minimum(far * far, sys.float_info.max / size)) * (1 - 2**-50)


def _radius2(blocks: Blocks, bias: float) -> float:
    """Return R² = max ‖x_t‖² from above."""
    columns = max((block.columns for block, _ in blocks), default=0)
    found = _core.Measures(np.zeros(columns), 0.0, bias)
    for block, labels in blocks:
        found.add(block.native, labels, 0, len(block))
    return float(found.radius_square)


def _margins(blocks: Blocks, u: FloatArray, bias: float) -> FloatArray:
    """y_t u·x_t of every row, in plain floats."""
    w, constant = np.ascontiguousarray(u[1:]), float(u[0])
    margins = [_core.linear_scores(b.native, w, constant, bias)[0] * y for b, y in blocks]
    return np.concatenate(margins) if margins else np.zeros(0)


def _up(value: float) -> float:
    return math.nextafter(value, math.inf)


def _program(run: Run) -> Mapping[str, object]:
    """State the program, that it began with nothing, and the hash of the state it ended in."""
    return {
        "format": verifier.FLOAT_FORMAT,
        "program": verifier.LEARNERS[run.ledger.learner].program,
        "start": None,
        "states": [[run.ledger.rounds, descent_hash(_learner(run).w)]],
    }


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
        form=_program,
    )
)
