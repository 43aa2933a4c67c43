"""The ledger: what is derived from its counts, and what it says of nothing."""

import copy
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.playing.ledger import Ledger
from novikoff.saving import storage

ROUNDS = [((math.sin(t), math.cos(3 * t)), 1 if t % 3 else -1) for t in range(30)]
LOSSES = np.random.default_rng(0).random((30, 3))


def _alternating(rounds: int) -> Ledger:
    """x = 1 with labels alternating from −1: every round is a mistake."""
    run = nv.Run(nv.Perceptron())
    run.play([([1.0], -1 if t % 2 == 0 else 1) for t in range(rounds)])
    return run.ledger


def test_an_empty_ledger_has_rates_of_zero_and_no_checkpoints() -> None:
    ledger = nv.Run(nv.Perceptron()).ledger
    assert repr(ledger) == "Ledger(Perceptron: 0 rounds, 0 mistakes, error rate 0.0000)"
    assert (ledger.error_rate, ledger.recent_error_rate) == (0.0, 0.0)
    assert [a.tolist() for a in ledger.checkpoints] == [[], []]
    assert [a.dtype.name for a in ledger.checkpoints] == ["int64", "int64"]
    assert ledger.rounds_by_label == {} == ledger.mistakes_by_label
    assert (ledger.passes, ledger.labels, ledger.digest) == (0, (), None)
    assert not hasattr(Ledger("Oracle", {}, None), "weight_norm")


def test_checkpoints_are_the_powers_of_eleven_tenths_and_the_last_round() -> None:
    for rounds in (1, 2, 3, 10, 11, 12, 500):
        powers = {math.floor(1.1**k) for k in range(100) if 1.1**k <= rounds}
        found, mistakes = _alternating(rounds).checkpoints
        assert found.tolist() == mistakes.tolist() == sorted(powers | {rounds})
        assert found.dtype == mistakes.dtype == "int64"


def test_recent_errors_are_those_of_the_last_thousand_rounds() -> None:
    right = [([1.0], 1)]
    for wrong, clean in ((3, 0), (2, 999), (2, 998), (2, 1000), (1, 999), (1, 1000)):
        run = nv.Run(nv.Perceptron())
        run.play([([1.0], -1 if t % 2 == 0 else 1) for t in range(wrong)])
        run.play((right if run.hypothesis()([1.0]) > 0 else [([1.0], -1)]) * clean)
        ledger = run.ledger
        assert ledger.mistakes == wrong
        late = [t for t in ledger.mistake_rounds.tolist() if t > ledger.rounds - 1000]
        assert ledger.recent_error_rate == len(late) / min(1000, ledger.rounds)
        assert (
            f"{wrong + clean} rounds, {wrong} mistakes, error rate 0." in repr(ledger) or not clean
        )


def test_labels_that_were_given_and_never_met_count_nothing() -> None:
    run = nv.Run(nv.MulticlassPerceptron(), labels=["a", "b", "c"])
    assert run.ledger.rounds_by_label == {}
    run.play([([1.0], "a"), ([2.0], "b"), ([3.0], "b")])
    assert run.ledger.rounds_by_label == {"a": 1, "b": 2, "c": 0}
    assert run.ledger.mistakes_by_label == {"a": 0, "b": 1, "c": 0}


def test_a_restored_ledger_is_the_same() -> None:
    ledger = _alternating(7)
    ledger.digest, ledger.passes = "d", 3
    other = Ledger("Perceptron", {}, None)
    other.restore(*ledger.state())
    assert (other.digest, other.passes, other.began_fresh) == ("d", 3, True)
    assert other.labels == ledger.labels == (-1, 1)
    metadata, arrays = ledger.state()
    assert other.state()[0] | {"parameters": metadata["parameters"]} == metadata
    assert {k: a.tolist() for k, a in other.state()[1].items()} == {
        k: a.tolist() for k, a in arrays.items()
    }
    assert (other.rounds, other.mistakes, other.abstentions) == (7, 7, 0)
    assert (other.radius, other.radius_inf, other.mistake_energy) == (1.0, 1.0, 7.0)
    assert other.rounds_by_label == other.mistakes_by_label == {-1: 4, 1: 3}
    assert type(other.rounds_by_label[1]) is type(other.rounds) is int  # JSON takes no others
    assert type(other.recent_error_rate) is float
    assert other.mistake_rounds.tolist() == [1, 2, 3, 4, 5, 6, 7]


class Constant:
    """A learner of somebody else, which has a norm."""

    weight_norm = 2.5

    def predict(self, x: object) -> int:
        """Say +1."""
        return 1

    def update(self, x: object, y: int) -> None:
        """Learn nothing."""


def _same(one: object, two: object) -> bool:
    """Compare arrays, tuples of arrays, and other values to the bit."""
    if isinstance(one, tuple):
        assert isinstance(two, tuple)
        assert type(one) is type(two)
        return all(map(_same, one, two))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, np.asarray(two), equal_nan=one.dtype.kind == "f")
    return one == two


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda ledger: pickle.loads(pickle.dumps(ledger))],
    ids=["copy", "deepcopy", "pickle"],
)
@pytest.mark.parametrize(
    "learner",
    [
        nv.AdaptiveGradient,
        nv.Perceptron,
        nv.MulticlassPerceptron,
        Constant,
        lambda: nv.Hedge(3, seed=1),
        lambda: nv.Exp3(3, seed=1),
    ],
)
def test_a_copied_ledger_keeps_every_measure(
    learner: Callable[[], Any], copied: Callable[[Ledger], Ledger]
) -> None:
    """A copy of a copy too; it has no learner, so its ‖w‖ is that of the moment of the copy."""
    run: nv.Run = nv.Run(learner())
    run.play(LOSSES if run.protocol != "labelled" else ROUNDS)
    ledger = run.ledger
    before = {name: getattr(ledger, name) for name in ledger.measures}
    shown = repr(ledger)
    once = copied(ledger)
    run.play(LOSSES if run.protocol != "labelled" else [((5.0, 5.0), -1)] * 9)
    for found in (once, copied(once)):
        assert found.measures == ledger.measures
        assert repr(found) == shown
        for name, value in before.items():
            assert _same(value, getattr(found, name)), name
    assert ("weight_norm" in before) == (run.protocol == "labelled")


FORGED = {
    "loss": ([math.inf, 0.0], [-5.0, 0.0], [1.0, 1e300], [1e308, 1e309], [1.0, math.nan]),
    "stability": ([-1.0, 0.0], [math.inf, 0.0], [math.nan, 0.0]),
    "checkpoints": (
        [[31.0, 1.0]],
        [[0.0, 1.0]],
        [[1.5, 1.0]],
        [[2.0, 1.0], [1.0, 1.0]],
        [[2.0, 1.0], [2.0, 1.0]],
        [[math.nan, 1.0]],
        [[1.0, math.nan]],
        [[1.0, math.inf]],
        [[1.0, -1.0]],
        [[1.0, 1.0, 1.0]],
    ),
}


@pytest.mark.parametrize(
    ("name", "values"), [(name, one) for name, some in FORGED.items() for one in some]
)
def test_a_saved_run_with_an_impossible_loss_or_checkpoint_is_refused(
    tmp_path: Path, name: str, values: list[Any]
) -> None:
    nv.play(nv.AdaptiveGradient(), ROUNDS).save(tmp_path / "m")
    kind, metadata, arrays = storage.read(tmp_path / "m", ("Run",))
    storage.write(tmp_path / "same", kind, metadata, arrays, lambda *_: None)
    assert nv.Run.load(tmp_path / "same").ledger.rounds == 30
    forged = dict(arrays) | {f"ledger.{name}": np.array(values)}
    storage.write(tmp_path / "forged", kind, metadata, forged, lambda *_: None)
    with pytest.raises(nv.InputError, match="forged"):
        nv.Run.load(tmp_path / "forged")


def test_a_weighted_loss_is_not_called_a_mean() -> None:
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([1, -1, 1])
    plain = nv.play(nv.Blend(), nv.stream(X, y))
    weighted = nv.play(nv.Blend(), nv.stream(X, y, weights=[1, 2, 1]))
    assert f"mean loss {plain.ledger.mean_loss:.4f})" in repr(plain)
    assert f"weighted loss per round {weighted.ledger.mean_loss:.4f})" in repr(weighted)
    assert "mean loss" not in repr(weighted)
