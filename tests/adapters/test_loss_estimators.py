"""Estimators with probabilities: scikit-learn's own checks, and what the learners say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

pytest.importorskip("sklearn", reason="the estimators are scikit-learn's")

from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators import noisy_rows, runs_of, same_model
from novikoff.sklearn import AdaptiveGradientClassifier

LEARNERS: dict[Any, Callable[[], Any]] = {
    AdaptiveGradientClassifier: lambda: nv.AdaptiveGradient(bias=1.0),
}
ONE_RUN_A_CLASS = {AdaptiveGradientClassifier}
UNWEIGHTED = dict.fromkeys(
    [
        "check_sample_weights_list",
        "check_sample_weights_not_overwritten",
        "check_classifiers_one_label_sample_weights",
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ],
    "it takes no weights of rows other than 1",
)

every = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
every_problem = pytest.mark.parametrize("classes", [2, 3], ids=["two classes", "three classes"])


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [*(kind() for kind in LEARNERS), AdaptiveGradientClassifier(rate=0.5, bias=None, passes=3)],
    expected_failed_checks=lambda model: UNWEIGHTED,
    xfail_strict=True,
)
def test_every_estimator_passes_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@every
def test_two_classes_have_the_probabilities_of_the_run(kind: Any) -> None:
    X, y = noisy_rows()
    names = np.array(["ham", "spam"])
    model = kind().fit(X, names[y])
    run: nv.Run = nv.play(LEARNERS[kind](), nv.stream(X, y))
    assert model.ledger_.loss == run.ledger.loss
    assert model.ledger_.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
    chances = model.predict_proba(X)
    assert chances[:, 1].tolist() == [run.probability(x) for x in X]
    assert chances.sum(axis=1) == pytest.approx(1)
    assert model.predict(X).tolist() == names[(chances[:, 1] >= 0.5).astype(int)].tolist()
    assert model.decision_function(X).tolist() == run.hypothesis().scores(X).tolist()
    assert model.predict_log_proba(X) == pytest.approx(np.log(chances))


@pytest.mark.parametrize("kind", ONE_RUN_A_CLASS)
def test_one_run_a_class_shares_a_whole(kind: Any) -> None:
    X, y = noisy_rows(classes=3)
    model = kind().fit(X, y)
    alone = []
    for label in range(3):
        run: nv.Run = nv.play(LEARNERS[kind](), nv.stream(X, y == label))
        alone.append([run.probability(x) for x in X])
    expected = np.array(alone).T
    assert model.predict_proba(X) == pytest.approx(expected / expected.sum(axis=1, keepdims=True))
    assert np.array_equal(model.predict(X), expected.argmax(axis=1))
    assert model.decision_function(X).shape == (len(X), 3)
    assert len(model.ledger_) == 3


@every
@every_problem
def test_rows_in_one_call_or_in_many_are_the_same_run(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    whole, parts = kind().fit(X, y), kind()
    for part in np.array_split(np.arange(len(X)), 7):
        parts.partial_fit(X[part], y[part], classes=range(classes))
    assert same_model(parts, whole, X)
    assert np.array_equal(parts.predict_proba(X), whole.predict_proba(X))
    sparse = kind().fit(sp.csr_array(X), y)
    assert np.array_equal(sparse.predict_proba(X), whole.predict_proba(X))


@every
def test_passes_are_played_one_after_the_other(kind: Any) -> None:
    X, y = noisy_rows()
    model = kind(passes=3).fit(X, y)
    run: nv.Run = nv.play(LEARNERS[kind](), nv.stream(X, y), passes=3)
    assert (model.n_iter_, model.ledger_.rounds) == (3, 3 * len(X))
    assert model.ledger_.loss == run.ledger.loss
    assert not model.converged_
    easy = kind(passes=30).fit([[1.0], [-1.0]], [1, 0])
    assert easy.converged_
    with pytest.raises(nv.ParameterError, match="passes"):
        kind(passes=0).fit(X, y)


@every
@every_problem
def test_weights_of_rows_are_refused_unless_they_are_all_1(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    ones = kind().fit(X, y, sample_weight=np.ones(len(y)))
    assert same_model(ones, kind().fit(X, y), X)
    with pytest.raises(nv.InputError, match="takes no weights of rounds"):
        kind().fit(X, y, sample_weight=np.full(len(y), 2.0))
    with pytest.raises(nv.InputError, match="takes no weights of rounds"):
        kind().partial_fit(X, y, range(classes), sample_weight=np.full(len(y), 2.0))


@every
def test_probabilities_are_worth_something_on_raw_scales(kind: Any) -> None:
    """Far better than the frequencies of the labels, on columns that nobody has scaled."""
    X, y = load_breast_cancer(return_X_y=True)
    model = kind(passes=5).fit(X[:400], y[:400])
    frequencies = np.tile(np.bincount(y[:400]) / 400, (169, 1))
    assert log_loss(y[400:], model.predict_proba(X[400:])) < log_loss(y[400:], frequencies) / 4
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    wine = kind(passes=5).fit(X[order[:120]], y[order[:120]])
    assert wine.score(X[order[120:]], y[order[120:]]) > 0.9


@every
def test_a_row_without_any_chance_is_shared_equally(kind: Any, monkeypatch: Any) -> None:
    X, y = noisy_rows(classes=3)
    model = kind().fit(X, y)
    for run in runs_of(model):
        run.learner.hypothesis()
    monkeypatch.setattr(type(model._hypotheses[0]), "probabilities", lambda h, X: np.zeros(len(X)))
    assert (model.predict_proba(X[:2]) == 1 / 3).all()
