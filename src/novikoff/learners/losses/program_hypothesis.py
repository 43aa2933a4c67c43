"""What a float program of one score has learned: its state, frozen."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from novikoff import _core
from novikoff.errors import parameter
from novikoff.learners.hypothesis import (
    Feature,
    State,
    all_rows,
    by_size,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.learners.protocols import NativeScores
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of, number_of
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label


class Program(NamedTuple):
    """A program in the core, and the names of the numbers that it is given besides the bias."""

    rule: Callable[..., NativeScores]
    constants: tuple[str, ...] = ()


PROGRAMS = {
    "arow/1": Program(_core.Arow),
    "base-rate/1": Program(_core.BaseRate, ("keep",)),
    "coin-betting/1": Program(_core.CoinBetting),
    "normalized-gradient/1": Program(_core.NormalizedGradient, ("rate",)),
    "online-newton/1": Program(_core.OnlineNewton),
}


class ProgramHypothesis(RowHypothesis):
    """What a learner for the logistic loss has learned, frozen: gives probabilities.

    h(x) = +1 if P(+1 | x) = 1/(1 + e^{−s}) is at least ½, and −1 otherwise.

    The score s is that of the learner, bit for bit, with its state frozen (docs/programs.md).
    ``program`` is its name and version, ``constants`` are the numbers it was given, and ``state``
    is that of the learner.
    """

    def __init__(
        self,
        program: str,
        constants: Mapping[str, float],
        state: Mapping[str, AnyArray],
        bias: float | None = None,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        if program not in PROGRAMS:
            raise parameter("program", f"one of {', '.join(PROGRAMS)}", program)
        self.program = program
        self.constants = {name: float(constants[name]) for name in PROGRAMS[program].constants}
        self.bias = None if bias is None else finite_number("bias", bias)
        self.labels = checked_labels(labels, 2)
        self.features = features
        self._rule = PROGRAMS[program].rule(self.bias or 0.0, *self.constants.values())
        self.state = {name: state[name] for name in self._rule.state()}
        self._rule.restore(self.state)

    def __repr__(self) -> str:
        return f"ProgramHypothesis({self.program!r}, {self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features."""
        return int(self._rule.dimension)

    @cached_property
    def w(self) -> FloatArray:
        """The weight of every feature, made when it is first asked for: there may be many."""
        return finite("w", self._rule.halfspace()[1], 1)

    @cached_property
    def bias_weight(self) -> float:
        """The weight of the constant feature."""
        return float(self._rule.halfspace()[0])

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        return _core.program_probabilities(self.scores(X))

    def weights(self) -> dict[Feature, float]:
        """Return {feature: weight} of the weights that are not 0.

        A feature is its name, or its number if features are numbered or hashed. The constant
        feature's weight is ``bias_weight``.
        """
        names = self._feature_names()
        return {names[j]: float(self.w[j]) for j in np.flatnonzero(self.w)}

    def top(self, count: int = 20) -> list[tuple[Feature, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, (that of −1, that of +1)."""
        own = self.program, self.constants, self.state
        return type(self)(*own, self.bias, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return np.where(self._native_scores(block) >= 0, np.int8(1), np.int8(-1))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        found: FloatArray = all_rows(block, self._rule.scores(block.native))
        return found

    def _state(self) -> State:
        return {"bias": self.bias, "program": self.program, **self.constants}, self.state

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        program = metadata["program"]
        if not (isinstance(program, str) and program in PROGRAMS):
            raise ValueError("a program of this version")
        constants = {name: number_of(metadata, name) for name in PROGRAMS[program].constants}
        return cls(program, constants, arrays, bias_of(metadata), labels)
