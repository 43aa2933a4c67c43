"""Instances of the theorems of finite classes."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import novikoff as nv
from instances.picture import Picture, allowed, picture


def _played(learner: Any, rounds: Any) -> tuple[float, float]:
    """Play them; return the mistakes, and what the learner's theorem allows."""
    run = nv.play(learner, rounds)
    return run.mistakes, nv.bounds(run)[0].value


def all_functions(n: int) -> nv.FiniteClass:
    """Return the 2^n functions on n points."""
    return nv.FiniteClass(list(itertools.product((-1, 1), repeat=n)))


def consistent() -> Picture:
    """Singletons, the points but the last in turn, all labelled −1."""
    return picture(
        "hypotheses |H|",
        (2, 4, 8, 12, 16, 24, 32),
        lambda n: _played(nv.Consistent(nv.singletons(n)), [(x, -1) for x in range(n - 1)]),
    )


def halving() -> Picture:
    """Every function on n points, each point labelled −1: every vote is a tie."""
    return picture(
        "points n, |H| = 2^n",
        range(1, 11),
        lambda n: _played(nv.Halving(all_functions(n)), [(x, -1) for x in range(n)]),
    )


def littlestone() -> Picture:
    """Thresholds against the Littlestone adversary."""

    def play(n: int) -> tuple[float, float]:
        H = nv.thresholds(n)
        return _played(nv.StandardOptimal(H), nv.LittlestoneAdversary(H))

    return picture("thresholds on n points", (1, 3, 7, 15, 31, 63), play)


def iterated_halving() -> Picture:
    """Every function on 3 points: all labelled −1, then one +1, and so on; the last +1 is left out.

    The function that is −1 everywhere errs at each +1, which empties the version space.
    """

    def play(best: int) -> tuple[float, float]:
        stretch = [(0, -1), (1, -1), (2, -1), (0, 1)]
        return _played(nv.IteratedHalving(all_functions(3)), (stretch * (best + 1))[:-1])

    return picture("mistakes m* of the best h", range(9), play)


def elimination() -> Picture:
    """0, e_1, …, e_d, all labelled −1, for the learner with negations."""

    def play(d: int) -> tuple[float, float]:
        points = [[0] * d, *np.eye(d, dtype=int).tolist()]
        return _played(nv.Elimination(d), [(x, -1) for x in points])

    return picture("variables d, with negations", (1, 2, 4, 6, 8, 12, 16), play)


def denied(learner: Any, margin: float, directions: int = 1000) -> int:
    """Return the mistakes against the adversary that denies while some w* is left.

    w* is a direction of the plane of which y w*·x ≥ γ in every round; of twenty random rows the
    one is asked whose denial leaves most of them.
    """
    angles = np.linspace(0, 2 * np.pi, directions, endpoint=False)
    left, rng = np.column_stack([np.cos(angles), np.sin(angles)]), np.random.default_rng(0)
    while True:
        X = rng.uniform(-0.7, 0.7, (20, 2))
        labels = np.array([-learner.predict(x) for x in X])
        agree = labels * (left @ X.T) >= margin
        best = int(agree.sum(axis=0).argmax())
        if not agree[:, best].any():
            return int(learner.rounds)
        learner.update(X[best], int(labels[best]))
        left = left[agree[:, best]]


def grid_halving() -> Picture:
    """Rows of the unit disc, their labels denied while a w* with the margin γ is left."""

    def play(inverse: int) -> tuple[float, float]:
        learner = nv.Halving(nv.grid_halfspaces(2, 1.0, 1.0, 1 / inverse))
        steps = math.ceil(4 * inverse)
        return denied(learner, 1 / inverse), allowed("grid-halving", dimension=2, grid_steps=steps)

    return picture("1/γ, the inverse margin", (2, 4, 8, 16, 32), play)


def turned_away(learner: Any, w: Any, rounds: int) -> tuple[Any, Any]:
    """Play rows across the centre, each labelled as w does: every one a mistake."""
    X, y, rng = [], [], np.random.default_rng(0)
    for _ in range(rounds):
        c = learner.hypothesis().w
        x = rng.standard_normal(len(w))
        x -= (x @ c) / max(c @ c, 1e-300) * c
        label = 1 if w @ x >= 0 else -1
        x = x - label * 1e-9 * c / max(np.linalg.norm(c), 1e-300)
        if learner.predict(x) == label:
            x, label = -x, -label
        assert learner.predict(x) != label
        learner.update(x, label)
        X.append(x)
        y.append(label)
    return np.array(X), np.array(y)


def _centres(make: Callable[[], Any]) -> Picture:
    """Rows of 3 features across the centre; w* is the best of those that agree with them."""

    def play(rounds: int) -> tuple[float, float]:
        X, y = turned_away(make(), np.random.default_rng(3).standard_normal(3), rounds)
        return _played(make(), nv.stream(X, y))

    return picture("rounds T, 3 features", (5, 10, 15, 20, 25, 30), play)


PICTURES: dict[str, Callable[[], Picture]] = {
    "consistent": consistent,
    "halving": halving,
    "littlestone": littlestone,
    "iterated-halving": iterated_halving,
    "elimination": elimination,
    "grid-halving": grid_halving,
    "ellipsoid": partial(_centres, lambda: nv.EllipsoidHalving(dimension=3)),
    "centroid": partial(_centres, lambda: nv.CentroidHalving(seed=0, dimension=3)),
}
