"""Exp3, Exp3-IX and Exp3.P: the learner sees only the loss of the arm it chose."""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, as_float, parameter
from novikoff.learners.experts.regret_learner import (
    RegretLearner,
    Span,
    checked_horizon,
    checked_size,
    checked_start,
)
from novikoff.learners.experts.round_players import RoundPlayer
from novikoff.learners.learner import Kind, Parameters, size_of
from novikoff.streams.environments import Environment
from novikoff.types import AnyArray, FloatArray


class Ticket(NamedTuple):
    """An arm that was drawn and still waits for its loss."""

    number: int
    arm: int
    probability: float


class Bandit(RegretLearner):
    """Draws one arm per round: ``choose`` is pure, ``update`` learns the arm's loss.

    If losses arrive late or out of order, take a ``ticket`` for each draw and answer it with
    ``update(ticket, loss)``. Then ``delayed`` is True, and no theorem applies.
    """

    core: _core.Exp3 | _core.Exp3P
    protocol: ClassVar[Kind] = "arms"
    full_information: ClassVar[bool] = False

    def __init__(
        self, arms: int, horizon: int | None, seed: int, span: Span, rewards: bool
    ) -> None:
        super().__init__(seed, span, rewards)
        self.arms: int = checked_size("arms", arms)
        self.horizon = checked_horizon(horizon)
        self.delayed = False
        self._open: dict[int, Ticket] = {}

    @classmethod
    def least_size(cls, parameters: Parameters) -> int:
        """The state has one estimate per arm."""
        return size_of(parameters, "arms")

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"arms": self.arms, "horizon": self.horizon, **self.common_parameters}

    @property
    def last_round(self) -> int | None:
        """The horizon: the theorem covers no more rounds than this."""
        return self.horizon

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """The tickets that still wait for their loss."""
        return tuple(self._open.values())

    def choose(self) -> int:
        """Return the arm drawn for the next round; changes nothing."""
        return int(self.core.choose(self.rounds + len(self._open)))

    def ticket(self) -> Ticket:
        """Draw an arm whose loss will come later; the next call makes a new draw."""
        arm = self.choose()
        number = self.rounds + len(self._open) + 1
        found = Ticket(number, arm, float(self.core.probability(arm)))
        self._open[number] = found
        return found

    def update(self, arm: int | Ticket, loss: float) -> None:
        """Learn the loss of the chosen arm, or of a ticket's arm."""
        value = self.one_loss(loss)
        if isinstance(arm, Ticket):
            if self._open.get(arm.number) != arm:
                raise InputError(
                    f"ticket: expected an open ticket, got {arm}. Answer each ticket once."
                )
            self.delayed = self.delayed or len(self._open) > 1
            self.core.learn(arm.arm, arm.probability, value)
            del self._open[arm.number]
            return
        self.require_no_tickets()
        if not isinstance(arm, (int, np.integer)) or isinstance(arm, bool) or arm != self.choose():
            raise InputError(
                f"arm: expected {self.choose()}, the one chosen for this round, got {arm!r}. "
                "Play what choose() says, or take a ticket."
            )
        self.core.learn(int(arm), self.core.probability(int(arm)), value)

    def probabilities(self) -> FloatArray:
        """Return the probabilities of the next draw; they add up to 1."""
        shares = self.core.probabilities()
        found: FloatArray = shares / np.add.reduce(shares)
        return found

    def join(self, loss: float) -> int:
        """Add an arm, as if its estimated loss so far were ``loss``; return its number.

        Its weight is e^{−η·loss}, beside the weights of the others. No theorem covers this.
        """
        self.core.join(checked_start(loss, self.arms - 1))
        self.joined += 1
        return self.size - 1

    def known_losses(self, tally: _core.RegretTally) -> FloatArray:
        """Return what each arm has lost: the bandit does not see it, but its tally knows."""
        found: FloatArray = np.zeros(self.size)
        known = tally.losses
        found[: len(known)] = known
        return found

    def player(self, source: Environment, first_round: int) -> RoundPlayer:
        """Return the player for the rounds of an environment."""
        return self._loss_player(self.core, source, first_round)

    def require_ready(self) -> None:
        """Refuse to play while tickets are open."""
        self.require_no_tickets()

    def require_no_tickets(self) -> None:
        """While tickets are open, refuse a round that was not drawn by ticket."""
        if self._open:
            raise InputError(
                f"update: expected the losses of {len(self._open)} open tickets first, got an "
                "arm. Answer them, or draw this one by ticket too."
            )

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return {
            "estimates": self.core.estimates,
            "base": np.array([self.core.base]),
            "counts": np.array([self.rounds, self.joined, self.delayed], np.int64),
            "tickets": np.array([t[:2] for t in self.tickets], np.int64).reshape(-1, 2),
            "ticket_probabilities": np.array([t.probability for t in self.tickets], np.float64),
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        rounds, self.joined, delayed = (int(n) for n in state["counts"])
        if len(state["estimates"]) != self.arms + self.joined:
            raise ValueError("as many estimates as arms")
        self.core.restore(state["estimates"], float(state["base"][0]), rounds)
        self.delayed = bool(delayed)
        pairs = zip(state["tickets"].tolist(), state["ticket_probabilities"].tolist(), strict=True)
        self._open = {number: Ticket(number, arm, p) for (number, arm), p in pairs}
        sound = (0 <= t.arm < self.size and 0 < t.probability <= 1 for t in self.tickets)
        if not all(sound) or len(self._open) < len(state["tickets"]):
            raise ValueError("tickets of arms, each once")


class Exp3(Bandit):
    """A bandit: chooses an arm each round, and sees the loss of that arm alone.

    p ∝ e^{−ηL̂}, L̂_i ← L̂_i + l/p_i for the chosen arm i   (bubeck2012, Sec. 3.1).

    For K arms, η = √(2 ln K/(TK)) with a horizon of T rounds, else η_t = √(ln K/(tK)). Its
    estimates L̂ are right in expectation but occasionally far off; ``Exp3IX`` and ``Exp3P`` repair
    that.

    >>> import novikoff as nv
    >>> learner = nv.Exp3(arms=3, horizon=1000, seed=1)
    >>> arm = learner.choose()
    >>> learner.update(arm, loss=0.25)
    >>> learner.probabilities().round(3).tolist()
    [0.336, 0.329, 0.336]
    """

    family: ClassVar[str] = "exp3"

    share: ClassVar[float] = 0.0
    """γ/η: what is added to p in l/(p + γ)."""

    def __init__(
        self,
        arms: int,
        horizon: int | None = None,
        seed: int = 0,
        span: Span = (0.0, 1.0),
        rewards: bool = False,
    ) -> None:
        super().__init__(arms, horizon, seed, span, rewards)
        rate = _core.logarithm(self.arms) / self.arms
        eta = math.sqrt(rate if self.horizon is None else 2 * rate / self.horizon)
        self.core = _core.Exp3(self.arms, eta, self.horizon is None, self.share, self.seed)


class Exp3IX(Exp3):
    """A bandit like ``Exp3`` whose bound holds for your one run, with high probability.

    p ∝ e^{−ηL̂}, L̂_i ← L̂_i + l/(p_i + η/2) for the chosen arm i   (neu2015, Alg. 1).

    The rates are those of ``Exp3``. The estimates are a little too low but never far off, so the
    regret is bounded with high probability.

    >>> import novikoff as nv
    >>> losses = [[0.0, 1.0, 1.0]] * 500  # the first arm is always best
    >>> run = nv.play(nv.Exp3IX(arms=3, horizon=500, seed=1), losses)
    >>> run.ledger.best, run.ledger.loss
    (0, 38.0)
    """

    family: ClassVar[str] = "exp3ix"

    share: ClassVar[float] = 0.5


class Exp3P(Bandit):
    """A bandit like ``Exp3`` that never gives up an arm: its bound holds with probability 1 − δ.

    p = (1 − γ) softmax(ηG̃) + γ/K, G̃_i ← G̃_i + (g·1[i chosen] + β)/p_i   (bubeck2012, Sec. 3.2).

    Gains are g = 1 − l. With a horizon T: β = √(ln(K/δ)/(TK)), η = 0.95√(ln K/(TK)), γ = min(1,
    1.05√(K ln K/T)); without one it starts over at rounds 1, 2, 4, … with T = 1, 2, 4, … and δ_r =
    δ/((r + 1)(r + 2)).

    >>> import novikoff as nv
    >>> learner = nv.Exp3P(arms=3, delta=0.05, horizon=1000, seed=1)
    >>> learner.update(learner.choose(), loss=0.25)
    >>> learner.probabilities().round(3).tolist()
    [0.329, 0.342, 0.329]
    """

    family: ClassVar[str] = "exp3p"

    def __init__(
        self,
        arms: int,
        delta: float,
        horizon: int | None = None,
        seed: int = 0,
        span: Span = (0.0, 1.0),
        rewards: bool = False,
    ) -> None:
        super().__init__(arms, horizon, seed, span, rewards)
        if not 1e-300 < as_float(delta) < 1:
            raise parameter("delta", "a number between 0 and 1", delta)
        self.delta: float = float(delta)
        self.core = _core.Exp3P(self.arms, self.delta, self.horizon or 0, self.seed)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"delta": self.delta, **super().parameters}
