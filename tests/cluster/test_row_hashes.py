"""Rows in memory have a hash in the plan of a folder, so that others are noticed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster
from novikoff.cluster.row_hashes import hash_of_rows

ROWS: dict[str, tuple[Any, Any]] = {
    "labels": (np.eye(3)[[0, 1, 2] * 10], np.array([1, -1, 1] * 10)),
    "named": ([{"a": 1.0}, {"b": 1.0}, {"a": 1.0, "b": 2.0}] * 10, np.array([1, -1, 1] * 10)),
}


def played(folder: Path, data: object, learner: Any = None, epochs: int = 1) -> None:
    learner = nv.Perceptron() if learner is None else learner
    cluster.play(learner, data, shards=2, epochs=epochs, folder=folder)


@pytest.mark.parametrize(("X", "y"), ROWS.values(), ids=ROWS)
def test_rows_in_memory_that_changed_are_refused(X: Any, y: Any, tmp_path: Path) -> None:
    played(tmp_path, nv.stream(X, y))
    played(tmp_path, nv.stream(X, y), epochs=2)
    for other in (nv.stream(X, -y), nv.stream(X[::-1], y)):
        with pytest.raises(nv.InputError, match="begun with: rows '"):
            played(tmp_path, other, epochs=3)


def test_sentences_that_changed_are_refused(tmp_path: Path) -> None:
    learner = nv.StructuredPerceptron(nv.Chains("w[0]", ["w"]))
    pairs: list[Any] = [(["the", "cat"], ["D", "N"]), (["cat"], ["N"])] * 4
    played(tmp_path, pairs, learner)
    played(tmp_path, pairs, learner, epochs=2)
    pairs[1] = (["cat"], ["D"])
    with pytest.raises(nv.InputError, match="begun with: rows '"):
        played(tmp_path, pairs, learner, epochs=3)


@pytest.mark.parametrize(
    "weights", [None, [2.0] * 30, [1.0] * 29 + [2.0]], ids=["none", "others", "one more"]
)
def test_weights_are_part_of_the_rows(weights: Any) -> None:
    X, y = ROWS["labels"]
    ours = hash_of_rows(nv.stream(X, y, weights=[1.0] * 30))
    assert ours == hash_of_rows(nv.stream(X.copy(), y.copy(), weights=[1.0] * 30))
    assert ours != hash_of_rows(nv.stream(X, y, weights=weights))


def test_rows_that_are_no_plain_data_have_no_hash() -> None:
    """Their text may differ from one process to the next."""
    pairs: Any = [([object()], ["N"])] * 4
    stream = nv.StructuredPerceptron(nv.Chains("w[0]", ["w"])).stream_of(pairs)
    assert hash_of_rows(stream) is None
