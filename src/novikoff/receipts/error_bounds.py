"""Bounds on the mean error of the hypotheses of a run, from its mistakes, and their relatives."""

import itertools
import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import numpy as np

from novikoff.decimal_contexts import HUGE, decimals, within
from novikoff.errors import as_float, parameter
from novikoff.types import FloatArray

if TYPE_CHECKING:
    from fractions import Fraction

_UP, _DOWN = (decimals(50, rounding) for rounding in (ROUND_CEILING, ROUND_FLOOR))
_WIDE = decimals(50, exponent=HUGE)
with within(_WIDE):
    _RATES = [Decimal(2.0 ** (6 - j)).sqrt() for j in range(34)]  # Λ, each within a unit
    _KEPT = [(-rate).exp() for rate in _RATES]  # 1 − c
_FLOATS = np.array(_RATES, float)
_LOST = -np.expm1(-_FLOATS)  # c = 1 − e^{−λ}
_ROUNDING = Decimal("1e-30")  # far above what fifty digits lose here, far below a float's
_NOTHING = 80.0  # a term of Λ that is e^{−80} of the largest changes no float


def mixture_bound(mistakes: int, rounds: int, delta: float = 0.05) -> float:
    """The p with (1/|Λ|) Σ_λ e^{−λM}(1 − cp)^{−T} = 1/δ, c = 1 − e^{−λ}, at most 1, rounded upward.

    Λ = {2^{3−j/2} : j = 0..33}. With X_t = [h_t errs], E[e^{−λX_t}] is 1 − c·err(h_t), so
    e^{−λM}/Π(1 − c·err(h_t)) is a martingale, and so is the mean over Λ: with probability ≥ 1 − δ
    it never exceeds 1/δ. By Jensen's inequality Π(1 − c·err(h_t)) ≤ (1 − c·mean)^T. The mean over Λ
    is at least 1/|Λ| of its largest term, so this is never above ``progressive_bound``.

    >>> [round(mixture_bound(mistakes, 1000), 4) for mistakes in (0, 10, 100)]
    [0.0049, 0.0242, 0.1346]
    """
    mass = _log_over(len(_RATES), mistakes, rounds, delta)
    return _mixture_bound(int(mistakes), int(rounds), mass)


@np.errstate(all="ignore")  # what underflows adds nothing
def _mixture_bound(made: int, total: int, mass: Decimal) -> float:
    goal = float(mass)
    if _log_sum(1.0, made, total)[0] < goal - 1e-6 * (1 + goal):  # no p is enough
        return 1.0
    p = min(1.0, float(np.min(np.expm1(-(_FLOATS * made + goal) / total) / np.expm1(-_FLOATS))))
    for _ in range(100):
        value, slope = _log_sum(p, made, total)
        step = (value - goal) / slope
        p = min(1.0, p - step)
        if abs(step) <= 1e-13 * p:
            break
    return _newton(p, made, total, mass)


def _log_sum(p: float, mistakes: int, rounds: int) -> tuple[float, float]:
    """Return ln Σ_λ e^{−λM}(1 − cp)^{−T} in floats, and its derivative in p."""
    logs = _logs(p, mistakes, rounds)
    top = float(logs.max())
    terms = np.exp(logs - top)
    total = float(terms.sum())
    slope = float((terms * _LOST / (1 - _LOST * p)).sum()) * rounds / total
    return top + math.log(total), slope


def _logs(p: float, mistakes: int, rounds: int) -> FloatArray:
    found: FloatArray = -_FLOATS * mistakes - rounds * np.log1p(-_LOST * p)
    return found


@within(_WIDE)
def _newton(start: float, mistakes: int, rounds: int, mass: Decimal) -> float:
    """Return the root of ln Σ_λ e^{−λM}(1 − cp)^{−T} = mass, rounded upward.

    The left side rises in p and is convex: a step of Newton's never ends below the root. Terms that
    are left out would only make it smaller.
    """
    logs = _logs(start, mistakes, rounds)
    chosen = np.flatnonzero(logs >= logs.max() - _NOTHING).tolist()
    p = Decimal(start)
    for _ in range(50):
        total = slope = Decimal(0)
        for j in chosen:
            rest = 1 - (1 - _KEPT[j]) * p
            term = _KEPT[j] ** mistakes / rest**rounds
            total += term
            slope += term * (1 - _KEPT[j]) / rest
        step = (total.ln() - mass) * total / (slope * rounds)
        p -= step
        if p >= 1:
            return 1.0
        if rounds * step * step <= p * _ROUNDING * 10**6:  # what the next step might change
            break
    return upward(p + p * _ROUNDING)


def progressive_bound(mistakes: int, rounds: int, delta: float = 0.05) -> float:
    """min over λ in Λ of (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), at most 1, rounded upward.

    Λ = {2^{3−j/2} : j = 0..33}. With X_t = [h_t errs] and c = 1 − e^{−λ}, E[e^{−λX_t}] is
    1 − c·err(h_t), so e^{−λM}/Π(1 − c·err(h_t)) is a martingale: with probability ≥ 1 − δ/|Λ| it
    never exceeds |Λ|/δ. Jensen's inequality does the rest, because −ln(1 − cp) is convex.

    >>> [round(progressive_bound(mistakes, 1000), 4) for mistakes in (0, 10, 100)]
    [0.0065, 0.0259, 0.1377]
    """
    mass = _log_over(len(_RATES), mistakes, rounds, delta)
    return _progressive_bound(int(mistakes), int(rounds), mass)


@within(_WIDE)
@np.errstate(all="ignore")
def _progressive_bound(mistakes: int, rounds: int, mass: Decimal) -> float:
    # Floats tell which λ may be the best; all of those within the float error are computed.
    rough = np.expm1(-(_FLOATS * mistakes + float(mass)) / rounds) / np.expm1(-_FLOATS)
    value = Decimal(1)
    for rate in itertools.compress(_RATES, rough <= rough.min() * (1 + 1e-9)):
        exponent = _UP.divide(_UP.fma(_UP.next_plus(rate), mistakes, mass), rounds)
        above = _UP.subtract(1, _DOWN.next_minus(_DOWN.exp(-exponent)))
        below = _DOWN.subtract(1, _UP.next_plus(_UP.exp(-_DOWN.next_minus(rate))))
        value = min(value, _UP.divide(above, below))
    return upward(value)


@within(_WIDE)
def hoeffding_bound(mistakes: int, rounds: int, delta: float = 0.05) -> float:
    """M/T + √(ln(1/δ)/(2T)), at most 1, rounded upward: hoeffding1963, Thm 2, to compare with.

    It holds with probability ≥ 1 − δ at one T fixed beforehand, ``mixture_bound`` at all T. At
    δ = 0.05 the latter measures smaller up to M/T = 8 % (T = 100), 13.4 % (10³), 15.1 % (10⁴), 15.6
    % (10⁵) and 15.8 % (10⁶); at δ = 0.01 up to 16.2 % (10³) and 19.1 % (10⁶).
    """
    mass = _log_over(1, mistakes, rounds, delta)
    root = _UP.next_plus(_UP.sqrt(_UP.divide(mass, 2 * int(rounds))))
    return upward(min(Decimal(1), _UP.add(_UP.divide(int(mistakes), int(rounds)), root)))


@within(_WIDE)
def _log_over(count: int, mistakes: int, rounds: int, delta: float) -> Decimal:
    whole = all(isinstance(n, (int, np.integer)) for n in (mistakes, rounds))
    if not (whole and 0 <= mistakes <= rounds and rounds >= 1):
        raise parameter("mistakes", "from 0 to the rounds, at least one", (mistakes, rounds))
    return _UP.next_plus(_UP.ln(_UP.divide(count, Decimal(checked_share("delta", delta)))))


def checked_share(name: str, value: float) -> float:
    """Return a number between 0 and 1, or refuse it."""
    if not 0 < as_float(value) < 1:
        raise parameter(name, "a number between 0 and 1", value)
    return float(value)


@within(_WIDE)
def upward(value: "Decimal | Fraction") -> float:
    """Return the least float that is not below the value."""
    near = float(value)
    return near if near >= value else math.nextafter(near, math.inf)
