"""Definitions of the theory, as they are written: slow, and the judge of what is fast."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import novikoff as nv

Row = tuple[int, ...]


def random_class(rng: np.random.Generator, most_hypotheses: int = 12, most_points: int = 6) -> Any:
    hypotheses, points = rng.integers(1, most_hypotheses + 1), rng.integers(1, most_points + 1)
    return nv.FiniteClass(rng.choice([-1, 1], (hypotheses, points)))


def littlestone(rows: Sequence[Row]) -> int:
    """Ldim(V) = max over x splitting V of 1 + min(Ldim(V_x^+), Ldim(V_x^−))."""
    if not rows:
        return -1
    best = 0
    for x in range(len(rows[0])):
        parts = [[row for row in rows if row[x] == sign] for sign in (-1, 1)]
        if all(parts):
            best = max(best, 1 + min(littlestone(part) for part in parts))
    return best


def vapnik(rows: Sequence[Row]) -> int:
    points = range(len(rows[0]))
    for size in reversed(range(len(rows[0]) + 1)):
        for chosen in combinations(points, size):
            if len({tuple(row[x] for x in chosen) for row in rows}) == 2**size:
                return size
    raise AssertionError


def mistakes(rows: Sequence[Row], predict: Callable[[list[Row], int], int]) -> int:
    """The most mistakes of a learner that predicts from what is consistent, by full search."""

    @cache
    def value(V: tuple[Row, ...]) -> int:
        best = 0
        for x in range(len(rows[0])):
            for y in (-1, 1):
                left = tuple(row for row in V if row[x] == y)
                if left and len(left) < len(V):
                    best = max(best, (predict(list(V), x) != y) + value(left))
        return best

    return value(tuple(rows))


def consistent(V: list[Row], x: int) -> int:
    return V[0][x]


def halving(V: list[Row], x: int) -> int:
    return 1 if sum(row[x] for row in V) >= 0 else -1


def optimal(V: list[Row], x: int) -> int:
    plus, minus = ([row for row in V if row[x] == sign] for sign in (1, -1))
    return 1 if littlestone(plus) >= littlestone(minus) else -1


def rows_of(H: Any) -> list[Row]:
    return [tuple(row) for row in H.table.tolist()]
