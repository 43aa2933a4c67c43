"""The kernel perceptron: 20,000 × 784 until 3,000 supports, against a product a round in NumPy."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.table import Row
from benchmarks.timing import compare

_ROWS, _COLUMNS, _SUPPORTS, _DEGREE = 20_000, 784, 3000, 3


def rows() -> Iterator[Row]:
    X, y = _images()
    work = f"kernel perceptron 20k × 784, degree {_DEGREE}, {_SUPPORTS} supports"
    yield compare(work, 2, lambda: _one_by_one(X, y), lambda: _ours(X, y), turns=3)


def _images() -> tuple[Any, Any]:
    """Rows of 0 to 255, a fifth of them not 0, and labels of which so many are wrong."""
    rng = np.random.default_rng(0)
    X = np.floor(rng.random((_ROWS, _COLUMNS)) * 256) * (rng.random((_ROWS, _COLUMNS)) < 0.2)
    scores = (X - X.mean(axis=0)) @ rng.standard_normal(_COLUMNS)
    return X, np.where(scores >= 0, 1, -1)


def _ours(X: Any, y: Any) -> nv.Run:
    learner = nv.KernelPerceptron(nv.polynomial(_DEGREE, 1e6), budget=_SUPPORTS)
    return nv.play(learner, nv.stream(X, y))


def _one_by_one(X: Any, y: Any) -> int:
    """The plain way: one product of the supports with x, one power, one sum a round."""
    supports, a, count = np.zeros((_SUPPORTS, _COLUMNS)), np.zeros(_SUPPORTS), 0
    mistakes = 0
    for x, label in zip(X, y, strict=True):
        products = supports[:count] @ x
        score = a[:count] @ (products + 1e6) ** _DEGREE
        if (1 if score >= 0 else -1) != label:
            mistakes += 1
            if count < _SUPPORTS:
                supports[count], a[count] = x, label
                count += 1
    return mistakes
