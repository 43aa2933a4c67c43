"""Gradient descent whose steps do not depend on the scale of features."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.learners.learner import Parameters
from novikoff.learners.losses.logistic_hypothesis import checked_rate
from novikoff.learners.losses.logistic_learner import LogisticLearner, Loss, checked_loss
from novikoff.streams import Hashing, Transform


class NormalizedGradient(LogisticLearner):
    """Gradient steps that allow for the size of rows and columns, like Vowpal Wabbit's.

    G += (g u)²; w −= rate √(t/N) g u/√G, with N = ΣΣu² over t rounds   (ross2013).

    For each feature, u = x/m with m the largest |x| so far, this round's included, and g is the
    derivative of the loss at the score that was played; w is in units of u. Steps are normalised
    by the mean square norm of u so far, as in Vowpal Wabbit's default. ``rate`` lies between 2⁻²⁰
    and 2²⁰; Blend uses ½ and 2.

    The learner is the float program ``normalized-gradient/1`` (docs/programs.md).

    >>> import novikoff as nv
    >>> run = nv.play(nv.NormalizedGradient(0.5), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.341)
    """

    program: ClassVar[str] = "normalized-gradient/1"
    core: _core.NormalizedGradient

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
        self.core = _core.NormalizedGradient(self.bias or 0.0, self.rate)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"rate": self.rate, "loss": self.loss, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """The rate."""
        return {"rate": self.rate}
