"""The estimators change nothing of what the learners do."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

pytest.importorskip("sklearn", reason="the estimators are scikit-learn's")

from sklearn.datasets import load_iris
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

from estimators import LEARNERS, every, every_problem, noisy_rows, runs_of, same_model
from novikoff.adapters import estimator
from novikoff.sklearn import (
    MinnowClassifier,
    PerceptronClassifier,
    VotedPerceptronClassifier,
)

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
def test_every_estimator_passes_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@every
def test_class_weights_prevail_with_a_constant_as_large_as_the_values(kind: Any) -> None:
    model = kind(bias=20.0, max_passes=100)
    check_class_weight_classifiers(kind.__name__, model)


def _separable(seed: int, classes: int = 2) -> tuple[Any, Any]:
    """A small set of flags, counts and measurements that some linear rule explains."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (80, 19)) / 5
    X[:, :9] = X[:, :9] > 0
    X[:, 15:] = rng.standard_normal((80, 4))
    scores = X @ rng.standard_normal((19, classes))
    second, best = np.sort(scores, axis=1)[:, -2:].T
    return X[best - second > 0.3], scores.argmax(axis=1)[best - second > 0.3]


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
    X, y = noisy_rows()
    model = PerceptronClassifier(max_passes=7).fit(X, y)
    w, bias_weight, mistakes = _twin(X, 2 * y - 1, np.ones(len(y)), 7)
    assert model.coef_.tolist() == [w.tolist()]
    assert model.intercept_.tolist() == [bias_weight]
    assert model.ledger_.mistakes == mistakes > 0
    assert (model.n_iter_, model.converged_) == (7, False)


@every
def test_a_pass_makes_the_mistakes_that_play_makes(kind: Any) -> None:
    X, y = noisy_rows()
    model = kind().partial_fit(X, y, classes=[0, 1])
    run = nv.play(LEARNERS[kind](), nv.stream(X, y))
    assert model.ledger_.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
    assert model.ledger_.passes == model.n_iter_ == 1
    assert np.array_equal(model.predict(X), run.predict(X))
    fitted = kind(max_passes=3).fit(X, y)
    assert fitted.ledger_.mistakes == nv.play(LEARNERS[kind](), nv.stream(X, y), passes=3).mistakes


@every
def test_more_classes_are_one_multiclass_run_or_one_run_a_class(kind: Any) -> None:
    X, y = noisy_rows(classes=4)
    names = np.array(["dog", "ant", "cat", "bee"])
    model = kind(max_passes=3).fit(X, names[y])
    if kind is PerceptronClassifier:
        run: nv.Run = nv.play(nv.MulticlassPerceptron(bias=1.0), nv.stream(X, y), passes=3)
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
    X, y = noisy_rows(classes)
    whole = kind().partial_fit(X, y, classes=range(classes))
    for chunks in (7, len(X)):
        parts = kind()
        for part in np.array_split(np.arange(len(X)), chunks):
            parts.partial_fit(X[part], y[part], classes=range(classes))
        assert same_model(parts, whole, X)
    once = kind(max_passes=1).fit(X, y)
    assert same_model(once, whole, X)
    assert same_model(once.partial_fit(X, y), whole.partial_fit(X, y), X)
    assert all(run.ledger.rounds == 2 * len(X) for run in runs_of(once))


@every
@every_problem
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, bool])
def test_dense_and_sparse_are_one_model(kind: Any, classes: int, dtype: Any) -> None:
    X, y = noisy_rows(classes)
    X = np.c_[X, np.zeros(len(X))].astype(dtype)  # a last column that no sparse row mentions
    model = kind(max_passes=5).fit(X, y)
    assert same_model(model, kind(max_passes=5).fit(X.astype(np.float64), y), X)
    for form in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix):
        twin = kind(max_passes=5).fit(form(X), y)
        assert twin.n_features_in_ == 7
        assert same_model(model, twin, X)
        assert np.array_equal(twin.predict(form(X)), model.predict(X))
        mixed = kind().partial_fit(form(X[:60]), y[:60], classes=range(classes))
        assert same_model(mixed.partial_fit(X[60:], y[60:]), kind(max_passes=1).fit(X, y), X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_are_neither_copied_nor_widened(monkeypatch: Any, dtype: Any) -> None:
    X, y = noisy_rows()
    X = X.astype(dtype)
    seen = []

    def record(rows: Any, *others: Any, **named: Any) -> Any:
        seen.append(rows)
        return nv.stream(rows, *others, **named)

    monkeypatch.setattr(estimator, "ArrayStream", record)
    PerceptronClassifier().fit(X, y).partial_fit(X, y)
    assert all(np.shares_memory(rows, X) and rows.dtype == dtype for rows in seen)
    assert len(seen) == 2


@every
@every_problem
def test_fitting_again_is_fitting_afresh(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    other, labels = noisy_rows(5 - classes, seed=3)
    model = kind(max_passes=4).fit(other, labels).partial_fit(other, labels)
    assert same_model(model.fit(X, y), kind(max_passes=4).fit(X, y), X)
    assert model.classes_.tolist() == list(range(classes))


@every
@every_problem
def test_a_row_of_weight_0_is_never_learned_from(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    weights = np.where(np.arange(len(y)) % 3 == 1, 0, 1)
    kept = kind(max_passes=1).fit(X[weights > 0], y[weights > 0])
    model = kind(max_passes=1).fit(X, y, sample_weight=weights)
    if kind in (PerceptronClassifier, MinnowClassifier):  # the others count rounds
        assert model.coef_.tolist() == kept.coef_.tolist()
    for run, other in zip(runs_of(model), runs_of(kept), strict=True):
        learned = weights[run.ledger.mistake_rounds - 1] > 0
        assert learned.sum() == other.mistakes
        assert run.ledger.rounds == len(X)
    assert not same_model(model, kind(max_passes=1).fit(X, y), X)
    with pytest.raises(nv.InputError, match="only zero weights"):
        kind().fit(X, y, sample_weight=np.zeros(len(y)))


def test_weights_scale_the_updates() -> None:
    X, y = noisy_rows()
    weights = np.random.default_rng(1).integers(0, 5, len(y))
    model = PerceptronClassifier(max_passes=5).fit(X, y, sample_weight=weights)
    w, bias_weight, mistakes = _twin(X, 2 * y - 1, weights, 5)
    assert model.coef_.tolist() == [w.tolist()]
    assert (model.intercept_[0], model.ledger_.mistakes) == (bias_weight, mistakes)
    assert model.ledger_.weighted


@every
@every_problem
def test_class_weights_are_weights_of_rows(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    names = np.array(["a", "b", "c"])
    weights = {"a": 1, "b": 3, "c": 0.5}
    rows = np.array([weights[name] for name in names[y]])
    given = np.random.default_rng(1).integers(1, 4, len(y))
    model = kind(class_weight=weights, max_passes=3).fit(X, names[y], sample_weight=given)
    assert same_model(model, kind(max_passes=3).fit(X, names[y], sample_weight=given * rows), X)
    chunks = kind(class_weight={"b": 3}).partial_fit(X[:50], names[y[:50]], names[:classes])
    chunks.partial_fit(X[50:], names[y[50:]])
    by_row = kind(max_passes=1).fit(X, names[y], sample_weight=np.where(y == 1, 3, 1))
    assert same_model(chunks, by_row, X)


@every
@every_problem
def test_balanced_weights_are_those_of_scikit_learn(kind: Any, classes: int) -> None:
    X, y = noisy_rows(classes)
    kept = (y != 0) | (np.arange(len(y)) % 4 == 0)
    X, y, found = X[kept], y[kept], np.arange(classes)
    for given in (None, np.random.default_rng(1).integers(1, 4, len(y))):
        weights = compute_class_weight("balanced", classes=found, y=y, sample_weight=given)
        by_hand = dict(zip(found.tolist(), weights.tolist(), strict=True))
        model = kind(class_weight="balanced", max_passes=3).fit(X, y, sample_weight=given)
        twin = kind(class_weight=by_hand, max_passes=3).fit(X, y, sample_weight=given)
        assert same_model(model, twin, X)
        assert not same_model(model, kind(max_passes=3).fit(X, y, sample_weight=given), X)
    with pytest.raises(nv.ParameterError, match="class_weight: expected None or a dict"):
        model.partial_fit(X, y)


def test_balanced_leaves_a_class_without_weight_alone() -> None:
    X, y = noisy_rows()
    model = PerceptronClassifier(class_weight="balanced").fit(X, y, sample_weight=y)
    assert (model.predict(X) == 1).all()


@every
def test_the_names_of_labels_change_nothing(kind: Any) -> None:
    X, y = noisy_rows()
    model = kind(max_passes=3).fit(X, y)
    pairs = [(-1, 1), (1, 2), (1.0, 2.0), (False, True), ("ham", "spam")]
    for pair in pairs:
        for dtype in (None, object) if isinstance(pair[0], str) else (None,):
            labels = np.array(pair, dtype=dtype)
            twin = kind(max_passes=3).fit(X, labels[y])
            assert same_model(model, twin, X)
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


def test_plain_arrays_are_learned_from_as_others_are() -> None:
    """``partial_fit`` skips scikit-learn's check of arrays that are plainly right, no others."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 5)) * 10.0 ** rng.integers(-200, 150, (60, 5))
    y = np.where(X[:, 0] > X[:, 1], 1, 0)
    quick, slow = PerceptronClassifier(), PerceptronClassifier()
    for part in (slice(0, 20), slice(20, 40), slice(40, 60)):
        quick.partial_fit(X[part], y[part], classes=[0, 1])
        slow.partial_fit(X[part].astype(">f8"), y[part].tolist(), classes=[0, 1])
    assert quick.run_.mistakes == slow.run_.mistakes
    mine, its = quick.run_.learner.state(), slow.run_.learner.state()
    assert all(np.array_equal(mine[name], its[name]) for name in its)
    wrong = X[:3].copy()
    wrong[2, 1] = np.nan
    refused: list[tuple[Any, Any]] = [
        (wrong, y[:3]), (X[:0], y[:0]), (X[0], y[:1]), (X[:3, :4], y[:3]), (X[:3], y[:2]),
        (X[:3], np.array([0, 1, 2])), (X[:3], np.array([0, np.nan, 1])),
    ]  # fmt: skip
    for rows, labels in refused:
        said = []
        for model, given in ((quick, (rows, labels)), (slow, (rows.astype(">f8"), labels))):
            with pytest.raises(ValueError) as error:  # noqa: PT011 — the same for both
                model.partial_fit(*given)
            said.append(str(error.value))
        assert said[0] == said[1]
    assert quick.run_.ledger.rounds == slow.run_.ledger.rounds == 60


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 15, 16, 17, 100])
def test_the_quick_check_of_rows_finds_every_value_that_is_not_finite(
    dtype: Any, size: int
) -> None:
    """Large values are finite, though their sum is not."""
    X = np.full((2, size), np.finfo(dtype).max, dtype)
    assert estimator._are_plain(X, np.array([0, 1]), size)
    for place in range(X.size):
        for bad in (np.nan, np.inf, -np.inf):
            Z = X.copy()
            Z.flat[place] = bad
            assert not estimator._are_plain(Z, np.array([0, 1]), size), (place, bad)
