"""The multiclass perceptron."""

from collections.abc import Iterable
from typing import ClassVar

from novikoff import _core
from novikoff.learners.learner import Parameters, checked_class
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.streams import Hashing, Transform


class MulticlassPerceptron(CoreLearner):
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake   (crammer2003, Fig. 1; collins2002).

    Predicts argmax_k w_k·x, ties to the first class seen. Classes are ids 0, 1, … in the order in
    which they appear, and may appear at any time: no vector is kept for a class before it is seen,
    and none is needed (``core/learners/linear/multiclass.hpp`` says why). All weights are 0 in the
    first round, which therefore ties and goes to the first class seen: its own.
    """

    family: ClassVar[str] = "multiclass-perceptron"
    core: _core.Multiclass
    multiclass: ClassVar[bool] = True

    def __init__(
        self,
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.core = _core.Multiclass(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return self.named_parameters

    @property
    def classes(self) -> int:
        """How many classes have been seen."""
        return int(self.core.classes)

    def checked_label(self, y: int) -> int:
        """Return y if it is a class seen, or the next one."""
        return checked_class(y, self.classes)

    def hypothesis(self) -> Multiclass:
        """Return the current weights, each rounded once."""
        self.require_finite()
        bias_weights, weights = self.core.weights()
        found = Multiclass(weights, self.bias, bias_weights, features=self.known_features)
        return self.carrying(found)
