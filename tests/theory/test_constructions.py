"""Conjunctions, disjunctions and decision lists as halfspaces: exact on every point of the cube."""

import itertools
from typing import Any

import numpy as np
import pytest

import novikoff as nv


def _cube(d: int) -> Any:
    return np.array(list(itertools.product([0.0, 1.0], repeat=d))).reshape(2**d, d)


@pytest.mark.parametrize("d", range(7))
def test_conjunctions_and_disjunctions_are_exact_on_the_cube(d: int) -> None:
    """Each feature is in no literal, positive, negated, or both: 4^d of either, on 2^d points."""
    cube = _cube(d)
    for choice in itertools.product(range(4), repeat=d):
        positive = [j for j in range(d) if choice[j] & 1]
        negated = [j for j in range(d) if choice[j] & 2]
        literals = np.hstack([cube[:, positive] == 1, cube[:, negated] == 0])
        for h, truth in (
            (nv.Halfspace.conjunction(positive, negated, d), literals.all(axis=1)),
            (nv.Halfspace.disjunction(positive, negated, d), literals.any(axis=1)),
        ):
            y = np.where(truth, 1, -1)
            assert np.array_equal(h.predict(cube), y)
            assert (y * h.scores(cube)).min() >= 0.5


def test_the_margin_of_a_conjunction_is_one_half_on_the_boundary() -> None:
    cube = _cube(4)
    for h in (nv.Halfspace.conjunction([0, 3], [1], 4), nv.Halfspace.disjunction([0, 3], [1], 4)):
        assert h.margin(cube, h.predict(cube)) == pytest.approx(0.5 / h.norm)
        assert np.abs(h.scores(cube)).min() == 0.5


def _decided(rules: Any, default: int, x: Any) -> int:
    return next((label for j, value, label in rules if x[j] == value), default)


def _agrees(rules: Any, default: int, d: int, cube: Any) -> None:
    h = nv.Halfspace.decision_list(rules, default, d)
    y = np.array([_decided(rules, default, x) for x in cube])
    assert np.array_equal(h.predict(cube), y)
    assert (y * h.scores(cube)).min() >= 1


@pytest.mark.parametrize("d", range(1, 7))
def test_decision_lists_are_exact_on_the_cube(d: int) -> None:
    """Every list of at most two rules, and longer ones, literals repeated or not."""
    cube, rng = _cube(d), np.random.default_rng(d)
    single = [(j, value, s) for j in range(d) for value in (0, 1) for s in (-1, 1)]
    for length in (0, 1, 2):
        for rules in itertools.product(single, repeat=length):
            for default in (-1, 1):
                _agrees(rules, default, d, cube)
    for _ in range(100):
        chosen = rng.integers(0, len(single), rng.integers(3, 2 * d + 3))
        _agrees([single[k] for k in chosen], int(rng.choice([-1, 1])), d, cube)


def test_the_margin_of_a_decision_list_halves_with_every_rule() -> None:
    for k in range(1, 11):
        h = nv.Halfspace.decision_list([(j, 1, (-1) ** j) for j in range(k)], -1, k)
        assert h.w.tolist() == [(-1) ** j * 2.0 ** (k - j) for j in range(k)]
        cube = _cube(k)
        assert h.margin(cube, h.predict(cube)) == pytest.approx(1 / h.norm)
    long = nv.Halfspace.decision_list([(j, 1, 1) for j in range(1000)], -1, 1000)
    assert long(np.zeros(1000)) == -1
    assert long(np.eye(1000)[999]) == 1


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: nv.Halfspace.conjunction([3], [], 3), "positive"),
        (lambda: nv.Halfspace.conjunction([], [-1], 3), "negated"),
        (lambda: nv.Halfspace.disjunction([0.5], [], 3), "positive"),  # type: ignore[list-item]
        (lambda: nv.Halfspace.disjunction([True], [], 3), "positive"),
        (lambda: nv.Halfspace.conjunction([], [], -1), "d"),
        (lambda: nv.Halfspace.decision_list([], 0, 3), "default"),
        (lambda: nv.Halfspace.decision_list([(0, 2, 1)], 1, 3), r"rules\[0\]"),
        (lambda: nv.Halfspace.decision_list([(0, 1, 1), (3, 1, 1)], 1, 3), r"rules\[1\]"),
        (lambda: nv.Halfspace.decision_list([(0, 1, 3)], 1, 3), r"rules\[0\]"),
        (lambda: nv.Halfspace.decision_list([(0, 0, 1)] * 60, 1, 1), "rules"),
        (lambda: nv.Halfspace.decision_list([(0, 1, 1)] * 1100, 1, 1), "rules"),
    ],
)
def test_what_is_no_construction_is_refused(make: Any, name: str) -> None:
    with pytest.raises(nv.ParameterError, match=f"{name}: expected"):
        make()
