"""The families of learners for losses, which are float programs (docs/programs.md)."""

import hashlib
import math
from collections.abc import Mapping

import numpy as np

from novikoff import verifier
from novikoff.comparators.histogram import histogram
from novikoff.comparators.penalised import Comparator, PenalisedRows
from novikoff.learners import AdaptiveGradient
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Question, register
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.streams import ArrayBlock, Stream
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import rounding
from novikoff.types import FloatArray

_SLACK = 1e-12  # far above the rounding of λ
_STATE = np.dtype([("index", "<u8"), ("cell", "<f8", 3)])


def _learner(run: Run) -> AdaptiveGradient:
    learner = run.learner
    assert isinstance(learner, AdaptiveGradient)
    return learner


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to another state.

    Mistakes alone do not tell: these learners make the same ones on columns that were rescaled.
    """
    found = kept(stream)
    again = check_rounds(run, found)
    played, replayed = state_hash(_learner(run).cells), state_hash(_learner(again).cells)
    if played != replayed or again.ledger.loss != run.ledger.loss:
        raise other_rounds("which end in the learner's state", "which end in another")
    return found


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with the u that makes L(u) + ½ Σ λ_i u_i² least, λ as it is at the end."""
    if not question.about("ftrl-diag"):
        return []
    run = question.run
    ledger, learner = run.ledger, _learner(run)
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    passes = ledger.rounds // sum(len(block) for block, _ in blocks)
    lambdas = lambdas_of(learner.cells, learner.rate) / passes  # k L + P = k (L + P/k)
    rows = PenalisedRows(
        blocks, lambdas[1:], bias=learner.bias or 0.0, bias_lambda=float(lambdas[0])
    )
    best = rows.best(watch=question.watch)
    penalty = penalty_above(learner.cells, best, learner.rate)
    evidence = {
        "comparator_loss": math.nextafter(passes * best.loss, math.inf),
        "penalty": penalty,
        "stability": ledger.stability,
        "rounding": rounding(ledger.rounds, ledger.loss, ledger.stability, penalty),
    }
    value = named("ftrl-diag").evaluate(evidence).value
    least = passes * (best.value - best.gap) * (1 - _SLACK) + ledger.stability
    gap = max(0.0, value - least) if math.isfinite(least) else None
    comparator = {"w": best.pairs, "loss": ledger.loss, "least": None}
    floor, margins = least_below(rows, best, passes), histogram(rows.margins(best))
    return [Bound("ftrl-diag", value, ledger.loss, gap, comparator, margins, floor)]


def least_below(rows: PenalisedRows, best: Comparator, passes: int) -> float:
    """Return what k L(u) + P(u) is not below for any u, k passes; λ is P's, divided by k.

    The dual value is Σ H − Q with Q = ½ Σ v_i²/λ_i ≤ Σ H ≤ T ln 2 for T rows, as long as it is not
    negative; the rounding of λ changes Q by less than 2⁻⁵⁰ of it.
    """
    slack = _SLACK * (rows.count + best.least)
    return max(0.0, math.nextafter(passes * (best.least - slack), -math.inf))


def lambdas_of(cells: FloatArray, rate: float) -> FloatArray:
    """λ = m² √(S + 1)/rate, the constant feature's first; 1 for a feature that never appeared."""
    m, S = cells[:, 0], cells[:, 2]
    with np.errstate(over="ignore", under="ignore"):
        found: FloatArray = np.where(m > 0, m * (m * (np.sqrt(S + 1) / rate)), 1.0)
    return found


def penalty_above(cells: FloatArray, found: Comparator, rate: float) -> float:
    """Return ½ Σ λ_i u_i² = Σ (m_i u_i)² √(S_i + 1)/(2 rate), every step rounded upward."""
    u = np.zeros(len(cells))
    u[0], u[1:] = found.bias_weight, found.w[: len(cells) - 1]
    m, S = cells[u != 0, 0], cells[u != 0, 2]
    with np.errstate(over="ignore", under="ignore"):
        scaled = _up(np.abs(m * u[u != 0]))
        terms = _up(_up(scaled * scaled) * _up(_up(np.sqrt(S + 1))))
    return math.nextafter(math.nextafter(math.fsum(terms), math.inf) / (2 * rate), math.inf)


def _up(values: FloatArray) -> FloatArray:
    found: FloatArray = np.nextafter(values, np.inf)
    return found


def _program(run: Run) -> Mapping[str, object]:
    """State the program, that it began with nothing, and the hash of the state it ended in."""
    return {
        "format": verifier.FLOAT_FORMAT,
        "program": verifier.LEARNERS[run.ledger.learner].program,
        "start": None,
        "states": [[run.ledger.rounds, state_hash(_learner(run).cells)]],
    }


def state_hash(cells: FloatArray) -> str:
    """Return SHA-256 over (u64 index, m, θ, S) of every feature that appeared, ascending.

    All are little-endian; the index of the constant feature is 2⁶⁴ − 1.
    """
    order = np.roll(np.arange(len(cells)), -1)  # the constant feature last
    order = order[cells[order, 0] > 0]
    packed = np.zeros(len(order), _STATE)
    packed["index"] = order.astype(np.uint64) - np.uint64(1)
    packed["cell"] = cells[order]
    return hashlib.sha256(packed.tobytes()).hexdigest()


register(Family("adaptive-gradient", _bounds, rounds=_rounds, form=_program))
