"""Learners for losses find the labels of a file before the first round."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call
from novikoff.streams.labels.found_labels import found_labels
from novikoff.types import Label

probable = pytest.mark.parametrize("kind", ["adaptive-gradient", "blend"])


@probable
def test_two_labels_need_no_option(call: Call, kind: str) -> None:
    found = call(f"learn mail.txt --learner {kind} --save m --json").json
    assert found["labels"] == ["ham", "spam"]
    named = call(f"learn mail.txt --learner {kind} --positive spam --json").json
    for name in ("mistakes", "loss", "rounds", "labels", "baseline"):
        assert found[name] == named[name]
    assert set(call("predict m mail.txt").out.split()) == {"ham", "spam"}
    Path("more.txt").write_text("ham\tsee you\neggs\tat home\n")
    said = call("learn more.txt --resume m")
    assert said.code == 3
    assert "more.txt:2: expected labels ham and spam, got 'eggs'." in said.err


def test_a_run_with_found_labels_is_certified(call: Call) -> None:
    options = "--learner adaptive-gradient --certify c.json"
    assert call(f"learn mail.txt {options}").code == 0
    assert call("verify c.json mail.txt --json").json["verified"]


def test_blend_learns_any_number_of_labels(call: Call) -> None:
    found = call("learn many.csv --label kind --save m --json").json
    assert (found["learner"], found["labels"]) == ("ClassBlend", ["x", "y", "z"])
    assert found["mean_loss"] < found["baseline"]["mean_loss"]
    assert set(call("predict m many.csv").out.split()) <= {"x", "y", "z"}


def test_too_many_labels_are_refused_with_advice(call: Call) -> None:
    said = call("learn many.csv --label kind --learner adaptive-gradient")
    assert said.code == 3
    assert "many.csv:2: expected labels −1 and +1, or 0 and 1, got 'x'." in said.err


@probable
def test_declared_labels_are_not_looked_for(call: Call, kind: str) -> None:
    said = call(f"learn mail.txt --learner {kind} --labels spam,ham --json").json
    assert said["labels"] == ["spam", "ham"]


def test_labels_are_found_for_learners_that_are_compared(call: Call) -> None:
    found = call("learn mail.txt --compare averaged,blend,adaptive-gradient --json").json
    assert found["labels"] == ["ham", "spam"]
    alone = call("learn mail.txt --learner averaged --positive spam --json").json
    assert found["learners"][0]["mistakes"] == alone["mistakes"]


def test_a_bad_line_is_refused_or_skipped(call: Call) -> None:
    Path("odd.jsonl").write_text('{"label": "a", "x": 1}\n{"label": "b", "x": 2}\n{"x": 2}\n' * 9)
    said = call("learn odd.jsonl --learner adaptive-gradient")
    assert said.code == 3
    assert "odd.jsonl:3: " in said.err
    found = call("learn odd.jsonl --learner adaptive-gradient --on-bad skip --json").json
    assert (found["rounds"], found["skipped"], found["labels"]) == (18, 9, ["a", "b"])


def test_standard_input_is_read_once_and_needs_the_labels() -> None:
    command = [sys.executable, "-m", "novikoff", *["learn", "-", "--format", "text", "--json"]]
    rows = b"ham\tsee you\nspam\tfree\n"
    options = ["--learner", "adaptive-gradient"]
    done = subprocess.run([*command, *options], input=rows, capture_output=True, check=False)
    assert done.returncode == 3
    assert "expected labels −1 and +1" in done.stderr.decode()
    options += ["--labels", "ham,spam"]
    done = subprocess.run([*command, *options], input=rows, capture_output=True, check=False)
    assert done.returncode == 0


def test_numbers_come_before_texts_and_signs_need_no_declaration() -> None:
    X = [[1.0]] * 4
    assert found_labels(nv.stream(X, [1, -1, 1, 1])) == ()
    assert found_labels(nv.stream(X, [1, 0, 1, 1])) == ()
    assert found_labels(nv.stream(X, [3, -1, 1, 2])) == (-1, 1, 2, 3)
    assert found_labels(nv.stream(X, ["b", 10, "a", 9])) == (9, 10, "a", "b")
    assert found_labels(nv.stream(X, [1, -1, 0, 1])) == (-1, 0, 1)


@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("others", [["a", "b", "c"], [2, 3, 4], ["a", "b", "a"]])
def test_a_missing_label_is_refused_in_its_round(missing: Label, others: list[Label]) -> None:
    y = [*others, missing, *others]
    assert found_labels(nv.stream([[1.0]] * 7, y)) == tuple(dict.fromkeys(others))
    with pytest.raises(nv.InputError, match=r"^round 4: expected .*, got (None|nan)\."):
        nv.Run(nv.Blend()).play(nv.stream([[1.0]] * 7, y))


@pytest.mark.parametrize("labels", [["x", "y", None, "z"], [1.0, 2.0, float("nan"), 1.0]])
def test_a_row_of_a_table_without_a_label_is_refused_or_skipped(
    call: Call, labels: list[Label]
) -> None:
    table = pa.table({"a": [1.0, 2.0, 3.0, 4.0], "label": labels})
    pa.parquet.write_table(table, "bare.parquet")
    said = call("learn bare.parquet")
    assert said.code == 3
    assert "bare.parquet, row 3: expected " in said.err
    found = call("learn bare.parquet --on-bad skip --json").json
    assert (found["rounds"], found["skipped"]) == (3, 1)
    assert "skipped 1 line: bare.parquet, row 3: expected a label, got none." in found["remarks"]


def test_labels_of_any_kinds_have_an_order() -> None:
    y: list[Label] = [(1, 2), "a", 1, b"b", (1, 1), 0.5]
    assert found_labels(nv.stream([[1.0]] * 6, y)) == (0.5, 1, "a", b"b", (1, 1), (1, 2))
    run = nv.Run(nv.Blend())
    run.play(nv.stream([[1.0]] * 6, y))
    assert run.ledger.rounds == 6
    with pytest.raises(nv.InputError, match=r"^round 2: expected a label, got \[3\]"):
        nv.Run(nv.Blend()).play(nv.stream([[1.0]] * 4, [(1, 2), [3], 1, "a"]))
