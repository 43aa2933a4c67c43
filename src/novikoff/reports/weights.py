"""The features that weigh most in what a run has learned."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from novikoff.errors import InputError, ParameterError
from novikoff.learners.hypothesis import Feature, Hypothesis
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.learners.losses.blend_hypothesis import BlendHypothesis
from novikoff.learners.losses.class_hypothesis import ClassBlendHypothesis
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.playing.run import Run
from novikoff.types import Label

_FEATURES, _FEATURES_OF_CLASS = 16, 5


@dataclass(frozen=True)
class Weights:
    """The features that weigh most, in a halfspace or in one class."""

    label: Label | None  # the class; None for a halfspace
    features: list[tuple[Feature, float]]
    constant: float | None
    sizes: list[float]
    """How much each of the features matters: |weight|, times max |x| if that is known."""


@runtime_checkable
class _Weighing(Protocol):
    """A hypothesis for two labels that has one weight per feature."""

    bias: float | None
    bias_weight: float

    def top(self, count: int = 20) -> list[tuple[Feature, float]]: ...


def weights_of(run: Run) -> tuple[Weights, ...]:
    """Return the features that weigh most in the hypothesis; nothing if it has no weights."""
    try:
        h = run.hypothesis()
    except (ParameterError, InputError):  # a foreign learner, or one without a class yet
        return ()
    return tuple(found for found in _weights(h) if found.features)


def _weights(h: Hypothesis) -> list[Weights]:
    if isinstance(h, Multiclass):
        constants = [None if h.bias is None else float(w) for w in h.bias_weights]
        top = h.top(_FEATURES_OF_CLASS).items()
        return [
            Weights(label, features, w, _plain_sizes(features))
            for (label, features), w in zip(top, constants, strict=True)
        ]
    if isinstance(h, ClassBlendHypothesis):
        moves = h.moves()
        return [
            Weights(label, features, None, [moves[label][name] for name, _ in features])
            for label, features in h.top(_FEATURES_OF_CLASS).items()
        ]
    if isinstance(h, RowHypothesis) and isinstance(h, _Weighing):
        features = h.top(_FEATURES)
        sizes = _plain_sizes(features)
        if isinstance(h, BlendHypothesis):
            sizes = [h.moves()[name] for name, _ in features]
        return [Weights(None, features, None if h.bias is None else h.bias_weight, sizes)]
    return []


def _plain_sizes(features: list[tuple[Feature, float]]) -> list[float]:
    return [abs(weight) for _, weight in features]
