"""Duals: no fixed weights lose less than the lower bound, and the best ones lose hardly more."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.optimize import minimize

from novikoff import verifier
from novikoff.types import AnyArray

GRID = 20  # the values of these rows are whole numbers of 2^−20
N = 1 << 30


def rows(seed: int, rounds: int = 60, d: int = 4) -> tuple[AnyArray, AnyArray, AnyArray]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((rounds, d)) * 16.0 ** rng.integers(-2, 3, d) * 2**20) / 2**20
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(rounds) > 0, 1.0, -1.0)
    return X, y, 10.0 ** rng.integers(-2, 3, d)


def vector(x: AnyArray) -> tuple[list[int], list[int]]:
    return list(range(len(x))), [int(Fraction(float(v)) * 2**GRID) for v in x]


LOSSES: dict[str, Callable[[AnyArray, AnyArray], AnyArray]] = {
    "logistic": lambda y, s: np.logaddexp(0, -y * s),
    "squared": lambda y, s: (y - s) ** 2,
}


def dual(loss: str, X: AnyArray, y: AnyArray, slopes: AnyArray, lambdas: AnyArray) -> Fraction:
    """Return the verifier's lower bound for slopes −ℓ′."""
    logistic, squared = verifier.LogisticDual(), verifier.SquaredDual()
    for values, label, c in zip(X, y, slopes, strict=True):
        sign, a, x = int(label), round(float(c) * N), vector(values)
        share = min(max(a * sign, 0), N)
        logistic.add(logistic.entropy(share), share * sign, x)
        squared.take(Fraction(float(label)), a, x)
    made: dict[str, verifier.DualBound] = {"logistic": logistic, "squared": squared}
    return Fraction(made[loss].least(lambda i: Decimal(float(lambdas[i])), GRID))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_no_weights_lose_less_than_any_dual_value(loss: str, seed: int) -> None:
    """Slopes are drawn at random, also far outside of what they may be."""
    X, y, lambdas = rows(seed)
    rng = np.random.default_rng(seed + 100)
    for scale in (0.01, 0.3, 2.0):
        value = float(dual(loss, X, y, rng.standard_normal(len(y)) * scale, lambdas))
        for size in (0, 0.01, 1):
            u = rng.standard_normal(X.shape[1]) * size
            assert value <= LOSSES[loss](y, X @ u).sum() + (lambdas * u * u).sum() / 2


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_the_slopes_of_the_best_weights_leave_hardly_a_gap(loss: str, seed: int) -> None:
    X, y, lambdas = rows(seed)

    def value(u: AnyArray) -> float:
        return float(LOSSES[loss](y, X @ u).sum() + (lambdas * u * u).sum() / 2)

    def slope(u: AnyArray) -> AnyArray:
        s = X @ u
        found: AnyArray = y / (1 + np.exp(y * s)) if loss == "logistic" else 2 * (y - s)
        return found

    best = minimize(
        value, np.zeros(X.shape[1]), jac=lambda u: lambdas * u - X.T @ slope(u), method="BFGS",
        options={"gtol": 1e-9},
    )  # fmt: skip
    lower = float(dual(loss, X, y, slope(best.x), lambdas))
    assert best.fun * (1 - 1e-6) <= lower <= best.fun * (1 + 1e-12)


def test_logistic_rounds_take_the_slopes_of_a_comparator() -> None:
    """α = 1/(1 + e^z), cut down to the grid, for every z whole or not."""
    made = verifier.LogisticDual()
    for z in (-(10**9), -800, -3, -1, 0, 1, 3, 15, 22, 800, 10**9):
        with mp.workdps(60):
            exact = 2**30 / (1 + mp.exp(mpf(z) / 4)) if z < 10**6 else mpf(0)
            assert exact - 1 - mpf(10) ** -15 <= made.share(z, 4) <= exact + mpf(10) ** -15


@pytest.mark.parametrize("a", [0, 1, 2, 3, 1000, N // 2, N - 1000, N - 1, N])
def test_the_entropy_is_rounded_down(a: int) -> None:
    found = verifier.LogisticDual().entropy(a)
    with mp.workdps(60):
        p = mpf(a) / N
        exact = -sum((q * mp.log(q) for q in (p, 1 - p) if q), mpf(0))
        assert exact - mpf(10) ** -26 <= mpf(str(found)) <= exact


@pytest.mark.parametrize("times", [1, 3])
def test_several_passes_have_the_losses_of_one_so_many_times(times: int) -> None:
    X, y, lambdas = rows(7, rounds=20)
    many, one = verifier.LogisticDual(), verifier.LogisticDual()
    for k in range(times):
        for x, label in zip(X, y, strict=True):
            many.take(int(label), 0, 1, vector(x))
            if k == 0:
                one.take(int(label), 0, 1, vector(x))
    by_feature = lambda i: Decimal(float(lambdas[i]))  # noqa: E731
    assert math.isclose(many.least(by_feature, GRID), one.least(by_feature, GRID, times))
