"""Hypotheses about any structure: h(x) = argmax_z w·Φ(x, z)."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.learners.hypothesis import Hypothesis, State, by_size
from novikoff.learners.structured.chain import packed_texts, unpacked_texts
from novikoff.saving.contents import fields_of, parsed, rounds_of
from novikoff.structures import Problem, Trees
from novikoff.structures.chains import checked_sentences
from novikoff.structures.problem import score
from novikoff.types import Arrays, Fields, FloatArray, Label, Plain


class Structured(Hypothesis):
    """h(x) = argmax_z w·Φ(x, z), over the outputs of a ``Problem``.

    Weights are whole numbers, ``rounds`` times those of the average.
    """

    problem: Problem
    rounds: int
    labels: tuple[Label, ...] = ()
    features = None

    def __call__(self, x: object) -> Any:
        """Predict the output of one x."""
        if fault := self.problem.fault(x, None, False):
            raise InputError(f"x: {fault}")
        return self.best(x)[1]

    def predict(self, X: object) -> list[Any]:  # type: ignore[override]
        """Predict the output of every x."""
        return [found for _, found in self._all(X)]

    def scores(self, X: object) -> FloatArray:
        """w·Φ(x, h(x)) of every x."""
        return np.array([value for value, _ in self._all(X)], np.float64)

    @abstractmethod
    def best(self, x: Any) -> tuple[float, Any]:
        """Return (score, output) of a valid x."""

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the hypothesis itself: its outputs are its labels."""
        return self

    def _all(self, X: object) -> list[tuple[float, Any]]:
        rows = checked_sentences(X)
        for t, x in enumerate(rows, 1):
            if fault := self.problem.fault(x, None, False):
                raise InputError(f"example {t}: {fault}")
        return [self.best(x) for x in rows]


class Weighted(Structured):
    """h(x) = argmax_z w·Φ(x, z), by the problem's own ``best``."""

    def __init__(self, problem: Problem, whole: Counter[Hashable], rounds: int = 1) -> None:
        self.problem, self.rounds = problem, rounds
        self.whole = Counter({name: value for name, value in whole.items() if value})

    def __repr__(self) -> str:
        return f"Weighted({self.problem!r}, {self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features that weigh something."""
        return len(self.whole)

    def best(self, x: Any) -> tuple[float, Any]:
        """Return (score, output) of a valid x."""
        found = self.problem.best(self.whole, x)
        return score(self.whole, self.problem.features(x, found)) / self.rounds, found

    def weights(self) -> dict[Hashable, float]:
        """Return {feature: weight} of the weights other than 0."""
        return {name: value / self.rounds for name, value in self.whole.items()}

    def top(self, count: int = 20) -> list[tuple[Hashable, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def _state(self) -> State:
        plain = {"kind": type(self.problem).__name__, **self.problem.arguments}
        return {"problem": plain, "rounds": self.rounds}, packed_counts(self.whole)

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        arguments = dict(fields_of(metadata, "problem"))
        kind = Problem.kinds[str(arguments.pop("kind"))]
        return cls(kind(**arguments), unpacked_counts(arrays), rounds_of(metadata))


class Tree(Structured):
    """A parser that has learned: finds the best tree of a sentence.

    h(x) is the best projective tree, found exactly by Eisner's algorithm.
    """

    def __init__(self, names: _core.TreeNames, whole: _core.ArcWeights, rounds: int = 1) -> None:
        self.problem, self.rounds = Trees(), rounds
        self.names, self.whole = names, whole

    def __repr__(self) -> str:
        return f"Tree({self.dimension} features)"

    @property
    def dimension(self) -> int:
        """The number of features of arcs that were learned from."""
        return len(self.whole)

    def best(self, x: Sequence[tuple[str, str]]) -> tuple[float, list[int]]:
        """Return (score, heads) of a valid sentence."""
        value, heads = self.whole.best(self.names, [(word, tag) for word, tag in x])
        return value / self.rounds, heads

    def _state(self) -> State:
        keys, values = self.whole.entries()
        arrays = {"keys": keys, "values": values, **packed_texts(self.names.words())}
        tags = packed_texts(self.names.tags())
        return {"rounds": self.rounds}, arrays | {f"tag_{k}": a for k, a in tags.items()}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        names = _core.TreeNames()
        names.add(unpacked_texts(arrays), unpacked_texts(arrays, "tag_"))
        whole = _core.ArcWeights(arrays["keys"], arrays["values"])
        return cls(names, whole, rounds_of(metadata))


def packed_counts(counts: Counter[Hashable]) -> Arrays:
    """Return features, as JSON, and their whole numbers, as arrays."""
    values = np.array([int(v) for v in counts.values()], np.int64)
    return {"values": values, **packed_texts([json.dumps(name) for name in counts])}


def unpacked_counts(arrays: Arrays) -> Counter[Hashable]:
    """Return what ``packed_counts`` wrote down."""
    if arrays["values"].dtype != np.int64 or arrays["values"].ndim != 1:
        raise ValueError("weights that are not whole numbers")
    names = [_hashable(parsed(text)) for text in unpacked_texts(arrays)]
    if len(set(names)) < len(names):
        raise ValueError("a feature twice")
    return Counter(dict(zip(names, arrays["values"].tolist(), strict=True)))


def _hashable(value: Plain) -> Hashable:
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        raise ValueError("a feature that is an object")
    return value
