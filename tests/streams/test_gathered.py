"""Rounds that arrive one by one are gathered into blocks: the run is the same as one by one."""

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import novikoff as nv

RNG = np.random.default_rng(7)
HUGE = 2.0**1000
VALUES = [0.0, -0.0, 1.0, -1.0, 0.1, 1e-300, 5e-324, HUGE, -HUGE, 2.0**53, 3, -7, 0]


def _vectors(width: int, rounds: int) -> list[list[Any]]:
    return [[VALUES[k] for k in RNG.integers(len(VALUES), size=width)] for _ in range(rounds)]


def _ways(vectors: list[list[Any]]) -> dict[str, list[Any]]:
    """The same vectors as a source may give them."""
    arrays = [np.array(x, float) for x in vectors]
    padded = [np.column_stack([x, x])[:, 0] for x in arrays]
    return {
        "arrays": arrays,
        "lists": vectors,
        "tuples": [tuple(x) for x in vectors],
        "strided": padded,
        "another byte order": [x.astype(">f8") for x in arrays],
        "one array used again": arrays,
        "mixed": [(x, a, tuple(x), p)[t % 4] for t, (x, a, p) in enumerate(
            zip(vectors, arrays, padded, strict=True)
        )],
    }  # fmt: skip


def _pairs(name: str, xs: list[Any], labels: list[int]) -> Iterator[tuple[Any, int]]:
    buffer = np.empty(len(xs[0]))
    for x, y in zip(xs, labels, strict=True):
        if name == "one array used again":
            buffer[:] = x
            yield buffer, y
        else:
            yield x, y


def _one_by_one(pairs: list[tuple[Any, ...]]) -> nv.Run[nv.Perceptron]:
    run = nv.Run(nv.Perceptron())
    for pair in pairs:
        run.learn(*pair)
    return run


def _same(run: nv.Run[nv.Perceptron], other: nv.Run[nv.Perceptron]) -> None:
    assert run.ledger.mistake_rounds.tolist() == other.ledger.mistake_rounds.tolist()
    assert run.ledger.radius == other.ledger.radius
    mine, its = run.learner.state(), other.learner.state()
    assert mine.keys() == its.keys()
    assert all(np.array_equal(mine[name], its[name]) for name in mine)


@pytest.mark.parametrize(("width", "rounds"), [(1, 40), (2, 3000), (30, 1100), (5000, 3)])
def test_a_run_is_the_same_however_vectors_arrive(width: int, rounds: int) -> None:
    vectors = _vectors(width, rounds)
    labels = np.where(RNG.random(rounds) < 0.5, -1, 1).tolist()
    expected = _one_by_one(list(zip([np.array(x, float) for x in vectors], labels, strict=True)))
    digest = nv.play(
        nv.Perceptron(), nv.stream(np.array(vectors, float), np.array(labels)), digest=True
    ).ledger.digest
    for name, xs in _ways(vectors).items():
        run = nv.play(nv.Perceptron(), _pairs(name, xs, labels), digest=True)
        _same(run, expected)
        assert run.ledger.digest == digest, name


def test_forms_may_change_from_round_to_round() -> None:
    """float32, bools and whole numbers keep what they are."""
    forms: list[Any] = [
        [1.0, 2.0], np.array([0.1, 3.0], np.float32), [True, False], [0.5, True], (1, 2), [1, 2.5],
        np.array([3, 4]), ([1], [2.0]), [2.0, -1.0], np.array([1, 0.1], np.float16), [2**53, 0.5],
    ]  # fmt: skip
    pairs = [(x, 1 if t % 3 else -1) for t, x in enumerate(forms * 5)]
    _same(nv.play(nv.Perceptron(), iter(pairs)), _one_by_one(pairs))
    _same(nv.play(nv.Perceptron(), pairs), _one_by_one(pairs))


def test_weights_may_come_late() -> None:
    pairs: list[tuple[Any, ...]] = [([1.0, -2.0], 1), ([2.0, 1.0], -1), ([2.0, 1.0], 1, 0.5)] * 9
    _same(nv.play(nv.Perceptron(), iter(pairs)), _one_by_one(pairs))


BAD: list[tuple[Any, str]] = [
    ([1.0, math.nan], "round 4: expected a finite value for feature 1, got nan"),
    (
        [1.0, 2**53 + 1],
        "example 4: expected integers within ±2^53, which float64 holds exactly, got",
    ),
    ([-(2**53) - 1, 0.5], "example 4: expected integers within ±2^53"),
    ([1, 2**53 + 1], "example 4: expected integers within ±2^53"),
    ([1.0, "2"], "example 4: expected float32, float64, integers or bools"),
    ([[1.0, 2.0]], "example 4: expected one dimension, got 2"),
    ([1.0, 2.0, 3.0], "expected 2 features"),
    (None, "example 4: expected float32"),
]


@pytest.mark.parametrize(("x", "said"), BAD)
@pytest.mark.parametrize("form", [list, tuple, np.array])
def test_the_rounds_before_a_bad_one_are_kept(x: Any, said: str, form: Any) -> None:
    """An error names the round, and everything before it is played."""
    good = [(form([1.0, 2.0]), 1), (form([2.0, -1.0]), -1), (form([1.0, 1.0]), 1)]
    pairs = [*good, (x, 1), (form([5.0, 5.0]), -1)]
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match=re.escape(said)):
        run.play(iter(pairs))
    _same(run, _one_by_one(good))
