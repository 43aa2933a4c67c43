"""Dates are refused by the name of their column, unless the user wants them as categories."""

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call
from novikoff.streams.dates import is_date

DATES = [
    "2024-12-31", "2024-1-5", " 2024-12-31T23:59:59Z", "2024-12-31 23:59", "2024-12-31T23:59:59.5",
    "2024-12-31T23:59:59+01:00", "2024/12/31", "31/12/2024", "12/31/24", "31.12.2024", "31-12-2024",
    "31 Dec 2024", "31-Dec-24", "December 31, 2024", "Dec 31st 2024",
    "Tue, 31 Dec 2024 10:00:00 GMT",
    "12/31/2024 1:05 PM", "20241231T235959Z",
]  # fmt: skip
OTHERS = [
    "", "?", "2024", "3.14", "-1e5", "10.0.0.1", "1/2", "1.2.34", "1.2.3", "12345-678", "may",
    "May", "2024-12", "12:30", "a 2024-12-31", "2024-12-31x", "20241231", "31/12", "5-10",
    "10-20-30",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", DATES)
def test_a_date_is_one(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize("text", OTHERS)
def test_other_texts_are_no_dates(text: str) -> None:
    assert not is_date(text)


@pytest.mark.parametrize("date", ["2024-12-31T10:00:00", "31/12/2024", "31.12.2024"])
def test_a_csv_column_of_dates_is_refused_by_name_with_advice(call: Call, date: str) -> None:
    Path("t.csv").write_text(f"a,when,label\n1,{date},1\n2,{date},0\n")
    told = call("learn t.csv")
    assert told.code == 3
    assert f"t.csv: expected numbers or categories in column 'when', got the date '{date}'" in (
        told.err
    )
    for remedy in ("Split it", "--ignore COLUMN", "--categorical COLUMN"):
        assert remedy in told.err
    assert call("learn t.csv --ignore when").code == 0
    assert call("learn t.csv --categorical when --save m").code == 0
    assert call("predict m t.csv").code == 0, "the model knows the column"
    assert call("learn t.csv --resume m").code == 0
    assert call("learn t.csv --label when --learner multiclass").code == 0, "a label may be a date"


def test_dates_of_other_tables_are_refused(call: Call) -> None:
    day = datetime.date(2024, 12, 31)
    table = {"when": [day, day], "a": [1, 2], "label": [1, 0]}
    for values in ([day, day], ["2024-12-31", "x"], [None, None]):
        typed = pa.array(values, pa.date32()) if values[0] in (day, None) else pa.array(values)
        pyarrow.parquet.write_table(pa.table(table | {"when": typed}), "t.parquet")
        told = call("learn t.parquet")
        assert "column 'when', got the date" in told.err
        assert call("learn t.parquet --ignore when").code == 0
        kept = call("learn t.parquet --categorical when --missing zero --save m")
        assert kept.code == 0, kept.err
    assert "frame: expected numbers or categories in column 'when'" in _frame(["31/12/2024", "x"])
    assert "when" in _frame([day, day])
    Path("t.jsonl").write_text('{"a": "x", "label": 1}\n{"when": "2024-12-31", "label": 1}\n')
    told = call("learn t.jsonl")
    assert "t.jsonl:2: expected a number or a category in 'when', got the date" in told.err
    assert "--ignore COLUMN" in told.err
    assert call("learn t.jsonl --ignore when").code == 0


def _frame(values: list[object]) -> str:
    table = pa.table({"when": values, "a": [1, 2], "label": [1, 0]})
    with pytest.raises(nv.InputError) as error:
        nv.play(nv.Perceptron(), nv.stream(table, "label"))
    return str(error.value)


def test_categorical_columns_of_typed_tables(call: Call) -> None:
    table = pa.table({"zip": [12345, 777, 12345], "a": [1.0, 2.0, 3.0], "label": [1, 0, 1]})
    pyarrow.parquet.write_table(table, "t.parquet")
    assert call("learn t.parquet --categorical zip --save m").code == 0
    h = nv.Run.load("m").hypothesis()
    assert {"zip=777", "a"} <= set(h.weights())  # type: ignore[attr-defined]
    assert call("predict m t.parquet").code == 0
    assert "a column of t.parquet" in call("learn t.parquet --categorical zap").err
