"""Sixteen classes in one pass; the peer trains one against the rest, sixteen times."""

from collections.abc import Iterator

import numpy as np

import novikoff as nv
from benchmarks.documents import by_frequency, documents
from benchmarks.peer import one_pass, ours
from benchmarks.table import Row
from benchmarks.timing import compare


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200_000, 200))
    y = np.argmax(X @ rng.standard_normal((200, 16)), axis=1)
    peer, our_own = one_pass(X, y), ours(nv.MulticlassPerceptron, X, y)
    yield compare("16 classes, dense 200k × 200", 6, peer, our_own, turns=5)
    X, y = documents(200_000, 47_000, 76, 0.4, topics=16)
    peer, our_own = one_pass(X, y), ours(nv.MulticlassPerceptron, X, y)
    yield compare("16 classes, sparse 200k × 47k, 75 nonzeros", 6, peer, our_own, turns=5)
    X, y = documents(200_000, 47_000, 76, 0.4, topics=16)
    X = by_frequency(X)
    work = "16 classes, sparse 200k × 47k, 75 nonzeros, columns by frequency"
    peer, our_own = one_pass(X, y), ours(nv.MulticlassPerceptron, X, y)
    yield compare(work, 6, peer, our_own, turns=5)
