"""Remarks: one list on the terminal, in JSON and on the report; and of columns left out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call
from novikoff.receipts.remarks import about_run

pa = pytest.importorskip("pyarrow", reason="tables need the extra files")
import pyarrow.parquet  # noqa: E402


def _rows(labels: list[str]) -> str:
    rows = [f"{t % 7},{(-1) ** t},{label}" for t, label in enumerate(labels)]
    return "\n".join(["a,b,kind", *rows]) + "\n"


def test_a_positive_label_that_no_row_has_is_refused(call: Call) -> None:
    """Before a model is written; it would have learned to say −1."""
    Path("t.csv").write_text(_rows(["UP", "DOWN"] * 20))
    found = call("learn t.csv --label kind --positive up --save m")
    assert (found.code, "got 'up', which no row has" in found.err) == (2, True)
    assert not Path("m").exists()


def test_one_label_alone_is_remarked(call: Call) -> None:
    """A part of a stream may have no click; the run stands."""
    Path("t.csv").write_text(_rows(["no"] * 20))
    found = call("learn t.csv --label kind --positive click --save m")
    assert (found.code, "every row has the same label" in found.err) == (0, True)


@pytest.mark.parametrize(
    ("labels", "sorted_"),
    [(["p"] * 60 + ["q"] * 60, True), (["p", "q", "q"] * 40, False)],
    ids=["in two runs", "mixed"],
)
def test_rows_sorted_by_label_are_remarked(call: Call, labels: list[str], sorted_: bool) -> None:
    Path("t.csv").write_text(_rows(labels))
    found = call("learn t.csv --label kind --positive p")
    assert ("look sorted by label" in found.err) == sorted_
    several = call("learn t.csv --label kind --positive p --passes 2 --save m")
    assert several.err == "", "later passes are sorted anyhow"


@pytest.mark.parametrize(("stays", "dependent"), [(1, False), (2, False), (5, True)])
def test_rows_like_their_neighbours_are_remarked(stays: int, dependent: bool) -> None:
    """Runs of five, on average: what is promised about independent rows does not hold."""
    draw = np.random.default_rng(0)
    y = np.cumsum(draw.random(2000) < 1 / stays) % 2 if stays > 1 else draw.integers(0, 2, 2000)
    run = nv.play(nv.Perceptron(), nv.stream(draw.standard_normal((2000, 2)), y))
    told = [remark for remark in about_run(run) if "neighbouring rows are alike" in remark]
    assert bool(told) == dependent


@pytest.mark.parametrize(
    ("each", "sorted_"), [(1, False), (6, True)], ids=["all distinct", "in runs of six"]
)
def test_many_labels_are_sorted_if_they_come_in_runs(each: int, sorted_: bool) -> None:
    labels = [f"c{t // each:03}" for t in range(120)]
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(np.eye(120), labels))
    assert any("look sorted by label" in remark for remark in about_run(run)) == sorted_


def test_several_negative_labels_are_not_the_same_label() -> None:
    run = nv.Run(nv.Perceptron(), positive="a", labels=("a", "b", "c"))
    for label in ("b", "c"):
        run.learn([1.0], label)
    assert about_run(run)[0] == "every row counts as 'not a'; nothing was told apart."


def test_only_the_rounds_of_this_input_say_whether_it_is_sorted(call: Call) -> None:
    """A few rows after many others have few changes, and are in no order."""
    Path("many.csv").write_text(_rows(["p", "q", "q"] * 400))
    Path("few.csv").write_text(_rows(["p", "q", "q"] * 2))
    call("learn many.csv --label kind --positive p --save m")
    assert call("learn few.csv --label kind --resume m --save n").err == ""


def test_an_ignored_column_is_no_feature(call: Call) -> None:
    """In every kind of table: the run is that of the file without it."""
    Path("t.csv").write_text("id,a,b,label\nx7,1,2,1\nx8,2,-1,0\nx9,0,-3,0\n")
    Path("bare.csv").write_text("a,b,label\n1,2,1\n2,-1,0\n0,-3,0\n")
    rows = [{"id": ["x"], "a": 1, "b": 2}, {"id": ["x"], "a": 2, "b": -1}, {"id": [], "b": -3}]
    lines = [str(row | {"label": label}) for row, label in zip(rows, (1, 0, 0), strict=True)]
    Path("t.jsonl").write_text("\n".join(lines).replace("'", '"') + "\n")
    cells = {"id": ["x7", "x8", "x9"], "a": [1, 2, 0], "b": [2, -1, -3], "label": [1, 0, 0]}
    pyarrow.parquet.write_table(pa.table(cells), "t.parquet")
    bare = nv.play(nv.Perceptron(), nv.read("bare.csv"), digest=True)
    for file in ("t.csv", "t.parquet"):
        run = nv.play(nv.Perceptron(), nv.read(file, ignore=["id"]), digest=True)
        assert run.ledger.digest == bare.ledger.digest
    run = nv.play(nv.Perceptron(), nv.read("t.jsonl", ignore=["id"]))
    h = run.hypothesis()
    assert isinstance(h, nv.Halfspace)
    assert h.weights() == {"a": -2.0, "b": 1.0}
    call("learn t.csv --ignore id --save m")
    assert call("predict m t.csv").out == "1\n0\n0\n", "the model remembers it"
    for file in ("t.csv", "t.parquet"):
        assert "expected a column of" in call(f"learn {file} --ignore name").err


def test_a_model_remembers_the_label_s_column(call: Call) -> None:
    """So that it is no feature where it is there, and not missed where it is not."""
    Path("t.csv").write_text(_rows(["p", "q", "q"] * 9))
    Path("new.csv").write_text("a,b\n1,1\n2,-1\n")
    call("learn t.csv --label kind --positive p --save m --certify m.json")
    assert call("predict m t.csv --json").json["rows"] == 27
    assert len(call("predict m new.csv").out.split()) == 2
    assert call("certify m t.csv").code == 0


def _shown(page: str) -> list[str]:
    """Return the remarks of a page."""
    import html
    import re

    part = re.search(r'<section class="remarks">(.*?)</section>', page, re.DOTALL)
    lines = re.findall(r"<li><bdi>(.*?)</bdi></li>", part[1]) if part else []
    return [html.unescape(line) for line in lines]


@pytest.mark.parametrize(
    ("kind", "empty"), [("perceptron", "the bounds"), ("blend", "the bounds betting-share (")]
)
def test_terminal_json_and_page_have_the_same_remarks(call: Call, kind: str, empty: str) -> None:
    """Sorted rows, a bound that says nothing, skipped lines, another model: all of them."""
    rows = [f"{(-1) ** (t // 60)} 1:{t % 7} 2:{t % 3 - 1}\n" for t in range(120)]
    Path("t.svm").write_text("".join([*rows, "1x 1:1\n"]))
    call("learn a.svm --save t.model")
    command = f"learn t.svm --learner {kind} --on-bad skip --report t.html --certify c.json"
    said = call(command).err.splitlines()
    found = call(f"{command} --json")
    baseline, *others = found.json["remarks"]
    assert baseline.startswith("the run does not beat its baseline")  # the terminal's first line
    assert [f"remark: {remark}" for remark in others] == said
    assert found.err.splitlines() == [f"remark: {baseline}", *said]
    assert _shown(Path("t.html").read_text()) == found.json["remarks"]
    beginnings = ("the label changes 1 time,", empty, "skipped 1 line: t.svm:121:",
                  "t.model is another model")  # fmt: skip
    for beginning in beginnings:
        assert sum(remark.startswith(beginning) for remark in found.json["remarks"]) == 1, beginning


def test_a_report_from_python_has_the_remarks_of_its_run(tmp_path: Path) -> None:
    """They are seen while it is played, or when the rounds are read again for bounds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    rounds = nv.stream(X, np.repeat(["p", "q"], 100), positive="p")
    run = nv.play(nv.Perceptron(), rounds)
    nv.report(run, tmp_path / "r.html", nv.bounds(run), remarks=["By hand."])
    baseline, labels, bounds, own = _shown((tmp_path / "r.html").read_text())
    assert "does not beat its baseline" in baseline
    assert "look sorted by label" in labels
    assert "say nothing: there were 200 rounds." in bounds
    assert own == "By hand."
    run.save(tmp_path / "m")
    again: nv.Run = nv.Run.load(tmp_path / "m")
    nv.report(again, tmp_path / "again.html", nv.bounds(again, rounds))
    assert _shown((tmp_path / "again.html").read_text()) == [baseline, labels, bounds]
    mixed = nv.play(nv.Perceptron(), nv.stream(np.eye(4), [1, -1, -1, 1]))
    nv.report(mixed, tmp_path / "mixed.html")
    (baseline,) = _shown((tmp_path / "mixed.html").read_text())
    assert baseline.startswith("the run does not beat its baseline")
    with pytest.raises(nv.ParameterError, match="remarks: expected a list"):
        nv.report(mixed, tmp_path / "mixed.html", remarks="no list")


def test_reporting_a_saved_run_remarks_what_learning_it_did(call: Call) -> None:
    """With its bounds, and where it has none."""
    Path("t.csv").write_text(_rows(["p"] * 60 + ["q"] * 60))
    for learner in ("perceptron", "modified --sigma 0.01"):
        call(f"learn t.csv --label kind --positive p --learner {learner} --save m")
        found = call("report m t.csv --output page.html --json").json["remarks"]
        assert any("look sorted by label" in remark for remark in found)
        assert _shown(Path("page.html").read_text())[1:] == found  # the first is the baseline


def test_a_file_learned_from_before_has_no_band(call: Call) -> None:
    call("learn a.svm --save m")
    found = call("learn a.svm --resume m --report page.html --json").json
    assert found["error_bound"] is None
    page = Path("page.html").read_text()
    assert any("learned from before" in remark for remark in _shown(page))
    assert "Band: with probability" not in page


def test_order_is_counted_across_blocks_and_forgotten_between_passes() -> None:
    def blocks(labels: list[int]) -> Any:
        return [([float(t % 3)], y) for t, y in enumerate(labels)]

    run = nv.play(nv.Perceptron(), blocks([1, 1, -1, -1, 1]))
    assert (run.order.changes, run.order.counts) == (2, {1: 3, -1: 2})
    run.play(blocks([-1] * 3))
    assert (run.order.changes, run.order.counts) == (0, {-1: 3, 1: 0})


EVERY_VERB = {
    "learn": "learn a.svm", "predict": "predict m a.svm", "test": "test m a.svm",
    "tag": "tag t.model t.conll --learn",
    "certify": "certify m a.svm --output c.json", "verify": "verify c.json a.svm",
    "margin": "margin a.svm", "simulate": "simulate --seeds 2 --rounds 20", "theorems": "theorems",
    "check": "check novikoff:Perceptron", "inspect": "inspect m", "game": "game thresholds:4",
    "report": "report m a.svm", "cache": "cache a.svm --output o.arrow",
    "export": "export a.svm --output o.svm", "demo": "demo", "bench": "bench",
    "completion": "completion bash",
}  # fmt: skip


def test_json_of_every_verb_has_a_list_of_remarks(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    from novikoff import demo
    from novikoff.cli import stories
    from novikoff.cli.plans import _HOMES

    service = {"serve", "log"}  # one goes on until it is stopped; the other has a test beside it
    assert EVERY_VERB.keys() == _HOMES.keys() - service
    monkeypatch.setattr(demo, "_ROUNDS", 20_000)
    monkeypatch.setattr(demo, "_MESSAGES", 300)
    monkeypatch.setattr(stories, "_LINES", 500)
    Path("t.conll").write_text("a X\nb Y\n\nb Y\n\n")
    call("learn a.svm --save m")
    for verb, command in EVERY_VERB.items():
        said = call(f"{command} --json")
        found = json.loads(said.out)
        assert isinstance(found["remarks"], list), verb
        assert all(isinstance(remark, str) for remark in found["remarks"])
        assert [f"remark: {remark}" for remark in found["remarks"]] == [
            line for line in said.err.splitlines() if line.startswith("remark: ")
        ], verb


def test_a_certified_bound_that_says_nothing_is_remarked(call: Call) -> None:
    """By the verb that writes it, and by the one that verifies it."""
    call("learn a.svm --learner perceptron --save m")
    for command in ("certify m a.svm --theorem novikoff --output c.json", "verify c.json a.svm"):
        (remark,) = call(f"{command} --json").json["remarks"]
        assert "novikoff" in remark
        assert "says nothing: there were 300 rounds." in remark


@pytest.mark.parametrize(
    ("text", "remarked"),
    [
        ("a,b,class\n1,2,yes\n3,4,no\n", True),
        ("1,2,yes\n3,4,no\n", False),
        ("red,A1,yes\nblue,B2,no\n", False),
        ("a,b,class\n", False),
        ("a,b,class\n\n", False),
        ("red,3,yes\nblue,4,no\n", False),
    ],
)
def test_a_header_taken_as_values_is_remarked(text: str, remarked: bool, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    run = nv.play(nv.MulticlassPerceptron(), nv.read(file, label=-1))
    found = [remark for remark in about_run(run) if "looks like a header" in remark]
    assert len(found) == remarked
    assert all(remark.endswith("Use the name of the column: 'class'.") for remark in found)
