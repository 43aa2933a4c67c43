"""Dense rows of 200 values: 500,000, and 200,000 whose values need all bits of a float64."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.peer import one_pass, ours
from benchmarks.table import Row
from benchmarks.timing import compare


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X: Any = rng.standard_normal((500_000, 200), dtype=np.float32)
    y = np.where(X @ rng.standard_normal(200) + 3 * rng.standard_normal(500_000) >= 0, 1, -1)
    yield compare("dense 500k × 200, float32", 5, one_pass(X, y), ours(nv.Perceptron, X, y))
    X = X.astype(np.float64)
    yield compare("dense 500k × 200, float64", 4, one_pass(X, y), ours(nv.Perceptron, X, y))
    X = rng.standard_normal((200_000, 200))
    y = np.where(X @ rng.standard_normal(200) + 3 * rng.standard_normal(200_000) >= 0, 1, -1)
    yield compare("dense 200k × 200, float64", 4, one_pass(X, y), ours(nv.Perceptron, X, y))
    X = X.astype(np.float32)
    yield compare("dense 200k × 200, float32", 5, one_pass(X, y), ours(nv.Perceptron, X, y))
