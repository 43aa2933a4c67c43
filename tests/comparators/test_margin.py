"""Margins: what is returned is proved again here, in fractions, by code of its own."""

import gzip
import itertools
import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from novikoff.comparators import Margin, farkas, geometry, hard_margin, margin
from novikoff.errors import HypothesisError, InputError

pytest.importorskip("highspy", reason="margins need novikoff[margin]")
pytest.importorskip("piqp", reason="margins need novikoff[margin]")


def _signed(X: Any, y: Any, bias: float | None = None) -> list[dict[int, Fraction]]:
    """The z_t = y_t x_t, without their zeros, the constant feature numbered −1."""
    matrix = sp.csr_array(X).astype(np.float64)
    rows = []
    for t, label in enumerate(np.asarray(y).tolist()):
        within = slice(matrix.indptr[t], matrix.indptr[t + 1])
        row = dict(zip(matrix.indices[within].tolist(), matrix.data[within].tolist(), strict=True))
        if bias is not None:
            row[-1] = bias
        sign = 1 if label == 1 else -1
        rows.append({j: sign * Fraction(value) for j, value in row.items() if value})
    return rows


def _checked(X: Any, y: Any, bias: float | None = None, gap: float = 1e-9) -> Margin:
    """Find the margin, and prove what was found."""
    found = margin(X, y, bias=bias)
    rows = _signed(X, y, bias)
    squares = max(sum((v * v for v in row.values()), Fraction(0)) for row in rows)
    lower, upper = found.interval
    assert Fraction(found.radius) ** 2 >= squares
    assert Fraction(found.radius) ** 2 <= squares * (1 + Fraction(1, 10**12))
    if found.separable is False:
        assert found.witness is not None
        assert found.w is None
        assert (found.value, found.interval, found.bound) == (0.0, (0.0, 0.0), math.inf)
        assert len(set(found.witness.rows)) == len(found.witness.rows) > 0
        sums: dict[int, Fraction] = {}
        for t, a in zip(found.witness.rows, found.witness.weights, strict=True):
            assert type(t) is int
            assert type(a) is int
            assert a > 0
            for j, value in rows[t].items():
                sums[j] = sums.get(j, Fraction(0)) + a * value
        assert not any(sums.values())
        return found
    assert found.separable is True
    assert found.w is not None
    w = {j: Fraction(value) for j, value in enumerate(found.w.tolist())}
    w[-1] = Fraction(found.hypothesis().bias_weight)
    closest = min(sum((v * w[j] for j, v in row.items()), Fraction(0)) for row in rows)
    length = sum(v * v for v in w.values())
    assert closest > 0
    assert found.value == lower
    assert Fraction(lower) ** 2 * length <= closest**2
    if not math.isinf(found.bound):
        assert squares * length <= Fraction(found.bound) * closest**2
    assert upper - lower <= gap * upper
    return found


def _best_square(rows: list[dict[int, Fraction]], columns: int) -> Fraction | None:
    """γ*² by trying all sets of tight rows: w = Zᵀa with Z w = 1, a ≥ 0; None if inseparable."""

    def dot(one: dict[int, Fraction], other: dict[int, Fraction]) -> Fraction:
        return sum((v * other.get(j, Fraction(0)) for j, v in one.items()), Fraction(0))

    for size in range(1, columns + 1):
        for some in itertools.combinations(rows, size):
            a = _solved([[dot(one, other) for other in some] + [Fraction(1)] for one in some])
            if a is None or min(a) < 0:
                continue
            w: dict[int, Fraction] = {}
            for weight, row in zip(a, some, strict=True):
                for j, value in row.items():
                    w[j] = w.get(j, Fraction(0)) + weight * value
            if all(dot(row, w) >= 1 for row in rows):
                return 1 / dot(w, w)
    return None


def _solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Gauss and Jordan."""
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [v - rows[i][k] * u for v, u in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def _holds(found: Margin, square: Fraction) -> bool:
    return Fraction(found.interval[0]) ** 2 <= square <= Fraction(found.interval[1]) ** 2


@pytest.mark.parametrize("seed", range(80))
def test_small_sets_agree_with_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, d = int(random.integers(1, 8)), int(random.integers(1, 4))
    X: Any = random.integers(-4, 5, (n, d)) if seed % 2 else random.standard_normal((n, d))
    w = random.standard_normal(d)
    y = np.where(X @ w > 0, 1, -1) if seed % 4 < 3 else random.choice([-1, 1], n)
    bias = 1.0 if seed % 5 == 0 else None
    found = _checked(X, y, bias)
    square = _best_square(_signed(X, y, bias), d + (bias is not None))
    assert found.separable is (square is not None)
    assert square is None or _holds(found, square)


@pytest.mark.parametrize(("n", "d"), [(40, 3), (200, 12), (300, 40), (120, 90), (50, 200)])
@pytest.mark.parametrize("separable", [True, False])
def test_random_sets_are_decided_with_a_proof(n: int, d: int, separable: bool) -> None:
    random = np.random.default_rng(n)
    X = random.standard_normal((n, d))
    y = np.where(X @ random.standard_normal(d) > 0, 1, -1) if separable else np.ones(n)
    if not separable and d < n:
        X[-1] = -X[:-1].sum(axis=0)  # rounded: what is proved is what the floats are
    found = _checked(X, y)
    assert found.separable is (separable or d >= n)


def test_a_working_set_finds_the_same_as_all_rows() -> None:
    random = np.random.default_rng(3)
    u = random.standard_normal(20)
    X = random.standard_normal((20_000, 20))
    y = np.where(X @ u > 0, 1, -1)
    found = margin(X + 0.1 * y[:, None] * u / np.linalg.norm(u), y)
    assert found.separable
    assert found.interval[1] - found.interval[0] <= 1e-9 * found.interval[1]
    assert 0.1 <= found.interval[1] < 0.2
    assert margin(X, np.where(random.random(20_000) < 0.01, -y, y)).separable is False


@pytest.mark.parametrize("bias", [None, 1.0])
def test_wide_sparse_sets_are_decided_with_a_proof(bias: float | None) -> None:
    """More features than rows, the last of which are never there."""
    X = sp.random_array((150, 3000), density=0.01, rng=np.random.default_rng(1), format="csr")
    X = sp.csr_array((X.data, X.indices, X.indptr), shape=(150, 5000))
    y = np.where(np.arange(150) % 3 == 0, 1, -1)
    assert _checked(X, y, bias).separable
    thirds = [X[[0]], X[[3]], -2 * X[[0]] - X[[3]]]  # Σ a_t x_t = 0 with a = 2, 1, 1
    more, labels = sp.csr_array(sp.vstack([X, *thirds])), np.append(y, [1, 1, 1])
    assert _checked(more, labels).separable is False


@pytest.mark.parametrize("d", [1, 2, 3, 7, 25, 49, 100])
def test_unit_vectors_have_margin_one_over_root_d(d: int) -> None:
    """The stream on which Novikoff's bound is tight: it is d, and so are the mistakes."""
    y = np.array([-1 if k % 2 == 0 else 1 for k in range(d)])
    found = _checked(np.eye(d), y, gap=1e-15)
    assert _holds(found, Fraction(1, d))
    assert found.bound == d
    assert nv.play(nv.Perceptron("mistake"), nv.stream(np.eye(d), y)).mistakes == d


CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_conjunction_and_disjunction_have_their_margins_and_exclusive_or_none() -> None:
    found = _checked(CORNERS, [0, 0, 0, 1], bias=1.0)
    assert _holds(found, Fraction(1, 17))
    assert 51 <= found.bound <= 51 * (1 + 1e-14)
    assert found.hypothesis().predict(CORNERS).tolist() == [0, 0, 0, 1]
    assert _holds(_checked(CORNERS, [0, 1, 1, 1], bias=1.0), Fraction(1, 9))
    xor = _checked(CORNERS, [0, 1, 1, 0], bias=1.0)
    assert xor.witness == farkas.Witness((0, 1, 2, 3), (1, 1, 1, 1))


def test_setosa_is_separable_and_virginica_is_not() -> None:
    from sklearn.datasets import load_iris

    X, kind = load_iris(return_X_y=True)
    assert _checked(X, np.where(kind == 0, 1, -1), bias=1.0).separable
    assert _checked(X, np.where(kind == 2, 1, -1), bias=1.0).separable is False
    names = np.array(["setosa", "versicolor", "virginica"])[kind]
    found = margin(X, names, positive="setosa", bias=1.0)
    assert set(found.hypothesis().predict(X[kind == 0])) == {"setosa"}
    assert set(found.hypothesis().predict(X[kind != 0])) == {"not setosa"}


@pytest.mark.parametrize("size", [1e-3, 1e-5, 1e-7, 1e-10, 1e-13])
def test_thin_margins_are_enclosed(size: float) -> None:
    random = np.random.default_rng(8)
    u = random.standard_normal(10)
    u /= np.linalg.norm(u)
    X = random.standard_normal((300, 10))
    y = np.where(X @ u > 0, 1, -1)
    X += (size * y * random.uniform(1, 2, 300) - X @ u)[:, None] * u
    found = _checked(X, y, gap={1e-3: 1e-12, 1e-5: 1e-10, 1e-7: 1e-8}.get(size, 1.0))
    assert 0.2 * size < found.interval[0] <= found.interval[1] < 3 * size


def test_one_row_or_two_may_decide_alone() -> None:
    assert _holds(_checked([[3.0, 4.0]], [-1]), Fraction(25))
    assert _checked([[1.0, 2.0], [-1.0, -2.0]], [1, 1]).witness == farkas.Witness((0, 1), (1, 1))
    assert _checked([[1.0], [-3.0]], [1, 1]).witness == farkas.Witness((0, 1), (3, 1))
    zero = _checked([[1.0, 1.0], [0.0, -0.0], [2.0, 1.0]], [1, 1, 1])
    assert zero.witness == farkas.Witness((1,), (1,))
    twice = _checked([[1.0, 5.0], [0.0, 2.0], [-0.0, 2.0]], [1, 1, -1])
    assert twice.witness == farkas.Witness((1, 2), (1, 1))
    assert _checked(sp.csr_array(np.eye(3)[[0, 1, 1]]), [1, 1, -1]).separable is False
    assert _checked(np.zeros((2, 0)), [1, 1]).witness == farkas.Witness((0,), (1,))


@pytest.mark.parametrize("size", [1e100, 1e-100, 1e300, 1e-300])
@pytest.mark.parametrize("part", ["all", "columns", "rows"])
def test_huge_and_tiny_numbers_are_decided_with_a_proof(size: float, part: str) -> None:
    random = np.random.default_rng(5)
    X = random.standard_normal((60, 6))
    if part == "all" or abs(math.log10(size)) == 100:
        shape: dict[str, Any] = {"all": (1, 1), "columns": (1, 6), "rows": (60, 1)}
        X = X * np.where(random.integers(0, 2, shape[part]) | (part == "all"), size, 1.0)
    y = np.where(X[:, 0] > 0, 1, -1)
    found = _checked(X, y, gap=1e-9 if part == "all" else 1.0)
    assert found.separable
    plain = margin(np.ldexp(X, 10), y).interval
    assert part != "all" or np.allclose(np.ldexp(found.interval, 10), plain, rtol=1e-9, atol=0)
    assert _checked(X, random.choice([-1, 1], 60)).separable is False


def test_the_form_of_the_input_does_not_matter() -> None:
    random = np.random.default_rng(6)
    X = random.integers(-9, 10, (90, 5))
    X = X[X @ [1, -2, 3, 1, 1] != 0]
    y = np.where(X @ [1, -2, 3, 1, 1] > 0, 1, -1)
    expected = _checked(X, y)
    before = X.astype(np.float64)
    forms = [X.astype(np.float32), before, sp.csr_matrix(before), sp.csc_array(before)]
    forms += [np.asfortranarray(before), np.repeat(before, 2, axis=1)[:, ::2], before[:, ::-1]]
    for form in forms:
        found = _checked(form, y)
        assert np.allclose(found.interval, expected.interval, rtol=1e-12, atol=0)
        assert (found.radius, found.separable) == (expected.radius, True)
    assert np.array_equal(before, X)
    twice = margin(np.vstack([X, X]), np.append(y, y))
    assert np.allclose(twice.interval, expected.interval, rtol=1e-12, atol=0)
    folded, appended = margin(X, y, bias=2.0), margin(np.column_stack([X, np.full(len(X), 2)]), y)
    assert np.allclose(folded.interval, appended.interval, rtol=1e-12, atol=0)
    named = [{f"f{j}": int(v) for j, v in enumerate(row)} for row in X]
    found = margin(named, y)
    assert np.allclose(found.interval, expected.interval, rtol=1e-12, atol=0)
    assert found.hypothesis().predict(named).tolist() == y.tolist()
    assert set(found.hypothesis().weights()) <= {f"f{j}" for j in range(5)}


@pytest.mark.parametrize("k", [1, 2, 5, 10, 20])
def test_weights_that_double_have_the_margin_of_the_formula(k: int) -> None:
    """z_i = e_i − Σ_{j>i} e_j forces w_i = 2^(k−i): the margin is √(3/(4^k − 1))."""
    Z = np.eye(k) - np.triu(np.ones((k, k)), 1)
    found = _checked(Z, np.ones(k), gap=1e-9)
    assert _holds(found, Fraction(3, 4**k - 1))
    assert found.bound == pytest.approx(k * (4**k - 1) / 3, rel=1e-9)


@pytest.mark.parametrize("k", [4, 12, 20])
def test_decision_lists_are_separable(k: int) -> None:
    random = np.random.default_rng(k)
    signs = np.array([(-1) ** i for i in range(k)])
    X = np.vstack([random.integers(0, 2, (400, k)), np.triu(np.ones((k, k))), np.eye(k)])
    first = np.where(X.any(axis=1), X.argmax(axis=1), -1)
    y = np.where(first < 0, 1, signs[first])
    found = _checked(X, y, bias=1.0)
    assert found.hypothesis().predict(X).tolist() == y.tolist()
    lists = np.append(signs * 2.0 ** np.arange(k, 0, -1), 1.0)
    scores = y * (np.column_stack([X, np.ones(len(X))]) @ lists)
    assert found.interval[1] >= scores.min() / np.linalg.norm(lists) > 0


def _svmlight(path: Path) -> tuple[Any, Any]:
    if not path.exists():
        pytest.skip(f"no {path.name} among the real datasets")
    labels, entries = [], []
    with gzip.open(path, "rt") as lines:
        for t, line in enumerate(lines):
            label, *pairs = line.split()
            labels.append(float(label))
            entries += [(t, int(j) - 1, float(v)) for j, v in (pair.split(":") for pair in pairs)]
    rows, columns, values = zip(*entries, strict=True)
    return sp.csr_array((values, (rows, columns))), np.array(labels)


def test_mushrooms_can_be_told_apart(data: Path) -> None:
    X, y = _svmlight(data / "mushrooms" / "mushrooms.gz")
    found = _checked(X, np.where(y == 1, 1, -1))
    assert found.separable
    run = nv.play(nv.Perceptron(), nv.stream(X, y, positive=1.0), until_clean=True)
    assert run.mistakes <= found.bound
    assert np.array_equal(margin(X, y, positive=1.0).hypothesis().predict(X), y)


@pytest.mark.parametrize("name", ["splice", "svmguide1", "libsvm_small/german.numer"])
def test_sets_that_cannot_are_proved_so(data: Path, name: str) -> None:
    folder, _, file = name.rpartition("/")
    X, y = _svmlight(data / (folder or file) / f"{file}.gz")
    assert _checked(X, np.where(y == y.max(), 1, -1), bias=1.0).separable is False


def test_a_proof_that_fails_leaves_the_question_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hard_margin, "witness", lambda rows, found: None)
    found = margin(CORNERS, [0, 1, 1, 0], bias=1.0)
    assert (found.separable, found.value, found.w, found.witness) == (None, None, None, None)
    assert found.interval[0] == 0.0 <= found.interval[1] < 1e-9
    with pytest.raises(HypothesisError, match="expected a w that separates, got none found"):
        found.hypothesis()
    with pytest.raises(HypothesisError, match="got a witness"):
        margin([[1.0], [1.0]], [1, -1]).hypothesis()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((0, 2)), [], "X: expected at least one row, got none"),
        ([[1.0, np.nan]], [1], "row 1: expected a finite value for feature 1, got nan"),
        (sp.csr_array([[1.0], [np.inf]]), [1, 1], "row 2: expected a finite value"),
        ([[1.0]], [1, -1], "y: expected one label for each of the 1 rows"),
        ([[1.0]], ["a"], "expected labels −1 and \\+1, or 0 and 1, got 'a'"),
        ([[1.0, 2.0**-1074], [2.0**1000, 0.0]], [1, 1], "X: expected values whose sizes"),
        ([1.0, 2.0], [1, 1], "X: expected two dimensions"),
    ],
)
def test_what_has_no_margin_is_refused_by_name(X: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        margin(X, y)


@pytest.mark.parametrize("package", ["highspy", "piqp"])
def test_without_the_solvers_the_error_says_what_to_install(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"expected the package {package}.*novikoff\[margin\]"):
        margin(CORNERS, [0, 0, 0, 1], bias=1.0)


@pytest.mark.parametrize(("k", "kind"), [(2, "whole"), (40, "float"), (90, "whole"), (90, "float")])
def test_dependent_rows_have_exact_weights_and_independent_ones_none(k: int, kind: str) -> None:
    """k + 1 rows in k dimensions depend on each other; as do fewer that were made to."""
    random = np.random.default_rng(k)
    Z = random.standard_normal((k + 1, k))
    guess = np.abs(np.linalg.svd(Z.T)[2][-1])
    if kind == "whole":
        Z = random.integers(-9, 10, (k + 1, k + 5)).astype(np.float64)
        Z[-1], guess = -(Z[:-1].sum(axis=0)), np.ones(k + 1)
    else:
        Z *= np.sign(np.linalg.svd(Z.T)[2][-1])[:, None]
    weights = farkas._exact_weights(Z, guess / guess.sum())
    assert weights is not None
    assert farkas.vanishes(Z, weights)
    assert farkas._exact_weights(Z[:-1], guess[:-1]) is None
    assert not farkas.vanishes(Z, [weights[0] + 1, *weights[1:]])


def test_dots_are_exact_and_roots_are_rounded_as_directed() -> None:
    random = np.random.default_rng(2)
    M = random.standard_normal((40, 9)) * 10.0 ** random.integers(-20, 20, (40, 9))
    M[:, 8] = -np.round(M[:, :8] @ np.ones(8), 3)
    nearest, rest, lost = geometry.exact_dots(M, np.ones(9))
    for row, near, over in zip(M.tolist(), nearest.tolist(), rest.tolist(), strict=True):
        exact = sum(map(Fraction, row))
        assert near == float(exact)
        assert (over > 0) - (over < 0) == (exact > Fraction(near)) - (exact < Fraction(near))
    assert lost == 0.0
    assert geometry.exact_dots(np.array([[1e-200]]), np.array([1e-100]))[2] > 0
    for number in [Fraction(2), Fraction(9, 4), Fraction(1, 3) ** 500, Fraction(10) ** 300 + 1]:
        below = geometry.root(number, upward=False)
        above = geometry.root(number, upward=True)
        assert Fraction(below) ** 2 <= number <= Fraction(above) ** 2
        assert above in (below, math.nextafter(below, math.inf))
