"""What learners with experts and learners with arms share: regret is their measure."""

import math
from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar, Protocol, Self, TypeGuard

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.lazy_names import Kinds
from novikoff.learners.experts.round_players import LossRounds, RoundPlayer
from novikoff.learners.learner import Parameters, Saved
from novikoff.streams.environments import Environment, Replay
from novikoff.types import AnyArray, FloatArray

Span = tuple[float, float]


class RegretRule(Protocol):
    """A rule of the core with experts or arms."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        ...

    @property
    def size(self) -> int:
        """How many experts or arms there are."""
        ...


class LossRule(RegretRule, Protocol):
    """A rule that plays losses, from a matrix or drawn."""

    def play(self, losses: Any, start: int, stop: int, tally: _core.RegretTally) -> int:
        """Play rounds [start, stop); return the first one refused, or stop."""
        ...


class RegretLearner(Saved):
    """The base of learners that choose an expert or an arm, and are compared with the best one.

    Losses are in [0, 1], or in ``span`` (low, high), which is rescaled to [0, 1]: all sums are in
    units of the span. With ``rewards`` the numbers are rewards r, and the loss is 1 − r. Numbers
    outside the range are refused. Draws are a function of (seed, round).
    """

    kinds: ClassVar[Kinds["RegretLearner"]] = Kinds("novikoff.learners")
    core: RegretRule
    full_information: ClassVar[bool] = True
    """Whether the learner sees all losses, not only that of the one it drew."""
    delayed: bool = False
    """Whether a loss came after a later draw; no theorem covers that."""

    def __init__(self, seed: int, span: Span, rewards: bool) -> None:
        if not is_whole(seed, 0, 2**64):
            raise parameter("seed", "a whole number from 0 to 2^64 − 1", seed)
        try:
            low, high = (float(end) for end in span)
        except (TypeError, ValueError, OverflowError):
            raise parameter("span", "a pair (low, high)", span) from None
        if not (low < high and math.isfinite(high - low)):
            raise parameter("span", "two finite numbers, the lower one first", span)
        if not isinstance(rewards, bool):
            raise parameter("rewards", "True or False", rewards)
        self.seed: int = int(seed)
        self.span: Span = (low, high)
        self.rewards = rewards
        self.joined = 0
        """How many joined after the first round."""

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return int(self.core.rounds)

    @property
    def size(self) -> int:
        """How many experts or arms there are."""
        return int(self.core.size)

    @property
    def last_round(self) -> int | None:
        """The last round that its theorem covers; None if the theorem holds at every round."""
        return None

    @property
    def common_parameters(self) -> Parameters:
        """The arguments that all of these learners take, as plain data."""
        return {"seed": self.seed, "span": list(self.span), "rewards": self.rewards}

    @abstractmethod
    def probabilities(self) -> FloatArray:
        """Return the probabilities of the next draw; they add up to 1."""

    @abstractmethod
    def known_losses(self, tally: _core.RegretTally) -> FloatArray:
        """Return each expert's or arm's loss, as far as the learner or its tally knows it."""

    @abstractmethod
    def player(self, source: Environment, first_round: int) -> RoundPlayer:
        """Return the player for an environment's rounds; the first one has the number given."""

    def require_ready(self) -> None:
        """Refuse to play if something must be finished first."""

    def _loss_player(self, rule: LossRule, source: Environment, first_round: int) -> RoundPlayer:
        """Play the losses of an environment as the rule takes them."""
        losses: object = source.native
        if isinstance(source, Replay):
            losses = self.unit_losses(losses, first_round)

        def refuse(t: int, number: int) -> None:
            self.check_losses(source.losses(t, t + 1), number)

        return LossRounds(source.rounds, lambda a, b, tally: rule.play(losses, a, b, tally), refuse)

    def check_environment(self, source: Environment) -> None:
        """Refuse losses for a wrong number of experts or arms."""
        if source.columns != self.size:
            raise InputError(
                f"{source.name}: expected losses of {self.size} experts or arms, got "
                f"{source.columns}. Make a learner of that size."
            )

    def fresh_with(self, seed: int) -> Self:
        """Return a learner with the same parameters and another seed that has seen nothing."""
        return type(self)(**(self.parameters | {"seed": seed}))

    def unit_losses(self, values: object, first_round: int = 1) -> AnyArray:
        """Return losses as the core plays them: float64 in [0, 1], or bytes of 0 and 1.

        Rows are rounds. Plain losses in [0, 1], float64 or bytes, are not copied: the core itself
        checks the numbers.
        """
        found = as_array(values)
        if found.ndim != 2 or found.dtype.kind not in "biuf":
            raise InputError(
                f"losses: expected a matrix of numbers, one row per round, got an array of shape "
                f"{found.shape} and type {found.dtype}. Pass one column for each of {self.size}."
            )
        if found.shape[1] != self.size:
            raise InputError(
                f"losses: expected {self.size} columns, got {found.shape[1]}. "
                "Pass one for each expert or arm."
            )
        plain = self.span == (0.0, 1.0)
        if found.dtype.kind in "biu" and plain:
            if found.dtype.itemsize > 1 or found.dtype.kind == "i" or self.rewards:
                self.check_losses(found, first_round)
                found = found.astype(np.uint8)
            found = np.ascontiguousarray(found).view(np.uint8)
            return 1 - found if self.rewards else found
        found = np.ascontiguousarray(found, np.float64)
        if plain and not self.rewards:
            return found
        self.check_losses(found, first_round)
        low, high = self.span
        return (high - found if self.rewards else found - low) / (high - low)

    def one_loss(self, value: object) -> float:
        """Return one loss in [0, 1]."""
        low, high = self.span
        if not (is_number(value) and low <= value <= high):
            raise self.refused("loss", value)
        scaled = high - float(value) if self.rewards else float(value) - low
        return scaled / (high - low)

    def refused(self, where: str, value: object) -> InputError:
        """Return the error for a number that is not a loss."""
        low, high = self.span
        kind = "reward" if self.rewards else "loss"
        return InputError(
            f"{where}: expected a {kind} in [{low:g}, {high:g}], got {value!r}. "
            "Declare the range: span=(low, high)."
        )

    def check_losses(self, values: AnyArray, first_round: int) -> None:
        """Refuse the first number that is not a loss."""
        low, high = self.span
        good = (values >= low) & (values <= high)
        if not good.all():
            t, k = np.argwhere(~good)[0].tolist()
            raise self.refused(f"round {first_round + t}", values[t, k].item())


def as_array(values: object) -> AnyArray:
    """Return values as an array; an array of objects if the rows differ in length."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.asarray(values, object)


def is_whole(value: object, low: int, high: int) -> TypeGuard[int]:
    """Say whether a value is a whole number in [low, high)."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        return False
    return bool(low <= value < high)


def is_number(value: object) -> TypeGuard[float]:
    """Say whether a value is a real number, or True or False."""
    return isinstance(value, (Real, np.bool_))


def checked_start(loss: object, rate: float) -> float:
    """Return the loss that a newcomer begins with."""
    if not (is_number(loss) and abs(loss) <= 2.0**53):
        raise parameter("loss", "a number between −2^53 and 2^53, its losses so far", loss)
    if rate == 0:
        raise InputError(
            "join: expected a learner with a rate, got one made for a single expert or arm, whose "
            "rate is 0. Begin with two."
        )
    return float(loss)


def checked_size(name: str, count: object) -> int:
    """Return how many experts or arms there are."""
    if not is_whole(count, 1, 2**31):
        raise parameter(name, "a whole number of at least 1", count)
    return int(count)


def checked_horizon(horizon: object) -> int | None:
    """Return the number of rounds to be played, None if it is not known."""
    if horizon is not None and not is_whole(horizon, 1, 2**53):
        raise parameter("horizon", "None or a whole number of at least 1", horizon)
    return None if horizon is None else int(horizon)
