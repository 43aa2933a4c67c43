"""Weights change their form as values leave the grid; mistakes and saved states never show it."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import novikoff as nv

FEATURES = 200_000  # enough for floats
COLUMNS = np.arange(12) * 16_001 + 7  # few are used, so sums cancel and tie
ROUNDS, FRONT = 40, 8  # a saved state has eight slots before the features
Values = npt.NDArray[np.floating[Any]]
Kind = Callable[[np.random.Generator, int], Values]
Sums = dict[int, Fraction]

KINDS: dict[str, Kind] = {
    "ones": lambda rng, n: np.ones(n),
    "counts": lambda rng, n: rng.integers(-3, 1000, n).astype(float),
    "quarters": lambda rng, n: rng.integers(-9, 10, n) / 4,
    "swings": lambda rng, n: rng.choice([2.0**20, -(2.0**20)], n),
    "large": lambda rng, n: rng.integers(-(2**24), 2**24, n).astype(float),
    "larger": lambda rng, n: rng.integers(-(2**50), 2**50, n).astype(float),
    "float32": lambda rng, n: rng.standard_normal(n).astype(np.float32).astype(float),
    "double": lambda rng, n: rng.standard_normal(n),
    "decimals": lambda rng, n: rng.integers(-9, 10, n) / 10,
    "scales": lambda rng, n: rng.standard_normal(n) * 2.0 ** rng.integers(-60, 60, n),
    "fine": lambda rng, n: rng.integers(-9, 10, n) * 2.0**-995,
    "subnormal": lambda rng, n: rng.integers(-9, 10, n) * 5e-324,
    "huge": lambda rng, n: rng.standard_normal(n) * 2.0**1000,
}
PHASES = [
    *([kind] for kind in KINDS),
    ["ones", "quarters", "double"],
    ["counts", "float32", "ones"],
    ["ones", "large", "larger", "ones"],
    ["swings", "swings", "quarters"],
    ["ones", "huge", "ones"],
    ["double", "scales", "subnormal", "double"],
    ["decimals", "fine"],
    ["ones", "subnormal"],
]


def _rows(kinds: list[str], seed: int) -> tuple[sp.csr_array, list[Sums]]:
    rng = np.random.default_rng(seed)
    indices, values, starts = [], [], [0]
    for kind in kinds:
        for _ in range(ROUNDS):
            chosen = np.flatnonzero(rng.random(len(COLUMNS)) < 0.6)
            indices.append(COLUMNS[chosen])
            values.append(KINDS[kind](rng, len(chosen)))
            starts.append(starts[-1] + len(chosen))
    exact = [
        {int(j): Fraction(float(v)) for j, v in zip(i, x, strict=True)}
        for i, x in zip(indices, values, strict=True)
    ]
    parts = np.concatenate(values), np.concatenate(indices), np.array(starts)
    return sp.csr_array(parts, shape=(len(exact), FEATURES)), exact


def _dot(w: Sums, x: Sums) -> Fraction:
    return sum((w.get(j, Fraction(0)) * v for j, v in x.items()), Fraction(0))


def _add(w: Sums, x: Sums, scale: Fraction) -> None:
    for j, v in x.items():
        w[j] = w.get(j, Fraction(0)) + scale * v


def _binary_twin(rows: list[Sums], y: list[int], weights: list[float]) -> tuple[list[int], Sums]:
    """A perceptron in fractions: its mistakes, and its weights."""
    w: Sums = {}
    mistakes = []
    for t, (x, label, weight) in enumerate(zip(rows, y, weights, strict=True), 1):
        if (1 if _dot(w, x) >= 0 else -1) != label:
            mistakes.append(t)
            _add(w, x, label * Fraction(weight))
    return mistakes, w


def _components(total: Fraction) -> list[float]:
    """The sum as the nearest double, then the nearest to what is left, and so on."""
    parts = []
    while total:
        parts.append(float(total))
        total -= Fraction(parts[-1])
    return parts


def _saved(learner: nv.Learner, stride: int = 1) -> dict[tuple[int, int], list[float]]:
    """The components of every sum that is not 0 in the learner's saved state."""
    state = learner.state()
    found: dict[tuple[int, int], list[float]] = {}
    high = state["weights"]
    for slot in np.flatnonzero(high).tolist():
        found[slot // stride - FRONT, slot % stride] = [float(high[slot])]
    slots, parts = state["remainder_slots"].tolist(), state["remainder_parts"].tolist()
    for slot, part in zip(slots, parts, strict=True):
        found[slot // stride - FRONT, slot % stride].append(part)
    return found


def _expected(w: Sums, column: int = 0) -> dict[tuple[int, int], list[float]]:
    return {(j, column): _components(total) for j, total in w.items() if total}


@pytest.mark.parametrize("kinds", PHASES, ids=", ".join)
def test_mistakes_and_saved_sums_are_those_of_fractions(kinds: list[str]) -> None:
    X, rows = _rows(kinds, 1)
    y = np.random.default_rng(2).choice([-1, 1], len(rows)).tolist()
    learner = nv.Perceptron()
    run = nv.play(learner, nv.stream(X, y))
    mistakes, w = _binary_twin(rows, y, [1.0] * len(rows))
    assert run.ledger.mistake_rounds.tolist() == mistakes
    assert _saved(learner) == _expected(w)


@pytest.mark.parametrize("scale", [0.5, 3.0, 0.1])
@pytest.mark.parametrize("kinds", [["ones"], ["counts", "quarters"], ["double"]], ids=", ".join)
def test_weighted_updates_stay_exact(kinds: list[str], scale: float) -> None:
    X, rows = _rows(kinds, 3)
    rng = np.random.default_rng(4)
    y = rng.choice([-1, 1], len(rows)).tolist()
    weights = rng.choice([1.0, scale], len(rows)).tolist()
    learner = nv.Perceptron()
    run = nv.play(learner, nv.stream(X, y, weights=weights))
    mistakes, w = _binary_twin(rows, y, weights)
    assert run.ledger.mistake_rounds.tolist() == mistakes
    assert _saved(learner) == _expected(w)


@pytest.mark.parametrize("kinds", PHASES, ids=", ".join)
def test_classes_keep_the_sums_of_fractions(kinds: list[str]) -> None:
    X, rows = _rows(kinds, 5)
    y = np.random.default_rng(6).integers(0, 3, len(rows)).tolist()
    learner = nv.MulticlassPerceptron()
    run = nv.play(learner, nv.stream(X, y))
    order = list(dict.fromkeys(y))
    w: list[Sums] = [{} for _ in order]
    mistakes, seen = [], 0
    for t, (x, label) in enumerate(zip(rows, y, strict=True), 1):
        scores = [_dot(w[k], x) for k in range(max(seen, 1))]
        guess, truth = scores.index(max(scores)), order.index(label)
        seen = max(seen, truth + 1)
        if guess != truth:
            mistakes.append(t)
            _add(w[truth], x, Fraction(1))
            _add(w[guess], x, Fraction(-1))
    assert run.ledger.mistake_rounds.tolist() == mistakes
    expected = [item for k, sums in enumerate(w) for item in _expected(sums, k).items()]
    assert _saved(learner, stride=4) == dict(expected)


@pytest.mark.parametrize("kinds", PHASES, ids=", ".join)
def test_a_loaded_learner_goes_on_as_if_it_had_never_stopped(
    kinds: list[str], tmp_path: Path
) -> None:
    X, rows = _rows(kinds, 7)
    y = np.random.default_rng(8).choice([-1, 1], len(rows))
    half = len(rows) // 2
    whole, first = nv.Perceptron(), nv.Perceptron()
    nv.play(whole, nv.stream(X, y))
    nv.play(first, nv.stream(X[:half], y[:half]))
    first.save(tmp_path / "half.model")
    second = nv.Perceptron.load(tmp_path / "half.model")
    nv.play(second, nv.stream(X[half:], y[half:]))
    for name, array in whole.state().items():
        assert np.array_equal(array, second.state()[name]), name


def test_a_grid_needs_less_memory_and_no_second_step() -> None:
    """Four bytes a feature for ones, eight for values on a finer grid, sixteen for any doubles."""
    sizes = []
    for kinds in (["ones"], ["float32"], ["double"]):
        X, rows = _rows(kinds, 9)
        y = np.random.default_rng(10).choice([-1, 1], len(rows))
        learner = nv.Perceptron()
        ledger = nv.play(learner, nv.stream(X, y)).ledger
        sizes.append(round(learner.nbytes / FEATURES))
        if kinds != ["double"]:
            assert ledger.second_steps == 0
    assert sizes == [4, 8, 16]


def test_dense_rows_meet_weights_that_are_floats() -> None:
    """The float form has its own kernels for dense rows."""
    wide = np.zeros((30, 140_000))
    rng = np.random.default_rng(11)
    for row in wide:
        row[rng.integers(0, 140_000, 9)] = rng.integers(-4, 5, 9)
    for make, y in (
        (nv.Perceptron, rng.choice([-1, 1], 30)),
        (nv.MulticlassPerceptron, rng.integers(0, 3, 30)),
    ):
        dense, sparse = make(), make()
        mistakes = nv.play(dense, nv.stream(wide, y)).ledger.mistake_rounds
        others = nv.play(sparse, nv.stream(sp.csr_array(wide), y)).ledger.mistake_rounds
        assert mistakes.tolist() == others.tolist()
        assert np.array_equal(dense.state()["weights"], sparse.state()["weights"])
        assert dense.nbytes < 5 * dense.state()["weights"].size


def test_weights_that_swing_at_the_edge_of_floats_become_doubles() -> None:
    """Else each update would look through all weights again, to see that floats still hold them."""
    values = np.resize([2.0**22 - 1, 1.0], 400)
    columns = np.resize([7, 16_008], 400)
    X = sp.csr_array((values, columns, np.arange(0, 401, 2)), shape=(200, FEATURES))
    learner = nv.Perceptron()
    run = nv.play(learner, nv.stream(X, np.resize([-1, 1], 200)))
    assert run.ledger.mistakes == 200
    assert round(learner.nbytes / FEATURES) == 8


@pytest.mark.parametrize("kind", ["counts", "double", "decimals", "scales"])
def test_forgotten_voters_leave_exact_sums_of_weighted_rounds(kind: str) -> None:
    """A weight such as 0.1 splits a product in two parts, and a voter has both of them."""
    X, rows = _rows([kind], 12)
    rng = np.random.default_rng(13)
    y = rng.choice([-1, 1], len(rows)).tolist()
    weights = rng.choice([0.1, 0.7, 1.0], len(rows)).tolist()
    learner = nv.VotedPerceptron(max_voters=3)
    mistakes = nv.play(learner, nv.stream(X, y, weights=weights)).ledger.mistake_rounds.tolist()
    base: Sums = {}
    for t in mistakes[:-3]:
        _add(base, rows[t - 1], y[t - 1] * Fraction(weights[t - 1]))
    state = learner.state()
    found: Sums = {
        int(i) - FRONT: Fraction(float(state["base"][i])) for i in np.flatnonzero(state["base"])
    }
    for slot, part in zip(state["base_slots"].tolist(), state["base_parts"].tolist(), strict=True):
        found[slot - FRONT] += Fraction(part)
    assert found == {j: total for j, total in base.items() if total}
