"""``novikoff test``: a saved model on rows that it has not learned from."""

import hashlib
import json
import math
import re
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call
from novikoff.receipts.certificates import sealed
from novikoff.receipts.fresh_bounds import clopper_pearson


@pytest.fixture
def halves(call: Call) -> None:
    """Cut the files in two."""
    for name in ("a.svm", "mail.txt"):
        lines = Path(name).read_text().splitlines(keepends=True)
        cut = len(lines) // 2
        Path(f"old-{name}").write_text("".join(lines[:cut]))
        Path(f"new-{name}").write_text("".join(lines[cut:]))
    head, *rows = Path("many.csv").read_text().splitlines(keepends=True)
    Path("old-many.csv").write_text("".join([head, *rows[:150]]))
    Path("new-many.csv").write_text("".join([head, *rows[150:]]))


@pytest.mark.usefixtures("halves")
def test_the_first_line_says_how_good_how_sure_and_compared_with_what(call: Call) -> None:
    call("learn old-a.svm --save m")
    found = call("test m new-a.svm --json").json
    mine = nv.test(nv.Run.load("m"), nv.read("new-a.svm"))
    assert (found["rows"], found["errors"]) == (mine.rows, mine.errors) == (150, mine.errors)
    assert found["error_bound"]["value"] == clopper_pearson(mine.errors, 150)
    assert found["interval"] == [*mine.interval]
    assert mine.loss is not None
    assert (found["loss"]["value"], found["loss"]["bound"]) == (mine.loss.mean, mine.loss.bound)
    assert [one["interval"] for one in found["loss"]["bins"]] == [
        [*one.interval] for one in mine.loss.bins
    ]
    assert sum(pair["count"] for pair in found["confusion"]) == 150
    assert found["beats_baseline"]
    first, second, *_ = call("test m new-a.svm").out.splitlines()
    assert re.fullmatch(
        r"the model as saved is wrong on \d+\.\d\d% of 150 new rows: at most \d+\.\d\d%, with "
        r"probability 95%, if rows are independent · always guessing -?1: \d+\.\d\d%",
        first,
    )
    assert second.startswith(f"mean log loss {mine.loss.mean:.4f}: at most ")


@pytest.mark.usefixtures("halves")
@pytest.mark.parametrize(
    ("options", "old", "new"),
    [
        ("--label kind", "old-many.csv", "new-many.csv"),
        ("--label kind --positive x", "old-many.csv", "new-many.csv"),
        ("--positive spam --words 2", "old-mail.txt", "new-mail.txt"),
    ],
)
def test_new_rows_are_read_as_the_model_remembers(
    call: Call, options: str, old: str, new: str
) -> None:
    call(f"learn {old} {options} --save m")
    found = call(f"test m {new} --json").json
    judged = call(f"predict m {new} --json").json
    assert (found["rows"], found["errors"]) == (judged["rows"], judged["mistakes"])
    assert found["confusion"] == judged["confusion"]
    assert found["loss"]["calibration_error"] == judged["calibration_error"]


@pytest.mark.usefixtures("halves")
def test_rows_that_the_model_has_learned_from_are_not_new(call: Call) -> None:
    call("learn old-a.svm --save m")
    said = call("test m old-a.svm new-a.svm").err
    assert "remark: the model has learned from old-a.svm. Unless the file has changed" in said
    assert call("test m new-a.svm").err == ""


@pytest.mark.usefixtures("halves")
def test_a_model_that_is_no_better_than_guessing_says_so(call: Call) -> None:
    call("learn old-a.svm --save m")
    Path("one.svm").write_text("-1 1:0.5\n" * 20)
    said = call("test m one.svm")
    assert "always guessing -1: 0.00% (the model is no better)" in said.out.splitlines()[0]
    assert "remark: every new row has the same label; the test tells nothing apart." in said.err
    assert not call("test m one.svm --json").json["beats_baseline"]


@pytest.mark.usefixtures("halves")
def test_delta_clip_and_threshold_are_taken(call: Call) -> None:
    call("learn old-a.svm --save m")
    usual, sure = (call(f"test m new-a.svm --json {o}").json for o in ("", "--delta 0.001"))
    assert sure["error_bound"]["value"] > usual["error_bound"]["value"]
    assert sure["loss"]["bound"] > usual["loss"]["bound"]
    assert call("test m new-a.svm --json --clip 0.01").json["loss"]["clip"] == 0.01
    costly = call("test m new-a.svm --json --cost fp=0,fn=1").json  # the threshold is 0
    assert all(pair["predicted"] == 1 for pair in costly["confusion"])
    assert call("test m new-a.svm --clip 0.7").code == 2
    assert call("test m new-a.svm --delta 1").code == 2


@pytest.mark.usefixtures("halves")
def test_a_hypothesis_and_a_model_without_probabilities_are_tested_too(call: Call) -> None:
    call("learn old-a.svm --learner perceptron --save m")
    nv.Run.load("m").hypothesis().save("h")
    first, second = (call(f"test {name} new-a.svm").out for name in ("m", "h"))
    assert first == second
    assert "log loss" not in first
    assert call("test m new-a.svm --json").json["loss"] is None
    Path("new.json").write_text(json.dumps({}))
    assert call("test new.json new-a.svm").code == 3


@pytest.mark.usefixtures("halves")
@pytest.mark.parametrize(
    ("options", "name", "kind"),
    [
        ("", "a.svm", "probability"),
        ("--learner perceptron", "a.svm", "label"),
        ("--positive spam --words 2", "mail.txt", "probability"),
        ("--label kind", "many.csv", "label"),
        ("--label kind --positive x", "many.csv", "probability"),
    ],
)
def test_certificates_of_a_test_verify_with_their_predictions(
    call: Call, options: str, name: str, kind: str
) -> None:
    call(f"learn old-{name} {options} --save m")
    found = call(f"test m new-{name} --certify --json").json
    files, stem = found["certified"], f"new-{Path(name).stem}.test"
    assert (files["error"], files["predictions"]) == (f"{stem}.json", f"{stem}.predictions")
    assert files["loss"] == (f"{stem}.loss.json" if kind == "probability" else None)
    content = json.loads(Path(files["error"]).read_text())
    assert content["evidence"]["kind"] == kind
    assert content["bound"] == found["error_bound"]["value"]
    digest = hashlib.sha256(Path("m").read_bytes()).hexdigest()
    assert content["remarks"]["model"] == {"sha256": digest}
    said = call(f"verify {files['error']} new-{name} --predictions {files['predictions']} --json")
    assert (said.json["verified"], said.json["observed"]) == (True, found["errors"])
    if files["loss"]:
        words = f"verify {files['loss']} new-{name} --predictions {files['predictions']} --json"
        verdict = call(words).json
        assert (verdict["verified"], verdict["bound"]) == (True, found["loss"]["bound"])
        assert verdict["observed"] == pytest.approx(found["loss"]["value"], rel=1e-12)
    shown = call(f"test m new-{name} --certify").out
    command = shown.partition("checked by: novikoff ")[2].strip()
    assert call(command).out.startswith("verified: clopper-pearson, ")


@pytest.mark.usefixtures("halves")
def test_a_threshold_is_on_the_certificate(call: Call) -> None:
    call("learn old-a.svm --save m")
    found = call("test m new-a.svm --threshold 0.9 --certify t.json --json").json
    content = json.loads(Path("t.json").read_text())
    assert content["evidence"]["threshold"] == 0.9
    assert content["evidence"]["mistakes"] == found["errors"]
    assert call("verify t.json new-a.svm --predictions t.predictions").code == 0


@pytest.mark.usefixtures("halves")
def test_changed_predictions_and_a_lower_bound_are_refused(call: Call) -> None:
    call("learn old-a.svm --save m")
    call("test m new-a.svm --certify t.json")
    lines = Path("t.predictions").read_text().splitlines()
    Path("other").write_text("\n".join([*lines[:-1], "0.5"]) + "\n")
    said = call("verify t.json new-a.svm --predictions other")
    assert (said.code, "these are not its predictions" in said.out) == (1, True)
    certificate = nv.Certificate.load("t.json")
    lower = certificate.content | {"bound": math.nextafter(certificate.content["bound"], 0)}
    Path("l.json").write_bytes(sealed(lower).text)
    assert call("verify l.json new-a.svm --predictions t.predictions").code == 1
    loss = nv.Certificate.load("t.loss.json").content
    fewer = {**loss["evidence"], "steps": loss["evidence"]["steps"] - 2}
    Path("s.json").write_bytes(sealed(loss | {"evidence": fewer}).text)
    assert (
        "the capital does not reach"
        in call("verify s.json new-a.svm --predictions t.predictions").out
    )


@pytest.mark.usefixtures("halves")
def test_certificates_are_written_to_files_of_their_own(call: Call) -> None:
    call("learn old-a.svm --save m")
    assert call("test m new-a.svm --certify m").code == 3
    assert call("test m new-a.svm --certify nowhere/t.json").code == 3
    assert call("test m - --format svmlight --certify").code == 3


@pytest.mark.usefixtures("halves")
def test_columns_in_another_order_are_verified_as_the_file_has_them(call: Call) -> None:
    head, *rows = Path("a.csv").read_text().splitlines()
    Path("old.csv").write_text("\n".join([head, *rows[:200]]) + "\n")
    turned = [",".join(reversed(line.split(","))) for line in (head, *rows[200:])]
    Path("new.csv").write_text("\n".join(turned) + "\n")
    call("learn old.csv --save m")
    found = call("test m new.csv --certify t.json --json").json
    assert found["error_rate"] < 0.2
    assert call("verify t.json new.csv --predictions t.predictions").code == 0


@pytest.mark.usefixtures("halves")
def test_the_report_of_a_test_is_about_the_model_as_saved(call: Call) -> None:
    call("learn old-a.svm --save m")
    found = call("test m new-a.svm --report t.html --json").json
    assert found["report"] == "t.html"
    page = Path("t.html").read_text()
    assert f"{found['errors']} errors on 150 rows" in re.sub("<[^>]+>", "", page)
    assert "the model as saved: at most" in page
    nv.Run.load("m").hypothesis().save("h")
    said = call("test h new-a.svm --report t.html")
    assert (said.code, "expected a model with its run" in said.err) == (3, True)
    assert call("test m new-a.svm --report t.txt").code == 2


@pytest.mark.usefixtures("halves")
def test_unknown_labels_are_refused_and_nothing_is_written(call: Call) -> None:
    call("learn old-a.svm --save m")
    lines = [line.split(" ", 1) for line in Path("new-a.svm").read_text().splitlines()]
    signs = {"-1": "0", "1": "1", "+1": "1"}
    Path("zeros.svm").write_text("".join(f"{signs[y]} {x}\n" for y, x in lines))
    before = sorted(path.name for path in Path().iterdir())
    refused = call("test m zeros.svm --certify c.json --report page.html")
    assert refused.code == 3
    zeros = sum(y == "-1" for y, _ in lines)
    assert f"got {zeros} rows with other labels: 0" in refused.err
    assert sorted(path.name for path in Path().iterdir()) == before
