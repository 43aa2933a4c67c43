"""What ``learn`` says about guessing without looking at x."""

import math
from collections import Counter
from itertools import pairwise
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
    assert found == {
        "label": int(label),
        "error_rate": 0.0,
        "mean_loss": 0.0,
        "last_label": {"error_rate": 0.0},
        "best_feature": None,
    }


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
    assert f", loss per round {found['mean_loss']:.4f}, each multiplied by its weight, " in said
    assert "frequencies" not in said
    assert "always guessing" in said


def test_the_last_label_is_a_baseline(call: Call) -> None:
    labels = [line.split(",")[3] for line in Path("many.csv").read_text().splitlines()[1:]]
    changes = sum(a != b for a, b in pairwise(labels))
    found = call("learn many.csv --label kind --learner multiclass --json").json["baseline"]
    assert found["last_label"] == {"error_rate": changes / 300}
    assert found["best_feature"] is None


@pytest.mark.parametrize("option", ["--baselines", "--report page.html"])
def test_the_best_feature_is_looked_for_when_it_is_asked_for(call: Call, option: str) -> None:
    Path("one.svm").write_text("1 1:1 2:1\n-1 1:1\n1 1:2 2:3\n-1 1:2\n" * 10)
    found = call(f"learn one.svm {option} --json").json["baseline"]["best_feature"]
    assert found == {
        "feature": 1, "threshold": 1.0, "above": 1, "otherwise": -1, "error_rate": 0.25,
    }  # fmt: skip
    said = call(f"learn one.svm {option}").out
    assert "; looking only at whether feature 1 is above 1 is wrong on 25.00%, in hindsight" in said


def test_baselines_need_rows_that_can_be_read_again(call: Call) -> None:
    done = call("learn - --baselines")
    assert done.code == 3
    assert "expected a file for a receipt, which reads it again" in done.err


def _sticky() -> None:
    """Write labels that stay for fifty rounds, with rows that say nothing."""
    Path("sticky.svm").write_text(
        "".join(f"{1 if t // 50 % 2 else -1} {t % 7 + 1}:1\n" for t in range(300))
    )


def test_a_run_that_does_not_beat_its_baseline_says_so_first(call: Call) -> None:
    _sticky()
    found = call("learn sticky.svm --learner perceptron --json").json
    assert found["beats_baseline"] is False
    assert found["remarks"][0].startswith("the run does not beat its baseline: it is wrong on ")
    assert "repeating the last label is wrong on 1.67%" in found["remarks"][0]
    done = call("learn sticky.svm --learner perceptron")
    first = done.out.splitlines()[0]
    assert first.startswith("does not beat its baseline: wrong on ")
    assert first.endswith("; repeating the last label is wrong on 1.67%")
    assert "beat" not in done.err, "it is said once"
    call("learn sticky.svm --learner perceptron --report page.html")
    page = Path("page.html").read_text()
    assert "<strong>This run does not beat its baseline.</strong>" in page
    assert "repeating the last label is wrong on 1.67%" in page
    compared = call("learn sticky.svm --compare perceptron,averaged --json").json
    assert compared["beats_baseline"] is False
    said = call("learn sticky.svm --compare perceptron,averaged").out
    assert said.startswith("the best does not beat its baseline: 2 learners on sticky.svm")


def test_a_run_that_beats_its_baseline_says_nothing(call: Call) -> None:
    found = call("learn a.svm --json").json
    assert found["beats_baseline"] is True
    assert "beat" not in " ".join(found["remarks"])
    assert call("learn a.svm").out.startswith("wrong on ")


@pytest.mark.parametrize("learner", ["blend", "perceptron", "modified --sigma 0.01"])
def test_the_page_of_a_saved_run_has_the_best_feature_as_that_of_learn(
    call: Call, learner: str
) -> None:
    """With theorems, and for a learner that has none."""
    call(f"learn a.svm --learner {learner} --save m --report learned.html")
    assert call("report m a.svm --output saved.html").code == 0
    learned, saved = (Path(f"{name}.html").read_text() for name in ("learned", "saved"))
    assert ", looking only at whether " in saved
    assert saved == learned
