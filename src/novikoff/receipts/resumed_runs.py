"""Resumed runs went on from a model: the rounds since then, as a run of their own."""

import numpy as np

from novikoff.errors import HypothesisError
from novikoff.playing.run import Run
from novikoff.receipts.reread_rounds import kept, other_rounds, stream_of
from novikoff.saving.storage import PathLike
from novikoff.streams import Stream


def since(run: Run, stream: object, start: Run | PathLike) -> tuple[Run, Stream]:
    """Play the rounds after a start again; return their run, whose ledger has only them.

    The start is a run or the file of its model. The rounds must lead to the state of ``run``. They
    are read once and kept.
    """
    begin = start if isinstance(start, Run) else Run.load(start)
    rounds = run.learner.rounds - begin.learner.rounds  # a ledger may have begun later
    same = (run.ledger.learner, run.ledger.parameters) == (
        begin.ledger.learner,
        begin.ledger.parameters,
    )
    if not same or rounds <= 0:
        raise HypothesisError(
            f"certify: expected a run that went on from the start, got one of {run.ledger.learner} "
            f"with {run.learner.rounds} rounds, and a start of {begin.ledger.learner} with "
            f"{begin.learner.rounds}. Name the model that it was resumed from."
        )
    source, found = kept(stream_of(run, stream)), begin.continued()
    while found.ledger.rounds < rounds:
        before = found.ledger.rounds
        found.play(source)
        if found.ledger.rounds == before:
            break
    if found.ledger.rounds != rounds:
        raise other_rounds(f"{rounds} since the start", f"{found.ledger.rounds}")
    _check_end(run, found)
    return found, source


def _check_end(run: Run, found: Run) -> None:
    """Refuse rounds that lead from the start to another state."""
    played, replayed = run.learner.state(), found.learner.state()
    alike = played.keys() == replayed.keys()
    if not (alike and all(np.array_equal(played[name], replayed[name]) for name in played)):
        raise other_rounds("which lead from the start to the learner's state", "to another")
