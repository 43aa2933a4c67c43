"""Checkpoints: a run at some of its rounds, ⌊1.1^k⌋ for k = 0, 1, … and the last one."""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from novikoff.types import FloatArray, IntArray

RATIO = 1.1
_MOST = 2**53
_GRID: list[int] = sorted({*(RATIO ** np.arange(386)).astype(np.int64).tolist()})
_ON_GRID = frozenset(_GRID)


class Checkpoints(NamedTuple):
    """A run of labelled rounds at its checkpoints."""

    rounds: IntArray
    mistakes: IntArray
    """How many were made up to each."""


class LossCheckpoints(NamedTuple):
    """A run of a learner with a loss at its checkpoints."""

    rounds: IntArray
    mistakes: IntArray
    """How many were made up to each."""
    loss: FloatArray
    """The sum of the losses up to each; NaN if the file of a saved run lacks it."""


class RealCheckpoints(NamedTuple):
    """A run with real labels at its checkpoints."""

    rounds: IntArray
    loss: FloatArray
    """The sum of the losses up to each; NaN if the file of a saved run lacks it."""


class RegretCheckpoints(NamedTuple):
    """A run with experts or arms at its checkpoints."""

    rounds: IntArray
    loss: FloatArray
    regret: FloatArray
    expected_regret: FloatArray
    """NaN for bandits, whose run does not know it."""
    pseudo_regret: FloatArray
    probabilities: FloatArray
    """The probabilities of the next draw, one column per expert or arm."""


def next_on_grid(rounds: int) -> int:
    """Return the first round of the grid after this one."""
    place = bisect_right(_GRID, rounds)
    return _GRID[place] if place < len(_GRID) else _MOST


def on_grid(number: int) -> bool:
    """Say whether a round is on the grid."""
    return number in _ON_GRID


def grid_up_to(rounds: int) -> IntArray:
    """Return the rounds of the grid up to a round, which comes last."""
    within = _GRID[: bisect_right(_GRID, rounds)]
    if rounds and within[-1] < rounds:
        within.append(rounds)
    return np.array(within, np.int64)


def loss_along(losses: FloatArray) -> tuple[tuple[int, float], ...]:
    """Return (round, Σ losses up to it) at the checkpoints, for one loss per round.

    >>> loss_along(np.array([1.0, 0.5, 0.25]))
    ((1, 1.0), (2, 1.5), (3, 1.75))
    """
    rounds = grid_up_to(len(losses))
    totals = np.cumsum(losses)[rounds - 1]
    return tuple(zip(rounds.tolist(), totals.tolist(), strict=True))


def mistakes_at(rounds: IntArray, mistake_rounds: IntArray) -> IntArray:
    """Return how many mistakes were made up to each of these rounds."""
    return np.searchsorted(mistake_rounds, rounds, side="right").astype(np.int64)
