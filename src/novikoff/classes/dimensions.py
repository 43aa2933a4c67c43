"""Littlestone's dimension, and Vapnik and Chervonenkis's, with their proofs.

A set of hypotheses is a whole number, bit h for hypothesis h; a point splits it by one AND.
"""

from collections.abc import Sequence

from novikoff.classes.finite_class import FiniteClass
from novikoff.classes.grids import as_class
from novikoff.errors import parameter

Set = int


class Splits:
    """Ldim of sets of hypotheses of one class; each set is solved once   (littlestone1988).

    Ldim(∅) = −1, Ldim({h}) = 0, Ldim(V) = max over x splitting V of 1 + min(Ldim(V_x^+),
    Ldim(V_x^−)). A set of dimension k has at least 2^k members, so most splits need no search.
    """

    def __init__(self, columns: Sequence[Set]) -> None:
        self.columns = columns
        self.distinct = list(dict.fromkeys(columns))
        self._known: dict[Set, tuple[int, int]] = {}  # at least, at most

    def dimension(self, V: Set) -> int:
        """Return Ldim(V)."""
        low = 0 if V else -1
        while self.reaches(V, low + 1):
            low += 1
        return low

    def reaches(self, V: Set, k: int) -> bool:
        """Say whether Ldim(V) ≥ k."""
        size = V.bit_count()
        if k <= 1:
            return size > k if k > 0 else size > 0 or k < 0
        if size >> k == 0:
            return False
        low, high = self._known.get(V, (1, size.bit_length() - 1))
        if low < k <= high:
            if self._splits(V, k):
                low = k
            else:
                high = k - 1
            self._known[V] = low, high
        return k <= low

    def _splits(self, V: Set, k: int) -> bool:
        """Say whether some point leaves two sets of dimension k − 1."""
        half, found = 1 << (k - 1), {}
        for column in self.distinct:
            plus = V & column
            minus = V ^ plus
            least = min(plus.bit_count(), minus.bit_count())
            if least >= half:
                found[min(plus, minus)] = least, plus, minus
        return any(
            self.reaches(plus, k - 1) and self.reaches(minus, k - 1)
            for _, plus, minus in sorted(found.values(), reverse=True)
        )

    def point(self, V: Set) -> int:
        """Return a point that leaves two sets of dimension Ldim(V) − 1, which is not negative."""
        k = self.dimension(V) - 1
        for x, column in enumerate(self.columns):
            if self.reaches(V & column, k) and self.reaches(V & ~column, k):
                return x
        raise ValueError("a set of two or more")


def everything(H: FiniteClass) -> Set:
    """Return the set of all hypotheses."""
    return (1 << len(H)) - 1


def tabled(H: object) -> FiniteClass:
    """Return a class that has a table."""
    found = as_class(H)
    if not isinstance(found, FiniteClass):
        raise parameter("H", "a class with a table of points", H, "Its points are not finite.")
    return found


def littlestone_dimension(H: FiniteClass) -> int:
    """Return how many mistakes the best deterministic learner of H makes in the worst case.

    This is the Littlestone dimension, Ldim(H).

    >>> from novikoff.classes import thresholds
    >>> littlestone_dimension(thresholds(7))
    3
    """
    H = tabled(H)
    return Splits(H.bitsets).dimension(everything(H))


def vc_dimension(H: FiniteClass) -> int:
    """Return the size of the largest set of points that H labels in every way, VC(H).

    >>> from novikoff.classes import halfspaces
    >>> vc_dimension(halfspaces(2))
    3
    """
    return len(shattered_set(H))


def shattered_set(H: FiniteClass) -> tuple[int, ...]:
    """Return the numbers of some points that H labels in every way, as many as possible.

    >>> from novikoff.classes import halfspaces
    >>> shattered_set(halfspaces(2))
    (0, 1, 2)
    """
    H = tabled(H)
    columns = list(dict.fromkeys(H.bitsets))
    best: tuple[int, ...] = ()
    stack: list[tuple[int, tuple[int, ...], list[Set]]] = [(0, (), [everything(H)])]
    most = len(H).bit_length() - 1
    while stack and len(best) < most:
        start, chosen, parts = stack.pop()
        best = max(best, chosen, key=len)
        if start == len(columns) or len(chosen) + len(columns) - start <= len(best):
            continue
        stack.append((start + 1, chosen, parts))
        split = [half for part in parts for half in _halves(part, columns[start])]
        # To shatter k more points, every part needs at least 2^k members.
        if len(split) == 2 * len(parts):
            more = len(best) + 1 - len(chosen) - 1
            if more < 0 or min(part.bit_count() for part in split) >> more:
                stack.append((start + 1, (*chosen, start), split))
    first = [H.bitsets.index(column) for column in columns]
    return tuple(sorted(first[x] for x in best))


def _halves(part: Set, column: Set) -> list[Set]:
    return [half for half in (part & column, part & ~column) if half]
