"""The family of CoinBetting: what its bets have earned bounds its loss."""

import hashlib
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.comparators.histogram import histogram
from novikoff.comparators.penalised import PenalisedRows
from novikoff.learners import CoinBetting
from novikoff.playing.checkpoints import loss_along
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Question, chained_form, register
from novikoff.receipts.loss_family import lambdas_of, least_below
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.streams import ArrayBlock, Stream
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import betting_rounding
from novikoff.types import AnyArray, FloatArray

_RATES = (0.25, 1.0, 4.0, 16.0)
"""Of penalties to try. Any u gives a bound."""
_STATE = np.dtype([("index", "<u8"), ("cell", "<f8", 4)])

Blocks = list[tuple[ArrayBlock, AnyArray]]


class Bets(NamedTuple):
    """What bets say of a comparator u."""

    excess: Fraction
    """Σ (1 − W_i + u_i m_i θ_i), exactly; θ is in units of m."""
    reach: Fraction
    """Σ m_i |u_i|."""
    features: int
    """How many features have appeared."""


def said_by_bets(cells: FloatArray, u: list[list[float]]) -> Bets:
    """Return what bets say of u, given as [index, weight]; cells are (m, W, θ, S)."""
    there = cells[:, 0] > 0
    wealth = sum(map(Fraction, cells[there, 1].tolist()), Fraction(0))
    excess, reach = int(there.sum()) - wealth, Fraction(0)
    for i, weight in u:
        m, _, theta, _ = map(Fraction, cells[int(i) + 1].tolist())
        excess += m * Fraction(weight) * theta
        reach += m * abs(Fraction(weight))
    return Bets(excess, reach, int(there.sum()))


def _learner(run: Run) -> CoinBetting:
    learner = run.learner
    assert isinstance(learner, CoinBetting)
    return learner


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to another state."""
    found = kept(stream)
    again = check_rounds(run, found)
    played, replayed = (state_hash(_learner(one).cells) for one in (run, again))
    if played != replayed or again.ledger.loss != run.ledger.loss:
        raise other_rounds("which end in the learner's state", "which end in another")
    return found


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with the u, of some, for which its bets say least."""
    if not question.about("betting"):
        return []
    run = question.run
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    found = [_bound(question, blocks, rate) for rate in _RATES]
    return [min(found, key=lambda bound: bound.value)]


def _bound(question: Question, blocks: Blocks, rate: float) -> Bound:
    """Compare the run with the u that makes L(u) + ½ Σ m_i² √(S_i + 1) u_i²/rate least."""
    ledger, learner = question.run.ledger, _learner(question.run)
    cells = learner.cells
    passes = ledger.rounds // sum(len(block) for block, _ in blocks)
    lambdas = lambdas_of(cells[:, [0, 2, 3]], rate) / passes  # k L + P = k (L + P/k)
    bias = learner.bias or 0.0
    rows = PenalisedRows(blocks, lambdas[1:], bias=bias, bias_lambda=float(lambdas[0]))
    best = rows.best(watch=question.watch)
    loss, said = math.nextafter(passes * best.loss, math.inf), said_by_bets(cells, best.pairs)
    rounding = betting_rounding(ledger.rounds, said.features, ledger.loss, said.reach)
    evidence = {"comparator_loss": loss, "bets": said.excess, "rounding": rounding}
    value = named("betting").evaluate(evidence).value
    comparator = {"w": best.pairs, "rate": rate, "loss": ledger.loss, "least": None}
    margins, floor = rows.margins(best), least_below(rows, best, passes)
    along = loss_along(np.logaddexp(0.0, -margins)) if passes == 1 else None
    seen = histogram(margins)
    return Bound("betting", value, ledger.loss, None, comparator, seen, floor, along)


def state_hash(cells: FloatArray) -> str:
    """Return SHA-256 over (u64 index, m, W, θ, S) of every feature that appeared, ascending.

    All are little-endian; the index of the constant feature is 2⁶⁴ − 1.
    """
    order = np.roll(np.arange(len(cells)), -1)  # the constant feature last
    order = order[cells[order, 0] > 0]
    packed = np.zeros(len(order), _STATE)
    packed["index"] = order.astype(np.uint64) - np.uint64(1)
    packed["cell"] = cells[order]
    return hashlib.sha256(packed.tobytes()).hexdigest()


def _state(run: Run) -> str:
    return state_hash(_learner(run).cells)


register(Family("coin-betting", _bounds, rounds=_rounds, form=chained_form, state=_state))
