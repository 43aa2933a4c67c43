"""The estimators that are tested, and rows to fit them on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import novikoff as nv

pytest.importorskip("sklearn", reason="the estimators are scikit-learn's")


from novikoff.sklearn import (
    AveragedPerceptronClassifier,
    MinnowClassifier,
    PerceptronClassifier,
    VotedPerceptronClassifier,
)

LEARNERS: dict[Any, Callable[[], nv.Learner]] = {
    PerceptronClassifier: lambda: nv.Perceptron(bias=1.0),
    AveragedPerceptronClassifier: lambda: nv.AveragedPerceptron(bias=1.0),
    VotedPerceptronClassifier: lambda: nv.VotedPerceptron(bias=1.0),
    MinnowClassifier: lambda: nv.BalancedMinnow(eta=0.1, bias=1.0),
}

every = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)

every_problem = pytest.mark.parametrize("classes", [2, 3], ids=["two classes", "three classes"])


def noisy_rows(classes: int = 2, rows: int = 120, seed: int = 0) -> tuple[Any, Any]:
    """Noisy rows of small integers, so that plain float sums are exact; labels 0, 1, …."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rows, 6)).astype(float)
    scores = X @ rng.integers(-2, 3, (6, classes)) + rng.integers(-2, 3, (rows, classes))
    return X, scores.argmax(axis=1)


def same_model(one: Any, other: Any, X: Any) -> bool:
    """Whether two estimators learned the same, to the bit."""
    pairs = zip(runs_of(one), runs_of(other), strict=True)
    return np.array_equal(one.decision_function(X), other.decision_function(X)) and all(
        a.ledger.mistake_rounds.tolist() == b.ledger.mistake_rounds.tolist() for a, b in pairs
    )


def runs_of(model: Any) -> list[nv.Run]:
    return model.run_ if isinstance(model.run_, list) else [model.run_]
