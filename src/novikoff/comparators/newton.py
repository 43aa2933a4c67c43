"""Newton's method for smooth losses: it finds a u whose own α prove that it is nearly the best.

P(u) = Σ_t ℓ_t(u·x_t) + ½ Σ_i λ_i u_i² has the gradient g_i = λ_i u_i − Σ_t a_t x_ti with
a_t = −ℓ_t′, and the dual value at these a is P(u) − ½ Σ_i g_i²/λ_i. So a small gradient is a small
gap. Each step solves (λ + Σ_t ℓ_t″ x_t x_tᵀ) p = −g by conjugate gradients, scaled by the diagonal.
Nothing here is proved: the core measures the result.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from novikoff import _core
from novikoff.comparators.soft_margin import Watch
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray

_STEPS = 30  # of Newton's method
_PRODUCTS = 500  # with the second derivative, for one step
_HALVINGS = 20


class Rows(Protocol):
    """Rounds in blocks, and λ of every column."""

    blocks: list[tuple[ArrayBlock, AnyArray]]
    lambdas: FloatArray
    bias: float
    bias_lambda: float


class Curve(NamedTuple):
    """A smooth loss."""

    at: Callable[[FloatArray, FloatArray], tuple[float, FloatArray, FloatArray]]
    """From labels and scores to Σ ℓ, and −ℓ′ and ℓ″ of each row."""
    share: float
    """Of the gap, what a step may leave: far from the end, no step is worth being precise."""


def _logistic(y: FloatArray, scores: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """ℓ = ln(1 + e^{−ys})."""
    z = y * scores
    e = np.exp(-np.abs(z))
    alpha = np.where(z < 0, 1.0, e) / (1 + e)
    loss = float((np.maximum(-z, 0) + np.log1p(e)).sum())
    return loss, alpha * y, alpha * (1 - alpha)


def _squared(y: FloatArray, scores: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """ℓ = (y − s)²."""
    rest = y - scores
    return float((rest * rest).sum()), 2 * rest, np.full(len(y), 2.0)


CURVES = {"logistic": Curve(_logistic, 0.1), "squared": Curve(_squared, 0.0)}
"""By loss. For a parabola one step does it all."""


class NewtonSearch:
    """The search on given rows, for one loss. Vectors have the constant feature first."""

    def __init__(
        self, rows: Rows, curve: Curve, watch: Watch, pull: FloatArray | None = None
    ) -> None:
        self.rows, self.curve, self.watch = rows, curve, watch
        self.pull = np.zeros(len(rows.lambdas) + 1) if pull is None else pull
        """b of P(u) − b·u, which is made least: 0 but for learners that go on from a state."""
        self.lambdas = np.concatenate([[rows.bias_lambda], rows.lambdas])
        self.stopped = False
        """Whether Ctrl-C asked for the result so far."""
        self.y = np.concatenate([labels for _, labels in rows.blocks]).astype(np.float64)

    def improved(self, tolerance: float) -> FloatArray:
        """Return a u whose gap is about tolerance · value, or the best found."""
        u = np.zeros(len(self.lambdas))
        with np.errstate(all="ignore"):
            value, gradient, curvature = self._at(u)
            for _ in range(_STEPS):
                gap = self._size(gradient)
                fine = tolerance * abs(value)
                if self.stopped or not gap > fine:
                    break
                enough = max(self.curve.share * gap, fine / 2)
                step = self._step(gradient, curvature, enough)
                for _ in range(_HALVINGS):
                    lower, *next_ones = self._at(u + step)
                    if lower <= value:
                        break
                    step = step / 2
                else:
                    break
                u, value, (gradient, curvature) = u + step, lower, next_ones
        return u

    def _size(self, gradient: FloatArray) -> float:
        """½ Σ g_i²/λ_i."""
        return float((gradient * gradient / self.lambdas).sum() / 2)

    def _at(self, u: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return P(u), its gradient, and ℓ″ of every row."""
        scores = np.concatenate(
            [_core.plain_scores(block.native, self.rows.bias, u) for block, _ in self.rows.blocks]
        )
        loss, pulls, curvature = self.curve.at(self.y, scores)
        sums = np.zeros(len(u))
        for block, part in self._parts(pulls):
            _core.add_pull(block.native, part, self.rows.bias, sums)
        value = loss + float((self.lambdas * u) @ u) / 2 - float(self.pull @ u)
        return value, self.lambdas * u - sums - self.pull, curvature

    def _step(self, gradient: FloatArray, curvature: FloatArray, enough: float) -> FloatArray:
        """Solve (λ + Σ ℓ″ x xᵀ) p = −g until ½ Σ r_i²/λ_i of the residual r is small enough."""
        diagonal = self.lambdas.copy()
        for block, part in self._parts(curvature):
            _core.add_squares(block.native, part, self.rows.bias, diagonal)
        step, residual = np.zeros(len(gradient)), -gradient
        scaled = residual / diagonal
        direction, energy = scaled, float(residual @ scaled)
        for _ in range(_PRODUCTS):
            if self._asked_to_stop():
                break
            product = self.lambdas * direction
            for block, part in self._parts(curvature):
                _core.add_curvature(block.native, part, self.rows.bias, direction, product)
            curved = float(direction @ product)
            if not curved > 0:  # nothing is left, or a float is not a number
                break
            length = energy / curved
            step, residual = step + length * direction, residual - length * product
            if self._size(residual) <= enough:
                break
            scaled = residual / diagonal
            before, energy = energy, float(residual @ scaled)
            direction = scaled + (energy / before) * direction
        return step

    def _asked_to_stop(self) -> bool:
        try:
            self.watch()
        except KeyboardInterrupt:
            self.stopped = True
        return self.stopped

    def _parts(self, whole: FloatArray) -> list[tuple[ArrayBlock, FloatArray]]:
        """Cut numbers of all rows into those of each block."""
        found, start = [], 0
        for block, _ in self.rows.blocks:
            found.append((block, whole[start : start + len(block)]))
            start += len(block)
        return found
