"""What a mixture of members has learned: their hypotheses, mixed with mean weights."""

from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from novikoff.errors import parameter
from novikoff.learners.hypothesis import Hypothesis, State, checked_labels, finite
from novikoff.learners.losses.logit import logit
from novikoff.learners.row_hypothesis import block_of, row_of
from novikoff.streams import BinaryLabels, Block
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label, Plain


@runtime_checkable
class GivesProbabilities(Protocol):
    """A hypothesis of two labels that gives probabilities."""

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        ...


def gives_probabilities(h: Hypothesis) -> bool:
    """Say whether it is a hypothesis of two labels that gives probabilities."""
    return isinstance(h, GivesProbabilities) and not h.multiclass


class MixtureHypothesis(Hypothesis):
    """A fixed mixture of frozen models, which gives probabilities.

    P(+1 | x) = Σ_k π_k p_k(x), with every member frozen; h(x) = +1 if it is at least ½.

    ``members`` are hypotheses that give probabilities, and ``weights`` their π_k.
    """

    def __init__(
        self,
        members: Sequence[Hypothesis],
        weights: npt.ArrayLike,
        labels: tuple[Label, ...] = (),
    ) -> None:
        self.members = tuple(members)
        if not (self.members and all(map(gives_probabilities, self.members))):
            raise parameter("members", "hypotheses that give probabilities", members)
        self.weights = finite("weights", weights, 1)
        if len(self.weights) != len(self.members) or not (self.weights >= 0).all():
            raise parameter("weights", "a weight of at least 0 for each member", weights)
        self.labels = checked_labels(labels, 2)
        self.features = None

    def __repr__(self) -> str:
        return f"MixtureHypothesis({len(self.members)} members)"

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
        """Return ln(p/(1 − p)) for every row."""
        return logit(self.probabilities(X))

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label for every row."""
        block = block_of(self, X)
        found = np.zeros(len(block))
        for weight, member in zip(self.weights.tolist(), self.members, strict=True):
            assert isinstance(member, GivesProbabilities)
            found += weight * member.probabilities(block)
        return np.minimum(found, 1.0)

    def _labels(self, block: Block) -> AnyArray:
        codes = np.where(self.probabilities(block) >= 0.5, np.int8(1), np.int8(-1))
        if not self.labels:
            return codes.astype(np.int64)
        return BinaryLabels(known=self.labels).decode(codes)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels, (that of −1, that of +1)."""
        return type(self)(self.members, self.weights, labels)

    def _state(self) -> State:
        about, arrays = [], {"weights": np.array(self.weights)}
        for k, member in enumerate(self.members):
            metadata, own = member.contents()
            about.append({"kind": type(member).__name__, **metadata})
            arrays |= {f"member{k}.{name}": array for name, array in own.items()}
        return {"members": about}, arrays

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        members = [
            _member(about, {
                name.removeprefix(f"member{k}."): array
                for name, array in arrays.items()
                if name.startswith(f"member{k}.")
            })
            for k, about in enumerate(_listed(metadata["members"]))
        ]  # fmt: skip
        return cls(members, arrays["weights"], labels)


def _listed(value: Plain) -> list[Fields]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError("a list of members")
    return value


def _member(about: Fields, arrays: Arrays) -> Hypothesis:
    kind = about.pop("kind", None)
    if kind not in Hypothesis.kinds:
        raise ValueError("members of known kinds")
    return Hypothesis.kinds[str(kind)].from_contents(about, arrays)
