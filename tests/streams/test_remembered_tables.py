"""A model remembers the table learned from: its columns, their kinds and its weights."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call, caller
from novikoff.saving import storage

HEADERLESS = "1,2,1\n3,4,0\n1,3,1\n"
TOWNS = "color,zip,label\nred,A1,1\nblue,12345,0\nred,B2,1\nblue,12345,0\n"
WEIGHTED = "town,w,label\nP,5,1\nR,1,0\nP,2,1\nR,3,1\n"


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    monkeypatch.chdir(tmp_path)
    return caller(capsys)


def _learn(call: Call, text: str, options: str = "", file: str = "t.csv") -> None:
    Path(file).write_text(text)
    said = call(f"learn {file} {options} --save t.m")
    assert said.code == 0, said.err


def _predict(call: Call, text: str, options: str = "") -> list[str]:
    Path("u.csv").write_text(text)
    said = call(f"predict t.m u.csv {options}")
    assert said.code == 0, said.err
    return said.out.splitlines()


def _refusal(call: Call, text: str, options: str = "", verb: str = "predict t.m u.csv") -> str:
    Path("u.csv").write_text(text)
    said = call(f"{verb} {options}")
    assert (said.code, said.out) == (3, ""), said.err
    return said.err


def _names(model: str) -> set[Any]:
    h: Any = nv.Run.load(model).hypothesis()
    return set(h.weights())


@pytest.mark.parametrize("label", ["-1", "2"])
def test_without_a_header_every_row_is_predicted(call: Call, label: str) -> None:
    _learn(call, HEADERLESS, f"--label={label}")
    labelled = _predict(call, HEADERLESS)
    assert len(labelled) == 3
    assert _predict(call, "1,2\n3,4\n1,3\n") == labelled
    assert _predict(call, HEADERLESS, f"--label={label}") == labelled
    assert _predict(call, "1,1,2\n0,3,4\n1,1,3\n", "--label=0") == labelled


def test_a_label_in_front_may_be_missing_too(call: Call) -> None:
    _learn(call, "1,x,2\n0,y,4\n1,x,3\n", "--label=0 --passes 3")
    assert _predict(call, "x,2\ny,4\n") == _predict(call, "1,x,2\n0,y,4\n") == ["1", "0"]


@pytest.mark.parametrize("text", ["1\n", "1,2,3,4\n"])
def test_without_a_header_columns_are_counted(call: Call, text: str) -> None:
    _learn(call, HEADERLESS, "--label=-1")
    assert "expected 3 columns, as learned from, or 2 without the label, got" in _refusal(
        call, text
    )
    assert "expected 3 columns, as learned from, got" in _refusal(
        call, text, "--resume t.m --save n.m", "learn u.csv"
    )


def test_a_label_that_is_named_must_be_there(call: Call) -> None:
    _learn(call, HEADERLESS, "--label=-1")
    assert "expected 3 columns, as learned from, got 2" in _refusal(call, "1,2\n", "--label=-1")


def test_a_header_is_there_as_learned_from_or_not(call: Call) -> None:
    _learn(call, HEADERLESS, "--label=-1")
    assert "expected a file without a header" in _refusal(call, "0,1,y\n1,2,1\n", "--label y")
    assert "got 'a'" in _refusal(call, "a,b\n1,2\n")
    _learn(call, "a,b,y\n" + HEADERLESS, "--label y")
    assert "expected a header with the columns" in _refusal(call, HEADERLESS, "--label=-1")
    assert "got a file that begins with values ('1', '2')" in _refusal(call, "1,2\n3,4\n")
    _learn(call, TOWNS)
    assert "expected a header with the columns" in _refusal(call, "red,A1,1\n", "--label=-1")
    assert "expected columns 'color', 'zip'" in _refusal(call, "red,A1\nred,A1\n")


def test_a_prediction_does_not_depend_on_the_first_row(call: Call) -> None:
    _learn(call, TOWNS, "--passes 3")
    alone = _predict(call, "color,zip\nx,12345\n")
    assert alone == _predict(call, "color,zip\nx,A1\nx,12345\n")[1:] == ["0"]
    assert _predict(call, "zip,color\n12345,x\n") == alone
    assert _predict(call, "zip,extra,color\n12345,1,x\n", "--ignore extra") == alone


def test_other_columns_are_refused_by_name(call: Call) -> None:
    _learn(call, TOWNS)
    assert "expected column 'zip', as learned from, got 'zap'" in _refusal(
        call, "color,zap\nred,A1\n"
    )
    assert "expected column 'zip', as learned from, got none" in _refusal(call, "color\nred\n")
    extra = _refusal(call, "color,zip,more\nred,A1,1\n")
    assert "expected the columns learned from, got 'more' too" in extra
    assert "--ignore" in extra
    assert "got 'more' too" in _refusal(
        call, "color,zip,more,label\nred,A1,1,1\n", "--resume t.m --save n.m", "learn u.csv"
    )


def test_numbers_stay_numbers(call: Call) -> None:
    _learn(call, "color,size,label\nred,1,1\nblue,2,0\n")
    assert "u.csv:2: expected a number in 'size', got 'big'" in _refusal(
        call, "color,size\nred,big\n"
    ).replace("column ", "")
    assert "expected numbers in column 'size', as learned from" in _refusal(
        call, "color,size\nred,1\n", "--categorical size"
    )


def test_going_on_reads_the_kinds_learned_from(call: Call) -> None:
    _learn(call, TOWNS)
    Path("more.csv").write_text("zip,color,label\n777,red,0\n777,red,1\n777,red,0\n")
    assert call("learn more.csv --resume t.m --save n.m").code == 0
    assert "zip=777" in _names("n.m")
    assert "zip" not in _names("n.m")


def test_runs_in_python_read_the_kinds_learned_from(call: Call) -> None:
    _learn(call, TOWNS)
    Path("more.csv").write_text("zip,color,label\n777,red,0\n777,red,1\n777,red,0\n")
    run = nv.Run.load("t.m").play(nv.read("more.csv"))
    h: Any = run.hypothesis()
    assert "zip" not in h.weights()
    assert run.table == nv.Run.load("t.m").table


def test_certificates_and_reports_are_of_the_table_learned_from(call: Call) -> None:
    _learn(call, TOWNS, "--digest")
    said = call("certify t.m t.csv --output c.json")
    assert said.code == 0, said.err
    assert call("verify c.json t.csv").code == 0
    for verb in ("certify t.m u.csv --output d.json", "report t.m u.csv --output d.html"):
        assert "as learned from, got 'zap'" in _refusal(
            call, "color,zap,label\nred,A1,1\n", verb=verb
        )


def test_what_a_table_made_text_is_noted_in_certificates(call: Call) -> None:
    _learn(call, TOWNS)
    Path("more.csv").write_text("color,zip,label\nred,777,0\nred,A1,1\n")
    stream = nv.read("more.csv")
    stream.read_like(nv.Run.load("t.m").table)
    list(stream.blocks())
    from novikoff.streams.files.recorded import recorded

    assert recorded(stream)["categorical"] == ["zip"]


def test_weights_are_remembered(call: Call) -> None:
    _learn(call, WEIGHTED, "--weight w --max-weight 9")
    Path("w2.csv").write_text("town,w,label\nP,9,0\nR,8,0\nP,2,1\n")
    assert call("learn w2.csv --resume t.m --save n.m").code == 0
    assert "w" not in _names("n.m")
    Path("x.csv").write_text("town,label\nP,1\n")
    whole = _predict(call, "town,w\nP,5\nR,1\n")
    assert whole == _predict(call, "town\nP\nR\n") == _predict(call, "town,w\nP,\nR,x\n")
    assert "'w'" in call("learn x.csv --resume t.m --save n.m").err


def test_weights_without_a_header_are_remembered(call: Call) -> None:
    _learn(call, "P,5,1\nR,1,0\nP,2,1\n", "--label=-1 --weight 1 --max-weight 5 --passes 30")
    assert _predict(call, "P,5,1\nR,1,0\n") == ["1", "0"]
    assert _predict(call, "P,5\nR,1\n") == _predict(call, "P\nR\n") == ["1", "0"]


def test_weights_of_other_formats_are_remembered(call: Call) -> None:
    _learn(call, '{"a": 1, "w": 2, "label": 1}\n{"a": -1, "w": 1, "label": 0}\n' * 2,
           "--weight w --max-weight 2", "t.jsonl")  # fmt: skip
    Path("u.jsonl").write_text('{"a": 1, "w": 1e9}\n{"a": 1}\n')
    assert (
        call("predict t.m u.jsonl --scores").out.split()[0::2]
        == (call("predict t.m u.jsonl --scores").out.split()[1::2])
    )
    table = {"a": [1, -1], "w": [2.0, 1.0], "label": [1, 0]}
    pyarrow.parquet.write_table(pa.table(table), "t.parquet")
    assert call("learn t.parquet --weight w --max-weight 2 --save t.m").code == 0
    for names in (("a", "w"), ("a",)):
        pyarrow.parquet.write_table(pa.table({n: table[n] for n in names}), "u.parquet")
        said = call("predict t.m u.parquet")
        assert (said.code, len(said.out.split())) == (0, 2), said.err


def test_a_delimiter_is_remembered(call: Call) -> None:
    _learn(call, "a|b|label\n1|2|1\n-1|2|0\n", "--delimiter |")
    assert len(_predict(call, "a|b\n1|2\n")) == 1


def test_a_model_without_a_table_reads_as_before(call: Call) -> None:
    _learn(call, TOWNS)
    kind, about, arrays = storage.read("t.m", ("Run",))
    del about["table"]
    storage.write("t.m", kind, about, arrays, nv.Run._restore)
    assert nv.Run.load("t.m").table is None
    assert len(_predict(call, "color,new\nred,1\n")) == 1


@pytest.mark.parametrize(
    "change",
    [{"columns": "ab"}, {"texts": ["other"]}, {"headed": 1}, {"label": "other"}, {"weight": 3}],
)
def test_a_table_that_was_changed_is_refused(call: Call, change: dict[str, Any]) -> None:
    _learn(call, TOWNS)
    kind, about, arrays = storage.read("t.m", ("Run",))
    table = about["table"]
    assert isinstance(table, dict)
    storage.write("t.m", kind, about | {"table": table | change}, arrays, lambda *state: None)
    with pytest.raises(nv.InputError):
        nv.Run.load("t.m")
