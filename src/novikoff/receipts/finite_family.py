"""Families of finite classes: halving and its relatives, and elimination."""

from collections.abc import Callable

import numpy as np

from novikoff.classes import FiniteClass, GridHalfspaces, as_class
from novikoff.classes.dimensions import Splits, everything
from novikoff.classes.point_rows import PointRows, PointStream
from novikoff.errors import HypothesisError
from novikoff.playing.run import Run
from novikoff.receipts.family import (
    Family,
    Parameters,
    Question,
    register,
)
from novikoff.receipts.rereading import Rereading, replayable, understood
from novikoff.streams import as_stream
from novikoff.streams.stream import Rounds
from novikoff.theory import Bound, theorems_about

Measures = dict[str, object]


def _bounds(measured: Callable[[Question], Measures]) -> Callable[[Question], list[Bound]]:
    """Return a function that evaluates every theorem about a learner with these measures."""

    def bounds(question: Question) -> list[Bound]:
        made = question.run.ledger.mistakes
        evidence = measured(question) | {"mistakes": made}
        found = [
            theorem.evaluate(evidence)
            for theorem in theorems_about(question.run.learner.family)
            if set(theorem.needs) <= evidence.keys() and question.about(theorem.id)
        ]
        return [Bound(bound.theorem, bound.value, made, None, {}) for bound in found]

    return bounds


def _class(run: Run) -> FiniteClass | GridHalfspaces:
    return as_class(run.ledger.parameters["H"])


def _size(question: Question) -> Measures:
    """|H|, and for a grid its dimension and its steps."""
    question.check_rounds()
    H = _class(question.run)
    grid = {"dimension": H.d, "grid_steps": H.steps} if isinstance(H, GridHalfspaces) else {}
    return {**grid, "size": len(H)}


def _littlestone(question: Question) -> Measures:
    """|H| and Ldim(H)."""
    question.check_rounds()
    H = _table(question.run)
    return {"size": len(H), "littlestone_dimension": Splits(H.bitsets).dimension(everything(H))}


def _best(question: Question) -> Measures:
    """|H| and m*, the mistakes of the best h over all rounds played."""
    run, H = question.run, _table(question.run)
    labels, wrong, rounds = run.labels.copy(), np.zeros(len(H), np.int64), 0
    for block in question.stream.blocks():
        rows, y, *_ = Rounds(*block)
        points = PointRows(H, rows).points
        wrong += (H.table[:, points] != labels.encode(y)).sum(axis=1)
        rounds += len(points)
    return {"size": len(H), "best_mistakes": int(wrong.min()) * (run.ledger.rounds // rounds)}


def _table(run: Run) -> FiniteClass:
    """Return a learner's class if it has a table of all its hypotheses."""
    H = _class(run)
    if not isinstance(H, FiniteClass):
        raise HypothesisError(
            "bounds: expected a class with a table, to find its best hypothesis in, got "
            f"{H!r}. Bound a run of Halving, or of a FiniteClass."
        )
    return H


def _literals(question: Question) -> Measures:
    """d, and whether literals are never negated."""
    question.check_rounds()
    stated = question.run.ledger.parameters
    return {"dimension": stated["d"], "monotone": stated["monotone"]}


def _tabled(run: Run) -> Parameters:
    """State a class by its table of signs."""
    H = _class(run)
    if not isinstance(H, FiniteClass):
        raise HypothesisError(
            f"certify: expected a class with a table of points, got {H!r}. Certify a run on a "
            "FiniteClass."
        )
    return {"H": {name: H.plain[name] for name in ("table", "points", "cube")}}


def _points(source: object, parameters: Parameters) -> Rereading:
    """Return points as rows."""
    H = understood(
        parameters, "H", lambda found: as_class({**found, "hypotheses": None, "title": ""})
    )
    stream = replayable(as_stream(source))
    return Rereading(PointStream(H, stream) if isinstance(H, FiniteClass) else stream)


def _of_class(name: str, measured: Callable[[Question], Measures]) -> Family:
    return Family(name, _bounds(measured), parameters=_tabled, rereading=_points)


register(
    _of_class("consistent", _size),
    _of_class("halving", _size),
    _of_class("standard-optimal", _littlestone),
    _of_class("iterated-halving", _best),
    Family("elimination", _bounds(_literals)),
)
