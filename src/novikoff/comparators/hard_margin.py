"""The maximum margin γ* = max_w min_t y_t w·x_t/‖w‖: a linear program decides, a quadratic widens.

Whatever HiGHS and PIQP return is a proposal: we return only what holds in exact arithmetic.
"""

import contextlib
import math
from dataclasses import dataclass, field, replace

import numpy as np

from novikoff import _core
from novikoff.comparators.farkas import Proposal, Witness, plain_separator, plain_witness, witness
from novikoff.comparators.geometry import (
    Matrix,
    Rows,
    as_array,
    exact_dots,
    read_rows,
    required,
    unit,
)
from novikoff.errors import HypothesisError
from novikoff.learners.hypothesis import finite_number
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import BinaryLabels
from novikoff.types import AnyArray, FloatArray, IntArray, Label

_ROUNDS = 100
_FINEST = 2.0**-48  # below this, w has no digits left
_LARGEST = 1000  # largest power of two to scale a column by
_WIDE = 2000  # with more features than this, an interior point beats the simplex
_MOST_WORKING = 5000
_GAP = 1e-12
_TRACE = 1e-30  # the least weight of a row in the program's basis
_CLOSE = 1e-8  # with a smaller γ, the program's rows may well be inseparable


@dataclass(frozen=True, eq=False)
class Margin:
    """How far apart two labels lie, with a proof: what ``margin`` returns."""

    separable: bool | None
    """True: w proves it. False: the witness proves it. None: neither was found."""
    value: float | None
    """The margin of w, rounded down; 0 if nothing separates, None if that is unknown."""
    interval: tuple[float, float]
    """Proved bounds on γ*: w gives the lower one, a dual point the upper one."""
    w: FloatArray | None
    """One weight per feature; y_t w·x_t > 0 for every row, exactly. Its length means nothing."""
    witness: Witness | None
    """Whole a ≥ 0 with Σ a_t y_t x_t = 0."""
    radius: float
    """R = max ‖x_t‖, rounded up, including the constant feature."""
    bound: float
    """(R/γ)² with the margin of w, rounded up: the most mistakes a perceptron can make."""
    halfspace: Halfspace | None = field(default=None, repr=False)
    bias: float | None = None
    """The value of the constant feature, if one was folded in."""

    def hypothesis(self) -> Halfspace:
        """Return w as a halfspace: the learner by linear programming, consistent with every row."""
        if self.halfspace is None:
            got = "a witness that there is no w" if self.witness else "none found"
            raise HypothesisError(
                f"margin: expected a w that separates, got {got}. Look at witness and interval."
            )
        return self.halfspace


def margin(
    X: object, y: object, *, positive: Label | None = None, bias: float | None = None
) -> Margin:
    """Find how far apart two labels lie, or prove that no hyperplane separates them.

    The margin is γ* = max_w min_t y_t w·x_t/‖w‖, and the answer has a w that attains it. The
    separation is strict and through the origin; ``bias`` folds in a constant feature of that
    value, as the learners do. X, y and ``positive`` are as in ``nv.stream``. Needs the extra
    ``margin``.

    >>> import novikoff as nv
    >>> round(nv.margin([[1.0, 2.0], [2.0, 1.0]], [-1, 1]).value, 6)
    0.707107
    >>> nv.margin([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], [1, 1, -1]).witness
    Witness(rows=(0, 2), weights=(1, 1))
    """
    bias = None if bias is None else finite_number("bias", bias)
    known = BinaryLabels(positive)
    rows, names = read_rows(X, y, known, bias)
    return _margin(rows, known, names, bias)


@np.errstate(all="ignore")  # products that underflow are counted, and the solver returns anything
def _margin(
    rows: Rows, known: BinaryLabels, names: _core.Features | None, bias: float | None
) -> Margin:
    radius = rows.radius()
    proof = plain_witness(rows) or plain_separator(rows, _WIDE) or _decided(rows)
    if isinstance(proof, Witness):
        return Margin(False, 0.0, (0.0, 0.0), None, proof, radius, math.inf, bias=bias)
    if not proof.separates:
        upper = rows.dual_bound(proof.rows, proof.weights)
        return Margin(None, None, (0.0, upper), None, None, radius, math.inf, bias=bias)
    proof = _widest(rows, proof)
    lower, bound = rows.margin(proof.w)
    interval = lower, rows.dual_bound(proof.rows, proof.weights)
    w, bias_weight = (proof.w, 0.0) if bias is None else (proof.w[:-1], float(proof.w[-1]))
    h = Halfspace(w, bias, bias_weight, known.pair, names)
    return Margin(True, lower, interval, h.w, None, radius, bound, h, bias)


class _Program:
    """max γ subject to z_t·w ≥ γ for some rows and |w_j| ≤ 1, columns and rows scaled to 1.

    If tolerances are too coarse, ``zoom`` searches near the w found in smaller units.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        # No finite scale takes a denormal column to 1: it stays small.
        self.scale = np.ldexp(1.0, np.minimum(-np.frexp(rows.column_sizes)[1], _LARGEST))
        self.base, self.unit = np.zeros(rows.columns), 1.0
        self.index, self.row_scales = np.zeros(0, np.int64), np.zeros(0)
        highspy = required("highspy")
        self.highs, self.basic = highspy.Highs(), highspy.HighsBasisStatus.kBasic
        wide = rows.columns > _WIDE
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("solver", "ipm" if wide else "simplex")
        self.highs.setOptionValue("presolve", "on" if wide else "off")
        for kind in ("primal", "dual"):
            self.highs.setOptionValue(f"{kind}_feasibility_tolerance", 1e-10)
        box = np.append(np.ones(rows.columns), np.inf)
        self.highs.addVars(len(box), -box, box)
        self.highs.changeColCost(rows.columns, -1.0)

    def add(self, index: IntArray) -> None:
        """Add these rows to the program."""
        sparse = required("scipy.sparse")
        Z, scales = self._scaled(index)
        Z = sparse.csr_array(sparse.hstack([Z, np.full((len(index), 1), -1.0)]))
        bounds = self._lower(index), np.full(len(index), np.inf)
        starts, columns = Z.indptr[:-1].astype(np.int32), Z.indices.astype(np.int32)
        self.highs.addRows(len(index), *bounds, Z.nnz, starts, columns, Z.data)
        self.index = np.append(self.index, index)
        self.row_scales = np.append(self.row_scales, scales)

    def solve(self) -> tuple[float, Proposal]:
        """Return γ, and w with the dual point."""
        for crossover in ("off", "on"):  # only a witness needs a vertex
            self.highs.setOptionValue("run_crossover", crossover)
            self.highs.run()
            solution = self.highs.getSolution()
            step = np.array(solution.col_value)
            if self.unit * step[-1] > _CLOSE:
                break
        self.found = self.base + self.unit * step[:-1]
        basic = [state == self.basic for state in self.highs.getBasis().row_status]
        dual = np.maximum(solution.row_dual, np.where(basic or True, 0.0, _TRACE)) * self.row_scales
        return self.unit * step[-1], Proposal(unit(self.found * self.scale), self.index, dual)

    def zoom(self) -> None:
        """Continue the search around the w found, 2^24 times finer."""
        self.base, self.unit = self.found, self.unit * 2.0**-24
        count = len(self.index)
        bounds = self._lower(self.index), np.full(count, np.inf)
        self.highs.changeRowsBounds(count, np.arange(count, dtype=np.int32), *bounds)

    def _scaled(self, index: IntArray) -> tuple[Matrix, FloatArray]:
        Z = required("scipy.sparse").csr_array(self.rows.take(index))
        Z.data = Z.data * self.scale[Z.indices]
        scales = np.ldexp(1.0, -np.frexp(np.maximum.reduceat(np.abs(Z.data), Z.indptr[:-1]))[1])
        Z.data = Z.data * np.repeat(scales, np.diff(Z.indptr))
        return Z, scales

    def _lower(self, index: IntArray) -> FloatArray:
        """−z_t·base, in units: what the rest of w must make up for."""
        if not self.base.any():
            return np.zeros(len(index))
        return np.asarray(-exact_dots(self._scaled(index)[0], self.base)[0] / self.unit)


def _lowest(values: FloatArray, count: int) -> IntArray:
    """Return where the smallest values are."""
    return np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))


def _decided(rows: Rows) -> Witness | Proposal:
    """Find a separating w or a witness, from the program on more and more rows."""
    program = _Program(rows)
    batch = int(np.clip(2 * rows.columns, 50, 500))
    centre = program.scale * (program.scale * (rows.matrix.T @ (rows.signs / rows.norms)))
    program.add(_lowest(rows.dots(centre) / rows.norms, 2 * batch))
    for _ in range(_ROUNDS):
        gain, found = program.solve()
        margins = rows.dots(found.w) / rows.norms
        failing = np.flatnonzero(margins <= 0)
        if not len(failing):
            failing = rows.failing(found.w)
        if not len(failing):
            return replace(found, separates=True)
        proof = witness(rows, found) if gain <= _CLOSE else None
        if proof:
            return proof
        fresh = np.setdiff1d(failing, program.index)
        if len(fresh):
            program.add(fresh[_lowest(margins[fresh], batch)])
        elif program.unit > _FINEST:
            program.zoom()
        else:
            break
    return found


class _Best:
    """The best w and the best dual point so far, in floats."""

    def __init__(self, rows: Rows, found: Proposal) -> None:
        self.rows, self.found, self.lower, self.upper = rows, found, 0.0, math.inf
        self.consider(found.w, found.rows, found.weights)

    def consider(self, w: FloatArray, index: IntArray, weights: FloatArray) -> FloatArray:
        """Keep the better one; return z_t·w for every row."""
        dots = self.rows.dots(w)
        length = np.linalg.norm(w)
        lower = float(dots.min() / length) if length > 0 else 0.0
        if lower > self.lower:
            self.found, self.lower = replace(self.found, w=w), lower
        weights = np.maximum(weights, 0.0)
        upper = np.linalg.norm(self.rows.take(index).T @ weights) / max(weights.sum(), 1e-300)
        if 0 < upper < self.upper:
            some = weights > 0
            self.found = replace(self.found, rows=index[some], weights=weights[some])
            self.upper = float(upper)
        return dots


def _widest(rows: Rows, found: Proposal) -> Proposal:
    """min ‖w‖² subject to z_t·w ≥ 1: solved for a working set, to which violated rows are added."""
    best = _Best(rows, found)
    batch = int(np.clip(4 * rows.columns, 100, 500))
    working = _lowest(rows.dots(found.w), 2 * batch)
    for _ in range(_ROUNDS):
        size = best.lower
        # z_t·w ≥ 1 as (s_t z_t)·w ≥ s_t, with s_t such that the rows are equally long
        scales = np.median(rows.norms[working]) / rows.norms[working]
        Z = rows.take(working, scales / size)
        if len(working) > _MOST_WORKING or not np.isfinite(abs(Z).sum()):
            break
        Z = Z if rows.columns > _WIDE else as_array(Z)
        w, weights, tight = _quadratic(Z, scales)
        dots = best.consider(w, working, weights * scales) / size
        outside = np.setdiff1d(np.flatnonzero(dots < 1 - 1e-9), working)
        if not len(outside):
            with contextlib.suppress(ValueError, OverflowError):  # sizes beyond float64
                w, weights = _polished(Z, scales, weights, tight)
            dots = best.consider(w, working, weights * scales) / size
            outside = np.setdiff1d(np.flatnonzero(dots < 1 - 1e-13), working)
        settled = not len(outside) and best.lower < 2 * size
        if settled or best.upper - best.lower <= _GAP * best.upper:
            break
        kept = working[dots[working] < 5] if len(outside) else working
        worst = _lowest(dots[outside], max(batch, len(kept) // 2))
        working = np.append(kept, outside[worst])
    w = unit(best.found.w)
    return replace(best.found, w=found.w if len(rows.failing(w)) else w)


def _quadratic(Z: Matrix, least: FloatArray) -> tuple[FloatArray, FloatArray, AnyArray]:
    """min ½‖w‖² subject to Z w ≥ s: return w, the dual weights, and which rows are tight.

    With fewer rows than features it solves the dual: min ½‖Zᵀa‖² − s·a subject to a ≥ 0.
    """
    solver = required("piqp").DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = 1e-10
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = 1e-10
    count, columns = Z.shape
    if count <= columns:
        gram = np.asfortranarray(as_array(Z @ Z.T))
        solver.setup(gram, -least, x_l=np.zeros(count))
        solver.solve()
        weights, slack = np.array(solver.result.x), np.array(solver.result.z_bl)
        return Z.T @ weights, weights, weights > slack
    G = np.asfortranarray(as_array(Z))
    solver.setup(np.asfortranarray(np.eye(columns)), np.zeros(columns), G=G, h_l=least)
    solver.solve()
    weights, slack = np.array(solver.result.z_l), np.array(solver.result.s_l)
    return np.array(solver.result.x), weights, weights > slack


def _polished(
    Z: Matrix, least: FloatArray, weights: FloatArray, tight: AnyArray
) -> tuple[FloatArray, FloatArray]:
    """Solve Z w = s, w = Zᵀa on the tight rows, dropping those whose a is negative."""
    for _ in range(4):
        index = np.flatnonzero(tight)
        A, a = Z[index], weights[index]
        vectors, squares = _spectrum(A)
        w = A.T @ a
        for _ in range(3):
            dots = exact_dots(A, w)[0]
            step = vectors @ ((vectors.T @ (least[index] - dots)) / squares)
            a, w = a + step, w + A.T @ step
        weights = np.zeros(len(weights))
        weights[index] = a
        if not (a < 0).any():
            break
        tight = weights > 0
    return w, weights


def _spectrum(A: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvectors of A Aᵀ and its eigenvalues, without those that are 0."""
    if isinstance(A, np.ndarray):
        vectors, singular, _ = np.linalg.svd(A, full_matrices=False)
        squares = singular**2
        kept = singular > 1e-14 * len(A) * singular.max(initial=0.0)
    else:
        squares, vectors = np.linalg.eigh(as_array(A @ A.T))
        kept = squares > 1e-14 * squares.max(initial=0.0)
    return vectors[:, kept], squares[kept]
