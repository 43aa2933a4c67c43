"""Online gradient descent with a fixed rate, for four convex losses."""

from collections.abc import Callable, Iterable
from typing import ClassVar, Literal, get_args

import numpy as np

from novikoff import _core
from novikoff.errors import parameter
from novikoff.learners.learner import Parameters
from novikoff.learners.losses.gradient_descent_hypothesis import (
    DescentHypothesis,
    LogisticDescentHypothesis,
)
from novikoff.learners.losses.logistic_hypothesis import checked_rate
from novikoff.learners.losses.score_learner import ScoreLearner
from novikoff.learners.protocols import NativeScores
from novikoff.streams import Hashing, Transform
from novikoff.types import FloatArray

Convex = Literal["logistic", "hinge", "squared", "absolute"]
"""The losses of a score s: ln(1 + e^{−ys}), max(0, 1 − ys), (y − s)², |y − s|."""
_RULES: dict[Convex, Callable[[float, float], NativeScores]] = {
    "logistic": _core.LogisticDescent,
    "hinge": _core.HingeDescent,
    "squared": _core.SquaredDescent,
    "absolute": _core.AbsoluteDescent,
}


class GradientDescent(ScoreLearner):
    """Plain online gradient descent, with a fixed rate.

    w ← w − rate·g·x, from w = 0, with g the derivative of the loss at w·x   (zinkevich2003).

    It predicts +1 if w·x ≥ 0 and learns from every round. With the logistic loss it gives
    probabilities, 1/(1 + e^{−w·x}); the losses ``hinge``, ``squared`` and ``absolute`` have none.
    The rate must suit the scale of the features: with the squared loss weights explode if rate·‖x‖²
    exceeds 1, and the theorem ``ogd-logistic`` needs rate·‖x‖² below 4.9. ``AdaptiveGradient``
    works with any scale.

    The learner is the float program ``gradient-descent/1`` (docs/programs.md): its scores, losses
    and weights have the same bits on every computer and in every form of input. ``rate`` lies
    between 2⁻²⁰ and 2²⁰. A weight v of a round, from 0 to 1, multiplies g and the loss; a run
    divides other weights by the largest one, ``max_weight``.

    >>> import novikoff as nv
    >>> run = nv.play(nv.GradientDescent(0.5), [((1, 1), 1), ((1, -3), -1), ((2, 2), 1)])
    >>> run.mistakes, round(run.probability((1, -3)), 3)
    (0, 0.064)
    >>> nv.play(nv.GradientDescent(0.5, "hinge"), [((1, 1), 1), ((1, -3), -1)]).ledger.loss
    1.0
    """

    family: ClassVar[str] = "gradient-descent"
    program: ClassVar[str] = "gradient-descent/1"

    def __init__(
        self,
        rate: float,
        loss: Convex = "logistic",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.rate = checked_rate(rate)
        self.loss: Convex = _checked(loss)
        self.core = _RULES[self.loss](self.bias or 0.0, self.rate)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"rate": self.rate, "loss": self.loss, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """The rate."""
        return {"rate": self.rate}

    @property
    def w(self) -> FloatArray:
        """The weight of the constant feature, then those of the others."""
        found: FloatArray = self.core.state()["w"]
        return found

    @property
    def probability(self) -> Callable[[object], float]:
        """The function that returns the probability that the label of x is +1; changes nothing.

        Only the logistic loss has it: the others raise AttributeError, so that they do not count
        as learners with probabilities.
        """
        if self.loss != "logistic":
            raise AttributeError(f"GradientDescent with the {self.loss} loss has no probabilities")
        return lambda x: float(_core.program_probabilities(np.array([self.score(x)]))[0])

    def hypothesis(self) -> DescentHypothesis:
        """Return the weights, frozen: it predicts what the learner predicts now, bit for bit."""
        kind = LogisticDescentHypothesis if self.loss == "logistic" else DescentHypothesis
        return self.carrying(kind(self.w, self.bias, features=self.known_features))


def _checked(loss: Convex) -> Convex:
    if loss not in get_args(Convex):
        raise parameter("loss", f"one of {', '.join(get_args(Convex))}", loss)
    return loss
