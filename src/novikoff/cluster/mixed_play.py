"""``play``: a learner in shards, whose weights are mixed after every epoch."""

import os
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import numpy as np

from novikoff.cluster.commits import Commits
from novikoff.cluster.pools import Pool, pool_at
from novikoff.cluster.shard_play import ShardEnd, ShardTask, play_shard
from novikoff.cluster.shard_sources import (
    ShardSource,
    as_whole,
    checked_count,
    divided,
)
from novikoff.cluster.surveys import Survey, merged, surveyed
from novikoff.errors import HypothesisError, parameter
from novikoff.interrupts import waiting
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.learner import Learner
from novikoff.learners.linear.mixing import MixingLearner
from novikoff.playing.ledger_parts import add_part
from novikoff.playing.progress import Progress, Report, as_progress
from novikoff.playing.run import Run
from novikoff.streams import Stream
from novikoff.streams.blocks.named import names_state, new_features
from novikoff.types import Arrays, IntArray


@runtime_checkable
class Mixable(Protocol):
    """A learner whose shards' weights can be mixed, because a theorem covers it."""

    def in_shards(self, rows: Iterable[int], classes: int) -> MixingLearner:
        """Return a learner of shards with so many rows each, and so many classes in all."""
        ...


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
) -> "Run[MixingLearner]":
    """Play data in shards: each epoch every shard starts from the mean of their weights.

    ``data`` are paths, or a stream that can be read again, such as ``nv.read(…)`` or
    ``nv.stream(X, y)``. Whole files go to shards in their order; with fewer files than shards, rows
    do. ``address`` is None for this process, "local" for Ray on this machine with so many
    ``workers``, or the address of a Ray cluster, whose machines must be able to read the files.

    What is learned depends on the data, the shards and the epochs alone: not on the workers, their
    speed, or which of them died. Each epoch is committed to ``folder`` whole or not at all; called
    again with the same folder, ``play`` goes on after the last epoch that was.

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
    mixable = checked_mixable(learner)
    whole, count = as_whole(data), checked_count(shards)
    commits = Commits(folder, learner, whole, count)
    with pool_at(address, workers) as pool, as_progress(progress) as report:
        sources = divided(whole, count)
        run = commits.last()
        if run is None:
            run = _begun(mixable, whole, _surveyed(pool, learner, sources))
        run.stream = whole
        _play_epochs(run, pool, sources, epochs, commits, report)
    return run


def mistakes_by_shard(run: Run) -> IntArray:
    """Return the mistakes of each shard in each epoch: one row for an epoch."""
    sizes = run.learner.shards
    ends = np.cumsum(np.tile(sizes, run.learner.epochs))
    before = np.searchsorted(run.ledger.mistake_rounds, ends, side="right")
    found: IntArray = np.diff(before, prepend=0).reshape(-1, len(sizes))
    return found


def checked_mixable(learner: Learner) -> Mixable:
    """Return a learner that can be played in shards; refuse others by name, with the reason."""
    name = type(learner).__name__
    if not isinstance(learner, Mixable):
        why = learner.unmixed if isinstance(learner, Learner) else "which is not this library's"
        raise HypothesisError(
            f"shards: expected Perceptron, AveragedPerceptron or MulticlassPerceptron, for which "
            f"parameter-mixing is proved, got {name}, {why}. Play it on one machine."
        )
    if isinstance(learner, Learner) and learner.rounds:
        raise parameter("learner", "one that has learned nothing", learner, "Pass learner.fresh().")
    if transforms_of(learner) is not None:
        raise HypothesisError(
            f"shards: expected {name} without transforms, which would see other rows in every "
            "shard, got some. Transform the files first."
        )
    return learner


def _surveyed(pool: Pool, learner: Learner, sources: tuple[ShardSource, ...]) -> Survey:
    hashing = learner.parameters.get("hashing")
    return merged(pool.map(surveyed, sources, hashing, lambda _: None))


def _begun(mixable: Mixable, whole: Stream, survey: Survey) -> "Run[MixingLearner]":
    """Return a run that has played nothing, and knows the labels and the names of all shards."""
    learner = mixable.in_shards(survey.rows, len(survey.labels))
    run = Run(learner, positive=whole.positive, labels=whole.declared)
    if survey.names:
        features = new_features(None)
        features.restore(list(survey.names))
        form = {"width": np.array([-1], np.int64), "named": np.array([1], np.int64)}
        names = names_state(features, len(features))
        learner.begin({**learner.started(), **form, **names})
    run.labels.encode(list(survey.labels))
    if whole.closes:
        run.labels.close()
    run.ledger.labels = run.labels.every
    return run


def _play_epochs(
    run: "Run[MixingLearner]",
    pool: Pool,
    sources: tuple[ShardSource, ...],
    epochs: int,
    commits: Commits,
    report: Report | None,
) -> None:
    learner, stream = run.learner, run.stream
    assert stream is not None
    parameters = learner.parameters
    tasks = [
        ShardTask(source, rows, type(learner).__name__, parameters, stream.positive,
                  stream.declared, tuple(run.labels.known))
        for source, rows in zip(sources, learner.shards, strict=True)
    ]  # fmt: skip
    while learner.epochs < epochs:
        start: Arrays = {**learner.started(), **learner.form_state()}
        try:
            ends = pool.map(play_shard, tasks, start, _Heard(run, epochs, report))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(commits.stopped(learner.epochs)) from None
        with waiting():  # an epoch is learned and committed, or it never happened
            _learn_epoch(run, start, ends)
            commits.commit(run)


def _learn_epoch(run: "Run[MixingLearner]", start: Arrays, ends: list[ShardEnd]) -> None:
    """Mix what the shards have learned, and add their ledgers in order."""
    run.learner.take_epoch([end.state for end in ends], {**start, **ends[-1].form})
    for end in ends:
        add_part(run.ledger, end.tally)
    run.ledger.passes = run.learner.epochs


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
