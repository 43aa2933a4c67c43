"""The modified perceptron: within its cap, or it begins again."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import novikoff as nv
import twins


def _separable(rounds: int, d: int, margin: float, seed: int) -> tuple[Any, Any]:
    """Unit rows with |cos(w*, x)| ≥ margin."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((20 * rounds, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X @ w) >= margin][:rounds]
    return X * rng.uniform(0.1, 10, (len(X), 1)), np.where(X @ w >= 0, 1, -1)


@pytest.mark.parametrize("seed", range(4))
def test_until_clean_every_row_outside_the_band_is_right(seed: int) -> None:
    X, y = _separable(300, 10, 0.05, seed)
    learner = nv.ModifiedPerceptron(0.05, seed=seed)
    run = nv.play(learner, nv.stream(X, y), until_clean=True)
    assert run.converged
    w = learner.hypothesis().w
    cosine = X @ w / np.linalg.norm(X, axis=1) / np.linalg.norm(w)
    inside = np.abs(cosine) < 0.05
    assert (np.sign(cosine[~inside]) == y[~inside]).all()
    assert [learner.predict(x) for x in X] == np.where(inside, 0, np.sign(cosine)).tolist()
    assert run.ledger.abstentions > 0
    assert run.ledger.rounds == len(X) * run.ledger.passes
    assert learner.limit == int(math.log(10) / 0.05**2)


@pytest.mark.shows("holds", "modified-perceptron")
def test_updates_stay_within_the_theorem() -> None:
    """From w_0 with w*·w_0 > 0: updates ≤ 2 ln(1/w*·w_0) / −ln(1 − σ²)."""
    met = 0
    for seed in range(12):
        X, y = _separable(400, 6, 0.1, seed)
        first = nv.ModifiedPerceptron(0.1, seed=seed)
        first.update(X[0] * 1e-3, 1)
        first.restore(first.state())
        run = nv.play(nv.ModifiedPerceptron(0.1, seed=seed), nv.stream(X, y), until_clean=True)
        if run.learner.restarts:
            continue
        # The best w* is unknown; the true one is, by its construction.
        rng = np.random.default_rng(seed)
        target = rng.standard_normal(6)
        target /= np.linalg.norm(target)
        start = np.array([nv._core.draw_normal(seed, 0, j + 1) for j in range(6)])
        cosine = target @ start / np.linalg.norm(start)
        if cosine > 0:
            met += 1
            assert run.mistakes <= 2 * math.log(1 / cosine) / -math.log(1 - 0.1**2)
    assert met >= 3


def test_it_begins_again_at_its_cap() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.choice([-1, 1], 200)
    learner = nv.ModifiedPerceptron(0.5, seed=3)
    run = nv.play(learner, nv.stream(X, y), until_clean=True, max_passes=20)
    assert not run.converged
    assert learner.limit == int(math.log(5) / 0.25)
    assert learner.restarts == run.mistakes // (learner.limit + 1)


def test_one_dimension_only_ever_turns_round() -> None:
    run = nv.play(
        nv.ModifiedPerceptron(0.5, seed=1), nv.stream([[1.0], [-2.0]], [1, -1]), until_clean=True
    )
    assert run.converged
    assert run.predict([[3.0], [-3.0]]).tolist() == [1, -1]


def test_seeds_decide_and_nothing_else_does() -> None:
    X, y = _separable(200, 8, 0.05, 0)
    runs = [nv.play(nv.ModifiedPerceptron(0.1, seed=seed), nv.stream(X, y)) for seed in (5, 5, 6)]
    states = [run.learner.state()["weights"].tolist() for run in runs]
    assert states[0] == states[1] != states[2]


def test_a_stream_that_cannot_be_played_again_is_refused() -> None:
    learner = nv.ModifiedPerceptron(0.1)
    with pytest.raises(nv.InputError, match="expected a stream that can be played again"):
        nv.play(learner, iter([([1.0], 1)]))
    assert learner.rounds == 0


def test_every_feature_is_known_before_the_first_round() -> None:
    rows = [({"a": 1.0}, 1), ({"b": -1.0, "a": 0.5}, -1), ({"c": 1.0}, 1)]
    learner = nv.ModifiedPerceptron(0.05, seed=2)
    run = nv.play(learner, rows, until_clean=True)
    assert run.converged
    assert learner.features.names(3) == ["a", "b", "c"]
    pairs = [(([0], [1.0]), 1), (([0, 1], [0.5, -1.0]), -1), (([2], [1.0]), 1)]
    other = nv.play(nv.ModifiedPerceptron(0.05, seed=2), pairs, until_clean=True)
    assert other.ledger.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
    assert run.learn({"unknown": 1.0}, 1) is None  # no direction it knows of: it abstains


def test_abstentions_are_no_mistakes_and_have_no_label() -> None:
    run = nv.Run(nv.ModifiedPerceptron(0.999, seed=0), labels=("no", "yes"))
    found = [run.learn([1.0, 0.1 * t, -1.0], "yes" if t % 2 else "no") for t in range(50)]
    assert run.ledger.abstentions == found.count(None) > 0
    assert run.mistakes + run.ledger.abstentions <= 50


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"sigma": 0.0}, "sigma"), ({"sigma": 1.0}, "sigma"), ({"sigma": float("nan")}, "sigma"),
        ({"sigma": "x"}, "sigma"), ({"sigma": 0.1, "seed": -1}, "seed"),
        ({"sigma": 0.1, "seed": 1.5}, "seed"), ({"sigma": 0.1, "seed": 2**64}, "seed"),
    ],
)  # fmt: skip
def test_parameters_are_checked(arguments: Any, name: str) -> None:
    with pytest.raises(nv.ParameterError, match=f"{name}: expected"):
        nv.ModifiedPerceptron(**arguments)


def test_weights_have_nothing_to_scale() -> None:
    run = nv.Run(nv.ModifiedPerceptron(0.1))
    with pytest.raises(nv.InputError, match="ModifiedPerceptron has no update to scale"):
        run.learn([1.0], 1, weight=2.0)
    with pytest.raises(nv.InputError, match="has no update to scale"):
        run.play(nv.stream([[1.0]], [1], weights=[2.0]))
    assert run.ledger.rounds == 0


@pytest.mark.parametrize("power", [100, 600, 934, 983])
def test_weights_whose_squares_underflow_are_not_0(power: int) -> None:
    """One huge coordinate leaves weights near 1e-290, and their direction counts."""
    X = np.array([[-0.1, 0.0], [-0.1, 1.1351898 * 2.0**power], [-0.1, -0.1]])
    y = [-1, -1, -1]
    twin = twins.Modified(0.1, 3)
    twin.dimension = 2
    rows = [{j: Fraction(v) for j, v in enumerate(x) if v} for x in X.tolist()]
    run = nv.play(nv.ModifiedPerceptron(0.1, seed=3), nv.stream(X, y))
    assert run.ledger.mistake_rounds.tolist() == twins.mistake_rounds(twin, rows, y)
