"""Data whose rounds are close to ties, the ways real data are."""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
ROUNDS, FEATURES = 60, 7


def gaussian(rng: np.random.Generator) -> Array:
    return rng.standard_normal((ROUNDS, FEATURES))


def normalised_binary(rng: np.random.Generator) -> Array:
    X = (rng.random((ROUNDS, FEATURES)) < 0.5).astype(float)
    return X / np.sqrt(np.maximum(X.sum(axis=1, keepdims=True), 1))


def small_integers(rng: np.random.Generator) -> Array:
    return rng.integers(-2, 3, (ROUNDS, FEATURES)).astype(float)


def decimals(rng: np.random.Generator) -> Array:
    return rng.integers(-9, 10, (ROUNDS, FEATURES)) / 10


def mixed_magnitudes(rng: np.random.Generator) -> Array:
    return rng.standard_normal((ROUNDS, FEATURES)) * 2.0 ** rng.integers(
        -60, 60, (ROUNDS, FEATURES)
    )


def huge_and_tiny(rng: np.random.Generator) -> Array:
    return rng.standard_normal((ROUNDS, FEATURES)) * 2.0 ** rng.integers(
        -1000, 1000, (ROUNDS, FEATURES)
    )


def largest(rng: np.random.Generator) -> Array:
    return np.finfo(float).max * rng.choice([1.0, -1.0, 0.5], (ROUNDS, FEATURES))


def denormal(rng: np.random.Generator) -> Array:
    return rng.integers(-5, 6, (ROUNDS, FEATURES)) * 5e-324


def tiny(rng: np.random.Generator) -> Array:
    return rng.standard_normal((ROUNDS, FEATURES)) * 1e-200


def tiny_and_then_huge(rng: np.random.Generator) -> Array:
    """Rows of either size, never both: products of the two are ordinary numbers."""
    scale = np.where(np.arange(ROUNDS) % 3 < 2, 1e-155, 1e150)[:, None]
    return rng.integers(-9, 10, (ROUNDS, FEATURES)) / 10 * scale


def repeated(rng: np.random.Generator) -> Array:
    """Rows and their negatives again and again: sums cancel to almost nothing."""
    rows = rng.standard_normal((4, FEATURES)) / 3
    return rows[rng.integers(0, 4, ROUNDS)] * rng.choice([1.0, -1.0, 1 / 3], (ROUNDS, 1))


def mostly_zero(rng: np.random.Generator) -> Array:
    return np.where(
        rng.random((ROUNDS, FEATURES)) < 0.25, rng.standard_normal((ROUNDS, FEATURES)), 0
    )


def far_apart(rng: np.random.Generator) -> Array:
    """Rows of a few large features, or of small ones: ‖w‖‖x‖ says nothing about small scores."""
    X = rng.standard_normal((ROUNDS, FEATURES))
    large = (np.arange(ROUNDS) % 4 == 0)[:, None]
    return np.where(np.arange(FEATURES) < 3, X * 2.0**60 * large, X * ~large)


FAMILIES: list[Callable[[np.random.Generator], Array]] = [
    gaussian,
    normalised_binary,
    small_integers,
    decimals,
    mixed_magnitudes,
    huge_and_tiny,
    largest,
    denormal,
    tiny,
    repeated,
    tiny_and_then_huge,
    mostly_zero,
    far_apart,
]
