"""Sixteen classes in one pass; the peer trains one against the rest, sixteen times."""

from collections.abc import Iterator

import novikoff as nv
from benchmarks.documents import documents
from benchmarks.peer import one_pass, ours
from benchmarks.timing import Row, compare


def rows() -> Iterator[Row]:
    X, y = documents(200_000, 47_000, 76, 0.4, topics=16)
    yield compare(
        "16 classes, 200k × 47k, 75 nonzeros",
        6,
        one_pass(X, y),
        ours(nv.MulticlassPerceptron, X, y),
        turns=5,
    )
