"""Labels that are numbers, from every kind of source."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv

Y = [2.5, -1.0, 0.25, 3.0]
X = [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.5, -1.0]]


def _loss(source: object) -> float:
    return nv.play(nv.ForwardRegression(), source).ledger.loss


@pytest.fixture
def expected() -> float:
    return _loss(nv.stream(X, Y))


def test_arrays_lists_pairs_and_dicts_are_the_same(expected: float) -> None:
    assert _loss(nv.stream(np.array(X), np.array(Y))) == expected
    assert _loss(zip(X, Y, strict=True)) == expected
    assert _loss((x, Fraction(y)) for x, y in zip(X, Y, strict=True)) == expected
    named = [{f"f{j}": v for j, v in enumerate(x)} for x in X]
    assert _loss(nv.stream(named, Y)) == expected
    run = nv.Run(nv.ForwardRegression())
    for x, y in zip(named, Y, strict=True):
        run.learn(x, y)
    assert run.ledger.loss == expected


def test_whole_numbers_are_numbers() -> None:
    assert _loss(nv.stream(X, [1, 2, 3, 4])) == _loss(nv.stream(X, [1.0, 2.0, 3.0, 4.0]))
    assert _loss(nv.stream(X, np.array([1, 2, 3, 4], np.int8))) == _loss(nv.stream(X, [1, 2, 3, 4]))


def test_every_format_of_files_gives_the_same_bits(tmp_path: Path, expected: float) -> None:
    files = {
        "data.svm": "".join(
            f"{y} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n"
            for x, y in zip(X, Y, strict=True)
        ),
        "data.csv": "price,a,b\n"
        + "".join(f"{y},{x[0]},{x[1]}\n" for x, y in zip(X, Y, strict=True)),
        "data.jsonl": "".join(
            json.dumps({"price": y, "a": x[0], "b": x[1]}) + "\n" for x, y in zip(X, Y, strict=True)
        ),
        "data.vw": "".join(f"{y} | a:{x[0]} b:{x[1]}\n" for x, y in zip(X, Y, strict=True)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        label = "price" if name.endswith(("csv", "jsonl")) else None
        assert _loss(nv.read(tmp_path / name, label=label)) == expected, name


@pytest.mark.parametrize(
    "bad", [float("nan"), float("inf"), "3", None, True, 1e300, 1e-300, 10**400]
)
def test_what_is_not_a_number_in_range_is_refused_with_its_round(bad: Any) -> None:
    run = nv.Run(nv.ForwardRegression())
    with pytest.raises(nv.InputError, match=r"^round 3: expected a (number|label)"):
        run.play(nv.stream(X, [1.0, 2.0, bad, 4.0]))
    assert run.ledger.rounds == 2
    with pytest.raises(nv.InputError, match=r"^round 3: expected"):
        run.learn(X[2], bad)
    with pytest.raises(nv.InputError, match=r"^y: expected"):
        run.learner.update(X[2], bad)
    assert run.learner.rounds == run.ledger.rounds == 2


def test_a_word_in_a_file_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "data.svm").write_text("1.5 1:1\nham 1:2\n")
    with pytest.raises(
        nv.InputError, match=r"data\.svm:2: expected a number as the label, got 'ham'"
    ):
        _loss(nv.read(tmp_path / "data.svm"))


def test_options_about_labels_are_refused() -> None:
    for options in ({"positive": 1.0}, {"labels": [1.0, 2.0]}, {"labels": "open"}):
        with pytest.raises(nv.ParameterError, match="the labels are numbers"):
            nv.Run(nv.ForwardRegression(), **options)
    with pytest.raises(nv.ParameterError, match=r"^threshold"):
        nv.Run(nv.ForwardRegression(), threshold=0.5)
    with pytest.raises(nv.ParameterError, match=r"^until_clean"):
        nv.play(nv.ForwardRegression(), nv.stream(X, Y), until_clean=True)
    with pytest.raises(nv.InputError, match=r"^weights: expected none"):
        nv.Run(nv.ForwardRegression()).learn(X[0], 1.0, 2.0)
    with pytest.raises(nv.ParameterError, match=r"^learner: expected one of labels"):
        nv.Run(nv.ForwardRegression()).ask(X[0])


def test_a_run_with_numbers_has_no_mistakes() -> None:
    run = nv.play(nv.ForwardRegression(), nv.stream(X, Y))
    for name in ("mistakes", "mistake_rounds", "error_rate", "recent_error_rate",
                 "rounds_by_label", "mistakes_by_label", "mistake_energy"):  # fmt: skip
        assert not hasattr(run.ledger, name)
        with pytest.raises(nv.MeasureError, match="expected a measure of a run of Forward"):
            getattr(run.ledger, name)
    with pytest.raises(nv.MeasureError):
        run.mistakes  # noqa: B018
    assert run.ledger.mean_loss == run.ledger.loss / 4
    assert run.ledger.mean_label == sum(Y) / 4
    assert run.ledger.baseline_loss == pytest.approx(4 * np.var(Y))
    assert "mean loss" in run.ledger.headline
    with pytest.raises(nv.HypothesisError, match="right or wrong"):
        nv.error_bound(run.ledger, 0.05)
    with pytest.raises(nv.ParameterError, match="labels are not numbers"):
        nv.report(run, "page.html")


class Mean:
    """Anybody's learner of numbers: it predicts the mean of the labels so far."""

    real = True

    def __init__(self) -> None:
        self.labels: list[float] = []

    def predict(self, x: object) -> float:
        return sum(self.labels) / max(len(self.labels), 1)

    def update(self, x: object, y: float) -> None:
        self.labels.append(y)


def test_anybodys_learner_of_numbers_is_played_and_measured() -> None:
    run = nv.play(Mean(), nv.stream(X, Y))
    errors = [y - mean for y, mean in zip(Y, [0.0, 2.5, 0.75, 1.75 / 3], strict=True)]
    assert run.ledger.loss == pytest.approx(sum(e * e for e in errors))
    assert (run.ledger.largest_label, run.ledger.mean_label) == (3.0, sum(Y) / 4)
    assert not hasattr(run.ledger, "mistakes")
    assert run.predict_one(X[0]) == sum(Y) / 4
    assert run.learn(X[0], 1.0) == sum(Y) / 4
    broken = Mean()
    broken.labels.append(float("nan"))
    with pytest.raises(nv.InputError, match="expected a finite number as its prediction, got nan"):
        nv.play(broken, nv.stream(X, Y))


def _around_mean(labels: list[float]) -> Fraction:
    """Σ (y − mean)², from its definition."""
    exact = [Fraction(y) for y in labels]
    mean = sum(exact, Fraction(0)) / len(exact)
    return sum(((y - mean) * (y - mean) for y in exact), Fraction(0))


@pytest.mark.parametrize("learner", [nv.ForwardRegression, Mean])
@pytest.mark.parametrize("centre", [0.0, 1e9, -1e12, 0.1])
def test_guessing_the_mean_is_judged_well_far_from_0(
    learner: Any, centre: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(100, 2)), (centre + rng.normal(size=100)).tolist()
    expected = float(_around_mean(labels))
    run = nv.play(learner(), nv.stream(rows, labels))
    assert run.ledger.baseline_loss == pytest.approx(expected, rel=1e-9)
    one, parted = nv.Run(learner()), nv.Run(learner())
    for x, y in zip(rows, labels, strict=True):
        one.learn(x, y)
    assert one.ledger.baseline_loss == run.ledger.baseline_loss
    parted.play(nv.stream(rows[:33], labels[:33]))
    if learner is nv.ForwardRegression:
        parted.save(tmp_path / "m")
        parted = nv.Run.load(tmp_path / "m")
    parted.play(nv.stream(rows[33:], labels[33:]))
    assert parted.ledger.baseline_loss == run.ledger.baseline_loss


def test_labels_that_are_all_the_same_have_a_baseline_without_loss() -> None:
    run = nv.play(nv.ForwardRegression(), nv.stream(X * 25, [1e9 / 3] * 100))
    assert run.ledger.baseline_loss <= 1e-9


def test_the_digest_covers_labels_as_floats() -> None:
    import hashlib
    import struct

    run = nv.play(nv.ForwardRegression(), nv.stream(X, [2.5, -0.0, 0.25, 3]), digest=True)
    found = hashlib.sha256()
    for x, y in zip(X, [2.5, 0.0, 0.25, 3.0], strict=True):
        kept = [(j, v) for j, v in enumerate(x) if v]
        found.update(struct.pack("<dI", y, len(kept)))
        for j, v in kept:
            found.update(struct.pack("<Qd", j, v))
    assert run.ledger.digest == found.hexdigest()
