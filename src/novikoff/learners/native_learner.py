"""Learners whose state and rounds live in the core."""

from typing import ClassVar, Generic, TypeGuard

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError
from novikoff.learners.feature_learner import FeatureLearner
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.learner import Slice
from novikoff.learners.protocols import Code, NativeRule, Row
from novikoff.streams import Block, one_row
from novikoff.streams.files.file_chunks import ChunkBlock
from novikoff.types import AnyArray, FloatArray, Label

_F64 = np.dtype(np.float64)


class NativeLearner(FeatureLearner, Generic[Code]):
    """Owns a rule of the core, which plays rounds without the interpreter lock.

    A subclass says what labels are. Use a learner from one thread at a time: a second thread gets
    a ``BusyError``.
    """

    arrays_at_times: ClassVar[frozenset[str]] = frozenset()
    """Arrays that some states of the rule have, and others have not."""

    core: NativeRule[Code]
    quick: bool = True
    """Whether a round with a dict may go straight to the core, without calling Python."""

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self.core.rounds

    @property
    def dimension(self) -> int:
        """The number of features seen so far, the constant one not included."""
        return self.core.dimension

    @property
    def weight_norm(self) -> float:
        """‖w‖, over all classes and with the constant feature."""
        return float(self.core.norm())

    @property
    def nbytes(self) -> int:
        """The memory the learner holds: its weights, the names of its features, its transforms."""
        steps = self.transforms.core.bytes if self.transforms else 0
        return int(self.core.bytes + self.features.bytes + steps)

    @property
    def _native(self) -> _core.Transforms | None:
        """The transforms in the core, if there are any."""
        return self.transforms.core if self.transforms else None

    def made(self, block: Block) -> Block:
        """Return rows that fit as the rule takes them: through the transforms, if there are any."""
        if self.transforms is None:
            return block
        return self.transforms.made_rows(block, self.features)

    def predict(self, x: object, /) -> Code:
        """Return the label predicted for x; changes nothing."""
        if type(x) is dict and self.named and not self.transforms:
            known = self.core.predict_named(self.features, x)
            if known is not None:
                return known
        if type(x) is np.ndarray and x.dtype is _F64 and x.shape == (self.width,):
            known = None if self.transforms else self.core.predict_vector(np.ascontiguousarray(x))
            if known is not None:
                return known
        if (type(x) is list or type(x) is tuple) and len(x) == self.width and not self.transforms:
            known = self.core.predict_numbers(x)
            if known is not None:
                return known
        block = self.made(self.fitting(one_row(x)))
        if block.named:
            label = self.core.predict_named(self.features, block.rows[0])
            if label is None:
                raise InputError(f"x: {block.fault(0)}")
            return label
        found: Code = all_rows(block, self.core.predict(block.native))[0].item()
        return found

    def _learn_dict(
        self, x: Row, code: Code, tally: _core.Tally | None, weight: float
    ) -> Code | None:
        return self.core.learn_named(self.features, x, code, tally, weight, self._native)

    def _learned(
        self, block: Block, code: Code, tally: _core.Tally, weights: FloatArray | None
    ) -> Code:
        """Play the one round of a block of one row that fits; return the prediction."""
        weight = 1.0 if weights is None else float(weights[0])
        if block.named:
            prediction = self._learn_dict(block.rows[0], code, tally, weight)
        else:
            prediction = self.core.learn_row(block.native, code, tally, weight, self._native)
        if prediction is None:
            self._stay_new()
            raise InputError(f"x: {block.fault(0)}")
        self.fix_form(block)
        return prediction

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        block, codes, weights, start, stop = rows
        steps = self._native
        if not block.named:
            try:
                done = self.core.play(block.native, codes, start, stop, tally, weights, steps)
            except ValueError as error:
                raise InputError(
                    f"X: expected {error}, got others. Leave the arrays of a stream as they are."
                ) from None
        elif isinstance(block, ChunkBlock):
            done = self.core.play_chunk(
                self.features, block.chunk, block.first, codes, start, stop, tally, weights, steps
            )
        else:
            done = self.core.play_named(
                self.features, block.rows, codes, start, stop, tally, weights, steps
            )
        if done > 0:
            self.fix_form(block)
        else:
            self._stay_new()
        return done

    def _stay_new(self) -> None:
        """Forget the columns of a block of which no round was played, if it was the first."""
        if self.named is None and self.dimension:
            self.restore(self.fresh().state())

    def quicken(
        self,
        run: _core.Rounds,
        tally: _core.Tally,
        codes: dict[Label, int],
        names: list[Label],
        weights: dict[Label, float],
    ) -> None:
        """Let a run's next round go straight to the core if it has a dict and a known label."""
        if not self.quick:
            return
        scales = weights if self.takes_weights else {}
        self.core.quicken(run, self.features, tally, codes, names, scales, self._native)

    def declare(self, tally: _core.Tally) -> None:
        """Tell a tally which measures the rule has besides the counts."""
        self.core.declare(tally)

    def introduce(self, x: object) -> None:
        """Learn the form of x, so that ``hypothesis()`` works before the first round."""
        block = self.fitting(self.block_of(x))
        self.fix_form(block)
        columns = block.columns if block.dense else 0
        if self.transforms:
            self.transforms.core.widen(columns)
        if not (self.transforms and self.transforms.crosses):
            self.core.grow(columns)

    def require_finite(self) -> None:
        """Refuse to hand out weights that float64 cannot hold."""
        if self.core.saturated():
            raise HypothesisError(
                "weights: expected sums within the range of float64, got a larger one. "
                "Rescale the features."
            )

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        return {**self.core.state(), **self.form_state()}

    def _may_save(self, array: str) -> bool:
        return array in self.arrays_at_times or super()._may_save(array)

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        own = {*self.core.state(), *self.arrays_at_times}
        self.core.restore({name: array for name, array in state.items() if name in own})
        self.restore_form(state)
        if self.named and self.hashing is None:
            self.features.truncate(self.raw_dimension)  # a name without a weight is from no round
            if len(self.features) != self.raw_dimension:
                raise ValueError("as many names as weights")
        if self.transforms and self.transforms.core.columns != self.dimension:
            raise ValueError("as many weights as features")
        if self.named is None and (self.rounds or self.dimension):
            raise ValueError("features that are named or numbered, once some were met")


def is_native(learner: object) -> TypeGuard["NativeLearner[int]"]:
    """Say whether the core plays a learner's rounds, and looks at its rows."""
    return isinstance(learner, NativeLearner)
