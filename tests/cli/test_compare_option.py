"""``learn --compare``: several learners in one pass over the files."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call, assert_same_run

KINDS = ("averaged", "adaptive-gradient", "balanced-minnow", "multiclass")
FILES = {
    "a.svm": "",
    "a.csv": "",
    "mail.vw": "",
    "mail.txt --positive spam": "",
    "mail.jsonl --text text --positive spam": "",
}


@pytest.mark.parametrize("file", FILES)
def test_each_learner_does_what_it_does_alone(call: Call, file: str) -> None:
    kinds = KINDS[:3] if "--positive" in file else KINDS
    found = call(f"learn {file} --compare {','.join(kinds)} --eta 0.1 --bias 1 --json").json
    assert [one["name"] for one in found["learners"]] == list(kinds)
    for one in found["learners"]:
        eta = " --eta 0.1" if "minnow" in one["name"] else ""
        alone = call(f"learn {file} --learner {one['name']}{eta} --bias 1 --json").json
        for name in ("learner", "parameters", "mistakes", "abstentions", "error_rate", "loss"):
            assert one[name] == alone[name], name
        assert found["baseline"] == alone["baseline"]
        assert found["rounds"] == alone["rounds"]
        assert one["bytes"] > 100
        low, high = one["interval"]
        assert 0 <= low <= one["error_rate"] <= high <= 1


def test_the_best_is_saved_as_if_it_had_learned_alone(call: Call) -> None:
    found = call("learn a.csv --compare averaged,adaptive-gradient --save best --json").json
    assert (found["best"], found["model"]) == ("adaptive-gradient", "best")
    assert "best holds adaptive-gradient, which was chosen" in found["remarks"][-1]
    call("learn a.csv --learner adaptive-gradient --save alone")
    assert_same_run("best", "alone")
    assert call("predict best a.csv").out == call("predict alone a.csv").out
    assert call("learn a.csv --resume best --json").json["rounds"] == 600


def test_the_table_says_who_is_best_and_who_is_worse(call: Call) -> None:
    options = "a.svm --compare minnow,averaged,adaptive-gradient --eta 0.1 --bias 1"
    said = call(f"learn {options}").out.splitlines()
    found = call(f"learn {options} --json").json
    by_name = {one["name"]: one for one in found["learners"]}
    assert re.match(r"3 learners on a.svm \(svmlight\): 300 rounds, [\d.]+ s; always", said[0])
    assert [line.split()[0] for line in said[1:5]] == [
        "learner", "adaptive-gradient", "averaged", "minnow",
    ]  # fmt: skip
    assert [line.rsplit("  ", 1)[1] for line in said[2:5]] == ["best", "not told apart", "worse"]
    assert [by_name[name]["differs"] for name in by_name] == [True, False, None]
    for line in said[2:5]:
        name, wrong, low, _, high = line.split()[:5]
        one = by_name[name]
        assert wrong == f"{one['error_rate']:.2%}"
        assert float(low[:-1]) <= 100 * one["interval"][0] < float(low[:-1]) + 0.01 + 1e-9
        assert float(high[:-1]) >= 100 * one["interval"][1] > float(high[:-1]) - 0.01 - 1e-9
    assert f"{by_name['adaptive-gradient']['mean_loss']:.4f}" in said[2]
    assert "with probability 0.95." in said[5]


def test_the_file_is_read_once() -> None:
    """Standard input cannot be read twice."""
    rows = b"1 1:1 2:3\n-1 1:-1 2:3\n" * 50
    command = "learn - --format svmlight --compare perceptron,adaptive-gradient --json"
    done = subprocess.run(
        [sys.executable, "-m", "novikoff", *command.split()],
        input=rows,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b'"rounds": 100,' in done.stdout


REFUSED = {
    "perceptron": "--compare: expected two or more of blend, perceptron, averaged",
    "averaged,averaged": "got 'averaged,averaged'",
    "averaged,river": "got 'river'",
    "averaged,minnow": "--eta: expected a value for --learner minnow",
    "averaged,perceptron --eta 1": "--eta: expected no such option with --compare averaged,perc",
    "averaged,modified --sigma 0.1": "expected learners that read the file once, got modified",
    "averaged,perceptron --learner voted": "--learner: expected none with --compare",
    "averaged,perceptron --resume m": "--resume: expected none with --compare",
    "averaged,perceptron --passes 2": "--passes: expected none with --compare",
    "averaged,perceptron --until-clean": "--until-clean: expected none with --compare",
    "averaged,perceptron --certify": "--certify: expected none with --compare",
    "averaged,perceptron --bounds": "--bounds: expected none with --compare",
    "averaged,perceptron --digest": "--digest: expected none with --compare",
    "averaged,perceptron --report r.html": "--report: expected none with --compare",
    "averaged,perceptron --save m --save-every 1": "--save-every: expected none with --compare",
}


@pytest.mark.parametrize("options", REFUSED)
def test_what_makes_no_sense_is_refused_by_name(call: Call, options: str) -> None:
    said = call(f"learn a.svm --compare {options}")
    assert (said.code, said.out) == (2, "")
    assert REFUSED[options] in said.err
    assert not Path("m").exists()


def test_learners_of_two_labels_refuse_many_by_name(call: Call) -> None:
    said = call("learn many.csv --label kind --compare multiclass,averaged")
    assert said.code == 3
    assert "many.csv:2: expected labels −1 and +1, or 0 and 1, got 'x'." in said.err
    assert "AveragedPerceptron refused it. Compare the others without it." in said.err


def test_bad_lines_and_labels_that_nobody_has(call: Call) -> None:
    found = call("learn bad.svm --on-bad skip --compare averaged,perceptron --json").json
    assert (found["rounds"], found["skipped"]) == (2, 1)
    assert "skipped 1 line" in found["remarks"][1]
    Path("none.svm").write_text("\n")
    said = call("learn none.svm --format svmlight --compare averaged,perceptron")
    assert said.code == 3
    assert "expected rows, got none" in said.err
    assert call("learn many.csv --label kind --positive w --compare averaged,voted").code == 2


def test_sorted_labels_are_remarked_upon(call: Call) -> None:
    lines = sorted(Path("a.svm").read_text().splitlines(keepends=True))
    Path("sorted.svm").write_text("".join(lines))
    assert "look sorted" in call("learn sorted.svm --compare averaged,perceptron").err


def test_delta_splits_among_all_that_may_fail(call: Call) -> None:
    found = call("learn a.svm --compare averaged,perceptron --delta 0.2 --json").json
    run = nv.play(nv.AveragedPerceptron(), nv.read("a.svm"))
    high = nv.error_bound(run.ledger, 0.2 / 2 / 2 / 2).value
    assert math.isclose(found["learners"][0]["interval"][1], high)
