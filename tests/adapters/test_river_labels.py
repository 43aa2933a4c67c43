"""River models: which labels they take, and what they answer with."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import evaluate
from river import metrics as river_metrics

import novikoff as nv
import novikoff.river as nr
from river_models import MODELS, binary_model, datasets, lessons, questions, state_of, taught_model

metrics: Any = river_metrics

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
    rows, y = lessons()
    spelled = [SPELLINGS[spelling](label) for label in y]
    model, bools = MODELS[name](), taught_model(name)
    for x, label in zip(rows, spelled, strict=True):
        model.learn_one(x, label)
    weights = "cells" if name.startswith("adaptive") else "weights"
    assert model.run.learner.state()[weights].tolist() == (
        bools.run.learner.state()[weights].tolist()
    )
    answers = [model.predict_one(x) for x in questions()]
    assert set(answers) == set(spelled)
    positive = SPELLINGS[spelling](True)
    assert [a == positive for a in answers] == [bools.predict_one(x) for x in questions()]


def test_a_negative_label_steps_once() -> None:
    model = nr.PerceptronClassifier()
    model.learn_one({"a": 2.0}, -1)
    h: Any = model.run.hypothesis()
    assert (h.weights(), h.bias_weight) == ({"a": -2.0}, -1.0)


@pytest.mark.parametrize("y", [None, float("nan"), [1], ("a", [1]), (1, None)])
@pytest.mark.parametrize("before", [[], [1], [False], ["ham"]])
def test_what_is_no_label_is_refused(before: list[Any], y: Any) -> None:
    model = nr.PerceptronClassifier()
    for label in before:
        model.learn_one({"a": 1.0}, label)
    state = state_of(model)
    with pytest.raises(nv.InputError, match=f"round {len(before) + 1}: expected a label"):
        model.learn_one({"a": 1.0}, y)
    assert state_of(model) == state
    model.learn_one({"a": 1.0}, before[0] if before else "spam")


PAIRS: list[tuple[Any, Any]] = [
    ("ham", "spam"),
    ("spam", "ham"),
    (2, 1),
    (0.5, 2),
    (b"a", ("b", 1)),
]


@binary_model
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_any_two_labels_are_learned_as_bools_are(name: str, pair: tuple[Any, Any]) -> None:
    rows, y = lessons()
    y = [not label for label in y] if not y[0] else y  # the first label counts as +1
    weights = {"class_weight": {True: 1.125}, "max_weight": 3.0} if "weighted" in name else {}
    kind = type(MODELS[name]())
    spelled = {"class_weight": {pair[1]: 1.125}, "max_weight": 3.0} if weights else {}
    if name == "perceptron-weighted":
        weights.pop("max_weight"), spelled.pop("max_weight")
    model, bools = kind(**spelled), kind(**weights)
    for x, label in zip(rows, y, strict=True):
        named, plain = model.predict_one(x), bools.predict_one(x)
        assert named == pair[plain] or not model.run.ledger.rounds
        model.learn_one(x, pair[label])
        bools.learn_one(x, label)
    assert model.run.ledger.labels == pair
    assert model.run.ledger.mistake_rounds.tolist() == bools.run.ledger.mistake_rounds.tolist()
    assert {model.predict_one(x) for x in questions()} == set(pair)
    copied = pickle.loads(pickle.dumps(model))
    assert [copied.predict_one(x) for x in rows] == [model.predict_one(x) for x in rows]


def test_until_the_other_label_is_met_it_is_none() -> None:
    model = nr.PerceptronClassifier(ties="mistake", bias=None)
    model.learn_one({"a": 1.0}, "ham")
    assert (model.predict_one({"a": 1.0}), model.predict_one({"a": -1.0})) == ("ham", None)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied.predict_and_learn_one({"a": -2.0}, "spam") is None
        assert copied.predict_one({"a": -1.0}) == "spam"
    likely = nr.BlendClassifier()
    likely.learn_one({"a": 1.0}, "ham")
    assert likely.predict_proba_one({"a": 1.0}) == {"ham": likely.run.probability({"a": 1.0})}
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    assert list(likely.predict_proba_many(frame).columns) == ["ham"]
    likely.learn_one({"a": -1.0}, "spam")
    assert list(likely.predict_proba_one({"a": 1.0})) == ["spam", "ham"]
    assert list(likely.predict_proba_many(frame).columns) == ["spam", "ham"]
    assert len(likely.clone().run.ledger.labels) == 0


@pytest.mark.parametrize(
    "labels", [("ham", "spam", "eggs"), (True, "ham"), (0, 2), (1, 2, 0), (1, 2, True, 3)]
)
def test_a_third_label_is_refused(labels: tuple[Any, ...]) -> None:
    model = nr.BlendClassifier()
    for label in labels[:-1]:
        model.learn_one({"a": 1.0}, label)
    before = state_of(model)
    expected = r"expected (one of the )?labels .*Name all labels in BlendClassifier\(labels=\[…\]\)"
    with pytest.raises(nv.InputError, match=expected):
        model.learn_one({"a": 1.0}, labels[-1])
    assert state_of(model) == before


@pytest.mark.parametrize("first", [[], [1]])
def test_a_refused_round_does_not_name_a_label(first: list[Any]) -> None:
    model = nr.BlendClassifier()
    for label in first:
        model.learn_one({"a": 1.0}, label)
    before = state_of(model)
    with pytest.raises(nv.InputError, match="finite value for feature 'a', got nan"):
        model.learn_one({"a": float("nan")}, "eggs")
    assert state_of(model) == before
    model.learn_one({"a": 1.0}, -1)
    assert model.run.ledger.labels == (-1, 1)


def test_class_weights_of_labels_that_never_come_are_refused() -> None:
    model = nr.PerceptronClassifier(class_weight={"spam": 2.0, "hma": 0.5})
    model.learn_one({"a": 1.0}, "ham")
    before = state_of(model)
    with pytest.raises(
        nv.ParameterError, match="weights of the labels 'ham' and 'spam', got 'hma'"
    ):
        model.learn_one({"a": -1.0}, "spam")
    assert state_of(model) == before
    numbered = nr.PerceptronClassifier(class_weight={False: 2.0})
    numbered.learn_one({"a": 1.0}, 1)
    before = state_of(numbered)
    with pytest.raises(nv.ParameterError, match="weights of the labels 1 and 2, got -1"):
        numbered.learn_one({"a": 1.0}, 2)
    assert state_of(numbered) == before
    numbered.learn_one({"a": 1.0}, 0)
    assert numbered.run.ledger.labels == (0, 1)


def test_blend_learns_many_declared_labels() -> None:
    stream = list(datasets.ImageSegments().take(600))
    labels = sorted({y for _, y in stream})
    model = nr.BlendClassifier(labels=labels)
    assert model._multiclass
    assert not nr.BlendClassifier(labels=["no", "yes"])._multiclass
    x = stream[0][0]
    assert model.predict_one(x) == labels[0]
    assert model.predict_proba_one(x) == pytest.approx(dict.fromkeys(labels, 1 / 7))
    metric = evaluate.progressive_val_score(stream, model, metrics.CrossEntropy())
    assert metric.get() == pytest.approx(model.run.ledger.mean_loss, rel=1e-9)
    assert model.run.mistakes < 150
    run: Any = model.run
    assert model.predict_proba_one(x) == run.probability(x)
    assert model.predict_one(x) == model.run.predict_one(x)
    assert model.predict_many(pd.DataFrame([x])).tolist() == [model.predict_one(x)]
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied.predict_proba_one(x) == model.predict_proba_one(x)
        copied.learn_one(x, "path")
    assert state_of(model.clone()) == state_of(nr.BlendClassifier(labels=labels))
    with pytest.raises(nv.InputError, match=r"got 'tree'\. Name all labels in BlendClassifier"):
        model.learn_one(x, "tree")


def test_declared_labels_say_which_one_is_positive() -> None:
    model = nr.BlendClassifier(labels=["ham", "spam"])
    assert list(model.predict_proba_one({"a": 1.0})) == ["ham", "spam"]
    assert model.predict_one({"a": 1.0}) == "spam"
    assert model.predict_and_learn_one({"a": 1.0}, "spam") == "spam"
    model.learn_one({"a": -1.0}, "ham")
    assert model.run.ledger.labels == ("ham", "spam")
    assert model.predict_proba_one({"a": 1.0})["spam"] == model.run.probability({"a": 1.0})


def test_class_weights_scale_updates_in_every_spelling() -> None:
    spellings: list[Any] = [{False: 4.0}, {0: 4.0}, {-1: 4.0}, {True: 1.0, np.False_: 4.0}]
    for spelling in spellings:
        for negative in (False, 0, -1):
            model = nr.PerceptronClassifier(class_weight=spelling)
            model.learn_one({"a": 2.0}, negative)
            model.learn_one({"a": 0.5}, 1)
            h: Any = model.run.hypothesis()
            assert (h.weights(), h.bias_weight) == ({"a": -7.5}, -3.0)


@pytest.mark.parametrize("weights", ["balanced", {"spam": -2.0}, {-1: 2.0, 0: 3.0}, {True: -1.0}])
def test_other_class_weights_are_refused(weights: Any) -> None:
    for kind in (nr.PerceptronClassifier, nr.VotedPerceptronClassifier):
        with pytest.raises(nv.ParameterError, match=r"class_weight.*: expected .*, got "):
            kind(class_weight=weights)
