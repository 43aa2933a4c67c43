"""Calls that take what is at hand: an ask for its id, a run for its ledger; what they refuse."""

import sys

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
