"""Weighted majority: a vote of experts, decided exactly."""

from typing import ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.experts.experts import ExpertLearner, checked_factor
from novikoff.learners.experts.regret_learner import is_whole
from novikoff.learners.experts.round_players import (
    LossRounds,
    Play,
    RoundPlayer,
    losses_as_advice,
)
from novikoff.learners.learner import Parameters, is_of_part
from novikoff.streams.environments import Environment
from novikoff.types import AnyArray, FloatArray


class WeightedMajority(ExpertLearner):
    """Predicts with a vote of experts, and trusts each one less after its mistakes.

    ŷ = sgn Σ_i β^{m_i} a_i, m_i the mistakes of expert i, a_i its advice   (littlestone1994).

    A tie predicts +1. It draws nothing, and no rounding decides a vote: it settles near ties in
    whole numbers (``core/learners/experts/experts.hpp``).

    >>> import novikoff as nv
    >>> learner = nv.WeightedMajority(experts=3)
    >>> learner.update([1, -1, -1], 1)
    >>> learner.predict([1, -1, -1])  # 1 against ½ + ½: a tie
    1
    """

    family: ClassVar[str] = "weighted-majority"
    core: _core.Majority

    def __init__(self, experts: object, beta: float = 0.5) -> None:
        super().__init__(experts, 0, (0.0, 1.0), False)
        self.beta: float = checked_factor(beta)
        self.core = _core.Majority(self.experts, self.beta)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"experts": self.pool.plain if self.pool else self.experts, "beta": self.beta}

    @property
    def rate(self) -> float:
        """η = ln(1/β), the rate at which weights fall."""
        return -float(_core.logarithm(self.beta))

    def player(self, source: Environment, first_round: int) -> RoundPlayer:
        """Return the player that takes losses 0 and 1 as advice: an expert that loses is wrong."""
        losses = self.unit_losses(source.losses(0, source.rounds))
        advice = losses_as_advice(losses)
        outcomes = np.full(len(advice), -1, np.int8)
        return LossRounds(len(advice), self._advice_play(advice, outcomes), lambda _, __: None)

    def outcome_play(self, losses: AnyArray, codes: AnyArray) -> Play:
        """Return the player for the advice that has these losses."""
        given = np.where(losses == 0, codes[:, None], -codes[:, None]).astype(np.int8)
        return self._advice_play(given, codes)

    def _advice_play(self, advice: AnyArray, outcomes: AnyArray) -> Play:
        play = self.core.play
        return lambda start, stop, tally: play(advice, outcomes, start, stop, tally)

    def fresh_with(self, seed: int) -> Self:
        """Return a learner that has seen nothing; it draws nothing, whatever the seed."""
        return self.fresh()

    @property
    def losses(self) -> FloatArray:
        """The number of each expert's mistakes so far."""
        found: FloatArray = self.core.mistakes.astype(np.float64)
        return found

    def probabilities(self) -> FloatArray:
        """Return each expert's share of the vote."""
        behind = self.core.mistakes - self.core.mistakes.min()
        shares = np.float64(self.beta) ** np.minimum(behind, 2**40)
        found: FloatArray = shares / shares.sum()
        return found

    def predict(self, advice: object) -> int:
        """Return the weighted majority's prediction; changes nothing."""
        if self.pool is not None:
            return int(self.core.predict(self.pool.advice(advice)))
        return int(self.core.predict(self.advice(advice)))

    def update(self, advice: object, outcome: object) -> None:
        """Learn the outcome, −1 or +1."""
        y = self.outcome(outcome)
        if self.pool is not None:
            given = (y * (1 - 2 * self.pool.update(advice, y).astype(np.int8))).astype(np.int8)
        else:
            given = self.advice(advice)
        self.core.play(given[None, :], np.array([y], np.int8), 0, 1, _core.RegretTally())

    def join(self, loss: float) -> int:
        """Add an expert, as if it had made ``loss`` mistakes: its weight is β^loss."""
        if not is_whole(loss, 0, 2**53):
            raise parameter("loss", "a whole number of mistakes", loss)
        if self.pool is not None:
            raise InputError("join: expected numbered experts, got a list of learners. Pass all.")
        self.core.join(loss)
        self.joined += 1
        return self.size - 1

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        own = {
            "mistakes": self.core.mistakes,
            "counts": np.array([self.rounds, self.joined], np.int64),
        }
        return own | (self.pool.state() if self.pool else {})

    def _may_save(self, array: str) -> bool:
        parts = len(self.pool) if self.pool else 0
        return is_of_part(array, "expert", parts) or super()._may_save(array)

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        rounds, self.joined = (int(n) for n in state["counts"])
        if len(state["mistakes"]) != self.experts + self.joined:
            raise ValueError("as many counts as experts")
        self.core.restore(state["mistakes"], rounds)
        if self.pool is not None:
            self.pool.restore(state)
