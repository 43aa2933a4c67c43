"""The shapes that everything else speaks of."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
AnyArray = npt.NDArray[Any]

Label = Hashable
"""A label as the user writes it: a number, a string, a bool."""

PerRound = AnyArray | Sequence[object]
"""One value per round: labels, whole outputs, or what the learner calls them."""


@dataclass(frozen=True)
class Histogram:
    """How many values lie in each of the equal bins from ``low`` to ``high``.

    The end bins also hold what lies outside, ``below`` and ``above``; nothing is left out.
    """

    low: float
    high: float
    counts: tuple[int, ...]
    below: int = 0
    above: int = 0


class Player(Protocol):
    """Anything that can be played: ours, or any object with these two methods.

    Labels are −1 and +1 (or class ids 0, 1, … where the object has a true attribute
    ``multiclass``); a prediction of None is an abstention.
    """

    def predict(self, x: Any, /) -> Any:
        """Return the label predicted for x; changes nothing."""
        ...

    def update(self, x: Any, y: Any, /) -> Any:
        """Learn that the label of x is y."""
        ...
