"""The family of Blend: its loss is compared through the member whose theorem allows least."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from novikoff import verifier
from novikoff.comparators.histogram import histogram
from novikoff.comparators.penalised import Comparator, PenalisedRows
from novikoff.learners import Blend
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Parameters, Question, own_parameters, register
from novikoff.receipts.loss_family import lambdas_of, least_below, penalty_above
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.streams import ArrayBlock, Stream
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import mixture_rounding
from novikoff.types import AnyArray, FloatArray, IntArray

_SLACK = 1e-12  # far above the rounding of λ
_MEMBERS = 11
_STACKED = 10
_LANES = 12  # in the core a row of the stack's matrix has two lanes more
_CELL = np.dtype([("index", "<u8"), ("cell", "<f8", 16)])
_LARGEST = 15  # the place of m in a cell
State = Mapping[str, AnyArray]


@dataclass(frozen=True)
class _Member:
    """AdaptiveGradient(rate) as it is after a run: its cells (m, θ, S), and its stability."""

    rate: float
    cells: FloatArray
    stability: float


def _learner(run: Run) -> Blend:
    learner = run.learner
    assert isinstance(learner, Blend)
    return learner


def _cells(state: State) -> FloatArray:
    found: FloatArray = state["cells"].reshape(-1, 16)
    return found


def _members(state: State, ledger: Ledger) -> list[_Member]:
    """Return the members that have a theorem: θ and S of the n-th are at 1 + n and 5 + n."""
    cells = _cells(state)
    terms = (ledger.stability_quarter, ledger.stability_one, ledger.stability_four)
    return [
        _Member(rate, cells[:, [_LARGEST, 1 + n, 5 + n]], stability)
        for n, (rate, stability) in enumerate(zip(verifier.BLEND_RATES, terms, strict=True))
    ]


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to another state."""
    found = kept(stream)
    again = check_rounds(run, found)
    played, replayed = (state_hash(_learner(one).core.state()) for one in (run, again))
    if played != replayed or again.ledger.loss != run.ledger.loss:
        raise other_rounds("which end in the learner's state", "which end in another")
    return found


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with the rate and the u that make the bound least."""
    if not question.about("fixed-share"):
        return []
    run = question.run
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    found = [
        _bound(question, member, blocks)
        for member in _members(_learner(run).core.state(), run.ledger)
    ]
    best, _ = min(found, key=lambda pair: pair[0].value)
    least = min(least for _, least in found)
    gap = max(0.0, best.value - least) if math.isfinite(least) else None
    return [replace(best, gap=gap)]


def _bound(
    question: Question, member: _Member, blocks: list[tuple[ArrayBlock, AnyArray]]
) -> tuple[Bound, float]:
    """Return the bound through one member, and the least that any u could make of it."""
    ledger, learner = question.run.ledger, _learner(question.run)
    passes = ledger.rounds // sum(len(block) for block, _ in blocks)
    lambdas = lambdas_of(member.cells, member.rate) / passes  # k L + P = k (L + P/k)
    rows = PenalisedRows(
        blocks, lambdas[1:], bias=learner.bias or 0.0, bias_lambda=float(lambdas[0])
    )
    best = rows.best(watch=question.watch)
    evidence = _evidence(ledger, member, best, passes)
    value = named("fixed-share").evaluate(evidence).value
    price = math.log(_MEMBERS * ledger.rounds) * (1 - _SLACK)
    least = passes * (best.value - best.gap) * (1 - _SLACK) + member.stability + price
    comparator = {"w": best.pairs, "rate": member.rate, "loss": ledger.loss, "least": None}
    margins, floor = histogram(rows.margins(best)), least_below(rows, best, passes)
    return Bound("fixed-share", value, ledger.loss, None, comparator, margins, floor), least


def _evidence(
    ledger: Ledger, member: _Member, best: Comparator, passes: int
) -> Mapping[str, object]:
    compared = math.nextafter(passes * best.loss, math.inf)
    penalty = penalty_above(member.cells, best, member.rate)
    return {
        "comparator_loss": compared,
        "penalty": penalty,
        "stability": member.stability,
        "members": _MEMBERS,
        "rounds": ledger.rounds,
        "rounding": mixture_rounding(ledger.rounds, compared, member.stability, penalty),
    }


def _parameters(run: Run) -> Parameters:
    """State what the run depends on: how a hypothesis is frozen changes no round."""
    return {name: v for name, v in own_parameters(run).items() if name not in ("freeze", "seed")}


def _program(run: Run) -> Mapping[str, object]:
    """State the program, that it began with nothing, and the hash of the state it ended in."""
    return {
        "format": verifier.FLOAT_FORMAT,
        "program": verifier.LEARNERS[run.ledger.learner].program,
        "start": None,
        "states": [[run.ledger.rounds, state_hash(_learner(run).core.state())]],
    }


def state_hash(state: State) -> str:
    """Return SHA-256 over the state of Blend, in the order that docs/programs.md lists it."""
    _, learned, left = (int(count) for count in state["counts"])
    stack = state["stack_matrix"].reshape(_STACKED, _LANES)[:, :_STACKED]
    digest = hashlib.sha256(np.array([learned, left], "<u8").tobytes())
    for name in ("totals", "weights", "mean_weights", "stack_weights"):
        digest.update(state[name].astype("<f8").tobytes())
    digest.update(stack.astype("<f8").tobytes())
    _add_newton(digest, state)
    cells = _cells(state)
    order = np.roll(np.arange(len(cells)), -1)  # the constant feature last
    order = order[cells[order, _LARGEST] > 0]
    packed = np.zeros(len(order), _CELL)
    packed["index"] = order.astype(np.uint64) - np.uint64(1)
    packed["cell"] = cells[order]
    digest.update(packed.tobytes())
    return digest.hexdigest()


def _add_newton(digest: "hashlib._Hash", state: State) -> None:
    """Add the features of OnlineNewton, ascending: index, unit, w, and P up to the feature."""
    features: IntArray = state["newton_features"]
    size = len(features)
    P = np.zeros((size, size))
    P[np.tril_indices(size)] = state["newton_matrix"]
    P = np.where(np.tri(size, dtype=bool), P, P.T)
    indices = features.astype(np.uint64)  # the constant feature, −1, is the largest
    order = np.argsort(indices)
    digest.update(np.array([size], "<u8").tobytes())
    for n, slot in enumerate(order):
        digest.update(indices[slot : slot + 1].astype("<u8").tobytes())
        own = state["newton_first"][slot], state["newton_weights"][slot]
        digest.update(np.array([*own, *P[slot, order[: n + 1]]], "<f8").tobytes())


register(Family("blend", _bounds, rounds=_rounds, parameters=_parameters, form=_program))
