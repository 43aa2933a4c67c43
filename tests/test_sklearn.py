"""The estimators keep scikit-learn's protocol and change nothing of what the learners do."""

import copy
import gc
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

pytest.importorskip("sklearn", reason="the estimators are scikit-learn's")

import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

import novikoff.sklearn as adapters
from novikoff.sklearn import (
    AveragedPerceptronClassifier,
    MinnowClassifier,
    PerceptronClassifier,
    VotedPerceptronClassifier,
)

LEARNERS: dict[Any, Callable[[], nv.Learner]] = {
    PerceptronClassifier: lambda: nv.Perceptron(bias=1.0),
    AveragedPerceptronClassifier: lambda: nv.AveragedPerceptron(bias=1.0),
    VotedPerceptronClassifier: lambda: nv.VotedPerceptron(bias=1.0),
    MinnowClassifier: lambda: nv.BalancedMinnow(eta=0.1, bias=1.0),
}
every = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
every_problem = pytest.mark.parametrize("classes", [2, 3], ids=["two classes", "three classes"])

NOT_REPEATS = "a weight scales one update; repeated rows are rounds, each of which may be right"
SMALL_BIAS = (
    "nearly all rows are to be called class 0, which takes a constant feature as large as the "
    "values: test_class_weights_prevail_… has one"
)


def _expected_failures(model: Any) -> dict[str, str]:
    forms = ("dense", "sparse")
    found = {f"check_sample_weight_equivalence_on_{form}_data": NOT_REPEATS for form in forms}
    if not isinstance(model, MinnowClassifier):
        found["check_class_weight_classifiers"] = SMALL_BIAS
    return found


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        *(kind() for kind in LEARNERS),
        PerceptronClassifier(bias=None, ties="mistake"),
        VotedPerceptronClassifier(max_passes=3, ties="mistake", max_voters=20),
        MinnowClassifier(eta=1.0),
    ],
    expected_failed_checks=_expected_failures,
    xfail_strict=True,
)
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@every
def test_class_weights_prevail_with_a_constant_as_large_as_the_values(kind: Any) -> None:
    model = kind(bias=20.0, max_passes=100)
    check_class_weight_classifiers(kind.__name__, model)


def _data(classes: int = 2, rows: int = 120, seed: int = 0) -> tuple[Any, Any]:
    """Noisy rows of small integers, so that plain float sums are exact; labels 0, 1, …."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rows, 6)).astype(float)
    scores = X @ rng.integers(-2, 3, (6, classes)) + rng.integers(-2, 3, (rows, classes))
    return X, scores.argmax(axis=1)


def _separable(seed: int, classes: int = 2) -> tuple[Any, Any]:
    """A small set of flags, counts and measurements that some linear rule explains."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (80, 19)) / 5
    X[:, :9] = X[:, :9] > 0
    X[:, 15:] = rng.standard_normal((80, 4))
    scores = X @ rng.standard_normal((19, classes))
    second, best = np.sort(scores, axis=1)[:, -2:].T
    return X[best - second > 0.3], scores.argmax(axis=1)[best - second > 0.3]


def _same(one: Any, other: Any, X: Any) -> bool:
    """Whether two estimators learned the same, to the bit."""
    pairs = zip(_runs(one), _runs(other), strict=True)
    return np.array_equal(one.decision_function(X), other.decision_function(X)) and all(
        a.ledger.mistake_rounds.tolist() == b.ledger.mistake_rounds.tolist() for a, b in pairs
    )


def _runs(model: Any) -> list[nv.Run]:
    return model.run_ if isinstance(model.run_, list) else [model.run_]


def _twin(X: Any, y: Any, weights: Any, passes: int) -> tuple[Any, float, int]:
    """The perceptron in plain NumPy, with a constant feature 1."""
    w, mistakes = np.zeros(X.shape[1] + 1), 0
    for _ in range(passes):
        before = mistakes
        for x, label, weight in zip(np.c_[X, np.ones(len(X))], y, weights, strict=True):
            if (w @ x >= 0) != (label > 0):
                w += weight * label * x
                mistakes += 1
        if mistakes == before:
            break
    return w[:-1], w[-1], mistakes


def test_importing_novikoff_imports_no_sklearn() -> None:
    code = "import sys, novikoff; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_two_classes_are_the_perceptron() -> None:
    X, y = _data()
    model = PerceptronClassifier(max_passes=7).fit(X, y)
    w, bias_weight, mistakes = _twin(X, 2 * y - 1, np.ones(len(y)), 7)
    assert model.coef_.tolist() == [w.tolist()]
    assert model.intercept_.tolist() == [bias_weight]
    assert model.ledger_.mistakes == mistakes > 0
    assert (model.n_iter_, model.converged_) == (7, False)


@every
def test_a_pass_makes_the_mistakes_that_play_makes(kind: Any) -> None:
    X, y = _data()
    model = kind().partial_fit(X, y, classes=[0, 1])
    run = nv.play(LEARNERS[kind](), nv.stream(X, y))
    assert model.ledger_.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
    assert model.ledger_.passes == model.n_iter_ == 1
    assert np.array_equal(model.predict(X), run.predict(X))
    fitted = kind(max_passes=3).fit(X, y)
    assert fitted.ledger_.mistakes == nv.play(LEARNERS[kind](), nv.stream(X, y), passes=3).mistakes


@every
def test_more_classes_are_one_multiclass_run_or_one_run_a_class(kind: Any) -> None:
    X, y = _data(classes=4)
    names = np.array(["dog", "ant", "cat", "bee"])
    model = kind(max_passes=3).fit(X, names[y])
    if kind is PerceptronClassifier:
        run = nv.play(nv.MulticlassPerceptron(bias=1.0), nv.stream(X, y), passes=3)
        assert model.ledger_.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
        h = run.hypothesis()
        assert isinstance(h, nv.Multiclass)
        order = [run.ledger.labels.index(k) for k in np.argsort(names)]
        assert model.coef_.tolist() == h.w.T[order].tolist()
        assert model.intercept_.tolist() == h.bias_weights[order].tolist()
        assert np.array_equal(model.predict(X), names[run.predict(X).astype(int)])
        return
    assert [run.labels.positive for run in model.run_] == ["ant", "bee", "cat", "dog"]
    for ledger, k in zip(model.ledger_, np.argsort(names), strict=True):
        run = nv.play(LEARNERS[kind](), nv.stream(X, y == k), passes=3)
        assert ledger.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
    bees = int(np.sum(y == 3))
    assert model.ledger_[1].rounds_by_label == {"not bee": 360 - 3 * bees, "bee": 3 * bees}


@every
@every_problem
def test_rows_in_one_call_or_in_many_are_the_same_run(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    whole = kind().partial_fit(X, y, classes=range(classes))
    for chunks in (7, len(X)):
        parts = kind()
        for part in np.array_split(np.arange(len(X)), chunks):
            parts.partial_fit(X[part], y[part], classes=range(classes))
        assert _same(parts, whole, X)
    once = kind(max_passes=1).fit(X, y)
    assert _same(once, whole, X)
    assert _same(once.partial_fit(X, y), whole.partial_fit(X, y), X)
    assert all(run.ledger.rounds == 2 * len(X) for run in _runs(once))


@every
@every_problem
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, bool])
def test_dense_and_sparse_are_one_model(kind: Any, classes: int, dtype: Any) -> None:
    X, y = _data(classes)
    X = np.c_[X, np.zeros(len(X))].astype(dtype)  # a last column that no sparse row mentions
    model = kind(max_passes=5).fit(X, y)
    assert _same(model, kind(max_passes=5).fit(X.astype(np.float64), y), X)
    for form in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix):
        twin = kind(max_passes=5).fit(form(X), y)
        assert twin.n_features_in_ == 7
        assert _same(model, twin, X)
        assert np.array_equal(twin.predict(form(X)), model.predict(X))
        mixed = kind().partial_fit(form(X[:60]), y[:60], classes=range(classes))
        assert _same(mixed.partial_fit(X[60:], y[60:]), kind(max_passes=1).fit(X, y), X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_are_neither_copied_nor_widened(monkeypatch: Any, dtype: Any) -> None:
    X, y = _data()
    X = X.astype(dtype)
    seen = []

    def record(rows: Any, *others: Any, **named: Any) -> Any:
        seen.append(rows)
        return nv.stream(rows, *others, **named)

    monkeypatch.setattr(adapters, "ArrayStream", record)
    PerceptronClassifier().fit(X, y).partial_fit(X, y)
    assert all(np.shares_memory(rows, X) and rows.dtype == dtype for rows in seen)
    assert len(seen) == 2


@every
@every_problem
def test_fitting_again_is_fitting_afresh(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    other, labels = _data(5 - classes, seed=3)
    model = kind(max_passes=4).fit(other, labels).partial_fit(other, labels)
    assert _same(model.fit(X, y), kind(max_passes=4).fit(X, y), X)
    assert model.classes_.tolist() == list(range(classes))


@every
@every_problem
def test_a_row_of_weight_0_is_never_learned_from(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    weights = np.where(np.arange(len(y)) % 3 == 1, 0, 1)
    kept = kind(max_passes=1).fit(X[weights > 0], y[weights > 0])
    model = kind(max_passes=1).fit(X, y, sample_weight=weights)
    if kind in (PerceptronClassifier, MinnowClassifier):  # the others count rounds
        assert model.coef_.tolist() == kept.coef_.tolist()
    for run, other in zip(_runs(model), _runs(kept), strict=True):
        learned = weights[run.ledger.mistake_rounds - 1] > 0
        assert learned.sum() == other.mistakes
        assert run.ledger.rounds == len(X)
    assert not _same(model, kind(max_passes=1).fit(X, y), X)
    with pytest.raises(nv.InputError, match="only zero weights"):
        kind().fit(X, y, sample_weight=np.zeros(len(y)))


def test_weights_scale_the_updates() -> None:
    X, y = _data()
    weights = np.random.default_rng(1).integers(0, 5, len(y))
    model = PerceptronClassifier(max_passes=5).fit(X, y, sample_weight=weights)
    w, bias_weight, mistakes = _twin(X, 2 * y - 1, weights, 5)
    assert model.coef_.tolist() == [w.tolist()]
    assert (model.intercept_[0], model.ledger_.mistakes) == (bias_weight, mistakes)
    assert model.ledger_.weighted


@every
@every_problem
def test_class_weights_are_weights_of_rows(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    names = np.array(["a", "b", "c"])
    weights = {"a": 1, "b": 3, "c": 0.5}
    rows = np.array([weights[name] for name in names[y]])
    given = np.random.default_rng(1).integers(1, 4, len(y))
    model = kind(class_weight=weights, max_passes=3).fit(X, names[y], sample_weight=given)
    assert _same(model, kind(max_passes=3).fit(X, names[y], sample_weight=given * rows), X)
    chunks = kind(class_weight={"b": 3}).partial_fit(X[:50], names[y[:50]], names[:classes])
    chunks.partial_fit(X[50:], names[y[50:]])
    by_row = kind(max_passes=1).fit(X, names[y], sample_weight=np.where(y == 1, 3, 1))
    assert _same(chunks, by_row, X)


@every
@every_problem
def test_balanced_weights_are_those_of_scikit_learn(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    kept = (y != 0) | (np.arange(len(y)) % 4 == 0)
    X, y, found = X[kept], y[kept], np.arange(classes)
    for given in (None, np.random.default_rng(1).integers(1, 4, len(y))):
        weights = compute_class_weight("balanced", classes=found, y=y, sample_weight=given)
        by_hand = dict(zip(found.tolist(), weights.tolist(), strict=True))
        model = kind(class_weight="balanced", max_passes=3).fit(X, y, sample_weight=given)
        twin = kind(class_weight=by_hand, max_passes=3).fit(X, y, sample_weight=given)
        assert _same(model, twin, X)
        assert not _same(model, kind(max_passes=3).fit(X, y, sample_weight=given), X)
    with pytest.raises(nv.ParameterError, match="class_weight: expected None or a dict"):
        model.partial_fit(X, y)


def test_balanced_leaves_a_class_without_weight_alone() -> None:
    X, y = _data()
    model = PerceptronClassifier(class_weight="balanced").fit(X, y, sample_weight=y)
    assert (model.predict(X) == 1).all()


@every
def test_the_names_of_labels_change_nothing(kind: Any) -> None:
    X, y = _data()
    model = kind(max_passes=3).fit(X, y)
    pairs = [(-1, 1), (1, 2), (1.0, 2.0), (False, True), ("ham", "spam")]
    for pair in pairs:
        for dtype in (None, object) if isinstance(pair[0], str) else (None,):
            labels = np.array(pair, dtype=dtype)
            twin = kind(max_passes=3).fit(X, labels[y])
            assert _same(model, twin, X)
            assert twin.classes_.tolist() == list(pair) == list(twin.ledger_.labels)
            predicted = twin.predict(X)
            assert predicted.dtype == labels.dtype
            assert np.array_equal(predicted, labels[model.predict(X)])
            assert twin.score(X, labels[y]) == model.score(X, y)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [PerceptronClassifier, MinnowClassifier])
def test_separable_data_are_separated(kind: Any, seed: int) -> None:
    X, y = _separable(seed)
    model = kind(max_passes=10_000).fit(X, y)
    assert model.converged_
    assert model.score(X, y) == 1
    passes, mistakes = model.n_iter_, model.ledger_.mistake_rounds
    assert model.ledger_.rounds == passes * len(X)
    for number in range(passes):  # every pass but the last has a mistake
        made = np.sum((mistakes > number * len(X)) & (mistakes <= (number + 1) * len(X)))
        assert (made > 0) == (number < passes - 1)
    short = kind(max_passes=passes - 1).fit(X, y)
    assert (short.converged_, short.n_iter_) == (False, passes - 1)


def test_three_separable_classes_are_separated() -> None:
    X, y = _separable(1, classes=3)
    model = PerceptronClassifier(max_passes=10_000).fit(X, y)
    assert model.converged_
    assert model.score(X, y) == 1


@every
def test_setosa_is_told_from_the_rest(kind: Any) -> None:
    X, target = load_iris(return_X_y=True)
    model = kind().fit(X, target == 0)
    assert model.converged_
    assert model.n_iter_ < model.max_passes
    if kind in (PerceptronClassifier, MinnowClassifier):
        assert model.score(X, target == 0) == 1


def test_data_that_are_not_separable_end_without_a_warning() -> None:
    X, y = np.array([[1.0], [1.0]]), [0, 1]
    model = PerceptronClassifier(max_passes=5).fit(X, y)
    assert (model.n_iter_, model.converged_, model.ledger_.rounds) == (5, False, 10)


def test_partial_fit_says_whether_its_rows_were_clean() -> None:
    X, y = _separable(0)
    model = PerceptronClassifier(max_passes=1000).fit(X, y)
    assert model.n_iter_ > 1
    assert model.partial_fit(X, y).converged_
    assert model.n_iter_ == 1
    assert not model.partial_fit(X, 1 - y).converged_


BAD: dict[str, Callable[[Any, Any], tuple[Any, ...]]] = {
    "nan": lambda X, y: (np.where(np.eye(*X.shape) > 0, np.nan, X), y),
    "inf": lambda X, y: (np.where(np.eye(*X.shape) > 0, np.inf, X), y),
    "sparse nan": lambda X, y: (sp.csr_array(np.where(np.eye(*X.shape) > 0, np.nan, X)), y),
    "too few features": lambda X, y: (X[:, 1:], y),
    "another class": lambda X, y: (X, np.append(y[:-1], 9)),
    "classes by another name": lambda X, y: (X, y.astype(str)),
    "too few labels": lambda X, y: (X, y[1:]),
    "integers beyond 2^53": lambda X, y: (X.astype(int) + 2**60, y),
    "negative weight": lambda X, y: (X, y, None, np.append(np.ones(len(y) - 1), -1)),
    "too few weights": lambda X, y: (X, y, None, np.ones(len(y) - 1)),
    "other classes": lambda X, y: (X, y, [0, 1, 2, 3]),
    "no rows": lambda X, y: (X[:0], y[:0]),
    "strings": lambda X, y: (X.astype(str).astype(object) + "x", y),
}


@every
@every_problem
@pytest.mark.parametrize("bad", BAD)
def test_what_is_refused_changes_nothing(kind: Any, classes: int, bad: str) -> None:
    X, y = _data(classes)
    model = kind().partial_fit(X, y, classes=range(classes))
    twin = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match=r"\w"):
        model.partial_fit(*BAD[bad](X, y))
    assert _same(model, twin, X)
    assert _same(model.partial_fit(X, y), twin.partial_fit(X, y), X)


@every
def test_a_first_call_that_is_refused_leaves_nothing_behind(kind: Any) -> None:
    X, y = _data()
    model = kind()
    with pytest.raises(nv.ParameterError, match="classes: expected all classes in the first call"):
        model.partial_fit(X, y)
    with pytest.raises(nv.InputError, match="y: expected the classes"):
        model.partial_fit(X[:, :2], y, classes=[0, 2])
    with pytest.raises(nv.InputError, match="expected at least two classes, got 1 class"):
        model.fit(X[:, :3], np.zeros(len(X)))
    for method in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError):
            method(X)
    for name in ("run_", "ledger_", "coef_", "classes_", "n_iter_"):
        assert not hasattr(model, name)
    model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(X * np.nan)


WRONG: dict[str, list[Any]] = {
    "bias": ["one", np.nan],
    "max_passes": [0, 2.5],
    "class_weight": ["balance", {0: 1, 7: 2}, {0: -1}],
    "ties": ["negative"],
    "eta": [0],
    "max_voters": [0],
}


@every
def test_parameters_are_refused_by_name(kind: Any) -> None:
    X, y = _data()
    for name in kind().get_params():
        for value in WRONG[name]:
            with pytest.raises(nv.ParameterError, match=f"{name}.*: expected .+, got"):
                kind(**{name: value}).fit(X, y)


@every
@every_problem
def test_scores_agree_with_predictions_and_weights(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    for bias in (None, 1.0, 2.5):
        model = kind(bias=bias, max_passes=4).fit(X, y)
        scores = model.decision_function(X)
        assert scores.shape == ((len(X),) if classes == 2 else (len(X), classes))
        best = (scores >= 0).astype(int) if classes == 2 else scores.argmax(axis=1)
        assert np.array_equal(model.predict(X), best)
        if kind is VotedPerceptronClassifier:
            assert not hasattr(model, "coef_")
            assert not hasattr(model, "intercept_")
            assert np.abs(scores).max() <= 1
            continue
        rows = 1 if classes == 2 else classes
        assert (model.coef_.shape, model.intercept_.shape) == ((rows, 6), (rows,))
        assert (model.intercept_ != 0).any() == (bias is not None)
        by_hand = X @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(by_hand.reshape(scores.shape), scores, atol=1e-9)


def test_votes_of_runs_of_different_lengths_compare() -> None:
    X, y = load_iris(return_X_y=True)
    model = VotedPerceptronClassifier().fit(X, y)
    lengths = [ledger.passes for ledger in model.ledger_]
    assert lengths[0] < lengths[1] == model.n_iter_ == 10
    assert (model.run_[0].converged, model.converged_) == (True, False)
    for k, run in enumerate(model.run_):
        share = run.hypothesis().scores(X) / run.ledger.rounds
        assert np.array_equal(model.decision_function(X)[:, k], share)


def test_a_class_not_seen_yet_scores_0_and_is_not_predicted() -> None:
    X, y = _data(classes=3)
    some = y != 1
    model = PerceptronClassifier().partial_fit(X[some], y[some], classes=[0, 1, 2])
    assert model.decision_function(X).shape == (len(X), 3)
    assert not model.decision_function(X)[:, 1].any()
    assert not model.coef_[1].any()
    assert 1 not in model.predict(X)
    assert 1 in model.partial_fit(X, y).predict(X)


def test_ties_may_be_mistakes() -> None:
    X, y = np.eye(2), [1, 1]
    first = PerceptronClassifier(bias=None).partial_fit(X, y, classes=[0, 1])
    strict = PerceptronClassifier(bias=None, ties="mistake").partial_fit(X, y, classes=[0, 1])
    assert (first.ledger_.mistakes, strict.ledger_.mistakes) == (0, 2)


def test_only_the_last_voters_vote() -> None:
    X, y = _data()
    model = VotedPerceptronClassifier(max_voters=3).fit(X, y)
    assert len(model.run_.hypothesis()) == 3
    assert len(VotedPerceptronClassifier().fit(X, y).run_.hypothesis()) > 3


@every
@every_problem
def test_the_run_speaks_the_users_labels_and_may_go_on(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    labels = np.array(["ant", "bee", "cat"])[y]
    model = kind(max_passes=2).fit(X, labels)
    runs = _runs(model)
    ledgers = model.ledger_ if isinstance(model.ledger_, list) else [model.ledger_]
    assert isinstance(model.run_, list) == (classes == 3 and kind is not PerceptronClassifier)
    assert all(run.ledger is ledger for run, ledger in zip(runs, ledgers, strict=True))
    assert all(ledger.rounds == model.n_iter_ * len(X) for ledger in ledgers)
    if len(runs) == 1:
        assert set(model.ledger_.labels) == set(model.classes_)
        assert model.ledger_.rounds_by_label == {
            name: 2 * int(np.sum(labels == name)) for name in model.ledger_.labels
        }
        assert np.array_equal(model.run_.predict(X), model.predict(X))
    before = model.decision_function(X)
    for run in runs:
        run.play(nv.stream(X[:40], labels[:40]))
    assert not np.array_equal(model.decision_function(X), before)
    assert _same(model, kind(max_passes=2).fit(X, labels).partial_fit(X[:40], labels[:40]), X)


@every
def test_a_fitted_estimator_keeps_no_data(kind: Any) -> None:
    X, y = _data(classes=3)
    model = kind().fit(X, y)
    model.predict(X)
    kept = weakref.ref(X)
    del X
    gc.collect()
    assert kept() is None
    assert model.n_features_in_ == 6


@every
@every_problem
def test_clones_copies_and_pickles(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    model = kind(bias=2.0, max_passes=3, class_weight={0: 2}).fit(X, y)
    size = len(pickle.dumps(model))
    model.predict(X)
    assert len(pickle.dumps(model)) == size
    fresh = clone(model)
    assert not hasattr(fresh, "run_")
    assert fresh.get_params() == model.get_params()
    assert _same(fresh.fit(X, y), model, X)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert _same(twin, model, X)
        twin.partial_fit(X, y)
        assert [run.ledger.rounds for run in _runs(model)] == [3 * len(X)] * len(_runs(model))
        assert _same(twin, kind(**model.get_params()).fit(X, y).partial_fit(X, y), X)


@every
def test_what_scikit_learn_puts_around_an_estimator(kind: Any) -> None:
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    pipeline = make_pipeline(StandardScaler(), kind(max_passes=10))
    scaled = StandardScaler().fit_transform(X)
    predicted = kind(max_passes=10).fit(scaled, y).predict(scaled)
    assert np.array_equal(pipeline.fit(X, y).predict(X), predicted)
    assert len(cross_val_score(pipeline, X, y, cv=3)) == 3
    name = f"{kind.__name__.lower()}__max_passes"
    search = GridSearchCV(pipeline, {name: [1, 20]}, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_[name] in (1, 20)
    assert search.best_estimator_.n_features_in_ == 4
    rest = OneVsRestClassifier(kind(max_passes=10)).fit(scaled, y)
    if kind is not PerceptronClassifier:
        assert np.array_equal(rest.predict(scaled), predicted)
    assert rest.score(scaled, y) > 0.6


def test_features_are_selected_by_their_weights() -> None:
    X, y = _data()
    X = np.c_[X, np.zeros((len(X), 4))]
    kept = SelectFromModel(PerceptronClassifier(max_passes=3), threshold=0.5).fit(X, y)
    assert not kept.get_support()[6:].any()
    assert kept.get_support()[:6].any()


def test_columns_of_a_frame_keep_their_names() -> None:
    X, y = _data()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    labels = pd.Series(np.array(["no", "yes"])[y])
    weights = pd.Series(1 + y, index=range(5, 5 + len(y)))
    model = PerceptronClassifier(max_passes=3).fit(frame, labels, sample_weight=weights)
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.classes_.tolist() == ["no", "yes"]
    twin = PerceptronClassifier(max_passes=3).fit(X, y, sample_weight=1 + y)
    assert model.coef_.tolist() == twin.coef_.tolist()
    assert np.array_equal(model.predict(frame) == "yes", twin.predict(X) == 1)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("fedcba")])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame.rename(columns={"a": "z"}), labels)


@every
@every_problem
def test_many_threads_predict_with_one_estimator(kind: Any, classes: int) -> None:
    X, y = _data(classes)
    expected = kind(max_passes=3).fit(X, y).predict(X)
    model, found = kind(max_passes=3).fit(X, y), []
    read = lambda: found.append(np.array_equal(model.predict(X), expected))  # noqa: E731
    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8
