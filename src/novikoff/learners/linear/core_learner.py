"""Learners of labels that are −1 and +1 or class ids, whose rounds live in the core."""

import numpy as np

from novikoff import _core
from novikoff.learners.learner import checked_sign
from novikoff.learners.native_learner import NativeLearner
from novikoff.streams import Block, one_row
from novikoff.types import FloatArray


class CoreLearner(NativeLearner[int]):
    """Owns a rule of the core: exact weights, and rounds without the interpreter lock.

    Use it from one thread at a time: a second thread gets a ``BusyError``.
    """

    def update(self, x: object, y: int, /, weight: float = 1.0) -> None:
        """Learn that the label of x is y; the weight scales the update."""
        if type(x) is dict and self.named and weight == 1 and self.quick:
            label = self.checked_label(y)
            if self._learn_dict(x, label, None, 1.0) is not None:
                return
        block = self.fitting(one_row(x))
        weights = None if weight == 1 else self.checked_weights(np.array([weight]), 1)
        self.learn_row(block, self.checked_label(y), _core.Tally(), weights)

    def checked_label(self, y: int) -> int:
        """Return y if it is one of the learner's labels."""
        if type(y) is int and y in (1, -1):
            return y
        return checked_sign(y)

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        return self._learned(block, code, tally, weights)

    @property
    def plays_blocks(self) -> bool:
        """Whether the core does what predict and update do; False if a subclass changed those."""
        kind = type(self)
        return kind.predict is NativeLearner.predict and kind.update is CoreLearner.update
