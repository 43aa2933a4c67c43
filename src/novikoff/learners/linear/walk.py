"""Hit-and-run: points walk about a convex body until they are spread evenly over it.

The walk is a program: draws come from the core, sums from ``ordered_sums``, and everything else is
one rounded operation per number. Every CPU walks to the same bits.
"""

from dataclasses import dataclass

import numpy as np

from novikoff import _core
from novikoff.learners.linear.ordered_sums import product, row_sums, sums
from novikoff.types import FloatArray

_RENEWED = 16  # steps after which distances are recomputed, not updated
_RIDGE = 2.0**-40  # share of the points' variance, added for directions that they miss


class Draws:
    """Random numbers that depend only on (seed, series) and on how many were drawn before."""

    def __init__(self, seed: int, series: int) -> None:
        self.seed, self.series, self.place = seed, series, 0

    def uniforms(self, count: int) -> FloatArray:
        """Return numbers in [0, 1)."""
        found = _core.draw_uniforms(self.seed, self.series, self.place, count)
        self.place += count
        return found

    def directions(self, count: int, size: int, shape: FloatArray | None = None) -> FloatArray:
        """Return unit vectors; with a triangular shape L, those of L g for normal g."""
        g = _core.draw_normals(self.seed, self.series, self.place, count * size)
        self.place += count * size
        found = g.reshape(count, size)
        if shape is not None:
            found = product(found, shape.T)
        lengths: FloatArray = np.sqrt(row_sums(found * found))[:, None]
        return np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)

    def of_ball(self, count: int, size: int) -> FloatArray:
        """Return points of the unit ball: directions in d + 2 dimensions, cut to d coordinates."""
        return self.directions(count, size + 2)[:, :size].copy()


@dataclass(frozen=True)
class Polytope:
    """{‖w‖ ≤ 1 : n·w ≥ floor for each of the normals and its floor}."""

    normals: FloatArray
    floors: FloatArray

    def walked(
        self, points: FloatArray, shape: FloatArray, draws: Draws
    ) -> tuple[FloatArray, FloatArray]:
        """Walk every point; return them, and their mean over the second half of the walk.

        A step goes along a random chord to a random place on it (smith1984). Directions follow the
        shape L: if L Lᵀ is near the body's covariance, a thin body is as easy as a ball.
        """
        count, size = points.shape
        steps = 10 + 2 * size
        mean = np.zeros(size)
        for step in range(steps):
            if step % _RENEWED == 0:
                room = np.maximum(product(points, self.normals.T) - self.floors, 0)
            directions = draws.directions(count, size, shape)
            rates = product(directions, self.normals.T)
            low, high = _chords(points, directions, room, rates)
            along = low + draws.uniforms(count) * (high - low) + 0.0  # never −0
            points = points + along[:, None] * directions
            room = np.maximum(room + along[:, None] * rates, 0)
            if step >= steps // 2:
                mean += sums(points) / count / (steps - steps // 2)
        return points, mean


def _chords(
    points: FloatArray, directions: FloatArray, room: FloatArray, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how far each point may move backward and forward along its direction."""
    middle = -row_sums(points * directions)
    inside = np.maximum(1 - row_sums(points * points), 0)
    half = np.sqrt(middle * middle + inside)
    with np.errstate(all="ignore"):
        stops = -room / rates
    low = np.where(rates > 0, stops, -np.inf).max(axis=1, initial=-np.inf)
    high = np.where(rates < 0, stops, np.inf).min(axis=1, initial=np.inf)
    return (
        np.minimum(np.maximum(low, middle - half), 0),
        np.maximum(np.minimum(high, middle + half), 0),
    )


def spread(points: FloatArray) -> FloatArray:
    """Return a triangular L with L Lᵀ the covariance of the points, or a little more."""
    apart = points - sums(points) / len(points)
    spread = product(apart.T, apart) / len(points)
    least = _RIDGE * max(float(sums(spread.diagonal())), 2.0**-900)
    L = np.zeros_like(spread)
    for j in range(len(L)):  # Cholesky's columns, without LAPACK
        column = spread[j:, j] - product(L[j:, :j], L[j, :j, None])[:, 0]
        L[j:, j] = column / np.sqrt(max(column[0], 0.0) + least)
    return L
