"""Bounds from fresh rows: what a frozen model did on rows that it has not learned from.

The rows must be independent draws from one distribution, and the model must have been frozen before
they were seen. ``clopper_pearson`` is exact for errors, ``mean_bound`` is for losses.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np

from novikoff.decimal_contexts import decimals, within
from novikoff.errors import as_float, parameter
from novikoff.types import FloatArray

_WIDE, _WIDER = decimals(50), decimals(65)
_SLACK = Decimal("1e-30")  # far above the rounding of a million operations on fifty digits
_NEAR_1 = Decimal("0." + 25 * "9")  # above the last float below 1
_EXACT = 400  # up to here n! is cheap, and beyond it Stirling's series is precise
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628621")
_STIRLING = (  # B_2k/(2k(2k − 1)): ln m! = m ln m − m + ½ ln 2πm + Σ_k c_k/m^{2k−1}
    (1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156),
    (-3617, 122400), (43867, 244188), (-174611, 125400), (77683, 5796),
)  # fmt: skip
GRID = 2**20
"""The mean of losses is bounded by a multiple of 1/GRID of their range."""
BETS = tuple(2.0 ** (-j / 2) for j in range(24))
"""The λ of ``mean_bound``."""
_BETS = np.array(BETS)
_GROUP = 16  # factors that are multiplied before their logarithm: at least 2^{−21·16} together


def clopper_pearson(errors: int, rows: int, delta: float = 0.05) -> float:
    """The least float p with P[Bin(n, p) ≤ k] ≤ δ, for k errors in n rows; 1 if k = n.

    With probability ≥ 1 − δ over n independent rows, a frozen model's error is at most p: if it is
    larger, so few errors come with probability at most δ (clopper1934). Exact: it is decided in
    decimals whose rounding is bounded, and in fractions if these are too close to tell.

    >>> round(clopper_pearson(0, 100), 4), round(clopper_pearson(10, 100), 4), clopper_pearson(3, 3)
    (0.0295, 0.1637, 1.0)
    """
    k, n, share = _counts(errors, rows, delta)
    return 1.0 if k == n else _least(k, n, share)


def clopper_pearson_interval(errors: int, rows: int, delta: float = 0.05) -> tuple[float, float]:
    """Return (low, high) with δ/2 for each end: the error lies in it with probability ≥ 1 − δ.

    From below, P[Bin(n, p) ≥ k] ≤ δ/2 says that 1 − p bounds the chance of being right.

    >>> [round(end, 4) for end in clopper_pearson_interval(10, 100)]
    [0.049, 0.1762]
    """
    k, n, share = _counts(errors, rows, delta)
    high = 1.0 if k == n else _least(k, n, share / 2)
    if k == 0:
        return 0.0, high
    with within(_WIDE):  # 1 − float would lose the small ends
        low = _float_below(1 - _root(n - k, n, share / 2) - _SLACK)
    return max(0.0, low), high


def mean_bound(losses: object, most: float, delta: float = 0.05) -> float:
    """An upper bound on the mean of losses from 0 to ``most``, at any number of rows at once.

    With X = loss/most and λ_j = 2^{−j/2}, j = 0..23, the capital (1/24) Σ_j Π_t (1 + λ_j(m − X_t))
    of one who bets on losses below m is a martingale if m is their mean. It ever reaches 1/δ with
    probability at most δ (Ville), so the mean is below the least m at which it does, which is
    rounded up to a multiple of 2⁻²⁰ (waudbysmith2024). X is rounded up to a multiple of 2⁻⁴⁰.

    >>> round(mean_bound([0.0] * 900 + [1.0] * 100, 1.0), 4)
    0.1336
    """
    most, share = as_float(most), _share(delta)
    found = np.asarray(losses, np.float64)
    if not 0 < most < math.inf:
        raise parameter("most", "a finite number above 0", most)
    if found.ndim != 1 or not ((found >= 0) & (found <= most)).all():
        raise parameter("losses", f"a list of numbers from 0 to {most:g}", found)
    exact = Fraction(most) * Fraction(_least_mean(found, most, share), GRID)
    near = float(exact)
    return near if near >= exact else math.nextafter(near, math.inf)


@within(_WIDE)
def clipped_bound(likely: FloatArray, clip: float, delta: float = 0.05) -> tuple[int, float]:
    """Bound E[−ln P(y)] as ``mean_bound`` does, for P(y) moved into [ε, 1 − ε].

    Return (steps, bound): the bound is the least float that is at least steps·2⁻²⁰·ln(1/ε).
    """
    steps = _least_mean(clipped_losses(likely, clip), largest_loss(clip), _share(delta))
    exact = -Decimal(clip).ln() * steps / GRID
    return steps, _float_above(exact * (1 + _SLACK))


def largest_loss(clip: float) -> float:
    """Return ln(1/ε), rounded up: the largest loss if probabilities are clipped at ε."""
    return -math.log(clip) * (1 + 2.0**-50)


@np.errstate(all="ignore")
def clipped_losses(likely: FloatArray, clip: float) -> FloatArray:
    """Return −ln P(y) with P(y) moved into [ε, 1 − ε], each rounded up a little."""
    found = -np.log(np.clip(likely, clip, 1 - clip)) * (1 + 2.0**-50)
    return np.minimum(found, largest_loss(clip))


@np.errstate(all="ignore")  # logarithms are rounded far enough down
def _least_mean(losses: FloatArray, most: float, delta: Fraction) -> int:
    """Return the least number of steps of 2⁻²⁰ at which the capital surely reaches 1/δ."""
    if not len(losses):
        return GRID
    # The shift up covers the rounding of a quotient of at most 1: X is never below the true one.
    scaled = np.minimum(np.ceil(losses / most * 2.0**40 + 2.0**-10) * 2.0**-40, 1.0)
    padded = np.concatenate([scaled, np.zeros(-len(scaled) % _GROUP)])
    groups, spare = padded.reshape(-1, _GROUP), len(padded) - len(scaled)
    goal = math.log(len(BETS)) - math.log(float(delta))
    low, step = max(0, int(scaled.mean() * GRID) - 1), 16  # at the mean the capital is at most 1
    while (high := low + step) < GRID and _log_capital(groups, spare, high / GRID) < goal:
        low, step = high, 4 * step
    high = min(high, GRID)  # 1 bounds everything
    while low + 1 < high:
        middle = (low + high) // 2
        if _log_capital(groups, spare, middle / GRID) >= goal:
            high = middle
        else:
            low = middle
    return high


def _log_capital(groups: FloatArray, spare: int, mean: float) -> float:
    """Return ln Σ_j Π_t (1 + λ_j(m − X_t)), rounded down; ``spare`` zeros are among the X.

    m − X is exact. So a factor is off by at most 2⁻⁵¹, and it is at least 1 − λ(1 − m) ≥ m.
    """
    gaps, logs = mean - groups, []
    at_once = max(1, 2**16 // groups.size)  # bets, so that their factors fit a cache
    for start in range(0, len(BETS), at_once):
        bets = _BETS[start : start + at_once]
        products = np.multiply.reduce(1 + bets[:, None, None] * gaps, axis=2)
        logs.append(np.log(products).sum(axis=1))
    wrong = groups.size * (2.0**-50 / (1 - _BETS * (1 - mean)) + 2.0**-44)
    found = np.concatenate(logs) - spare * np.log1p(_BETS * mean) - wrong
    top = float(found.max())
    return top + math.log(float(np.exp(found - top).sum())) - 2.0**-40


@within(_WIDE)
def _least(k: int, n: int, delta: Fraction) -> float:
    """Return the least float p with P[Bin(n, p) ≤ k] ≤ δ, for k < n."""
    found = _float_above(_root(k, n, delta))
    while found < 1 and not _is_rare(k, n, Fraction(found), delta):
        found = math.nextafter(found, 2)
    while found > 0 and _is_rare(k, n, Fraction(below := math.nextafter(found, 0)), delta):
        found = below
    return found


@within(_WIDE)
def _root(k: int, n: int, delta: Fraction) -> Decimal:
    """Return the p with P[Bin(n, p) ≤ k] = δ, to some 35 digits, by Newton's method on ln P;
    1 if it is beyond every other float.

    ln P falls in p and is concave, so a step from the right never passes the root.
    """
    share = Decimal(delta.numerator) / delta.denominator
    p = min(_beyond(k, n, share), _NEAR_1)
    if p == _NEAR_1 and _lower(k, n, p)[0] > share:
        return Decimal(1)
    for _ in range(200):
        mass, last = _lower(k, n, p)
        slope = (n - k) * last / (1 - p)  # −dP/dp, because `last` is P[Bin(n, p) = k]
        step = (mass / share).ln() * mass / slope
        p += step
        if abs(step) <= p * Decimal("1e-36"):
            break
    return p


def _beyond(k: int, n: int, share: Decimal) -> Decimal:
    """Return a p that is not below the root: Hoeffding's, or where n − k right ones are rare."""
    wide = Decimal(k) / n + (-share.ln() / (2 * n)).sqrt()
    ways = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)
    rare = 1 - ((share.ln() - ways) / (n - k)).exp()
    return min(wide, rare) if wide < 1 else rare


def _lower(k: int, n: int, p: Decimal) -> tuple[Decimal, Decimal]:
    """Return P[Bin(n, p) ≤ k] and P[Bin(n, p) = k], each to a relative 10⁻³⁰ and better.

    From i = k down, P(i − 1)/P(i) = i(1 − p)/((n − i + 1)p), or up from k + 1 if those are fewer.
    What is left out of the sum is below 10⁻⁴⁰ of it.
    """
    last = _chance(k, n, p)
    if (n + 1) * p >= k + 1:
        odds = (1 - p) / p
        return last * _series(lambda i: (k - i) * odds / (n - k + i + 1), k), last
    odds = p / (1 - p)
    first = last * (n - k) * odds / (k + 1)
    more = first * _series(lambda i: (n - k - 1 - i) * odds / (k + 2 + i), n - k - 1)
    return 1 - more, last


def _series(ratio: Callable[[int], Decimal], terms: int) -> Decimal:
    """Return 1 + r_0 + r_0r_1 + …, whose ratios r_i fall and are below 1."""
    total = term = Decimal(1)
    tiny = Decimal("1e-42")
    for i in range(terms):
        factor = ratio(i)
        term *= factor
        total += term
        if term < tiny * total * (1 - factor):
            break
    return total


def _chance(k: int, n: int, p: Decimal) -> Decimal:
    """P[Bin(n, p) = k] = n!/(k!(n − k)!)·p^k(1 − p)^{n−k}."""
    ways = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)
    return (ways + k * p.ln() + (n - k) * (1 - p).ln()).exp()


@cache
@within(_WIDER)
def _log_factorial(m: int) -> Decimal:
    """Return ln m!, off by less than 10⁻⁴⁵ m."""
    if m <= _EXACT:
        return Decimal(math.factorial(m)).ln()
    z = Decimal(m)
    found = z * z.ln() - z + (2 * _PI * z).ln() / 2
    return found + sum(Decimal(a) / b / z ** (2 * i + 1) for i, (a, b) in enumerate(_STIRLING))


@within(_WIDE)
def _is_rare(k: int, n: int, p: Fraction, delta: Fraction) -> bool:
    """Say whether P[Bin(n, p) ≤ k] ≤ δ, exactly."""
    if p >= 1 or p <= 0:
        return p >= 1
    mass, _ = _lower(k, n, Decimal(p.numerator) / p.denominator)
    share = Decimal(delta.numerator) / delta.denominator
    if abs(mass - share) > share * _SLACK:
        return mass < share
    if n > 10_000:  # so near a tie that the larger p is taken
        return False
    terms = (math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
    return sum(terms, Fraction(0)) <= delta


def _float_above(value: Decimal) -> float:
    near = float(value)
    return near if Decimal(near) >= value else math.nextafter(near, math.inf)


def _float_below(value: Decimal) -> float:
    near = float(value)
    return near if Decimal(near) <= value else math.nextafter(near, -math.inf)


def _counts(errors: int, rows: int, delta: float) -> tuple[int, int, Fraction]:
    whole = all(isinstance(n, (int, np.integer)) for n in (errors, rows))
    if not (whole and 0 <= errors <= rows):
        raise parameter("errors", "from 0 to the rows", (errors, rows))
    return int(errors), int(rows), _share(delta)


def _share(delta: float) -> Fraction:
    if not 0 < as_float(delta) < 1:
        raise parameter("delta", "a number between 0 and 1", delta)
    return Fraction(float(delta))
