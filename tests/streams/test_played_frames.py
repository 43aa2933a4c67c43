"""Frames as streams: the rows of a table are dicts."""

from typing import Any

import numpy as np
import pytest

import novikoff as nv


def _columns() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    columns = {
        "size": rng.integers(-5, 6, 200) / 10,
        "count": rng.integers(0, 3, 200),
        "odd": rng.random(200) < 0.5,
        "kind": rng.choice(["red", "green", "blue"], 200),
    }
    columns["label"] = np.where(columns["size"] + columns["count"] > 1, "big", "small")
    return columns


def _made(name: str, columns: Any) -> Any:
    library = pytest.importorskip(name, reason=f"{name} is one of the libraries of frames")
    if name == "pyarrow":
        return library.table(columns)
    if name == "duckdb":
        table = pytest.importorskip("pyarrow").table(columns)
        return library.connect().from_arrow(table)
    frame = library.DataFrame(columns)
    return frame.set_index(frame["count"] * 7) if name == "pandas" else frame


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow", "duckdb"])
def test_frames_are_rows_of_dicts(name: str) -> None:
    columns = _columns()
    frame = _made(name, columns)
    keys = [key for key in columns if key != "label"]
    X = [
        dict(zip(keys, row, strict=True))
        for row in zip(*(columns[key].tolist() for key in keys), strict=True)
    ]
    expected = nv.play(nv.Perceptron(), nv.stream(X, columns["label"], positive="big"), passes=2)
    run = nv.play(nv.Perceptron(), nv.stream(frame, "label", positive="big"), passes=2)
    assert run.ledger.mistake_rounds.tolist() == expected.ledger.mistake_rounds.tolist()
    assert run.hypothesis().weights() == expected.hypothesis().weights()  # type: ignore[attr-defined]
    assert np.array_equal(run.predict(frame), expected.predict(X))
    with pytest.raises(
        nv.ParameterError, match=r"y: expected a column of the frame \('size', 'count"
    ):
        nv.stream(frame, "missing")


def test_frames_may_have_weights_and_labels_apart_and_faults_are_named() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1.0, 2.0, None], "y": [1, -1, 1], "w": [1.0, 3.0, 1.0]})
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match="round 3: expected a value in column 'a', got none"):
        run.play(nv.stream(table, "y", weights="w"))
    assert run.hypothesis().weights() == {"a": -6.0}  # type: ignore[attr-defined]
    assert run.ledger.weighted
    apart = nv.stream(table.slice(0, 2).select(["a"]), [1, -1], weights=[1.0, 3.0])
    assert nv.play(nv.Perceptron(), apart).hypothesis().weights() == {"a": -6.0}  # type: ignore[attr-defined]
    with pytest.raises(nv.ParameterError, match="weights: expected None or a column"):
        nv.stream(table, "y", weights=[1.0])
    with pytest.raises(nv.ParameterError, match="weights: expected a column other than"):
        nv.stream(table, "y", weights="y")
    with pytest.raises(nv.InputError, match="column 'when': expected numbers, strings or bools"):
        nv.stream(pa.table({"when": pa.array([0], pa.timestamp("s")), "y": [1]}), "y")
    with pytest.raises(nv.InputError, match="used up by its first pass"):
        nv.play(nv.Perceptron(), nv.stream(table.to_reader(), "y"), passes=2)
    with pytest.raises(nv.InputError, match="Name its label"):
        nv.play(nv.Perceptron(), table)
