"""Learners that are played row by row: those of finite classes, and any object with predict and
update."""

import math

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, as_float
from novikoff.interrupts import look
from novikoff.learners.feature_learner import FeatureLearner
from novikoff.learners.learner import (
    Learner,
    Slice,
    given_labels,
    many_labels,
    real_labels,
    two_labels,
)
from novikoff.learners.protocols import BlockLearner, is_probable, plays_blocks
from novikoff.streams import Block, LabelMap, Stream, as_stream, one_row
from novikoff.streams.blocks.named import new_features
from novikoff.streams.labels.declared import Declared
from novikoff.types import FloatArray, Label, Player

_SUMS = (
    "loss", "labels_above", "labels_below", "squared_labels", "squares_above", "squares_below",
)  # fmt: skip
_REAL = [*((name, "sum") for name in _SUMS), ("largest_label", "largest")]
"""What is measured of a learner whose labels are real numbers; its loss is the squared one."""


class RowByRow:
    """A ``BlockLearner`` that calls a learner's ``predict`` and ``update``, row by row."""

    plays_blocks = True
    takes_weights = False

    def __init__(self, learner: Player) -> None:
        self.learner = learner
        self.multiclass = bool(getattr(learner, "multiclass", False))
        self.real = bool(getattr(learner, "real", False))
        self.features = _features_like(learner)
        """The names of features: the run's own, beginning with those that the learner knows."""
        self._ours = learner if isinstance(learner, Learner) else None

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played; 0 if it does not say."""
        return self._ours.rounds if self._ours else 0

    def declare(self, tally: _core.Tally) -> None:
        """Declare no measures beyond the counts, but for real labels."""
        if self.real:
            tally.declare(_REAL)

    def stream_of(self, source: object) -> Stream:
        """Take a stream as it is, and any iterable of (x, y) as a stream."""
        return self._ours.stream_of(source) if self._ours else as_stream(source)

    def block_of(self, x: object) -> Block:
        """Take one x as a block of one row."""
        return self._ours.block_of(x) if self._ours else one_row(x)

    def label_map(self, positive: Label | None, labels: Declared) -> LabelMap:
        """Return the user's label map; a foreign learner may know all labels beforehand."""
        if self._ours:
            return self._ours.label_map(positive, labels)
        if self.real:
            return real_labels(positive, labels)
        if self.multiclass:
            return many_labels(positive, labels, len(given_labels(labels)))
        return two_labels(positive, labels)

    def fitting(self, block: Block) -> Block:
        """Return rows as the learner takes them; refuse rows that it cannot learn from."""
        return self._ours.fitting(block) if self._ours else block

    def fix_form(self, block: Block) -> None:
        """Remember the form of rows that were played, if the learner does."""
        if isinstance(self._ours, FeatureLearner):
            self._ours.fix_form(block)

    def checked_weights(self, weights: object, count: int) -> FloatArray:
        """Refuse weights, because nothing here can scale an update."""
        raise InputError(
            f"weights: expected none with {type(self.learner).__name__}, whose updates are not "
            "scaled here, got some. Leave them out."
        )

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> object:
        """Play the one round of a block of one row that fits; return the prediction."""
        found = block.played(0, self.features)
        if found is None:
            raise InputError(f"x: {block.fault(0)}")
        return self._play_row(block.row(0), *found, code, tally)

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first one refused, or where they stop."""
        block, codes, _, start, stop = rows
        for t in range(start, stop):
            found = block.played(t, self.features)
            if found is None:
                return t
            self._play_row(block.row(t), *found, codes[t].item(), tally)
            look()
        return stop

    def _play_row(
        self, x: object, native: _core.Block, t: int, code: int, tally: _core.Tally
    ) -> object:
        """Play one round with a valid row: row t of a block in the core."""
        prediction: object = self.learner.predict(x)
        if self.real:
            self._check_number(prediction)
            self.learner.update(x, code)
            tally.round(native, t, 0, False)
            self._measure(as_float(prediction), code, tally)
            return prediction
        if self.multiclass and not isinstance(prediction, (int, np.integer, type(None))):
            raise InputError(
                f"learner: expected a class id or None as its prediction, got {prediction!r}. "
                "Classes are numbered 0, 1, … as they appear."
            )
        if not self.multiclass and prediction not in (-1, 0, 1, None):
            raise InputError(
                f"learner: expected −1 or +1 as its prediction, 0 or None for neither, got "
                f"{prediction!r}. Labels are −1 and +1 to a learner, whatever they are called."
            )
        chance = self._chance(x) if tally.decides else None
        self.learner.update(x, code)
        abstained = prediction is None
        label = code if self.multiclass else int(code > 0)
        tally.round(native, t, label, not abstained and prediction != code)
        tally.abstentions += abstained
        if chance is not None:
            tally.decide(chance, code > 0)
        return prediction

    @staticmethod
    def _check_number(prediction: object) -> None:
        if not math.isfinite(as_float(prediction)):
            raise InputError(
                f"learner: expected a finite number as its prediction, got {prediction!r}. Its "
                "labels are real numbers."
            )

    @staticmethod
    def _measure(prediction: float, y: float, tally: _core.Tally) -> None:
        from fractions import Fraction

        squared = y * y
        rest = float(Fraction(y) ** 2 - Fraction(squared))  # exact, because y is in range
        signed = max(y, 0.0), max(-y, 0.0), squared, max(rest, 0.0), max(-rest, 0.0)
        terms = ((y - prediction) ** 2, *signed)
        for name, term in zip(_SUMS, terms, strict=True):
            tally.add(name, term)
        tally.add("largest_label", abs(y))

    def _chance(self, x: object) -> float | None:
        """Return the probability of +1 before the label is shown, for a run with a threshold."""
        learner = self.learner
        found = learner.probability(x) if is_probable(learner) else None
        return found if isinstance(found, float) else None


def _features_like(learner: object) -> _core.Features:
    """Return the names that a learner has numbered; the run goes on from them."""
    if not isinstance(learner, FeatureLearner):
        return _core.Features()
    found, known = new_features(learner.hashing), learner.known_features
    if known is not None and not known.bits:
        found.restore(known.names(len(known)))
    return found


def block_learner_of(learner: Player) -> BlockLearner:
    """Return the learner if it plays whole blocks; otherwise wrap it to play row by row."""
    return learner if plays_blocks(learner) else RowByRow(learner)
