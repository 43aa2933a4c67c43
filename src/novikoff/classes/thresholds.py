"""Classes on the points 0..n−1 of a line."""

import numpy as np

from novikoff.classes.finite_class import FiniteClass
from novikoff.errors import whole

_LARGEST = 2**14


def thresholds(n: int) -> FiniteClass:
    """Return the n + 1 thresholds on the points 0..n−1: +1 from some point on.

    They are the functions "x ≥ k" for k from 0 to n.

    >>> H = thresholds(3)
    >>> H.table.tolist()
    [[1, 1, 1], [-1, 1, 1], [-1, -1, 1], [-1, -1, -1]]
    """
    n = whole("n", n, 1, _LARGEST)
    table = 2 * (np.arange(n)[None, :] >= np.arange(n + 1)[:, None]).astype(np.int8) - 1
    return FiniteClass(table, None, [f"x ≥ {k}" for k in range(n + 1)], title=f"thresholds({n})")


def singletons(n: int) -> FiniteClass:
    """Return the n functions that are +1 at one point of n.

    >>> singletons(2).table.tolist()
    [[1, -1], [-1, 1]]
    """
    n = whole("n", n, 1, _LARGEST)
    names = [f"x = {k}" for k in range(n)]
    return FiniteClass(2 * np.eye(n, dtype=np.int8) - 1, None, names, title=f"singletons({n})")
