"""Calls that take what is at hand: an ask for its id, a run for its ledger; what they refuse."""

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import novikoff as nv


def test_an_ask_stands_for_its_id() -> None:
    run = nv.Run(nv.Blend(), labels=("ham", "spam"))
    first, second = run.ask({"free": 1}), run.ask({"free": 1}, id="b")
    assert run.tell(first, "spam") == first.prediction
    assert list(run.pending) == ["b"]
    run.forget(second)
    assert not run.pending
    with pytest.raises(nv.InputError, match="tell: expected the id of a pending ask, got 1"):
        run.tell(first, "spam")


def test_a_run_stands_for_its_ledger() -> None:
    run = nv.play(nv.VotedPerceptron(), [((1, 0), 1), ((0, 1), -1)] * 50)
    assert nv.error_bound(run) == nv.error_bound(run.ledger)
    assert nv.leave_one_out(run) == nv.leave_one_out(run.ledger)
    assert len(repr(nv.error_bound(run))) < 150
    with pytest.raises(nv.ParameterError, match="ledger: expected a run or its ledger"):
        nv.error_bound(run.hypothesis())  # type: ignore[arg-type]


def test_a_frame_is_not_a_row() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0], "kind": ["a", "b"]})
    run = nv.Run(nv.Blend())
    with pytest.raises(nv.InputError, match=r"expected one row, got a frame\. .*nv\.stream"):
        run.learn(frame, [0, 1])
    with pytest.raises(
        nv.InputError, match=r"got object\. .* or pass each row with text as a dict"
    ):
        run.learn(frame.iloc[0], 1)
    with pytest.raises(nv.InputError, match=r"got <U1\. .* or pass each row with text as a dict"):
        nv.stream(np.array([["1", "a"]]), [1])
    with pytest.raises(nv.InputError, match=r"got complex128\. Convert the numbers first\.$"):
        nv.stream(np.array([[1j]]), [1])
    assert run.ledger.rounds == 0


def test_a_frame_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(self: object, requested_schema: object = None) -> object:
        raise ImportError("`Import pyarrow` failed.")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", without)
    monkeypatch.setattr("novikoff.extras.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"X: expected the package pyarrow, .* novikoff\[files\]"):
        nv.stream(pd.DataFrame({"a": [1.0]}), [1])


def test_python_can_guess_a_name() -> None:
    with pytest.raises(AttributeError) as caught:
        nv.perceptron  # type: ignore[attr-defined]  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("perceptron", sys.modules["novikoff"])
    names = dir(nv)
    assert names == sorted(set(names))
    assert {"Perceptron", "read", "__version__"} <= set(names)
    assert "import_module" not in names


@pytest.mark.parametrize("labels", [("ham", "spam"), ("ham", "spam", "eggs")])
def test_a_run_gives_the_probabilities_of_its_hypothesis(labels: tuple[str, ...]) -> None:
    rows = [{f"w{t % 5}": 1.0, "c": t % 3} for t in range(30)]
    run = nv.Run(nv.Blend(), labels=labels)
    with pytest.raises(nv.NovikoffError):
        run.probabilities(rows)
    run.play([(x, labels[t % len(labels)]) for t, x in enumerate(rows)])
    h = run.hypothesis()
    assert isinstance(h, nv.BlendHypothesis | nv.ClassBlendHypothesis)
    np.testing.assert_array_equal(run.probabilities(rows), h.probabilities(rows))


def test_a_foreign_learner_gives_its_probabilities_row_by_row() -> None:
    class Always:
        """Says 0.75."""

        def predict(self, x: object) -> int:
            return 1

        def update(self, x: object, y: int) -> None: ...

        def probability(self, x: object) -> float:
            return 0.75

    run = nv.play(Always(), [({"a": 1}, 1), ({"a": 2}, -1)])
    assert run.probabilities([{"a": 1}, {"b": 1}]).tolist() == [0.75, 0.75]


def test_a_perceptron_gives_no_probabilities() -> None:
    run = nv.play(nv.Perceptron(), [((1.0, 0.0), 1), ((0.0, 1.0), -1)])
    with pytest.raises(nv.ParameterError, match="expected one that gives probabilities"):
        run.probabilities([[1.0, 0.0]])


def test_a_third_label_that_comes_late_leaves_no_garbage() -> None:
    """The run begins again with three labels; a command line ends without a search for garbage."""
    rounds = [({"w": 1.0}, "ab"[t % 2]) for t in range(1500)] + [({"w": 2.0}, "c")]
    gc.collect()
    gc.disable()
    try:
        before, run = _runs(), nv.play(nv.Blend(), rounds)
        played = run.ledger.rounds
        del run
        assert (played, _runs()) == (1501, before)
    finally:
        gc.enable()


def _runs() -> int:
    return sum(isinstance(one, nv.Run) for one in gc.get_objects())


@pytest.mark.parametrize(
    "shape", [np.array, iter, dict.fromkeys, list], ids=lambda kind: kind.__name__
)
def test_labels_may_be_declared_in_any_iterable(shape: Callable[[list[str]], Any]) -> None:
    """Such as what ``numpy.unique`` returns."""
    X, y = np.eye(3), ["ham", "spam", "ham"]
    two, three = ["ham", "spam"], ["ham", "spam", "ab"]
    run = nv.Run(nv.Blend(), labels=shape(two))
    assert run.learn(X[0], "spam") in two
    played = nv.play(nv.Blend(), nv.stream(X, y), labels=shape(two))
    assert played.labels.allowed == ("ham", "spam")
    many = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y), labels=shape(two))
    assert many.declare(shape(three)).labels.allowed == ("ham", "spam", "ab")
    with pytest.raises(nv.ParameterError, match=r"labels: expected .*, got"):
        nv.Run(nv.Hedge(2), labels=shape(two))
