"""Hashed features: 2^22 columns, binary values, 30 nonzeros a row."""

from collections.abc import Iterator

import novikoff as nv
from benchmarks.documents import by_frequency, documents
from benchmarks.peer import one_pass, ours
from benchmarks.table import Row
from benchmarks.timing import compare


def rows() -> Iterator[Row]:
    X, y = documents(500_000, 2_000_000, 30, 0.25, columns=2**22, binary=True)
    yield compare("hashed 500k × 2²², 30 ones", 3, one_pass(X, y), ours(nv.Perceptron, X, y))
    X, y = documents(200_000, 2_000_000, 30, 0.25, columns=2**22, binary=True)
    X = by_frequency(X)
    work = "hashed 200k × 2²², 30 ones, columns by frequency"
    yield compare(work, 3, one_pass(X, y), ours(nv.Perceptron, X, y))
