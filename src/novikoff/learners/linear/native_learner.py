"""Learners whose rounds are played in the core."""

import math
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.learner import Learner, Slice, checked_sign
from novikoff.streams import Block, Hashing, PointBlock, one_row
from novikoff.streams.blocks.block import SparseBlock
from novikoff.streams.blocks.named import as_hashing, names_state, new_features, restore_names
from novikoff.streams.files.file_chunks import ChunkBlock
from novikoff.streams.labels.round_weights import checked_weights
from novikoff.types import AnyArray, FloatArray

Ties = Literal["positive", "mistake"]


class NativeLearner(Learner):
    """A linear learner: exact weights in the core, an optional constant feature ``bias``.

    Features are numbered from 0, or named: the first example decides. Names have a dictionary,
    which grows with them, or are hashed (``hashing``). One thread at a time: the core plays
    without the interpreter lock, and refuses a second one.
    """

    core: Any
    takes_weights: ClassVar[bool] = True
    conservative: ClassVar[bool] = True

    def __init__(self, bias: float | None, hashing: Any = None) -> None:
        if bias is not None and not (isinstance(bias, Real) and math.isfinite(float(bias))):
            raise parameter("bias", "None or a finite number", bias)
        self.bias = None if bias is None else float(bias)
        self.width: int | None = None
        """The number of features, once a dense x has fixed it."""
        self.named: bool | None = None
        """Whether features are named, once an example has decided it."""
        self.hashing: Hashing | None = as_hashing(hashing)
        self.features = new_features(self.hashing)
        """The names of features and their numbers."""

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
        """The memory the learner holds: its weights and the names of its features."""
        return int(self.core.bytes + self.features.bytes)

    @property
    def named_parameters(self) -> dict[str, Any]:
        """``bias`` and ``hashing``, which every linear learner has, as plain data."""
        return {"bias": self.bias, "hashing": self.hashing.plain if self.hashing else None}

    @property
    def known_features(self) -> _core.Features | None:
        """The names that a hypothesis shares; None where features are numbered."""
        return self.features if self.named else None

    def predict(self, x: Any, /) -> int:
        """Return the label predicted for x; changes nothing."""
        if type(x) is dict and self.named:
            known: int | None = self.core.predict_named(self.features, x)
            if known is not None:
                return known
        block = self.fitting(one_row(x))
        if block.named:
            label = self.core.predict_named(self.features, block.rows[0])
            if label is None:
                raise InputError(f"x: {block.fault(0)}")
            return int(label)
        return int(all_rows(block, self.core.predict(block.native))[0])

    def update(self, x: Any, y: int, /, weight: float = 1.0) -> None:
        """Learn that the label of x is y; the weight scales the update."""
        if type(x) is dict and self.named and weight == 1:
            label = self.checked_label(y)
            if self.core.learn_named(self.features, x, label, None, 1.0) is not None:
                return
        block = self.fitting(one_row(x))
        weights = None if weight == 1 else self.checked_weights(np.array([weight]), 1)
        self.learn_row(block, self.checked_label(y), _core.Tally(), weights)

    def learn_row(
        self, block: Block, label: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        weight = 1.0 if weights is None else float(weights[0])
        if block.named:
            x = block.rows[0]
            prediction = self.core.learn_named(self.features, x, label, tally, weight)
        else:
            prediction = self.core.learn_row(block.native, label, tally, weight)
        if prediction is None:
            raise InputError(f"x: {block.fault(0)}")
        self.fix_form(block)
        return int(prediction)

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        block, codes, weights, start, stop = rows
        if isinstance(block, ChunkBlock):
            done: int = self.core.play_chunk(
                self.features, block.chunk, block.first, codes, start, stop, tally, weights
            )
        elif block.named:
            done = self.core.play_named(
                self.features, block.rows, codes, start, stop, tally, weights
            )
        else:
            try:
                done = self.core.play(block.native, codes, start, stop, tally, weights)
            except ValueError as error:
                raise InputError(
                    f"X: expected {error}, got others. Leave the arrays of a stream as they are."
                ) from None
        if done > 0:
            self.fix_form(block)
        return done

    def quicken(
        self,
        run: _core.Rounds,
        tally: _core.Tally,
        codes: dict[Any, int],
        names: Any,
        weights: Any,
    ) -> None:
        """Let a run's next round with a dict and a known label go straight to the core."""
        self.core.quicken(
            run, self.features, tally, codes, names, weights if self.takes_weights else {}
        )

    def checked_weights(self, weights: Any, count: int, first_round: int = 1) -> FloatArray:
        """Return one weight a round, where the learner's update can be scaled."""
        if not self.takes_weights:
            raise InputError(
                f"weights: expected none, got some: {type(self).__name__} has no update to "
                "scale. Play without them."
            )
        return checked_weights(weights, count, first_round)

    def checked_label(self, y: int) -> int:
        """Return y where it is one of the learner's labels."""
        if type(y) is int and y in (1, -1):
            return y
        return checked_sign(y)

    @property
    def plays_natively(self) -> bool:
        """Whether the core does what predict and update do; not where a subclass changed them."""
        kind = type(self)
        return kind.predict is NativeLearner.predict and kind.update is NativeLearner.update

    def fitting(self, block: Block) -> Block:
        """Return rows with the features learned from; of sparse ones, those beyond are refused."""
        if isinstance(block, PointBlock):
            raise block.refusal()
        if self.named not in (None, block.named):
            raise self._mixed(block)
        if block.named:
            return block
        if isinstance(block, SparseBlock):
            wide = self.width is not None and block.columns > self.width
            return block.narrowed(self.width or 0) if wide else block
        if self.width is None and self.dimension > block.columns:
            raise self._misfit(f"at least {self.dimension}", block)
        if self.width is not None and block.columns != self.width:
            raise self._misfit(str(self.width), block)
        return block

    def fix_form(self, block: Block) -> None:
        """Remember whether features are named, and their number where a dense block states it."""
        self.named = block.named
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
        return {**self.core.state(), **self.form_state()}

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        self.core.restore({name: state[name] for name in self.core.state()})
        self.restore_form(state)
        if self.named and self.hashing is None:
            self.features.truncate(self.dimension)  # a name without a weight is of no round
            if len(self.features) != self.dimension:
                raise ValueError("as many names as weights")
        if self.named is None and (self.rounds or self.dimension):
            raise ValueError("features that are named or numbered, once some were met")

    def form_state(self) -> dict[str, AnyArray]:
        """Return what is known of the form of x: its width, or the names of its features."""
        return {
            "width": np.array([-1 if self.width is None else self.width], np.int64),
            "named": np.array([-1 if self.named is None else self.named], np.int64),
            **(names_state(self.features, len(self.features)) if self.named else {}),
        }

    def restore_form(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``form_state`` returned."""
        (width,), (named,) = state["width"].tolist(), state["named"].tolist()
        if not (-1 <= width <= _core.MAX_DIMENSION and named in (-1, 0, 1)):
            raise ValueError("a width, and whether features are named")
        self.width = width if width >= 0 else None
        self.named = bool(named) if named >= 0 else None
        self.features = new_features(self.hashing)
        if self.named:
            restore_names(self.features, state)

    def _mixed(self, block: Block) -> InputError:
        forms = ("vectors or pairs (indices, values)", "dicts of named features")
        return InputError(
            f"x: expected {forms[bool(self.named)]}, as in the rounds before, got "
            f"{forms[block.named]}. Keep to one of the two."
        )

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
