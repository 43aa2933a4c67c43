"""Members of a mixture as users write them, and rounds for them."""

from typing import Any

import numpy as np

import novikoff as nv


def blend_of(members: list[Any]) -> nv.Mixture:
    found: object = nv.Blend(members=members)
    assert isinstance(found, nv.Mixture)
    return found


class Frequency:
    """A learner as a user writes it."""

    def __init__(self) -> None:
        self.counts = {-1: 1, 1: 1}

    def probability(self, x: object) -> float:
        return self.counts[1] / sum(self.counts.values())

    def update(self, x: object, y: int) -> None:
        self.counts[y] += 1


class River:
    """What river calls a classifier."""

    def __init__(self) -> None:
        self.counts: dict[bool, int] = {}

    def predict_proba_one(self, x: Any) -> dict[bool, float]:
        total = sum(self.counts.values())
        return {label: count / total for label, count in self.counts.items()}

    def learn_one(self, x: Any, y: bool) -> None:
        self.counts[y] = self.counts.get(y, 0) + 1


def mixture_data(rounds: int = 80, features: int = 4, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, features)) * [1.0, 100.0, 0.01, 1.0]
    X *= rng.random(X.shape) < 0.7
    return X, np.where(X[:, 0] + X[:, 1] / 100 + rng.standard_normal(rounds) / 2 >= 0, 1, -1)
