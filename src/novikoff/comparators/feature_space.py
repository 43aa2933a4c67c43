"""Comparators in the space of a kernel: w = Σ_t a_t φ(x_t), found by the dual, measured by K.

‖w‖² = aᵀKa and w·φ(x_t) = (Ka)_t. A factor of the Gram matrix, K = LLᵀ, has rows with the same
products as the φ(x_t), so the soft-margin solver for linear rows works on the rows of L; K itself
then measures what it finds, rounded outward. The Gram matrix stays in memory: at most ``LIMIT``
rows.
"""

import math

import numpy as np

from novikoff import _core
from novikoff.comparators.soft_margin import Found, Rows
from novikoff.comparators.solver import BiasWeight, Solver
from novikoff.errors import HypothesisError
from novikoff.kernels import Points, Supports
from novikoff.kernels.kernel import UNIT, ProductKernel
from novikoff.streams.blocks.block import DenseBlock
from novikoff.types import AnyArray, FloatArray, IntArray

LIMIT = 6000
_SLACK = 1 + 1e-9


class KernelRows(Rows):
    """The rounds of one pass in feature space; a comparator's w holds one number per row.

    K is divided by a power of two near its largest value, so that R is near 1; ``unscaled`` undoes
    that for a comparator.
    """

    within = 2e-3

    def __init__(self, space: Supports, x: Points, labels: AnyArray) -> None:
        if len(x) > LIMIT:
            raise HypothesisError(
                f"bounds: expected at most {LIMIT} rows, whose Gram matrix fits in memory, got "
                f"{len(x)}. Bound a run over fewer."
            )
        self.bias, self.stopped = 0.0, False
        self.count = self.columns = len(x)
        self.labels = labels.astype(np.float64)
        gram, diagonal = space.matrix(x, x), space.diagonal(x)
        self.shift = math.frexp(float(diagonal.max(initial=0)))[1] if len(x) else 0
        off = 0.0
        if isinstance(space.kernel, ProductKernel):
            with np.errstate(all="ignore"):  # an overflow is refused
                reach = space.kernel.reach(x.norms, float(x.norms.max()), x.columns + 1)
            off = float(reach[1].max())
        if not (np.isfinite(gram).all() and math.isfinite(off)):
            raise HypothesisError(
                "bounds: expected kernel values within float64, got larger ones. Rescale the rows."
            )
        self.gram = np.ldexp((gram + gram.T) / 2, -self.shift)
        self.off = math.ldexp(off, -self.shift) * _SLACK
        """The largest error of an entry of the Gram matrix."""
        np.fill_diagonal(self.gram, np.ldexp(diagonal, -self.shift))
        self.squares = np.diag(self.gram) * _SLACK + self.off
        self.radius2 = float(self.squares.max(initial=0))
        rows = DenseBlock(_factor(self.gram))
        self.blocks = [(rows, labels.astype(np.int8))]
        self.nothing = self.measured(*self.zero())

    def measured(self, w: FloatArray, bias_weight: BiasWeight = 0.0) -> Found:
        """Measure Σ a_t φ(x_t), outward."""
        margins, norm2 = self.margins(w), float(w @ (self.gram @ w))
        total = float(np.abs(w).sum())
        rounding = (2 * self.count + 8) * UNIT * float(np.abs(self.gram).max(initial=0))
        norm2 = max(0.0, norm2 + total * total * (self.off + rounding)) * _SLACK
        xi = np.maximum(0.0, 1 - margins)
        hinge, hinge2 = (float(v.sum()) * _SLACK for v in (xi, xi * xi))
        return Found(w, 0.0, norm2, hinge, hinge2, float(margins.min(initial=np.inf)))

    def margins(self, w: FloatArray) -> FloatArray:
        """Return y_t w·φ(x_t) of every row, rounded downward."""
        found = self.labels * (self.gram @ w)
        sizes = np.abs(self.gram) @ np.abs(w)
        error = float(np.abs(w).sum()) * self.off + (self.count + 8) * UNIT * sizes
        rounded: FloatArray = found - error * _SLACK
        return rounded

    def found(self, solver: Solver) -> Found:
        """Measure the comparator of a solver's dual variables."""
        return self.measured(self.labels * solver.alphas())

    def over(self, found: Found, rows: IntArray) -> tuple[float, float]:
        """Return (Σ hinge, Σ K(x, x)) over these rows, counting repeated rows repeatedly."""
        xi = np.maximum(0.0, 1 - self.margins(found.w))
        return float(xi[rows].sum()) * _SLACK, float(self.squares[rows].sum()) * _SLACK

    def solver(self, cost: float, squared: bool) -> Solver:
        """Return a solver of the soft-margin problem, whose dual value is that of K."""
        solver = _core.SoftMargin(cost, squared, 0.0)
        ((rows, labels),) = self.blocks
        solver.add(rows.native, labels)
        return _Solver(self, solver)

    def unscaled(self, found: Found) -> list[list[float]]:
        """Return [row, a] of every row with a ≠ 0, from 1, for the unscaled K."""
        a = np.ldexp(found.w, -self.shift)
        return [[int(t) + 1, float(a[t])] for t in np.flatnonzero(a)]


class _Solver:
    """A solver on the factor's rows, whose dual value is computed with K itself."""

    def __init__(self, rows: KernelRows, inner: _core.SoftMargin) -> None:
        self.rows, self.inner = rows, inner

        self.set_cost, self.descend = inner.set_cost, inner.descend
        self.certify, self.alphas, self.w = inner.certify, inner.alphas, inner.w

    @property
    def passes(self) -> int:
        """How many passes over the rows were made."""
        return self.inner.passes

    @property
    def settled(self) -> bool:
        """Whether further passes change nothing."""
        return self.inner.settled

    @property
    def dual(self) -> float:
        """Σα − ½ aᵀKa, less Σα²/(2 cost) with squared losses: no primal value is below it."""
        alphas = self.inner.alphas()
        value = float(alphas.sum()) - self.rows.found(self.inner).norm2 / 2
        if self.inner.squared:
            value -= float(alphas @ alphas) / (2 * self.inner.cost)
        return value - abs(value) * 1e-9


def _factor(gram: FloatArray) -> FloatArray:
    """Return L with LLᵀ near K, which rounding may have made slightly indefinite."""
    if len(gram) == 0:
        return gram
    ridge = 1e-13 * float(np.diag(gram).max())
    for _ in range(14):
        try:
            return np.ascontiguousarray(np.linalg.cholesky(gram + ridge * np.eye(len(gram))))
        except np.linalg.LinAlgError:
            ridge *= 10
    raise HypothesisError(
        "bounds: expected a positive semidefinite Gram matrix, got another. The kernel is not "
        "legal: nv.check_kernel shows where."
    )
