"""The mixture for many classes learns: hard streams, raw scales, and what its numbers mean."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

import novikoff as nv
from class_page import class_run, learned


def test_jumps_of_scale_are_followed() -> None:
    """A column grows by 10³⁰⁰, and what it says turns round."""
    run = class_run(None, 3)
    for t in range(300):
        run.learn([1e-150 * (-1) ** t], t % 2)
    assert run.learner.probability([1e-150])[0] > 0.9
    for t in range(300):
        run.learn([1e150 * (-1) ** t], 1 - t % 2)
    assert run.learner.probability([1e150])[1] > 0.9


@pytest.mark.parametrize("column", [None, 2])
def test_one_outlier_costs_next_to_nothing(column: int | None) -> None:
    """A row, or a value of it, is 10⁹ times too large."""
    X, y = _easy(1500)
    clean = class_run(1.0, 4).play(nv.stream(X, y)).mistakes
    spoilt = X.copy()
    spoilt[100, slice(None) if column is None else column] *= 1e9
    assert class_run(1.0, 4).play(nv.stream(spoilt, y)).mistakes <= clean + 5


def _flipped(X: Any, y: Any) -> tuple[Any, Any]:
    return X, np.where(np.arange(len(y)) < 1000, y, (y + 1) % 4)


HARD: dict[str, tuple[Callable[[Any, Any], tuple[Any, Any]], float]] = {
    "as it is": (lambda X, y: (X, y), 0.02),
    "a jump of scale": (lambda X, y: (np.r_[X[:1000], X[1000:] * 1e150], y), 0.04),
    "subnormal values": (
        lambda X, y: (X * [1e-300, 1e-306, 1e-308, 1e-312, 1e-303, 1e-306], y),
        0.02,
    ),
    "every column ten times": (lambda X, y: (np.repeat(X, 10, axis=1), y), 0.02),
    "all labels change": (_flipped, 0.06),
    "a column that is constant": (lambda X, y: (np.c_[X, np.full(len(X), 1e6)], y), 0.03),
    "no features": (lambda X, y: (0 * X, y), 0.8),
}


@pytest.mark.parametrize("kind", HARD)
def test_hard_streams_are_learned(kind: str) -> None:
    change, most = HARD[kind]
    run = class_run(1.0, 4).play(nv.stream(*change(*_easy(2000))))
    assert run.ledger.error_rate < most
    assert all(np.isfinite(array).all() for array in run.learner.core.state().values())
    assert run.ledger.mean_loss < math.log(4) + 0.02


def test_irrelevant_features_cost_little() -> None:
    X, y = _easy(2000)
    noise = sp.random_array((2000, 100_000), density=2e-4, rng=np.random.default_rng(9))
    run = class_run(1.0, 4).play(nv.stream(sp.csr_array(sp.hstack([sp.csr_array(X), noise])), y))
    assert run.ledger.error_rate < 0.05


def _easy(rounds: int) -> tuple[Any, Any]:
    """Four classes around four centres, columns on scales far apart."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 4, rounds)
    X = 3 * rng.standard_normal((4, 6))[y] + rng.standard_normal((rounds, 6))
    return X * [1e-6, 1, 1e3, 1e6, 1e-3, 7], y


def test_it_learns_and_is_calibrated_on_raw_scales() -> None:
    X, y = _easy(3000)
    run = class_run(1.0, 4).play(nv.stream(X[:2400], y[:2400]))
    chances = learned(run).probabilities(X[2400:])
    right = chances.argmax(1) == y[2400:]
    assert right.mean() > 0.95
    assert chances.max(1).mean() == pytest.approx(right.mean(), abs=0.03)


def test_a_hypothesis_does_not_believe_in_the_last_label() -> None:
    """The run does, because all its labels come in blocks."""
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    run = class_run(1.0, 10).play(nv.stream(X[order], y[order]))
    assert (np.array([run.predict_one(x) for x in X]) != y).mean() > 0.5
    assert (learned(run).predict(X) != y).mean() < 0.3


def test_the_rarest_class_is_given_its_share() -> None:
    """Without any useful feature, the probabilities are the frequencies."""
    rng = np.random.default_rng(8)
    y = rng.choice(3, 4000, p=[0.9, 0.09, 0.01])
    run = class_run(1.0, 3).play(nv.stream(rng.standard_normal((4000, 5)), y))
    found = learned(run).probabilities(rng.standard_normal((500, 5))).mean(0)
    assert found == pytest.approx([0.9, 0.09, 0.01], abs=0.01)
