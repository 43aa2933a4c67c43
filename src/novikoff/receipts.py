"""Receipts: what the theorems allow for a run, and the certificate of the least of it."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from novikoff import verifier
from novikoff.certificates import (
    Certificate,
    certificate_about_data,
    certificate_of,
    check_run,
)
from novikoff.comparators import Margin, margin
from novikoff.comparators.classes import ClassRows, class_rows, class_weights
from novikoff.comparators.feature_space import KernelRows
from novikoff.comparators.histogram import histogram, margins_of
from novikoff.comparators.scaling import Scaled, near_one
from novikoff.comparators.simplex import weighed
from novikoff.comparators.soft_margin import Found, Path, Rows, gathered, watching
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.finite_bounds import finite_bounds
from novikoff.hypotheses import Halfspace, Multiclass
from novikoff.kernels import points
from novikoff.learners import (
    BalancedMinnow,
    CuttingLearner,
    Elimination,
    FiniteLearner,
    Learner,
    MulticlassPerceptron,
)
from novikoff.loop import Run, not_replayable, stream_for
from novikoff.output_bounds import structured_bounds
from novikoff.registry import Bound, named, theorems
from novikoff.regret_receipts import certify_regret, regret_bounds
from novikoff.streams import Stream, as_stream
from novikoff.streams.named import NamedBlock, new_features
from novikoff.streams.stream import Rounds
from novikoff.streams.whole import as_one
from novikoff.types import AnyArray
from novikoff.wagers import RegretRun

_TOLERANCE = 1e-3
_LARGE = 20_000_000  # values, beyond which the largest margin takes long
_SMALL = 300_000  # values, up to which it is worth a try without a w that separates
_COSTS = 10  # that are tried in search of a w that separates
Report = Callable[[float], None]


def bounds(
    run: Run | RegretRun, stream: Any = None, *, progress: Report | None = None
) -> list[Bound]:
    """Return what every theorem that applies allows for a run, the least first.

    The run's own stream is read again, or ``stream``, which must hold the same rounds. Each bound
    comes with the comparator that makes it about as small as can be (``comparator``), how much a
    better one could gain (``gap``), and whether the mistakes stay below it (``holds``), which they
    do. ``progress`` is called with the seconds spent. Ctrl-C ends the search: what was found until
    then is returned, and a second one gives up.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Perceptron(), nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3))
    >>> [(bound.theorem, round(bound.value, 3), bound.observed) for bound in nv.bounds(run)][:2]
    [('run', 2.0, 2), ('novikoff', 2.0, 2)]
    """
    if isinstance(run, RegretRun):
        return regret_bounds(run)
    if not isinstance(run, Run):
        raise parameter("run", "a Run", run)
    source = _stream_of(run, stream)
    check_run(run)
    if not source.replayable:
        raise not_replayable(source)
    if isinstance(run.learner, (Elimination, FiniteLearner)):
        allowed = finite_bounds(run, source)
        _check_rounds(run, source)
        return sorted(allowed, key=lambda bound: bound.value)
    _check_rounds(run, source)
    found = _search(run, source, progress)
    return sorted(found, key=lambda bound: bound.value)


def certify(
    run: Run | Margin | RegretRun,
    stream: Any = None,
    theorem: str | None = None,
    *,
    found: list[Bound] | None = None,
) -> Certificate:
    """Return the certificate of a theorem for a run; of the least bound where none is named.

    ``run`` is certified only when it is named, for it is evaluated on the run's own mistakes;
    ``progressive`` with δ = 0.05. A margin is certified on the stream it was found for: that the
    rows are ``separable``, or that they are ``not separable``. ``found`` are the run's bounds,
    where they are known already.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3)
    >>> certificate = nv.certify(nv.play(nv.Perceptron(), rounds))
    >>> nv.verify(certificate, rounds).verified
    True
    """
    if isinstance(run, Margin):
        return _certified_margin(run, as_stream(stream))
    if isinstance(run, RegretRun):
        return certify_regret(run, stream, theorem)
    if not isinstance(run, Run):
        raise parameter("run", "a Run or a Margin", run)
    if isinstance(run.learner, CuttingLearner):
        raise HypothesisError(
            "certify: expected a learner whose run can be replayed exactly, got "
            f"{run.ledger.learner}, whose centre is computed in floats. bounds(run) says what its "
            "theorem allows."
        )
    source = _stream_of(run, stream)
    if theorem == "progressive":
        return certificate_of(run, source, theorem, {"delta": 0.05})
    if theorem is not None:
        named(theorem)
    known = bounds(run, source) if found is None else sorted(found, key=lambda b: b.value)
    candidates = [
        bound
        for bound in known
        if bound.theorem in verifier.STATEMENTS
        and (bound.theorem == theorem or (theorem is None and bound.theorem != "run"))
    ]
    if not candidates:
        expected = theorem or "a theorem with a finite bound"
        raise HypothesisError(
            f"certify: expected {expected} to apply to this run, got that it does not. "
            "bounds(run) lists those that do."
        )
    best = candidates[0]
    return certificate_of(run, source, best.theorem, best.comparator)


def _certified_margin(margin: Margin, stream: Stream) -> Certificate:
    if margin.witness is not None:
        rows = [t + 1 for t in margin.witness.rows]
        weights = list(margin.witness.weights)
        evidence: dict[str, Any] = {"rows": rows, "weights": weights, "bias": margin.bias}
        theorem = "not separable"
    else:
        h = margin.hypothesis()
        evidence = {"w": _pairs(Found(h.w, h.bias_weight, 0, 0, 0, 0)), "bias": margin.bias}
        theorem = "separable"
    positive = 1 if stream.positive is None else stream.positive
    return certificate_about_data(stream, theorem, evidence, positive)


def _stream_of(run: Run, stream: Any) -> Stream:
    if stream is not None:
        return stream_for(run.learner, stream)
    if run.stream is None:
        raise InputError(
            "stream: expected the stream that was played, got none. Rounds played one by one, and "
            "runs that were loaded, need it: bounds(run, stream)."
        )
    return run.stream


def _search(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    name = run.ledger.learner
    applicable = [t.id for t in theorems() if name in t.learners]
    if not applicable:
        raise parameter("run", "one whose learner a theorem speaks of", name)
    if name in ("Minnow", "BalancedMinnow"):
        return _minnow(run, source, progress)
    if name == "KernelPerceptron":
        return _kernel(run, source, progress)
    if name == "StructuredPerceptron":
        return structured_bounds(run, source)
    if name == "MulticlassPerceptron":
        return _multiclass(run, source, progress)
    if isinstance(run.learner, CuttingLearner):
        return _cutting(run, source, applicable[0], progress)
    return _perceptron(run, source, progress)


def _check_rounds(run: Run, source: Stream) -> None:
    """Refuse a stream on which the learner makes other mistakes: it is not the one played."""
    positive = getattr(run.labels, "positive", None)
    again = Run(run.learner.fresh(), positive=positive, labels=run.labels.known)
    again.play(source)
    rows = again.ledger.rounds
    if rows == 0 or run.ledger.rounds % rows:
        raise HypothesisError(
            f"bounds: expected a stream of the run's {run.ledger.rounds} rounds, or of one of its "
            f"passes, got {rows} rounds. Pass the whole stream that was played."
        )
    while again.ledger.rounds < run.ledger.rounds:
        again.play(source)
    played, found = run.ledger.mistake_rounds, again.ledger.mistake_rounds
    wide = [getattr(learner, "dimension", 0) for learner in (again.learner, run.learner)]
    if not (np.array_equal(played, found) and wide[0] == wide[1]):
        raise HypothesisError(
            f"bounds: expected the rounds that were played, with their {len(played)} mistakes, "
            f"got others, with {len(found)}. Pass the stream of the run."
        )


def _coded(run: Run, source: Stream) -> Iterator[tuple[Any, AnyArray]]:
    """Yield (block, labels as the learner has them) of one pass."""
    labels, features = run.labels.copy(), new_features(run.learner.hashing)
    for rounds in source.blocks():
        rows, y, *_ = Rounds(*rounds)
        if isinstance(rows, NamedBlock):
            rows = rows.numbered(features, 0, len(rows), adopt=True)
        yield rows, labels.encode(y)


def _perceptron(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    scaled = near_one(_coded(run, source), run.learner.bias)
    rows = Rows(scaled.blocks, scaled.bias)
    return _linear(run, source, rows, scaled, progress)


def _multiclass(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    scaled = near_one(_coded(run, source), run.learner.bias)
    count = sum(len(block) for block, _ in scaled.blocks)
    mistakes = (run.ledger.mistake_rounds - 1) % count
    rows = class_rows(scaled.blocks, scaled.bias, mistakes)
    return _linear(run, source, rows, scaled, progress)


def _linear(
    run: Run, source: Stream, rows: Rows, scaled: Scaled, progress: Report | None
) -> list[Bound]:
    """The theorems of the perceptron, each with its best comparator on the soft-margin path."""
    passes, r2 = run.ledger.rounds // rows.count, rows.radius2
    mistakes = (run.ledger.mistake_rounds - 1) % rows.count
    weights = class_weights if isinstance(run.learner, MulticlassPerceptron) else _pairs
    watch, found = watching(progress), []

    def add(theorem: str, best: Found, least: float | None) -> None:
        if theorem == "novikoff":  # every multiple of w has its bound
            comparator = {"w": weights(best)}
        else:
            best = scaled.restorable(rows, best)
            comparator = {"w": weights(scaled.original(best))}
        if not scaled.lossless:  # then only the verifier's arithmetic will do
            with suppress(HypothesisError):
                found.append(_exact(run, source, theorem, comparator))
            return
        evidence = _evidence(rows, best, passes) | {"mistakes": run.mistakes}
        if theorem == "run":
            hinge, energy = rows.over(best, mistakes)
            evidence |= {"mistake_hinge": hinge, "mistake_energy": energy}
        value = named(theorem).evaluate(evidence)
        gap = None if least is None else max(0.0, value.value - least)
        margins = histogram(margins_of(rows, best))
        found.append(Bound(theorem, value.value, run.mistakes, gap, comparator, margins))

    path = Path(rows, False, _TOLERANCE, watch)
    start = min(max(passes / r2, 1e-60), 1e60) if r2 > 0 else 1.0
    tight, least = path.best(lambda n, loss: _tight(r2 * n, passes * loss), start)
    add("hinge-tight", tight, least)
    add("run", tight, None)
    plain = path.choice(lambda n, loss: r2 * n + 2 * passes * loss)
    # R²‖w‖² + 2L over all passes is at least k (‖w‖² + 2 start · L over one), for this k:
    add("hinge", plain, 2 * min(r2, passes / start) * path.points[start][1])
    squares = Path(rows, True, _TOLERANCE, watch)
    smooth, least = squares.best(lambda n, loss: _smooth(r2 * n, 2 * passes * loss), start)
    add("freund-schapire", smooth, least)
    hardest = _separating(run, rows, path, scaled.shift)
    if hardest is not None:
        add("novikoff", hardest, None)
    return found


def _kernel(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    """The same theorems in the kernel's feature space, with comparators Σ a_t φ(x_t)."""
    learner: Any = run.learner
    blocks = list(_coded(run, source))
    y = np.concatenate([codes for _, codes in blocks])
    whole: Any = as_one(block for block, _ in blocks)
    x, _ = points(whole, 0, len(whole), learner.supports.bias)
    rows = KernelRows(learner.supports, x, y)
    passes, r2 = run.ledger.rounds // rows.count, rows.radius2
    mistakes = (run.ledger.mistake_rounds - 1) % rows.count
    steps: Any = np.bincount(mistakes, y[mistakes].astype(float), rows.count)
    own = rows.measured(steps.astype(np.float64))
    found: list[Bound] = []

    def add(theorem: str, best: Found, least: float | None) -> None:
        evidence = _evidence(rows, best, passes) | {"mistakes": run.mistakes}
        if theorem == "run":
            hinge, energy = rows.over(best, mistakes)
            evidence |= {"mistake_hinge": hinge, "mistake_energy": energy}
        value = named(theorem).evaluate(evidence).value
        gap = None if least is None else max(0.0, value - least)
        comparator, margins = {"a": rows.unscaled(best)}, histogram(rows.margins(best.w))
        found.append(Bound(theorem, value, run.mistakes, gap, comparator, margins))

    path = Path(rows, False, _TOLERANCE, watching(progress))
    start = min(max(passes / r2, 1e-60), 1e60) if r2 > 0 else 1.0
    tight, least = path.best(lambda n, loss: _tight(r2 * n, passes * loss), start)
    add("hinge-tight", tight, least)
    add("run", tight, None)
    plain = path.choice(lambda n, loss: r2 * n + 2 * passes * loss)
    add("hinge", plain, 2 * min(r2, passes / start) * path.points[start][1])
    squares = Path(rows, True, _TOLERANCE, watching(progress))
    smooth, least = squares.best(lambda n, loss: _smooth(r2 * n, 2 * passes * loss), start)
    add("freund-schapire", smooth, least)
    candidates = [own, *(point for point, _ in path.points.values())]
    candidates += _harder(rows, path, max(path.points))
    right = [point for point in candidates if point.margin > 0]
    if right:
        add("novikoff", min(right, key=lambda f: math.sqrt(f.norm2) / f.margin), None)
    return found


def _evidence(rows: Rows, found: Found, passes: int) -> dict[str, Any]:
    return {
        "radius2": rows.radius2,
        "norm2": found.norm2,
        "margin": found.margin,
        "hinge": passes * found.hinge,
        "hinge2": passes * found.hinge2,
    }


def _tight(a: float, loss: float) -> float:
    return ((math.sqrt(a) + math.sqrt(a + 4 * loss)) / 2) ** 2


def _smooth(a: float, squares: float) -> float:
    return (math.sqrt(a) + math.sqrt(squares)) ** 2


def _widest(rows: Rows) -> Found | None:
    """Return the comparator of the largest margin, where the extra ``margin`` is installed."""
    if isinstance(rows, ClassRows) or rows.count * rows.columns > _LARGE:
        return None
    labels = np.concatenate([labels for _, labels in rows.blocks])
    try:
        joined = as_one(block for block, _ in rows.blocks)
        with np.errstate(all="ignore"):  # whatever it proposes is measured
            h = margin(joined, labels, bias=rows.bias or None).hypothesis()
    except (ImportError, HypothesisError):
        return None
    return rows.measured(h.w, h.bias_weight)


def _separating(run: Run, rows: Rows, path: Path, shift: int) -> Found | None:
    """Return the comparator with the largest margin found, if one separates the rounds."""
    candidates = [found for found, _ in path.points.values()]
    h = run.learner.hypothesis() if isinstance(run.learner, Learner) else None
    if isinstance(h, Halfspace):
        candidates.append(rows.measured(np.ldexp(h.w, shift), math.ldexp(h.bias_weight, shift)))
    if isinstance(h, Multiclass) and isinstance(rows, ClassRows):
        candidates.append(rows.measured(np.ldexp(h.w, shift), np.ldexp(h.bias_weights, shift)))
    candidates += _harder(rows, path, max(path.points))
    separated = any(found.margin > 0 for found in candidates)
    widest = _widest(rows) if separated or rows.count * rows.columns < _SMALL else None
    candidates += [] if widest is None else [widest]
    if separated:
        cost = max(path.points)
        for _ in range(6):  # harder and harder, while it gains
            cost *= 8
            candidates.append(path.at(cost))
    right = [found for found in candidates if found.margin > 0]
    return min(right, key=lambda f: math.sqrt(f.norm2) / f.margin, default=None)


def _harder(rows: Rows, path: Path, cost: float) -> list[Found]:
    """Follow the path while hardly a loss is left and it falls: its end may separate."""
    last, found = path.points[cost][0], []
    while last.margin <= 0 and last.hinge < rows.count / 20 and not rows.stopped:
        cost *= 8
        found.append(path.at(cost))
        if found[-1].hinge > last.hinge / 2:
            break
        last = found[-1]
    return found


def _pairs(found: Found) -> list[list[Any]]:
    pairs: list[list[Any]] = [[-1, found.bias_weight]] if found.bias_weight else []
    return pairs + [[int(j), float(found.w[j])] for j in np.flatnonzero(found.w)]


def _minnow(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    """The least bounds that a linear program finds."""
    learner: Any = run.learner
    rows = gathered(_coded(run, source), learner.bias)
    balanced, passes = isinstance(learner, BalancedMinnow), run.ledger.rounds // rows.count
    found = []
    for best in weighed(rows, learner.eta, balanced, passes, watching(progress)):
        value = named(best.theorem).evaluate(best.evidence).value
        comparator = {"w": _pairs(best.found), "gamma": best.evidence["gamma"]}
        gap, margins = max(0.0, value - best.least), histogram(margins_of(rows, best.found))
        found.append(Bound(best.theorem, value, run.mistakes, gap, comparator, margins))
    return found


def _exact(run: Run, source: Stream, theorem: str, evidence: dict[str, Any]) -> Bound:
    """Evaluate a theorem as the verifier does."""
    certificate = certificate_of(run, source, theorem, evidence)
    assert certificate.bound is not None
    return Bound(theorem, certificate.bound, run.mistakes, None, evidence)


def _cutting(run: Run, source: Stream, theorem: str, progress: Report | None) -> list[Bound]:
    """The theorem of halving for halfspaces, at the largest margin that is found."""
    learner: Any = run.learner
    scaled = near_one(_coded(run, source), learner.bias)
    rows = Rows(scaled.blocks, scaled.bias)
    best = _widest(rows)
    if best is None or best.margin <= 0:
        path = Path(rows, False, _TOLERANCE, watching(progress))
        cost = min(1 / rows.radius2, 1e60) if rows.radius2 > 0 else 1.0
        while path.at(cost).margin <= 0 and len(path.points) < _COSTS:
            cost *= 8
        best = _separating(run, rows, path, scaled.shift)
    if best is None:
        return []
    length = math.sqrt(rows.radius2) * math.sqrt(best.norm2)
    relative = best.margin / length * (1 - 2**-50)  # below γ/(R‖w*‖), whatever was rounded
    evidence = {"dimension": learner.size, "relative_margin": min(relative, 1.0)}
    value, margins = named(theorem).evaluate(evidence).value, histogram(margins_of(rows, best))
    return [Bound(theorem, value, run.mistakes, None, {"w": _pairs(best)}, margins)]
