"""What somebody stumbles over on the second day, and what the command line says about it."""

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
    ],
)
def test_no_output_replaces_a_file_of_another_kind(call: Call, command: str, kept: str) -> None:
    assert call("learn a.svm --save a.model --certify c.json").code == 0
    assert call("learn a.svm --save other.model").code == 0
    before = {name: Path(name).read_bytes() for name in ("a.csv", "other.model", "c.json")}
    said = call(command)
    assert (said.code, kept in said.err) == (2, True), said.err
    assert {name: Path(name).read_bytes() for name in before} == before


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
    assert " of 200 rows of files that it has learned from · always guessing " in said
    assert ("new row" in said, "with probability" in said) == (False, False)
    said = call("test m old.svm new.svm").out
    assert " of 300 rows, some of files that it has learned from · " in said
    said = call("test m new.svm").out
    assert " of 100 new rows: at most " in said


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
