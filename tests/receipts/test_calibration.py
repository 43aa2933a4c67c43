"""The calibration error: by its definition, whatever the order, and what it is worth."""

from fractions import Fraction

import numpy as np
import pytest

import novikoff as nv


def _by_hand(p: list[float], happened: list[bool], bins: int) -> float:
    """Sort, give equal p the same share, cut into bins about as large, and sum in fractions."""
    rows = sorted(zip(p, happened, strict=True))
    shares = {
        value: Fraction(sum(h for q, h in rows if q == value), sum(q == value for q, _ in rows))
        for value in set(p)
    }
    total, start = Fraction(0), 0
    for b in range(bins):
        size = len(rows) // bins + (b < len(rows) % bins)
        part = rows[start : start + size]
        total += abs(sum((Fraction(q) - shares[q] for q, _ in part), Fraction(0)))
        start += size
    return float(total / len(rows))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bins", [1, 3, 15, 200])
def test_it_is_the_definition_and_the_order_does_not_matter(seed: int, bins: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.integers(0, 20, 137) / 20
    happened = rng.random(137) < p**2
    found = nv.calibration_error(p, happened, bins)
    assert found == pytest.approx(_by_hand(p.tolist(), happened.tolist(), bins), abs=1e-12)
    order = rng.permutation(137)
    assert nv.calibration_error(p[order], happened[order], bins) == pytest.approx(found, abs=1e-12)
    assert found > 0.05


def test_honest_probabilities_have_a_small_error_and_boasts_a_large_one() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(20_000)
    happened = rng.random(20_000) < p
    assert nv.calibration_error(p, happened) < 0.02
    boasts = np.where(p > 0.5, 1.0, 0.0)
    assert nv.calibration_error(boasts, happened, bins=2) == pytest.approx(0.25, abs=0.01)
    assert nv.calibration_error([0.9] * 10, [True, False] * 5) == pytest.approx(0.4)


def test_what_is_no_probability_is_refused() -> None:
    for p, happened in (([], []), ([0.5], [True, False]), ([[0.5]], [[True]])):
        with pytest.raises(nv.InputError, match="happened: expected one outcome for each"):
            nv.calibration_error(p, happened)
    with pytest.raises(nv.InputError, match="probabilities: expected numbers from 0 to 1"):
        nv.calibration_error([1.5, float("nan")], [True, False])
    with pytest.raises(nv.ParameterError, match="bins: expected at least one"):
        nv.calibration_error([0.5], [True], bins=0)


def test_what_is_no_number_is_refused() -> None:
    for given, name in (
        ((["a"], ["b"]), "probabilities"),
        (([0.5], ["b"]), "happened"),
        (([10**400], [True]), "probabilities"),
    ):
        with pytest.raises(nv.ParameterError, match=f"{name}: expected a list of numbers"):
            nv.calibration_error(*given)
