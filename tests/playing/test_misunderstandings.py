"""What newcomers stumble over: each is said in words, and the plays that are meant stay silent."""

import pydoc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import novikoff as nv


def _frame(rows: int = 40) -> pd.DataFrame:
    ages = [20.0 + t % 30 for t in range(rows)]
    jobs = [("clerk", "smith", "cook")[t % 3] for t in range(rows)]
    income = [">50K" if age > 35 else "<=50K" for age in ages]
    return pd.DataFrame({"age": ages, "job": jobs, "income": income})


def _learned(frame: pd.DataFrame | None = None) -> Any:
    frame = _frame() if frame is None else frame
    return nv.play(nv.Blend(), nv.stream(frame, "income", positive=">50K"))


@pytest.mark.parametrize("positive", [">50k", " >50K"])
def test_a_positive_label_that_no_row_has_is_a_warning(positive: str) -> None:
    frame = _frame()
    told = f"positive: no row of (frame|arrays) has the label '{positive}'"
    with pytest.warns(UserWarning, match=told):
        nv.play(nv.Blend(), nv.stream(frame, "income", positive=positive))
    stream = nv.stream(frame[["age", "job"]], frame["income"], positive=positive)
    with pytest.warns(UserWarning, match=told):
        nv.play(nv.Perceptron(), stream)


def test_the_warning_says_how_the_labels_differ() -> None:
    told = "differs from '>50K' only in case. Write it as the labels are written"
    with pytest.warns(UserWarning, match=told):
        nv.play(nv.Blend(), nv.stream(_frame(), "income", positive=">50k"))
    ones = nv.stream(np.ones((3, 2)), ["Spam"] * 3, positive="spam")
    with pytest.warns(UserWarning, match="from 'Spam' only in case"):
        nv.play(nv.Perceptron(), ones)


def test_a_day_without_the_positive_label_is_no_warning() -> None:
    X = np.ones((4, 2))
    run = nv.play(nv.Perceptron(), nv.stream(X, ["ok"] * 4, positive="fraud"))
    run.play(nv.stream(X, ["ok", "fraud", "late", "ok"], positive="fraud"))
    run.play(nv.stream(X, ["ok", "late", "late", "ok"], positive="fraud"))
    run.continued().play(nv.stream(X, ["ok", "late", "late", "ok"]))


def test_a_frame_without_a_column_learned_from_is_a_warning() -> None:
    run, frame = _learned(), _frame()[["age", "job"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = run.predict(frame)
        assert (run.predict(frame.assign(more=1.0)) == expected).all()
    told = "X: expected column 'age', as learned from, got a frame without, which counts as 0"
    for ask in (run.predict, run.hypothesis().predict, run.probabilities):
        with pytest.warns(UserWarning, match=f"{told}. Pass the same columns"):
            ask(frame[["job"]])
        with pytest.warns(UserWarning, match=f"{told}. Rename 'Age' to 'age'"):
            ask(pl.DataFrame({"Age": [20.0], "job": ["cook"]}))
    with pytest.warns(UserWarning, match="expected columns 'age', 'job', as learned from"):
        run.predict(pd.DataFrame({"length": [1.0], "width": [2.0]}))


def test_fresh_rows_and_later_days_warn_of_missing_columns() -> None:
    run, frame = _learned(), _frame().rename(columns={"age": "Age"})
    with pytest.warns(UserWarning, match=r"xpected column 'age', .* Rename 'Age' to 'age'"):
        nv.test(run, nv.stream(frame, "income"))
    with pytest.warns(UserWarning, match="play: expected column 'age'"):
        run.play(nv.stream(frame, "income"))


def test_a_frame_must_have_the_columns_of_a_file_learned_from(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "1,2,1\n3,4,0\n" * 10)
    run = nv.play(nv.Blend(), nv.read(str(path), label="y"))
    assert len(run.predict(pd.DataFrame({"b": [1.0], "a": [2.0]}))) == 1
    assert len(run.predict([{"b": 1.0}])) == 1
    with pytest.raises(nv.InputError, match="X: expected column 'a', as learned from, got 'A'"):
        run.predict(pd.DataFrame({"b": [1.0], "A": [2.0]}))


def test_dicts_may_leave_out_features() -> None:
    run = _learned()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.predict([{"job": "cook"}, {"age": 30}])
        run.play([({"job": "cook"}, "<=50K")])


def _pairs() -> Iterator[tuple[list[float], int]]:
    yield [1.0, 2.0], 1
    yield [2.0, 1.0], -1


def test_a_generator_that_has_ended_is_refused() -> None:
    """A second play of it would be a run without rounds, and without a mistake."""
    once = _pairs()
    run = nv.play(nv.Perceptron(), once)
    for play in (run.play, lambda rounds: nv.play(nv.Blend(), rounds)):
        with pytest.raises(nv.InputError, match="a generator that has come to its end"):
            play(once)
    run.play([])  # an hour in which nothing happened
    run.play(iter([]))
    assert run.ledger.rounds == 2


def test_a_missing_cell_of_a_frame_is_called_so() -> None:
    frame = _frame()
    frame.loc[3, "age"] = np.nan
    told = r"round 4: expected a value in column 'age', got none \(NaN or null\)\. Fill it in"
    with pytest.raises(nv.InputError, match=told):
        nv.play(nv.Blend(), nv.stream(frame, "income", positive=">50K"))
    with pytest.raises(nv.InputError, match=r"row 4: expected a value in column 'age'"):
        _learned().predict(frame[["age", "job"]])


def test_a_stream_to_predict_is_refused_with_what_to_pass() -> None:
    run = _learned()
    with pytest.raises(nv.InputError, match=r"X: expected rows without labels, got a stream \("):
        run.predict(nv.stream(_frame(), "income"))


def test_what_is_no_learner_is_refused_with_what_is_meant() -> None:
    stream = nv.stream(np.ones((2, 2)), [1, -1])
    for swapped in (stream, [([1.0], 1)], np.ones((2, 2)), _frame()):
        with pytest.raises(nv.ParameterError, match=r"the two look swapped. Say nv.play\(learner,"):
            nv.play(swapped, nv.Blend())
    for kind in (nv.Blend, nv.Perceptron, nv.Hedge):
        with pytest.raises(nv.ParameterError, match=rf"not the class: {kind.__name__}\(\)\.$"):
            nv.play(kind, stream)


def test_a_model_of_another_library_is_refused_with_the_adapter() -> None:
    linear_model = pytest.importorskip("river.linear_model")
    preprocessing = pytest.importorskip("river.preprocessing")
    pipeline = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    with pytest.raises(nv.ParameterError, match=r"novikoff\.river\.BlendClassifier"):
        nv.play(pipeline, [({"a": 1}, 1)])
    estimator = pytest.importorskip("sklearn.linear_model").LogisticRegression()
    with pytest.raises(nv.ParameterError, match=r"novikoff\.sklearn\.BlendClassifier"):
        nv.play(estimator, [({"a": 1}, 1)])


@pytest.mark.parametrize("learner", [nv.Blend, nv.Perceptron, nv.MulticlassPerceptron])
def test_a_missing_label_is_called_so(learner: Any) -> None:
    told = "expected a label, got None. Drop the round or name its class"
    for y in ([1, None, 0], [None, 1, 0], [None, "a", "b"]):
        with pytest.raises(nv.InputError, match=told):
            nv.play(learner(), nv.stream(np.ones((3, 2)), y))
    with pytest.raises(nv.InputError, match=told):
        nv.Run(learner()).learn([1.0, 2.0], None)


def test_a_run_that_went_on_says_how_to_certify_it(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    days = [generator.standard_normal((60, 3)) for _ in range(2)]
    streams = [nv.stream(X, np.where(X[:, 0] > 0, 1, -1)) for X in days]
    path = tmp_path / "day1.model"
    nv.play(nv.Perceptron(), streams[0]).save(path)
    run = nv.Run.load(path).play(streams[1])
    with pytest.raises(nv.HypothesisError, match=r"of earlier days too, .* with start=…"):
        nv.certify(run)
    assert nv.certify(run, streams[1], start=path).theorem


def test_an_alarm_takes_a_run() -> None:
    run = nv.play(nv.Perceptron(), [((1, 0), 1), ((0, 1), -1)] * 500)
    assert nv.error_alarm(run).state == nv.error_alarm(run.ledger).state
    with pytest.raises(nv.ParameterError, match="ledger: expected a run or its ledger"):
        nv.error_alarm(run.hypothesis())  # type: ignore[arg-type]


def test_the_help_of_a_run_says_what_it_does_not_have() -> None:
    page = pydoc.plain(pydoc.render_doc(nv.Run))
    _, name, rest = page.partition("\n |  partial_fit")
    assert name
    assert "Not here. Use run.play(nv.stream(X, y))" in rest[:200]


def test_a_ledger_names_the_accuracy_briefly() -> None:
    with pytest.raises(nv.MeasureError, match=r"Use 1 - ledger\.error_rate") as caught:
        _learned().ledger.accuracy  # noqa: B018
    assert len(str(caught.value)) < 90


def test_a_huge_number_is_not_written_out() -> None:
    with pytest.raises(nv.InputError, match=r"got 10000000… \(401 digits\)"):
        nv.Run(nv.Blend()).learn({"a": 10**400}, 1)
    with pytest.raises(nv.ParameterError, match=r"got 10000000… \(401 digits\)"):
        nv.Perceptron(bias=10**400)
