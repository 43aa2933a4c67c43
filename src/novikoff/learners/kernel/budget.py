"""Budgets: how many supports a kernel learner may keep, and which guarantees that costs."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from novikoff.errors import parameter
from novikoff.types import AnyArray

Overflow = Literal["stop", "oldest", "random"]

_GUARANTEES = {
    "stop": (
        "The perceptron's theorems hold up to the round in which the budget is full; from then on "
        "the hypothesis stays as it is, and no theorem bounds its mistakes."
    ),
    "oldest": (
        "The perceptron's theorems hold until the first support is removed; after that no bound "
        "on the mistakes is known: the bound of dekel2008 needs the shrinking of old supports too."
    ),
    "random": (
        "The perceptron's theorems hold until the first support is removed; after that mistakes "
        "are bounded in expectation, against comparators of a norm that grows with the budget n "
        "as √(n/ln n) (cavallanti2007); that bound is not evaluated here."
    ),
}


@dataclass(frozen=True)
class Budget:
    """At most ``size`` supports; then a mistake is not added, or it replaces another support.

    ``overflow`` is "stop" (nothing more is added), "oldest" (the first support goes) or "random"
    (one drawn by (seed, round) goes). ``guarantee`` says which theorems still hold.

    >>> import novikoff as nv
    >>> learner = nv.KernelPerceptron(nv.rbf(0.5), budget=nv.Budget(2, overflow="oldest"))
    >>> run = nv.play(learner, [((0, 0), -1), ((0, 1), 1), ((1, 0), 1), ((1, 1), -1)])
    >>> run.mistakes, len(run.learner.supports)
    (4, 2)
    """

    size: int
    overflow: Overflow = "stop"
    seed: int = 0

    def __post_init__(self) -> None:
        whole = isinstance(self.size, (int, np.integer)) and not isinstance(self.size, bool)
        if not (whole and self.size >= 1):
            raise parameter("budget", "a whole number of at least 1", self.size)
        if self.overflow not in _GUARANTEES:
            raise parameter("overflow", "'stop', 'oldest' or 'random'", self.overflow)
        if not (isinstance(self.seed, (int, np.integer)) and 0 <= self.seed < 2**64):
            raise parameter("seed", "a whole number from 0 to 2^64 − 1", self.seed)
        object.__setattr__(self, "size", int(self.size))
        object.__setattr__(self, "seed", int(self.seed))

    @property
    def plain(self) -> dict[str, object]:
        """The same as plain data."""
        return asdict(self)

    @property
    def guarantee(self) -> str:
        """What the theorems still say."""
        return _GUARANTEES[self.overflow]

    def victim(self, births: AnyArray, number: int) -> int | None:
        """Return the slot to replace in this round; None if nothing is added."""
        if self.overflow == "stop":
            return None
        if self.overflow == "oldest":
            return int(births.argmin())
        draw = np.random.Philox(key=self.seed, counter=number).random_raw()
        return int(draw) * len(births) >> 64


def as_budget(value: Any) -> Budget | None:
    """Take a Budget, its plain data, a number of supports, or None."""
    if value is None or isinstance(value, Budget):
        return value
    if isinstance(value, dict) and value.keys() == {"size", "overflow", "seed"}:
        return Budget(**value)
    return Budget(value)
