"""The averaged perceptron."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.learners.linear.native_learner import NativeLearner, Ties, checked_ties
from novikoff.streams import Hashing
from novikoff.types import AnyArray


class AveragedPerceptron(NativeLearner):
    """w̄ = (1/T) Σ_t w_{t+1}, the mean of the perceptron's weights   (freund1999; collins2002).

    Online it predicts and errs with the current w, as the perceptron does, so the perceptron's
    theorems hold for its ledger; ``hypothesis()`` is the average, in plain floats. The sum is
    kept lazily: ``core/rules/averaged.hpp``.
    """

    family: ClassVar[str] = "perceptron"
    direct: ClassVar[bool] = False

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = None,
        hashing: Hashing | None = None,
    ) -> None:
        super().__init__(bias, hashing)
        self.ties = checked_ties(ties)
        rule = _core.Averaged if ties == "positive" else _core.StrictAveraged
        self.core = rule(self.bias or 0.0)

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that make a learner like this one, as plain data."""
        return {"ties": self.ties, **self.named_parameters}

    def hypothesis(self) -> Halfspace:
        """Return w̄ as a halfspace."""
        self.require_finite()
        bias_weight, weights = self.core.halfspace()
        if not (np.isfinite(bias_weight) and np.isfinite(weights).all()):
            raise HypothesisError(
                "average: expected sums within the range of float64, got larger ones. "
                "Rescale the features."
            )
        return Halfspace(weights, self.bias, bias_weight, features=self.known_features)

    def predict_average(self, x: Any, /) -> int:
        """Return what ``hypothesis()`` predicts for a dict, without making all of w̄."""
        found = self.core.predict_average(self.features, x) if type(x) is dict else None
        return int(self.hypothesis()(x)) if found is None else int(found)

    @classmethod
    def averages(cls, parameters: Mapping[str, object]) -> bool:
        """Tell that ``hypothesis()`` is an average, whatever the parameters are."""
        return True

    @property
    def nbytes(self) -> int:
        """The memory the learner holds: weights, and the sum behind their average."""
        return super().nbytes + int(self.core.moment_bytes)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return super().state() | {"moments": self.core.moments()}

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        super().restore(state)
        self.core.restore_moments(state["moments"])
