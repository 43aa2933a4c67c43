"""What a certificate claims of a run, taken apart; and what the oracle finds instead."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mpmath import mp

from oracle.exponentials import Root
from oracle.reals import DIGITS, Real, Surd, Value, fits_float, is_number, real, require


@dataclass(frozen=True)
class Claim:
    """A theorem about a learner's run; nothing in it is believed."""

    theorem: str
    learner: str
    parameters: dict[str, Any]
    evidence: dict[str, Any]
    passes: int
    before: Any = None
    """The data of the rounds before the first, if the run went on from a model."""


Bounded = Value | Root


@dataclass(frozen=True)
class Outcome:
    """What really happened: the rounds of the mistakes, and the exact value of the bound."""

    mistakes: list[int]
    value: Bounded
    own: Real | None = None
    """Σ p_t·l_t, where the theorem bounds what is expected of the draws."""
    best: Fraction = Fraction(0)
    """What is taken off it: the losses of the best, where regret is bounded."""
    loss: float | None = None
    """The learner's own loss, if the theorem bounds it."""
    states: dict[int, str] | None = None
    """The hash of the state after every round, if a certificate may state it."""
    older: dict[int, str] | None = None
    """The same as older certificates state it, without what transforms remember."""
    start: str | None = None
    """The hash of the state before the first round, if the run went on from a model."""
    dual: Real | None = None
    """What no u has a loss and penalty below, times −1, if the evidence may say it."""


def rounds_of(
    passes: int, count: int, mistakes: list[int], state: Callable[[], Any] = lambda: None
) -> Iterator[int]:
    """Yield every round from 0, pass after pass, until a pass has changed nothing.

    A learner that learns from mistakes alone has no other state than those it has made.
    """
    for number in range(passes):
        before = len(mistakes), state()
        yield from range(number * count, (number + 1) * count)
        if (len(mistakes), state()) == before:
            return


def fields(evidence: Any, names: set[str]) -> None:
    """Require that the evidence has these fields and no others."""
    found = isinstance(evidence, dict) and evidence.keys() == names
    require(found, f"the evidence has other fields than {', '.join(sorted(names)) or 'none'}")


def number(value: Any, what: str) -> Fraction:
    """Return a float64 of a certificate exactly."""
    require(is_number(value) and fits_float(value), f"{what} is no float64")
    return Fraction(value)


def probability(value: Any) -> Fraction:
    """Return δ, strictly between 0 and 1."""
    delta = number(value, "delta")
    require(0 < delta < 1, "δ is not between 0 and 1")
    return delta


def progressive(rounds: int, mistakes: int, evidence: Any, passes: int) -> Value:
    """Return what `progressive` allows; the rounds of later passes are not fresh."""
    fields(evidence, {"delta"})
    delta = probability(evidence["delta"])
    require(rounds >= 1, "progressive speaks of at least one round")
    require(passes == 1, "the rounds of later passes are not fresh")
    if isinstance(evidence, Mixed):
        return _mixed_error(rounds, mistakes, delta)
    return _mean_error(rounds, mistakes, delta)


class Mixed(dict[str, Any]):
    """The evidence of `progressive-mixture`, whose run is played like that of `progressive`."""


@lru_cache
def _mixed_error(rounds: int, mistakes: int, delta: Fraction) -> Value:
    """The p with Σ_λ e^{−λM}(1 − (1 − e^{−λ})p)^{−T} = 34/δ, λ = 2^(3 − j/2), or 1."""

    def lead(p: Any) -> Any:
        rates = [mp.mpf(2) ** (3 - mp.mpf(j) / 2) for j in range(34)]
        terms = [mp.exp(-rate * mistakes) / (1 + mp.expm1(-rate) * p) ** rounds for rate in rates]
        return mp.log(mp.fsum(terms)) - mp.log(34 / real(delta))

    def root() -> Any:
        """Halve an interval a few times, then draw chords, which meet the axis at the root."""
        low, high = mp.mpf(0), mp.mpf(1)
        with mp.workdps(20):
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if lead(middle) < 0 else (low, middle)
        before, now, left = low, high, lead(low)
        while abs(now - before) > now * mp.mpf(10) ** (5 - mp.dps) and (right := lead(now)) != left:
            before, now, left = now, now - right * (now - before) / (right - left), right
        return now

    with mp.workdps(DIGITS):
        if lead(mp.mpf(1)) <= 0:
            return Surd(Fraction(1))
    return Real(root)


@lru_cache
def _mean_error(rounds: int, mistakes: int, delta: Fraction) -> Value:
    """min_λ (1 − exp(−(λM + ln(34/δ))/T))/(1 − e^{−λ}), λ = 2^(3 − j/2), and never above 1."""

    def allowed(j: int) -> Any:
        rate, mass = mp.mpf(2) ** (3 - mp.mpf(j) / 2), mp.log(34 / real(delta))
        return mp.expm1(-(rate * mistakes + mass) / rounds) / mp.expm1(-rate)

    with mp.workdps(DIGITS):
        best = min(range(34), key=allowed)
        if allowed(best) >= 1:
            return Surd(Fraction(1))
    return Real(lambda: allowed(best))


ZERO = Surd(Fraction(0))
