"""AdaGrad in its dual-averaging form, scale-free, for the logistic loss."""

from collections.abc import Iterable
from typing import ClassVar, Literal

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.losses.logistic_hypothesis import LogisticHypothesis, checked_rate
from novikoff.streams import Hashing, Transform, one_row
from novikoff.types import FloatArray

Loss = Literal["logistic"]


class AdaptiveGradient(CoreLearner):
    """w_i = −Σ g x_i / λ_i with λ_i = m_i √(Σ (g x_i)² + m_i²)/rate   (duchi2011).

    Here m_i is the largest |x_i| so far, this round's included, and g the derivative of the loss
    at the score that was played, over the rounds before. It predicts +1 if w·x ≥ 0, gives
    probabilities 1/(1 + e^{−w·x}), and learns from every round. Multiplying a column by a constant
    divides its weight by it: no feature needs scaling.

    The learner is the float program ``adaptive-gradient/1`` (docs/programs.md): its scores,
    losses and weights have the same bits on every computer and in every form of input.
    ``rate`` lies between 2⁻²⁰ and 2²⁰; 1 is a good start. A weight v of a round, from 0 to 1,
    multiplies g and the loss; a run divides other weights by the largest one, ``max_weight``.

    >>> import novikoff as nv
    >>> run = nv.play(nv.AdaptiveGradient(), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.336)
    """

    family: ClassVar[str] = "adaptive-gradient"
    scales_loss: ClassVar[bool] = True
    conservative: ClassVar[bool] = False
    core: _core.AdaptiveGradient

    def __init__(
        self,
        rate: float = 1.0,
        loss: Loss = "logistic",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        if loss != "logistic":
            raise parameter("loss", "'logistic'", loss)
        self.rate = checked_rate(rate)
        self.loss: Loss = loss
        self.core = _core.AdaptiveGradient(self.bias or 0.0, self.rate)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"rate": self.rate, "loss": self.loss, **self.named_parameters}

    @property
    def cells(self) -> FloatArray:
        """(m, θ, S) of the constant feature, then of the others; all 0 until a feature appears."""
        found: FloatArray = self.core.state()["cells"].reshape(-1, 3)
        return found

    def score(self, x: object) -> float:
        """Return w·x as the program computes it; changes nothing."""
        if isinstance(x, dict) and self.named and not self.transforms:
            known = self.core.score_named(self.features, x)
            if known is not None:
                return known
        block = self.made(self.fitting(one_row(x)))
        if block.named:
            score = self.core.score_named(self.features, block.rows[0])
            if score is None:
                raise InputError(f"x: {block.fault(0)}")
            return score
        return float(all_rows(block, self.core.scores(block.native))[0])

    def probability(self, x: object) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        return float(_core.program_probabilities(np.array([self.score(x)]))[0])

    def hypothesis(self) -> LogisticHypothesis:
        """Return the state, frozen: it predicts what the learner predicts now, bit for bit."""
        named = self.known_features
        return self.carrying(LogisticHypothesis(self.cells, self.rate, self.bias, features=named))
