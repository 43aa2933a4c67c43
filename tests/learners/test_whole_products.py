"""Products of whole numbers: exact, the same as with doubles, and left to these otherwise."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from cpu_levels import said_on_each_level
from novikoff import _core
from novikoff.kernels import kernel_points

NATIVE = _core.cpu() != "baseline"
needs_kernel = pytest.mark.skipif(not NATIVE, reason="only CPUs with AVX2 have the kernel")
PROGRAM = """
import numpy as np
import novikoff as nv
rng = np.random.default_rng(5)
X = rng.integers(-300, 300, (700, 37)) * (rng.random((700, 37)) < 0.4)
y = np.where(X[:, 0] + X[:, 1] + rng.integers(-200, 200, 700) > 0, 1, -1)
for rows in (X.astype(float), X.astype(np.float32)):
    run = nv.play(nv.KernelPerceptron(nv.polynomial(3, 10.0)), nv.stream(rows, y), passes=2)
    print(run.mistakes, run.ledger.mistake_rounds.tolist(), run.hypothesis().scores(rows).tolist())
"""


def _whole(rng: np.random.Generator, rows: int, columns: int, largest: int) -> Any:
    return rng.integers(-largest, largest + 1, (rows, columns)).astype(float)


@needs_kernel
@given(
    st.integers(0, 11), st.integers(0, 23), st.integers(0, 70), st.integers(1, 3000), st.integers(0)
)
def test_they_are_exact(rows: int, others: int, columns: int, largest: int, seed: int) -> None:
    """Tiles of four rows, groups of sixteen and lanes of 32 values are filled or not."""
    rng = np.random.default_rng(seed)
    a, b = _whole(rng, rows, columns, largest), _whole(rng, others, columns, largest)
    found = _core.whole_products(a, b)
    exact = [[sum(int(u) * int(v) for u, v in zip(x, z, strict=True)) for z in b] for x in a]
    assert found is not None
    assert found.shape == (rows, others)
    assert found.tolist() == exact


@needs_kernel
def test_the_largest_numbers_do_not_overflow() -> None:
    for sign in (1.0, -1.0):
        a, b = np.full((5, 32), 32767.0), np.full((6, 32), sign * 2047.0)
        found = _core.whole_products(a, b)
        assert found is not None
        assert (found == sign * 32 * 32767 * 2047).all()
        assert _core.whole_products(a, np.full((6, 32), sign * 2049.0)) is None  # 2³¹ or more
    assert _core.whole_products(np.full((4, 33), 32767.0), np.ones((4, 33))) is not None


@pytest.mark.parametrize("place", [0, 7, 31, 36])
@pytest.mark.parametrize(
    "value", [0.5, 32768.0, -32768.0, -(2.0**31), 2.0**40, np.nan, np.inf, -np.inf, 1e-300]
)
def test_other_numbers_are_left_to_doubles(value: float, place: int) -> None:
    a, b = np.ones((3, 37)), np.ones((4, 37))
    b[2, place] = value
    assert _core.whole_products(a, b) is None
    assert _core.whole_products(b, a) is None


@needs_kernel
def test_rows_may_lie_apart() -> None:
    rng = np.random.default_rng(0)
    a, b = _whole(rng, 20, 50, 255), _whole(rng, 30, 60, 255)
    a.flags.writeable = False
    found = _core.whole_products(a[::2, :41], b[::-3, :41])
    assert found is not None
    assert np.array_equal(found, a[::2, :41] @ b[::-3, :41].T)


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="rows of equal length"):
        _core.whole_products(np.ones((3, 4)), np.ones((3, 5)))
    with pytest.raises(ValueError, match="contiguous rows"):
        _core.whole_products(np.ones((6, 3)).T, np.ones((3, 6)))


def test_a_run_has_the_same_bits_on_every_cpu() -> None:
    """Without the kernel, NumPy's products of doubles are as exact."""
    assert len(set(said_on_each_level(PROGRAM))) == 1


@needs_kernel
@pytest.mark.parametrize("cores", [2, 16])
def test_many_cores_leave_them_to_blas(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread is slower than a BLAS library on 16 cores."""
    asked = []

    def whole(a: Any, b: Any) -> Any:
        asked.append(len(a))
        return a @ b.T

    monkeypatch.setattr(kernel_points, "core_count", lambda: cores)
    monkeypatch.setattr(_core, "whole_products", whole)
    X = _whole(np.random.default_rng(0), 300, 5, 9)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    nv.play(nv.KernelPerceptron(nv.polynomial(2)), nv.stream(X, y))
    assert bool(asked) == (cores == 2)
