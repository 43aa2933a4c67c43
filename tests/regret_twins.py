"""Readable twins of the learners with experts and arms: fractions, and decimals of 40 digits."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Context, Decimal, setcontext
from fractions import Fraction
from typing import Any

from novikoff import _core

setcontext(Context(prec=40))


class WeightedMajority:
    def __init__(self, experts: int, beta: float) -> None:
        self.weights, self.beta = [Fraction(1)] * experts, Fraction(beta)

    def predict(self, advice: Sequence[int]) -> int:
        votes = zip(self.weights, advice, strict=True)
        return 1 if sum(w * int(a) for w, a in votes) >= 0 else -1

    def learn(self, advice: Sequence[int], outcome: int) -> None:
        pairs = zip(self.weights, advice, strict=True)
        self.weights = [w if a == outcome else w * self.beta for w, a in pairs]


class Exponential(ABC):
    """p ∝ e^{−ηL}, drawn by the unit numbers of the core."""

    def __init__(self, size: int, seed: int, horizon: int | None) -> None:
        self.totals, self.seed, self.rounds = [Decimal(0)] * size, seed, 0
        self.size, self.horizon = Decimal(size), horizon

    @abstractmethod
    def rate(self) -> Decimal: ...

    def probabilities(self) -> list[Decimal]:
        weights = [(-self.rate() * total).exp() for total in self.totals]
        return [w / sum(weights) for w in weights]

    def unit(self, series: int = 0) -> Decimal:
        return Decimal(_core.draw_unit(self.seed, series, self.rounds))

    def drawn(self, p: Sequence[Decimal], unit: Decimal) -> int:
        total = Decimal(0)
        for k, share in enumerate(p):
            total += share
            if total > unit:
                return k
        raise AssertionError(p)

    def choose(self) -> int:
        return self.drawn(self.probabilities(), self.unit())


class Hedge(Exponential):
    def rate(self) -> Decimal:
        return (8 * self.size.ln() / (self.horizon or self.rounds + 1)).sqrt()

    def learn(self, losses: Any) -> Decimal:
        """Learn a row of losses; return the expected one."""
        row = [Decimal(float(loss)) for loss in losses]
        charged = sum(p * loss for p, loss in zip(self.probabilities(), row, strict=True))
        self.totals = [a + b for a, b in zip(self.totals, row, strict=True)]
        self.rounds += 1
        return Decimal(charged)


class Exp3(Exponential):
    share = Decimal(0)

    def rate(self) -> Decimal:
        rate = self.size.ln() / self.size
        return (2 * rate / self.horizon if self.horizon else rate / (self.rounds + 1)).sqrt()

    def learn(self, arm: int, loss: float) -> None:
        p = self.probabilities()[arm]
        self.totals[arm] += Decimal(loss) / (p + self.share * self.rate())
        self.rounds += 1


class Exp3IX(Exp3):
    share = Decimal("0.5")


class Exp3P(Exponential):
    def __init__(self, size: int, seed: int, horizon: int | None, delta: float) -> None:
        super().__init__(size, seed, horizon)
        self.delta = Decimal(delta)

    @property
    def epoch(self) -> tuple[int, Decimal]:
        """(T, δ) of the epoch that the next round belongs to."""
        if self.horizon:
            return self.horizon, self.delta
        r = (self.rounds + 1).bit_length() - 1
        return 2**r, self.delta / ((r + 1) * (r + 2))

    def rate(self) -> Decimal:
        return Decimal("0.95") * (self.size.ln() / (self.epoch[0] * self.size)).sqrt()

    @property
    def gamma(self) -> Decimal:
        return min(
            Decimal(1), Decimal("1.05") * (self.size * self.size.ln() / self.epoch[0]).sqrt()
        )

    def mixed(self) -> list[Decimal]:
        return [(1 - self.gamma) * p + self.gamma / self.size for p in self.probabilities()]

    def choose(self) -> int:
        if self.unit(1) < self.gamma:
            return int(self.unit() * self.size)
        return super().choose()

    def learn(self, arm: int, loss: float) -> None:
        T, delta = self.epoch
        beta = ((self.size / delta).ln() / (T * self.size)).sqrt()
        gains = [beta + (1 - Decimal(loss) if k == arm else 0) for k in range(int(self.size))]
        pairs = zip(self.totals, gains, self.mixed(), strict=True)
        self.totals = [total - gain / p for total, gain, p in pairs]
        self.rounds += 1
        if self.horizon is None and self.epoch[0] == self.rounds + 1:
            self.totals = [Decimal(0)] * int(self.size)
