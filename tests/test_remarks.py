"""What ``novikoff learn`` says of labels that make a run say little, and of columns left out."""

from pathlib import Path

import pytest

import novikoff as nv
from commands import Call

pa = pytest.importorskip("pyarrow", reason="tables need the extra files")
import pyarrow.parquet  # noqa: E402


def _rows(labels: list[str]) -> str:
    rows = [f"{t % 7},{(-1) ** t},{label}" for t, label in enumerate(labels)]
    return "\n".join(["a,b,kind", *rows]) + "\n"


def test_a_positive_label_that_no_row_has_is_refused(call: Call) -> None:
    """Before a model is written; it would have learned to say −1."""
    Path("t.csv").write_text(_rows(["UP", "DOWN"] * 20))
    found = call("learn t.csv --label kind --positive up --save m")
    assert (found.code, "got 'up', which no row has" in found.err) == (2, True)
    assert not Path("m").exists()


def test_one_label_alone_is_remarked(call: Call) -> None:
    """A part of a stream may have no click; the run stands."""
    Path("t.csv").write_text(_rows(["no"] * 20))
    found = call("learn t.csv --label kind --positive click --save m")
    assert (found.code, "every row has the same label" in found.err) == (0, True)


@pytest.mark.parametrize(
    ("labels", "sorted_"),
    [(["p"] * 60 + ["q"] * 60, True), (["p", "q", "q"] * 40, False)],
    ids=["in two runs", "mixed"],
)
def test_rows_sorted_by_label_are_remarked(call: Call, labels: list[str], sorted_: bool) -> None:
    Path("t.csv").write_text(_rows(labels))
    found = call("learn t.csv --label kind --positive p")
    assert ("look sorted by label" in found.err) == sorted_
    several = call("learn t.csv --label kind --positive p --passes 2")
    assert several.err == "", "later passes are sorted anyhow"


def test_only_the_rounds_of_this_input_say_whether_it_is_sorted(call: Call) -> None:
    """A few rows after many others have few changes, and are in no order."""
    Path("many.csv").write_text(_rows(["p", "q", "q"] * 400))
    Path("few.csv").write_text(_rows(["p", "q", "q"] * 2))
    call("learn many.csv --label kind --positive p --save m")
    assert call("learn few.csv --label kind --resume m").err == ""


def test_an_ignored_column_is_no_feature(call: Call) -> None:
    """In every kind of table: the run is that of the file without it."""
    Path("t.csv").write_text("id,a,b,label\nx7,1,2,1\nx8,2,-1,0\nx9,0,-3,0\n")
    Path("bare.csv").write_text("a,b,label\n1,2,1\n2,-1,0\n0,-3,0\n")
    rows = [{"id": ["x"], "a": 1, "b": 2}, {"id": ["x"], "a": 2, "b": -1}, {"id": [], "b": -3}]
    lines = [str(row | {"label": label}) for row, label in zip(rows, (1, 0, 0), strict=True)]
    Path("t.jsonl").write_text("\n".join(lines).replace("'", '"') + "\n")
    cells = {"id": ["x7", "x8", "x9"], "a": [1, 2, 0], "b": [2, -1, -3], "label": [1, 0, 0]}
    pyarrow.parquet.write_table(pa.table(cells), "t.parquet")
    bare = nv.play(nv.Perceptron(), nv.read("bare.csv"), digest=True)
    for file in ("t.csv", "t.parquet"):
        run = nv.play(nv.Perceptron(), nv.read(file, ignore=["id"]), digest=True)
        assert run.ledger.digest == bare.ledger.digest
    run = nv.play(nv.Perceptron(), nv.read("t.jsonl", ignore=["id"]))
    h = run.hypothesis()
    assert isinstance(h, nv.Halfspace)
    assert h.weights() == {"a": -2.0, "b": 1.0}
    call("learn t.csv --ignore id --save m")
    assert call("predict m t.csv").out == "1\n0\n0\n", "the model remembers it"
    for file in ("t.csv", "t.parquet"):
        assert "expected a column of" in call(f"learn {file} --ignore name").err


def test_a_model_remembers_the_label_s_column(call: Call) -> None:
    """So that it is no feature where it is there, and not missed where it is not."""
    Path("t.csv").write_text(_rows(["p", "q", "q"] * 9))
    Path("new.csv").write_text("a,b\n1,1\n2,-1\n")
    call("learn t.csv --label kind --positive p --save m --certify m.json")
    assert call("predict m t.csv --json").json["rows"] == 27
    assert len(call("predict m new.csv").out.split()) == 2
    assert call("certify m t.csv").code == 0
