"""The forward algorithm for regression, of Vovk, Azoury and Warmuth."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.learners.learner import Parameters, Slice
from novikoff.learners.losses.real_learner import RealLearner
from novikoff.learners.losses.regression_hypothesis import RegressionHypothesis, checked_ridge
from novikoff.streams import Block, Hashing, Transform
from novikoff.types import FloatArray

_REFUSED = (
    "expected a row that ForwardRegression can learn from, got another. It takes at most 1,000 "
    "features that have had a value other than 0, values that are 0 or from 2**-200 to 2**200 in "
    "size, and rows after which float64 can still hold the inverse of its matrix. Drop features, "
    "scale them (transforms=[nv.Scale()]), or raise ridge."
)


class ForwardRegression(RealLearner):
    """Linear regression online: predicts a number, sees the true one, and fits again.

    ŷ = x·(ridge·I + Σ_{s≤t} x xᵀ)⁻¹ Σ_{s<t} y x   (cesabianchi2006, ch. 11).

    Labels are real numbers. Like ridge regression it fits all rounds before; unlike it, x of the
    round itself counts too, which shrinks predictions in directions that are new. Its squared loss
    is nearly that of the best fixed weights, whatever the data are (the theorem ``vaw``).

    A round costs time and memory proportional to the square of the number of features, so there
    can be at most 1,000 that have had a value other than 0, and the constant one. A row that
    float64 cannot learn from is refused, and changes nothing. ``ridge`` lies between 2⁻⁴⁰ and 2⁴⁰
    and has the unit of x².

    The learner is the float program ``forward-regression/1`` (docs/programs.md).

    >>> import novikoff as nv
    >>> run = nv.play(nv.ForwardRegression(), [((1, 0), 2.5), ((0, 1), -1), ((1, 1), 1.5)])
    >>> run.predict_one((1, 0)), run.ledger.loss
    (1.0454545454545454, 8.515625)
    """

    family: ClassVar[str] = "forward-regression"
    program: ClassVar[str] = "forward-regression/1"
    takes_weights: ClassVar[bool] = False
    core: _core.ForwardRegression

    def __init__(
        self,
        ridge: float = 1.0,
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.ridge = checked_ridge(ridge)
        self.core = _core.ForwardRegression(self.bias or 0.0, self.ridge)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"ridge": self.ridge, **self.named_parameters}

    def hypothesis(self) -> RegressionHypothesis:
        """Return the state, frozen: it predicts what the learner predicts now, bit for bit."""
        state, named = self.core.state(), self.known_features
        return self.carrying(RegressionHypothesis(self.ridge, state, self.bias, named))

    def learn_row(
        self, block: Block, code: float, tally: _core.Tally, weights: FloatArray | None
    ) -> float:
        """Play the one round of a block of one row that fits; return the prediction."""
        block.otherwise = _REFUSED
        return super().learn_row(block, code, tally, weights)

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        done = super().play_rows(rows, tally)
        if done < rows.stop:
            rows.block.otherwise = _REFUSED
        return done
