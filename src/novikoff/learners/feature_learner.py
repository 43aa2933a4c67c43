"""Learners from rows of features, which are numbered from 0 or named."""

import math
from abc import abstractmethod
from typing import ClassVar, Literal, TypeVar

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, Named, Phrase, as_float, parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Parameters, Slice
from novikoff.streams import Block, Hashing, PointBlock, Transforms, as_block, as_transforms
from novikoff.streams.blocks.block import SparseBlock
from novikoff.streams.blocks.named import as_hashing, names_state, new_features, restore_names
from novikoff.streams.labels.round_weights import checked_weights
from novikoff.types import AnyArray, FloatArray

Ties = Literal["positive", "mistake"]
H = TypeVar("H", bound=Hypothesis)


class FeatureLearner(Learner):
    """A learner from rows of features, with an optional constant feature ``bias``.

    Features are numbered from 0, or named: the first example decides. A growing dictionary numbers
    the names, or they are hashed (``hashing``). ``transforms`` change a row before the learner sees
    it (docs/transforms.md); they are part of the learner, which always takes raw rows.
    """

    takes_weights: ClassVar[bool] = True
    scales_loss: ClassVar[bool] = False
    """Whether a weight, from 0 to 1, scales the loss of a round instead of the update by x.

    A run divides weights by the largest one, which it needs to know (``max_weight``).
    """
    conservative: ClassVar[bool] = True
    counters: ClassVar[tuple[str, ...]] = ("counts", "energy")

    def __init__(
        self, bias: float | None, hashing: object = None, transforms: object = None
    ) -> None:
        if bias is not None and not math.isfinite(as_float(bias)):
            raise parameter("bias", "None or a finite number", bias)
        self.bias = None if bias is None else float(bias)
        self.width: int | None = None
        """The number of features, once a dense x has fixed it."""
        self.named: bool | None = None
        """Whether features are named, once an example has decided it."""
        self.hashing: Hashing | None = None if hashing is None else as_hashing(hashing)
        self.features: _core.Features = new_features(self.hashing)
        """The names of features and their numbers."""
        self.transforms = None if transforms is None else as_transforms(transforms)
        """What happens to a raw row before the learner sees it; None if nothing does."""
        if self.hashing and self.transforms and self.transforms.named:
            raise parameter(
                "transforms",
                "no cross of names with hashing, which forgets names",
                self.transforms,
                "Leave hashing out, or hash the pairs: nv.Cross(…, bits=20).",
            )

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of features seen so far, the constant one not included."""

    @property
    @abstractmethod
    def weight_norm(self) -> float:
        """‖w‖, over all classes and with the constant feature."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The memory the learner holds."""

    @property
    @abstractmethod
    def plays_blocks(self) -> bool:
        """Whether ``play_rows`` does what predict and update do."""

    @abstractmethod
    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> float:
        """Play the one round of a block of one row that fits; return the prediction."""

    @abstractmethod
    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first one refused, or where they stop."""

    def declare(self, tally: _core.Tally) -> None:
        """Declare no measures beyond the counts."""

    @property
    def named_parameters(self) -> Parameters:
        """``bias`` and ``hashing``, which every learner of features has, as plain data."""
        hashing = self.hashing.plain if self.hashing else None
        found: Parameters = {"bias": self.bias, "hashing": hashing}
        if self.transforms:
            found["transforms"] = self.transforms.plain
        return found

    @property
    def raw_dimension(self) -> int:
        """The number of features that raw rows have had so far."""
        return self.transforms.width if self.transforms else self.dimension

    def transformed(self, X: object) -> list[dict[str | int, float]]:
        """Return rows as the learner would see them next, as dicts, to look at; changes nothing."""
        block = self.fitting(as_block(X))
        steps = self.transforms or Transforms([])
        return steps.shown(block, self.known_features)

    def carrying(self, hypothesis: H) -> H:
        """Return a hypothesis of this learner with its transforms, frozen."""
        hypothesis.transforms = self.transforms.frozen() if self.transforms else None
        return hypothesis

    @property
    def known_features(self) -> _core.Features | None:
        """The names that a hypothesis shares; None if features are numbered."""
        return self.features if self.named else None

    def checked_weights(self, weights: object, count: int, first_round: int = 1) -> FloatArray:
        """Return one weight for each round, if the learner's update can be scaled."""
        if not self.takes_weights:
            raise InputError(
                f"weights: expected none, got some: {type(self).__name__} has no update to "
                "scale. Play without them."
            )
        found = checked_weights(weights, count, first_round)
        if self.scales_loss and (found > 1).any():
            raise InputError(
                f"weights: expected parts of the largest one, from 0 to 1, got {found.max():g}. "
                "Divide them by the largest, or play a run with max_weight."
            )
        return found

    def fitting(self, block: Block) -> Block:
        """Return rows that have the features learned from; sparse rows with others are refused."""
        dense = block.dense  # asked first, because it is quick
        if not dense and isinstance(block, PointBlock):
            raise block.refusal()
        if self.named not in (None, block.named):
            raise self._mixed(block)
        if self.transforms:
            self.transforms.check_form(block)
        if block.named:
            return block
        if not dense and isinstance(block, SparseBlock):
            wide = self.width is not None and block.columns > self.width
            return block.narrowed(self.width or 0) if wide else block
        if self.width is None and self.raw_dimension > block.columns:
            raise self._misfit(f"at least {self.raw_dimension}", block)
        if self.width is not None and block.columns != self.width:
            raise self._misfit(str(self.width), block)
        return block

    def introduce(self, x: object) -> None:
        """Learn the form of x, so that ``hypothesis()`` works before the first round."""
        self.fix_form(self.fitting(self.block_of(x)))

    def fix_form(self, block: Block) -> None:
        """Remember whether features are named, and how many there are if a dense block shows it."""
        self.named = block.named
        if block.dense:
            self.width = block.columns

    def form_state(self) -> dict[str, AnyArray]:
        """Return what is known about the form of x: its width, or the names of its features."""
        return {
            "width": np.array([-1 if self.width is None else self.width], np.int64),
            "named": np.array([-1 if self.named is None else self.named], np.int64),
            **(names_state(self.features, len(self.features)) if self.named else {}),
            **(self.transforms.state() if self.transforms else {}),
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
        if self.transforms:
            self.transforms.restore(state)

    def _mixed(self, block: Block) -> InputError:
        forms = (
            Named("numbered_rows", "vectors or pairs (indices, values)"),
            Named("named_rows", "dicts of named features"),
        )
        return InputError(
            where="x",
            expected=Phrase(forms[bool(self.named)], ", as in the rounds before"),
            got=Phrase(forms[block.named]),
            remedy="Keep to one of the two.",
        )

    def _misfit(self, expected: str, block: Block) -> InputError:
        return InputError(
            f"x: expected {expected} features, got {block.columns}. "
            "Pass the features the learner has learned from."
        )


def checked_ties(ties: Ties) -> Ties:
    """Return the tie rule, if it is valid."""
    if ties not in ("positive", "mistake"):
        raise parameter("ties", "'positive' or 'mistake'", ties)
    return ties


def takes_features(learner: object) -> bool:
    """Say whether a learner of ours learns from rows of features."""
    return isinstance(learner, FeatureLearner)


def known_features_of(learner: object) -> _core.Features | None:
    """Return the names that a learner knows by number; None if it knows none."""
    return learner.known_features if isinstance(learner, FeatureLearner) else None


def transforms_of(learner: object) -> Transforms | None:
    """Return what a learner makes of raw rows; None if it takes them as they are."""
    return learner.transforms if isinstance(learner, FeatureLearner) else None


def missing_groups(learner: object) -> list[str]:
    """Return the groups of a learner's crosses that no feature so far is in."""
    if not (isinstance(learner, FeatureLearner) and learner.transforms):
        return []
    return learner.transforms.missing(learner.known_features)
