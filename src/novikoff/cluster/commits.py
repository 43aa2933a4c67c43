"""Commits: after every epoch the whole run, in a folder, from which a play goes on."""

import os

from novikoff.cluster.epoch_checks import check_epoch
from novikoff.cluster.model_seals import ModelSeals
from novikoff.cluster.plan_rounds import plan_rounds
from novikoff.cluster.plans import SEALED, begin_or_go_on
from novikoff.learners.learner import Learner
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.saving.versions import SHARDS
from novikoff.streams import Stream

_RUN, _PLAN = "epoch.model", "plan.json"


class Commits:
    """The last epoch that has ended, and what was to be played; nothing without a folder.

    A file replaces another when it is whole. Whoever dies before leaves the last epoch as it was.
    """

    _seals: ModelSeals | None = None

    def __init__(
        self, folder: str | os.PathLike[str] | None, learner: Learner, whole: Stream, shards: int
    ) -> None:
        self.folder = None if folder is None else os.fspath(folder)
        self.learner, self.whole, self.shards = learner, whole, shards

    def last(self) -> Run | None:
        """Return the run after the last epoch that was committed; None if there is none."""
        if self.folder is None:
            return None
        os.makedirs(self.folder, exist_ok=True)
        plan, path = os.path.join(self.folder, _PLAN), os.path.join(self.folder, _RUN)
        begun = begin_or_go_on(plan, SHARDS, _plan(self.learner, self.whole, self.shards))
        self._seals = ModelSeals(self.folder, begun)
        if not os.path.exists(path):
            return None
        run = Run.load(path)
        check_epoch(run, path, self.learner, self.whole, self.shards)
        self._seals.check(path)
        return run

    def stopped(self, epochs: int) -> str:
        """Say what is left after Ctrl-C."""
        after = f"after {counted(epochs, 'epoch')}"
        if self.folder is None:
            return f"{after}; nothing is kept without a folder."
        return f"{after}; go on with the same folder, {self.folder}."

    def commit(self, run: Run) -> None:
        """Keep the run as it is after an epoch."""
        if self.folder is not None and self._seals is not None:
            self._seals.save(os.path.join(self.folder, _RUN), run.save)


def _plan(learner: Learner, whole: Stream, shards: int) -> dict[str, object]:
    """Return what must not change from one play to the next."""
    found: dict[str, object] = {SEALED: True, "learner": type(learner).__name__, "shards": shards}
    found["parameters"] = learner.parameters
    found["positive"], found["labels"] = whole.positive, whole.declared
    return found | plan_rounds(whole)
