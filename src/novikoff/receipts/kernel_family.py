"""The family of the kernel perceptron: the perceptron's theorems in a kernel's feature space."""

import numpy as np

from novikoff.comparators.feature_space import KernelRows
from novikoff.comparators.soft_margin import Found, Path
from novikoff.errors import HypothesisError
from novikoff.kernels import points
from novikoff.learners import KernelLearner
from novikoff.playing.run import Run
from novikoff.receipts.family import (
    Family,
    Parameters,
    Question,
    check_labelled,
    register,
)
from novikoff.receipts.perceptron_family import bound_of, choices, value_of
from novikoff.receipts.reread_rounds import coded, mistaken_rows
from novikoff.receipts.separation import harder, widest_of
from novikoff.streams import ArrayBlock, Stream
from novikoff.streams.whole_stream import as_one
from novikoff.theory import Bound


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with w = Σ a_t φ(x_t)."""
    run = question.run
    rows, own = _in_feature_space(run, question.stream)

    def separated(path: Path) -> Found | None:
        known = [point for point, _ in path.points.values()]
        return widest_of([own, *known, *harder(rows, path)])

    found = []
    for theorem, best, least in choices(question, rows, separated):
        value, margins = value_of(run, rows, theorem, best), rows.margins(best.w)
        comparator = {"a": rows.unscaled(best)}
        found.append(bound_of(run, theorem, value, least, comparator, margins))
    return found


def _in_feature_space(run: Run, stream: Stream) -> tuple[KernelRows, Found]:
    """Return the rounds of one pass, and the run's own w as a comparator."""
    supports = _learner(run).supports
    blocks = list(coded(run, stream))
    y = np.concatenate([codes for _, codes in blocks])
    whole = as_one(block for block, _ in blocks)
    assert isinstance(whole, ArrayBlock)
    x, _ = points(whole, 0, len(whole), supports.bias)
    rows = KernelRows(supports, x, y)
    mistaken = mistaken_rows(run, rows.count)
    steps = np.bincount(mistaken, y[mistaken].astype(float), rows.count)
    return rows, rows.measured(steps.astype(np.float64))


def _learner(run: Run) -> KernelLearner:
    assert isinstance(run.learner, KernelLearner)
    return run.learner


def _check(run: Run) -> None:
    """Refuse a run with a budget, which forgets supports."""
    learner = _learner(run)
    if learner.budget is not None:
        raise HypothesisError(
            f"certify: expected a learner without a budget, got one with {learner.budget!r}. "
            f"{learner.guarantee}"
        )
    check_labelled(run)


def _kernel(run: Run) -> Parameters:
    """State the kernel, if anybody can compute it."""
    parameters = run.ledger.parameters
    if callable(parameters.get("kernel")):
        raise HypothesisError(
            "certify: expected linear, polynomial or rbf as the kernel, got a function. Nobody "
            "else could compute it."
        )
    return parameters


register(Family("kernel-perceptron", _bounds, check=_check, parameters=_kernel))
