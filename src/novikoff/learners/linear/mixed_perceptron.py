"""The perceptron, played in shards."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError
from novikoff.learners.feature_learner import Ties, checked_ties
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.learners.linear.mixing import FRONT, MixingLearner, summed
from novikoff.streams import Hashing
from novikoff.types import Arrays, FloatArray


class MixedPerceptron(MixingLearner):
    """w ← mean of the shards' w after an epoch, each w ← w + y x on a mistake   (mcdonald2010).

    ``shards`` says how many rows each shard has. ``novikoff.cluster.play`` makes such a learner of
    a ``Perceptron``, or of an ``AveragedPerceptron``: then ``hypothesis()`` is the mean of the
    weights after each round of all shards.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 2, [-1, -1] * 2)
    >>> run = nv.play(MixedPerceptron([2, 2]), rounds, passes=2)
    >>> run.ledger.mistake_rounds.tolist(), run.hypothesis().w.tolist()
    ([1, 2, 3, 4], [-1.0, -1.0])
    """

    family: ClassVar[str] = "parameter-mixing"
    core: _core.Perceptron | _core.StrictPerceptron | _core.Averaged | _core.StrictAveraged

    def __init__(
        self,
        shards: Iterable[int],
        ties: Ties = "positive",
        bias: float | None = None,
        hashing: Hashing | None = None,
        averaged: bool = False,
    ) -> None:
        super().__init__(shards, bias, hashing, averaged)
        self.ties = checked_ties(ties)
        self.core = self._rule()(self.bias or 0.0)

    def _rule(self) -> type:
        if self.averaged:
            return _core.Averaged if self.ties == "positive" else _core.StrictAveraged
        return _core.Perceptron if self.ties == "positive" else _core.StrictPerceptron

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"ties": self.ties, **super().parameters}

    def untouched(self) -> Arrays:
        """Return the state of the core before its first round."""
        found: Arrays = self._rule()(self.bias or 0.0).state()
        return found

    def hypothesis(self) -> Halfspace:
        """Return w as a halfspace: that of the shard whose turn it is, or the average."""
        self.require_finite()
        bias_weight, weights = self.core.halfspace()
        if self.averaged:
            bias_weight, weights = self._average()
        return Halfspace(weights, self.bias, bias_weight, features=self.known_features)

    def _average(self) -> tuple[float, FloatArray]:
        """Return the mean of the weights after each round."""
        mean = summed(self.sums, self.core.state()) / max(self.rounds, 1)
        if not np.isfinite(mean).all():
            raise HypothesisError(
                "average: expected sums within the range of float64, got larger ones. "
                "Rescale the features."
            )
        return float(mean[FRONT - 1]), mean[FRONT:]
