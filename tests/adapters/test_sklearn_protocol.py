"""The estimators keep scikit-learn's protocol: refusals, scores, runs, copies, threads."""

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from threads import together

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

from estimators import every, every_problem, noisy_rows, runs_of, same_model
from novikoff.sklearn import (
    PerceptronClassifier,
    VotedPerceptronClassifier,
)

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
    X, y = noisy_rows(classes)
    model = kind().partial_fit(X, y, classes=range(classes))
    twin = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match=r"\w"):
        model.partial_fit(*BAD[bad](X, y))
    assert same_model(model, twin, X)
    assert same_model(model.partial_fit(X, y), twin.partial_fit(X, y), X)


@every
def test_a_first_call_that_is_refused_leaves_nothing_behind(kind: Any) -> None:
    X, y = noisy_rows()
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
    X, y = noisy_rows()
    for name in kind().get_params():
        for value in WRONG[name]:
            with pytest.raises(nv.ParameterError, match=f"{name}.*: expected .+, got"):
                kind(**{name: value}).fit(X, y)


@every
@every_problem
def test_scores_agree_with_predictions_and_weights(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
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
    X, y = noisy_rows(classes=3)
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
    X, y = noisy_rows()
    model = VotedPerceptronClassifier(max_voters=3).fit(X, y)
    assert len(model.run_.hypothesis()) == 3
    assert len(VotedPerceptronClassifier().fit(X, y).run_.hypothesis()) > 3


@every
@every_problem
def test_the_run_speaks_the_users_labels_and_may_go_on(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    labels = np.array(["ant", "bee", "cat"])[y]
    model = kind(max_passes=2).fit(X, labels)
    runs = runs_of(model)
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
    assert same_model(model, kind(max_passes=2).fit(X, labels).partial_fit(X[:40], labels[:40]), X)


@every
def test_a_fitted_estimator_keeps_no_data(kind: Any) -> None:
    X, y = noisy_rows(classes=3)
    model = kind().fit(X, y)
    model.predict(X)
    kept = weakref.ref(X)
    del X
    gc.collect()
    assert kept() is None
    assert model.n_features_in_ == 6


@every
@every_problem
def test_clones_begin_afresh_and_copies_and_pickles_go_on(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    model = kind(bias=2.0, max_passes=3, class_weight={0: 2}).fit(X, y)
    size = len(pickle.dumps(model))
    model.predict(X)
    assert len(pickle.dumps(model)) == size
    fresh = clone(model)
    assert not hasattr(fresh, "run_")
    assert fresh.get_params() == model.get_params()
    assert same_model(fresh.fit(X, y), model, X)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert same_model(twin, model, X)
        twin.partial_fit(X, y)
        assert [run.ledger.rounds for run in runs_of(model)] == [3 * len(X)] * len(runs_of(model))
        assert same_model(twin, kind(**model.get_params()).fit(X, y).partial_fit(X, y), X)


@every
def test_pipelines_searches_and_one_against_the_rest_take_every_estimator(kind: Any) -> None:
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
    assert search.best_estimator_.n_features_in_ == 4
    rest = OneVsRestClassifier(kind(max_passes=10)).fit(scaled, y)
    if kind is not PerceptronClassifier:
        assert np.array_equal(rest.predict(scaled), predicted)
    assert rest.score(scaled, y) > 0.6


def test_features_are_selected_by_their_weights() -> None:
    X, y = noisy_rows()
    X = np.c_[X, np.zeros((len(X), 4))]
    kept = SelectFromModel(PerceptronClassifier(max_passes=3), threshold=0.5).fit(X, y)
    assert not kept.get_support()[6:].any()
    assert kept.get_support()[:6].any()


def test_columns_of_a_frame_keep_their_names() -> None:
    X, y = noisy_rows()
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
    X, y = noisy_rows(classes)
    expected = kind(max_passes=3).fit(X, y).predict(X)
    model = kind(max_passes=3).fit(X, y)
    assert all(np.array_equal(found, expected) for found in together(lambda: model.predict(X)))
