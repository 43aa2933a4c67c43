"""Missing values: refused with their place, taken as 0, or features of their own."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call
from novikoff import verifier
from novikoff.streams.files.recorded import recorded

AGES = ["31", "", " ? ", "NA", "nan", "12", "null", "N/A", "40"]
MISSING = [1, 2, 3, 4, 6, 7]
LABELS = [int(k not in MISSING) for k in range(len(AGES))]
NUMBERS = "age,size,label\n" + "".join(f"{a},{k + 1},{LABELS[k]}\n" for k, a in enumerate(AGES))
TOWNS = "town,age,label\nRome,31,1\n?,,0\nRome,2,1\nParis,NA,0\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _rows(stream: nv.Stream) -> list[dict[Any, float]]:
    """Return the features of every row by their names, or by their numbers."""
    found: list[dict[Any, float]] = []
    for rounds in stream.blocks():
        for t in range(len(rounds.rows)):
            row = rounds.rows.row(t)
            if isinstance(row, dict):
                found.append({k: v for k, v in row.items() if v != 0})
            elif isinstance(row, tuple):
                found.append(dict(zip(row[0].tolist(), row[1].tolist(), strict=True)))
            else:
                found.append({j: v for j, v in enumerate(row.tolist()) if v != 0})
    return found


def _expected(missing: str) -> list[dict[Any, float]]:
    """Return the rows of NUMBERS, by their definition."""
    rows: list[dict[Any, float]] = []
    for k, age in enumerate(AGES):
        size: dict[Any, float] = {"size": k + 1} if missing == "feature" else {1: k + 1}
        if k not in MISSING:
            rows.append({"age" if missing == "feature" else 0: float(age)} | size)
        else:
            rows.append(size | ({"age is missing": 1} if missing == "feature" else {}))
    return rows


@pytest.mark.parametrize("missing", ["zero", "feature"])
def test_a_table_of_numbers(missing: Any) -> None:
    Path("t.csv").write_text(NUMBERS)
    assert _rows(nv.read("t.csv", missing=missing)) == _expected(missing)
    ages = [None if k in MISSING else float(a) for k, a in enumerate(AGES)]
    ages[4] = float("nan")
    table = {"age": ages, "size": range(1, 10), "label": LABELS}
    pyarrow.parquet.write_table(pa.table(table), "t.parquet")
    assert _rows(nv.read("t.parquet", missing=missing)) == _expected(missing)


@pytest.mark.parametrize(
    ("missing", "second"),
    [("zero", {}), ("feature", {"town is missing": 1, "age is missing": 1})],
)
def test_a_table_with_texts(missing: Any, second: dict[str, float]) -> None:
    Path("t.csv").write_text(TOWNS)
    rows = _rows(nv.read("t.csv", missing=missing))
    assert rows[:2] == [{"town=Rome": 1, "age": 31}, second]
    table = {"town": ["Rome", None], "age": [31, None], "label": [1, 0]}
    pyarrow.parquet.write_table(pa.table(table), "t.parquet")
    texts = [row | {"town": "Rome"} for row in ({"age": 31},)]
    assert _rows(nv.read("t.parquet", missing=missing)) == [*texts, second]


def test_json_null_is_left_out_refused_or_a_feature() -> None:
    Path("t.jsonl").write_text('{"label": 1, "age": null, "in": {"a": null}}\n')
    assert _rows(nv.read("t.jsonl")) == _rows(nv.read("t.jsonl", missing="zero")) == [{}]
    assert _rows(nv.read("t.jsonl", missing="feature")) == [
        {"age is missing": 1, "in.a is missing": 1}
    ]
    with pytest.raises(nv.InputError, match=r"t.jsonl:1: expected a value in 'age', got null"):
        _rows(nv.read("t.jsonl", missing="refuse"))
    Path("t.jsonl").write_text('{"label": 1, "age is missing": 1, "age": null}\n')
    with pytest.raises(nv.InputError, match="every feature once, got 'age is missing' twice"):
        _rows(nv.read("t.jsonl", missing="feature"))


def test_missing_values_are_refused_by_place_with_a_remedy(call: Call) -> None:
    Path("t.csv").write_text(NUMBERS)
    told = call("learn t.csv")
    assert told.code == 3
    assert "t.csv:3: expected a number in column 'age', got nothing" in told.err
    assert "--missing feature or --missing zero" in told.err
    table = {"age": [1, None], "town": ["a", None], "label": [1, 0]}
    pyarrow.parquet.write_table(pa.table(table), "t.parquet")
    told = call("learn t.parquet")
    assert "t.parquet, row 2: expected a number in column 'age', got none" in told.err
    assert "--missing feature" in told.err
    assert "row 2: expected a value in column 'town'" in call("learn t.parquet --ignore age").err


def test_labels_and_weights_are_never_missing() -> None:
    Path("t.csv").write_text("a,w,label\n1,,1\n")
    with pytest.raises(nv.InputError, match="a number in column 'w'"):
        nv.play(nv.Perceptron(), nv.read("t.csv", weight="w", missing="feature"))
    Path("t.csv").write_text("a,label\n1,\n")
    with pytest.raises(nv.InputError, match="label"):
        nv.play(nv.Perceptron(), nv.read("t.csv", missing="zero"))


def test_a_column_may_have_the_name_of_a_feature() -> None:
    Path("t.csv").write_text("a,a is missing,label\n,1,1\n")
    with pytest.raises(nv.InputError, match="each feature once, got 'a is missing' twice"):
        nv.play(nv.Perceptron(), nv.read("t.csv", missing="feature"))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_model_remembers_how_missing_values_are_read(call: Call, form: str) -> None:
    """predict, resume and certify read other files as learn did."""
    Path("t.csv").write_text(NUMBERS)
    said = [{"age": None if k in MISSING else float(a), "size": k + 1,
             "label": LABELS[k]}
            for k, a in enumerate(AGES)]  # fmt: skip
    Path("t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    learn = f"learn t.{form} --learner perceptron --missing feature"
    assert call(f"{learn} --save m --certify c.json").code == 0
    h: Any = nv.Run.load("m").hypothesis()
    assert "age is missing" in h.weights()
    again = {"csv": "size,age\n1,\n", "jsonl": '{"size": 1, "age": null}\n'}[form]
    Path(f"u.{form}").write_text(again)
    score = float(call(f"predict m u.{form} --scores").out)
    assert score == h.weights().get("size", 0) + h.weights()["age is missing"]
    assert call(f"verify c.json t.{form}").code == 0, "as the certificate notes"
    more = {"csv": "size,age,label\n1,?,0\n1,3,1\n", "jsonl": '{"age": null, "label": 1}\n'}[form]
    Path(f"v.{form}").write_text(more)
    assert call(f"learn v.{form} --resume m --save n").code == 0
    assert recorded(nv.read(f"t.{form}", missing="feature"))["missing"] == "feature"


def test_a_run_in_python_reads_missing_values_as_before() -> None:
    Path("t.csv").write_text(NUMBERS)
    Path("u.csv").write_text("label,size,age\n1,2,?\n")
    run = nv.play(nv.Perceptron(), nv.read("t.csv", missing="feature"))
    run.save("m")
    for one in (run, nv.Run.load("m")):
        assert one.play(nv.read("u.csv")).ledger.rounds == len(AGES) + 1
        assert one.table is not None
        assert one.table.missing == "feature"


def test_a_model_of_numbers_takes_zeros_but_no_new_features(call: Call) -> None:
    Path("t.csv").write_text("age,size,label\n1,2,1\n3,1,0\n")
    Path("u.csv").write_text("size,age\n1,?\n")
    call("learn t.csv --learner perceptron --save m")
    w = nv.Run.load("m").hypothesis().w  # type: ignore[attr-defined]
    assert float(call("predict m u.csv --missing zero --scores").out) == w[1]
    told = call("predict m u.csv --missing feature")
    assert "expected numbered features, as learned from" in told.err
    assert "--missing zero" in told.err


def test_the_verifier_reads_missing_values(tmp_path: Path) -> None:
    Path("t.csv").write_text(TOWNS)
    run = nv.play(nv.Perceptron(), nv.read("t.csv", missing="feature"), digest=True)
    nv.certify(run).save("c.json")
    words = ["c.json", "t.csv", "label"]
    assert verifier.main([*words, "missing=feature"]) == 0
    assert verifier.main([*words, "missing=zero"]) == 1
    assert verifier.main([*words, "missing=ignore"]) == 3
    assert verifier.main(words) == 3


def test_other_ways_are_refused(call: Call) -> None:
    with pytest.raises(nv.ParameterError, match="missing: expected None, 'refuse', 'zero' or 'fea"):
        nv.read("t.csv", missing="mean")  # type: ignore[arg-type]
    Path("t.svm").write_text("1 1:1\n")
    assert "--missing: expected none for svmlight" in call("learn t.svm --missing zero").err
