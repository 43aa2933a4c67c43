"""River models: river's own checks, and that they learn and predict as the learners do."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import checks, linear_model

import novikoff as nv
import novikoff.river as nr
import twins
from river_models import (
    CURRENT,
    MODELS,
    datasets,
    every_model,
    labels_for,
    lessons,
    questions,
    state_of,
    taught_model,
)

UNBOUNDED = "without max_voters the vote keeps the example of every mistake, by definition"


def _checks() -> Iterator[Any]:
    for name, make in MODELS.items():
        model = make()
        for number, check in enumerate(checks.yield_checks(model)):
            skipped = check.__name__ in model._unit_test_skips()
            marks = [pytest.mark.skip(reason=UNBOUNDED)] if skipped else []
            yield pytest.param(name, check, id=f"{name}-{number}-{check.__name__}", marks=marks)


@pytest.mark.parametrize(("name", "check"), list(_checks()))
def test_every_model_passes_rivers_own_checks(name: str, check: Any) -> None:
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
    rows, y = lessons()
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
    rows, y = lessons()
    one, fused = MODELS[name](), MODELS[name]()
    current = {
        "averaged": nr.PerceptronClassifier,
        "voted": nr.PerceptronClassifier,
        "multiclass-averaged": nr.MulticlassPerceptronClassifier,
    }
    online = current.get(name.removesuffix("-capped"), MODELS[name])()
    for x, label in zip(rows, [True, *labels_for(name, y)[1:]], strict=True):
        expected = online.predict_one(x)
        found = fused.predict_and_learn_one(x, label)
        # With one class and no round before, there is none to predict until it is shown.
        assert found == expected or (expected is None and fused.run.ledger.rounds == 1)
        one.learn_one(x, label)
        online.learn_one(x, label)
    assert state_of(one) == state_of(fused)


@pytest.mark.parametrize("name", ["averaged", "voted"])
def test_the_average_and_the_vote_are_what_predicts(name: str) -> None:
    rows, y = lessons()
    model, twin = MODELS[name](), twins.Perceptron()
    differs = 0
    for x, label, asked in zip(rows, y, questions(), strict=False):
        model.learn_one(x, label)
        twin.learn(twins.vector(x.values(), bias=1.0), 1 if label else -1)
        exact = twins.vector(asked.values(), bias=1.0)
        score = twins.dot(twin.average(), exact) if name == "averaged" else twin.vote(exact)
        assert model.predict_one(asked) == (score >= 0)
        differs += (twin.predict(exact) > 0) != (score >= 0)
    assert differs > 5


@pytest.mark.parametrize("name", ["averaged", "multiclass-averaged"])
def test_the_average_is_read_where_it_is_asked_for(name: str) -> None:
    model = taught_model(name)
    h = model.run.hypothesis()
    for x in questions():
        assert model.predict_one(x) == h(x)
    learner = model.run.learner
    learner.hypothesis = None  # never made
    assert model.predict_one({"unknown": 1.0}) in model.run.labels.known
    with pytest.raises(nv.InputError, match="expected a finite value for feature 'a'"):
        taught_model("averaged").predict_one({"a": float("inf")})


@pytest.mark.parametrize("name", ["voted", "voted-capped"])
def test_a_hypothesis_is_made_only_after_a_round(name: str, monkeypatch: Any) -> None:
    model, (rows, y) = taught_model(name), lessons()
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
    model = taught_model(name)
    monkeypatch.setattr(type(model.run.learner), "hypothesis", None)
    assert len({model.predict_one(x) for x in questions()}) >= 2


@every_model
def test_before_the_first_round_a_model_answers(name: str) -> None:
    model = MODELS[name]()
    found = model.predict_one({"a": 1.0})
    none = name.startswith("multiclass") or name == "perceptron-ties-mistake"
    assert found is (None if none else True)
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
    rows, y = lessons()
    labels = labels_for(name, y)
    X, one, many = pd.DataFrame(rows), taught_model(name), MODELS[name]()
    for start in range(0, len(X), rows_a_batch):
        batch = slice(start, start + rows_a_batch)
        many.learn_many(X[batch], pd.Series(labels[batch], dtype=object))
    assert state_of(many) == state_of(one)
    assert many.run.ledger.rounds == 300


@every_model
def test_predict_many_is_the_loop_over_predict_one(name: str) -> None:
    rows = lessons()[0] + questions()
    model, X = taught_model(name), pd.DataFrame(rows, index=range(7, 407))
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


def test_weights_of_rows_are_those_of_their_rounds() -> None:
    rows, y = lessons()
    weights = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(rows))
    X, labels = pd.DataFrame(rows), pd.Series(y)
    one, many, three = (MODELS["perceptron"]() for _ in range(3))
    for x, label, weight in zip(rows, y, weights, strict=True):
        one.learn_one(x, label, w=weight)
        three.learn_one(x, label, w=3.0)
    many.learn_many(X, labels, w=pd.Series(weights))
    assert state_of(many) == state_of(one) != state_of(three)
    many = nr.PerceptronClassifier()
    many.learn_many(X, labels, w=3.0)
    assert state_of(many) == state_of(three)
    with pytest.raises(nv.InputError, match="expected a weight of 0 or a number"):
        one.learn_one(rows[0], True, w=float("nan"))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ({"a": [1.0, np.nan]}, [True, True], "row 2, x: .*finite value for feature 'a', got nan"),
        ({"a": [1.0, None], "b": ["u", None]}, [True, True], "row 2, x: "),
        ({None: [1.0]}, [True], "row 1, x: expected strings as names of features, got None"),
        ({0: [1.0], "0": [1.0]}, [True], "row 1, x: expected names that differ as texts"),
        ({"a": [1.0, 2.0]}, [True], "y: expected one for each of the 2 rows of X, got 1"),
        ({"a": [1.0, 2.0]}, [True, None], "row 2, round 2: expected a label"),
    ],
)
def test_frames_are_refused_by_row(X: Any, y: list[Any], message: str) -> None:
    model = nr.PerceptronClassifier()
    with pytest.raises(nv.InputError, match=message):
        model.learn_many(pd.DataFrame(X), pd.Series(y, dtype=object))
    assert model.run.ledger.rounds == int(message.startswith("row 2"))


def test_other_frames_are_answered_in_kind() -> None:
    pl = pytest.importorskip("polars", reason="polars is the other frame")
    rows, y = lessons()
    model = nr.PerceptronClassifier()
    model.learn_many(pl.DataFrame(rows), pl.Series(y))
    assert state_of(model) == state_of(taught_model("perceptron"))
    found = model.predict_many(pl.DataFrame(rows))
    assert isinstance(found, pl.Series)
    assert found.to_list() == [model.predict_one(x) for x in rows]
