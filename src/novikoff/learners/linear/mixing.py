"""What learners that mix their shards' weights share: whose turn it is, and the mean."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from novikoff import _core
from novikoff.errors import parameter
from novikoff.learners.learner import Parameters, Slice
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.ordered_sums import sums
from novikoff.learners.linear.shard_means import Ended, Mean, mean_of
from novikoff.learners.linear.shard_turns import checked_shards, played_in_turns, rounds_before
from novikoff.streams import Block, Hashing
from novikoff.streams.blocks.named import names_state, new_features
from novikoff.types import AnyArray, Arrays, FloatArray

FRONT = 8
"""Places of the core's weights before those of the features; the last is the constant's."""
Heard = Callable[[Sequence[Ended], Mean], None]
"""Hears the weights in which the shards of an epoch ended, and their rounded mean."""
_LEAST = 2.0**-1021  # below this the spacing of floats no longer shrinks


class MixingLearner(CoreLearner):
    """Shards that start every epoch from the mean of their weights   (mcdonald2010, Fig. 3).

    Played row by row it is the sequential form: the first rows are the first shard's, then come
    those of the second, and after the last shard an epoch ends. A cluster plays the shards of an
    epoch side by side, and ends with the same bits.

    A subclass has a rule in the core, which plays the shard whose turn it is.
    """

    quick = False
    takes_weights = False
    conservative = False

    def __init__(
        self, shards: Iterable[int], bias: float | None, hashing: Hashing | None, averaged: bool
    ) -> None:
        super().__init__(bias, hashing)
        self.shards = checked_shards(shards)
        """How many rows each shard has."""
        if not isinstance(averaged, bool):
            raise parameter("averaged", "True or False", averaged)
        self.averaged = averaged
        self.epochs = 0
        """How many epochs have ended."""
        self.start: FloatArray = np.zeros(0)
        """The weights that every shard of this epoch starts from, in the places of the core."""
        self.ends: list[Ended] = []
        """The weights of the shards that have ended, in this epoch."""
        self.sums: FloatArray = np.zeros(0)
        """Σ_t w_{t+1} over the rounds of all shards that have ended, if it is averaged."""
        self.sizes: FloatArray = np.zeros(0)
        """The sum of |mean| over the epochs in which it was rounded, for each weight."""
        self.squares = 0.0
        """The sum of mean² over these."""
        self.heard: Heard | None = None
        """What hears of every mean, if somebody does."""

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"shards": [*self.shards], **self.named_parameters, "averaged": self.averaged}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played, in all shards."""
        done = rounds_before(self.shards, self.epochs, len(self.ends))
        return done + int(self.core.rounds)

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block, each in its shard; return the first refused, or the stop."""
        play = super().play_rows
        return played_in_turns(rows, lambda part: play(part, tally), self._left, self._turn)

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play one round in the shard whose turn it is; return the prediction."""
        prediction = super().learn_row(block, code, tally, weights)
        self._turn()
        return prediction

    def _left(self) -> int:
        """Return how many rows the shard has left whose turn it is."""
        return self.shards[len(self.ends)] - int(self.core.rounds)

    def _turn(self) -> None:
        """Let the next shard begin, if this one has ended."""
        if not self._left():
            dimension = self.dimension
            self.end_shard(self.core.state())
            self.core.restore(self.started())
            self.core.grow(dimension)

    def end_shard(self, state: Arrays) -> None:
        """Take the state in which a shard has ended; after the last one, mix them."""
        self.ends.append(
            Ended(state["weights"], state["remainder_slots"], state["remainder_parts"])
        )
        if self.averaged:
            self.sums = summed(self.sums, state)
        if len(self.ends) == len(self.shards):
            self._mix()

    def _mix(self) -> None:
        mean = mean_of(self.ends)
        if self.heard is not None:
            self.heard(self.ends, mean)
        size = np.abs(mean.weights)
        np.maximum(size, _LEAST, out=size)
        size *= mean.rounded
        self.squares += _square(size)
        self.sizes, size = _padded(self.sizes, len(size)), _padded(size, len(self.sizes))
        with np.errstate(over="ignore"):  # the bound then refuses
            self.sizes = np.add(self.sizes, size, out=size)
        self.start, self.ends, self.epochs = mean.weights, [], self.epochs + 1

    def started(self) -> Arrays:
        """Return the state in which a shard starts: the mean, and no round played."""
        found = self.untouched()
        if len(self.start):
            # Σ_t w_{t+1} = (T + 1) w − u if w_1 counts as an update of the first round.
            found["weights"] = self.start
            found["energy"] = np.array([1.02 * 1.02 * _square(self.start)])
            if self.averaged:
                found["moments"] = self.start
        return found

    def begin(self, start: Arrays) -> None:
        """Take the state in which a shard starts, with the names of all features."""
        self.core.restore({name: start[name] for name in self.untouched()})
        self.restore_form(start)
        if self.named:
            self.core.grow(len(self.features))

    def know_names(self, names: Sequence[str]) -> None:
        """Take the names of the features of all shards, before the first round."""
        if names:
            features = new_features(None)
            features.restore([*names])
            form = {"width": np.array([-1], np.int64), "named": np.array([1], np.int64)}
            self.begin({**self.started(), **form, **names_state(features, len(features))})

    def start_state(self) -> Arrays:
        """Return all that a shard needs to start: the weights, and the form of its rows."""
        return {**self.started(), **self.form_state()}

    def end_state(self) -> Arrays:
        """Return what a shard has learned, and the form of its rows without names."""
        form = {name: array for name, array in self.form_state().items() if "name_" not in name}
        return {**self.core.state(), **form}

    def take_epoch(self, ends: Iterable[Arrays], start: Arrays) -> None:
        """Take the states in which all shards ended that were played from ``start``, in order."""
        states = [*ends]
        dimension = max(len(state["weights"]) for state in states)
        for state in states:
            self.end_shard(state)
        own = self.untouched().keys()
        form = {name: array for name, array in {**start, **states[-1]}.items() if name not in own}
        self.begin({**self.started(), **form})
        stride = int(self.untouched()["counts"][1])
        self.core.grow(dimension // stride - FRONT)

    def rounded_sizes(self) -> tuple[FloatArray, FloatArray]:
        """Return ``sizes`` by feature (and class), and those of the constant feature."""
        stride = int(self.core.state()["counts"][1])
        found = _padded(self.sizes, FRONT * stride).reshape(-1, stride)
        return found[FRONT:], found[FRONT - 1]

    def untouched(self) -> Arrays:
        """Return the state of the core before its first round."""
        raise NotImplementedError

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        ended = [*self.ends]  # once: a thread that plays may end a shard meanwhile
        size = max([len(end.weights) for end in ended], default=0)
        ends = [_padded(end.weights, size) for end in ended]
        slots = [end.slots + k * size for k, end in enumerate(ended)]
        none = np.zeros(0)
        return {
            **super().state(),
            "mixing_epochs": np.array([self.epochs], np.int64),
            "mixing_start": self.start,
            "mixing_ends": np.array(ends).reshape(len(ends), size),
            "mixing_slots": np.concatenate([none.astype(np.int64), *slots]),
            "mixing_parts": np.concatenate([none, *(end.parts for end in ended)]),
            "mixing_sums": self.sums,
            "mixing_sizes": self.sizes,
            "mixing_squares": np.array([self.squares]),
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        super().restore(state)
        (epochs,), (squares,) = state["mixing_epochs"].tolist(), state["mixing_squares"].tolist()
        ends, slots, parts = (state[f"mixing_{name}"] for name in ("ends", "slots", "parts"))
        count, size = ends.shape
        sound = 0 <= epochs < 2**40 and squares >= 0 and count < len(self.shards)
        sound = sound and len(slots) == len(parts) and (np.diff(slots // max(size, 1)) >= 0).all()
        if not sound or self.core.rounds >= self.shards[count] or not _within(slots, ends.size):
            raise ValueError("the shards of an epoch")
        owners = slots // max(size, 1)
        self.ends = [
            Ended(ends[k].copy(), slots[owners == k] - k * size, parts[owners == k])
            for k in range(count)
        ]
        self.epochs, self.squares = epochs, squares
        self.start, self.sums = state["mixing_start"].copy(), state["mixing_sums"].copy()
        self.sizes = state["mixing_sizes"].copy()


def summed(before: FloatArray, state: Arrays) -> FloatArray:
    """Add Σ_t w_{t+1} of a shard, (T + 1) w − u, in plain floats, which may overflow."""
    count = int(state["counts"][0])
    with np.errstate(over="ignore", invalid="ignore"):
        after: FloatArray = (count + 1) * state["weights"] - state["moments"]
        return _padded(before, len(after)) + after


def _square(w: FloatArray) -> float:
    """Return ‖w‖² in floats, infinite if it is too large for one."""
    largest = max(float(w.max(initial=0.0)), -float(w.min(initial=0.0)))
    if largest == 0:
        return 0.0
    if 1e-100 < largest < 1e100:  # nothing overflows, and what is lost is tiny beside the largest
        return float(sums(w * w))
    scaled = w / largest
    norm = largest * float(np.sqrt(sums(scaled * scaled)))
    return norm * norm


def _within(slots: AnyArray, size: int) -> bool:
    return bool(((slots >= 0) & (slots < size)).all())


def _padded(array: FloatArray, size: int) -> FloatArray:
    """Return an array of at least this size, with zeros at its end."""
    if len(array) >= size:
        return array
    found = np.zeros(size)
    found[: len(array)] = array
    return found
