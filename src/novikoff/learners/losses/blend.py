"""The default learner: a Bayes mixture of scale-free learners for the logistic loss."""

from typing import ClassVar

from novikoff import _core
from novikoff.errors import InputError
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.losses.blend_hypothesis import BlendHypothesis
from novikoff.streams import Hashing, one_row
from novikoff.types import FloatArray

MEMBERS = (
    "CoinBetting",
    "AdaptiveGradient(0.25)",
    "AdaptiveGradient(1)",
    "AdaptiveGradient(4)",
    "NormalizedGradient(0.5)",
    "NormalizedGradient(2)",
    "Arow",
    "BaseRate",
    "BaseRate(keep=0.9375)",
    "OnlineNewton",
    "stack",
)


class Blend(CoreLearner):
    """P(+1 | x) = Σ_k π_k p_k(x); then π_k ∝ π_k p_k(y), and all share 1/(t + 2)   (herbster1998).

    The members p_k are scale-free learners for the logistic loss that need no tuning, and the
    stack, a Newton step on their scores: the float program ``blend/1`` (docs/programs.md). The log
    loss of the mixture is at most that of any member plus ln K + ln T, so every member's theorem
    holds for it at that price. A constant feature is on by default; ``bias=None`` turns it off.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Blend(), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.385)
    """

    family: ClassVar[str] = "blend"
    takes_weights: ClassVar[bool] = False
    conservative: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    core: _core.Blend

    def __init__(self, bias: float | None = 1.0, hashing: Hashing | None = None) -> None:
        super().__init__(bias, hashing)
        self.core = _core.Blend(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return self.named_parameters

    @property
    def weights(self) -> dict[str, float]:
        """The weight that each member has in the mixture now."""
        found = self.core.state()["weights"]
        return dict(zip(MEMBERS, found.tolist(), strict=True))

    def probability(self, x: object) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        if isinstance(x, dict) and self.named:
            known = self.core.probability_named(self.features, x)
            if known is not None:
                return known
        block = self.fitting(one_row(x))
        if block.named:
            found = self.core.probability_named(self.features, block.rows[0])
            if found is None:
                raise InputError(f"x: {block.fault(0)}")
            return found
        return float(all_rows(block, self.core.probabilities(block.native))[0])

    def member_scores(self, x: object) -> FloatArray:
        """Return the score that each member gives to one numbered x; changes nothing."""
        block = self.fitting(one_row(x))
        found: FloatArray = all_rows(block, self.core.member_scores(block.native))
        return found

    def hypothesis(self) -> BlendHypothesis:
        """Return the last state of every member, mixed with the mean of the weights so far."""
        return BlendHypothesis(self.core.state(), self.bias, features=self.known_features)
