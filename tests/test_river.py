"""River models: river's own checks, and what they do not check."""

import copy
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import checks, evaluate, feature_extraction, linear_model, preprocessing
from river import datasets as river_datasets
from river import metrics as river_metrics
from river import multiclass as river_multiclass

import novikoff as nv
import novikoff.river as nr
import twins

datasets: Any = river_datasets  # river types some of what it offers
metrics: Any = river_metrics
multiclass: Any = river_multiclass

MODELS: dict[str, Callable[[], Any]] = {
    "perceptron": nr.PerceptronClassifier,
    "perceptron-ties-mistake": lambda: nr.PerceptronClassifier(ties="mistake", bias=None),
    "perceptron-weighted": lambda: nr.PerceptronClassifier(class_weight={True: 3.0, False: 0.5}),
    "averaged": nr.AveragedPerceptronClassifier,
    "voted": nr.VotedPerceptronClassifier,
    "voted-capped": lambda: nr.VotedPerceptronClassifier(max_voters=20),
    "minnow": nr.MinnowClassifier,
    "multiclass": nr.MulticlassPerceptronClassifier,
}
CURRENT = ("perceptron", "perceptron-ties-mistake", "perceptron-weighted", "minnow", "multiclass")
UNBOUNDED = "without max_voters the vote keeps the example of every mistake, by definition"

every_model = pytest.mark.parametrize("name", MODELS)
binary_model = pytest.mark.parametrize("name", [name for name in MODELS if name != "multiclass"])


def _checks() -> Iterator[Any]:
    for name, make in MODELS.items():
        model = make()
        for number, check in enumerate(checks.yield_checks(model)):
            skipped = check.__name__ in model._unit_test_skips()
            marks = [pytest.mark.skip(reason=UNBOUNDED)] if skipped else []
            yield pytest.param(name, check, id=f"{name}-{number}-{check.__name__}", marks=marks)


@pytest.mark.parametrize(("name", "check"), list(_checks()))
def test_river_checks(name: str, check: Any) -> None:
    check(MODELS[name]().clone())


def test_only_the_vote_without_a_budget_skips_a_check() -> None:
    skips = {name: make()._unit_test_skips() for name, make in MODELS.items()}
    assert skips.pop("voted") == {"check_bounded_memory_growth"}
    assert not any(skips.values())


def test_every_model_is_checked_and_public() -> None:
    assert nr.__all__ == sorted(nr.__all__)
    assert {type(make()).__name__ for make in MODELS.values()} == set(nr.__all__)


def test_importing_the_library_does_not_import_river() -> None:
    loaded = "import sys, novikoff; print({'river', 'pandas', 'novikoff.river'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def _rows() -> tuple[list[dict[str, float]], list[bool]]:
    """300 rows that are one of four or its negative: sums of decimals tie, or nearly do."""
    rng = np.random.default_rng(13)
    few = rng.choice([0.1, 0.2, 0.3, 0.7], (4, 5)) * rng.choice([-1, 1], (4, 5))
    values = few[rng.integers(0, 4, 300)] * rng.choice([-1, 1], (300, 1))
    rows = [dict(zip("abcde", row.tolist(), strict=True)) for row in values]
    return rows, (rng.random(300) < 0.5).tolist()


def _asked() -> list[dict[str, float]]:
    """Other rows, to ask about."""
    values = np.random.default_rng(0).standard_normal((100, 5)) * 100
    return [dict(zip("abcde", row.tolist(), strict=True)) for row in values]


def _labels(name: str, y: list[bool]) -> list[Any]:
    if name != "multiclass":
        return list(y)
    return [("no", "yes", "often")[label + t % 2] for t, label in enumerate(y)]


def _taught(name: str, count: int = 300) -> Any:
    model, (rows, y) = MODELS[name](), _rows()
    for x, label in zip(rows[:count], _labels(name, y), strict=False):
        model.learn_one(x, label)
    return model


def _state(model: Any) -> dict[str, Any]:
    """All that a model has learned, and its receipt."""
    metadata: dict[str, Any]
    metadata, arrays = model.run._state()
    return metadata | {name: array.tolist() for name, array in arrays.items()}


# Learning and predicting


def test_the_plain_model_errs_as_play_does() -> None:
    stream = list(datasets.Phishing())
    run = nv.play(nv.Perceptron(bias=1.0), stream)
    model = nr.PerceptronClassifier()
    mistakes = []
    for t, (x, y) in enumerate(stream, 1):
        if model.predict_one(x) != y:
            mistakes.append(t)
        model.learn_one(x, y)
    assert mistakes == run.ledger.mistake_rounds.tolist()
    assert mistakes == model.run.ledger.mistake_rounds.tolist()
    assert 100 < len(mistakes) < 500


def test_near_ties_are_decided_exactly() -> None:
    rows, y = _rows()
    twin, model = twins.Perceptron(), nr.PerceptronClassifier()
    for x, label in zip(rows, y, strict=True):
        exact = twins.vector(x.values(), bias=1.0)
        assert model.predict_one(x) == (twin.predict(exact) > 0)
        model.learn_one(x, label)
        twin.learn(exact, 1 if label else -1)
    assert model.run.ledger.exact_steps > 3


def test_with_ties_as_mistakes_the_weights_are_those_of_rivers_perceptron() -> None:
    ours, theirs = nr.PerceptronClassifier(ties="mistake"), linear_model.Perceptron()
    for x, y in datasets.Phishing():
        ours.learn_one(x, y)
        theirs.learn_one(x, y)
    h: Any = ours.run.hypothesis()
    assert h.weights() == {name: w for name, w in theirs.weights.items() if w}
    assert h.bias_weight == theirs.intercept


@every_model
def test_predict_and_learn_one_returns_the_prediction_of_the_current_w(name: str) -> None:
    rows, y = _rows()
    one, fused = MODELS[name](), MODELS[name]()
    current = {"averaged": nr.PerceptronClassifier, "voted": nr.PerceptronClassifier}
    online = current.get(name.removesuffix("-capped"), MODELS[name])()
    for x, label in zip(rows, [True, *_labels(name, y)[1:]], strict=True):
        expected = online.predict_one(x)
        found = fused.predict_and_learn_one(x, label)
        # With one class and no round before, there is none to predict until it is shown.
        assert found == expected or (expected is None and fused.run.ledger.rounds == 1)
        one.learn_one(x, label)
        online.learn_one(x, label)
    assert _state(one) == _state(fused)


@pytest.mark.parametrize("name", ["averaged", "voted"])
def test_the_average_and_the_vote_are_what_predicts(name: str) -> None:
    rows, y = _rows()
    model, twin = MODELS[name](), twins.Perceptron()
    differs = 0
    for x, label, asked in zip(rows, y, _asked(), strict=False):
        model.learn_one(x, label)
        twin.learn(twins.vector(x.values(), bias=1.0), 1 if label else -1)
        exact = twins.vector(asked.values(), bias=1.0)
        score = twins.dot(twin.average(), exact) if name == "averaged" else twin.vote(exact)
        assert model.predict_one(asked) == (score >= 0)
        differs += (twin.predict(exact) > 0) != (score >= 0)
    assert differs > 5


def test_the_average_is_read_where_it_is_asked_for() -> None:
    model = _taught("averaged")
    h = model.run.hypothesis()
    for x in _asked():
        assert model.predict_one(x) == h(x)
    learner = model.run.learner
    learner.hypothesis = None  # never made
    assert model.predict_one({"unknown": 1.0}) in (False, True)
    with pytest.raises(nv.InputError, match="expected a finite value for feature 'a'"):
        _taught("averaged").predict_one({"a": float("inf")})


@pytest.mark.parametrize("name", ["voted", "voted-capped"])
def test_a_hypothesis_is_made_only_after_a_round(name: str, monkeypatch: Any) -> None:
    model, (rows, y) = _taught(name), _rows()
    made = []
    kind = type(model.run.learner)
    make = kind.hypothesis

    def counted(learner: Any) -> Any:
        made.append(learner)
        return make(learner)

    monkeypatch.setattr(kind, "hypothesis", counted)
    first = [model.predict_one(x) for x in rows]
    assert [model.predict_one(x) for x in rows] == first
    assert len(made) == 1
    model.run.learn(rows[0], y[0])  # behind the adapter's back
    model.predict_one(rows[0])
    assert len(made) == 2


@pytest.mark.parametrize("name", CURRENT)
def test_no_hypothesis_is_made_to_predict_with_the_current_w(name: str, monkeypatch: Any) -> None:
    model = _taught(name)
    monkeypatch.setattr(type(model.run.learner), "hypothesis", None)
    assert len({model.predict_one(x) for x in _asked()}) >= 2


@every_model
def test_before_the_first_round_a_model_answers(name: str) -> None:
    model = MODELS[name]()
    found = model.predict_one({"a": 1.0})
    assert found is (None if name in ("multiclass", "perceptron-ties-mistake") else True)
    assert model.predict_many(pd.DataFrame({"a": [1.0, 2.0]})).tolist() == [found] * 2
    assert model.run.ledger.rounds == 0
    with pytest.raises(nv.InputError, match="finite value for feature 'a', got nan"):
        model.predict_one({"a": float("nan")})


def test_a_model_that_has_seen_one_label_says_bools() -> None:
    # Only with ties as mistakes can it predict the other before it is seen. −1 would be true.
    model = nr.PerceptronClassifier(ties="mistake", bias=None)
    model.learn_one({"a": 1.0}, True)
    assert model.predict_one({"a": -1.0}) is False
    assert model.predict_and_learn_one({"a": -1.0}, True) is False


# Frames


@every_model
@pytest.mark.parametrize("rows_a_batch", [1, 7, 300])
def test_learn_many_is_the_loop_over_learn_one(name: str, rows_a_batch: int) -> None:
    rows, y = _rows()
    labels = _labels(name, y)
    X, one, many = pd.DataFrame(rows), _taught(name), MODELS[name]()
    for start in range(0, len(X), rows_a_batch):
        batch = slice(start, start + rows_a_batch)
        many.learn_many(X[batch], pd.Series(labels[batch], dtype=object))
    assert _state(many) == _state(one)
    assert many.run.ledger.rounds == 300


@every_model
def test_predict_many_is_the_loop_over_predict_one(name: str) -> None:
    rows = _rows()[0] + _asked()
    model, X = _taught(name), pd.DataFrame(rows, index=range(7, 407))
    found = model.predict_many(X)
    assert isinstance(found, pd.Series)
    assert found.index.equals(X.index)
    assert found.tolist() == [model.predict_one(x) for x in rows]
    assert len(model.predict_many(X[:0])) == 0


def test_near_ties_of_a_frame_are_decided_with_exact_weights() -> None:
    model = nr.PerceptronClassifier(bias=None)
    big = 2.0**53
    for x in ({"b": -(2.0**60)}, {"a": big}, {"a": 1.0, "b": 1.0}, {"c": -big}):
        model.learn_one(x, False)  # a mistake every time: w·a = −(2^53 + 1), w·c = 2^53
    asked = pd.DataFrame({"a": [1.0, -1.0], "c": [1.0, -1.0]})
    assert model.predict_many(asked).tolist() == [False, True]
    rounded = model.run.hypothesis().predict(asked.to_dict("records"))
    assert rounded.tolist() == [True, True]


def test_weights_of_rows() -> None:
    rows, y = _rows()
    weights = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(rows))
    X, labels = pd.DataFrame(rows), pd.Series(y)
    one, many, three = (MODELS["perceptron"]() for _ in range(3))
    for x, label, weight in zip(rows, y, weights, strict=True):
        one.learn_one(x, label, w=weight)
        three.learn_one(x, label, w=3.0)
    many.learn_many(X, labels, w=pd.Series(weights))
    assert _state(many) == _state(one) != _state(three)
    many = nr.PerceptronClassifier()
    many.learn_many(X, labels, w=3.0)
    assert _state(many) == _state(three)
    with pytest.raises(nv.InputError, match="expected a weight of 0 or a number"):
        one.learn_one(rows[0], True, w=float("nan"))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ({"a": [1.0, np.nan]}, [True, True], "row 2, x: .*finite value for feature 'a', got nan"),
        ({"a": [1.0, None], "b": ["u", None]}, [True, True], "row 2, x: "),
        ({0: [1.0]}, [True], r"row 1, x: expected strings as names of features, got 0 \(int\)"),
        ({"a": [1.0, 2.0]}, [True], "y: expected one for each of the 2 rows of X, got 1"),
        ({"a": [1.0, 2.0]}, [True, None], "row 2, round 2: expected labels"),
    ],
)
def test_frames_are_refused_by_row(X: Any, y: list[Any], message: str) -> None:
    model = nr.PerceptronClassifier()
    with pytest.raises(nv.InputError, match=message):
        model.learn_many(pd.DataFrame(X), pd.Series(y, dtype=object))
    assert model.run.ledger.rounds == int(message.startswith("row 2"))


def test_other_frames_are_answered_in_kind() -> None:
    pl = pytest.importorskip("polars", reason="polars is the other frame")
    rows, y = _rows()
    model = nr.PerceptronClassifier()
    model.learn_many(pl.DataFrame(rows), pl.Series(y))
    assert _state(model) == _state(_taught("perceptron"))
    found = model.predict_many(pl.DataFrame(rows))
    assert isinstance(found, pl.Series)
    assert found.to_list() == [model.predict_one(x) for x in rows]


# Labels, weights of classes, and what is refused

SPELLINGS: dict[str, Callable[[bool], Any]] = {
    "bool": bool,
    "0/1": int,
    "-1/+1": lambda y: 1 if y else -1,
    "np.bool_": np.bool_,
    "np.int64": lambda y: np.int64(1 if y else -1),
    "float": lambda y: 1.0 if y else -1.0,
}


@binary_model
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_labels_mean_the_same_two_classes(name: str, spelling: str) -> None:
    rows, y = _rows()
    spelled = [SPELLINGS[spelling](label) for label in y]
    model, bools = MODELS[name](), _taught(name)
    for x, label in zip(rows, spelled, strict=True):
        model.learn_one(x, label)
    assert model.run.learner.state()["weights"].tolist() == (
        bools.run.learner.state()["weights"].tolist()
    )
    answers = [model.predict_one(x) for x in _asked()]
    assert set(answers) == set(spelled)
    positive = SPELLINGS[spelling](True)
    assert [a == positive for a in answers] == [bools.predict_one(x) for x in _asked()]


def test_a_negative_label_steps_once() -> None:
    model = nr.PerceptronClassifier()
    model.learn_one({"a": 2.0}, -1)
    h: Any = model.run.hypothesis()
    assert (h.weights(), h.bias_weight) == ({"a": -2.0}, -1.0)


@pytest.mark.parametrize("y", ["spam", None, float("nan"), 2, 0.5, [1]])
def test_other_labels_are_refused(y: Any) -> None:
    model = nr.PerceptronClassifier()
    for rounds in range(2):
        with pytest.raises(nv.InputError, match="expected labels"):
            model.learn_one({"a": 1.0}, y)
        assert model.run.ledger.rounds == rounds
        model.learn_one({"a": 1.0}, False)


def test_class_weights_scale_updates_in_every_spelling() -> None:
    spellings: list[Any] = [{False: 4.0}, {0: 4.0}, {-1: 4.0}, {True: 1.0, np.False_: 4.0}]
    for spelling in spellings:
        for negative in (False, 0, -1):
            model = nr.PerceptronClassifier(class_weight=spelling)
            model.learn_one({"a": 2.0}, negative)
            model.learn_one({"a": 0.5}, 1)
            h: Any = model.run.hypothesis()
            assert (h.weights(), h.bias_weight) == ({"a": -7.5}, -3.0)


@pytest.mark.parametrize("weights", ["balanced", {"spam": 2.0}, {-1: 2.0, 0: 3.0}, {True: -1.0}])
def test_other_class_weights_are_refused(weights: Any) -> None:
    for kind in (nr.PerceptronClassifier, nr.VotedPerceptronClassifier):
        with pytest.raises(nv.ParameterError, match=r"class_weight.*: expected .*, got "):
            kind(class_weight=weights)


BAD = [float("nan"), float("inf"), -float("inf"), None, np.nan, pd.NA, 1j, 2**60]


@every_model
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_value_is_refused_and_the_model_goes_on(name: str, bad: Any) -> None:
    rows, y = _rows()
    labels = _labels(name, y)
    model = _taught(name, 150)
    before, x = _state(model), {**rows[150], "b": bad}
    attempts: list[Callable[[], Any]] = [
        lambda: model.learn_one(x, labels[150]),
        lambda: model.learn_one(x, labels[150], w=2.0),
        lambda: model.learn_one({**x, "new": 1.0}, labels[150]),
        lambda: model.predict_and_learn_one(x, labels[150]),
        lambda: model.predict_one(x),
    ]
    for attempt in attempts:
        with pytest.raises(nv.InputError, match=r"'b'"):
            attempt()
    assert _state(model) == before
    for x, label in zip(rows[150:], labels[150:], strict=True):
        model.learn_one(x, label)
    assert _state(model) == _state(_taught(name))


@every_model
def test_names_of_features_are_strings(name: str) -> None:
    model = _taught(name)
    for feature in (3, ("a", "b"), None):
        for attempt in (model.predict_one, lambda x: model.learn_one(x, True)):
            with pytest.raises(nv.InputError, match="expected strings as names of features"):
                attempt({"a": 1.0, feature: 1.0})


# River's protocols


@every_model
def test_a_clone_has_the_parameters_and_no_past(name: str) -> None:
    model = _taught(name)
    clone = model.clone()
    assert clone._get_params() == model._get_params()
    assert _state(clone) == _state(MODELS[name]())
    assert model.clone({"bias": 7.0}).run.learner.bias == 7.0
    assert _state(model.clone(include_attributes=True)) == _state(model)
    assert repr(clone) == repr(model)


@every_model
def test_parameters_are_those_of_the_learner_and_cannot_be_mutated(name: str) -> None:
    model = MODELS[name]()
    parameters = set(inspect.signature(type(model)).parameters)
    assert set(model.run.learner.parameters) - {"hashing"} == parameters - {"class_weight"}
    for parameter in parameters:
        with pytest.raises(ValueError, match="not a mutable attribute"):
            model.mutate({parameter: 2.0})


@every_model
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"]
)
def test_a_copy_goes_on_exactly_and_apart(name: str, copied: Callable[[Any], Any]) -> None:
    rows, y = _rows()
    labels = _labels(name, y)
    model, alone = _taught(name, 150), _taught(name, 150)
    model.predict_one(rows[0])
    other, before = copied(model), _state(model)
    for x, label in zip(rows[150:], labels[150:], strict=True):
        x["new"] = 1.0
        assert other.predict_one(x) == alone.predict_one(x)
        other.learn_one(x, label)
        alone.learn_one(x, label)
    assert _state(other) == _state(alone)
    assert _state(model) == before


@every_model
def test_predicting_adds_nothing_to_a_pickle(name: str) -> None:
    model = _taught(name)
    before = pickle.dumps(model)
    model.predict_one(_asked()[0])
    assert pickle.dumps(model) == before


@every_model
def test_in_a_pipeline_a_river_metric_counts_as_the_ledger_does(name: str) -> None:
    model = preprocessing.StandardScaler() | MODELS[name]()
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    ledger = list(model.steps.values())[-1].run.ledger
    assert ledger.rounds == 1250
    assert metric.get() > 0.8
    if name in CURRENT and name != "perceptron-ties-mistake":  # whose ties river leaves out
        assert metric.get() == pytest.approx(1 - ledger.error_rate, abs=1e-3)


def test_text_and_frames_go_through_pipelines() -> None:
    model: Any = feature_extraction.BagOfWords(lowercase=True) | nr.PerceptronClassifier()
    for text, label in [("buy now", True), ("see you now", False), ("buy buy", True)]:
        model.learn_one(text, label)
    assert (model.predict_one("buy"), model.predict_one("see you")) == (True, False)
    rows, y = _rows()
    scaled: Any = preprocessing.StandardScaler() | nr.PerceptronClassifier()
    scaled.learn_many(pd.DataFrame(rows), pd.Series(y))
    assert len(scaled.predict_many(pd.DataFrame(rows))) == len(rows)


@binary_model
def test_one_against_one_works_and_one_against_the_rest_learns(name: str) -> None:
    stream = list(datasets.ImageSegments().take(400))
    pairs = preprocessing.StandardScaler() | multiclass.OneVsOneClassifier(MODELS[name]())
    assert evaluate.progressive_val_score(stream, pairs, metrics.Accuracy()).get() > 0.5
    rest = multiclass.OneVsRestClassifier(MODELS[name]())
    for x, y in stream:
        rest.learn_one(x, y)
    runs = [model.run for model in rest.classifiers.values()]
    assert len(runs) == 7
    assert all(run.ledger.rounds > 300 for run in runs)
    with pytest.raises(NotImplementedError):  # it asks for probabilities
        rest.predict_one(x)


@every_model
def test_no_probabilities_are_offered(name: str) -> None:
    model, (rows, _) = _taught(name), _rows()
    with pytest.raises(NotImplementedError):
        model.predict_proba_one(rows[0])
    with pytest.raises(NotImplementedError):
        model.predict_proba_many(pd.DataFrame(rows))
    with pytest.raises(TypeError):
        model.predict_one(rows[0], threshold=0.5)


def test_classes_may_appear_at_any_time() -> None:
    model = nr.MulticlassPerceptronClassifier(bias=None)
    assert model._multiclass is True
    labels = ("a", 2, True, ("x", 1))
    for label in labels:
        model.learn_one({f"is {label}": 1.0}, label)
    assert [model.predict_one({f"is {label}": 1.0}) for label in labels] == list(labels)


def test_memory_counts_what_the_core_holds() -> None:
    sizes = {}
    for name in ("perceptron", "voted", "voted-capped"):
        half, whole = (_taught(name, count)._raw_memory_usage for count in (150, 300))
        sizes[name] = whole - half
    assert sizes["voted"] > 5_000
    assert max(sizes["perceptron"], sizes["voted-capped"]) < 2_500
