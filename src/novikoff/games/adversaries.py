"""Adversaries: lower bounds that can be played.

Each asks for a prediction, ``ask() -> x | None``, and then gives the label,
``answer(prediction) -> y``: one that differs from the prediction, as long as some target agrees
with every answer. ``nv.play(learner, adversary)`` plays them.
"""

import numpy as np

from novikoff.classes import FiniteClass
from novikoff.classes.dimensions import Set, Splits, everything, tabled
from novikoff.errors import InputError, whole
from novikoff.types import AnyArray, FloatArray, Label


class LittlestoneAdversary:
    """Forces as many mistakes as possible on any deterministic learner of H.

    It asks Ldim(H) times, each time for a point at which either answer lowers the dimension by 1
    (littlestone1988).

    >>> import novikoff as nv
    >>> H = nv.thresholds(7)
    >>> nv.play(nv.Halving(H), nv.LittlestoneAdversary(H)).mistakes
    3
    """

    def __init__(self, H: FiniteClass) -> None:
        self.H = tabled(H)
        self._splits = Splits(self.H.bitsets)
        self._left: Set = everything(self.H)
        self._asked: int | None = None
        self._made = 0  # answers
        self.bound = self._splits.dimension(self._left)
        """The mistakes it forces."""

    def ask(self) -> object:
        """Return the next point, as a vector on a cube, or None at the end."""
        if self._asked is None and self._made < self.bound:
            self._asked = self._splits.point(self._left)
        return None if self._asked is None else self.H.example(self._asked)

    def answer(self, prediction: object) -> int:
        """Return the label that the prediction is not."""
        asked, y = _asked(self._asked), _opposite(prediction)
        self._asked = None
        self._made += 1
        self._left &= self.H.bitsets[asked] if y > 0 else ~self.H.bitsets[asked]
        return y

    @property
    def target(self) -> Label:
        """The first hypothesis that agrees with every answer."""
        return self.H.hypotheses[(self._left & -self._left).bit_length() - 1]


class _UnitVectors:
    """Asks for e_1..e_d, and answers with the label that was not predicted."""

    def __init__(self, d: int) -> None:
        self.d = self.bound = whole("d", d, 1)
        self.labels: list[int] = []
        """The answers so far."""
        self._asked: int | None = None

    def ask(self) -> AnyArray | None:
        """Return the next unit vector, or None after the last."""
        if len(self.labels) == self.d:
            return None
        self._asked = len(self.labels)
        vector = np.zeros(self.d)
        vector[self._asked] = 1.0
        return vector

    def answer(self, prediction: object) -> int:
        """Return the label that the prediction is not."""
        _asked(self._asked)
        self.labels.append(_opposite(prediction))
        self._asked = None
        return self.labels[-1]


class DisjunctionAdversary(_UnitVectors):
    """Forces d mistakes on any deterministic learner of an OR of d variables.

    It shows e_1, …, e_d, each with the label that was not predicted   (littlestone1988).

    >>> import novikoff as nv
    >>> nv.play(nv.Elimination(5, monotone=True), nv.DisjunctionAdversary(5)).mistakes
    5
    """

    @property
    def target(self) -> list[str]:
        """The variables of a disjunction that agrees with every answer."""
        return [f"x{j + 1}" for j, y in enumerate(self.labels) if y > 0]


class OrthonormalAdversary(_UnitVectors):
    """Forces d mistakes on any linear learner: as many as Novikoff's theorem allows.

    It shows e_1, …, e_d, each with the label that was not predicted. They have the radius R of 1
    and the margin γ of 1/√d, with w* = Σ y_i e_i, so the bound (R/γ)² is d   (novikoff1962).

    >>> import novikoff as nv
    >>> nv.play(nv.Perceptron(), nv.OrthonormalAdversary(7)).mistakes
    7
    """

    @property
    def target(self) -> FloatArray:
        """w*, which agrees with every answer; 0 for coordinates not asked yet."""
        return np.array(self.labels + [0] * (self.d - len(self.labels)), np.float64)


def _asked(point: int | None) -> int:
    if point is None:
        raise InputError("answer: expected a question before it, got none. Call ask() first.")
    return point


def _opposite(prediction: object) -> int:
    """Return a label that is not the prediction; −1 if there was none."""
    if prediction is None:
        return -1
    for sign in (-1, 0, 1) if np.asarray(prediction).ndim == 0 else ():
        if prediction == sign:
            return -1 if sign >= 0 else 1
    raise InputError(f"answer: expected a prediction of −1 or +1, got {prediction!r}. Pass it.")
