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
from novikoff.sklearn import AdaptiveGradientClassifier, BlendClassifier

LEARNERS: dict[Any, Callable[[], Any]] = {
    BlendClassifier: nv.Blend,
    AdaptiveGradientClassifier: lambda: nv.AdaptiveGradient(bias=1.0),
}
ONE_RUN_A_CLASS = [AdaptiveGradientClassifier]
NOT_REPEATS = dict.fromkeys(
    [f"check_sample_weight_equivalence_on_{form}_data" for form in ("dense", "sparse")],
    "a weight scales one step; repeated rows are rounds, each of which is predicted anew",
)

every = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
every_problem = pytest.mark.parametrize("classes", [2, 3], ids=["two classes", "three classes"])


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [*(kind() for kind in LEARNERS), AdaptiveGradientClassifier(rate=0.5, passes=3)],
    expected_failed_checks=lambda model: NOT_REPEATS,
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
    h: Any = run.hypothesis()
    assert chances[:, 1].tolist() == h.probabilities(X).tolist()
    assert chances.sum(axis=1) == pytest.approx(1)
    assert model.predict(X).tolist() == names[(chances[:, 1] >= 0.5).astype(int)].tolist()
    assert model.decision_function(X).tolist() == h.scores(X).tolist()
    assert model.predict_log_proba(X) == pytest.approx(np.log(chances))


@pytest.mark.parametrize("kind", ONE_RUN_A_CLASS)
def test_one_run_a_class_shares_a_whole(kind: Any) -> None:
    X, y = noisy_rows(classes=3)
    model = kind().fit(X, y)
    alone = []
    for label in range(3):
        run: nv.Run = nv.play(LEARNERS[kind](), nv.stream(X, y == label))
        h: Any = run.hypothesis()
        alone.append(h.probabilities(X))
    expected = np.array(alone).T
    assert model.predict_proba(X) == pytest.approx(expected / expected.sum(axis=1, keepdims=True))
    assert np.array_equal(model.predict(X), expected.argmax(axis=1))
    assert model.decision_function(X).shape == (len(X), 3)
    assert len(model.ledger_) == 3


def test_blend_is_one_run_of_all_classes() -> None:
    X, y = noisy_rows(classes=3)
    names = np.array(["ant", "bee", "cat"])
    model = BlendClassifier().fit(X, names[y])
    run: nv.Run = nv.play(nv.ClassBlend(3), nv.stream(X, y), labels=range(3))
    assert (model.ledger_.learner, model.ledger_.loss) == ("ClassBlend", run.ledger.loss)
    chances = model.predict_proba(X)
    h: Any = run.hypothesis()
    assert chances.tolist() == h.probabilities(X).tolist()
    assert model.predict(X).tolist() == names[chances.argmax(axis=1)].tolist()
    assert model.decision_function(X).tolist() == h.scores(X).tolist()


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
def test_weights_of_rows_are_those_of_rounds(kind: Any, classes: int) -> None:
    """``fit`` declares the largest weight, so that twice the weights are the same model."""
    X, y = noisy_rows(classes)
    ones = kind().fit(X, y, sample_weight=np.ones(len(y)))
    assert same_model(ones, kind().fit(X, y), X)
    weights = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(y))
    model = kind().fit(X, y, sample_weight=weights)
    assert same_model(model, kind().fit(X, y, sample_weight=2 * weights), X)
    assert not same_model(model, ones, X)
    one_each = classes > 2 and kind in ONE_RUN_A_CLASS
    assert len(runs_of(model)) == (classes if one_each else 1)
    for label, run in enumerate(runs_of(model)):
        named = {"positive": label} if one_each else {"labels": range(classes)}
        alone = nv.Run(LEARNERS[kind](), max_weight=3.0, **named)
        alone.play(nv.stream(X, y, weights=weights))
        assert run.ledger.loss == alone.ledger.loss
    by_hand = kind(max_weight=3.0).partial_fit(X, y, range(classes), sample_weight=weights)
    assert same_model(by_hand, model, X)


@every
def test_partial_fit_needs_a_largest_weight(kind: Any) -> None:
    X, y = noisy_rows()
    with pytest.raises(nv.InputError, match="expected a largest weight, declared before"):
        kind().partial_fit(X, y, [0, 1], sample_weight=np.full(len(y), 2.0))
    with pytest.raises(nv.InputError, match="expected a weight of at most 2, got 3"):
        kind(max_weight=2.0).partial_fit(X, y, [0, 1], sample_weight=np.full(len(y), 3.0))


@every
@every_problem
def test_class_weights_are_weights_of_rows(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    by_class = dict(zip(range(classes), (1.0, 3.0, 0.5), strict=False))
    given = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = kind(class_weight=by_class).fit(X, y, sample_weight=given)
    rows = given * np.array([by_class[label] for label in y.tolist()])
    assert same_model(model, kind().fit(X, y, sample_weight=rows), X)
    balanced = kind(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_hand = {k: len(y) / (classes * n) for k, n in enumerate(counts.tolist())}
    assert same_model(balanced, kind(class_weight=by_hand).fit(X, y), X)


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


@pytest.mark.parametrize("kind", ONE_RUN_A_CLASS)
def test_a_row_without_any_chance_is_shared_equally(kind: Any, monkeypatch: Any) -> None:
    X, y = noisy_rows(classes=3)
    model = kind().fit(X, y)
    for run in runs_of(model):
        run.learner.hypothesis()
    monkeypatch.setattr(type(model._hypotheses[0]), "probabilities", lambda h, X: np.zeros(len(X)))
    assert (model.predict_proba(X[:2]) == 1 / 3).all()
