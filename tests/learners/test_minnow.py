"""Minnow: its bound, its range, its ties."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv


def _best_bound(d: int, g: float) -> float:
    """ln d / [(1+g)/2 ln(1+g) + (1−g)/2 ln(1−g)], what the best η allows."""
    return math.log(d) / ((1 + g) / 2 * math.log(1 + g) + (1 - g) / 2 * math.log(1 - g))


def _sparse_target(d: int, relevant: int, rounds: int, seed: int) -> tuple[Any, Any]:
    """Rows of ±1 whose label is the majority of a few features, an odd number of them."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], (rounds, d))
    return X, np.where(X[:, :relevant].sum(axis=1) > 0, 1, -1)


@pytest.mark.shows("holds", "minnow")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("d", [8, 64, 512])
def test_mistakes_stay_within_the_theorem(d: int, seed: int) -> None:
    X, y = _sparse_target(d, 3, 2000, seed)
    margin = 1 / 3  # of w* = (⅓, ⅓, ⅓, 0, …), ‖w*‖₁ = 1
    run = nv.play(nv.Minnow.for_margin(margin), nv.stream(X, y), until_clean=True)
    assert run.converged
    assert 0 < run.mistakes <= _best_bound(d, margin)
    signs = np.where(np.arange(d) % 2, 1.0, -1.0)
    balanced = nv.BalancedMinnow.for_margin(margin)
    turned = nv.play(balanced, nv.stream(X * signs, y), until_clean=True)
    assert turned.converged
    assert 0 < turned.mistakes <= _best_bound(2 * d, margin)
    assert (turned.hypothesis().w[:3] * signs[:3] > 0).all()  # type: ignore[attr-defined]


@pytest.mark.shows("holds", "minnow")
@given(
    st.integers(2, 6),
    st.lists(st.lists(st.integers(-4, 4), min_size=6, max_size=6), min_size=1, max_size=30),
    st.lists(st.integers(0, 5), min_size=6, max_size=6),
    st.sampled_from([0.05, 0.3, 1.0]),
)
def test_the_bound_holds_for_any_separable_stream(
    d: int, rows: list[list[int]], target: list[int], eta: float
) -> None:
    """M ≤ ‖w*‖₁ ln d / (ηγ − ‖w*‖₁ ln cosh(ηR∞)) wherever the denominator is positive."""
    w = np.array(target[:d], float)
    X = np.array(rows, float)[:, :d]
    scores = X @ w
    X, scores = X[scores != 0], scores[scores != 0]
    if len(X) == 0 or not w.any():
        return
    run = nv.play(nv.Minnow(eta), nv.stream(X, np.sign(scores)), passes=5)
    allowed = eta * np.abs(scores).min() - w.sum() * math.log(math.cosh(eta * np.abs(X).max()))
    if allowed > 0:
        assert run.mistakes <= w.sum() * math.log(d) / allowed


def test_mistakes_grow_with_the_logarithm_of_the_dimension() -> None:
    mistakes, perceptron = [], []
    for d in (16, 256, 4096):
        X, y = _sparse_target(d, 3, 3000, seed=d)
        stream = nv.stream(X.astype(np.float32), y)
        mistakes.append(nv.play(nv.Minnow.for_margin(1 / 3), stream).mistakes)
        perceptron.append(nv.play(nv.Perceptron(), stream).mistakes)
    assert mistakes[2] - mistakes[1] < 3 * (mistakes[1] - mistakes[0]) + 30
    assert mistakes[2] < 200
    assert perceptron[2] > 700


def test_the_first_balanced_round_is_an_exact_tie() -> None:
    rng = np.random.default_rng(0)
    for d in (1, 3, 1000):
        x = rng.standard_normal(d) * 2.0 ** rng.integers(-40, 40, d)
        learner = nv.BalancedMinnow(eta=rng.random() * 9, bias=0.1)
        assert learner.predict(x) == 1
        assert learner.predict(-x) == 1


@pytest.mark.parametrize(("balanced", "passes"), [(False, 10), (True, 2)])
def test_nothing_overflows_in_ten_million_rounds(balanced: bool, passes: int) -> None:
    """BalancedMinnow has the same θ, so that two million show that its form is as sound."""
    rng = np.random.default_rng(1)
    X = rng.choice([-1.0, 1.0], (1_000_000, 3)).astype(np.float32)
    y = rng.choice([-1, 1], len(X))
    learner = nv.BalancedMinnow(700.0) if balanced else nv.Minnow(700.0)
    run = nv.play(learner, nv.stream(X, y), passes=passes)
    assert run.ledger.rounds == passes * 1_000_000
    assert run.mistakes > passes * 400_000
    h = learner.hypothesis()
    assert np.isfinite(h.w).all()
    assert np.abs(h.w).sum() == pytest.approx(1.0)


def test_far_below_the_largest_weight_signs_are_still_right() -> None:
    learner = nv.Minnow(eta=1000.0)
    for _ in range(3):
        learner.update([1.0, 0.0, 0.0, -2.0], 1)
        learner.update([-20.0, 0.0, 0.0, 1.0], 1)
    learner.update([0.0, 1.0, 0.0, 0.0], -1)
    learner.update([0.0, 0.5, 0.25, 0.0], -1)
    tiny = learner.hypothesis().w
    assert tiny[1] == 0  # e^{−100 · …}: nothing that a float64 could show
    assert learner.predict([0.0, 1.0, 0.0, 0.0]) == 1
    assert learner.predict([0.0, -1.0, 0.0, 0.0]) == -1


def test_the_best_rate_is_the_formula() -> None:
    learner = nv.Minnow.for_margin(0.5, radius=2.0, norm=1.0, bias=1.0)
    assert learner.eta == pytest.approx(math.atanh(0.25) / 2)
    assert learner.bias == 1.0
    for arguments in ((0.0,), (1.0,), (3.0, 2.0, 1.0), (-1.0,), (float("nan"),), ("x",)):
        with pytest.raises(nv.ParameterError, match="expected"):
            nv.Minnow.for_margin(*arguments)
    for eta in (0.0, -1.0, float("inf"), float("nan"), "x", None):
        with pytest.raises(nv.ParameterError, match="eta: expected a positive number"):
            nv.Minnow(eta)  # type: ignore[arg-type]


def test_weights_are_positive_and_add_up_to_one() -> None:
    X, y = _sparse_target(20, 3, 500, 0)
    h = nv.play(nv.Minnow(0.3, bias=1.0), nv.stream(X, y)).hypothesis()
    assert (h.w > 0).all()  # type: ignore[attr-defined]
    assert h.w.sum() + h.bias_weight == pytest.approx(1.0)  # type: ignore[attr-defined]
    names = nv.play(nv.Minnow(0.3), [({"a": 1.0, "b": -1.0}, -1)] * 3).hypothesis()
    assert sum(names.weights().values()) == pytest.approx(1.0)  # type: ignore[attr-defined]
    assert nv.Run(nv.Minnow(0.3)).hypothesis().w.tolist() == []  # type: ignore[attr-defined]
