"""Commits: after every epoch the whole run, in a folder, from which a play goes on."""

import os

from novikoff.cluster.plans import begin_or_go_on
from novikoff.learners.learner import Learner
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.saving.versions import SHARDS
from novikoff.streams import FileStream, Stream
from novikoff.streams.files.addresses import is_address
from novikoff.streams.files.opening import size_of

_RUN, _PLAN = "epoch.model", "plan.json"


class Commits:
    """The last epoch that has ended, and what was to be played; nothing without a folder.

    A file replaces another when it is whole. Whoever dies before leaves the last epoch as it was.
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None, learner: Learner, whole: Stream, shards: int
    ) -> None:
        self.folder = None if folder is None else os.fspath(folder)
        self.plan = _plan(learner, whole, shards)

    def last(self) -> Run | None:
        """Return the run after the last epoch that was committed; None if there is none."""
        if self.folder is None:
            return None
        os.makedirs(self.folder, exist_ok=True)
        plan, path = os.path.join(self.folder, _PLAN), os.path.join(self.folder, _RUN)
        begin_or_go_on(plan, SHARDS, self.plan)
        return Run.load(path) if os.path.exists(path) else None

    def stopped(self, epochs: int) -> str:
        """Say what is left after Ctrl-C."""
        after = f"after {counted(epochs, 'epoch')}"
        if self.folder is None:
            return f"{after}; nothing is kept without a folder."
        return f"{after}; go on with the same folder, {self.folder}."

    def commit(self, run: Run) -> None:
        """Keep the run as it is after an epoch."""
        if self.folder is not None:
            run.save(os.path.join(self.folder, _RUN))


def _plan(learner: Learner, whole: Stream, shards: int) -> dict[str, object]:
    """Return what must not change from one play to the next."""
    found: dict[str, object] = {"learner": type(learner).__name__, "shards": shards}
    found["parameters"] = learner.parameters
    found["positive"] = whole.positive
    if isinstance(whole, FileStream):
        found["files"] = [[_place(file), size_of(file)] for file in whole.files]
        found["read as"] = whole.format
    else:
        found["rounds"] = whole.rounds
    return found


def _place(file: str) -> str:
    """Return the name of a file from anywhere on this machine."""
    return file if is_address(file) and not os.path.exists(file) else os.path.abspath(file)
