"""Disjunctions by elimination."""

from typing import ClassVar

import numpy as np

from novikoff.classes.finite_class import zeros_and_ones
from novikoff.classes.point_rows import CubeRows
from novikoff.errors import UnrealizableError, parameter, whole
from novikoff.learners.learner import Learner, Parameters, checked_sign, size_of
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Block
from novikoff.types import AnyArray


class Elimination(Learner):
    """Learns an OR of features: drops every literal that a negative example refutes.

    L ← L less the literals true at x when y = −1, from all literals   (littlestone1988).

    Predicts +1 if a literal of L is true: the disjunction of L. The literals are x_1..x_d and,
    unless ``monotone``, their negations. A positive x at which no literal of L is true is refused,
    because no disjunction agrees with it and the rounds before it.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Elimination(2, monotone=True), [((1, 0), -1), ((1, 1), 1)])
    >>> run.mistakes, run.learner.literals
    (1, ['x2'])
    """

    family: ClassVar[str] = "elimination"
    conservative: ClassVar[bool] = True

    def __init__(self, d: int, monotone: bool = False) -> None:
        if not isinstance(monotone, (bool, np.bool_)):
            raise parameter("monotone", "True or False", monotone)
        self.d, self.monotone, self._rounds = whole("d", d, 1, 2**24), bool(monotone), 0
        self._positive = np.ones(self.d, bool)
        self._negated = np.full(self.d, not self.monotone)

    @classmethod
    def least_size(cls, parameters: Parameters) -> int:
        """The state has two literals per variable."""
        return 2 * size_of(parameters, "d")

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"d": self.d, "monotone": self.monotone}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self._rounds

    @property
    def literals(self) -> list[str]:
        """What is left of L."""
        names = [f"x{j + 1}" for j in np.flatnonzero(self._positive)]
        return names + [f"¬x{j + 1}" for j in np.flatnonzero(self._negated)]

    def predict(self, x: object, /) -> int:
        """Return the label predicted for x; changes nothing."""
        ones = zeros_and_ones(x, self.d) > 0
        return 1 if (self._positive & ones).any() or (self._negated & ~ones).any() else -1

    def update(self, x: object, y: int, /) -> None:
        """Learn that the label of x is y."""
        ones = zeros_and_ones(x, self.d) > 0
        if checked_sign(y) < 0:
            self._positive &= ~ones
            self._negated &= ones
        elif self.predict(x) < 0:
            raise UnrealizableError(
                f"round {self._rounds + 1}: expected a label that a disjunction may still have, "
                "got +1 although every remaining literal is false. Drop the round."
            )
        self._rounds += 1

    def fitting(self, block: Block) -> Block:
        """Return rows as vectors of zeros and ones."""
        return CubeRows(self.d, block)

    def hypothesis(self) -> Halfspace:
        """Return Σ x_j − Σ x_k + |N| − ½ ≥ 0, over the positive and the negated literals N."""
        weights = self._positive.astype(np.float64) - self._negated
        return Halfspace(weights, 1.0, float(self._negated.sum()) - 0.5)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        literals = np.concatenate([self._positive, self._negated]).astype(np.uint8)
        return {"literals": literals, "counts": np.array([self._rounds], np.int64)}

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        literals = state["literals"].astype(bool)
        if literals.shape != (2 * self.d,):
            raise ValueError("two literals per variable")
        self._positive, self._negated = literals[: self.d].copy(), literals[self.d :].copy()
        self._rounds = int(state["counts"][0])
