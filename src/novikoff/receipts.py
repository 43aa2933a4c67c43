"""Receipts: what the theorems allow for a run, and the certificate of the least of it."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from novikoff import _core, verifier
from novikoff.certificates import Certificate, about_run, certificate_of
from novikoff.comparators.soft_margin import Found, Path, Rows, gathered, watching
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.hypotheses import Halfspace
from novikoff.learners import Learner
from novikoff.loop import Run
from novikoff.registry import Bound, named, theorems
from novikoff.streams import Stream, as_stream
from novikoff.streams.named import NamedBlock
from novikoff.streams.stream import Rounds
from novikoff.types import AnyArray

_TOLERANCE = 1e-3
Report = Callable[[float], None]


def bounds(run: Run, stream: Any = None, *, progress: Report | None = None) -> list[Bound]:
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
    source = _stream_of(run, stream)
    about_run(run, source)  # refuses what no theorem speaks of
    found = _search(run, source, progress)
    return sorted(found, key=lambda bound: bound.value)


def certify(run: Run, stream: Any = None, theorem: str | None = None) -> Certificate:
    """Return the certificate of a theorem for a run; of the least bound where none is named.

    ``run`` is certified only when it is named, for it is evaluated on the run's own mistakes.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3)
    >>> certificate = nv.certify(nv.play(nv.Perceptron(), rounds))
    >>> nv.verify(certificate, rounds).verified
    True
    """
    source = _stream_of(run, stream)
    if theorem == "progressive":
        return certificate_of(run, source, theorem, {"delta": 0.05})
    if theorem is not None:
        named(theorem)
    found = [b for b in bounds(run, source) if theorem in (None, b.theorem)]
    found = [b for b in found if b.theorem in verifier.STATEMENTS]
    candidates = [b for b in found if b.theorem != "run" or theorem == "run"]
    if not candidates:
        expected = theorem or "a theorem with a finite bound"
        raise HypothesisError(
            f"certify: expected {expected} to apply to this run, got that it does not. "
            "bounds(run) lists those that do."
        )
    best = candidates[0]
    return certificate_of(run, source, best.theorem, best.comparator)


def _stream_of(run: Run, stream: Any) -> Stream:
    if stream is not None:
        return as_stream(stream)
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
        return _minnow(run, source)
    if name == "MulticlassPerceptron":
        return _multiclass(run, source)
    return _perceptron(run, source, progress)


def _coded(run: Run, source: Stream) -> Iterator[tuple[Any, AnyArray]]:
    """Yield (block, labels as the learner has them) of one pass."""
    labels, features = run.labels.copy(), _core.Features()
    for rounds in source.blocks():
        rows, y, _ = Rounds(*rounds)
        if isinstance(rows, NamedBlock):
            rows = rows.numbered(features, 0, len(rows), adopt=True)
        yield rows, labels.encode(y)


def _perceptron(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    rows = gathered(_coded(run, source), run.learner.bias)
    passes, r2 = run.ledger.rounds // rows.count, rows.radius2
    mistakes = (run.ledger.mistake_rounds - 1) % rows.count
    watch, found = watching(progress), []

    def add(theorem: str, best: Found, least: float | None) -> None:
        evidence = _evidence(rows, best, passes) | {"mistakes": run.mistakes}
        if theorem == "run":
            hinge, energy = rows.over(best, mistakes)
            evidence |= {"mistake_hinge": hinge, "mistake_energy": energy}
        value = named(theorem).evaluate(evidence)
        gap = None if least is None else max(0.0, value.value - least)
        found.append(Bound(theorem, value.value, run.mistakes, gap, {"w": _pairs(best)}))

    path = Path(rows, False, _TOLERANCE, watch)
    start = min(max(passes / r2, 1e-60), 1e60) if r2 > 0 else 1.0
    at_start = path.at(start)
    add("hinge", at_start, 2 * r2 * path.points[start][1])
    tight = path.best(lambda f: _tight(r2 * f.norm2, passes * f.hinge), start)
    add("hinge-tight", tight, path.least(lambda n, loss: _tight(r2 * n, passes * loss)))
    add("run", tight, None)
    squares = Path(rows, True, _TOLERANCE, watch)
    smooth = squares.best(lambda f: _smooth(r2 * f.norm2, passes * f.hinge2), start)
    add("freund-schapire", smooth, squares.least(lambda n, q: _smooth(r2 * n, 2 * passes * q)))
    hardest = _separating(run, rows, path)
    if hardest is not None:
        add("novikoff", hardest, None)
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


def _separating(run: Run, rows: Rows, path: Path) -> Found | None:
    """Return the comparator with the largest margin found, if one separates the rounds."""
    candidates = [found for found, _ in path.points.values()]
    h = run.learner.hypothesis() if isinstance(run.learner, Learner) else None
    if isinstance(h, Halfspace):
        w = np.zeros(rows.columns)
        w[: len(h.w)] = h.w
        candidates.append(rows.measured(w, h.bias_weight))
    if any(found.margin > 0 for found in candidates):
        cost = max(path.points)
        for _ in range(6):  # harder and harder, while it gains
            cost *= 8
            candidates.append(path.at(cost))
    right = [found for found in candidates if found.margin > 0]
    return min(right, key=lambda f: f.norm2 / f.margin**2, default=None)


def _pairs(found: Found) -> list[list[Any]]:
    pairs: list[list[Any]] = [[-1, found.bias_weight]] if found.bias_weight else []
    return pairs + [[int(j), float(found.w[j])] for j in np.flatnonzero(found.w)]


def _multiclass(run: Run, source: Stream) -> list[Bound]:
    """The run's own weights, scaled: the best multiple for each theorem, measured exactly."""
    learner: Any = run.learner
    h = learner.hypothesis()
    content = about_run(run, source)
    advantages = np.concatenate([_advantages(h, rows, y) for rows, y in _coded(run, source)])
    r2 = 2 * run.ledger.radius**2
    passes = content["data"]["passes"]
    norm2 = float(learner.weight_norm) ** 2

    def scaled(scale: float) -> dict[str, Any]:
        entries = [
            [int(k), int(j), float(h.w[j, k] * scale)]
            for j, k in zip(*np.nonzero(h.w), strict=True)
        ]
        bias = [[k, -1, float(v * scale)] for k, v in enumerate(h.bias_weights) if v]
        return {"w": bias + entries}

    values = {
        "hinge": lambda s: r2 * norm2 * s * s + 2 * passes * _losses(advantages, s).sum(),
        "hinge-tight": lambda s: _tight(r2 * norm2 * s * s, passes * _losses(advantages, s).sum()),
        "freund-schapire": lambda s: _smooth(
            r2 * norm2 * s * s, passes * (_losses(advantages, s) ** 2).sum()
        ),
    }
    scales = np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 400) / max(math.sqrt(norm2), 1e-300)])
    found, tight = [], 0.0
    for theorem, value in values.items():
        best = min(scales, key=value)
        tight = best if theorem == "hinge-tight" else tight
        found.append(_exact(run, source, theorem, scaled(best)))
    found.append(_exact(run, source, "run", scaled(tight)))
    if len(advantages) and advantages.min() > 0:
        found.append(_exact(run, source, "novikoff", scaled(1.0)))
    return found


def _advantages(h: Any, rows: Any, y: AnyArray) -> AnyArray:
    scores = h._native_scores(rows)
    right = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    others = scores.max(axis=1) if scores.shape[1] > 1 else np.zeros(len(y))
    return np.asarray(right - others)


def _losses(margins: AnyArray, scale: float) -> AnyArray:
    return np.asarray(np.maximum(0.0, 1 - scale * margins))


def _minnow(run: Run, source: Stream) -> list[Bound]:
    """The learner's own weights, which add up to 1, with the γ that makes the bound least."""
    h, eta = run.learner.hypothesis(), run.learner.eta
    margins = np.concatenate([h._native_scores(rows) * y for rows, y in _coded(run, source)])
    passes = run.ledger.rounds // len(margins)
    norm1 = float(np.abs(h.w).sum() + abs(h.bias_weight))
    cost = norm1 * math.log(math.cosh(min(eta * run.ledger.radius_inf, 700.0)))
    found = []

    def value(gamma: float) -> float:
        room = eta * gamma - cost
        loss = passes * np.maximum(0.0, gamma - margins).sum()
        return float((norm1 * 20 + eta * loss) / room) if room > 1e-12 else math.inf

    evidence = {"w": _pairs(Found(h.w, h.bias_weight, 0, 0, 0, 0))}
    top = 4 * float(np.abs(margins).max(initial=0)) + 4 * cost / eta
    gammas = np.geomspace(1e-9, 1, 400) * top if top > 0 else np.array([1.0])
    best = min(gammas, key=value)
    if value(best) < math.inf:
        found.append(_exact(run, source, "minnow-hinge", evidence | {"gamma": float(best)}))
    least = float(margins.min(initial=math.inf)) * (1 - 1e-12)
    if 0 < least < math.inf and eta * least > cost:
        found.append(_exact(run, source, "minnow", evidence | {"gamma": least}))
    return [bound for bound in found if bound is not None]


def _exact(run: Run, source: Stream, theorem: str, evidence: dict[str, Any]) -> Bound:
    """Evaluate a theorem as the verifier does."""
    certificate = certificate_of(run, source, theorem, evidence)
    assert certificate.bound is not None
    return Bound(theorem, certificate.bound, run.mistakes, None, evidence)
