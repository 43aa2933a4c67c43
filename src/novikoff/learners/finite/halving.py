"""Learners for finite classes: the version space V holds the hypotheses consistent so far."""

from abc import abstractmethod
from collections.abc import Hashable
from typing import ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.classes import FiniteClass, GridHalfspaces, as_class
from novikoff.classes.dimensions import Splits, tabled
from novikoff.classes.finite_class import Words
from novikoff.classes.point_rows import PointRows
from novikoff.errors import InputError, UnrealizableError
from novikoff.learners.finite.member import Member
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Parameters, checked_sign
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Block, NamedBlock, PointBlock
from novikoff.types import AnyArray


class FiniteLearner(Learner):
    """V ← {h ∈ V : h(x) = y} in every round, from V = H; each learner says how V predicts.

    An x is a point's number or name, or, on a cube, a vector of zeros and ones. A label that would
    empty V is refused, and changes nothing. The core holds V
    (``core/learners/finite/version_space.hpp``).
    """

    def __init__(self, H: object) -> None:
        self.H: FiniteClass | GridHalfspaces = as_class(H)
        self._space = _core.VersionSpace(len(self.H))
        self._rounds = 0
        self._last: tuple[bytes, Words] | None = None

    @classmethod
    def least_size(cls, parameters: Parameters) -> int:
        """One bit per hypothesis of a grid, whose parameters are small; a table's are as large."""
        H = parameters.get("H")
        return len(as_class(H)) // 64 if isinstance(H, dict) and "radius" in H else 0

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one; files hold ``H.plain``."""
        return {"H": self.H}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self._rounds

    @property
    def remaining(self) -> int:
        """|V|, how many hypotheses are consistent with every label so far."""
        return int(self._space.count)

    @property
    def consistent(self) -> list[Hashable]:
        """The hypotheses of V, by name or number."""
        return self.first(self.remaining)

    def first(self, count: int) -> list[Hashable]:
        """Return the first ``count`` hypotheses of V, by name or number."""
        bits = np.unpackbits(self._space.words().view(np.uint8), bitorder="little")
        members: list[int] = np.flatnonzero(bits)[:count].tolist()
        if isinstance(self.H, GridHalfspaces):
            return [*members]
        return [self.H.hypotheses[i] for i in members]

    def predict(self, x: object, /) -> int:
        """Return the label predicted for x; changes nothing."""
        return self._label(self._column(x))

    def update(self, x: object, y: int, /) -> None:
        """Learn that the label of x is y: hypotheses that disagree leave V."""
        column, positive = self._column(x), checked_sign(y) > 0
        plus = int(self._space.positives(column))
        if plus if positive else self.remaining - plus:
            self._space.prune(column, positive)
        else:
            self._emptied(x, y)
        self._rounds += 1

    def fitting(self, block: Block) -> Block:
        """Return rows as points of H."""
        if isinstance(self.H, FiniteClass):
            return PointRows(self.H, block)
        wide = not isinstance(block, (NamedBlock, PointBlock)) and block.columns <= self.H.d
        if not wide or (block.dense and block.columns != self.H.d):
            raise InputError(
                f"x: expected vectors of {self.H.d} numbers, got others. Pass those of the grid."
            )
        return block

    def hypothesis(self) -> Hypothesis:
        """Return the learner's prediction at every point; on a grid, the first halfspace of V."""
        if isinstance(self.H, FiniteClass):
            return Member(self.H, [self.predict(x) for x in range(len(self.H.points))])
        return Halfspace(self.H.weights(self._space.first()).astype(np.float64))

    def fresh(self) -> Self:
        """Return a learner of the same class that has seen nothing."""
        return type(self)(self.H)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return {"live": self._space.words(), "counts": np.array([self._rounds], np.int64)}

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        rounds = int(state["counts"][0])
        if rounds < 0 or not state["live"].any():
            raise ValueError("a hypothesis that is left")
        self._space.restore(state["live"])
        self._rounds = rounds
        self._last = None

    @abstractmethod
    def _label(self, column: Words) -> int:
        """Predict from the hypotheses that say +1."""

    def _emptied(self, x: object, y: int) -> None:
        point = self.H.points[self.H.locate(x)] if isinstance(self.H, FiniteClass) else "x"
        raise UnrealizableError(
            f"round {self._rounds + 1}: expected a label that some hypothesis in V has at {point}, "
            f"got {y:+d} where all {self.remaining} say {-y:+d}. Drop the round, or play "
            "IteratedHalving."
        )

    def _column(self, x: object) -> Words:
        """Return who says +1 at x; keep the last answer, because predict and update both ask."""
        if isinstance(self.H, FiniteClass):
            return self.H.column(x)
        key = self.H.vector(x).tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self.H.column(x)
        return self._last[1]


class Consistent(FiniteLearner):
    """Predicts with the first hypothesis of a finite class that agrees with the labels so far.

    ŷ = h(x) for the first h ∈ V, those of H that agree   (littlestone1988). M ≤ |H| − 1.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Consistent(nv.singletons(4)), [(0, -1), (1, -1), (3, 1), (2, -1)])
    >>> run.mistakes, run.hypothesis().member
    (3, 'x = 3')
    """

    family: ClassVar[str] = "consistent"

    def _label(self, column: Words) -> int:
        return self.H.sign(int(self._space.first()), column)


class Halving(FiniteLearner):
    """Predicts with the majority of the hypotheses that agree with the labels so far.

    ŷ = the majority of V at x, those of H that agree; a tie is +1   (littlestone1988).

    A mistake removes at least half of V: M ≤ ⌊lg |H|⌋.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Halving(nv.thresholds(7)), [(0, -1), (6, 1), (3, -1), (4, 1)])
    >>> run.mistakes, run.hypothesis().member
    (2, 'x ≥ 4')
    """

    family: ClassVar[str] = "halving"

    def _label(self, column: Words) -> int:
        return 1 if 2 * int(self._space.positives(column)) >= self.remaining else -1


class IteratedHalving(Halving):
    """Halving for labels with errors: starts over if no hypothesis agrees any more.

    If V would become empty, it begins again with V = H, without the current round
    (littlestone1994). ``restarts`` counts the new starts.

    >>> import novikoff as nv
    >>> run = nv.play(nv.IteratedHalving(nv.thresholds(2)), [(0, 1), (1, -1), (1, 1)])
    >>> run.mistakes, run.learner.restarts
    (2, 1)
    """

    family: ClassVar[str] = "iterated-halving"

    def __init__(self, H: object) -> None:
        super().__init__(H)
        self.restarts = 0

    def _emptied(self, x: object, y: int) -> None:
        self._space.reset()
        self.restarts += 1

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return super().state() | {"counts": np.array([self._rounds, self.restarts], np.int64)}

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        super().restore(state)
        self.restarts = int(state["counts"][1])


class StandardOptimal(FiniteLearner):
    """Makes as few mistakes in the worst case as any learner of a finite class can.

    ŷ = the sign r with the larger Ldim({h ∈ V : h(x) = r}), a tie being +1   (littlestone1988).

    V are the hypotheses of H that agree with the labels so far. No deterministic learner makes
    fewer mistakes in the worst case: M ≤ Ldim(H). It searches for the dimension once for each V,
    which suits classes of some thousand hypotheses on a dozen points.

    >>> import novikoff as nv
    >>> H = nv.parities(3)
    >>> nv.worst_case(nv.StandardOptimal(H), H).mistakes, nv.littlestone_dimension(H)
    (3, 3)
    """

    family: ClassVar[str] = "standard-optimal"

    H: FiniteClass

    def __init__(self, H: object) -> None:
        super().__init__(tabled(H))
        self._splits = Splits(self.H.bitsets)

    def _label(self, column: Words) -> int:
        V = int.from_bytes(self._space.words().tobytes(), "little")
        plus = V & int.from_bytes(column.tobytes(), "little")
        return 1 if self._splits.dimension(plus) >= self._splits.dimension(V ^ plus) else -1
