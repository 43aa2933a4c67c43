"""What the theorems about a comparator w allow for a run, each with the best w that is found."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from novikoff.comparators.class_comparators import class_rows, class_weights
from novikoff.comparators.feature_space import KernelRows
from novikoff.comparators.histogram import histogram, margins_of
from novikoff.comparators.scaling import near_one
from novikoff.comparators.simplex import weighed
from novikoff.comparators.soft_margin import Found, Path, Rows, Watch, gathered
from novikoff.errors import HypothesisError
from novikoff.kernels import points
from novikoff.learners import BalancedMinnow, MulticlassPerceptron
from novikoff.playing.run import Run
from novikoff.receipts import objectives
from novikoff.receipts.certificates import certificate_of
from novikoff.receipts.reread_rounds import coded
from novikoff.receipts.separation import (
    TOLERANCE,
    harder,
    separating,
    widest_margin,
    widest_of,
)
from novikoff.streams import Stream
from novikoff.streams.whole_stream import as_one
from novikoff.theory import Bound, named, theorems_about
from novikoff.types import FloatArray


def perceptron_bounds(run: Run, source: Stream, watch: Watch) -> list[Bound]:
    """The theorems of the perceptron, for two labels or many classes."""
    scaled = near_one(coded(run, source), run.learner.bias)
    if isinstance(run.learner, MulticlassPerceptron):
        count = sum(len(block) for block, _ in scaled.blocks)
        rows = class_rows(scaled.blocks, scaled.bias, _mistaken(run, count))
        weights = class_weights
    else:
        rows, weights = Rows(scaled.blocks, scaled.bias), pairs
    found = []
    choices = _choices(run, rows, watch, lambda path: separating(run, rows, path, scaled.shift))
    for theorem, choice, least in choices:
        best, written = choice, choice
        if theorem != "novikoff":  # whose bound every multiple of w has
            best = scaled.restorable(rows, choice)
            written = scaled.original(best)
        comparator = {"w": weights(written)}
        if scaled.lossless:
            value = _value(run, rows, theorem, best)
            found.append(_bound(run, theorem, value, least, comparator, margins_of(rows, best)))
            continue
        with suppress(HypothesisError):  # then only the verifier's arithmetic will do
            certificate = certificate_of(run, source, theorem, comparator)
            assert certificate.bound is not None
            found.append(Bound(theorem, certificate.bound, run.mistakes, None, comparator))
    return found


def kernel_bounds(run: Run, source: Stream, watch: Watch) -> list[Bound]:
    """The same theorems in the kernel's feature space, with comparators Σ a_t φ(x_t)."""
    learner: Any = run.learner
    blocks = list(coded(run, source))
    y = np.concatenate([codes for _, codes in blocks])
    whole: Any = as_one(block for block, _ in blocks)
    x, _ = points(whole, 0, len(whole), learner.supports.bias)
    rows = KernelRows(learner.supports, x, y)
    mistaken = _mistaken(run, rows.count)
    steps: Any = np.bincount(mistaken, y[mistaken].astype(float), rows.count)
    own = rows.measured(steps.astype(np.float64))

    def separated(path: Path) -> Found | None:
        known = [point for point, _ in path.points.values()]
        return widest_of([own, *known, *harder(rows, path)])

    found = []
    for theorem, best, least in _choices(run, rows, watch, separated):
        comparator, value = {"a": rows.unscaled(best)}, _value(run, rows, theorem, best)
        found.append(_bound(run, theorem, value, least, comparator, rows.margins(best.w)))
    return found


def minnow_bounds(run: Run, source: Stream, watch: Watch) -> list[Bound]:
    """The least bounds that a linear program finds."""
    learner: Any = run.learner
    rows = gathered(coded(run, source), learner.bias)
    balanced, passes = isinstance(learner, BalancedMinnow), run.ledger.rounds // rows.count
    found = []
    for best in weighed(rows, learner.eta, balanced, passes, watch):
        value = named(best.theorem).evaluate(best.evidence).value
        comparator = {"w": pairs(best.found), "gamma": best.evidence["gamma"]}
        margins = margins_of(rows, best.found)
        found.append(_bound(run, best.theorem, value, best.least, comparator, margins))
    return found


def cutting_bounds(run: Run, source: Stream, watch: Watch) -> list[Bound]:
    """The theorem of halving for halfspaces, at the largest margin that is found."""
    learner: Any = run.learner
    scaled = near_one(coded(run, source), learner.bias)
    rows = Rows(scaled.blocks, scaled.bias)
    best = widest_margin(run, rows, scaled.shift, watch)
    if best is None:
        return []
    length = math.sqrt(rows.radius2) * math.sqrt(best.norm2)
    relative = best.margin / length * (1 - 2**-50)  # below γ/(R‖w*‖), whatever was rounded
    evidence = {"dimension": learner.size, "relative_margin": min(relative, 1.0)}
    comparator, margins = {"w": pairs(best)}, margins_of(rows, best)
    return [
        _bound(run, theorem.id, theorem.evaluate(evidence).value, None, comparator, margins)
        for theorem in theorems_about(run.ledger.learner)
    ]


def pairs(found: Found) -> list[list[Any]]:
    """Return [index, weight] of every weight that is not 0; index −1: the constant's."""
    constant: list[list[Any]] = [[-1, found.bias_weight]] if found.bias_weight else []
    return constant + [[int(j), float(found.w[j])] for j in np.flatnonzero(found.w)]


def _choices(
    run: Run, rows: Rows, watch: Watch, separated: Callable[[Path], Found | None]
) -> Iterator[tuple[str, Found, float | None]]:
    """Yield each theorem with its best comparator on the soft-margin path, and the least value."""
    passes, r2 = run.ledger.rounds // rows.count, rows.radius2
    path = Path(rows, False, TOLERANCE, watch)
    start = min(max(passes / r2, 1e-60), 1e60) if r2 > 0 else 1.0
    tight, least = path.best(lambda n, loss: objectives.hinge_tight(r2 * n, passes * loss), start)
    yield "hinge-tight", tight, least
    yield "run", tight, None
    plain = path.choice(lambda n, loss: objectives.hinge(r2 * n, passes * loss))
    # R²‖w‖² + 2L over all passes is at least k (‖w‖² + 2 start · L over one), for this k:
    yield "hinge", plain, 2 * min(r2, passes / start) * path.points[start][1]
    squares = Path(rows, True, TOLERANCE, watch)
    smooth, least = squares.best(
        lambda n, loss: objectives.freund_schapire(r2 * n, 2 * passes * loss), start
    )
    yield "freund-schapire", smooth, least
    widest = separated(path)
    if widest is not None:
        yield "novikoff", widest, None


def _value(run: Run, rows: Rows, theorem: str, best: Found) -> float:
    """Evaluate a theorem of the perceptron with a comparator."""
    passes = run.ledger.rounds // rows.count
    evidence = {
        "radius2": rows.radius2,
        "norm2": best.norm2,
        "margin": best.margin,
        "hinge": passes * best.hinge,
        "hinge2": passes * best.hinge2,
    }
    if theorem == "run":
        hinge, energy = rows.over(best, _mistaken(run, rows.count))
        evidence |= {"mistake_hinge": hinge, "mistake_energy": energy}
    return named(theorem).evaluate(evidence).value


def _mistaken(run: Run, count: int) -> Any:
    """Return the rows of the mistakes, counted from 0, of passes over so many."""
    return (run.ledger.mistake_rounds - 1) % count


def _bound(
    run: Run, theorem: str, value: float, least: float | None, comparator: Any, margins: FloatArray
) -> Bound:
    gap = None if least is None else max(0.0, value - least)
    return Bound(theorem, value, run.mistakes, gap, comparator, histogram(margins))
