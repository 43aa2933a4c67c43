"""The mixture of scale-free learners for many classes."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.learner import Parameters, given_labels, size_of
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.losses.class_hypothesis import MOST_CLASSES, ClassBlendHypothesis
from novikoff.streams import Hashing, LabelMap, Transform, one_row
from novikoff.streams.labels.declared import Declared
from novikoff.types import FloatArray, Label


class ClassBlend(CoreLearner):
    """``Blend`` for more than two labels: gives each class a probability.

    P(k | x) = Σ_j π_j p_j(k | x), π_j ∝ the probability that member j gave to the past.

    The members are the base rate, three gradient methods and two Newton methods that need no
    scaling of the features, and a stack that learns how to combine the others. After each round
    1/(t + 2) of the weight π is shared out evenly, so that a member that was bad may come back.

    The learner is the float program ``blend-classes/1`` (docs/programs_classes.md): its
    probabilities and losses have the same bits on every computer and in every form of input.
    ``Blend`` becomes this learner in a run with more than two labels. ``classes`` is the number of
    classes, which are ids 0, 1, …. A constant feature is on by default; ``bias=None`` turns it off.

    >>> import novikoff as nv
    >>> rows = [((0, 1), "ant"), ((5, 1), "bee"), ((9, 9), "cat"), ((5, 2), "bee")]
    >>> run = nv.play(nv.Blend(), rows, labels=["ant", "bee", "cat"])
    >>> {label: round(p, 2) for label, p in run.probability((5, 1)).items()}
    {'ant': 0.27, 'bee': 0.41, 'cat': 0.31}
    """

    family: ClassVar[str] = "class-blend"
    multiclass: ClassVar[bool] = True
    scales_loss: ClassVar[bool] = True
    conservative: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    core: _core.ClassBlend

    def __init__(
        self,
        classes: int,
        bias: float | None = 1.0,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        if type(classes) is not int or not 2 <= classes <= MOST_CLASSES:
            raise parameter("classes", f"a whole number from 2 to {MOST_CLASSES}", classes)
        self.classes = classes
        self.core = _core.ClassBlend(self.bias or 0.0, classes)

    @classmethod
    def least_size(cls, parameters: Parameters) -> int:
        """The state has two base rates and four weights of the constant feature per class."""
        return 6 * size_of(parameters, "classes")

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"classes": self.classes, **self.named_parameters}

    def label_map(self, positive: Label | None, labels: Declared) -> LabelMap:
        """Return the map from the user's labels, which must all be declared."""
        given = given_labels(labels)
        if len(given) != self.classes:
            expected = f"all {self.classes} of them before the first round"
            raise parameter("labels", expected, given, "Pass labels=[…].")
        return super().label_map(positive, labels)

    def checked_label(self, y: int) -> int:
        """Return y if it is one of the classes."""
        if not (isinstance(y, (int, np.integer)) and 0 <= y < self.classes):
            raise InputError(
                f"y: expected a class id from 0 to {self.classes - 1}, got {y!r}. Declare all "
                "labels before the first round."
            )
        return int(y)

    def probability(self, x: object) -> FloatArray:
        """Return the probability of every class for x; changes nothing."""
        if isinstance(x, dict) and self.named and not self.transforms:
            known = self.core.probabilities_named(self.features, x)
            if known is not None:
                return known
        block = self.made(self.fitting(one_row(x)))
        if block.named:
            found = self.core.probabilities_named(self.features, block.rows[0])
            if found is None:
                raise InputError(f"x: {block.fault(0)}")
            return found
        return all_rows(block, self.core.probabilities(block.native))

    def hypothesis(self) -> ClassBlendHypothesis:
        """Return the members as they are now, with the mean of the weights of the mixture.

        Round t counts t times in that mean. The recent base rate becomes the base rate, because
        no round is recent for rows to come.
        """
        named = self.known_features
        return self.carrying(ClassBlendHypothesis(self.core.state(), self.bias, features=named))
