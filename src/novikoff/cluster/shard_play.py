"""One shard of one epoch: played from the mixed weights, wherever it is."""

from dataclasses import dataclass

from novikoff.cluster.shard_learners import sharded
from novikoff.cluster.shard_sources import ShardSource
from novikoff.learners.learner import Learner, Parameters
from novikoff.playing.ledger_parts import tally_of
from novikoff.playing.run import Run
from novikoff.streams.labels.declared import Declared
from novikoff.types import Arrays, Label


@dataclass(frozen=True)
class ShardTask:
    """What a worker needs besides the start, which is the same for all shards."""

    source: ShardSource
    rows: int
    learner: str
    parameters: Parameters
    positive: Label | None
    declared: Declared
    known: tuple[Label, ...]
    """The labels of all shards, in the order in which they are numbered."""


@dataclass(frozen=True)
class ShardEnd:
    """What a shard did in an epoch."""

    state: Arrays
    tally: Arrays


def play_shard(task: ShardTask, start: Arrays) -> ShardEnd:
    """Play the rows of a shard once, from this start."""
    kind = Learner.kinds[task.learner]
    # One row more than there are, so that the epoch does not end here.
    learner = kind(**{**task.parameters, "shards": [task.rows + 1]})
    sharded(learner).begin(start)
    run = Run(learner, positive=task.positive, labels=task.declared)
    run.labels.encode(list(task.known))
    run.play(task.source.stream())
    return ShardEnd(sharded(learner).end_state(), tally_of(run.ledger).state())
