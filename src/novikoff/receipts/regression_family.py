"""The family of learners of real labels, which are float programs (docs/programs_regression.md)."""

import hashlib
import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from novikoff import verifier
from novikoff.learners import ForwardRegression
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Labels, Question, register
from novikoff.receipts.reread_rounds import check_rounds, coded, kept, other_rounds
from novikoff.streams import ArrayBlock, Block, Stream
from novikoff.streams.blocks.block import DenseBlock
from novikoff.theory import Bound, named
from novikoff.theory.regression_theorems import regression_rounding
from novikoff.types import AnyArray, FloatArray

_ULP = 2.0**-52


class Moments(NamedTuple):
    """What a run's learner knows of all its rounds, in the order in which features joined."""

    features: AnyArray
    """The number of each feature; that of the constant one is −1."""
    gram: FloatArray
    """A = ridge·I + Σ x xᵀ."""
    moments: FloatArray
    """b = Σ y x."""


class RidgeComparator(NamedTuple):
    """The u that makes Σ (y − u·x)² + ridge·‖u‖² least, up to ``gap``."""

    u: FloatArray
    gap: float

    def pairs(self, features: AnyArray) -> list[list[int | float]]:
        """Return [feature, weight] for the weights that are not 0, as certificates state them."""
        order = np.argsort(features)
        return [[int(features[i]), float(self.u[i])] for i in order if self.u[i] != 0]


def _learner(run: Run) -> ForwardRegression:
    learner = run.learner
    assert isinstance(learner, ForwardRegression)
    return learner


def _symmetric(triangle: AnyArray, size: int) -> FloatArray:
    """Return the whole matrix of the entries at and left of its diagonal."""
    found = np.zeros((size, size))
    found[np.tril_indices(size)] = triangle
    return np.where(np.tri(size, dtype=bool), found, found.T)


def _moments(learner: ForwardRegression) -> Moments:
    state = learner.core.state()
    size = len(state["features"])
    gram = _symmetric(state["gram"] + state["gram_rest"], size)
    return Moments(state["features"], gram, state["moments"] + state["moments_rest"])


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to another state."""
    found = kept(stream)
    again = check_rounds(run, found)
    if state_hash(_learner(run)) != state_hash(_learner(again)):
        raise other_rounds("which end in the learner's state", "which end in another")
    return found


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with ridge regression on all its rounds."""
    asked = [name for name in ("vaw-tight", "vaw") if question.about(name)]
    if not asked:
        return []
    run = question.run
    ledger, learner = run.ledger, _learner(run)
    known = _moments(learner)
    best = _ridge(known, learner.ridge, ledger.squared_labels)
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    passes = ledger.rounds // sum(len(block) for block, _ in blocks)
    losses = _losses_above(blocks, known.features, best.u, learner.bias or 0.0)
    sums = ledger.rounds, ledger.drift, ledger.loss, ledger.stability
    evidence = {
        "comparator_loss": passes * losses,
        "penalty": learner.ridge * _sum_above(best.u * best.u),
        "stability": ledger.stability,
        "largest_label": ledger.largest_label,
        "ridge": learner.ridge,
        "energies": np.maximum(np.diag(known.gram) * (1 + 8 * _ULP) - learner.ridge, 0).tolist(),
        "rounding": regression_rounding(*sums),
    }
    comparator = {"w": best.pairs(known.features), "loss": ledger.loss}
    values = [(name, named(name).evaluate(evidence).value) for name in asked]
    return [Bound(name, value, ledger.loss, best.gap, comparator) for name, value in values]


def _solved(gram: FloatArray, moments: FloatArray) -> FloatArray:
    """Solve gram u = moments nearly; if floats take it for singular, in the sense of least squares.

    Any u gives a bound.
    """
    try:
        solved = np.asarray(np.linalg.solve(gram, moments), np.float64)
    except np.linalg.LinAlgError:
        solved = np.asarray(np.linalg.lstsq(gram, moments, rcond=None)[0], np.float64)
    found: FloatArray = np.where(np.isfinite(solved), solved, 0.0)
    return found


def _ridge(known: Moments, ridge: float, squares: float) -> RidgeComparator:
    """Solve A u = b. f(u) = Σ (y − u·x)² + λ‖u‖² has f(u) − min f ≤ ‖A u − b‖²/λ.

    For f − λ‖u‖² is convex, and the gradient of f is 2 (A u − b). The errors of the floats A and b
    are at most 3 units in the last place of √(A_ii A_jj) and √(A_ii Σ y²).
    """
    size = np.sqrt(np.diag(known.gram))
    first = _solved(known.gram, known.moments)
    more = _solved(known.gram, known.moments - known.gram @ first)
    u: FloatArray = np.asarray(first + more, np.float64)
    reach = float(size @ np.abs(u)) + math.sqrt(squares)
    slack = (len(u) + 4) * _ULP * reach * float(np.linalg.norm(size))
    rest = float(np.linalg.norm(known.gram @ u - known.moments)) + slack
    return RidgeComparator(u, rest * rest / ridge)


def _losses_above(
    blocks: Iterable[tuple[Block, AnyArray]], features: AnyArray, u: FloatArray, bias: float
) -> float:
    """Return Σ (y − u·x)², every step rounded upward: a sum of n products is off by n/2 ulps."""
    width = int(features.max(initial=-1)) + 1
    w = np.zeros(width)
    w[features[features >= 0]] = u[features >= 0]
    constant = bias * float(u[features < 0].sum())
    total = 0.0
    for block, y in blocks:
        scores, sizes, terms = _products(block, w)
        scores, sizes = scores + constant, sizes + abs(constant) + np.abs(y)
        off = np.abs(y - scores) + (terms + 4) * _ULP * sizes
        total = math.nextafter(total + _sum_above(off * off), math.inf)
    return total


def _products(block: Block, w: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Return x·w and |x|·|w| of every row, and the most terms of a row."""
    if isinstance(block, DenseBlock):
        values = block.values[:, : len(w)].astype(np.float64)
        own = w[: values.shape[1]]
        return values @ own, np.abs(values) @ np.abs(own), len(own)
    scores, sizes, terms = np.zeros(len(block)), np.zeros(len(block)), 0
    for t in range(len(block)):
        indices, values = block.row(t)
        own = w[indices[indices < len(w)]]
        kept_values = values[indices < len(w)].astype(np.float64)
        scores[t], sizes[t] = kept_values @ own, np.abs(kept_values) @ np.abs(own)
        terms = max(terms, len(own))
    return scores, sizes, terms


def _sum_above(squares: FloatArray) -> float:
    """Return at least the sum of squares that were rounded once."""
    return math.fsum(squares) * (1 + 4 * _ULP)


def _program(run: Run) -> Mapping[str, object]:
    """State the program, that it began with nothing, and the hash of the state it ended in."""
    return {
        "format": verifier.FLOAT_FORMAT,
        "program": verifier.LEARNERS[run.ledger.learner].program,
        "start": None,
        "states": [[run.ledger.rounds, state_hash(_learner(run))]],
    }


def state_hash(learner: ForwardRegression) -> str:
    """Return SHA-256 over the state, features in ascending order (docs/programs_regression.md)."""
    state = learner.core.state()
    size = len(state["features"])
    names = ("inverse", "gram", "gram_rest")
    P, A, rest = (_symmetric(state[name], size) for name in names)
    index = state["features"].astype(np.uint64)  # −1 is 2⁶⁴ − 1
    order = np.argsort(index)
    found = hashlib.sha256(state["squares"].astype("<f8").tobytes())
    for n, i in enumerate(order):
        own = np.array([state["moments"][i], state["moments_rest"][i]], "<f8")
        found.update(index[i].astype("<u8").tobytes() + own.tobytes())
        upto = order[: n + 1]
        found.update(np.stack([P[i, upto], A[i, upto], rest[i, upto]], 1).astype("<f8").tobytes())
    return found.hexdigest()


def _real(run: Run, stream: Stream) -> Labels:
    """Say that labels are numbers."""
    return {"real": True}


register(Family("forward-regression", _bounds, rounds=_rounds, form=_program, labels=_real))
