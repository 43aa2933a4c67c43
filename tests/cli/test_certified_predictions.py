"""``certify --predictions`` and ``verify --predictions``: the output of any program."""

import json
import os
from pathlib import Path

import pytest

from commands import Call
from novikoff import verifier

OWN = "the files do not show whether each prediction was made before its label was known."


def written(path: str, form: str = "{p}\n", head: str = "") -> None:
    """Write predictions for the 300 rows of a.svm: about as often right as wrong."""
    lines = [form.format(p=round(0.1 + 0.8 * ((t * 37) % 100) / 100, 3), t=t) for t in range(300)]
    Path(path).write_text(head + "".join(lines))


def test_predictions_are_certified_and_verified(call: Call) -> None:
    written("p.txt", "{p} tag{t}\n")
    found = call("certify --predictions p.txt a.svm --output c.json --json").json
    assert found["certificate"] == "c.json"
    assert (found["theorem"], found["rows"]) == ("fixed-weights", 300)
    assert found["observed"] <= found["bound"] == pytest.approx(found["loss"] - found["least"])
    assert found["remarks"][0].startswith(OWN)
    said = call("certify --predictions p.txt a.svm --output c.json")
    assert said.out.splitlines()[0].startswith(f"log loss {found['loss']:,.6g} over 300 rows")
    assert said.out.splitlines()[1].startswith("no better than the frequency of the label")
    told = call("verify c.json a.svm --predictions p.txt --json").json
    assert told["verified"] is True
    assert (told["observed"], told["bound"]) == (found["observed"], found["bound"])
    assert verifier.main(["c.json", "a.svm", "predictions=p.txt"]) == 0


def test_without_its_predictions_a_certificate_is_refused(call: Call) -> None:
    written("p.txt")
    call("certify --predictions p.txt a.svm --output c.json")
    found = call("verify c.json a.svm")
    assert (found.code, found.out) == (1, "refused: it is about predictions, which are not given\n")
    assert "remark: name the file of the predictions with --predictions." in found.err
    written("q.txt", "0.{t}\n")
    found = call("verify c.json a.svm --predictions q.txt")
    assert (found.code, found.out) == (1, "refused: these are not its predictions\n")
    assert verifier.main(["c.json", "a.svm"]) == 1


def test_what_a_certificate_is_not_about_is_not_ignored(
    call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever names predictions or a model wants them looked at; the verifier cannot."""
    written("p.txt")
    call("learn a.svm --learner perceptron --save m")
    call("certify m a.svm --theorem hinge --output run.json")
    call("certify --predictions p.txt a.svm --output told.json")
    capsys.readouterr()
    assert verifier.main(["run.json", "a.svm", "predictions=p.txt"]) == 3
    said = "the predictions: expected none, hinge is not about any, got some\n"
    assert capsys.readouterr() == ("", said)
    assert verifier.main(["told.json", "a.svm", "predictions=p.txt", "start=m"]) == 3
    said = "the start: expected none, fixed-weights is not about a run, got a model\n"
    assert capsys.readouterr() == ("", said)
    assert verifier.main(["run.json", "a.svm"]) == 0


@pytest.mark.parametrize("column", ["start", "predictions"])
def test_a_column_may_be_called_like_an_option(column: str, call: Call) -> None:
    """Only with "=" is such a word the option."""
    head, *rows = Path("a.csv").read_text().splitlines()
    Path("b.csv").write_text("\n".join([head.replace("label", column), *rows]) + "\n")
    written("p.txt")
    assert call(f"certify --predictions p.txt b.csv --label {column} --output c.json").code == 0
    assert verifier.main(["c.json", "b.csv", column, "predictions=p.txt"]) == 0
    assert verifier.main(["c.json", "b.csv", "predictions=p.txt", column]) == 0
    assert verifier.main(["c.json", "b.csv", column]) == 1  # its predictions are not given
    assert verifier.main(["c.json", "b.csv", column, "start"]) == 2


@pytest.mark.parametrize(
    ("form", "head", "column"),
    [("{t},{p}\n", "row,chance\n", "chance"), ("{t}\t{p}\n", "", "1"), ("{p};{t}\n", "", "0")],
)
def test_a_column_of_a_table_holds_predictions(
    form: str, head: str, column: str, call: Call
) -> None:
    written("p.txt")
    written("p.csv", form, head)
    call("certify --predictions p.txt a.svm --output c.json")
    named = f"--predictions p.csv --predictions-column {column}"
    assert call(f"certify {named} a.svm --output d.json").code == 0
    assert Path("c.json").read_text() == Path("d.json").read_text()
    assert call(f"verify d.json a.svm {named}").code == 0
    assert verifier.main(["d.json", "a.svm", f"predictions=p.csv:{column}"]) == 0


def test_a_column_of_the_data_may_hold_them(call: Call) -> None:
    """It is no feature then."""
    rows = Path("a.csv").read_text().splitlines()
    lines = [f"{row},{0.2 + t % 7 / 10:.1f}" for t, row in enumerate(rows[1:])]
    Path("both.csv").write_text("\n".join([f"{rows[0]},chance", *lines]) + "\n")
    options = "both.csv --ignore chance --predictions both.csv --predictions-column chance"
    assert call(f"certify {options} --output c.json").code == 0
    certificate = json.loads(Path("c.json").read_text())
    assert certificate["data"]["dimension"] == 8
    assert call(f"verify c.json {options}").code == 0
    words = ["label", "ignore=chance", "predictions=both.csv:chance"]
    assert verifier.main(["c.json", "both.csv", *words]) == 0


def test_scores_are_probabilities_by_another_name(call: Call) -> None:
    written("p.txt", "0.5\n")
    written("s.txt", "0\n")
    plain = call("certify --predictions p.txt a.svm --output c.json --json").json
    scores = call("certify --predictions s.txt --scores a.svm --output d.json --json").json
    assert plain["loss"] == pytest.approx(scores["loss"]) == pytest.approx(207.944, abs=1e-3)
    assert call("verify d.json a.svm --predictions s.txt").code == 0


def test_labels_that_are_numbers_have_a_squared_loss(call: Call) -> None:
    rows = [((t * 7) % 10, (t * 3) % 11) for t in range(60)]
    lines = [f"{a},{b},{2 * a - b + t % 2}\n" for t, (a, b) in enumerate(rows)]
    Path("n.csv").write_text("a,b,price\n" + "".join(lines))
    Path("n.txt").write_text("".join(f"{2 * a - b}\n" for a, b in rows))
    options = "n.csv --label price --predictions n.txt"
    found = call(f"certify {options} --loss squared --output c.json --json").json
    assert (found["theorem"], found["loss"]) == ("fixed-weights-squared", 30.0)
    assert found["mistakes"] is None
    said = call(f"certify {options} --loss squared --output c.json").out.splitlines()
    assert said[0] == "squared loss 30 over 60 rows (0.5 each)"
    assert said[1].startswith("better than the mean of the labels, which loses ")
    assert call(f"verify c.json {options}").code == 0
    assert verifier.main(["c.json", "n.csv", "price", "predictions=n.txt"]) == 0


REFUSED = {
    "certify --predictions= a.svm": (2, "--predictions: expected the name of a file"),
    "certify --predictions p.txt a.svm --theorem hinge": (2, "--theorem: expected none"),
    "certify m a.svm --clip 0.1": (2, "--predictions: expected the file that the other options"),
    "certify --predictions p.txt a.svm --clip 0.7": (2, "clip: expected a number above 0"),
    "certify --predictions p.txt a.svm --penalty 0": (2, "penalty: expected a finite number"),
    "certify --predictions nowhere a.svm": (3, "nowhere: expected a file, got: No such file"),
    "certify --predictions pipe a.svm": (3, "a regular file with predictions, got a pipe. Name"),
    "certify --predictions /dev/zero a.svm": (3, "regular file with predictions, got a device"),
    "verify c.json a.svm --predictions pipe": (3, "pipe: expected a regular file with predictions"),
    "certify --predictions short.txt a.svm": (3, "predictions: expected 300, one for each row"),
    "certify --predictions gap.txt a.svm": (3, "gap.txt:2: expected a finite number, got ''"),
    "certify --predictions sure.txt a.svm": (1, "Clip probabilities with --clip E"),
    "certify --predictions p.txt a.svm --loss squared --clip 0.1": (2, "--loss squared: expected"),
    "certify --predictions far.txt a.svm": (3, "Take scores with --scores."),
    "certify --predictions p.txt a.svm --output p.txt": (3, "p.txt: expected a file to write"),
    "certify --predictions a.svm a.svm": (3, "a.svm:2: expected a probability from 0 to 1"),
    "certify --predictions p.txt many.csv --label kind": (2, "labels"),
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_is_wrong_is_said_in_a_line(command: str, call: Call) -> None:
    written("p.txt")
    os.mkfifo("pipe")
    written("sure.txt", "1\n")
    written("far.txt", "2.5\n")
    Path("short.txt").write_text("0.5\n" * 299)
    Path("gap.txt").write_text("0.5\n\n" + "0.5\n" * 298)
    found = call(command)
    code, text = REFUSED[command]
    assert (found.code, text in found.err) == (code, True), found.err


def test_the_stand_alone_verifier_takes_one_file_of_predictions(call: Call) -> None:
    written("p.txt")
    call("certify --predictions p.txt a.svm --output c.json")
    named = "predictions=p.txt"
    assert verifier.main(["c.json", "a.svm", named]) == 0
    assert verifier.main(["c.json", "a.svm", named, "predictions=q.txt"]) == 2
    assert verifier.main(["c.json", "a.svm", "predictions=nowhere"]) == 3
    assert verifier.main(["c.json", "a.svm", "predictions=p.txt:2"]) == 3
