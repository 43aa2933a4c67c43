"""Streams written down, so that they can be played again, shrunk and saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self, TypedDict

import numpy as np

from novikoff.types import FloatArray, IntArray


class PlainTape(TypedDict):
    """A tape as JSON holds it; words stand for values that are not finite."""

    name: str
    rows: list[list[float | str]]
    labels: list[int]
    comparator: list[float] | None


@dataclass(frozen=True, eq=False)
class Tape:
    """Rows, labels −1 and +1, and a comparator w if the theorems need one."""

    name: str
    X: FloatArray
    y: IntArray
    w: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def features(self) -> int:
        """How many columns there are."""
        return int(self.X.shape[1])

    def part(self, rounds: Sequence[int], features: Sequence[int]) -> "Tape":
        """Return these rounds with these columns, in this order."""
        w = None if self.w is None else self.w[list(features)]
        return Tape(
            self.name, self.X[np.ix_(list(rounds), list(features))], self.y[list(rounds)], w
        )

    def holding(self, X: FloatArray) -> "Tape":
        """Return a tape with the same labels and other rows."""
        return Tape(self.name, X, self.y, self.w)

    @property
    def probes(self) -> FloatArray:
        """The rows to predict after the last round: the finite rows, and ±e_1..±e_d."""
        units = np.eye(self.features)
        return np.vstack([self.X[np.isfinite(self.X).all(axis=1)], units, -units])

    @cached_property
    def squares(self) -> list[Fraction]:
        """‖x_t‖², exactly."""
        if self._small_integers:
            return [Fraction(v) for v in (self.X**2).sum(axis=1).tolist()]
        return [sum((Fraction(v) ** 2 for v in row), Fraction(0)) for row in self.X.tolist()]

    @cached_property
    def margins(self) -> list[Fraction]:
        """y_t w·x_t, exactly."""
        assert self.w is not None
        if self._small_integers:
            return [Fraction(v) for v in (self.y * (self.X @ self.w)).tolist()]
        w = [Fraction(v) for v in self.w.tolist()]
        return [
            int(y) * sum((a * Fraction(v) for a, v in zip(w, row, strict=True)), Fraction(0))
            for row, y in zip(self.X.tolist(), self.y, strict=True)
        ]

    @cached_property
    def _small_integers(self) -> bool:
        """Whether floats compute margins and squares without rounding."""
        w = np.zeros(0) if self.w is None else self.w
        values = np.concatenate([self.X.ravel(), w])
        return bool((np.abs(values) < 2**16).all() and (values == np.round(values)).all())

    def plain(self) -> PlainTape:
        """Return the tape as JSON can hold it; words stand for values that are not finite."""
        rows = [[v if np.isfinite(v) else str(v) for v in row] for row in self.X.tolist()]
        w = None if self.w is None else self.w.tolist()
        return {"name": self.name, "rows": rows, "labels": self.y.tolist(), "comparator": w}

    @classmethod
    def of(cls, plain: PlainTape) -> Self:
        """Return the tape that ``plain`` wrote."""
        rows = [[float(v) for v in row] for row in plain["rows"]]
        w = plain["comparator"]
        return cls(
            str(plain["name"]),
            np.array(rows, float).reshape(len(rows), -1),
            np.array(plain["labels"], np.int64),
            None if w is None else np.array(w, float),
        )


def integers(seed: int, rounds: int = 24, features: int = 5) -> Tape:
    """Small whole numbers, many of them 0, one label in eight wrong: every float sum is exact."""
    rng = np.random.default_rng([seed, 1])
    X = rng.integers(-3, 4, (rounds, features)) * (rng.random((rounds, features)) < 0.6)
    w = rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], features)
    y = np.where((X @ w >= 0) ^ (rng.random(rounds) < 0.125), 1, -1)
    return Tape("integers", X.astype(float), y, w)


def decimals(seed: int, rounds: int = 60, features: int = 7) -> Tape:
    """Tenths, whose sums come close to ties: the order of summation matters."""
    rng = np.random.default_rng([seed, 2])
    X = rng.integers(-9, 10, (rounds, features)) / 10
    w = rng.standard_normal(features)
    return Tape("decimals", X, np.where((X @ w >= 0) ^ (rng.random(rounds) < 0.1), 1, -1), w)


def separable(seed: int, rounds: int = 24, features: int = 6, passes: int = 2) -> Tape:
    """Whole numbers that w separates with a margin of at least 1, played again and again."""
    rng = np.random.default_rng([seed, 3])
    w = rng.choice([-2.0, -1.0, 1.0, 2.0], features)
    X = rng.integers(-3, 4, (8 * rounds, features)).astype(float)
    X = X[X @ w != 0][:rounds]
    return _repeated("separable", X, np.where(X @ w > 0, 1, -1), w, passes)


def in_runs(repeats: int = 64) -> Tape:
    """(1, 0) many times, then (−1, 1) as often, all positive: w = (1, 2) has margin 1."""
    X = np.repeat([[1.0, 0.0], [-1.0, 1.0]], repeats, axis=0)
    return Tape("in runs", X, np.ones(len(X), np.int64), np.array([1.0, 2.0]))


def spoiled(tape: Tape, value: float) -> Tape:
    """Return the tape with the value in the first column of a round a third of the way."""
    X = tape.X.copy()
    X[len(X) // 3, 0] = value
    return Tape(f"{tape.name} with {value}", X, tape.y, tape.w)


def bundled(rounds: int = 150) -> list[Tape]:
    """Iris (setosa or not; separable) and breast cancer (not), which scikit-learn ships."""
    try:
        from sklearn.datasets import load_breast_cancer, load_iris
    except ImportError:
        return []
    X, target = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))[:rounds]
    X, y = X[order], np.where(target[order] == 0, 1, -1)
    # w: the hard margin's direction, rounded
    found = [_repeated("iris setosa", X, y, np.array([0.35, 0.43, -1.06, -0.62]), 2)]
    X, target = load_breast_cancer(return_X_y=True)
    X, y = (X / X.max(axis=0))[:rounds], np.where(target[:rounds] == 1, 1, -1)
    w = np.round(np.linalg.lstsq(X, y.astype(float), rcond=0.01)[0] * 16) / 16
    return [*found, Tape("breast cancer", X, y, w)]


def _repeated(name: str, X: FloatArray, y: IntArray, w: FloatArray, passes: int) -> Tape:
    return Tape(name, np.tile(X, (passes, 1)), np.tile(y, passes), w)
