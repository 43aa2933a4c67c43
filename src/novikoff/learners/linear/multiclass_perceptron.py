"""The multiclass perceptron."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, parameter
from novikoff.learners.learner import Parameters, checked_class
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.mixed_classes import MixedMulticlassPerceptron
from novikoff.learners.linear.multiclass import Columns, Multiclass
from novikoff.streams import Hashing, Transform
from novikoff.types import FloatArray, Label


class MulticlassPerceptron(CoreLearner):
    """The perceptron for more than two labels: a vector of weights per class.

    w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake   (crammer2003, Fig. 1; collins2002).

    Predicts argmax_k w_k·x, ties to the first class seen. Classes are ids 0, 1, … in the order in
    which they appear, and may appear at any time: no vector is kept for a class before it is seen,
    and none is needed (``core/learners/linear/multiclass.hpp`` says why). All weights are 0 in the
    first round, so it is a tie, which goes to the first class seen: its own. If few weights differ
    from 0, only those are kept.

    With ``averaged``, ``hypothesis()`` is w̄_k = (1/T) Σ_t w_{k,t+1}, the mean of the weights, in
    plain floats (collins2002, Sec. 2.3). It errs less on new examples unless the target drifts. The
    run makes the same predictions and mistakes as without, so the same theorems hold for it.

    >>> import novikoff as nv
    >>> rows = [((0, 1), "ant"), ((5, 1), "bee"), ((9, 9), "cat"), ((5, 2), "bee")]
    >>> run = nv.play(nv.MulticlassPerceptron(), rows, until_clean=True)
    >>> run.mistakes, run.predict_one((6, 1))
    (14, 'bee')
    """

    family: ClassVar[str] = "multiclass-perceptron"
    unmixed: ClassVar[str] = ""
    core: _core.Multiclass | _core.AveragedClasses
    multiclass: ClassVar[bool] = True
    arrays_at_times: ClassVar[frozenset[str]] = frozenset(
        [f"listed_{part}" for part in ("dimension", "ends", "features", "weights")]
        + ["moment_ends", "moment_features"]
    )

    def __init__(
        self,
        bias: float | None = None,
        hashing: Hashing | None = None,
        averaged: bool = False,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        if not isinstance(averaged, bool):
            raise parameter("averaged", "True or False", averaged)
        self.averaged = averaged
        rule = _core.AveragedClasses if averaged else _core.Multiclass
        self.core = rule(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return self.named_parameters | ({"averaged": True} if self.averaged else {})

    @property
    def classes(self) -> int:
        """How many classes have been seen."""
        return int(self.core.classes)

    def checked_label(self, y: int) -> int:
        """Return y if it is a class seen, or the next one."""
        return checked_class(y, self.classes)

    def in_shards(self, rows: Iterable[int], classes: int) -> MixedMulticlassPerceptron:
        """Return a learner of shards with so many rows each, and so many classes in all."""
        return MixedMulticlassPerceptron(rows, classes, self.bias, self.hashing, self.averaged)

    def with_shards(
        self, rows: Iterable[int], labels: Sequence[Label]
    ) -> MixedMulticlassPerceptron:
        """Return a learner of shards with so many rows each, and these labels in all."""
        return self.in_shards(rows, len(labels))

    def hypothesis(self) -> Multiclass:
        """Return the current weights, each rounded once, or their means."""
        self.require_finite()
        listed = self.core.listed_weights()
        if listed is not None:
            _check_sums(listed[-1])
            columns = Columns(self.dimension, *listed)
            return self.carrying(
                Multiclass.listed(columns, self.bias, features=self.known_features)
            )
        bias_weights, weights = self.core.weights()
        _check_sums(bias_weights, weights)
        found = Multiclass(weights, self.bias, bias_weights, features=self.known_features)
        return self.carrying(found)

    def predict_average(self, x: object, /) -> int:
        """Return what ``hypothesis()`` predicts for a dict, without making all of w̄."""
        found = None
        if type(x) is dict and isinstance(self.core, _core.AveragedClasses):
            found = self.core.predict_average(self.features, x)
        return int(self.hypothesis()(x)) if found is None else int(found)


def _check_sums(*weights: FloatArray) -> None:
    """Refuse means whose sums have left the floats."""
    if not all(np.isfinite(part).all() for part in weights):
        raise HypothesisError(
            "average: expected sums within the range of float64, got larger ones. "
            "Rescale the features."
        )
