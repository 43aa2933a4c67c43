"""Thresholds: they move what a run hands out, and their errors are counted beside the mistakes."""

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from cases import CASES
from novikoff.learners.protocols import is_probable

PROBABLE = [case for case in CASES if is_probable(case.make()) and not case.make().multiclass]


def _data(rounds: int = 150) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((rounds, 4)) * [1, 10, 1e-3, 100]
    y = np.where(X[:, 0] + X[:, 1] / 10 + rng.standard_normal(rounds) > 0.8, 1, -1)
    return X, y


def _counted(learner: Any, X: Any, y: Any, threshold: float) -> tuple[int, int]:
    """Count false positives and negatives from the probabilities before each round."""
    run, positives, negatives = nv.Run(learner), 0, 0
    for x, label in zip(X, y.tolist(), strict=True):
        decided = 1 if run.probability(x) >= threshold else -1
        positives += decided > label
        negatives += decided < label
        run.learn(x, label)
    return positives, negatives


class Frequency:
    """A learner from outside that says how often +1 came, and predicts at ½."""

    def __init__(self) -> None:
        self.counts = [1, 1]

    def probability(self, x: object) -> float:
        return self.counts[1] / sum(self.counts)

    def predict(self, x: object) -> int:
        return 1 if self.probability(x) >= 0.5 else -1

    def update(self, x: object, y: int) -> None:
        self.counts[y > 0] += 1


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("case", PROBABLE, ids=lambda case: case.name)
def test_errors_are_those_of_the_probabilities_before_each_round(
    case: Any, threshold: float
) -> None:
    """Every learner with probabilities, in blocks of every form, rows and dicts."""
    X, y = _data()
    expected = _counted(case.make(), X, y, threshold)
    plain = nv.play(case.make(), nv.stream(X, y))
    for form in (X, sp.csr_array(X)):
        run = nv.Run(case.make(), threshold=threshold).play(nv.stream(form, y))
        ledger = run.ledger
        assert (ledger.false_positives, ledger.false_negatives) == expected
        assert ledger.decided_errors == sum(expected)
        assert ledger.mistake_rounds.tolist() == plain.ledger.mistake_rounds.tolist()
        assert ledger.loss == plain.ledger.loss
    rows, dicts = (nv.Run(case.make(), threshold=threshold) for _ in range(2))
    for x, label in zip(X, y.tolist(), strict=True):
        rows.learn(x, label)
        dicts.learn(dict(zip("abcd", x.tolist(), strict=True)), label)
    for run in (rows, dicts):
        assert (run.ledger.false_positives, run.ledger.false_negatives) == expected
    assert dicts.is_quick == case.make().quick


def test_learners_from_outside_decide_too() -> None:
    X, y = _data()
    run = nv.Run(Frequency(), threshold=0.3).play(nv.stream(X, y))
    expected = _counted(Frequency(), X, y, 0.3)
    assert (run.ledger.false_positives, run.ledger.false_negatives) == expected
    assert run.predict(X[:2]).tolist() == [1 if run.probability(X[0]) >= 0.3 else -1] * 2


def test_what_is_handed_out_follows_the_threshold(tmp_path: Path) -> None:
    X, y = _data()
    names = np.where(y > 0, "yes", "no")
    run = nv.Run(nv.AdaptiveGradient(bias=1.0), labels=("no", "yes"), threshold=0.2)
    run.play(nv.stream(X, names))
    run.save(tmp_path / "m")
    again = nv.Run.load(tmp_path / "m")
    chances = run.hypothesis().probabilities(X)  # type: ignore[attr-defined]
    for one in (run, again, copy.deepcopy(run)):
        assert one.threshold == 0.2
        for given, cut in ((None, 0.2), (0.7, 0.7), (0.0, 0.0)):
            expected = np.where(chances >= cut, "yes", "no").tolist()
            assert one.predict(X, given).tolist() == expected
            assert [one.predict_one(x, given) for x in X] == expected
        assert one.ask(X[3]).prediction == ("yes" if chances[3] >= 0.2 else "no")
        assert one.ledger.decided_errors == run.ledger.decided_errors > 0
    assert run.hypothesis().predict(X).tolist() == nv.Run.predict(run, X, 0.5).tolist()
    before = run.ledger.decided_errors
    for x in X[:40]:
        wrong = run.predict_one(x) != "no"
        run.learn(x, "no")
        again.learn(x, "no")
        before += wrong
    assert run.ledger.decided_errors == again.ledger.decided_errors == before


def test_without_a_threshold_nothing_is_decided() -> None:
    run = nv.play(nv.AdaptiveGradient(), [((1.0,), 1)])
    assert run.threshold is None
    assert not hasattr(run.ledger, "decided_errors")
    assert "ledger.decided" not in run._state()[1]


def test_a_threshold_needs_probabilities_of_two_labels() -> None:
    for bad in (-0.1, 1.1, math.nan, True, "x"):
        with pytest.raises(nv.ParameterError, match="threshold: expected a probability from 0 to"):
            nv.Run(nv.AdaptiveGradient(), threshold=bad)  # type: ignore[arg-type]
    with pytest.raises(nv.ParameterError, match="threshold: expected a learner that gives"):
        nv.Run(nv.Perceptron(), threshold=0.2)
    with pytest.raises(nv.ParameterError, match="threshold: expected a learner that gives"):
        nv.play(nv.Perceptron(), [((1.0,), 1)]).predict([[1.0]], 0.2)
    with pytest.raises(nv.ParameterError, match="threshold: expected None with Hedge"):
        nv.Run(nv.Hedge(2), threshold=0.2)

    class Many(Frequency):
        multiclass = True

    with pytest.raises(nv.ParameterError, match="threshold: expected two labels, got"):
        nv.Run(Many(), threshold=0.2)
