"""What a ledger follows besides: label changes, calibration and confusion, against a recount."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from novikoff.playing.followed import with_followed
from novikoff.saving import storage


def _rows(rounds: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, 4))
    return X, np.where(X[:, 0] + rng.standard_normal(rounds) > 0, "spam", "ham")


def _classes(rounds: int, classes: int, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rounds)
    return np.eye(classes)[y] + 0.8 * rng.standard_normal((rounds, classes)), y


PROBABLE: list[Callable[[], Any]] = [
    nv.Blend, nv.AdaptiveGradient, nv.CoinBetting, nv.OnlineNewton,
    lambda: nv.Blend(members=[nv.AdaptiveGradient(), nv.CoinBetting()]),
]  # fmt: skip


def _bins(pairs: list[tuple[float, bool]]) -> tuple[list[int], list[int], list[float]]:
    """Rounds, how often the label came, and the sum of the probabilities, in 20 equal bins."""
    rounds, came, sums = [0] * 20, [0] * 20, [0.0] * 20
    for p, happened in pairs:
        k = min(int(20 * p), 19)
        rounds[k] += 1
        came[k] += happened
        sums[k] += p
    return rounds, came, sums


@pytest.mark.parametrize("make", PROBABLE)
def test_calibration_is_that_of_the_probabilities_before_each_round(
    make: Callable[[], Any],
) -> None:
    X, y = _rows(300)
    slow = nv.Run(make(), positive="spam", labels=("ham", "spam"))
    pairs = []
    for x, label in zip(X, y, strict=True):
        p = slow.probability(x)
        assert isinstance(p, float)
        pairs.append((p, label == "spam"))
        slow.learn(x, label)
    expected = _bins(pairs)
    for run in (slow, nv.play(make(), nv.stream(X, y, positive="spam"))):
        found = run.ledger.calibration
        assert found.rounds.tolist() == expected[0]
        assert found.came.tolist() == expected[1]
        assert found.sums.tolist() == pytest.approx(expected[2], rel=1e-12)


def test_of_many_classes_the_predicted_one_counts() -> None:
    X, y = _classes(300, 5)
    slow, pairs = nv.Run(nv.Blend(), labels=range(5)), []
    for x, label in zip(X, y.tolist(), strict=True):
        given: Any = slow.probability(x)
        best = max(given, key=given.__getitem__)
        pairs.append((given[best], best == label))
        slow.learn(x, label)
    found = slow.ledger.calibration
    rounds, came, sums = _bins(pairs)
    assert (found.rounds.tolist(), found.came.tolist()) == (rounds, came)
    assert found.sums.tolist() == pytest.approx(sums, rel=1e-9)


@pytest.mark.parametrize("make", [nv.Blend, nv.MulticlassPerceptron])
def test_the_confusion_is_which_label_was_taken_for_which(make: Callable[[], Any]) -> None:
    X, y = _classes(400, 6)
    run = nv.Run(make(), labels=range(6))
    found: Counter[tuple[int, int]] = Counter()
    for x, label in zip(X, y.tolist(), strict=True):
        predicted: Any = run.learn(x, label)
        found[label, predicted] += predicted != label
    expected = {pair: n for pair, n in found.items() if n}
    told = run.ledger.confusion
    assert {(a, b): n for a, row in told.items() for b, n in row.items()} == expected
    whole = nv.play(make(), nv.stream(X, y, labels=range(6))).ledger.confusion
    assert whole == told


def test_beyond_64_labels_there_is_no_confusion_table() -> None:
    for classes, has in ((64, True), (65, False)):
        X, y = _classes(400, classes)
        y[:classes] = np.arange(classes)
        run = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y))
        assert run.mistakes
        assert hasattr(run.ledger, "confusion") == has
    with pytest.raises(nv.MeasureError, match="confusion: expected a measure of a run"):
        _ = run.ledger.confusion


@pytest.mark.parametrize("make", [nv.Perceptron, nv.Blend, nv.VotedPerceptron])
def test_label_changes_are_counted_whatever_plays(make: Callable[[], Any]) -> None:
    X, y = _rows(300)
    expected = int((y[1:] != y[:-1]).sum())
    run = nv.play(make(), nv.stream(X, y, positive="spam"))
    assert run.ledger.label_changes == run.order.changes == expected
    one = nv.Run(make(), positive="spam", labels=("ham", "spam"))
    for x, label in zip(X, y, strict=True):
        one.learn({str(j): float(v) for j, v in enumerate(x)}, label)
    assert one.ledger.label_changes == expected


@pytest.mark.parametrize("rounds", [1, 2, 127, 128, 129, 130, 257, 1000])
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
def test_labels_are_counted_in_long_runs_of_right_rounds(rounds: int, kind: str) -> None:
    """Such rounds are counted many at a time; a mistake is made on purpose now and then."""
    rng = np.random.default_rng(rounds)
    y = np.where(rng.random(rounds) < 0.3, 1, -1)
    X = np.column_stack([np.ones(rounds), 8.0 * y, rng.integers(0, 2, rounds)])
    X[rng.random(rounds) < 0.01, 1] *= -1
    rows = sp.csr_array(X) if kind == "sparse" else X.astype(kind)
    ledger = nv.play(nv.Perceptron(), nv.stream(rows, y, labels=(-1, 1))).ledger
    assert ledger.label_changes == int((y[1:] != y[:-1]).sum())
    assert ledger.rounds_by_label == {-1: int((y < 0).sum()), 1: int((y > 0).sum())}
    one = nv.Run(nv.Perceptron(), labels=(-1, 1))
    for x, label in zip(X, y, strict=True):
        one.learn(x, int(label))
    assert one.ledger.label_changes == ledger.label_changes
    assert one.ledger.rounds_by_label == ledger.rounds_by_label
    assert np.array_equal(one.ledger.mistake_rounds, ledger.mistake_rounds)


def test_they_are_saved_resumed_and_copied(tmp_path: Path) -> None:
    X, y = _rows(300)
    whole = nv.play(nv.Blend(), nv.stream(X, y, positive="spam")).ledger
    run = nv.play(nv.Blend(), nv.stream(X[:123], y[:123], positive="spam"))
    run.save(tmp_path / "run.model")
    again = nv.Run.load(tmp_path / "run.model")
    again.play(nv.stream(X[123:], y[123:], positive="spam"))
    for ledger in (again.ledger, copy.copy(again.ledger), pickle.loads(pickle.dumps(whole))):
        assert ledger.label_changes == whole.label_changes
        for mine, theirs in zip(ledger.calibration, whole.calibration, strict=True):
            assert mine.tolist() == theirs.tolist()
    X, y = _classes(300, 5)
    many = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y))
    assert pickle.loads(pickle.dumps(many)).ledger.confusion == many.ledger.confusion


def _without(path: Path, *names: str) -> None:
    """Take arrays out of a saved run, as an older version would have left them out."""
    kind, metadata, arrays = storage.read(path, ("Run",))
    kept = {name: array for name, array in arrays.items() if name not in names}
    storage.write(path, kind, metadata, kept, lambda *_: None)


def test_a_run_saved_before_they_were_counted_goes_on_without_them(tmp_path: Path) -> None:
    X, y = _rows(300)
    run = nv.play(nv.Blend(), nv.stream(X[:150], y[:150], positive="spam"))
    path = tmp_path / "old.model"
    run.save(path)
    later = [name for name in with_followed({}) if name.startswith("ledger.")]
    assert len(later) == 5
    _without(path, *later)
    old = nv.Run.load(path)
    assert old.ledger.mistakes == run.ledger.mistakes
    old.play(nv.stream(X[150:], y[150:], positive="spam"))
    for name in ("label_changes", "calibration", "confusion"):
        assert not hasattr(old.ledger, name)
        assert name not in old.ledger.measures
    nv.report(old, tmp_path / "old.html")
    assert "Calibration</h2>" not in (tmp_path / "old.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("label_changes", [151, 3, 1]),
        ("label_changes", [150, 151, 1]),
        ("calibration_came", [151] + [0] * 19),
        ("calibration_sums", [np.nan] + [0.0] * 19),
        ("calibration_sums", [151.0] + [0.0] * 19),
        ("calibration_rounds", [0] * 21),
        ("confusion", [2**53] * 4096),
        ("confusion", [1]),
    ],
)
def test_counts_that_no_run_has_are_refused(tmp_path: Path, name: str, values: Any) -> None:
    X, y = _rows(150)
    path = tmp_path / "run.model"
    nv.play(nv.Blend(), nv.stream(X, y, positive="spam")).save(path)
    kind, metadata, arrays = storage.read(path, ("Run",))
    like = arrays[f"ledger.{name}"].dtype
    arrays[f"ledger.{name}"] = np.array(values, like)
    storage.write(path, kind, metadata, arrays, lambda *_: None)
    with pytest.raises(nv.InputError):
        nv.Run.load(path)
