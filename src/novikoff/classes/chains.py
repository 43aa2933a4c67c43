"""Classes on the points 0..n−1 of a line."""

import numpy as np

from novikoff.classes.finite_class import FiniteClass
from novikoff.errors import parameter

_LARGEST = 2**14


def thresholds(n: int) -> FiniteClass:
    """Return the n + 1 functions "x ≥ k" on the points 0..n−1.

    >>> H = thresholds(3)
    >>> H.table.tolist()
    [[1, 1, 1], [-1, 1, 1], [-1, -1, 1], [-1, -1, -1]]
    """
    _check(n)
    table = np.where(np.arange(n)[None, :] >= np.arange(n + 1)[:, None], 1, -1)
    return FiniteClass(table, None, [f"x ≥ {k}" for k in range(n + 1)], title=f"thresholds({n})")


def singletons(n: int) -> FiniteClass:
    """Return the n functions that are +1 at one point of n."""
    _check(n)
    names = [f"x = {k}" for k in range(n)]
    return FiniteClass(2 * np.eye(n, dtype=int) - 1, None, names, title=f"singletons({n})")


def _check(n: int) -> None:
    if not (isinstance(n, (int, np.integer)) and 1 <= n <= _LARGEST):
        raise parameter("n", f"a whole number from 1 to {_LARGEST}", n)
