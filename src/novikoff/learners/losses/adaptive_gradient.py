"""AdaGrad in its dual-averaging form, scale-free, for the logistic loss."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.learners.learner import Parameters
from novikoff.learners.losses.logistic_hypothesis import LogisticHypothesis, checked_rate
from novikoff.learners.losses.logistic_learner import LogisticLearner, Loss, checked_loss
from novikoff.streams import Hashing, Transform
from novikoff.types import FloatArray


class AdaptiveGradient(LogisticLearner):
    """Gradient steps that suit each feature's size, so that no column needs scaling.

    w_i = −Σ g x_i / λ_i with λ_i = m_i √(Σ (g x_i)² + m_i²)/rate   (duchi2011).

    Here m_i is the largest |x_i| so far, this round's included. The sums are over the rounds
    before, and g is the derivative of the loss at the score that was played. It predicts +1 if
    w·x ≥ 0, gives probabilities 1/(1 + e^{−w·x}), and learns from every round. Multiplying a column
    by a constant divides its weight by it: no feature needs scaling.

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
    program: ClassVar[str] = "adaptive-gradient/1"
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
        self.rate = checked_rate(rate)
        self.loss: Loss = checked_loss(loss)
        self.core = _core.AdaptiveGradient(self.bias or 0.0, self.rate)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"rate": self.rate, "loss": self.loss, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """The rate."""
        return {"rate": self.rate}

    @property
    def cells(self) -> FloatArray:
        """(m, θ, S) of the constant feature, then of the others; all 0 until a feature appears."""
        found: FloatArray = self.core.state()["cells"].reshape(-1, 3)
        return found

    def hypothesis(self) -> LogisticHypothesis:
        """Return the state, frozen: it predicts what the learner predicts now, bit for bit."""
        named = self.known_features
        return self.carrying(LogisticHypothesis(self.cells, self.rate, self.bias, features=named))
