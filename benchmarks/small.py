"""Small fits, the whole call: breast cancer (569 × 30) and digits (1797 × 64, two halves)."""

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nv
from benchmarks.peer import one_pass, ours
from benchmarks.table import Row
from benchmarks.timing import compare


def rows() -> Iterator[Row]:
    X, y = load_breast_cancer(return_X_y=True)
    yield compare(
        "small 569 × 30", 20, one_pass(X, y), ours(nv.Perceptron, X, y), turns=9, calls=100
    )
    X, target = load_digits(return_X_y=True)
    y = np.where(target >= 5, 1, 0)
    yield compare(
        "small 1797 × 64", 20, one_pass(X, y), ours(nv.Perceptron, X, y), turns=9, calls=100
    )
