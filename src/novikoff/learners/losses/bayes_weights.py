"""Weights by Bayes' rule from the members' losses, for many rounds at once."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.types import FloatArray


class Standing(NamedTuple):
    """The members' losses, what rounding lost of them, and their weights.

    Row t is the state before round t of some; the last row is the state after all.
    """

    losses: FloatArray
    rests: FloatArray
    weights: FloatArray


def followed(now: Standing, costs: FloatArray) -> Standing:
    """Return the state before and after each round; ``costs`` has a row of −ln p_k(y) per round.

    ``now`` has one row. The weights are e^{−L_k}/Σ_j e^{−L_j}, from the losses and not from the
    weights before, because a weight that has become 0 would never grow again.
    """
    losses = np.add.accumulate(np.vstack([now.losses, costs]))
    before, after = losses[:-1], losses[1:]
    moved = after - before
    errors = (before - (after - moved)) + (costs - moved)
    rests = np.add.accumulate(np.vstack([now.rests, errors]))
    sums = losses + rests
    weights = all_of(_core.program_exp, sums.min(axis=1, keepdims=True) - sums)
    weights /= total(weights)[:, None]
    weights[0] = now.weights
    return Standing(losses, rests, weights)


def mean_after(mean: FloatArray, weights: FloatArray, rounds: int) -> FloatArray:
    """Return the mean of weights, round t counted t times; ``rounds`` were played before these."""
    found = mean.copy()
    for t, row in enumerate(weights):
        found += (row - found) * (2.0 / (rounds + t + 2))
    return found


def all_of(program: Callable[[FloatArray], FloatArray], values: FloatArray) -> FloatArray:
    """Apply a function of the core to every number of a matrix."""
    return program(np.ascontiguousarray(values).ravel()).reshape(values.shape)


def total(terms: FloatArray) -> FloatArray:
    """Return the sum of each row, from the first member to the last."""
    found = np.zeros(len(terms))
    for column in terms.T:
        found = found + column
    return found
