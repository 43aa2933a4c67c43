"""``predict --probabilities``, and what probabilities are worth on rows that have labels."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import novikoff as nv
from commands import Call
from novikoff.cli.probable import LEAST, Probable, probable


def _table(text: str) -> tuple[list[str], list[list[str]]]:
    header, *rows = csv.reader(text.splitlines())
    return header, rows


def test_predict_writes_a_column_for_each_label(call: Call) -> None:
    call("learn mail.txt --positive spam --learner adaptive-gradient --save m")
    header, rows = _table(call("predict m mail.txt --probabilities").out)
    assert header == ["prediction", "ham", "spam"]
    run: nv.Run = nv.Run.load("m")
    texts = [line.split("\t")[1] for line in Path("mail.txt").read_text().splitlines()]
    chances = run.hypothesis().probabilities([dict.fromkeys(t.split(), 1.0) for t in texts])  # type: ignore[attr-defined]
    assert [float(row[2]) for row in rows] == chances.tolist()
    assert [float(row[1]) for row in rows] == (1 - chances).tolist()
    assert [row[0] for row in rows] == call("predict m mail.txt").out.split()


def test_predict_writes_probabilities_to_a_file_and_a_summary_as_json(call: Call) -> None:
    call("learn a.svm --learner adaptive-gradient --save m")
    found = call("predict m a.svm --probabilities --output p.csv --json").json
    header, rows = _table(Path("p.csv").read_text())
    assert (header, len(rows)) == (["prediction", "-1", "1"], found["rows"])
    labels = [line.split()[0] for line in Path("a.svm").read_text().splitlines()]
    column = {"-1": 1, "1": 2}
    losses = [-math.log(float(row[column[y]])) for row, y in zip(rows, labels, strict=True)]
    assert found["mean_loss"] == pytest.approx(math.fsum(losses) / len(rows), rel=1e-12)
    assert found["mistakes"] == sum(r[0] != y for r, y in zip(rows, labels, strict=True)) > 0
    came = np.array([int(y) > 0 for y in labels])
    positive = np.array([float(row[2]) for row in rows])
    assert found["calibration_error"] == pytest.approx(nv.calibration_error(positive, came))
    said = f"mean loss {found['mean_loss']:.4f}, calibration error {found['calibration_error']:.4f}"
    assert f"{said};" in call("predict m a.svm").err


@pytest.mark.parametrize("head", ["a,b,c\n", "a,b,c,kind\n"])
def test_a_file_without_rows_has_a_header(call: Call, head: str) -> None:
    call("learn many.csv --label kind --save m")
    Path("none.csv").write_text(head)
    assert call("predict m none.csv --probabilities").out == "prediction,x,y,z\n"
    assert call("predict m none.csv --probabilities --output p.csv --json").json["rows"] == 0
    assert Path("p.csv").read_text() == "prediction,x,y,z\n"
    assert call("predict m none.csv").out == ""


def test_a_number_and_a_text_that_reads_like_it_have_names_of_their_own(call: Call) -> None:
    rows = '{"label": 1, "a": 1}\n{"label": "1", "b": 1}\n{"label": "c", "c": 1}\n'
    Path("twins.jsonl").write_text(rows * 20)
    call("learn twins.jsonl --save m")
    header, rows_ = _table(call("predict m twins.jsonl --probabilities").out)
    assert header == ["prediction", "1", '"1"', '"c"']
    assert [row[0] for row in rows_[:3]] == ["1", '"1"', '"c"']
    assert all(max(row[1:], key=float) == row[header.index(row[0])] for row in rows_)


def test_several_negative_labels_share_a_column(call: Call) -> None:
    call("learn many.csv --label kind --positive x --learner adaptive-gradient --save m")
    header, rows = _table(call("predict m many.csv --probabilities").out)
    assert header == ["prediction", "not x", "x"]
    found = call("predict m many.csv --json").json
    labels = [line.split(",")[3] for line in Path("many.csv").read_text().splitlines()[1:]]
    losses = [
        -math.log(float(row[2 if y == "x" else 1])) for row, y in zip(rows, labels, strict=True)
    ]
    assert found["mean_loss"] == pytest.approx(math.fsum(losses) / len(rows), rel=1e-12)


@pytest.mark.parametrize("options", ["--probabilities", "--probabilities --json"])
def test_a_model_without_probabilities_is_refused(call: Call, options: str) -> None:
    call("learn a.svm --learner perceptron --save m")
    said = call(f"predict m a.svm {options}")
    assert (said.code, said.out) == (2, "")
    assert "--probabilities: expected a model that gives them, got a Halfspace" in said.err
    found = call("predict m a.svm --json").json
    assert (found["mean_loss"], found["calibration_error"]) == (None, None)


def test_scores_and_probabilities_contradict_each_other(call: Call) -> None:
    said = call("predict m a.svm --scores --probabilities")
    assert said.code == 2
    assert "--scores: expected none with --probabilities" in said.err


def test_a_label_that_the_model_does_not_know_has_no_chance(call: Call) -> None:
    call("learn a.svm --learner adaptive-gradient --save m")
    Path("strange.svm").write_text("7 1:1\n")
    found = call("predict m strange.svm --json").json
    assert (found["mistakes"], found["mean_loss"]) == (1, pytest.approx(53 * math.log(2)))
    assert found["remarks"] == [
        "1 row has a label that the model does not know (7); each counts as a mistake and as a "
        "loss of 36.7368. novikoff test refuses such labels."
    ]


def test_a_remark_counts_rows_with_unknown_labels(call: Call) -> None:
    Path("two.csv").write_text("a,label\n" + "1,x\n-1,y\n" * 9)
    Path("three.csv").write_text("a,label\n1,x\n-1,y\n-1,z\n1,z\n0,w\n")
    call("learn two.csv --learner averaged --positive x --save m")
    Path("again.csv").write_text(Path("two.csv").read_text())
    assert call("predict m again.csv --json").json["remarks"] == []
    assert call("predict m three.csv").err.endswith(
        "remark: 3 rows have labels that the model does not know (z, w); each counts as a mistake. "
        "novikoff test refuses such labels.\n"
    )


class Three:
    """Three classes with fixed probabilities, as a learner with many classes has them."""

    multiclass = True
    labels: tuple[Any, ...] = ()

    def predict(self, x: Any) -> int:
        return 0

    def update(self, x: Any, y: int) -> None:
        pass

    def probability(self, x: Any) -> npt.NDArray[np.float64]:
        return np.array([0.5, 0.25, 0.25])

    def probabilities(self, X: Any) -> Any:
        return np.tile([0.5, 0.25, 0.25], (len(X), 1))


def test_a_run_with_many_classes_names_the_probability_of_each() -> None:
    run = nv.Run(Three(), labels=("a", "b", "c"))
    for label in "abc":
        run.learn((1.0,), label)
    assert run.probability((1.0,)) == {"a": 0.5, "b": 0.25, "c": 0.25}


def test_many_classes_have_a_column_each() -> None:
    three = Three()
    assert probable(three, [1, 2]).labels == (0, 1, 2)
    three.labels = ("a", 'b"', "c\nd")
    found = probable(three, [1, 2])
    assert found.header == 'prediction,a,"b""",c\\nd\n'
    assert found.lines(np.array(["a", "c\nd"])) == "a,0.5,0.25,0.25\nc\\nd,0.5,0.25,0.25\n"
    assert found.loss(["a", None]) == math.log(2)
    assert found.loss([None, None]) == 0
    chances, came = found.outcomes(["a", "c\nd"])
    assert (chances.tolist(), came.tolist()) == ([0.5, 0.5], [True, False])
    assert [len(part) for part in found.outcomes([None, "e"])] == [1, 1]
    assert found.loss(["c\nd", "e"]) == pytest.approx(math.log(4) - math.log(LEAST))


def test_a_probability_of_0_costs_a_finite_loss() -> None:
    sure = Probable((-1, 1), np.array([[0.0, 1.0]]))
    assert sure.loss([-1]) == pytest.approx(53 * math.log(2))
    assert sure.loss([1]) == 0
