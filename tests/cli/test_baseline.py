"""What ``learn`` says about guessing without looking at x."""

import math
from collections import Counter
from pathlib import Path

import pytest

from commands import Call


def test_the_baseline_is_the_most_frequent_label_and_the_entropy(call: Call) -> None:
    labels = [line.split(",")[3] for line in Path("many.csv").read_text().splitlines()[1:]]
    counts = Counter(labels)
    entropy = -sum(n / 300 * math.log(n / 300) for n in counts.values())
    label, most = counts.most_common(1)[0]
    found = call("learn many.csv --label kind --learner multiclass --json").json["baseline"]
    assert found["label"] == label
    assert found["error_rate"] == (300 - most) / 300
    assert found["mean_loss"] == pytest.approx(entropy, rel=1e-12)
    said = call("learn many.csv --label kind --learner multiclass").out
    assert f"always guessing {label!r} is wrong on {(300 - most) / 3:.2f}%\n" in said


def test_several_negative_labels_are_one(call: Call) -> None:
    found = call("learn many.csv --label kind --positive x --json").json["baseline"]
    lines = Path("many.csv").read_text().splitlines()[1:]
    rare = sum(line.endswith(",x") for line in lines)
    assert (found["label"], found["error_rate"]) == ("not x", rare / 300)


def test_a_learner_with_a_loss_is_shown_next_to_the_frequencies(call: Call) -> None:
    options = "a.svm --learner adaptive-gradient"
    found = call(f"learn {options} --json").json
    assert found["mean_loss"] < found["baseline"]["mean_loss"]
    assert found["loss"] == pytest.approx(300 * found["mean_loss"])
    expected = (
        f"mean loss {found['mean_loss']:.4f} (label frequencies alone: "
        f"{found['baseline']['mean_loss']:.4f})"
    )
    assert expected in call(f"learn {options}").out


@pytest.mark.parametrize("label", ["1", "-1"])
def test_one_label_is_guessed_without_an_error(call: Call, label: str) -> None:
    Path("one.svm").write_text(f"{label} 1:1\n" * 3)
    found = call("learn one.svm --json").json["baseline"]
    assert found == {"label": int(label), "error_rate": 0.0, "mean_loss": 0.0}


def test_abstentions_are_named_in_the_first_line(call: Call) -> None:
    said = call("learn a.svm --learner modified --sigma 0.1").out.splitlines()[0]
    found = call("learn a.svm --learner modified --sigma 0.1 --json").json
    assert f"of 300 rounds, silent on {found['abstentions'] / 300:.2%};" in said


def test_a_weighted_run_is_not_shown_next_to_unweighted_frequencies(call: Call) -> None:
    options = "a.svm --learner adaptive-gradient --class-weight 1=100"
    plain = call("learn a.svm --learner adaptive-gradient --json").json["baseline"]
    found = call(f"learn {options} --json").json
    assert found["baseline"] == {**plain, "mean_loss": None}
    said = call(f"learn {options}").out
    assert f", mean loss {found['mean_loss']:.4f}, " in said
    assert "frequencies" not in said
    assert "always guessing" in said
