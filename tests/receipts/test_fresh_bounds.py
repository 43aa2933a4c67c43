"""Bounds from fresh rows: exact, rounded upward, and right as often as they say."""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import novikoff as nv
from novikoff.receipts.calibration import calibration_bins
from novikoff.receipts.fresh_bounds import (
    clipped_bound,
    clopper_pearson,
    clopper_pearson_interval,
    mean_bound,
)
from novikoff.theory import named
from worlds import not_more_often, shares


def at_most(k: int, n: int, p: Fraction) -> Fraction:
    """P[Bin(n, p) ≤ k], term by term."""
    terms = (math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
    return sum(terms, Fraction(0))


counts = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.shows("holds", "clopper-pearson")
@settings(max_examples=60, deadline=None)
@given(counts, st.one_of(shares, st.sampled_from([0.5, 0.25, 2.0**-10, 1e-300, 0.05])))
def test_clopper_pearson_is_the_least_float(pair: tuple[int, int], delta: float) -> None:
    k, n = pair
    p = clopper_pearson(k, n, delta)
    if k == n:
        assert p == 1
        return
    assert at_most(k, n, Fraction(p)) <= Fraction(delta)
    assert at_most(k, n, Fraction(math.nextafter(p, 0))) > Fraction(delta)


@settings(max_examples=40, deadline=None)
@given(counts, shares)
def test_both_sides_of_the_interval_hold(pair: tuple[int, int], delta: float) -> None:
    k, n = pair
    low, high = clopper_pearson_interval(k, n, delta)
    half = Fraction(delta) / 2
    assert (low == 0) if k == 0 else 1 - at_most(k - 1, n, Fraction(low)) <= half
    assert (high == 1) if k == n else at_most(k, n, Fraction(high)) <= half
    if k and low < 1 - 1e-9:  # and nothing is given away
        assert 1 - at_most(k - 1, n, Fraction(low) * (1 + Fraction(1, 10**12))) > half
    assert low <= k / n <= high or delta > 0.5


@pytest.mark.parametrize(
    ("k", "n", "delta"),
    [(170, 5394, 0.05), (500, 10_000, 0.01), (49_990, 50_000, 0.05), (500, 1000, 0.9)],
)
def test_many_rows_agree_with_the_incomplete_beta_function(k: int, n: int, delta: float) -> None:
    def chance(p: float) -> mp.mpf:
        return mp.betainc(n - k, k + 1, 0, 1 - mp.mpf(p), regularized=True)

    found = clopper_pearson(k, n, delta)
    with mp.workdps(60):
        assert chance(found) <= mp.mpf(delta) < chance(math.nextafter(found, 0))


def test_ties_are_decided_exactly() -> None:
    assert clopper_pearson(0, 1, 0.5) == 0.5  # P = 1 − p is exactly δ
    assert clopper_pearson(0, 2, 0.25) == 0.5
    assert clopper_pearson(1, 2, 0.75) == 0.5


def test_no_rows_and_only_errors_say_nothing() -> None:
    assert clopper_pearson(0, 0) == clopper_pearson(7, 7) == 1
    assert clopper_pearson_interval(0, 0) == (0, 1)
    assert clopper_pearson_interval(0, 50)[0] == 0
    assert clopper_pearson_interval(50, 50)[1] == 1
    assert mean_bound([], 2.0) == 2


@pytest.mark.parametrize("bad", [(-1, 5, 0.1), (6, 5, 0.1), (1.5, 5, 0.1), (1, 5, 0.0), (1, 5, 1)])
def test_impossible_counts_and_shares_are_refused(bad: tuple[int, int, float]) -> None:
    for bound in (clopper_pearson, clopper_pearson_interval):
        with pytest.raises(nv.ParameterError, match=r"errors|delta"):
            bound(*bad)


@pytest.mark.shows("measured", "clopper-pearson")
@pytest.mark.parametrize("error", [0.01, 0.1, 0.5])
def test_the_error_is_below_the_bound_as_often_as_promised(error: float) -> None:
    rows, delta, times = 200, 0.2, 4000
    made = np.random.default_rng(3).binomial(rows, error, times)
    table = {k: clopper_pearson(k, rows, delta) for k in set(made.tolist())}
    failures = sum(table[k] < error for k in made.tolist())
    assert not_more_often(failures, times, delta)
    assert failures > 0.5 * delta * times or error < 0.05  # it is not loose, either
    assert not not_more_often(sum(k / rows < error for k in made.tolist()), times, delta)


def capital(mean: Fraction, losses: Iterable[Fraction]) -> mp.mpf:
    """(1/24) Σ_j Π_t (1 + 2^{−j/2}(m − X_t)), to sixty digits."""
    with mp.workdps(60):
        gaps = [mp.mpf((mean - x).numerator) / (mean - x).denominator for x in losses]
        bets = [mp.mpf(2) ** (-mp.mpf(j) / 2) for j in range(24)]
        return mp.fsum(mp.fprod(1 + bet * gap for gap in gaps) for bet in bets) / 24


@pytest.mark.shows("holds", "betting-mean")
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 2**20), min_size=1, max_size=60),
    st.sampled_from([0.05, 0.5, 1e-9, 0.99]),
    st.sampled_from([1.0, 2.0, 0.25]),
)
def test_the_bound_on_a_mean_is_where_the_capital_reaches_its_goal(
    steps: list[int], delta: float, most: float
) -> None:
    exact = [Fraction(s, 2**20) for s in steps]
    found = Fraction(mean_bound([most * s / 2**20 for s in steps], most, delta)) / Fraction(most)
    assert (found * 2**20).denominator == 1
    if found < 1:
        assert capital(found, exact) >= 1 / mp.mpf(delta)
    assert capital(found - Fraction(1, 2**20), exact) < 1 / mp.mpf(delta)


@cache
def _draws(kind: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rng = np.random.default_rng(11)
    if kind == "coins":
        return (rng.random((200, 150)) < 0.1).astype(float)
    return rng.beta(0.3, 4.0, (200, 150))


@pytest.mark.shows("measured", "betting-mean")
@pytest.mark.parametrize(("kind", "mean"), [("coins", 0.1), ("beta", 0.3 / 4.3)])
def test_the_mean_is_below_the_bound_at_all_rows_at_once(kind: str, mean: float) -> None:
    delta = 0.3
    failures = sum(
        any(mean_bound(one[:t], 1.0, delta) < mean for t in (5, 10, 30, 70, 150))
        for one in _draws(kind)
    )
    assert not_more_often(failures, 200, delta)
    assert not not_more_often(sum(one.mean() < mean for one in _draws(kind)), 200, delta)


def test_losses_outside_their_range_are_refused() -> None:
    for losses, most in (([1.5], 1.0), ([-0.1], 1.0), ([math.nan], 1.0), ([[0.5]], 1.0)):
        with pytest.raises(nv.ParameterError, match="losses: expected a list of numbers"):
            mean_bound(losses, most)
    for most in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(nv.ParameterError, match="most: expected a finite number"):
            mean_bound([0.0], most)


def test_the_intervals_of_calibration_hold_at_once() -> None:
    rng = np.random.default_rng(2)
    delta, missed = 0.3, 0
    for _ in range(60):
        p = rng.random(300)
        happened = rng.random(300) < p**2
        bins = calibration_bins(p, happened, delta, 4)
        assert sum(one.rows for one in bins) == 300
        true = [(b.low**2 + b.low * b.high + b.high**2) / 3 for b in bins]  # E[p² | p in the bin]
        missed += any(
            not b.interval[0] <= t <= b.interval[1] for b, t in zip(bins, true, strict=True)
        )
    assert not_more_often(missed, 60, delta)


def test_probabilities_of_0_and_1_have_bins() -> None:
    first, last = calibration_bins([0.0, 0.0, 1.0], [False, True, True])
    assert (first.low, first.rows, first.happened, first.calibrated) == (0.0, 2, 1, False)
    assert (last.high, last.rows, last.happened, last.calibrated) == (1.0, 1, 1, True)
    with pytest.raises(nv.ParameterError, match="bins"):
        calibration_bins([0.5], [True], 0.1, 0)


@pytest.mark.shows("tight", "clopper-pearson")
def test_an_error_just_above_the_bound_is_missed_with_probability_delta() -> None:
    for k, n, delta in ((0, 10, 0.05), (3, 20, 0.1), (7, 30, 0.5)):
        above = Fraction(math.nextafter(clopper_pearson(k, n, delta), 1))
        assert Fraction(delta) * (1 - Fraction(1, 10**12)) < at_most(k, n, above) <= delta


def test_the_theorems_are_the_bounds() -> None:
    for k, n, delta in ((0, 10, 0.05), (3, 20, 0.1), (7, 7, 0.5), (40, 90, 1e-6)):
        stated = named("clopper-pearson").evaluate({"rows": n, "errors": k, "delta": delta}).value
        assert stated == clopper_pearson(k, n, delta)
    likely = np.array([0.9, 0.8, 0.3, 0.99, 1.0, 0.0] * 8)
    steps, bound = clipped_bound(likely, 0.01, 0.1)
    losses = [-math.log(min(max(p, 0.01), 0.99)) for p in likely.tolist()]
    evidence = {"losses": losses, "clip": 0.01, "delta": 0.1}
    assert named("betting-mean").evaluate(evidence).value == pytest.approx(bound, rel=1e-15)
    assert bound == pytest.approx(steps / 2**20 * math.log(100), rel=1e-15)
