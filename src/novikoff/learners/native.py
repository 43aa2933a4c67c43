"""Learners whose rounds are played in the core."""

import sys
from numbers import Real
from typing import Any, Literal

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.hypotheses.hypothesis import all_rows
from novikoff.learners.learner import Learner
from novikoff.streams import Block, one_row
from novikoff.streams.block import SparseBlock
from novikoff.types import AnyArray

Ties = Literal["positive", "mistake"]

FRONT = _core.FRONT
"""Slots before the features; the last of them is the constant feature's."""


class NativeLearner(Learner):
    """A linear learner: exact weights in the core, an optional constant feature ``bias``.

    One thread at a time: the core plays without the interpreter lock, and refuses a second one.
    """

    core: Any

    def __init__(self, bias: float | None) -> None:
        if bias is not None and not (isinstance(bias, Real) and abs(bias) <= sys.float_info.max):
            raise parameter("bias", "None or a finite number", bias)
        self.bias = None if bias is None else float(bias)
        self.width: int | None = None
        """The number of features, once a dense x has fixed it."""

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return int(self.core.rounds)

    @property
    def dimension(self) -> int:
        """The number of features seen so far, the constant one not included."""
        return int(self.core.dimension)

    @property
    def weight_norm(self) -> float:
        """‖w‖, over all classes and with the constant feature."""
        return float(self.core.norm())

    @property
    def nbytes(self) -> int:
        """The memory the learner holds."""
        return int(self.core.bytes)

    def predict(self, x: Any, /) -> int:
        """Return the label predicted for x; changes nothing."""
        block = self.fitting(one_row(x))
        return int(all_rows(block, self.core.predict(block.native))[0])

    def update(self, x: Any, y: int, /) -> None:
        """Learn that the label of x is y."""
        block = self.fitting(one_row(x))
        self.learn_row(block, self.checked_label(y), _core.Tally())

    def learn_row(self, block: Block, label: int, tally: _core.Tally) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        prediction = self.core.learn_row(block.native, 0, label, tally)
        if prediction is None:
            raise InputError(f"x: {block.fault(0)}")
        self.fix_width(block)
        return int(prediction)

    def play_rows(
        self, block: Block, codes: AnyArray, start: int, stop: int, tally: _core.Tally
    ) -> int:
        """Play rows [start, stop) of a block; return the first refused, or stop."""
        try:
            done: int = self.core.play(block.native, codes, start, stop, tally)
        except ValueError as error:
            raise InputError(
                f"X: expected {error}, got others. Leave the arrays of a stream as they are."
            ) from None
        if done > 0:
            self.fix_width(block)
        return done

    def checked_label(self, y: int) -> int:
        """Return y where it is one of the learner's labels."""
        if not (isinstance(y, Real) and y in (-1, 1)):
            raise InputError(f"y: expected −1 or +1, got {y!r}. A Run maps other labels.")
        return int(y)

    @property
    def plays_natively(self) -> bool:
        """Whether the core does what predict and update do; not where a subclass changed them."""
        kind = type(self)
        return kind.predict is NativeLearner.predict and kind.update is NativeLearner.update

    def fitting(self, block: Block) -> Block:
        """Return rows with the features learned from; of sparse ones, those beyond are refused."""
        if isinstance(block, SparseBlock):
            wide = self.width is not None and block.columns > self.width
            return block.narrowed(self.width or 0) if wide else block
        if self.width is None and self.dimension > block.columns:
            raise self._misfit(f"at least {self.dimension}", block)
        if self.width is not None and block.columns != self.width:
            raise self._misfit(str(self.width), block)
        return block

    def fix_width(self, block: Block) -> None:
        """Remember the number of features that a dense block states."""
        if block.dense:
            self.width = block.columns

    def require_finite(self) -> None:
        """Refuse to hand out weights that float64 cannot hold."""
        if self.core.saturated():
            raise HypothesisError(
                "weights: expected sums within the range of float64, got a larger one. "
                "Rescale the features."
            )

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return {
            **self.core.state(),
            "width": np.array([-1 if self.width is None else self.width], np.int64),
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        names = ("weights", "remainder_slots", "remainder_parts", "counts", "energy")
        self.core.restore(*(state[name] for name in names))
        self.width = int(state["width"][0]) if state["width"][0] >= 0 else None

    def _misfit(self, expected: str, block: Block) -> InputError:
        return InputError(
            f"x: expected {expected} features, got {block.columns}. "
            "Pass the features the learner has learned from."
        )


def checked_ties(ties: str) -> str:
    """Return the tie rule where it is one."""
    if ties not in ("positive", "mistake"):
        raise parameter("ties", "'positive' or 'mistake'", ties)
    return ties
