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
class EpochStart:
    """What a worker needs besides the rows of its shard: the same for all shards of an epoch."""

    state: Arrays
    """The weights to start from, and the form of rows."""
    rows: int
    """How many rows all shards have."""
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


def play_shard(source: ShardSource, start: EpochStart) -> ShardEnd:
    """Play the rows of a shard once, from this start."""
    kind = Learner.kinds[start.learner]
    # More rows than there are, so that the epoch does not end here.
    learner = kind(**{**start.parameters, "shards": [start.rows + 1]})
    sharded(learner).begin(start.state)
    run = Run(learner, positive=start.positive, labels=start.declared)
    run.labels.encode(list(start.known))
    run.play(source.stream())
    return ShardEnd(sharded(learner).end_state(), tally_of(run.ledger).state())
