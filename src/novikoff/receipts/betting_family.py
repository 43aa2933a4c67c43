"""The family of CoinBetting: what its bets have earned bounds its loss."""

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff.comparators.histogram import histogram
from novikoff.comparators.logistic import LogisticComparator, LogisticRows
from novikoff.learners import CoinBetting
from novikoff.playing.checkpoints import loss_along
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Question, chained_form, register
from novikoff.receipts.loss_family import lambdas_of
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.streams import ArrayBlock, Stream
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import betting_rounding
from novikoff.types import AnyArray, FloatArray

_RATES = (0.25, 1.0, 4.0, 16.0)
"""Penalties to try: u makes L(u) + ½ Σ m_i² √(S_i + 1) u_i²/rate least. Any u gives a bound."""
_STATE = np.dtype([("index", "<u8"), ("cell", "<f8", 4)])

Blocks = list[tuple[ArrayBlock, AnyArray]]


@dataclass(frozen=True)
class Bets:
    """A comparator, its loss over all passes rounded upward, and what the bets say of it."""

    u: LogisticComparator
    loss: float
    excess: Fraction
    """Σ (1 − W_i + u_i m_i θ_i), exactly; θ is in units of m."""
    reach: Fraction
    """Σ m_i |u_i|."""
    features: int
    margins: FloatArray

    @property
    def total(self) -> float:
        """L(u) + the excess, nearly."""
        return self.loss + float(self.excess)

    def along(self, rounds: int) -> tuple[tuple[int, float], ...] | None:
        """The loss of u at the checkpoints, if the rounds were one pass."""
        once = len(self.margins) == rounds
        return loss_along(np.logaddexp(0.0, -self.margins)) if once else None


def best_bets(
    question: Question, blocks: Blocks, cells: FloatArray, rates: tuple[float, ...] = _RATES
) -> Bets:
    """Return the comparator for which the bets say least; cells are (m, W, θ, S)."""
    passes = question.run.ledger.rounds // sum(len(block) for block, _ in blocks)
    bias = getattr(question.run.learner, "bias", None) or 0.0
    found = []
    for rate in rates:
        lambdas = lambdas_of(cells[:, [0, 2, 3]], rate) / passes
        rows = LogisticRows(blocks, lambdas[1:], bias=bias, bias_lambda=float(lambdas[0]))
        u = rows.best(tolerance=1e-4, watch=question.watch)
        loss = math.nextafter(passes * u.loss, math.inf)
        found.append(Bets(u, loss, *_said(cells, u), rows.margins(u)))
    return min(found, key=lambda bets: bets.total)


def _said(cells: FloatArray, u: LogisticComparator) -> tuple[Fraction, Fraction, int]:
    """Return Σ (1 − W + u m θ), Σ m |u| and the number of features that have appeared."""
    there = cells[:, 0] > 0
    wealth = sum(map(Fraction, cells[there, 1].tolist()), Fraction(0))
    excess, reach = int(there.sum()) - wealth, Fraction(0)
    for i, weight in u.pairs:
        m, _, theta, _ = map(Fraction, cells[int(i) + 1].tolist())
        excess += m * Fraction(weight) * theta
        reach += m * abs(Fraction(weight))
    return excess, reach, int(there.sum())


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
    """Compare the run with the u for which its bets say least."""
    if not question.about("betting"):
        return []
    run, ledger = question.run, question.run.ledger
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    best = best_bets(question, blocks, _learner(run).cells)
    rounding = betting_rounding(ledger.rounds, best.features, ledger.loss, best.reach)
    evidence = {"comparator_loss": best.loss, "bets": best.excess, "rounding": rounding}
    value = named("betting").evaluate(evidence).value
    comparator = {"w": best.u.pairs, "loss": ledger.loss}
    margins, along = histogram(best.margins), best.along(ledger.rounds)
    return [Bound("betting", value, ledger.loss, None, comparator, margins, along)]


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
