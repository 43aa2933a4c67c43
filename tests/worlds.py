"""Distributions whose errors are known exactly, and what must not happen too often."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy import stats

import novikoff as nv

NEVER = 1e-6  # what is less likely than this does not happen; seeds are fixed, so it cannot flake

shares = st.floats(1e-6, 0.999)


class World(NamedTuple):
    """A finite distribution, so that the error of every hypothesis is known exactly."""

    points: Any
    chances: Any
    positive: Any  # P(y = +1) at each point

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        k = rng.choice(len(self.chances), count, p=self.chances)
        return self.points[k], np.where(rng.random(count) < self.positive[k], 1, -1)

    def errors(self, predictions: Any) -> Any:
        """The error of hypotheses, given what each predicts at every point."""
        wrong = np.where(np.asarray(predictions) > 0, 1 - self.positive, self.positive)
        return wrong @ self.chances

    def errors_along(self, ledger: nv.Ledger, X: Any, y: Any) -> Any:
        """err(h_1), …, err(h_T), err(h_{T+1}) of a perceptron."""
        at = ledger.mistake_rounds - 1
        w = np.vstack([np.zeros(X.shape[1]), np.cumsum(y[at, None] * X[at], axis=0)])
        errors = self.errors(np.where(w @ self.points.T >= 0, 1, -1))
        return errors[np.searchsorted(ledger.mistake_rounds, np.arange(1, len(X) + 2))]


corner = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))

WORLDS = {
    "coin": World(np.zeros((1, 2)), np.ones(1), np.array([0.93])),  # nothing is ever learned
    "fair coin": World(np.zeros((1, 2)), np.ones(1), np.array([0.5])),
    "separable": World(corner, np.full(8, 1 / 8), (corner[:, 0] > 0) * 1.0),
    "noisy": World(corner, np.arange(1, 9) / 36, np.where(corner.sum(axis=1) > 0, 0.95, 0.05)),
    "very noisy": World(corner, np.arange(8, 0, -1) / 36, np.linspace(0.1, 0.9, 8)),
}


def not_more_often(failures: int, runs: int, delta: float) -> bool:
    """Could so many of the runs have failed if each does with probability delta at most?"""
    return bool(stats.binom.sf(failures - 1, runs, delta) > NEVER)


class Hesitant:
    """Somebody else's learner: abstains in its first rounds, then gives one answer."""

    def __init__(self, rounds: int, multiclass: bool = False, answer: int = 1) -> None:
        self.left = rounds
        self.multiclass = multiclass
        self.answer = answer

    def predict(self, _: Any) -> int | None:
        return None if self.left > 0 else self.answer

    def update(self, _x: Any, _y: Any) -> None:
        self.left -= 1


# A world that can be enumerated: each point has its own feature, so it is mistaken once at most.
ONE_EACH = (((1, 0, 0), -1), ((0, 1, 0), -1), ((0, 0, 1), 1))
CHANCES = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))


def all_streams(length: int) -> Iterator[tuple[list[Any], Fraction]]:
    for chosen in itertools.product(range(3), repeat=length):
        yield (
            [ONE_EACH[k] for k in chosen],
            math.prod((CHANCES[k] for k in chosen), start=Fraction(1)),
        )


def exact_error(predict: Any) -> Fraction:
    wrong = (p for (x, y), p in zip(ONE_EACH, CHANCES, strict=True) if predict(x) != y)
    return sum(wrong, start=Fraction(0))


X, Y = WORLDS["separable"].draw(np.random.default_rng(1), 600)
