"""The river models that are tested, and rows to teach them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from river import datasets as river_datasets

import novikoff.river as nr

datasets: Any = river_datasets  # river types some of what it offers

MODELS: dict[str, Callable[[], Any]] = {
    "perceptron": nr.PerceptronClassifier,
    "perceptron-ties-mistake": lambda: nr.PerceptronClassifier(ties="mistake", bias=None),
    "perceptron-weighted": lambda: nr.PerceptronClassifier(class_weight={True: 3.0, False: 0.5}),
    "averaged": nr.AveragedPerceptronClassifier,
    "voted": nr.VotedPerceptronClassifier,
    "voted-capped": lambda: nr.VotedPerceptronClassifier(max_voters=20),
    "minnow": nr.MinnowClassifier,
    "blend": nr.BlendClassifier,
    "adaptive-gradient": nr.AdaptiveGradientClassifier,
    "adaptive-gradient-half": lambda: nr.AdaptiveGradientClassifier(rate=0.5, bias=None),
    "adaptive-gradient-weighted": lambda: nr.AdaptiveGradientClassifier(
        class_weight={True: 1.125}, max_weight=3.0
    ),
    "multiclass": nr.MulticlassPerceptronClassifier,
    "multiclass-averaged": lambda: nr.MulticlassPerceptronClassifier(averaged=True),
}

PROBABLE = ("blend", "adaptive-gradient", "adaptive-gradient-half", "adaptive-gradient-weighted")
CURRENT = (
    "perceptron", "perceptron-ties-mistake", "perceptron-weighted", "minnow", "multiclass",
    *PROBABLE,
)  # fmt: skip

probable_model = pytest.mark.parametrize("name", PROBABLE)
label_model = pytest.mark.parametrize("name", [name for name in MODELS if name not in PROBABLE])
binary_model = pytest.mark.parametrize(
    "name", [name for name in MODELS if not name.startswith("multiclass")]
)
every_model = pytest.mark.parametrize("name", MODELS)


def lessons() -> tuple[list[dict[str, float]], list[bool]]:
    """300 rows that are one of four or its negative: sums of decimals tie, or nearly do."""
    rng = np.random.default_rng(13)
    few = rng.choice([0.1, 0.2, 0.3, 0.7], (4, 5)) * rng.choice([-1, 1], (4, 5))
    values = few[rng.integers(0, 4, 300)] * rng.choice([-1, 1], (300, 1))
    rows = [dict(zip("abcde", row.tolist(), strict=True)) for row in values]
    return rows, (rng.random(300) < 0.5).tolist()


def questions() -> list[dict[str, float]]:
    """Other rows, to ask about."""
    values = np.random.default_rng(0).standard_normal((100, 5)) * 100
    return [dict(zip("abcde", row.tolist(), strict=True)) for row in values]


def labels_for(name: str, y: list[bool]) -> list[Any]:
    if not name.startswith("multiclass"):
        return list(y)
    return [("no", "yes", "often")[label + t % 2] for t, label in enumerate(y)]


def taught_model(name: str, count: int = 300) -> Any:
    model, (rows, y) = MODELS[name](), lessons()
    for x, label in zip(rows[:count], labels_for(name, y), strict=False):
        model.learn_one(x, label)
    return model


def heavy(name: str) -> float:
    """A weight that a model takes: one other than 1, unless its largest is not declared."""
    return 1.0 if name in PROBABLE[:3] else 2.0


def state_of(model: Any) -> dict[str, Any]:
    """All that a model has learned, and its receipt."""
    metadata: dict[str, Any]
    metadata, arrays = model.run._state()
    return metadata | {name: array.tolist() for name, array in arrays.items()}
