"""A sparse pass in memory: 500,000 rows, 47,000 features, 75 nonzeros a row."""

from collections.abc import Iterator

import novikoff as nv
from benchmarks.documents import by_frequency, documents
from benchmarks.peer import one_pass, ours
from benchmarks.table import Row
from benchmarks.timing import compare


def rows() -> Iterator[Row]:
    X, y = documents(500_000, 47_000, 76, 0.15)
    yield compare("sparse 500k × 47k, 75 nonzeros", 2, one_pass(X, y), ours(nv.Perceptron, X, y))
    X, y = documents(200_000, 47_000, 76, 0.15)
    X = by_frequency(X)
    work = "sparse 200k × 47k, 75 nonzeros, columns by frequency"
    yield compare(work, 2, one_pass(X, y), ours(nv.Perceptron, X, y))
