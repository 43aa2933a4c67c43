"""Types that every module may use."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
AnyArray = npt.NDArray[Any]
Arrays = dict[str, AnyArray]
"""Arrays by their names, as a saved file holds them."""

Plain = None | bool | int | float | str | Sequence["Plain"] | Mapping[str, "Plain"]
"""Plain data: what JSON can hold."""
Fields = dict[str, Plain]
"""The metadata of a saved file."""

EXACT = 2**53
"""float64 tells whole numbers apart within ±2^53, and no further."""

Label = Hashable
"""A label as the user writes it: a number, a string, a bool."""

PerRound = AnyArray | Sequence[Any]
"""One value per round: labels, whole outputs, or what the learner calls them."""


class Histogram(NamedTuple):
    """How many values lie in each of the equal bins from ``low`` to ``high``.

    The first and the last bin also count the values ``below`` and ``above`` the range.
    """

    low: float
    high: float
    counts: tuple[int, ...]
    below: int = 0
    above: int = 0


class Player(Protocol):
    """Anything that can be played: ours, or any object with these two methods.

    Labels are −1 and +1, or class ids 0, 1, … if the object's attribute ``multiclass`` is true.
    A prediction of None is an abstention.
    """

    def predict(self, x: Any, /) -> Any:
        """Return the label predicted for x; changes nothing."""
        ...

    def update(self, x: Any, y: Any, /) -> Any:
        """Learn that the label of x is y."""
        ...
