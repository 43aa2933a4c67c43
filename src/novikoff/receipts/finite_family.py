"""What the theorems about finite classes allow for a run."""

from typing import Any

import numpy as np

from novikoff.classes import FiniteClass, GridHalfspaces
from novikoff.classes.dimensions import Splits, everything
from novikoff.errors import HypothesisError
from novikoff.learners import Elimination, IteratedHalving, StandardOptimal
from novikoff.playing.run import Run
from novikoff.streams import Stream
from novikoff.streams.stream import Rounds
from novikoff.theory import Bound, theorems_about


def finite_bounds(run: Run, source: Stream) -> list[Bound]:
    """Return the bound of every theorem about the run's learner."""
    evidence = _measured(run, source) | {"mistakes": run.mistakes}
    found = [
        theorem.evaluate(evidence)
        for theorem in theorems_about(run.ledger.learner)
        if set(theorem.needs) <= evidence.keys()
    ]
    return [Bound(bound.theorem, bound.value, run.mistakes, None, {}) for bound in found]


def _measured(run: Run, source: Stream) -> dict[str, Any]:
    learner = run.learner
    if isinstance(learner, Elimination):
        return {"dimension": learner.d, "monotone": learner.monotone}
    H = learner.H
    if isinstance(H, GridHalfspaces):
        if isinstance(learner, IteratedHalving):
            raise HypothesisError(
                "bounds: expected a class with a table, to find its best hypothesis in, got "
                f"{H!r}. Bound a run of Halving, or of a FiniteClass."
            )
        evidence: dict[str, Any] = {"dimension": H.d, "grid_steps": H.steps}
    else:
        evidence = {}
        if isinstance(learner, StandardOptimal):
            dimension = Splits(H.bitsets).dimension(everything(H))
            evidence["littlestone_dimension"] = dimension
        if isinstance(learner, IteratedHalving):
            evidence["best_mistakes"] = _best_mistakes(run, source, H)
    return evidence | {"size": len(H)}


def _best_mistakes(run: Run, source: Stream, H: FiniteClass) -> int:
    """Return m*, the mistakes of the best h in all the rounds that were played."""
    labels, table = run.labels.copy(), H.table
    wrong, rounds = np.zeros(len(H), np.int64), 0
    for block in source.blocks():
        rows, y, *_ = Rounds(*block)
        points = run.learner.fitting(rows).points
        wrong += (table[:, points] != labels.encode(y)).sum(axis=1)
        rounds += len(points)
    return int(wrong.min()) * (run.ledger.rounds // rounds)
