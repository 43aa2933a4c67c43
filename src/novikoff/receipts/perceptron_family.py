"""The families of the perceptron, for two labels and for many classes.

Each theorem compares the run with one w; a search along soft-margin problems finds it.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

from novikoff.comparators.class_comparators import class_rows, class_weights
from novikoff.comparators.histogram import histogram, margins_of
from novikoff.comparators.occurring import occurring, renumbered
from novikoff.comparators.scaling import Blocks, Scaled, near_one
from novikoff.comparators.soft_margin import Found, Path, Rows, pairs
from novikoff.errors import HypothesisError
from novikoff.learners.learner import Parameters
from novikoff.playing.run import Run
from novikoff.receipts import objectives
from novikoff.receipts.certificates import certificate_of
from novikoff.receipts.exact_sums import Sums, exact_sums
from novikoff.receipts.family import (
    Evidence,
    Family,
    Labels,
    Question,
    own_parameters,
    register,
)
from novikoff.receipts.reread_rounds import coded, mistaken_rows
from novikoff.receipts.resumed_perceptron import resumed_bounds, state_hash
from novikoff.receipts.separation import TOLERANCE, OwnWeights, separating
from novikoff.saving.storage import plain_labels
from novikoff.streams import Stream
from novikoff.theory import Bound, named
from novikoff.types import FloatArray

Entries = list[list[float]]
Choice = tuple[str, Found, float | None]


def _bounds(
    gathered: Callable[[Run, Blocks, float], Rows], entries: Callable[[Found], Entries]
) -> Callable[[Question], list[Bound]]:
    """Return a function that finds a run's bounds, from its rows and a comparator's entries."""

    def bounds(question: Question) -> list[Bound]:
        run = question.run
        if run.start is not None:
            return resumed_bounds(question)
        scaled = near_one(coded(run, question.stream), run.learner.bias)
        blocks, columns = occurring(scaled.blocks)
        rows = gathered(run, blocks, scaled.bias)
        own = OwnWeights(run, scaled.shift, columns)
        found = []
        for theorem, choice, least in choices(
            question, rows, lambda path: separating(own, rows, path)
        ):
            best, written = _restored(scaled, rows, theorem, choice)
            comparator: Evidence = {"w": renumbered(columns, entries(written))}
            if scaled.lossless:
                value = value_of(run, rows, theorem, best)
                margins = margins_of(rows, best)
                found.append(bound_of(run, theorem, value, least, comparator, margins))
            else:
                found += _verified(question, theorem, comparator)
        return found

    return bounds


def _restored(scaled: Scaled, rows: Rows, theorem: str, choice: Found) -> tuple[Found, Found]:
    """Return a comparator of the scaled rounds, and the one of the original rounds."""
    if theorem == "novikoff":  # every multiple of w has the same bound
        return choice, choice
    best = scaled.restorable(rows, choice)
    return best, scaled.original(best)


def _verified(question: Question, theorem: str, comparator: Evidence) -> list[Bound]:
    """Evaluate a theorem in the verifier's arithmetic, which works at any scale of features."""
    with suppress(HypothesisError):
        value = certificate_of(question.run, question.stream, theorem, comparator).bound
        assert value is not None
        return [Bound(theorem, value, question.run.ledger.mistakes, None, comparator)]
    return []


def choices(
    question: Question, rows: Rows, separated: Callable[[Path], Found | None]
) -> Iterator[Choice]:
    """Yield each theorem asked about, with its best comparator and a floor for all others."""
    passes, r2 = question.run.ledger.rounds // rows.count, rows.radius2
    start = min(max(passes / r2, 1e-60), 1e60) if r2 > 0 else 1.0
    path: Path | None = None
    if question.about("hinge-tight", "run", "hinge", "novikoff"):
        path = Path(rows, False, TOLERANCE, question.watch)
        found = _on_path(path, passes, start)
        yield from (choice for choice in found if question.about(choice[0]))
    if question.about("freund-schapire"):
        squares = Path(rows, True, TOLERANCE, question.watch)
        smooth, least = squares.best(
            lambda n, loss: objectives.freund_schapire(r2 * n, 2 * passes * loss), start
        )
        yield "freund-schapire", smooth, least
    if path is not None and question.about("novikoff"):
        widest = separated(path)
        if widest is not None:
            yield "novikoff", widest, None


def _on_path(path: Path, passes: int, start: float) -> Iterator[Choice]:
    """Yield the theorems whose best comparators lie on the path of hinge losses."""
    r2 = path.rows.radius2
    tight, least = path.best(lambda n, loss: objectives.hinge_tight(r2 * n, passes * loss), start)
    yield "hinge-tight", tight, least
    yield "run", tight, None
    plain = path.choice(lambda n, loss: objectives.hinge(r2 * n, passes * loss))
    # R²‖w‖² + 2L over all passes is at least k (‖w‖² + 2 start · L over one), for this k:
    yield "hinge", plain, 2 * min(r2, passes / start) * path.points[start][1]


def value_of(run: Run, rows: Rows, theorem: str, best: Found) -> float:
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
        hinge, energy = rows.over(best, mistaken_rows(run, rows.count))
        evidence |= {"mistake_hinge": hinge, "mistake_energy": energy}
    return named(theorem).evaluate(evidence).value


def bound_of(
    run: Run,
    theorem: str,
    value: float,
    least: float | None,
    comparator: Evidence,
    margins: FloatArray,
) -> Bound:
    """Return a bound with its comparator; no other comparator's bound is below ``least``."""
    gap = None if least is None else max(0.0, value - least)
    return Bound(theorem, value, run.mistakes, gap, comparator, histogram(margins))


def _two_labels(run: Run, blocks: Blocks, bias: float) -> Rows:
    return Rows(blocks, bias)


def _classes(run: Run, blocks: Blocks, bias: float) -> Rows:
    count = sum(len(block) for block, _ in blocks)
    return class_rows(blocks, bias, mistaken_rows(run, count))


def _class_labels(run: Run, stream: Stream) -> Labels:
    return {"classes": plain_labels(run.labels.known)}


def _without_average(run: Run) -> Parameters:
    """State the parameters that decide the rounds; averaging changes only the hypothesis."""
    return {name: one for name, one in own_parameters(run).items() if name != "averaged"}


def _sums(run: Run, stream: Stream, theorem: str, evidence: Evidence) -> Sums | None:
    return exact_sums(run, stream, theorem, evidence.get("w"))


register(
    Family("perceptron", _bounds(_two_labels, pairs), state=state_hash, sums=_sums),
    Family(
        "multiclass-perceptron",
        _bounds(_classes, class_weights),
        labels=_class_labels,
        parameters=_without_average,
    ),
)
