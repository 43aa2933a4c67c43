"""Learners of labels that are real numbers."""

from typing import ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.learners.native_learner import NativeLearner
from novikoff.streams import Block, one_row
from novikoff.streams.labels.real_labels import RealLabels
from novikoff.types import FloatArray


class RealLearner(NativeLearner[float]):
    """It predicts numbers, is told numbers, and learns from every round.

    Use it from one thread at a time: a second thread gets a ``BusyError``.
    """

    real = True
    conservative: ClassVar[bool] = False
    quick = False

    def update(self, x: object, y: float, /, weight: float = 1.0) -> None:
        """Learn that the label of x is y."""
        block = self.fitting(one_row(x))
        weights = None if weight == 1 else self.checked_weights(np.array([weight]), 1)
        self.learn_row(block, self.checked_label(y), _core.Tally(), weights)

    def checked_label(self, y: float) -> float:
        """Return y as a float, if it is a number in range."""
        try:
            return float(RealLabels().encode([y])[0])
        except InputError as error:
            raise error.moved("y") from None

    def learn_row(
        self, block: Block, code: float, tally: _core.Tally, weights: FloatArray | None
    ) -> float:
        """Play the one round of a block of one row that fits; return the prediction."""
        return self._learned(block, code, tally, weights)

    @property
    def plays_blocks(self) -> bool:
        """Whether the core does what predict and update do; False if a subclass changed those."""
        kind = type(self)
        return kind.predict is NativeLearner.predict and kind.update is RealLearner.update
