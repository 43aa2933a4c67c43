"""Betting on every feature: no rate, any scale."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.learners.learner import Parameters
from novikoff.learners.losses.logistic_learner import LogisticLearner, Loss, checked_loss
from novikoff.streams import Hashing, Transform
from novikoff.types import FloatArray


class CoinBetting(LogisticLearner):
    """Learns without a rate to choose: a gambler per feature bets on its weight.

    w = 0.8 W clamp(θ/(S + 1), ±1/√(S + 1)); W −= g u w, θ −= g u, S += (g u)²   (orabona2016).

    For each feature, u = x/m with m the largest |x| so far, this round's included, and g is the
    derivative of the loss at the score that was played. A gambler starts with the wealth W = 1 and
    bets a share of it on the sign of −g u; what it bets is the weight of the feature, in units of
    u. The shares follow what the bets have earned, so there is no rate to choose.

    The learner is the float program ``coin-betting/1`` (docs/programs.md). The theorem ``betting``
    bounds its loss.

    >>> import novikoff as nv
    >>> run = nv.play(nv.CoinBetting(), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.358)
    """

    family: ClassVar[str] = "coin-betting"
    program: ClassVar[str] = "coin-betting/1"
    core: _core.CoinBetting

    def __init__(
        self,
        loss: Loss = "logistic",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.loss: Loss = checked_loss(loss)
        self.core = _core.CoinBetting(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"loss": self.loss, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """None: the program has no number to choose."""
        return {}

    @property
    def cells(self) -> FloatArray:
        """(m, W, θ, S) of the constant feature, then of the others; 0 until a feature appears."""
        found: FloatArray = self.core.state()["cells"].reshape(-1, 4)
        return found
