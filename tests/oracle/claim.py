"""What a certificate claims of a run, taken apart; and what the oracle finds instead."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from mpmath import mp

from oracle.reals import Real, Surd, Value, fits_float, is_number, real, require


@dataclass(frozen=True)
class Claim:
    """A theorem about a learner's run; nothing in it is believed."""

    theorem: str
    learner: str
    parameters: dict[str, Any]
    evidence: dict[str, Any]
    passes: int


@dataclass(frozen=True)
class Outcome:
    """What really happened: the rounds of the mistakes, and the exact value of the bound."""

    mistakes: list[int]
    value: Value
    own: Real | None = None
    """Σ p_t·l_t, where the theorem bounds what is expected of the draws."""
    best: Fraction = Fraction(0)
    """What is taken off it: the losses of the best, where regret is bounded."""


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
    return _mean_error(rounds, mistakes, delta)


@lru_cache
def _mean_error(rounds: int, mistakes: int, delta: Fraction) -> Real:
    """min_λ (1 − exp(−(λM + ln(34/δ))/T))/(1 − e^{−λ}), λ = 2^(3 − j/2), and never above 1."""

    def bound() -> Any:
        mass = mp.log(34 / real(delta))
        found = [mp.mpf(1)]
        for j in range(34):
            rate = mp.mpf(2) ** (3 - mp.mpf(j) / 2)
            found.append(mp.expm1(-(rate * mistakes + mass) / rounds) / mp.expm1(-rate))
        return min(found)

    return Real(bound)


ZERO = Surd(Fraction(0))
