"""A label is one line wherever it is printed, and can be read back."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from commands import Call
from novikoff import cli
from novikoff.cli.escapes import as_line, from_line, json_line

ODD = [
    "two\nlines", "carriage\rreturn", "a\ttab", "form\x0cfeed", "next\x85line", "sep\u2028arator",
    "para\u2029graph", "back\\slash", "not\\n a line break", "nul\x00", "\x1b[31mred", '"quoted"',
    "", " ", "ordinary", "Größe", "\x0b\x1c\x1d\x1e",
]  # fmt: skip


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_one_line_and_comes_back(text: str) -> None:
    line = as_line(text)
    assert len(f"{line}.".splitlines()) == 1
    assert line.encode().decode() == line
    assert from_line(line) == text
    whole = json_line({text: text})
    assert len(whole.splitlines()) == 1
    assert whole.encode().decode() == whole
    assert json.loads(whole) == {text: text}


@pytest.fixture
def model(call: Call) -> nv.Run:
    """A model of odd labels, each the class of its own feature, whose name is as odd."""
    rounds = [({f"f{label}": 1.0}, label) for label in ODD] * 3
    run = nv.play(nv.MulticlassPerceptron(), rounds)
    run.save("m")
    lines = [json.dumps({"label": label, f"f{label}": 1}) + "\n" for label in ODD]
    Path("odd.jsonl").write_text("".join(lines))
    assert run.predict([x for x, _ in rounds[: len(ODD)]]).tolist() == ODD
    return run


def test_predict_writes_one_line_a_row(call: Call, model: nv.Run) -> None:
    said = call("predict m odd.jsonl")
    assert [from_line(line) for line in said.out.split("\n")[:-1]] == ODD
    assert len(said.out.splitlines()) == len(ODD), "whatever a reader takes for the end of a line"
    call("predict m odd.jsonl --output labels")
    assert Path("labels").read_bytes().decode() == said.out
    found = call("predict m odd.jsonl --json")
    assert len(found.out.splitlines()) == 1
    assert {entry["label"] for entry in found.json["confusion"]} == set(ODD)


def test_inspect_writes_one_line_a_name(call: Call, model: nv.Run) -> None:
    said = call("inspect m --top 1").out
    assert len(said.splitlines()) == 2 + 2 * len(ODD) == said.count("\n")
    heads = [from_line(line[:-1]) for line in said.splitlines()[2::2]]
    assert heads == ODD
    found = call("inspect m --json")
    assert len(found.out.splitlines()) == 1
    assert set(found.json["top"]) == set(ODD)


def test_inspect_tells_a_number_from_its_text(call: Call) -> None:
    nv.play(nv.MulticlassPerceptron(), [([1.0, 0.0], 1), ([0.0, 1.0], "1"), ([1.0, 2.0], 2)]).save(
        "m"
    )
    assert set(call("inspect m --json").json["top"]) == {"1", '"1"', "2"}


def test_many_classes_make_a_short_judgement(call: Call) -> None:
    """105 classes, most of them mistaken for many others, in a dozen lines; JSON has every pair."""
    rows = [(f"class{(7 * t) % 105}", f"w{t % 31} v{t % 17}") for t in range(2000)]
    Path("many.txt").write_text("".join(f"{label}\t{text}\n" for label, text in rows))
    call("learn many.txt --learner multiclass --save m")
    said = call("predict m many.txt")
    assert said.out.count("\n") == 2000
    pairs = call("predict m many.txt --json").json["confusion"]
    assert len(pairs) > 105
    *shown, remark = said.err.splitlines()
    assert remark.startswith("remark: the model has learned from many.txt.")
    assert len(shown) == 1 + 12 + 1
    assert shown[-1] == f"  and {len(pairs) - 12:,} pairs more, which --json has"
    wrong = sorted((p["count"] for p in pairs if p["label"] != p["predicted"]), reverse=True)
    assert [int(line.split()[-1]) for line in shown[1:-1]] == wrong[:12]


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["learn", "no\x85where\n.svm"]) == 3
    said = "novikoff: no\\u0085where .svm: expected a file, got: No such file or directory."
    assert capsys.readouterr().err.splitlines() == [said]


def test_tags_that_no_column_holds_are_refused(call: Call) -> None:
    sentences = [(["a", "b"], ["N\nX", "V"])] * 2
    run = nv.play(nv.StructuredPerceptron(nv.Chains("tagging")), sentences)
    run.hypothesis().save("m")
    Path("s.conll").write_text("a\nb\n")
    said = call("tag m s.conll")
    assert (said.code, said.out) == (3, "")
    assert "expected tags that a column of text can hold, got 'N\\nX'" in said.err


def test_the_report_shows_no_label_as_markup(call: Call, model: nv.Run) -> None:
    nv.play(nv.MulticlassPerceptron(), [({"<i>x": 1.0}, "<b>a\n"), ({"y": 1.0}, "c")] * 2).save("n")
    run = nv.Run.load("n")
    nv.report(run, "r.html")
    page = Path("r.html").read_text()
    assert "<b>a" not in page
    assert "<i>x" not in page
    assert "&lt;b&gt;a" in page
