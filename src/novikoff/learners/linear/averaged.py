"""The averaged perceptron."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError
from novikoff.learners.feature_learner import Ties, checked_ties
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Hashing, Transform
from novikoff.types import Label

if TYPE_CHECKING:  # most learners are not played in shards
    from novikoff.learners.linear.mixed_perceptron import MixedPerceptron


class AveragedPerceptron(CoreLearner):
    """A perceptron that ends with the mean of its weights, which usually errs less on new rows.

    w̄ = (1/T) Σ_t w_{t+1}, the mean of the perceptron's weights   (freund1999; collins2002).

    While it learns, it predicts and errs with the current w, as the perceptron does, so the
    perceptron's theorems hold for its ledger. Only ``hypothesis()`` is the mean, in plain floats.
    The parameters are those of ``Perceptron``. The core keeps the sum lazily
    (``core/learners/linear/averaged.hpp``).

    >>> import novikoff as nv
    >>> rounds = [((1, 2), -1), ((3, 1), 1), ((1, 3), -1), ((4, 1), 1)]
    >>> run = nv.play(nv.AveragedPerceptron(), rounds)
    >>> run.mistakes, run.hypothesis().w.tolist()  # the last weights are [2.0, -1.0]
    (2, [1.25, -1.25])
    """

    family: ClassVar[str] = "perceptron"
    unmixed: ClassVar[str] = ""
    direct: ClassVar[bool] = False
    core: _core.Averaged | _core.StrictAveraged

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.ties: Ties = checked_ties(ties)
        rule = _core.Averaged if ties == "positive" else _core.StrictAveraged
        self.core = rule(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"ties": self.ties, **self.named_parameters}

    def in_shards(self, rows: Iterable[int], classes: int = 2) -> "MixedPerceptron":
        """Return a learner of shards with so many rows each; there are always two labels."""
        from novikoff.learners.linear.mixed_perceptron import MixedPerceptron

        return MixedPerceptron(rows, self.ties, self.bias, self.hashing, averaged=True)

    def with_shards(self, rows: Iterable[int], labels: Sequence[Label]) -> "MixedPerceptron":
        """Return a learner of shards with so many rows each; there are always two labels."""
        return self.in_shards(rows)

    def hypothesis(self) -> Halfspace:
        """Return w̄ as a halfspace."""
        self.require_finite()
        bias_weight, weights = self.core.halfspace()
        if not (np.isfinite(bias_weight) and np.isfinite(weights).all()):
            raise HypothesisError(
                "average: expected sums within the range of float64, got larger ones. "
                "Rescale the features."
            )
        found = Halfspace(weights, self.bias, bias_weight, features=self.known_features)
        return self.carrying(found)

    def predict_average(self, x: object, /) -> int:
        """Return what ``hypothesis()`` predicts for a dict, without making all of w̄."""
        if self.transforms or type(x) is not dict:
            return int(self.hypothesis()(x))
        found = self.core.predict_average(self.features, x)
        return int(self.hypothesis()(x)) if found is None else int(found)

    @classmethod
    def averages(cls, parameters: Mapping[str, object]) -> bool:
        """Say that ``hypothesis()`` is an average, whatever the parameters are."""
        return True
