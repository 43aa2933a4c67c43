"""What a mixture of hypotheses with many classes has learned: they are mixed with mean weights."""

from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from novikoff.errors import parameter
from novikoff.learners.hypothesis import Hypothesis, State, checked_labels, finite
from novikoff.learners.losses.frozen_members import described, is_about, restored_member, states_of
from novikoff.learners.row_hypothesis import block_of, row_of
from novikoff.streams import Block, ClassLabels
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label


@runtime_checkable
class GivesClassProbabilities(Protocol):
    """A hypothesis of many classes that gives each a probability."""

    @property
    def classes(self) -> int:
        """The number of classes."""
        ...

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of every class, a row for each x and a column per class."""
        ...


def classes_of(members: Sequence[object]) -> int:
    """Return the number of classes to which all members give probabilities; 0 if they do not."""
    found = {
        h.classes if isinstance(h, GivesClassProbabilities) and h.multiclass else 0
        for h in members
        if isinstance(h, Hypothesis)
    }
    return found.pop() if len(found) == 1 and len(members) > 0 else 0


class ClassMixtureHypothesis(Hypothesis):
    """A fixed mixture of frozen models, which gives each class a probability.

    P(j | x) = Σ_k π_k p_k(j | x), with every member frozen; h(x) is the likeliest class j.

    ``members`` are hypotheses that give each class a probability, and ``weights`` their π_k.
    """

    multiclass = True

    def __init__(
        self,
        members: Sequence[Hypothesis],
        weights: npt.ArrayLike,
        labels: tuple[Label, ...] = (),
    ) -> None:
        self.members = tuple(members)
        self.classes = classes_of(self.members)
        if not self.classes:
            raise parameter("members", "hypotheses with probabilities of the same classes", members)
        self.weights = finite("weights", weights, 1)
        if len(self.weights) != len(self.members) or not (self.weights >= 0).all():
            raise parameter("weights", "a weight of at least 0 for each member", weights)
        self.labels = checked_labels(labels, self.classes)
        self.features = None

    def __repr__(self) -> str:
        return f"ClassMixtureHypothesis({len(self.members)} members, {self.classes} classes)"

    @property
    def dimension(self) -> int:
        """The number of features of the member that has the most."""
        return max(member.dimension for member in self.members)

    def __call__(self, x: object) -> object:
        """Predict the label of one x."""
        found = self._labels(row_of(self, x))[0]
        return found.item() if isinstance(found, np.generic) else found

    def predict(self, X: object) -> AnyArray:
        """Predict the label of every row."""
        return self._labels(block_of(self, X))

    def scores(self, X: object) -> AnyArray:
        """Return the probability of every class."""
        return self.probabilities(X)

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of every class, one row for each x and one column per class."""
        block = block_of(self, X)
        found = np.zeros((len(block), self.classes))
        for weight, member in zip(self.weights.tolist(), self.members, strict=True):
            assert isinstance(member, GivesClassProbabilities)
            found += weight * member.probabilities(block)
        return np.minimum(found, 1.0)

    def _labels(self, block: Block) -> AnyArray:
        codes = self.probabilities(block).argmax(axis=1)
        return ClassLabels(self.labels).decode(codes) if self.labels else codes

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, one per class."""
        return type(self)(self.members, self.weights, labels)

    def _state(self) -> State:
        arrays = {"weights": np.array(self.weights)} | states_of(self.members)
        return {"members": described(self.members)}, arrays

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        listed = metadata["members"]
        if not isinstance(listed, list) or not all(map(is_about, listed)):
            raise ValueError("a list of members")
        members = [restored_member(about, arrays, k) for k, about in enumerate(listed)]
        return cls(members, arrays["weights"], labels)
