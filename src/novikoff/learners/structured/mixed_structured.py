"""The structured perceptron, played in shards of chains."""

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, parameter
from novikoff.learners.learner import Parameters, Slice
from novikoff.learners.linear.shard_turns import checked_shards, played_in_turns, rounds_before
from novikoff.learners.structured.chain import Chain, packed_texts, unpacked_texts
from novikoff.learners.structured.chain_engine import ChainEngine
from novikoff.learners.structured.engine import frozen
from novikoff.learners.structured.structured_perceptron import StructuredPerceptron
from novikoff.learners.structured.whole_means import WholeMeans, padded
from novikoff.streams import Block
from novikoff.structures import Chains
from novikoff.types import AnyArray, Arrays, FloatArray, IntArray

UNIT = 4096
"""Weights are whole numbers of 1/UNIT: fine enough to mix, coarse enough for scores in 32 bits."""


class MixedStructuredPerceptron(StructuredPerceptron):
    """w ← mean of the shards' w after an epoch, each a structured perceptron   (mcdonald2010).

    Played row by row it is the sequential form, as ``MixedPerceptron``. Sums of updates are whole
    numbers, and a mean is rounded once to the nearest multiple of 1/4096, so that every score stays
    exact. A shard knows all tags from its first sentence: ``Chains(tags=…)`` must name them.
    """

    family: ClassVar[str] = "structured-parameter-mixing"
    features: ChainEngine
    problem: Chains

    def __init__(self, shards: Iterable[int], problem: object, averaged: bool = True) -> None:
        super().__init__(problem, averaged)
        if not (isinstance(self.problem, Chains) and self.problem.tags is not None):
            raise parameter("problem", "Chains with tags, which all shards know", problem)
        self.shards = checked_shards(shards)
        """How many sentences each shard has."""
        self.features = ChainEngine(self.problem, averaged, UNIT)
        self.means = WholeMeans(len(self.shards))
        self.epochs = 0
        """How many epochs have ended."""
        self.start: IntArray = np.zeros(0, np.int64)
        """The weights that every shard of this epoch starts from: moves, then emissions."""
        self.sums: IntArray = np.zeros(0, np.int64)
        """Σ_t w_{t+1} over the rounds of all shards that have ended, if it is averaged."""

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"shards": [*self.shards], **super().parameters}

    def fresh(self) -> Self:
        """Return a learner of the same shards and problem that has seen nothing."""
        return type(self)(self.shards, self.problem, self.averaged)

    @property
    def unmixed(self) -> str:  # type: ignore[override]
        """Why it cannot be divided again."""
        return "which is in shards already"

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played, in all shards."""
        done = rounds_before(self.shards, self.epochs, self.means.ended)
        return done + self.features.rounds

    @property
    def weight_norm(self) -> float:
        """‖w‖."""
        return math.sqrt(self.features.norm2) / UNIT

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block, each in its shard; return the first refused, or the stop."""
        play = super().play_rows
        return played_in_turns(rows, lambda part: play(part, tally), self._left, self._turn)

    def learn_row(
        self, block: Block, code: object, tally: _core.Tally, weights: FloatArray | None
    ) -> object:
        """Play one round in the shard whose turn it is; return the prediction."""
        prediction = super().learn_row(block, code, tally, weights)
        self._turn()
        return prediction

    def _left(self) -> int:
        """Return how many rows the shard has left whose turn it is."""
        return self.shards[self.means.ended] - self.features.rounds

    def _turn(self) -> None:
        """Let the next shard begin, if this one has ended."""
        if not self._left():
            size = self.features.dimension
            self._end_shard(self.features.rule.state())
            self._put(self.start, size)

    def _end_shard(self, state: Arrays) -> None:
        """Take the state in which a shard has ended; after the last one, mix them."""
        if self.averaged:
            late = _flat(state, "delayed_").astype(np.int64)
            after = (int(state["counts"][0]) + 1) * _flat(state).astype(np.int64) - late
            self.sums = padded(self.sums, len(after)) + padded(after, len(self.sums))
        self.means.add(_flat(state))
        if self.means.ended == len(self.shards):
            self.start, self.epochs = self.means.mix(), self.epochs + 1

    def _put(self, weights: IntArray, features: int) -> None:
        """Begin a shard with these weights, and room for so many features."""
        moves, emissions = self._parts(weights, features)
        none = np.zeros(0, np.int64)
        # Σ_t w_{t+1} = (T + 1) w − u if w_1 counts as an update of the first round.
        late = (moves, emissions) if self.averaged else (none, none)
        counts = np.array([0, self._tags, features], np.int64)
        self.features.rule.restore(
            counts, moves.astype(np.int32), emissions.astype(np.int32), *late
        )

    @property
    def _tags(self) -> int:
        return len(self.problem.tags or ())

    def _parts(self, weights: IntArray, features: int) -> tuple[IntArray, IntArray]:
        """Return the weights of moves and of emissions."""
        cut = (self._tags + 1) * self._tags
        whole = padded(weights, cut + features * self._tags)
        return np.ascontiguousarray(whole[:cut]), np.ascontiguousarray(whole[cut:])

    def know_names(self, names: Sequence[str]) -> None:
        """Take the names of the features of all shards, before the first round."""
        self.features.names.add_features([*names])

    def start_state(self) -> Arrays:
        """Return all that a shard needs to start: the weights, and the names of features."""
        names = packed_texts(self.features.names.feature_names())
        return {"start": self.start, **names}

    def begin(self, start: Arrays) -> None:
        """Take the state in which a shard starts."""
        engine = ChainEngine(self.problem, self.averaged, UNIT)
        engine.names.add_features(unpacked_texts(start))
        self.features = engine
        self._put(start["start"], engine.names.features)

    def end_state(self) -> Arrays:
        """Return what a shard has learned."""
        return self.features.rule.state()

    def take_epoch(self, ends: Iterable[Arrays], start: Arrays) -> None:
        """Take the states in which all shards ended that were played from ``start``, in order."""
        for state in ends:
            self._end_shard(state)
        self.begin({**start, "start": self.start})

    def hypothesis(self, last: bool = False) -> Chain:
        """Return the average of the weights, or the last ones if it is not averaged."""
        rule, features = self.features.rule, self.features.dimension
        whole, rounds = frozen(rule.hypothesis, last), 1
        if self.averaged and not last:
            total = np.concatenate([whole.moves, whole.emissions])
            total = padded(self.sums, len(total)) + total
            rounds = max(self.rounds, 1)
            try:
                whole = _core.ChainWeights(self._tags, features, *self._parts(total, features))
            except OverflowError:
                raise HypothesisError(
                    "hypothesis: expected sums of weights that 44 bits hold, got larger ones. "
                    "Play fewer epochs."
                ) from None
        return Chain(self.problem, self.features.names, whole, rounds * UNIT)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return {
            **super().state(),
            "mixing_epochs": np.array([self.epochs], np.int64),
            "mixing_start": self.start,
            "mixing_sums": self.sums,
            **self.means.state(),
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        super().restore(state)
        (epochs,) = state["mixing_epochs"].tolist()
        self.means.restore(state)
        if not (0 <= epochs < 2**40 and self.features.rounds < self.shards[self.means.ended]):
            raise ValueError("the shards of an epoch")
        self.epochs = epochs
        self.start, self.sums = state["mixing_start"].copy(), state["mixing_sums"].copy()
        self._check_sizes()

    def _check_sizes(self) -> None:
        """Refuse a state with more weights than names, or with weights beyond 32 bits."""
        most = (self._tags + 1 + self.features.dimension) * self._tags
        means, limit = self.means, 2**31 - 1
        for weights, count in ((self.start, 1), (means.total, means.ended)):
            sound = len(weights) <= most and (np.abs(weights) <= count * limit).all()
            if not sound or (weights == np.iinfo(np.int64).min).any():
                raise ValueError("weights within 32 bits, one for each name")
        if max(len(self.sums), len(means.moved)) > most:
            raise ValueError("a sum for each weight")


def _flat(state: Arrays, prefix: str = "") -> AnyArray:
    return np.concatenate([state[f"{prefix}moves"], state[f"{prefix}emissions"]])
