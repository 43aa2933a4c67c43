"""Learners that predict with the centre of the remaining weights."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, Named, NovikoffError, Phrase, parameter
from novikoff.learners.access import Access
from novikoff.learners.learner import Slice
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Block
from novikoff.types import AnyArray, FloatArray

MOST_FEATURES = 2**13
"""With more features, the d² numbers of a body would fill the memory."""

_MOST_COUNTED = 2**53


class Body(ABC):
    """The remaining w's, or a convex body around them; frozen."""

    centre: FloatArray

    @abstractmethod
    def cut(self, a: FloatArray) -> Self:
        """Return the part with a·w ≥ 0, where a·centre ≤ 0 and the largest |a_j| is near 1."""

    @abstractmethod
    def arrays(self) -> dict[str, AnyArray]:
        """Return all of it as plain arrays."""


class CuttingLearner(CoreLearner):
    """Begins with the unit ball; a mistake on (x, y) leaves the w's with y w·x ≥ 0.

    It decides exactly with the given centre, as every learner here does, but computes the centre in
    floats. So the form of x changes nothing, but the order of its features may. It must know the
    number of features before the first cut, from a dense x or from ``dimension``. A round that
    would leave no w is refused, and changes nothing.
    """

    core: _core.FixedHalfspace
    takes_weights: ClassVar[bool] = False
    saved: ClassVar[tuple[str, ...]]
    """The names of the arrays of its body."""

    def __init__(self, bias: float | None, dimension: int | None) -> None:
        super().__init__(bias)
        whole = isinstance(dimension, (int, np.integer)) and not isinstance(dimension, bool)
        if dimension is not None and not (whole and 0 <= dimension <= MOST_FEATURES):
            raise parameter("dimension", f"None or a number up to {MOST_FEATURES}", dimension)
        self._declared = None if dimension is None else int(dimension)
        self.width = self._declared
        self._rounds = 0
        self._cuts = 0
        self._left: Body | None = None
        self._access = Access()
        self.core = self._centred()

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that make a learner like this one, as plain data."""
        return {"bias": self.bias, "dimension": self._declared}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self._rounds

    @property
    def cuts(self) -> int:
        """How many cuts were made: one per mistake, except for mistakes on x = 0."""
        return self._cuts

    @property
    def dimension(self) -> int:
        """The number of features without the constant one; 0 while it is unknown."""
        return self.width or 0

    @property
    def size(self) -> int:
        """d, the number of weights, including that of the constant feature."""
        return self.dimension + (self.bias is not None)

    @property
    def nbytes(self) -> int:
        """The memory the learner holds."""
        arrays = {} if self._left is None else self._left.arrays()
        return self.core.bytes + sum(array.nbytes for array in arrays.values())

    def hypothesis(self) -> Halfspace:
        """Return the centre as a halfspace."""
        w, bias_weight = self._weights()
        return Halfspace(w, self.bias, bias_weight)

    def fitting(self, block: Block) -> Block:
        """Return rows with the features learned from."""
        if block.named:
            raise InputError(
                "x: expected vectors or pairs (indices, values), got dicts of named features. "
                f"{type(self).__name__} has to know every feature before the first round."
            )
        if self.width is None and not block.dense:
            raise InputError(
                where="x",
                expected="a dense vector, which says how many features there are",
                got="a sparse one",
                remedy=Phrase(
                    "Pass ", Named("dimension", f"{type(self).__name__}(…, dimension=…)"), "."
                ),
            )
        if self.width is None and block.columns > MOST_FEATURES:
            raise InputError(
                f"x: expected at most {MOST_FEATURES} features, got {block.columns}. "
                f"{type(self).__name__} keeps d² numbers; use a perceptron."
            )
        return super().fitting(block)

    def learn_row(
        self, block: Block, label: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        before = tally.mistakes
        if self.play_rows(Slice(block, np.array([label], np.int8), weights, 0, 1), tally) == 0:
            raise InputError(f"x: {block.fault(0)}")
        return label if tally.mistakes == before else -label

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        block, codes, _, start, stop = rows
        with self._access.writing():
            t = start
            while t < stop:
                before, t = t, self.core.play(block.native, codes, t, stop, tally, None)
                self._played(block, t - before)
                if t < stop:
                    if not self._learn(block, codes, t, tally):
                        return t
                    t += 1
        return stop

    def _learn(self, block: Block, codes: AnyArray, t: int, tally: _core.Tally) -> bool:
        """Play the round at which the core stopped; return whether its x is valid.

        It cuts the body before it counts anything.
        """
        if not self.core.predict(block.part(t, t + 1).native)[1]:
            return False
        self.fix_form(block)
        a = int(codes[t]) * self._vector(block.row(t))
        left = self._left
        if a.any():
            try:
                left = (left or self._ball(self.size)).cut(a)
            except NovikoffError as error:
                raise type(error)(f"round {self._rounds + 1}: {error}") from None
        self.core.concede(block.native, codes, t, tally)
        self._played(block, 1)
        self._cuts += left is not self._left
        self._left = left
        self.core = self._centred()
        return True

    def _played(self, block: Block, rounds: int) -> None:
        self._rounds += rounds
        if rounds:
            self.fix_form(block)

    def _vector(self, x: Any) -> FloatArray:
        """Return x with its constant feature, scaled by a power of two to lie near 1."""
        whole = np.zeros(self.size)
        if isinstance(x, tuple):
            whole[x[0]] = x[1]
        else:
            whole[: len(x)] = x
        if self.bias is not None:
            whole[-1] = self.bias
        scale = np.frexp(np.abs(whole).max(initial=0.0))[1]
        scaled: FloatArray = np.ldexp(whole, -scale)
        return scaled

    def _weights(self) -> tuple[FloatArray, float]:
        """Return (w, the constant feature's weight) of the centre."""
        centre = np.zeros(self.size) if self._left is None else self._left.centre
        return centre[: self.dimension].copy(), float(centre[-1]) if self.bias is not None else 0.0

    def _centred(self) -> _core.FixedHalfspace:
        w, bias_weight = self._weights()
        return _core.halfspace(self.bias or 0.0, bias_weight, w)

    @abstractmethod
    def _ball(self, size: int) -> Body:
        """Return the unit ball."""

    @abstractmethod
    def _body(self, arrays: dict[str, AnyArray], size: int) -> Body:
        """Return the body of saved arrays; raise a ValueError if they do not describe one."""

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        with self._access.reading():
            nothing = {n: np.zeros(0 if n == "centre" else (0, 0)) for n in self.saved}
            arrays = nothing if self._left is None else self._left.arrays()
            return {
                "counts": np.array([self._rounds, self._cuts], np.int64),
                "width": np.array([-1 if self.width is None else self.width], np.int64),
                **{name: array.copy() for name, array in arrays.items()},
            }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        (rounds, cuts), (width,) = state["counts"].tolist(), state["width"].tolist()
        arrays = {name: state[name] for name in self.saved}
        sound = all(type(n) is int for n in (rounds, cuts, width))
        if not sound or not (0 <= cuts <= rounds <= _MOST_COUNTED):
            raise ValueError("counts of rounds and cuts")
        if not -1 <= width <= MOST_FEATURES or self._declared not in (None, width):
            raise ValueError("a number of features")
        if any(a.dtype != np.float64 or not np.isfinite(a).all() for a in arrays.values()):
            raise ValueError("finite numbers")
        size = max(width, 0) + (self.bias is not None)
        left = self._body(arrays, size) if cuts else None
        if left is None and any(array.size for array in arrays.values()):
            raise ValueError("nothing without a cut")
        with self._access.writing():
            self.width = None if width < 0 else width
            self.named = False if rounds else None
            self._rounds, self._cuts, self._left = rounds, cuts, left
            self.core = self._centred()
