"""What a structured perceptron needs from a structure."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from novikoff import _core
from novikoff.errors import HypothesisError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.streams import ExampleBlock
from novikoff.structures import Chains, Problem
from novikoff.types import AnyArray, IntArray

H = TypeVar("H", bound=Hypothesis)
W = TypeVar("W")

Outcomes = Sequence[object]
"""The outputs of examples, as their problem takes them."""


class Engine(ABC, Generic[H]):
    """Weights of one structure, the rounds played with them, and what they have learned."""

    problem: Chains | Problem
    averaged: bool

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds were played."""

    @property
    @abstractmethod
    def norm2(self) -> int:
        """‖w‖², a whole number."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many features have appeared."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The approximate memory in use."""

    @abstractmethod
    def play(
        self, block: ExampleBlock, y: Outcomes, start: int, stop: int, tally: _core.Tally
    ) -> int:
        """Play rounds [start, stop); return the first refused, or stop."""

    @abstractmethod
    def expect(self, block: ExampleBlock, y: Outcomes) -> int:
        """Make room for a block's outputs before predicting them; return how many are valid."""

    @abstractmethod
    def predict(self, x: object) -> object:
        """Return the best output by the current weights."""

    @abstractmethod
    def fault(self, x: object, y: object) -> str:
        """Say why a round is refused."""

    @abstractmethod
    def hypothesis(self, last: bool = False) -> H:
        """Return what has been learned: the average, or the last weights."""

    @abstractmethod
    def margins(self, h: H, X: list[object], y: list[object]) -> IntArray:
        """score(x, y) − max_{z ≠ y} score(x, z) in the whole numbers of h."""

    @abstractmethod
    def digest_bytes(self, block: ExampleBlock, y: Outcomes, start: int, stop: int) -> bytes:
        """Return the bytes of these rounds that the digest covers."""

    @abstractmethod
    def state(self) -> dict[str, AnyArray]:
        """Return all that changes, as plain arrays."""

    @abstractmethod
    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""


class Ruled:
    """Weights that a rule of the core keeps."""

    rule: _core.ChainRule | _core.TreeRule
    averaged: bool

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self.rule.rounds

    @property
    def norm2(self) -> int:
        """‖w‖², a whole number."""
        return self.rule.norm2

    def summed(self, last: bool) -> int:
        """How many rounds' weights a hypothesis adds up: all of them, or only the last."""
        return max(self.rounds, 1) if self.averaged and not last else 1


def frozen(weights: Callable[[bool], W], last: bool) -> W:
    """Return the weights of a hypothesis, if they are small enough to score with."""
    try:
        return weights(last)
    except OverflowError:
        raise HypothesisError(
            "hypothesis: expected weights whose sums 64 bits hold, got larger ones. Begin "
            "another run."
        ) from None
