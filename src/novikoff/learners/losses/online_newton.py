"""Newton steps with a full matrix, for few features."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.learners.learner import Parameters, Slice
from novikoff.learners.losses.logistic_learner import LogisticLearner, Loss, checked_loss
from novikoff.streams import Block, Hashing, Transform
from novikoff.types import FloatArray

_TOO_MANY = (
    "expected at most 129 features that have had a value other than 0, the constant one included, "
    "got more. OnlineNewton keeps a matrix of that size: play Blend or CoinBetting, which take any "
    "number."
)


class OnlineNewton(LogisticLearner):
    """Newton steps for up to 128 features: learns quickly, even if columns are correlated.

    w −= P z g/(1 + h q), P −= h P z (P z)ᵀ/(1 + h q), with q = zᵀP z   (hazan2007).

    Here z = x/|x_first| for every feature, g is the derivative of the loss at the score that was
    played and h = max(p(1 − p), 10⁻³) its curvature. P is the covariance of w, so the score is
    w·z/√(1 + πq/8): the less is known about a direction, the nearer to ½ is its probability.

    A round costs time and memory proportional to the square of the number of features, so there
    can be at most 128 that have had a value other than 0, and the constant one. A round with a
    further one is refused, and changes nothing.

    The learner is the float program ``online-newton/1`` (docs/programs.md).

    >>> import novikoff as nv
    >>> run = nv.play(nv.OnlineNewton(), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.246)
    """

    program: ClassVar[str] = "online-newton/1"
    refuses: ClassVar[bool] = True
    core: _core.OnlineNewton

    def __init__(
        self,
        loss: Loss = "logistic",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.loss: Loss = checked_loss(loss)
        self.core = _core.OnlineNewton(self.bias or 0.0)

    @property
    def room(self) -> int:
        """How many features there may be that have had a value other than 0."""
        return 129 if self.bias is None else 128

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"loss": self.loss, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """None: the program has no number to choose."""
        return {}

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        block.otherwise = _TOO_MANY
        return super().learn_row(block, code, tally, weights)

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        done = super().play_rows(rows, tally)
        if done < rows.stop:
            rows.block.otherwise = _TOO_MANY
        return done
