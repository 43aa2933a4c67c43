"""exp, log1p and the sum of the float programs: the core gives the bits of docs/programs.md.

The page's own Python is run on a million arguments of each function, and on those near every place
where a branch, a rounding or a range changes.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from novikoff import _core
from novikoff.types import FloatArray
from program_page import program_page

PAGE = program_page()
NATIVE: dict[str, Callable[[FloatArray], FloatArray]] = {
    "exp": _core.program_exp,
    "log1p": _core.program_log1p,
}
LN2 = math.log(2)


def _words(count: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return 64 bits each, by splitmix64: whole numbers, so the same everywhere."""
    with np.errstate(over="ignore"):
        z = (np.arange(count, dtype=np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _spread(count: int, low: int, high: int, seed: int) -> FloatArray:
    """Return positive floats with exponents from 2^low to 2^high, every bit random."""
    words = _words(count, seed)
    exponents = words % np.uint64(high - low) + np.uint64(1023 + low)
    fractions = _words(count, seed + count) >> np.uint64(12)
    found: FloatArray = ((exponents << np.uint64(52)) | fractions).view(np.float64)
    return found


def _million(name: str) -> FloatArray:
    """Return a million arguments: all scales, and the range that matters, evenly."""
    evenly = (_words(600_000, 7) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    scales = _spread(400_000, -1022, 1023, 11)
    if name == "log1p":
        return np.concatenate([evenly, scales])
    signs = 1.0 - 2.0 * (_words(400_000, 5) % np.uint64(2)).astype(np.float64)
    return np.concatenate([(evenly - 0.5) * 1420.0, scales * signs])


def _adversarial(name: str) -> FloatArray:
    """Return arguments near the places where a branch, a rounding or a range changes."""
    middles = [(k + 0.5) * LN2 for k in range(-1022, 1022)]
    edges = [0.0, 1.0, 2**0.5 - 1, 2**-0.5, 708.0, 709.0, 5e-324, 2.2250738585072014e-308, 1e308]
    edges += [2.0**k for k in range(-1074, 1024)] + [2.0**k - 1 for k in range(1, 60)]
    edges += [2.0 ** (k + 0.5) - 1 for k in range(60)] + [k * LN2 for k in range(1022)]
    near = np.array([*middles, *edges, *(-e for e in edges)])
    steps = [near]
    for direction in (-np.inf, np.inf):
        moved = near
        for _ in range(3):
            moved = np.nextafter(moved, direction)
            steps.append(moved)
    found: FloatArray = np.concatenate(steps)
    found = found[np.isfinite(found)]
    return found if name == "exp" else found[found >= 0]


def _page(name: str, values: FloatArray) -> FloatArray:
    function = getattr(PAGE, name)
    return np.array([function(v) for v in values.tolist()])


@pytest.mark.parametrize("name", NATIVE)
def test_the_core_has_the_bits_of_the_page(name: str) -> None:
    values = np.concatenate([_adversarial(name), _million(name)])
    assert len(values) > 1_000_000
    assert NATIVE[name](values).tobytes() == _page(name, values).tobytes()


@pytest.mark.parametrize(("name", "most"), [("exp", 0.75), ("log1p", 1.2)])
def test_errors_are_below_what_the_page_says(name: str, most: float) -> None:
    """In units of the last place, against 40 digits."""
    values = np.concatenate([_adversarial(name)[::7], _million(name)[::200]])
    if name == "exp":
        values = values[abs(values) <= 708]
    real = mpmath.exp if name == "exp" else mpmath.log1p
    found = NATIVE[name](values)
    with mpmath.workdps(40):
        for v, f in zip(values.tolist(), found.tolist(), strict=True):
            exact = real(mpmath.mpf(v))
            assert abs(exact - mpmath.mpf(f)) <= most * math.ulp(f), (v, f)


def test_exp_is_clamped_and_never_subnormal() -> None:
    least, most = _core.program_exp(np.array([-1e308, 1e308]))
    assert 2.2250738585072014e-308 < least < 1e-307
    assert 1e307 < most < math.inf


def _sums() -> list[FloatArray]:
    """Return terms that are easy, cancel, span all scales, or add up to a tie, and their orders."""
    rng = np.random.default_rng(0)
    found = [np.array([]), np.array([-0.0]), np.array([5e-324, -5e-324]), np.array([2.0**53, 1.0])]
    for _ in range(20_000):
        n = int(rng.integers(1, 40))
        easy = rng.standard_normal(n)
        found.append(easy)
        found.append(easy * 2.0 ** rng.integers(-60, 60, n))
        found.append(np.round(easy * 4) / 4)
    for _ in range(4_000):
        n = int(rng.integers(1, 30))
        wild = rng.standard_normal(n) * 2.0 ** rng.integers(-1074, 800, n)
        found.append(np.concatenate([wild, -wild[: n // 2], rng.standard_normal(3)]))
        head = rng.integers(2**52, 2**53, 1).astype(float)
        tie = np.concatenate([head, [0.5], easy[:3] * 2.0**-60, -easy[:3] * 2.0**-60])
        found.append(tie)
        found.append(np.concatenate([tie, [2.0 ** -int(rng.integers(60, 1074))]]))
        found.append(rng.permutation(tie) * 2.0**-1060)
    return found


def test_the_sum_is_that_of_fsum() -> None:
    """1.5 million terms, in any order."""
    rng = np.random.default_rng(1)
    for terms in _sums():
        expected = math.fsum(terms.tolist())
        assert _core.program_sum(terms) == expected
        assert _core.program_sum(rng.permutation(terms)) == expected
        assert not math.copysign(1, expected) < 0 or expected < 0


def test_fsum_is_the_exact_sum_rounded() -> None:
    for terms in _sums()[::50]:
        exact = sum(map(Fraction, terms.tolist()), Fraction(0))
        assert _core.program_sum(terms) == float(exact)
