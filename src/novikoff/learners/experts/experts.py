"""Hedge and its relatives: the learner sees every expert's loss."""

import math
from abc import abstractmethod
from numbers import Real
from typing import ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, as_float, parameter
from novikoff.learners.experts.pool import Pool, as_pool, pool_size
from novikoff.learners.experts.regret_learner import (
    RegretLearner,
    Span,
    as_array,
    checked_horizon,
    checked_size,
    checked_start,
)
from novikoff.learners.experts.round_players import (
    LossRounds,
    Play,
    PoolRounds,
    RoundPlayer,
    advice_rows,
)
from novikoff.learners.learner import Kind, Parameters, is_of_part, size_of
from novikoff.streams import Block
from novikoff.streams.environments import Environment
from novikoff.types import AnyArray, FloatArray


class ExpertLearner(RegretLearner):
    """Follows experts: ``predict(advice)``, then ``update(advice, outcome)``.

    If ``experts`` is a number, the advice is one prediction per expert, −1 or +1, and the outcome
    is −1 or +1, or the vector of all losses. If ``experts`` is a list of learners and hypotheses,
    ``predict(x)`` asks them, and ``update(x, y)`` lets them learn too.
    """

    protocol: ClassVar[Kind] = "experts"

    def __init__(self, experts: object, seed: int, span: Span, rewards: bool) -> None:
        super().__init__(seed, span, rewards)
        self.pool: Pool | None = as_pool(experts)
        if self.pool is not None and (self.span != (0.0, 1.0) or rewards):
            raise parameter("span", "(0, 1) without rewards: learners have mistakes", span)
        self.experts: int = len(self.pool) if self.pool else checked_size("experts", experts)

    @classmethod
    def least_size(cls, parameters: Parameters) -> int:
        """The state has one loss per expert, or the states of a pool's learners."""
        return pool_size(parameters.get("experts")) or size_of(parameters, "experts")

    @property
    def common_parameters(self) -> Parameters:
        """The arguments that all of these learners take, as plain data."""
        experts = self.pool.plain if self.pool else self.experts
        return {"experts": experts, **super().common_parameters}

    def fresh(self) -> Self:
        """Return a learner with the same parameters and experts, all of which have seen nothing."""
        if self.pool is None:
            return super().fresh()
        return type(self)(**(self.parameters | {"experts": self.pool.fresh()}))

    @property
    @abstractmethod
    def rate(self) -> float:
        """η of e^{−η·loss}."""

    @abstractmethod
    def predict(self, advice: object) -> int:
        """Return the prediction for the next round; changes nothing."""

    @abstractmethod
    def update(self, advice: object, outcome: object) -> None:
        """Learn the outcome, −1 or +1."""

    @abstractmethod
    def outcome_play(self, losses: AnyArray, codes: AnyArray) -> Play:
        """Return the player for rounds with losses 0 and 1, and outcomes −1 and +1."""

    @property
    @abstractmethod
    def losses(self) -> FloatArray:
        """The sum of each expert's losses so far, including the loss that a newcomer was given."""

    @abstractmethod
    def join(self, loss: float) -> int:
        """Add an expert, as if its losses so far were ``loss``; return its number."""

    def known_losses(self, tally: _core.RegretTally) -> FloatArray:
        """Return what each expert has lost."""
        return self.losses

    def check_environment(self, source: Environment) -> None:
        """Refuse losses for another number of experts, or for a pool, whose learners make them."""
        super().check_environment(source)
        if self.pool is not None:
            raise InputError(
                "losses: expected a labelled stream for a pool of learners, got losses. "
                "Pass experts as a number."
            )

    def label_player(self, rows: Block, codes: AnyArray) -> RoundPlayer:
        """Return the player for rows of advice with outcomes, or for any rows with a pool."""
        if self.pool is not None:
            return PoolRounds(self.pool, rows, codes, self.outcome_play)
        losses = (advice_rows(rows, self.size) != codes[:, None]).astype(np.uint8)
        return LossRounds(len(codes), self.outcome_play(losses, codes), lambda _, __: None)

    def advice(self, advice: object) -> AnyArray:
        """Return the predictions of all experts."""
        found = as_array(advice)
        if found.shape != (self.size,) or not np.isin(found, (-1, 1)).all():
            raise InputError(
                f"advice: expected −1 or +1 from each of {self.size} experts, got {advice!r}. "
                "Map other labels first."
            )
        return found.astype(np.int8)

    def outcome(self, outcome: object) -> int:
        """Return the outcome, −1 or +1."""
        if not (isinstance(outcome, (Real, np.bool_)) and outcome in (-1, 1)):
            raise InputError(f"outcome: expected −1 or +1, got {outcome!r}. A run maps labels.")
        return int(float(outcome))


class DrawnExpert(ExpertLearner):
    """Follows an expert, drawn with probability ∝ e^{−η·loss}."""

    core: _core.Hedge

    def followed(self) -> int:
        """Return the expert drawn for the next round; changes nothing."""
        return int(self.core.draw())

    def predict(self, advice: object) -> int:
        """Return the prediction of the expert drawn for the next round; changes nothing."""
        if self.pool is not None:
            return self.pool.predict(self.followed(), advice)
        return int(self.advice(advice)[self.followed()])

    def update(self, advice: object, outcome: object) -> None:
        """Learn the outcome, −1 or +1, or the losses of all experts."""
        if self.pool is not None:
            losses = self.pool.update(advice, self.outcome(outcome))
        elif as_array(outcome).ndim == 0:
            losses = (self.advice(advice) != self.outcome(outcome)).astype(np.uint8)
        else:
            losses = self.unit_losses(as_array(outcome)[None])[0]
        self.learn(losses[None, :])

    def learn(self, losses: AnyArray) -> None:
        """Learn one row of losses in [0, 1]."""
        if self.core.play(losses, 0, 1, _core.RegretTally()) == 0:
            raise self.refused("losses", losses[0].tolist())

    def player(self, source: Environment, first_round: int) -> RoundPlayer:
        """Return the player for the rounds of an environment."""
        return self._loss_player(self.core, source, first_round)

    def outcome_play(self, losses: AnyArray, codes: AnyArray) -> Play:
        """Return the player for rounds with losses 0 and 1."""
        play = self.core.play
        return lambda start, stop, tally: play(losses, start, stop, tally)

    def probabilities(self) -> FloatArray:
        """Return the probabilities of the next draw; they add up to 1."""
        weights: FloatArray = self.core.weights
        found: FloatArray = weights / np.add.reduce(weights)
        return found

    @property
    def losses(self) -> FloatArray:
        """The sum of each expert's losses so far, including the loss that a newcomer was given."""
        found: FloatArray = self.core.losses
        return found

    def join(self, loss: float) -> int:
        """Add an expert, as if its losses so far were ``loss``; return its number.

        Its weight is e^{−η·loss}, or β^loss, beside those of the others.
        """
        if self.pool is not None:
            raise InputError("join: expected numbered experts, got a list of learners. Pass all.")
        self.core.join(checked_start(loss, self.rate))
        self.joined += 1
        return self.size - 1

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        own = {
            "losses": self.core.losses,
            "weights": self.core.weights,
            "counts": np.array([self.rounds, self.joined], np.int64),
        }
        return own | (self.pool.state() if self.pool else {})

    def _may_save(self, array: str) -> bool:
        parts = len(self.pool) if self.pool else 0
        return is_of_part(array, "expert", parts) or super()._may_save(array)

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        rounds, self.joined = (int(n) for n in state["counts"])
        if len(state["losses"]) != self.experts + self.joined:
            raise ValueError("as many losses as experts")
        self.core.restore(state["losses"], state["weights"], rounds)
        if self.pool is not None:
            self.pool.restore(state)


class Hedge(DrawnExpert):
    """Follows experts: the less an expert has lost, the more it is trusted.

    p ∝ e^{−ηL}, L the cumulative losses   (freund1997, Fig. 1; cesabianchi2006, Sec. 2.2).

    The rate is ``eta``; or √(8 ln N/T) with a ``horizon`` T; or, with neither, η_t = √(8 ln N/t).

    >>> import novikoff as nv
    >>> run = nv.play(nv.Hedge(experts=2, horizon=4), [[0, 1], [0, 1], [1, 0], [0, 1]])
    >>> run.ledger.losses.tolist(), round(run.ledger.expected_loss, 3)
    ([1.0, 3.0], 1.884)
    """

    family: ClassVar[str] = "hedge"

    def __init__(
        self,
        experts: object,
        eta: float | None = None,
        horizon: int | None = None,
        seed: int = 0,
        span: Span = (0.0, 1.0),
        rewards: bool = False,
    ) -> None:
        super().__init__(experts, seed, span, rewards)
        if eta is not None and (isinstance(eta, bool) or not 0 < as_float(eta) <= 1e6):
            raise parameter("eta", "None or a number between 0 and a million", eta)
        if eta is not None and horizon is not None:
            raise parameter("horizon", "None with eta", horizon, "Pass one of the two.")
        self.eta: float | None = None if eta is None else float(eta)
        self.horizon = checked_horizon(horizon)
        self.core = _core.Hedge(self.experts, self.rate, self.anytime, self.seed)

    @property
    def anytime(self) -> bool:
        """Whether the rate falls with the rounds."""
        return self.eta is None and self.horizon is None

    @property
    def rate(self) -> float:
        """η, or η_1 if it falls with the rounds."""
        if self.eta is not None:
            return self.eta
        return math.sqrt(8 * _core.logarithm(self.experts) / (self.horizon or 1))

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"eta": self.eta, "horizon": self.horizon, **self.common_parameters}


class RandomizedWeightedMajority(DrawnExpert):
    """Follows one expert, drawn at random: the less it has lost, the likelier.

    p ∝ β^L, L the cumulative losses   (littlestone1994, Alg. WMR).
    """

    family: ClassVar[str] = "randomized-weighted-majority"

    def __init__(
        self,
        experts: object,
        beta: float = 0.5,
        seed: int = 0,
        span: Span = (0.0, 1.0),
        rewards: bool = False,
    ) -> None:
        super().__init__(experts, seed, span, rewards)
        self.beta: float = checked_factor(beta)
        self.core = _core.Hedge(self.experts, self.rate, False, self.seed)

    @property
    def rate(self) -> float:
        """η = ln(1/β), the rate at which weights fall."""
        return -float(_core.logarithm(self.beta))

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"beta": self.beta, **self.common_parameters}


def checked_factor(beta: float) -> float:
    """Return β if it is between 0 and 1."""
    if not 1e-6 <= as_float(beta) <= 0.999999:
        raise parameter("beta", "a number between 0 and 1", beta)
    return float(beta)
