"""The options of a run: weights of classes, the largest weight, thresholds and costs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call
from novikoff.reports.page_words import percent

LEARN = "learn a.csv --learner adaptive-gradient"


def _table() -> tuple[Any, Any]:
    table = np.loadtxt("a.csv", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


@pytest.mark.parametrize(
    ("options", "cut"),
    [
        ("--threshold 0.25", 0.25),
        ("--cost fp=1,fn=3", 0.25),
        ("--cost fn=0,fp=2", 1.0),
        ("--cost fp=5e307,fn=1.5e308", 0.25),
        ("--cost fp=5e-324,fn=1.5e-323", 0.25),
    ],
)
def test_the_command_line_decides_by_threshold_or_costs(
    call: Call, options: str, cut: float
) -> None:
    X, y = _table()
    found = call(f"{LEARN} --json {options} --save m").json
    run = nv.Run(nv.AdaptiveGradient(), threshold=cut).play(nv.stream(X, y))
    ledger = run.ledger
    assert found["decided"] == {
        "threshold": cut,
        "errors": ledger.decided_errors,
        "false_positives": ledger.false_positives,
        "false_negatives": ledger.false_negatives,
    }
    plain = call(f"{LEARN} --json --save plain").json
    assert (found["mistakes"], plain["decided"]) == (plain["mistakes"], None)
    assert (
        f"with the threshold {cut:g}: {ledger.decided_errors} errors"
        in call(f"{LEARN} {options}").out
    )
    expected = "".join(f"{label}\n" for label in run.predict(X).tolist())
    assert call("predict m a.csv").out == expected
    assert call(f"predict plain a.csv {options}").out == expected
    said = call("inspect m")
    assert f"decides on the positive label from a probability of {cut:g} on\n" in said.out
    assert call("inspect m --json").json["threshold"] == cut
    usual = call("predict plain a.csv").out
    assert usual != expected
    assert call("predict m a.csv --threshold 0.5").out == usual
    resumed = call("learn a.csv --resume m --json").json["decided"]
    assert (resumed["threshold"], resumed["errors"] > ledger.decided_errors) == (cut, True)


def test_weights_of_classes_and_the_largest_weight(call: Call) -> None:
    X, y = _table()
    for options, weights, most in (
        ("--class-weight 1=5", {1: 5.0}, None),
        ("--class-weight 1=5 --class-weight=-1=0.5 --max-weight 8", {1: 5.0, -1: 0.5}, 8.0),
        ("--max-weight 2", None, 2.0),
    ):
        run = nv.Run(nv.AdaptiveGradient(), class_weights=weights, max_weight=most)
        run.play(nv.stream(X, y))
        found = call(f"{LEARN} --json {options} --save m").json
        assert (found["loss"], found["mistakes"]) == (run.ledger.loss, run.mistakes)
        assert nv.Run.load("m").max_weight == (most or 5.0)
    by_default: nv.Run = nv.Run(nv.Blend(), class_weights={1: 3}).play(nv.stream(X, y))
    found = call("learn a.csv --class-weight 1=3 --json").json
    assert (found["loss"], found["mistakes"]) == (by_default.ledger.loss, by_default.mistakes)
    weighted = nv.Run(nv.Perceptron(), class_weights={1: 3}).play(nv.stream(X, y))
    found = call("learn a.csv --learner perceptron --class-weight 1=3 --json").json
    assert found["mistakes"] == weighted.mistakes
    Path("w.csv").write_text("a,w,label\n1,2,1\n-1,3.5,-1\n")
    assert call("learn w.csv --weight w --learner adaptive-gradient --max-weight 3.5").code == 0
    said = call("learn w.csv --weight w --learner adaptive-gradient --max-weight 3").err
    assert "w.csv:3: expected a weight of at most 3, got 3.5. Declare the largest" in said
    assert "with --max-weight W." in said
    assert call("learn w.csv --weight w --learner adaptive-gradient --save m").code == 0
    assert nv.Run.load("m").max_weight == 3.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--threshold 1.5", "--threshold: expected a probability from 0 to 1, got 1.5"),
        ("--threshold nan", "--threshold: expected a probability from 0 to 1, got nan"),
        ("--threshold 0.5 --cost fp=1,fn=1", "--cost: expected no --threshold with it"),
        ("--cost 3", "--cost: expected fp=A,fn=B"),
        ("--cost fp=1", "--cost: expected fp=A,fn=B"),
        ("--cost fp=1,fn=-1", "--cost: expected fp=A,fn=B"),
        ("--cost fp=1,fn=2,tp=3", "--cost: expected fp=A,fn=B"),
        ("--cost fp=0,fn=0", "--cost: expected a cost above 0"),
        ("--cost fp=1e309,fn=1", "--cost: expected fp=A,fn=B"),
        ("--class-weight 1", "--class-weight: expected LABEL=W"),
        ("--class-weight =2", "--class-weight: expected LABEL=W"),
        ("--class-weight 1=x", "--class-weight: expected LABEL=W"),
        ("--class-weight 1=2 --class-weight 1=3", "--class-weight: expected every label once"),
        ("--max-weight 0", "max_weight: expected None or a number"),
        ("--threshold 0.5 --resume m", "--threshold: expected none with --resume"),
        ("--cost fp=1,fn=1 --resume m", "--cost: expected none with --resume"),
        ("--class-weight 1=2 --resume m", "--class-weight: expected none with --resume"),
        ("--max-weight 2 --resume m", "--max-weight: expected none with --resume"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_read(
    call: Call, options: str, said: str
) -> None:
    learner = "" if "--resume" in options else "--learner adaptive-gradient"
    found = call(f"learn nowhere.svm {learner} {options}")
    assert found.code == 2
    assert said in found.err


def test_a_threshold_for_a_model_without_probabilities_is_refused(call: Call) -> None:
    said = call("learn a.svm --learner perceptron --threshold 0.2").err
    assert "threshold: expected a learner that gives" in said
    assert (
        "threshold" in call("learn many.csv --label kind --learner multiclass --cost fp=1,fn=2").err
    )
    call("learn a.svm --learner perceptron --save m")
    assert (
        "threshold: expected a model with two labels"
        in call("predict m a.svm --cost fp=1,fn=2").err
    )


def test_the_page_says_how_often_the_threshold_is_wrong(call: Call) -> None:
    """Beside the learner's own mistakes, and for the rounds that it shows."""
    X, y = _table()
    assert call(f"{LEARN} --threshold 0.9 --save m --report page.html").code == 0
    p = nv.play(nv.AdaptiveGradient(), nv.stream(X, y)).ledger
    ledger = nv.Run(nv.AdaptiveGradient(), threshold=0.9).play(nv.stream(X, y)).ledger
    assert ledger.decided_errors > p.mistakes
    page = Path("page.html").read_text().replace("\u00a0", " ")
    assert f"wrong on <strong>{percent(p.error_rate)}</strong>" in page
    rate = percent(ledger.decided_errors / ledger.rounds)
    assert f"decisions by the threshold 0.9 are wrong on <strong>{rate}</strong>: " in page
    assert f"{ledger.false_negatives:,} false negatives" in page
    assert call(f"{LEARN} --save plain --report plain.html").code == 0
    assert "by the threshold" not in Path("plain.html").read_text()
    Path("b.csv").write_bytes(Path("a.csv").read_bytes())
    assert call("learn b.csv --resume m --save n --report day.html").code == 0
    before, after = nv.Run.load("m").ledger, nv.Run.load("n").ledger
    rate = percent((after.decided_errors - before.decided_errors) / before.rounds)
    page = Path("day.html").read_text().replace("\u00a0", " ")
    assert f"threshold 0.9 are wrong on <strong>{rate}</strong>: " in page
