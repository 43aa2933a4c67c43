"""The family of Blend for many classes: its loss is compared through its gradient member."""

import hashlib
import math
from collections.abc import Mapping

import numpy as np

from novikoff import verifier
from novikoff.comparators.histogram import histogram
from novikoff.comparators.softmax import SoftmaxComparator, SoftmaxRows
from novikoff.learners import ClassBlend
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Labels, Question, register
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.saving.storage import plain_labels
from novikoff.streams import ArrayBlock, Stream
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import CLASS_MEMBERS, class_rounding
from novikoff.types import AnyArray, FloatArray, IntArray

_SLACK = 1e-12  # far above the rounding of λ
_SCALES = 6  # m, r, S, G, G and V of a feature
_STACKED = 7
State = Mapping[str, AnyArray]


def _learner(run: Run) -> ClassBlend:
    learner = run.learner
    assert isinstance(learner, ClassBlend)
    return learner


def _scales(state: State) -> FloatArray:
    found: FloatArray = state["features"].reshape(-1, _SCALES)
    return found


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to another state."""
    found = kept(stream)
    again = check_rounds(run, found)
    played, replayed = (state_hash(_learner(one).core.state()) for one in (run, again))
    if played != replayed or again.ledger.loss != run.ledger.loss:
        raise other_rounds("which end in the learner's state", "which end in another")
    return found


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with the U that makes L(U) + ½ Σ λ_i U_ki² least, λ as it is at the end."""
    if not question.about("fixed-share-classes"):
        return []
    run = question.run
    ledger, learner = run.ledger, _learner(run)
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    passes = ledger.rounds // sum(len(block) for block, _ in blocks)
    scales = _scales(learner.core.state())
    lambdas = _lambdas(scales) / passes  # k L + P = k (L + P/k)
    rows = SoftmaxRows(
        blocks,
        lambdas[1:],
        learner.classes,
        bias=learner.bias or 0.0,
        bias_lambda=float(lambdas[0]),
    )
    best = rows.best(watch=question.watch)
    value = named("fixed-share-classes").evaluate(_evidence(ledger, scales, best, passes)).value
    price = math.log(CLASS_MEMBERS * ledger.rounds)
    least = (passes * (best.value - best.gap) + price) * (1 - _SLACK) + ledger.stability
    gap = max(0.0, value - least) if math.isfinite(least) else None
    comparator = {"w": best.triples, "loss": ledger.loss, "least": None}
    margins, floor = histogram(rows.leads(best)), _least_below(rows, best, passes)
    return [Bound("fixed-share-classes", value, ledger.loss, gap, comparator, margins, floor)]


def _least_below(rows: SoftmaxRows, best: SoftmaxComparator, passes: int) -> float:
    """Return what k L(U) + P(U) is not below for any U, k passes; λ is P's, divided by k.

    The dual value is Σ H − Q with Q ≤ Σ H ≤ T ln C for T rows, as long as it is not negative; the
    rounding of λ changes Q by less than 2⁻⁵⁰ of it.
    """
    if math.isinf(best.gap):
        return 0.0
    least = best.value - best.gap
    slack = _SLACK * (rows.count * math.log(rows.classes) + best.value)
    return max(0.0, math.nextafter(passes * (least - slack), -math.inf))


def _evidence(
    ledger: Ledger, scales: FloatArray, best: SoftmaxComparator, passes: int
) -> Mapping[str, object]:
    compared = math.nextafter(passes * best.loss, math.inf)
    penalty = _penalty_above(scales, best)
    whole = math.fsum((compared, penalty, ledger.stability))
    inherited = math.nextafter(whole, math.inf)
    classes = best.w.shape[1]
    return {
        "comparator_loss": compared,
        "penalty": penalty,
        "stability": ledger.stability,
        "cuts": ledger.cuts,
        "rounds": ledger.rounds,
        "rounding": class_rounding(ledger.rounds, classes, int(ledger.longest), inherited),
    }


def _lambdas(scales: FloatArray) -> FloatArray:
    """λ = 2m²√(S + 1), the constant feature's first; 1 for a feature that never appeared."""
    m, S = scales[:, 0], scales[:, 2]
    with np.errstate(over="ignore", under="ignore"):
        found: FloatArray = np.where(m > 0, m * (m * (2 * np.sqrt(S + 1))), 1.0)
    return found


def _penalty_above(scales: FloatArray, found: SoftmaxComparator) -> float:
    """Return ½ Σ λ_i U_ki² = Σ (m_i U_ki)² √(S_i + 1), every step rounded upward."""
    U = np.zeros((len(scales), found.w.shape[1]))
    U[0], U[1:] = found.bias_weights, found.w[: len(scales) - 1]
    i, k = np.nonzero(U)
    m, S = scales[i, 0], scales[i, 2]
    with np.errstate(over="ignore", under="ignore"):
        scaled = _up(np.abs(m * U[i, k]))
        terms = _up(_up(scaled * scaled) * _up(_up(np.sqrt(S + 1))))
    return math.nextafter(math.fsum(terms), math.inf)


def _up(values: FloatArray) -> FloatArray:
    found: FloatArray = np.nextafter(values, np.inf)
    return found


def all_classes(run: Run, stream: Stream) -> Labels:
    """Name all declared classes in the order of their numbers, whether met or not."""
    return {"classes": plain_labels(run.labels.known)}


def _program(run: Run) -> Mapping[str, object]:
    """State the program, that it began with nothing, and the hash of the state it ended in."""
    return {
        "format": verifier.FLOAT_FORMAT,
        "program": verifier.LEARNERS[run.ledger.learner].program,
        "start": None,
        "states": [[run.ledger.rounds, state_hash(_learner(run).core.state())]],
    }


def state_hash(state: State) -> str:
    """Return SHA-256 over the state, in the order that docs/programs_classes.md lists it."""
    _, learned, classes, few = (int(count) for count in state["counts"])
    digest = hashlib.sha256(np.array([learned, classes, few], "<u8").tobytes())
    for name in ("squares", "base_rate", "recent_rate", "shares", "mean_shares", "stack_weights"):
        digest.update(state[name].astype("<f8").tobytes())
    digest.update(state["stack_matrix"].reshape(_STACKED, _STACKED).astype("<f8").tobytes())
    _add_newton(digest, state, classes)
    scales = _scales(state)
    order = np.roll(np.arange(len(scales)), -1)  # the constant feature last
    order = order[scales[order, 0] > 0]
    each = _SCALES + 4 * classes
    packed = np.zeros(len(order), np.dtype([("index", "<u8"), ("cell", "<f8", each)]))
    packed["index"] = order.astype(np.uint64) - np.uint64(1)
    weights = state["weights"].reshape(-1, 4 * classes)
    packed["cell"] = np.hstack([scales[order], weights[order]])
    digest.update(packed.tobytes())
    return digest.hexdigest()


def _add_newton(digest: "hashlib._Hash", state: State, classes: int) -> None:
    """Add the features of the Newton member, ascending: index, w, and P up to the feature."""
    features: IntArray = state["newton_features"]
    size = len(features)
    P = np.zeros((size, size))
    P[np.tril_indices(size)] = state["newton_matrix"]
    P = np.where(np.tri(size, dtype=bool), P, P.T)
    w = state["newton_weights"].reshape(size, classes)
    indices = features.astype(np.uint64)  # the constant feature, −1, is the largest
    order = np.argsort(indices)
    digest.update(np.array([size], "<u8").tobytes())
    for n, slot in enumerate(order):
        digest.update(indices[slot : slot + 1].astype("<u8").tobytes())
        digest.update(np.array([*w[slot], *P[slot, order[: n + 1]]], "<f8").tobytes())


register(Family("class-blend", _bounds, rounds=_rounds, labels=all_classes, form=_program))
