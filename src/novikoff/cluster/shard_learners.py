"""Learners in shards: which there are, and what a cluster asks of them."""

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from novikoff.errors import HypothesisError, parameter
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.learner import Learner
from novikoff.types import Arrays, Label


@runtime_checkable
class ShardLearner(Protocol):
    """A learner whose shards start every epoch from the mean of their weights."""

    shards: tuple[int, ...]
    epochs: int

    def know_names(self, names: Sequence[str]) -> None:
        """Take the names of the features of all shards, before the first round."""
        ...

    def start_state(self) -> Arrays:
        """Return all that a shard needs to start."""
        ...

    def begin(self, start: Arrays) -> None:
        """Take the state in which a shard starts."""
        ...

    def end_state(self) -> Arrays:
        """Return what a shard has learned."""
        ...

    def take_epoch(self, ends: Iterable[Arrays], start: Arrays) -> None:
        """Take the states in which all shards ended that were played from ``start``, in order."""
        ...


@runtime_checkable
class Mixable(Protocol):
    """A learner whose shards' weights can be mixed, because a theorem covers it."""

    def with_shards(self, rows: Iterable[int], labels: Sequence[Label]) -> Learner:
        """Return a learner of shards with so many rows each, and these labels in all."""
        ...


def in_shards(learner: Learner, rows: Iterable[int], labels: Sequence[Label]) -> Learner:
    """Return a learner like this one, of shards; refuse others by name, with the reason."""
    return check_mixable(learner).with_shards(rows, labels)


def check_mixable(learner: Learner) -> Mixable:
    """Return the learner; refuse those that cannot be played in shards."""
    name = type(learner).__name__
    why = learner.unmixed if isinstance(learner, Learner) else "which is not this library's"
    if why or not isinstance(learner, Mixable):
        raise HypothesisError(
            f"shards: expected Perceptron, AveragedPerceptron, MulticlassPerceptron or "
            f"StructuredPerceptron of chains, for which parameter-mixing is proved, got {name}, "
            f"{why}. Play it on one machine."
        )
    if isinstance(learner, Learner) and learner.rounds:
        raise parameter("learner", "one that has learned nothing", learner, "Pass learner.fresh().")
    if transforms_of(learner) is not None:
        raise HypothesisError(
            f"shards: expected {name} without transforms, which would see other rows in every "
            "shard, got some. Transform the files first."
        )
    return learner


def sharded(learner: object) -> ShardLearner:
    """Return the learner, if it is one of shards."""
    if not isinstance(learner, ShardLearner):
        raise parameter("learner", "one of shards, as cluster.play makes it", learner)
    return learner
