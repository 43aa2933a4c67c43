"""The averaged multiclass perceptron: the same run, and the mean of its weights."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
import twins
from commands import Call
from novikoff.receipts.conversion import leave_one_out

CLASSES = 5


def _rows(seed: int, rounds: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (rounds, 6)) / 10
    y = (X @ rng.standard_normal((6, CLASSES)) + rng.standard_normal(CLASSES)).argmax(1)
    _, first = np.unique(y, return_index=True)
    ids = {label: k for k, label in enumerate(y[np.sort(first)])}  # in order of appearance
    return X, np.array([ids[label] for label in y])


def _twin(X: Any, y: Any, bias: float | None) -> twins.Multiclass:
    twin = twins.Multiclass()
    for row, label in zip(X, y, strict=True):
        twin.learn(twins.vector(row, bias), int(label))
    return twin


@pytest.mark.parametrize("bias", [None, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_the_average_is_over_the_weights_after_each_round(seed: int, bias: float | None) -> None:
    """More than four classes make room for more columns in the middle of the run."""
    X, y = _rows(seed)
    twin, zero = _twin(X, y, bias), Fraction(0)
    run = nv.play(nv.MulticlassPerceptron(bias=bias, averaged=True), nv.stream(X, y))
    plain = nv.play(nv.MulticlassPerceptron(bias=bias), nv.stream(X, y))
    assert run.ledger.mistake_rounds.tolist() == plain.ledger.mistake_rounds.tolist()
    h = run.learner.hypothesis()
    for k in range(int(y.max()) + 1):
        mean = twin.average(k)
        assert h.w[:, k] == pytest.approx([float(mean.get(j, zero)) for j in range(6)], rel=1e-11)
        assert h.bias_weights[k] == pytest.approx(float(mean.get(twins.BIAS, zero)), rel=1e-11)
    assert not np.array_equal(h.w, plain.learner.hypothesis().w)


def test_the_average_of_three_rounds_by_hand() -> None:
    """Round 2 moves w_1 to (1, 1) and w_0 to (−1, −1); round 3 changes nothing: (2/3) of that."""
    rounds = [((1, 0), "a"), ((1, 1), "b"), ((0, 1), "b")]
    h = nv.play(nv.MulticlassPerceptron(averaged=True), rounds).hypothesis()
    assert isinstance(h, nv.Multiclass)
    assert h.w == pytest.approx(np.array([[-2, 2], [-2, 2]]) / 3)
    assert h.predict([[1.0, 0.0]]).tolist() == ["b"]


def test_weights_of_rounds_count_in_the_average() -> None:
    X, y = np.array([[1.0], [1.0], [1.0]]), [0, 1, 1]
    run = nv.play(nv.MulticlassPerceptron(averaged=True), nv.stream(X, y, weights=[1, 2.5, 1]))
    h: Any = run.hypothesis()
    assert h.w[0] == pytest.approx([-5 / 3, 5 / 3])


def test_dicts_are_predicted_as_the_hypothesis_predicts() -> None:
    X, y = _rows(7)
    learner = nv.MulticlassPerceptron(bias=1.0, averaged=True)
    run, names = nv.Run(learner), "abcdef"
    differs = 0
    for row, label in zip(X, y, strict=True):
        x = dict(zip(names, row.tolist(), strict=True))
        run.learn(x, int(label))
        h: Any = learner.hypothesis()
        asked = {"a": 1.0, "c": -float(row[0]), "new": 3.0}
        assert learner.predict_average(asked) == h(asked)
        differs += learner.predict(asked) != h(asked)
    assert differs > 5


def test_an_average_is_saved_resumed_and_certified(tmp_path: Path) -> None:
    X, y = _rows(2)
    whole = nv.play(nv.MulticlassPerceptron(averaged=True), nv.stream(X, y))
    half = nv.play(nv.MulticlassPerceptron(averaged=True), nv.stream(X[:90], y[:90]))
    half.save(tmp_path / "m")
    resumed = nv.Run.load(tmp_path / "m").play(nv.stream(X[90:], y[90:]))
    assert resumed.hypothesis().w.tolist() == whole.hypothesis().w.tolist()  # type: ignore[attr-defined]
    assert whole.ledger.parameters == {"bias": None, "hashing": None, "averaged": True}
    plain = nv.play(nv.MulticlassPerceptron(), nv.stream(X, y))
    assert plain.ledger.parameters == {"bias": None, "hashing": None}
    certificate, other = nv.certify(whole), nv.certify(plain)
    assert certificate.content["learner"] == other.content["learner"], "the rounds are the same"
    assert nv.verify(certificate, nv.stream(X, y)).verified


def test_an_average_has_no_theorem_of_its_own() -> None:
    X, y = _rows(3)
    run = nv.play(nv.MulticlassPerceptron(averaged=True), nv.stream(X, y))
    with pytest.raises(nv.HypothesisError, match="averaged weights of MulticlassPerceptron"):
        leave_one_out(run.ledger)
    with pytest.raises(nv.ParameterError, match="predicts with its hypothesis"):
        nv.random_stopping(
            nv.MulticlassPerceptron(averaged=True),
            nv.stream(X, y),
            epsilon=0.1,
            mistake_bound=5,
            seed=1,
        )
    with pytest.raises(nv.ParameterError, match="averaged: expected True or False"):
        nv.MulticlassPerceptron(averaged=1)  # type: ignore[arg-type]


def test_sums_too_large_for_a_double_are_refused() -> None:
    rounds = [([1e308], 0), ([1e308], 1), ([-1e308], 0), ([-1e308], 1)] * 3
    run = nv.play(nv.MulticlassPerceptron(averaged=True), rounds)
    with pytest.raises(nv.HypothesisError, match="Rescale the features"):
        run.hypothesis()


def test_the_command_line_averages(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = _rows(4)
    lines = [",".join(map(str, [*row, f"c{k}"])) for row, k in zip(X.tolist(), y, strict=True)]
    Path("t.csv").write_text("\n".join(["a,b,c,d,e,f,label", *lines]) + "\n")
    said = call("learn t.csv --learner multiclass --averaged --save m --certify c.json --json").json
    assert said["parameters"]["averaged"] is True
    assert said["mistakes"] == call("learn t.csv --learner multiclass --json").json["mistakes"]
    assert call("verify c.json t.csv").code == 0
    h: Any = nv.Run.load("m").hypothesis()
    assert set(h.weights()["c0"]) == set("abcdef")
    expected = nv.play(nv.MulticlassPerceptron(averaged=True), nv.stream(X, y)).hypothesis()
    assert h.w.tolist() == expected.w.tolist()  # type: ignore[attr-defined]
    assert call("learn t.csv --learner perceptron --averaged").code == 2
