"""``play``: a learner in shards, whose weights are mixed after every epoch."""

import os
from contextlib import nullcontext

import numpy as np

from novikoff.cluster.blended_play import play_blended
from novikoff.cluster.commits import Commits
from novikoff.cluster.pools import Pool, pool_at
from novikoff.cluster.run_folders import locked
from novikoff.cluster.shard_learners import check_mixable, in_shards, sharded
from novikoff.cluster.shard_play import EpochStart, ShardEnd, play_shard
from novikoff.cluster.shard_sources import (
    ShardSource,
    as_whole,
    checked_count,
    divided,
)
from novikoff.cluster.surveys import Survey, merged, surveyed, surveyor
from novikoff.errors import InputError, parameter
from novikoff.interrupts import waiting
from novikoff.learners.learner import Learner
from novikoff.playing.ledger_parts import add_part
from novikoff.playing.progress import Progress, Report, as_progress
from novikoff.playing.run import Run
from novikoff.streams import Stream
from novikoff.types import Arrays, IntArray


def play(  # noqa: PLR0913 — one function for every cluster, each option by its name
    learner: Learner,
    data: object,
    *,
    shards: int,
    epochs: int = 1,
    address: str | None = None,
    workers: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: bool | Report | None = None,
    held_out: object = None,
) -> Run:
    """Play data in shards: each epoch every shard starts from the mean of their weights.

    ``data`` are paths or addresses (``s3://…``), a stream that can be read again, such as
    ``nv.read(…)`` or ``nv.stream(X, y)``, or a ``ray.data.Dataset``. Whole files go to shards in
    their order; with fewer files than shards, rows do. ``address`` is None for this process,
    "local" for Ray on this machine with so many ``workers``, or the address of a Ray cluster, whose
    machines must be able to read the files.

    What is learned depends on the data, the shards and the epochs alone: not on the workers, their
    speed, or which of them died. Each epoch is committed to ``folder`` whole or not at all; called
    again with the same folder, ``play`` goes on after the last epoch that was.

    ``Blend`` needs ``held_out``, the share of rows to keep back, their number, or other data: then
    every shard learns a model of its own, and the run is a mixture of them (``FrozenMixture``) over
    the rows kept back, in one epoch.

    The run has the ledger of all rounds: those of the first shard in the first epoch, then of the
    second, and so on. ``nv.bounds`` and ``nv.certify`` take it as any run (``parameter-mixing``).

    >>> import novikoff as nv, novikoff.cluster
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3)
    >>> run = nv.cluster.play(nv.Perceptron(), rounds, shards=3, epochs=2)
    >>> nv.cluster.mistakes_by_shard(run).tolist(), round(nv.bounds(run)[0].value, 6)
    ([[2, 2, 2], [0, 0, 0]], 6.0)
    """
    if not (type(epochs) is int and epochs >= 1):
        raise parameter("epochs", "a whole number of at least 1", epochs)
    if held_out is not None:
        return play_blended(learner, data, held_out, shards=shards, address=address,
                            workers=workers, folder=folder, progress=progress)  # fmt: skip
    check_mixable(learner)
    whole, count = as_whole(learner, data), checked_count(shards)
    commits = Commits(folder, learner, whole, count)
    alone = nullcontext() if commits.folder is None else locked(commits.folder)
    with alone, pool_at(address, workers) as pool, as_progress(progress) as report:
        sources = divided(whole, count)
        run = commits.last()
        if run is None:
            run = _begun(learner, whole, _surveyed(pool, learner, sources))
        run.stream = whole
        _play_epochs(run, whole, pool, sources, epochs, commits, report)
    return run


def mistakes_by_shard(run: Run) -> IntArray:
    """Return the mistakes of each shard in each epoch: one row for an epoch."""
    learner = sharded(run.learner)
    sizes = learner.shards
    ends = np.cumsum(np.tile(sizes, learner.epochs))
    before = np.searchsorted(run.ledger.mistake_rounds, ends, side="right")
    found: IntArray = np.diff(before, prepend=0).reshape(-1, len(sizes))
    return found


def _surveyed(pool: Pool, learner: Learner, sources: tuple[ShardSource, ...]) -> Survey:
    return merged(pool.map(surveyed, sources, surveyor(learner), lambda _: None))


def _begun(learner: Learner, whole: Stream, survey: Survey) -> Run:
    """Return a run that has played nothing, and knows the labels and the names of all shards."""
    found = in_shards(learner, survey.rows, survey.labels)
    run = Run(found, positive=whole.positive, labels=whole.declared)
    sharded(found).know_names(survey.names)
    run.labels.encode(list(survey.labels))
    if whole.closes:
        run.labels.close()
    run.ledger.labels = run.labels.every
    return run


def _play_epochs(
    run: Run,
    stream: Stream,
    pool: Pool,
    sources: tuple[ShardSource, ...],
    epochs: int,
    commits: Commits,
    report: Report | None,
) -> None:
    learner = sharded(run.learner)
    rows, name, parameters = sum(learner.shards), type(learner).__name__, run.learner.parameters
    labels = stream.positive, stream.declared, tuple(run.labels.known)
    try:
        while learner.epochs < epochs:
            state = learner.start_state()
            start = EpochStart(state, rows, name, parameters, *labels)
            # The sources are those that were surveyed, so that Ray has their rows already.
            ends = pool.map(play_shard, sources, start, _Heard(run, epochs, report))
            with waiting():  # an epoch is learned and committed, or it never happened
                _learn_epoch(run, state, ends)
                commits.commit(run)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(commits.stopped(learner.epochs)) from None


def _learn_epoch(run: Run, start: Arrays, ends: list[ShardEnd]) -> None:
    """Mix what the shards have learned, and add their ledgers in order."""
    learner = sharded(run.learner)
    _check_rows(learner.shards, ends)
    learner.take_epoch([end.state for end in ends], start)
    for end in ends:
        add_part(run.ledger, end.tally)
    run.ledger.passes = learner.epochs


def _check_rows(expected: tuple[int, ...], ends: list[ShardEnd]) -> None:
    """Refuse an epoch over other rows than the first one was about."""
    for k, (rows, end) in enumerate(zip(expected, ends, strict=True)):
        got = int(end.tally["counts"][0])
        if got != rows:
            raise InputError(
                f"shard {k + 1}: expected {rows:,} rows, as when this play began, got {got:,}. "
                "Play the data it was begun with, or play again in an empty folder."
            )


class _Heard:
    """Reports the rounds of an epoch as shards end."""

    def __init__(self, run: Run, epochs: int, report: Report | None) -> None:
        self.rounds, self.mistakes, self.report = run.ledger.rounds, run.mistakes, report
        self.total = epochs * sum(run.learner.shards)

    def __call__(self, end: ShardEnd) -> None:
        """Hear that a shard has ended."""
        self.rounds += int(end.tally["counts"][0])
        self.mistakes += len(end.tally["mistake_rounds"])
        if self.report is not None:
            self.report(Progress(self.rounds, self.mistakes, self.total))
