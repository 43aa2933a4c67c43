"""The comparator for the logistic loss: its measures are proved bounds, its gap small and true."""

from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from novikoff import _core
from novikoff.comparators.penalised import Comparator, PenalisedRows, Solver
from novikoff.comparators.soft_margin import Watch
from novikoff.errors import InputError
from novikoff.streams.blocks.block import ArrayBlock, DenseBlock, from_scipy

mpf = mpmath.mpf


def _rows(
    X: Any, y: Any, lambdas: Any, bias: float = 0.0, bias_lambda: float = 1.0
) -> PenalisedRows:
    block: ArrayBlock = from_scipy(X, "X") if sp.issparse(X) else DenseBlock(X)
    labels = np.asarray(y, np.int8)
    return PenalisedRows([(block, labels)], np.asarray(lambdas), bias=bias, bias_lambda=bias_lambda)


def _data(rounds: int, features: int, seed: int, scale: float = 1.0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    columns = scale ** rng.uniform(-1, 1, features)
    X = rng.standard_normal((rounds, features)) * columns * (rng.random((rounds, features)) < 0.6)
    w = rng.standard_normal(features) / columns
    y = np.where(X @ w + rng.standard_normal(rounds) >= 0, 1, -1)
    return X, y, columns**2 * rng.uniform(0.5, 30, features)


def _exact(X: Any, y: Any, lambdas: Any, u: Any) -> tuple[Any, Any]:
    """L(u) and the penalty, in 60 digits."""
    with mpmath.workdps(60):
        loss = mpmath.fsum(
            mpmath.log1p(mpmath.exp(-int(t) * mpmath.fdot(map(mpf, x), map(mpf, u))))
            for x, t in zip(X, y, strict=True)
        )
        penalty = sum((mpf(a) * mpf(b) ** 2 for a, b in zip(lambdas, u, strict=True)), mpf(0)) / 2
    return loss, penalty


def _least(X: Any, y: Any, lambdas: Any) -> Any:
    """The least value, by Newton's method in 60 digits."""
    with mpmath.workdps(60):
        A, lam = mpmath.matrix(X.tolist()), mpmath.matrix(list(map(float, lambdas)))
        u = mpmath.zeros(A.cols, 1)
        for _ in range(60):
            s = A * u
            alpha = [1 / (1 + mpmath.exp(int(t) * s[k])) for k, t in enumerate(y)]
            gradient = mpmath.matrix([lam[i] * u[i] for i in range(A.cols)])
            curvature = mpmath.diag(list(lam))
            for k, t in enumerate(y):
                for i in range(A.cols):
                    gradient[i] -= alpha[k] * int(t) * A[k, i]
                    for j in range(A.cols):
                        curvature[i, j] += alpha[k] * (1 - alpha[k]) * A[k, i] * A[k, j]
            u -= mpmath.lu_solve(curvature, gradient)
            if mpmath.norm(gradient) < mpf(10) ** -40:
                break
        return sum(_exact(X, y, lambdas, list(u)), mpf(0))


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_small_and_the_least_value_lies_within_it(seed: int) -> None:
    X, y, lambdas = _data(40, 3, seed, scale=100.0)
    found = _rows(X, y, lambdas).best(1e-9)
    loss, penalty = _exact(X, y, lambdas, found.w)
    least = _least(X, y, lambdas)
    assert loss <= found.loss <= loss * (1 + mpf(10) ** -10)
    assert penalty <= found.penalty <= penalty * (1 + mpf(10) ** -10)
    assert found.value - found.gap <= least <= found.value
    assert found.gap <= 1e-9 * found.value


numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1e-3, -1e4, 1e150, 1e-150, 1e308])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6),
    st.tuples(numbers, numbers),
    st.tuples(st.sampled_from([1e-3, 1.0, 1e8]), st.sampled_from([1e-3, 1.0, 1e8])),
    st.data(),
)
def test_measures_of_any_u_are_bounds(X: Any, u: Any, lambdas: Any, data: Any) -> None:
    """Also of a u that is far from the best, and where w·x overflows."""
    signs = st.sampled_from([-1, 1])
    y = data.draw(st.lists(signs, min_size=len(X), max_size=len(X)))
    found = _rows(np.array(X), y, lambdas).measured(np.array(u), 0.0)
    loss, penalty = _exact(X, y, lambdas, u)
    assert found.loss >= loss
    assert found.penalty >= penalty
    assert found.gap >= 0
    zero = len(y) * mpmath.log(2)  # the value of u = 0, which the least is at most
    assert found.gap == np.inf or found.value - found.gap <= zero


def test_the_gap_of_zero_is_half_the_squared_gradient() -> None:
    """At u = 0 every α is ½, so the floor is T ln 2 − ½ Σ (Σ ½ y x)²/λ."""
    X, y = np.array([[1.0, 0.0], [2.0, -1.0]]), np.array([1, -1])
    found = _rows(X, y, [4.0, 2.0]).measured(np.zeros(2), 0.0)
    assert found.gap == pytest.approx((0.25 / 4 + 0.25 / 2) / 2, rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_sparse_and_dense_rows_with_a_constant_agree_with_scikit_learn(form: Any) -> None:
    X, y, lambdas = _data(2000, 12, 7, scale=30.0)
    found = _rows(form(X), y, lambdas, bias=2.0, bias_lambda=0.3).best(1e-9)
    scaled = np.column_stack([X / np.sqrt(lambdas), np.full(len(X), 2.0 / np.sqrt(0.3))])
    theirs = LogisticRegression(fit_intercept=False, C=1.0, tol=1e-10, max_iter=10_000)
    theirs.fit(scaled, y)
    z = theirs.coef_[0]
    margins = y * (scaled @ z)
    value = np.logaddexp(0, -margins).sum() + z @ z / 2
    assert found.value - found.gap <= value * (1 + 1e-12)
    assert found.value == pytest.approx(value, rel=1e-8)
    assert np.append(found.w, found.bias_weight) == pytest.approx(
        z / np.sqrt([*lambdas, 0.3]), rel=1e-3, abs=1e-6
    )


def test_realistic_data_are_solved_to_a_millionth(data: Any) -> None:
    import gzip

    with gzip.open(data / "spambase" / "spambase.data.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    X, y = np.ascontiguousarray(table[:, :-1]), np.where(table[:, -1] > 0, 1, -1)
    lambdas = np.abs(X).max(axis=0) ** 2
    found = _rows(X, y, lambdas, bias=1.0).best()
    assert found.gap <= 1e-6 * found.value
    assert found.value < 0.6 * len(y) * np.log(2)


def test_more_blocks_are_one() -> None:
    X, y, lambdas = _data(300, 5, 1)
    labels = y.astype(np.int8)
    parts = [(DenseBlock(X[a:b]), labels[a:b]) for a, b in ((0, 100), (100, 101), (101, 300))]
    whole, split = _rows(X, y, lambdas).best(), PenalisedRows(parts, lambdas).best()
    assert split.value == pytest.approx(whole.value, rel=2e-6)


def test_rows_in_many_blocks_take_no_more_passes_than_in_one() -> None:
    """Files come in blocks. Block after block, this search took 135 passes in place of 23."""
    X, y, lambdas = _data(6000, 20, 5)
    labels, taken = y.astype(np.int8), []
    for count in (1, 12):
        cuts = np.linspace(0, len(y), count + 1).astype(int)
        solver = _core.LogisticRegression(lambdas, 1.0, 0.0)
        for a, b in pairwise(cuts):
            solver.add(DenseBlock(X[a:b]).native, labels[a:b])
        while not solver.descend(1e-7, 1.0, 500) and solver.passes < 500:
            pass
        taken.append(solver.passes)
    assert taken[1] <= taken[0] + 3


def test_a_column_whose_lambda_is_out_of_range_weighs_nothing() -> None:
    X, y, lambdas = _data(50, 3, 2)
    lambdas[1] = np.inf
    found = _rows(X, y, lambdas).best()
    assert found.w[1] == 0
    assert found.gap == np.inf
    assert np.isfinite(found.value)


def test_no_rows_and_columns_without_values_are_answered() -> None:
    empty = PenalisedRows([], np.zeros(0)).best()
    assert (empty.loss, empty.penalty, empty.gap) == (0.0, 0.0, 0.0)
    blank = _rows(np.zeros((4, 2)), [1, -1, 1, 1], [1.0, 1.0]).best()
    assert blank.w.tolist() == [0.0, 0.0]
    assert blank.loss == pytest.approx(4 * np.log(2))


def test_a_row_that_is_no_x_is_refused_with_its_place() -> None:
    X = np.ones((3, 2))
    X[1, 1] = np.nan
    with pytest.raises(InputError, match="row 2: expected a finite value for feature 1, got nan"):
        _rows(X, [1, -1, 1], [1.0, 1.0]).best()


def test_ctrl_c_ends_the_search_with_what_is_found() -> None:
    X, y, lambdas = _data(500, 5, 3)
    calls = []

    def watch() -> None:
        calls.append(1)
        raise KeyboardInterrupt

    found = _rows(X, y, lambdas).best(1e-300, watch)
    assert calls
    assert isinstance(found, Comparator)


def test_lambdas_for_fewer_features_than_a_block_has_are_refused_by_the_core() -> None:
    solver = _core.LogisticRegression(np.ones(1), 1.0, 0.0)
    with pytest.raises(ValueError, match="a λ for every feature"):
        solver.add(DenseBlock(np.ones((1, 2))).native, np.ones(1, np.int8))


class _Watched(PenalisedRows):
    """Rows that are searched by dual coordinate descent, and keep their solver."""

    made: Solver

    def best(self, tolerance: float = 1e-6, watch: Watch = lambda: None) -> Comparator:
        self.made = self._solver()
        return self.descended(self.made, tolerance, watch)


def _watched(X: Any, y: Any, lambdas: Any) -> _Watched:
    labels = np.asarray(y, np.int8)
    return _Watched([(DenseBlock(X), labels)], np.asarray(lambdas, np.float64))


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_a_search_whose_gap_cannot_be_proved_stops_early(scale: float) -> None:
    X, y, lambdas = _data(300, 6, 3)
    usual = _watched(X, y, lambdas)
    least = usual.best()
    X[:, 0] *= scale
    lambdas[0] *= scale * scale
    rows = _watched(X, y, lambdas)
    found = rows.best()
    assert found.gap == np.inf
    assert rows.made.passes < 2 * usual.made.passes + 50
    without = _rows(X[:, 1:], y, lambdas[1:]).best()
    assert least.value - least.gap <= found.value <= without.value * (1 + 1e-5)


def test_a_search_that_hardly_gets_on_stops_early_no_worse_than_at_0() -> None:
    """Weights that cost next to nothing, and rows that contradict each other."""
    X, y = np.ones((600, 1)), np.where(np.arange(600) % 2, 1, -1)
    rows = _watched(X, y, [1e-8])
    found = rows.best()
    assert rows.made.passes < 5000
    assert found.value <= 600 * np.log(2) * (1 + 1e-12)
    assert found.value - found.gap <= 600 * np.log(2)
    loss, penalty = _exact(X, y, [1e-8], found.w)
    assert loss <= found.loss
    assert penalty <= found.penalty
