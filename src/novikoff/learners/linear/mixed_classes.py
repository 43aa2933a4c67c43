"""The perceptron with many classes, played in shards."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners.learner import Parameters, Slice, many_labels
from novikoff.learners.linear.mixing import FRONT, MixingLearner, summed
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.streams import Block, Hashing, LabelMap
from novikoff.streams.labels.declared import Declared
from novikoff.types import Arrays, FloatArray, Label

_MOST = 1 << 20


class MixedMulticlassPerceptron(MixingLearner):
    """w ← mean of the shards' w after an epoch, each a multiclass perceptron   (mcdonald2010).

    A shard knows all ``classes`` from its first row: those that it has not met have weights of 0,
    and a tie goes to the lowest number, in the order in which classes appear in all shards.
    """

    family: ClassVar[str] = "multiclass-parameter-mixing"
    core: _core.Multiclass | _core.AveragedClasses
    multiclass: ClassVar[bool] = True
    arrays_at_times: ClassVar[frozenset[str]] = frozenset(
        f"listed_{part}" for part in ("dimension", "ends", "features", "weights")
    )

    def __init__(
        self,
        shards: Iterable[int],
        classes: int,
        bias: float | None = None,
        hashing: Hashing | None = None,
        averaged: bool = False,
    ) -> None:
        super().__init__(shards, bias, hashing, averaged)
        if type(classes) is bool or not (
            isinstance(classes, (int, np.integer)) and 1 <= classes <= _MOST
        ):
            raise parameter("classes", f"a whole number from 1 to {_MOST}", classes)
        self.classes = int(classes)
        """How many classes there are in all shards."""
        self.core = self._rule()(self.bias or 0.0)
        self.core.restore(self.untouched())

    def _rule(self) -> type:
        return _core.AveragedClasses if self.averaged else _core.Multiclass

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"classes": self.classes, **super().parameters}

    def label_map(self, positive: Label | None, labels: Declared) -> LabelMap:
        """Return the map from the user's labels to classes, numbered as they appear."""
        return (
            super().label_map(positive, labels) if self.rounds else many_labels(positive, labels, 0)
        )

    def checked_label(self, y: int) -> int:
        """Return y if it is one of the classes."""
        self._check_class(y)
        return int(y)

    def _check_class(self, y: int) -> None:
        if not 0 <= y < self.classes:
            raise InputError(
                f"y: expected one of {self.classes} classes, got another, number {y}. Say how "
                "many there are in all shards."
            )

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; refuse a class beyond those that are known."""
        self._check_class(int(np.max(rows.codes[rows.start : rows.stop], initial=0)))
        return super().play_rows(rows, tally)

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play one round; refuse a class beyond those that are known."""
        self._check_class(code)
        return super().learn_row(block, code, tally, weights)

    def untouched(self) -> Arrays:
        """Return the state of the core before its first round: it knows all classes."""
        found: Arrays = self._rule()(self.bias or 0.0).state()
        stride = int(found["counts"][1])
        while stride < self.classes:
            stride *= 2
        empty = np.zeros(FRONT * stride)
        found |= {"classes": np.array([self.classes]), "counts": np.array([0, stride])}
        found |= {"weights": empty} | ({"moments": empty} if self.averaged else {})
        return found

    def end_shard(self, state: Arrays) -> None:
        """Take the state in which a shard has ended, with its weights side by side."""
        super().end_shard(_side_by_side(state) if "listed_ends" in state else state)

    def hypothesis(self) -> Multiclass:
        """Return the weights of each class, or their means."""
        self.require_finite()
        bias_weights, weights = self.core.weights()
        if self.averaged:
            bias_weights, weights = self._average()
        return Multiclass(weights, self.bias, bias_weights, features=self.known_features)

    def _average(self) -> tuple[FloatArray, FloatArray]:
        """Return the mean of the weights after each round."""
        state = self.core.state()
        mean = summed(self.sums, state) / max(self.rounds, 1)
        if not np.isfinite(mean).all():
            raise HypothesisError(
                "average: expected sums within the range of float64, got larger ones. "
                "Rescale the features."
            )
        table = mean.reshape(-1, int(state["counts"][1]))[:, : self.classes]
        return table[FRONT - 1].copy(), table[FRONT:].copy()


def _side_by_side(state: Arrays) -> Arrays:
    """Return a state whose few weights were listed, class by class, with all weights."""
    stride, ends = int(state["counts"][1]), state["listed_ends"]
    columns = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    places = (state["listed_features"] + FRONT) * stride + columns
    weights = np.zeros((int(state["listed_dimension"][0]) + FRONT) * stride)
    weights[places] = state["listed_weights"]
    return {**state, "weights": weights, "remainder_slots": places[state["remainder_slots"]]}
