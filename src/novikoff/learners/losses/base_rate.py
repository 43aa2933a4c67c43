"""How often each label occurs: what a learner must beat."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.errors import as_float, parameter
from novikoff.learners.learner import Parameters
from novikoff.learners.losses.logistic_learner import LogisticLearner
from novikoff.streams import Hashing, Transform


class BaseRate(LogisticLearner):
    """Predicts the share of each label so far, whatever x is: the baseline to beat.

    s = ln((n₊ + ½)/(n₋ + ½)), the odds of the labels so far   (krichevsky1981).

    A share ``keep`` of the counts stays from round to round: with 1 all rounds count alike, with
    15/16 about the last sixteen do.

    The learner is the float program ``base-rate/1`` (docs/programs.md).

    >>> import novikoff as nv
    >>> run = nv.play(nv.BaseRate(), [((1,), 1), ((1,), 1), ((1,), -1)])
    >>> run.mistakes, run.probability((1,))
    (1, 0.625)
    """

    program: ClassVar[str] = "base-rate/1"
    core: _core.BaseRate

    def __init__(
        self,
        keep: float = 1.0,
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.keep = as_float(keep)
        if not 0 < self.keep <= 1:
            raise parameter("keep", "a number above 0 and at most 1", keep)
        self.core = _core.BaseRate(self.bias or 0.0, self.keep)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"keep": self.keep, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """The share of the counts that stays."""
        return {"keep": self.keep}
