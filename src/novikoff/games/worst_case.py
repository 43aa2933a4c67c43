"""Games: the most mistakes that a learner makes on a class, found exactly.

mistake(A, C) = max over targets f in C and sequences of A's mistakes. If a learner depends only on
what is still consistent, it is played on sets of hypotheses, each solved once; any other learner
is replayed (``played_worst_case.py``).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from novikoff.classes import FiniteClass
from novikoff.classes.dimensions import Set, Splits, everything, tabled
from novikoff.errors import parameter, whole
from novikoff.games.played_worst_case import (
    LIMIT,
    Round,
    WorstCase,
    as_worst_case,
    ours,
    worst_replay,
)
from novikoff.types import Player

Move = tuple[int, Set, Round]  # 1 for a mistake, what is left, and the round


def worst_case(learner: Player, H: FiniteClass, *, limit: int = LIMIT) -> WorstCase:
    """Find the most mistakes that a deterministic learner can make if some h ∈ H is right.

    Learners of this library that play by a version space are solved exactly. Any other object
    with ``update`` and a ``predict`` that changes nothing is replayed from ``fresh()`` (or a copy)
    in at most ``limit`` states; if that is not enough, the result is an interval.

    >>> from novikoff.classes import thresholds
    >>> from novikoff.learners import Halving
    >>> H = thresholds(7)
    >>> worst_case(Halving(H), H).mistakes
    3
    """
    H, limit = tabled(H), whole("limit", limit, 1)
    calls = [getattr(learner, name, None) for name in ("predict", "update")]
    if isinstance(learner, type) or not all(map(callable, calls)):
        raise parameter("learner", "an object with predict and update", learner)
    if getattr(learner, "randomized", False):
        raise parameter("learner", "a deterministic one", learner, "Its draws have no worst case.")
    if not (ours(learner) and learner.family in _GAMES and learner.parameters["H"] == H):
        return worst_replay(learner, H, limit)
    kind = _GAMES[learner.family]
    game, V = kind(H.bitsets), everything(H)
    return as_worst_case(H, game.value(V), list(game.line(V)))


class _Game(ABC):
    """The game on sets: value(V) = max over x and y of [ŷ ≠ y] + value(V_x^y).

    ``least`` and ``most`` bound the value, and the search settles the rest. A round that does not
    split V changes nothing, so a line of play has at most one round per point.
    """

    def __init__(self, columns: list[Set]) -> None:
        self.splits = Splits(columns)
        first = {column: x for x, column in reversed(list(enumerate(columns)))}
        self.points = sorted((x, column) for column, x in first.items())
        self.known: dict[Set, tuple[int, int]] = {}  # at least, at most

    @abstractmethod
    def positive(self, V: Set, plus: Set) -> bool:
        """Say whether the learner predicts +1 if ``plus`` is the part of V that does."""

    def least(self, V: Set) -> int:
        """Return mistakes that any learner can be made to make from V on: Ldim(V)."""
        return self.splits.dimension(V)

    @abstractmethod
    def most(self, V: Set) -> int:
        """Return a number of mistakes that is never exceeded from V on."""

    def value(self, V: Set) -> int:
        """Return the most mistakes from V on."""
        low, high = self.least(V), self.most(V)
        while low < high:
            k = (low + high + 1) // 2
            low, high = (k, high) if self.reaches(V, k) else (low, k - 1)
        return low

    def reaches(self, V: Set, k: int) -> bool:
        """Say whether value(V) ≥ k, by a search in depth."""
        found = self._answer(V, k)
        if found is not None:
            return found
        stack = [(V, k, iter(self.moves(V, k)))]
        while stack:
            V, k, moves = stack[-1]
            for gain, left, _ in moves:
                found = self._answer(left, k - gain)
                if found is None:
                    stack.append((left, k - gain, iter(self.moves(left, k - gain))))
                    break
                if found:  # so all sets above it have what they need
                    for V, k, _ in stack:
                        self.known[V] = k, self.known[V][1]
                    return True
            else:
                stack.pop()
                self.known[V] = self.known[V][0], k - 1
        return False

    def moves(self, V: Set, k: int) -> list[Move]:
        """Return rounds after which value(V) ≥ k might hold, mistakes and large sets first."""
        found: dict[Set, Move] = {}
        for x, column in self.points:
            plus = V & column
            if plus in (0, V):
                continue
            positive = self.positive(V, plus)
            for left, y in ((plus, 1), (V ^ plus, -1)):
                gain = int(positive != (y > 0))
                if left not in found or found[left][0] < gain:
                    found[left] = gain, left, (x, y)
        hopeful = [move for move in found.values() if self._hope(move[1]) >= k - move[0]]
        return sorted(hopeful, key=lambda move: (-move[0], -move[1].bit_count()))

    def line(self, V: Set) -> Iterator[Round]:
        """Yield a best line of play from V on: the Littlestone adversary's if that is enough."""
        k = self.value(V)
        while k > 0:
            if self.splits.reaches(V, k):
                x = self.splits.point(V)
                plus = V & self.splits.columns[x]
                y = -1 if self.positive(V, plus) else 1
                gain, V, step = 1, plus if y > 0 else V ^ plus, (x, y)
            else:
                moves = self.moves(V, k)
                gain, V, step = next(m for m in moves if self.reaches(m[1], k - m[0]))
            k -= gain
            yield step

    def _hope(self, V: Set) -> int:
        """Return a bound that costs nothing: at least half of V is never wrong."""
        return V.bit_count().bit_length() - 1

    def _answer(self, V: Set, k: int) -> bool | None:
        """Say whether value(V) ≥ k if that is known; None if it must be searched."""
        if V not in self.known:
            if self._hope(V) < k:
                return False
            self.known[V] = self.least(V), self.most(V)
        low, high = self.known[V]
        return True if k <= low else False if k > high else None

    def _minorities(self, V: Set) -> list[int]:
        """Return, for each way to split V at a point, the members of the smaller part."""
        splits = {min(V & column, V & ~column) for _, column in self.points} - {0}
        sizes = [part.bit_count() for part in splits]
        return [min(size, V.bit_count() - size) for size in sizes]


class _HalvingGame(_Game):
    def positive(self, V: Set, plus: Set) -> bool:
        return 2 * plus.bit_count() >= V.bit_count()

    def most(self, V: Set) -> int:
        """Return a k that a chain of minorities allows.

        A mistake at x leaves a minority at x, which was one in V too, and at most half of what was
        left before. So k mistakes need points with minorities of 2^(k−1), 2^(k−2), …, 1.
        """
        sizes, k = sorted(self._minorities(V), reverse=True), 0
        while k < len(sizes) and all(sizes[i] >> (k - i) for i in range(k + 1)):
            k += 1
        return k


class _OptimalGame(_Game):
    def positive(self, V: Set, plus: Set) -> bool:
        return self.splits.dimension(plus) >= self.splits.dimension(V ^ plus)

    def most(self, V: Set) -> int:
        """Return Ldim(V): a mistake at x leaves a smaller dimension."""
        return self.least(V)


class _ConsistentGame(_Game):
    def positive(self, V: Set, plus: Set) -> bool:
        return bool(V & -V & plus)

    def least(self, V: Set) -> int:
        return min(1, V.bit_count() - 1)

    def most(self, V: Set) -> int:
        """Return a bound: every mistake costs a hypothesis, and a way to split V."""
        return min(V.bit_count() - 1, len(self._minorities(V)))

    def _hope(self, V: Set) -> int:
        return V.bit_count() - 1


_GAMES: dict[str, type[_Game]] = {
    "consistent": _ConsistentGame,
    "halving": _HalvingGame,
    "iterated-halving": _HalvingGame,  # whose V is never empty if some h is always right
    "standard-optimal": _OptimalGame,
}
"""By the learner's family."""
