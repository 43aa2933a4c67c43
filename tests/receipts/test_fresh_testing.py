"""A frozen model on fresh rows: what is counted, and what the bounds are about."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.receipts.fresh_bounds import clopper_pearson, mean_bound
from worlds import not_more_often


def _rows(count: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.standard_normal(count) >= 0, "spam", "ham")


def probabilities(run: nv.Run, X: Any) -> Any:
    """Return what the model as saved gives each row."""
    h: Any = run.hypothesis()
    return h.probabilities(X).tolist()


@pytest.mark.parametrize("learner", [nv.Blend, nv.AdaptiveGradient, nv.Perceptron])
def test_everything_is_counted_by_its_definition(learner: Any) -> None:
    X, y = _rows(400, 0)
    run = nv.play(learner(), nv.stream(X[:200], y[:200]), labels=("ham", "spam"))
    found = nv.test(run, nv.stream(X[200:], y[200:]), delta=0.1, clip=0.01)
    predicted = run.predict(X[200:]).tolist()
    pairs = Counter(zip(y[200:].tolist(), predicted, strict=True))
    assert found.confusion == tuple((*pair, pairs[pair]) for pair in sorted(pairs))
    wrong = sum(a != b for a, b in zip(y[200:], predicted, strict=True))
    assert (found.rows, found.errors, found.error_rate) == (200, wrong, wrong / 200)
    assert found.error_bound == clopper_pearson(wrong, 200, 0.1)
    spam = int((y[200:] == "spam").sum())
    assert found.majority_error == min(spam, 200 - spam) / 200
    share = spam / 200
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    assert found.entropy == pytest.approx(entropy, rel=1e-12)
    assert found.beats_baseline
    if learner is nv.Perceptron:
        assert found.loss is None
        return
    assert found.loss is not None
    chances = probabilities(run, X[200:])
    came = [p if label == "spam" else 1 - p for p, label in zip(chances, y[200:], strict=True)]
    losses = [-math.log(min(max(p, 0.01), 0.99)) for p in came]
    assert found.loss.mean == pytest.approx(sum(losses) / 200, rel=1e-9)
    assert found.loss.bound == pytest.approx(mean_bound(losses, math.log(100), 0.1), rel=1e-4)
    assert found.loss.mean < found.loss.bound < math.log(100)
    assert found.loss.calibration_error == nv.calibration_error(chances, y[200:] == "spam")
    assert sum(one.rows for one in found.loss.bins) == 200
    assert sum(one.happened for one in found.loss.bins) == spam


def test_a_run_and_its_hypothesis_say_the_same_and_learn_nothing() -> None:
    X, y = _rows(300, 1)
    run = nv.play(nv.Blend(), nv.stream(X[:100], y[:100]))
    rest = nv.stream(X[100:], y[100:])
    assert nv.test(run, rest) == nv.test(run.hypothesis(), rest)
    assert run.ledger.rounds == 100


def test_many_classes_have_the_likeliest_one_calibrated() -> None:
    rng = np.random.default_rng(4)
    k = rng.integers(0, 3, 600)
    X, y = np.eye(3)[k] + rng.standard_normal((600, 3)), np.array(["a", "b", "c"])[k]
    run = nv.play(nv.Blend(), nv.stream(X[:300], y[:300]))
    found = nv.test(run, nv.stream(X[300:], y[300:]))
    assert found.loss is not None
    table = np.array(probabilities(run, X[300:]))
    named = dict(zip(run.hypothesis().labels, table.T, strict=True))
    losses = [-math.log(named[label][t]) for t, label in enumerate(y[300:])]
    assert found.loss.mean == pytest.approx(sum(losses) / 300, rel=1e-9)
    assert sum(one.happened for one in found.loss.bins) == 300 - found.errors
    assert found.loss.bins[0].low >= 0.3  # the likeliest of three has at least a third


@pytest.mark.parametrize("learner", [nv.Blend, nv.Perceptron])
def test_labels_that_the_model_does_not_know_are_refused(learner: Any) -> None:
    X, y = _rows(100, 2)
    run = nv.play(learner(), nv.stream(X, y), labels=("ham", "spam"))
    fresh = y[:9].astype(object)
    fresh[:5], fresh[5:7] = "eggs", "bacon"
    with pytest.raises(nv.InputError) as refused:
        nv.test(run, nv.stream(X[:9], fresh))
    assert "the labels of the model, 'ham', 'spam'" in str(refused.value)
    assert "got 7 rows with other labels: 'eggs', 'bacon'." in str(refused.value)
    for model in (run, run.hypothesis()):
        with pytest.raises(nv.InputError, match="'l0', 'l1', 'l2', 'l3', 'l4' and 4 more"):
            nv.test(model, nv.stream(X[:9], [f"l{k}" for k in range(9)]))
        assert nv.test(model, nv.stream(X[:4], ["ham"] * 4)).rows == 4  # known, one is absent


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("learner", [nv.Blend, nv.Perceptron])
def test_zeros_are_no_labels_of_a_model_of_plus_and_minus_one(learner: Any, named: bool) -> None:
    X, y = _rows(100, 2)
    ones = np.where(y == "spam", 1, 0)
    h = nv.play(learner(), nv.stream(X, 2 * ones - 1)).hypothesis()
    model = h if named else h.with_labels(())
    zeros = int((ones == 0).sum())
    with pytest.raises(nv.InputError, match=rf"-1, 1, got {zeros} rows with other labels: 0\."):
        nv.test(model, nv.stream(X, ones))
    assert nv.test(model, nv.stream(X, 2 * ones - 1)).rows == 100


def test_a_row_without_a_label_is_refused() -> None:
    X, y = _rows(100, 2)
    signs = np.where(y == "spam", 1.0, -1.0)
    run = nv.play(nv.Blend(), nv.stream(X, signs))
    signs[3] = math.nan
    with pytest.raises(nv.InputError, match="a label for every row"):
        nv.test(run, nv.stream(X, signs))


def test_declared_labels_are_known_even_if_no_round_had_them() -> None:
    X, y = _rows(100, 2)
    run = nv.play(nv.ClassBlend(3), nv.stream(X, y), labels=("ham", "spam", "eggs"))
    found = nv.test(run, nv.stream(X[:4], ["eggs"] * 4))
    assert found.errors == 4
    with pytest.raises(nv.InputError, match="got 4 rows with other labels: 'bacon'"):
        nv.test(run, nv.stream(X[:4], ["bacon"] * 4))


class Sure(nv.Halfspace):
    """A hypothesis that gives probabilities of 0 and 1."""

    def probabilities(self, X: object) -> Any:
        return (np.asarray(X.values)[:, 0] > 0).astype(float)  # type: ignore[attr-defined]


def test_probabilities_of_0_and_1_have_finite_losses() -> None:
    X = np.array([[1.0], [-1.0], [1.0]])
    found = nv.test(Sure(np.array([1.0]), labels=("no", "yes")), nv.stream(X, ["yes", "no", "no"]))
    assert found.loss is not None
    assert found.loss.mean == pytest.approx((-math.log(1e-6) - 2 * math.log1p(-1e-6)) / 3)
    assert [one.happened for one in found.loss.bins] == [0, 1]


def test_a_threshold_decides_and_the_loss_stays() -> None:
    X, y = _rows(300, 3)
    run = nv.play(nv.Blend(), nv.stream(X[:100], y[:100]), labels=("ham", "spam"))
    rest = nv.stream(X[100:], y[100:])
    usual, never = nv.test(run, rest), nv.test(run, rest, threshold=1.0)
    assert never.errors == int((y[100:] == "spam").sum()) > usual.errors
    assert never.loss == usual.loss
    with pytest.raises(nv.ParameterError, match="threshold"):
        nv.test(nv.play(nv.Perceptron(), rest, labels=("ham", "spam")), rest, threshold=0.5)


def test_the_error_of_the_model_is_below_its_bound_as_often_as_promised() -> None:
    """The model errs with probability 0.2 exactly: labels are flipped that often."""
    h = nv.Halfspace([1.0])
    failures = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.choice([-1.0, 1.0], 100)
        y = np.where(rng.random(100) < 0.2, -x, x).astype(int)
        failures += nv.test(h, nv.stream(x[:, None], y), delta=0.25).error_bound < 0.2
    assert failures > 0.1 * 150
    assert not_more_often(failures, 150, 0.25)


class Sums(nv.Halfspace):
    """A hypothesis that predicts numbers."""

    def predict(self, X: object) -> Any:
        return self.scores(X)


def test_what_cannot_be_tested_is_refused() -> None:
    X, y = _rows(50, 5)
    rows = nv.stream(X, y)
    run = nv.play(nv.Blend(), rows)
    with pytest.raises(nv.ParameterError, match="model: expected a Run or a Hypothesis"):
        nv.test("a.model", rows)  # type: ignore[arg-type]
    for delta in (0.0, 1.0, math.nan):
        with pytest.raises(nv.ParameterError, match="delta"):
            nv.test(run, rows, delta=delta)
    for clip in (0.0, 0.5, -1.0):
        with pytest.raises(nv.ParameterError, match="clip"):
            nv.test(run, rows, clip=clip)
    with pytest.raises(nv.InputError, match="expected rows, got none"):
        nv.test(run, [])
    with pytest.raises(nv.InputError, match="a run that has learned something"):
        nv.test(nv.Run(nv.Perceptron()), rows)
    with pytest.raises(nv.InputError, match="predicts labels, got Sums, which predicts numbers"):
        nv.test(Sums([1.0]), [((1.0,), 0.5)])
    with pytest.raises(nv.InputError, match="a label for every row"):
        nv.test(run, [((1.0, 2.0, 3.0), None)])


def test_rows_that_the_run_has_learned_from_are_told() -> None:
    """The same stream, the same list or frame: a mistake that a program makes easily."""
    X, y = _rows(300, 8)
    rows = [({"a": float(x[0])}, label) for x, label in zip(X, y.tolist(), strict=True)]
    for source in (nv.stream(X, y, positive="spam"), rows, nv.stream(X, y)):
        run = nv.play(nv.Blend(), source, labels=("ham", "spam"))
        with pytest.warns(UserWarning, match="The model has learned from these rows .*say nothing"):
            found = nv.test(run, source)
        assert len(found.learned_from) == 1
        assert repr(found).endswith(" of 300 rows wrong, not all new to the model)")
        others = nv.stream(X[:200], y[:200]) if source is not rows else [*rows]
        assert nv.test(run, others).learned_from == ()
        assert nv.test(run.hypothesis(), source).learned_from == ()


def test_files_that_the_run_has_learned_from_are_told(tmp_path: Path) -> None:
    X, y = _rows(60, 9)
    for name, part in (("a", slice(0, 30)), ("b", slice(30, 60))):
        lines = [f"{x[0]},{label}" for x, label in zip(X[part], y[part], strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines, ""]))
    run = nv.play(nv.Blend(), nv.read(tmp_path / "a.csv", label="y", positive="spam"))
    with pytest.warns(UserWarning, match=r"has learned from .*a\.csv\. Unless the file"):
        found = nv.test(run, nv.read([tmp_path / "a.csv", tmp_path / "b.csv"], label="y"))
    assert (found.rows, found.learned_from) == (60, (str(tmp_path / "a.csv"),))
    assert nv.test(run, nv.read(tmp_path / "b.csv", label="y")).learned_from == ()
