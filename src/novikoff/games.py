"""Games: the most mistakes that a learner makes on a class, found exactly.

mistake(A, C) = max over targets f in C and sequences of A's mistakes. A learner that depends on
what is still consistent alone is played on sets of hypotheses, each solved once; any other by
replaying it.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from novikoff.classes import FiniteClass
from novikoff.classes.dimensions import Set, Splits, everything, tabled
from novikoff.errors import parameter
from novikoff.learners import Learner, NativeLearner
from novikoff.learners.finite import Consistent, FiniteLearner, StandardOptimal

Round = tuple[int, int]  # a point, by its number, and its sign
Predict = Callable[[Set, int], int]
_LIMIT = 20_000
_DEPTH = 150  # rounds in one line of play


@dataclass(frozen=True)
class WorstCase:
    """The most mistakes, with a target and a sequence that make them.

    ``sequence`` holds (point, label) pairs, to be played as a stream; ``target`` is a hypothesis
    that agrees with all of it. Where the search came to its limit, ``mistakes`` are the most that
    were found, and ``interval`` says what they may be.
    """

    mistakes: int
    target: Any
    sequence: list[tuple[Any, int]]
    interval: tuple[int, float]

    @property
    def exact(self) -> bool:
        """Whether nothing was left open."""
        return self.interval[0] == self.interval[1]


def worst_case(learner: Any, H: FiniteClass, *, limit: int = _LIMIT) -> WorstCase:
    """Return the most mistakes that a deterministic learner makes on targets of H.

    Learners of this library that play by a version space are solved exactly. Any other object
    with ``predict`` and ``update`` is replayed from ``fresh()`` (or a copy), in at most ``limit``
    states; what is beyond them leaves an interval.

    >>> from novikoff.classes import thresholds
    >>> from novikoff.learners import Halving
    >>> H = thresholds(7)
    >>> worst_case(Halving(H), H).mistakes
    3
    """
    H = tabled(H)
    if isinstance(learner, type) or not callable(getattr(learner, "predict", None)):
        raise parameter("learner", "an object with predict and update", learner)
    if getattr(learner, "randomized", False):
        raise parameter("learner", "a deterministic one", learner, "Its draws have no worst case.")
    if isinstance(learner, FiniteLearner) and learner.H == H:
        return _by_sets(_prediction(learner, H), _most(learner), H)
    return _by_replay(learner, H, limit)


def _most(learner: Any) -> Callable[[Set], int]:
    """Return a bound of the mistakes from a set on, which ends a search early."""
    if isinstance(learner, Consistent):
        return lambda V: V.bit_count() - 1
    return lambda V: V.bit_count().bit_length() - 1  # halving, and never more than it: the optimal


def _prediction(learner: Any, H: FiniteClass) -> Predict:
    columns = H.bitsets
    if isinstance(learner, Consistent):
        return lambda V, x: 1 if V & -V & columns[x] else -1
    if isinstance(learner, StandardOptimal):
        splits = Splits(columns)

        def optimal(V: Set, x: int) -> int:
            plus = V & columns[x]
            return 1 if splits.dimension(plus) >= splits.dimension(V ^ plus) else -1

        return optimal
    return lambda V, x: 1 if 2 * (V & columns[x]).bit_count() >= V.bit_count() else -1


class _Sets:
    """The game on sets: value(V) = max over x and y of [ŷ ≠ y] + value(V_x^y)."""

    def __init__(self, predict: Predict, most: Callable[[Set], int], columns: list[Set]) -> None:
        self.predict, self.most = predict, most
        self.columns = list(dict.fromkeys(columns))
        self.first = [columns.index(column) for column in self.columns]
        self.known: dict[Set, tuple[int, Round | None]] = {}

    def value(self, V: Set) -> int:
        """Return the most mistakes from V on."""
        rest = V & (V - 1)
        if rest & (rest - 1) == 0:  # of two, the one that is not predicted
            return 1 if rest else 0
        return self.best(V)[0]

    def best(self, V: Set) -> tuple[int, Round | None]:
        """Return the most mistakes from V on, and a first round that makes them."""
        found = self.known.get(V)
        if found is None:
            found = self.known[V] = self._best(V)
        return found

    def _best(self, V: Set) -> tuple[int, Round | None]:
        best, move = 0, None
        for hope, less, left, *step in self._moves(V):
            if hope <= best:
                break  # and so have all that follow
            value = self.value(left) - less
            if value > best:
                best, move = value, (step[0], step[1])
                if best == self.most(V):
                    break
        return best, move

    def _moves(self, V: Set) -> list[tuple[int, int, Set, int, int]]:
        """Return (a bound, −1 for a mistake, what is left, point, sign), the best bound first."""
        most = self.most
        found: dict[Set, tuple[int, int, int]] = {}
        splitting = 0
        for column, x in zip(self.columns, self.first, strict=True):
            plus = V & column
            minus = V ^ plus
            if plus and minus:
                splitting += 1
                wrong = plus if self.predict(V, x) < 0 else minus
                for left, sign in ((plus, 1), (minus, -1)):
                    gain = 1 if left is wrong else 0
                    if found.get(left, (-1,))[0] < gain:  # two points may leave the same
                        found[left] = gain, x, sign
        more = splitting - 1  # a point makes one mistake at most: it splits nothing afterwards
        moves = [
            (g + min(most(left), more), -g, left, x, sign) for left, (g, x, sign) in found.items()
        ]
        moves.sort(reverse=True)
        return moves

    def line(self, V: Set) -> Iterator[Round]:
        """Yield a best line of play from V on."""
        while self.value(V):
            step = self.best(V)[1]
            assert step is not None
            yield step
            column = self.columns[self.first.index(step[0])]
            V &= column if step[1] > 0 else ~column


def _by_sets(predict: Predict, most: Callable[[Set], int], H: FiniteClass) -> WorstCase:
    game, V = _Sets(predict, most, H.bitsets), everything(H)
    return _case(H, game.value(V), list(game.line(V)), None)


def _case(H: FiniteClass, mistakes: int, rounds: list[Round], most: float | None) -> WorstCase:
    V = everything(H)
    for x, sign in rounds:
        V &= H.bitsets[x] if sign > 0 else ~H.bitsets[x]
    target = H.hypotheses[(V & -V).bit_length() - 1]
    sequence = [(H.example(x), sign) for x, sign in rounds]
    return WorstCase(mistakes, target, sequence, (mistakes, mistakes if most is None else most))


class _Replay:
    """The game on a learner's own states; a round that is no mistake may change one, too.

    A learner whose predictions only mistakes change is never given any other round: it would
    leave it as it is, and the adversary with less.
    """

    def __init__(self, learner: Any, H: FiniteClass, limit: int) -> None:
        self.learner, self.H, self.limit = learner, H, limit
        self.points = [H.example(x) for x in range(len(H.points))]
        self.conservative = isinstance(learner, Learner) and learner.conservative
        self.known: dict[Any, tuple[int, list[Round]]] = {}
        self.met: set[Any] = set()
        self.cut = False

    def value(self, V: Set, rounds: list[Round], learner: Any) -> tuple[int, list[Round]]:
        """Return the most mistakes after these rounds, and the rounds that make them."""
        key = V, _memory(learner)
        if key in self.known:
            return self.known[key]
        if key in self.met or len(self.met) >= self.limit or len(rounds) >= _DEPTH:
            self.cut = True  # it comes round again, or goes on too long
            return 0, []
        self.met.add(key)
        best: tuple[int, list[Round]] = 0, []
        for gain, left, step in self._moves(V, learner):
            longer = [*rounds, step]
            after = self.after(longer)
            if not gain and (left, _memory(after)) == key:
                continue  # nothing happened
            count, line = self.value(left, longer, after)
            if gain + count > best[0]:
                best = gain + count, [step, *line]
        self.known[key] = best
        return best

    def _moves(self, V: Set, learner: Any) -> list[tuple[int, Set, Round]]:
        found = []
        for x, point in enumerate(self.points):
            label, plus = learner.predict(point), V & self.H.bitsets[x]
            for sign, left in ((-1, V ^ plus), (1, plus)):
                if left and (label != sign or not self.conservative):
                    found.append((int(label != sign), left, (x, sign)))
        return sorted(found, key=lambda move: (-move[0], -move[1].bit_count()))

    def after(self, rounds: list[Round]) -> Any:
        """Return the learner as it is after these rounds."""
        fresh = getattr(self.learner, "fresh", None)
        twin = copy.deepcopy(self.learner) if fresh is None else fresh()
        for x, sign in rounds:
            twin.update(self.points[x], sign)
        return twin


def _memory(learner: Any) -> Any:
    """Return what a learner's later predictions depend on, as far as it can be told."""
    if isinstance(learner, Learner):
        counted = ("counts", "energy") if isinstance(learner, NativeLearner) else ("counts",)
        state = learner.state()
        return tuple((k, v.tobytes()) for k, v in sorted(state.items()) if k not in counted)
    return repr(sorted(vars(learner).items(), key=lambda item: item[0]))


def _by_replay(learner: Any, H: FiniteClass, limit: int) -> WorstCase:
    game = _Replay(learner, H, limit)
    mistakes, rounds = game.value(everything(H), [], game.after([]))
    return _case(H, mistakes, rounds, math.inf if game.cut else None)
