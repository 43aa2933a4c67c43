"""Rows and labels in the wrong order are refused with what is wrong."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

X, Y = np.eye(4), np.array([1, -1, 1, -1])
SWAPPED: dict[str, tuple[Any, Any]] = {
    "arrays": (Y, X),
    "lists": (Y.tolist(), X.tolist()),
    "list of texts": (["ham", "spam"], [[1, 2], [3, 4]]),
    "dicts": (["ham", "spam"], [{"a": 1}, {"b": 2}]),
    "texts": (np.array(["ham", "spam", "ham", "spam"]), X),
    "sparse": (Y, sp.csr_array(X)),
}


@pytest.mark.parametrize("name", SWAPPED)
def test_labels_before_rows_are_refused(name: str) -> None:
    labels, rows = SWAPPED[name]
    _assert_refused(labels, rows)
    assert nv.stream(rows, labels).rounds == len(labels)


def test_labels_before_frames_are_refused() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is one of the libraries of frames")
    frame = pd.DataFrame({"a": [1.0, 2.0], "label": [1, -1]})
    _assert_refused(pd.Series(Y), pd.DataFrame(X))
    assert nv.stream(pd.DataFrame(X), pd.Series(Y)).rounds == len(Y)
    _assert_refused("label", frame)
    assert nv.stream(frame, "label").rounds == len(frame)


def _assert_refused(labels: Any, rows: Any) -> None:
    with pytest.raises(nv.InputError, match=r"X, y: expected rows .* look swapped\. Say nv.stream"):
        nv.stream(labels, rows)


def test_other_shapes_have_their_own_errors() -> None:
    with pytest.raises(nv.InputError, match="X: expected two dimensions"):
        nv.stream(Y, Y)
    with pytest.raises(nv.InputError, match="y: expected one label for each of the 4 rows"):
        nv.stream(X, X)
    assert nv.stream(["low", "high"], [-1, 1]).rounds == 2  # points of a finite class
