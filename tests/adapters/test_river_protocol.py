"""River models: refusals, copies and pipelines."""

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import evaluate, feature_extraction, preprocessing
from river import metrics as river_metrics
from river import multiclass as river_multiclass

import novikoff as nv
import novikoff.river as nr
from river_models import (
    CURRENT,
    MODELS,
    PROBABLE,
    binary_model,
    datasets,
    every_model,
    heavy,
    label_model,
    labels_for,
    lessons,
    probable_model,
    questions,
    state_of,
    taught_model,
)

metrics: Any = river_metrics

multiclass: Any = river_multiclass

# What is refused

BAD = [float("nan"), float("inf"), -float("inf"), None, np.nan, pd.NA, 1j, 2**60]


@every_model
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_value_is_refused_and_the_model_goes_on(name: str, bad: Any) -> None:
    rows, y = lessons()
    labels = labels_for(name, y)
    model = taught_model(name, 150)
    before, x = state_of(model), {**rows[150], "b": bad}
    attempts: list[Callable[[], Any]] = [
        lambda: model.learn_one(x, labels[150]),
        lambda: model.learn_one(x, labels[150], w=heavy(name)),
        lambda: model.learn_one({**x, "new": 1.0}, labels[150]),
        lambda: model.predict_and_learn_one(x, labels[150]),
        lambda: model.predict_one(x),
    ]
    for attempt in attempts:
        with pytest.raises(nv.InputError, match=r"'b'"):
            attempt()
    assert state_of(model) == before
    for x, label in zip(rows[150:], labels[150:], strict=True):
        model.learn_one(x, label)
    assert state_of(model) == state_of(taught_model(name))


@every_model
def test_names_of_features_are_strings_or_numbers(name: str) -> None:
    model = taught_model(name)
    for feature in (("a", "b"), None, True, 0.5):
        for x in ({"a": 1.0, feature: 1.0}, {3: 1.0, feature: 1.0}):
            for attempt in (model.predict_one, lambda x: model.learn_one(x, True)):
                with pytest.raises(nv.InputError, match="expected strings as names of features"):
                    attempt(x)


@every_model
def test_a_name_that_is_a_number_is_its_text(name: str) -> None:
    numbers: dict[str, Any] = dict(zip("abcde", (0, -1, 417, np.int64(5), "e"), strict=True))
    rows, y = lessons()
    labels = labels_for(name, y)
    numbered, texts = MODELS[name](), MODELS[name]()
    for t, (x, label) in enumerate(zip(rows, labels, strict=True)):
        other, text = ({kind(numbers[j]): v for j, v in x.items()} for kind in (lambda j: j, str))
        weight = heavy(name) if t % 7 == 3 else 1.0
        assert numbered.predict_one(other) == texts.predict_one(text)
        if t % 2:
            numbered.learn_one(other, label, weight)
            texts.learn_one(text, label, weight)
        else:
            found = texts.predict_and_learn_one(text, label, weight)
            assert numbered.predict_and_learn_one(other, label, weight) == found
    assert state_of(numbered) == state_of(texts)


@every_model
def test_a_number_and_its_text_are_no_two_names(name: str) -> None:
    model = taught_model(name)
    before = state_of(model)
    for x in ({417: 1.0, "417": 2.0}, {"417": 2.0, 417: 1.0}):
        for attempt in (model.predict_one, lambda x: model.learn_one(x, True)):
            with pytest.raises(nv.InputError, match="differ as texts, got '417' as a string and"):
                attempt(x)
    with pytest.raises(nv.InputError, match="finite value for feature '3', got nan"):
        model.learn_one({3: float("nan")}, True)
    assert state_of(model) == before


def test_hashed_rows_and_generators_go_through() -> None:
    model = preprocessing.FeatureHasher(2**10, seed=1) | nr.PerceptronClassifier()
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert metric.get() > 0.8
    plane = datasets.synth.Hyperplane(seed=1, n_features=5).take(500)
    model = preprocessing.StandardScaler() | nr.PerceptronClassifier()
    assert evaluate.progressive_val_score(plane, model, metrics.F1()).get() > 0.8
    assert sorted(model["PerceptronClassifier"].run.hypothesis().weights()) == list("01234")


# River's protocols


@every_model
def test_a_clone_has_the_parameters_and_no_past(name: str) -> None:
    model = taught_model(name)
    clone = model.clone()
    assert clone._get_params() == model._get_params()
    assert state_of(clone) == state_of(MODELS[name]())
    assert model.clone({"bias": 7.0}).run.learner.bias == 7.0
    assert state_of(model.clone(include_attributes=True)) == state_of(model)
    assert repr(clone) == repr(model)


@every_model
def test_parameters_are_those_of_the_learner_and_cannot_be_mutated(name: str) -> None:
    model = MODELS[name]()
    parameters = set(inspect.signature(type(model)).parameters)
    own = parameters - {"class_weight", "max_weight", "labels"}
    if not getattr(model.run.learner, "averaged", True):
        own -= {"averaged"}  # a learner names it only if it is True
    assert set(model.run.learner.parameters) - {"hashing"} == own
    for parameter in parameters:
        with pytest.raises(ValueError, match="not a mutable attribute"):
            model.mutate({parameter: 2.0})


@every_model
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"]
)
def test_a_copy_goes_on_exactly_and_apart(name: str, copied: Callable[[Any], Any]) -> None:
    rows, y = lessons()
    labels = labels_for(name, y)
    model, alone = taught_model(name, 150), taught_model(name, 150)
    model.predict_one(rows[0])
    other, before = copied(model), state_of(model)
    for x, label in zip(rows[150:], labels[150:], strict=True):
        x["new"] = 1.0
        assert other.predict_one(x) == alone.predict_one(x)
        other.learn_one(x, label)
        alone.learn_one(x, label)
    assert state_of(other) == state_of(alone)
    assert state_of(model) == before


@every_model
def test_predicting_adds_nothing_to_a_pickle(name: str) -> None:
    model = taught_model(name)
    before = pickle.dumps(model)
    model.predict_one(questions()[0])
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
    rows, y = lessons()
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
    if name in PROBABLE:
        assert rest.predict_one(x) in rest.classifiers
        return
    with pytest.raises(NotImplementedError, match="use MulticlassPerceptronClassifier"):
        rest.predict_one(x)


@probable_model
def test_probabilities_are_those_of_the_run(name: str) -> None:
    model, (rows, _) = taught_model(name), lessons()
    for x in rows + questions():
        positive = model.run.probability(x)
        found = model.predict_proba_one(x)
        assert found == {False: 1 - positive, True: positive}
        assert model.predict_one(x) is (positive >= 0.5)
        numbered: dict[Any, Any] = {**x, 5: 1.0}
        assert model.predict_proba_one(numbered) == found
    with pytest.raises(nv.InputError, match="finite value for feature 'a', got nan"):
        model.predict_proba_one({"a": float("nan")})
    assert MODELS[name]().predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}


@probable_model
def test_probabilities_of_frames_are_those_of_their_rows(name: str) -> None:
    model, rows = taught_model(name), questions()
    X = pd.DataFrame(rows, index=range(7, 107))
    found = model.predict_proba_many(X)
    assert found.index.equals(X.index)
    assert list(found.columns) == [False, True]
    assert found.to_dict("records") == [model.predict_proba_one(x) for x in rows]
    spelled = MODELS[name]()
    spelled.learn_many(X, pd.Series([-1, 1] * 50))
    assert list(spelled.predict_proba_many(X).columns) == [-1, 1]
    assert len(spelled.predict_proba_many(X[:0])) == 0


@pytest.mark.parametrize("name", PROBABLE[:3])
def test_rivers_log_loss_is_the_ledgers(name: str) -> None:
    model = MODELS[name]()
    metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.LogLoss())
    assert metric.get() == pytest.approx(model.run.ledger.mean_loss, rel=1e-9)
    assert metric.get() < 0.45
    ranks = evaluate.progressive_val_score(datasets.Phishing(), MODELS[name](), metrics.ROCAUC())
    assert ranks.get() > 0.9


@probable_model
def test_weights_need_a_largest_one(name: str) -> None:
    model, (rows, y) = taught_model(name), lessons()
    before = state_of(model)
    declared = name.endswith("weighted")
    expected = (
        "a weight of at most 3, got 3.375" if declared else "a largest weight, declared before"
    )
    with pytest.raises(nv.InputError, match=expected):
        model.learn_one({"a": 1.0}, True, w=3.0)
    assert state_of(model) == before
    if declared:
        run = nv.Run(nv.AdaptiveGradient(bias=1.0), max_weight=3.0)
        model = MODELS[name]()
        for t, (x, label) in enumerate(zip(rows, y, strict=True)):
            weight = 1.0 + t % 2
            model.learn_one(x, label, weight)
            run.learn(x, label, weight * (1.125 if label else 1.0))
        assert run.ledger.loss == model.run.ledger.loss


@label_model
def test_no_probabilities_are_offered(name: str) -> None:
    model, (rows, _) = taught_model(name), lessons()
    with pytest.raises(NotImplementedError, match=r"predict_proba_one: .* Ask predict_one"):
        model.predict_proba_one(rows[0])
    with pytest.raises(NotImplementedError, match="CalibratedClassifierCV"):
        model.predict_proba_many(pd.DataFrame(rows))
    if not model._multiclass:  # river itself says that the metric is for two classes
        with pytest.raises(NotImplementedError, match="rather than ROCAUC"):
            evaluate.progressive_val_score(datasets.Phishing(), model, metrics.ROCAUC())
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
        half, whole = (taught_model(name, count)._raw_memory_usage for count in (150, 300))
        sizes[name] = whole - half
    assert sizes["voted"] > 5_000
    assert max(sizes["perceptron"], sizes["voted-capped"]) < 2_500
