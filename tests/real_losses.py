"""`ftrl-diag` in real arithmetic: what tests of float programs compare with, written in mpmath."""

from fractions import Fraction
from typing import Any

import mpmath

mpf = mpmath.mpf
Row = dict[int, float]


def logistic_loss(y: int, s: Any) -> Any:
    return mpmath.log1p(mpmath.exp(-y * s))


def logistic_slope(y: int, s: Any) -> Any:
    return -y / (1 + mpmath.exp(y * s))


def dot(u: dict[int, Any], x: Row) -> Any:
    return mpmath.fsum(u.get(i, mpf(0)) * mpf(v) for i, v in x.items())


class Real:
    """w_i = −Σ g x_i/λ_i, λ_i = m_i √(Σ (g x_i)² + m_i²)/rate, and what the theorem says of it."""

    def __init__(self, rate: float) -> None:
        self.rate = mpf(rate)
        self.m: dict[int, Any] = {}
        self.theta: dict[int, Any] = {}
        self.energy: dict[int, Any] = {}
        self.lambdas: dict[int, Any] = {}  # of the last round with the feature
        self.stability = mpf(0)

    def weights(self, x: Row) -> dict[int, Any]:
        """Let λ know this round's x, and return w of its features."""
        for i, v in x.items():
            if v != 0:
                self.m[i] = max(self.m.get(i, mpf(0)), abs(mpf(v)))
                self.lambdas[i] = self.final(i)
        return {i: self.theta.get(i, mpf(0)) / self.lambdas[i] for i, v in x.items() if v != 0}

    def final(self, i: int) -> Any:
        m = self.m[i]
        return m * mpmath.sqrt(self.energy.get(i, mpf(0)) + m * m) / self.rate

    def learn(self, x: Row, g: Any) -> None:
        for i, v in x.items():
            if v != 0:
                step = g * mpf(v)
                self.stability += step * step / self.lambdas[i] / 2
                self.theta[i] = self.theta.get(i, mpf(0)) - step
                self.energy[i] = self.energy.get(i, mpf(0)) + step * step

    def penalty(self, u: dict[int, Any]) -> Any:
        """½ Σ λ_i u_i² with the λ of the last round: the least that the theorem allows."""
        return sum((lam * mpf(u.get(i, 0)) ** 2 / 2 for i, lam in self.lambdas.items()), mpf(0))


def upward(value: Any) -> Fraction:
    """Return a fraction a little above a real number."""
    found = value * (1 + mpf(10) ** -40) + mpf(10) ** -300
    sign, mantissa, exponent, _ = found._mpf_
    assert not sign
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
