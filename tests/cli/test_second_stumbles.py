"""What somebody stumbles over on the second day, and what the command line says about it."""

import gzip
from pathlib import Path

import pytest

from commands import Call

AFTER = "Put --certify after the files, or write --certify NAME.json.\n"


@pytest.mark.parametrize(
    "command", ["learn --certify day1.csv a.csv", "learn a.csv --certify day1.csv",
                "test a.model --certify day1.csv a.csv"],
)  # fmt: skip
def test_an_input_is_not_taken_for_the_name_of_a_certificate(call: Call, command: str) -> None:
    assert call("learn a.csv --save a.model").code == 0
    before = Path("a.csv").read_bytes()
    Path("day1.csv").write_bytes(before)
    said = call(command)
    expected = "novikoff: --certify: expected a name that ends in .json, got day1.csv. " + AFTER
    assert (said.code, said.err) == (2, expected)
    assert Path("day1.csv").read_bytes() == before


@pytest.mark.parametrize(
    "command", ["learn a.svm --certify day.json", "test a.model a.svm --certify day.json",
                "test a.model a.svm --certify x.json", "certify a.model a.svm --output day.json",
                "margin a.svm --certify day.json"],
)  # fmt: skip
def test_a_certificate_replaces_nothing_but_a_certificate(call: Call, command: str) -> None:
    assert call("learn a.svm --learner perceptron --save a.model").code == 0
    rows = '{"label": 1, "a": 2}\n{"label": -1, "a": 1}\n'
    Path("day.json").write_text(rows)
    Path("x.loss.json").write_text(rows)
    said = call(command)
    assert said.code == 2
    assert "expected a new file, or a certificate to replace, got " in said.err
    assert (Path("day.json").read_text(), Path("x.loss.json").read_text()) == (rows, rows)


def test_a_certificate_may_be_written_again(call: Call) -> None:
    Path("empty.json").touch()
    for name in ("empty.json", "new.json", "new.json"):
        assert call(f"learn a.svm --certify {name} --save m").code == 0


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("learn a.svm --save a.csv", "--save: expected a new file, or a model to replace"),
        ("learn a.svm --compare blend,perceptron --save a.csv", "or a model to replace"),
        ("cache a.svm --output a.csv", "--output: expected a new file, or an Arrow file"),
        ("export a.svm --output other.model", "got other.model, which is a model"),
        ("predict a.model a.svm --output other.model", "got other.model, which is a model"),
        ("predict a.model a.svm --output c.json", "got c.json, which is a certificate"),
        ("predict a.model a.svm --output a.cache", "got a.cache, which is not text"),
        ("export a.svm --output a.csv.gz", "got a.csv.gz, which is not text"),
        ("learn a.csv --label label --by a --save runs --table a.parquet", "no Parquet file"),
        ("log export nowhere a.parquet", "OUT: expected a file that may be replaced"),
    ],
)
def test_no_output_replaces_a_file_of_another_kind(call: Call, command: str, kept: str) -> None:
    assert call("learn a.svm --save a.model --certify c.json").code == 0
    assert call("learn a.svm --save other.model").code == 0
    assert call("cache a.svm --output a.cache").code == 0
    Path("a.csv.gz").write_bytes(gzip.compress(Path("a.csv").read_bytes()))
    Path("a.parquet").write_text("a,label\n1,1\n")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    said = call(command)
    assert (said.code, kept in said.err) == (2, True), said.err
    assert {path: path.read_bytes() for path in before} == before


def test_text_may_replace_text(call: Call) -> None:
    """Its first bytes may end within a character."""
    assert call("learn a.svm --save a.model").code == 0
    Path("out").write_text("ä" * 600)
    Path("out").write_bytes(b"1" + Path("out").read_bytes())
    assert call("predict a.model a.svm --output out").code == 0


def test_the_loss_of_a_weighted_run_is_not_called_a_mean(call: Call) -> None:
    """It is the sum of weight times loss, divided by the rounds."""
    Path("w.csv").write_text("a,w,label\n" + "1,1000,1\n2,500,-1\n" * 20)
    told = call("learn w.csv --weight w")
    mean = call("learn w.csv --weight w --json").json["mean_loss"]
    assert f", loss per round {mean:.4f}, each multiplied by its weight, " in told.out
    assert "mean loss" not in told.out
    Path("w.vw").write_text("1 30 | a:1\n-1 20 | a:2\n" * 20)
    assert "each multiplied by its weight" in call("learn w.vw").out
    said = call("learn w.csv --weight w --compare blend,adaptive-gradient").out
    assert ("weighted loss: per round" in said, "mean loss" in said) == (True, False)
    assert "mean loss" in call("learn w.csv --ignore w").out


def test_several_passes_say_how_the_first_one_went(call: Call) -> None:
    once = call("learn a.svm --json").json
    found = call("learn a.svm --passes 5 --json").json
    rate = once["error_rate"]
    assert found["first_pass"] == {
        "rounds": 300, "mistakes": once["mistakes"], "error_rate": rate
    }  # fmt: skip
    said = call("learn a.svm --passes 5").out
    assert (
        f"in the first of 5 passes, when each row was new: wrong on {rate:.2%} of 300 rounds\n"
        in said
    )
    assert once["first_pass"] is None
    assert "first of" not in call("learn a.svm").out


def test_until_clean_says_whether_a_clean_pass_came(call: Call) -> None:
    clean = "\nclean: the last pass made no mistake\n"
    assert clean in call("learn a.svm --learner perceptron --until-clean").out
    said = call("learn knot.svm --learner perceptron --until-clean --max-passes 4").out
    assert "\nnot clean: the last pass that was allowed still made mistakes." in said
    assert "clean:" not in call("learn a.svm --learner perceptron --passes 2").out


def test_rows_that_were_learned_are_not_called_new(call: Call) -> None:
    """Nor is there a bound in what is printed about them."""
    lines = Path("a.svm").read_text().splitlines(keepends=True)
    Path("old.svm").write_text("".join(lines[:200]))
    Path("new.svm").write_text("".join(lines[200:]))
    call("learn old.svm --save m")
    said = call("test m old.svm").out
    assert " of 200 rows, some or all of which it has learned from · always guessing " in said
    for promise in ("new row", "with probability", "between"):
        assert promise not in said
    told = call("test m old.svm new.svm --json").json
    assert (told["rows"], told["learned_from"]) == (300, ["old.svm"])
    said = call("test m new.svm").out
    assert " of 100 new rows: at most " in said
    assert ", between " in said
    assert call("test m new.svm --json").json["learned_from"] == []


def test_predictions_of_learned_rows_promise_nothing(call: Call) -> None:
    call("learn a.svm --save m")
    assert "; the model has learned from such rows\n" in call("predict m a.svm").err
    assert call("predict m a.svm --json").json["learned_from"] == ["a.svm"]
    Path("b.svm").write_text(Path("a.svm").read_text())
    assert "; error at most " in call("predict m b.svm").err
    assert call("predict m b.svm --json").json["learned_from"] == []


def test_a_report_of_learned_rows_promises_nothing_of_the_saved_model(call: Call) -> None:
    Path("b.svm").write_text(Path("a.svm").read_text())
    call("learn a.svm --save m")
    call("test m a.svm --report old.html")
    call("test m b.svm --report new.html")
    old, new = Path("old.html").read_text(), Path("new.html").read_text()
    promises = ("the model as saved: at most", "had not seen", "bound on the saved model")
    assert [promise in old for promise in promises] == [False, False, False]
    assert [promise in new for promise in promises] == [True, True, True]
    assert "rows that are not all new to the model" in old
    assert "the model has learned from a.svm" in old


@pytest.mark.parametrize("options", ["", "--bounds", "--passes 2", "--held-out last:20%"])
def test_a_model_that_is_not_kept_is_told_at_no_terminal_either(call: Call, options: str) -> None:
    told = "remark: nothing is saved: to keep the model, add --save MODEL.\n"
    assert told in call(f"learn a.svm {options}").err


def test_with_receipts_a_model_is_kept_and_named(call: Call) -> None:
    said = call("learn a.svm --certify")
    assert ("\nmodel: a.model\n" in said.out, "nothing is saved" in said.err) == (True, False)
    said = call("learn a.svm --passes 2 --certify")
    assert "a.model is another model, and is left as it is. Name this one with --save." in said.err
    assert "nothing is saved" not in said.err, "it is told once"


def test_an_empty_label_gets_advice_about_labels(call: Call) -> None:
    Path("e.csv").write_text("a,b,class\n1,2,x\n3,4,\n1,2,y\n")
    said = call("learn e.csv --label class").err
    assert said.endswith(", got nothing. Drop the row, or skip such lines with --on-bad skip.\n")


@pytest.mark.parametrize("verb", ["predict", "test"])
def test_a_header_that_the_model_does_not_know_is_recognized(call: Call, verb: str) -> None:
    Path("bare.csv").write_text("1,2,x\n3,4,y\n" * 9)
    Path("headed.csv").write_text("age,size,class\n1,2,x\n")
    Path("broken.csv").write_text("age,2,x\n1,2,x\n")
    assert call("learn bare.csv --label -1 --save m").code == 0
    assert "got 'age'. The first line looks like a header" in call(f"{verb} m headed.csv").err
    assert "header" not in call(f"{verb} m broken.csv").err


def test_several_columns_in_one_ignore_get_the_hint_to_repeat_it(call: Call) -> None:
    said = call("learn a.csv --ignore a,b").err
    assert said.endswith("got 'a,b'. Name each column by itself: --ignore A --ignore B.\n")
    assert "by itself" not in call("learn a.csv --ignore a,zzz").err
    Path("d.jsonl").write_text('{"label": "a", "date": "2024-01-02", "id": 3}\n')
    said = call("learn d.jsonl --ignore date,id").err
    assert "name each member to ignore by itself: --ignore A --ignore B." in said


def test_a_text_that_is_not_there_names_the_members_that_are(call: Call) -> None:
    Path("m.jsonl").write_text('{"label": "a", "date": "x", "body_text": "see you"}\n')
    said = call("learn m.jsonl --text body").err
    assert "expected text in 'body', got a record with 'body_text', 'date' instead. " in said


def test_predict_has_hints_of_its_own_for_options_of_vowpal_wabbit(call: Call) -> None:
    said = call("predict -t -i m.vw -d te.vw -p p.txt").err
    for hint in (
        "-t, leave it out: predict never learns",
        "-i, name the model first",
        "-d, name the file after the model",
        "-p, write predictions with --output",
    ):
        assert f"Instead of {hint}" in said
    assert "--resume" not in said
    said = call("learn a.svm --oaa 3 --ngram 2 --l1 0.1 --holdout_off --interactions ab").err
    for name in ("--oaa", "--ngram", "--l1", "--holdout_off", "--interactions"):
        assert f"Instead of {name}, " in said


def test_another_certificate_that_is_replaced_is_told(call: Call) -> None:
    told = "remark: c.json was another certificate, and is replaced.\n"
    options = "a.svm --learner perceptron --save m --certify c.json"
    assert told not in call(f"learn {options}").err
    assert told not in call(f"learn {options}").err, "the same one is not another"
    assert told in call(f"learn {options} --theorem run").err
    assert told in call("certify m a.svm --output c.json").err


def test_help_says_where_certificates_and_models_go(call: Call) -> None:
    Path("data").mkdir()
    Path("data/mail.svm").write_bytes(Path("a.svm").read_bytes())
    call("learn data/mail.svm --certify")
    call("test mail.model data/mail.svm --certify")
    said = " ".join((call("learn --help").out + call("test --help").out).split())
    for name in ("mail.certificate.json", "mail.model", "mail.test.json"):
        assert Path(name).is_file()
        assert f"{name} in the current folder" in said
