"""The protocol of labelled rounds: x is shown, the learner predicts, y is revealed."""

from collections.abc import Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.errors import ParameterError, parameter
from novikoff.learners import BlockLearner, Learner
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.learner import Kind
from novikoff.learners.protocols import is_quick, scales_loss, surveys
from novikoff.learners.row_by_row import block_learner_of
from novikoff.playing.agreement import check_calibration, check_learner, check_passes, require
from novikoff.playing.block_in_hand import BlockInHand
from novikoff.playing.decision_thresholds import check_decidable, checked_threshold
from novikoff.playing.encoding import Encoding
from novikoff.playing.followed import with_followed
from novikoff.playing.labelled_measures import LabelledMeasures, ServedCounts
from novikoff.playing.ledger import Ledger
from novikoff.playing.progress import Report
from novikoff.playing.saved_run import SavedRun
from novikoff.playing.slices import Slices
from novikoff.saving import storage
from novikoff.streams import Block, LabelMap, Stream
from novikoff.streams.blocks.examples import Outputs
from novikoff.streams.frames import is_frame
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.label_maps import plain
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.streams.labels.round_weights import (
    Weighting,
    checked_class_weights,
    checked_max_weight,
)
from novikoff.streams.skipping import Skipping
from novikoff.streams.stream import Rounds
from novikoff.types import Arrays, Label, Player

_LABELS_REMEMBERED = 1000
_NUMBERS = (float, int, np.number)
_PLAIN = (str, int, bool, float)  # their hashes run no code of the user
_UNWEIGHTED = Weighting({})
_weight_norm = attrgetter("weight_norm")


class LabelledRounds:
    """Rounds with labels: encoded, played slice by slice, tallied and settled."""

    saved_as = "Run"
    kind: Kind = "labelled"
    threshold: float | None = None
    """The probability from which on the run decides on the positive label."""
    in_hand: BlockInHand | None = None
    """The block being played, or the one whose play an exception ended."""
    passes = 0
    """The passes over the stream, including the current one."""
    digested = False
    """Whether the digest has the stream's rounds already, from an earlier pass."""

    def __init__(
        self,
        learner: Player,
        *,
        positive: Label | None = None,
        labels: Declared = (),
        class_weights: Mapping[Any, float] | None = None,
        max_weight: float | None = None,
        threshold: float | None = None,
        digest: bool = False,
    ) -> None:
        ours = learner if isinstance(learner, Learner) else None
        if ours is None:
            _check_player(learner)
        self._player = learner
        found = self.learner = block_learner_of(learner)
        self._surveying = found if surveys(found) else None
        self.rereads = self._surveying is not None
        normed = hasattr(type(learner), "weight_norm")
        norm = partial(_weight_norm, learner) if normed else None
        sheet = LabelledMeasures(found.declare, norm)
        self.ledger = Ledger(
            type(learner).__name__,
            ours.parameters if ours else {},
            ours.rounds == 0 if ours else None,
            sheet,
        )
        weighting = _weighting(found, class_weights, max_weight)
        self._encoding = Encoding(found, self.ledger, positive, labels, weighting)
        self._slices = Slices(found, self.ledger, sheet, digest)
        self._tally = sheet.tally
        sheet.max_weight = weighting.most or 1.0
        self._codes: dict[Label, int] = {}  # labels met, and the learner's codes for them
        if threshold is not None:
            self.threshold = checked_threshold(threshold)
            check_decidable(learner, self._encoding.labels)
            sheet.decide(self.threshold)

    @property
    def labels(self) -> LabelMap:
        """The map between the user's labels and the learner's."""
        return self._encoding.labels

    @labels.setter
    def labels(self, labels: LabelMap) -> None:
        self._encoding.keep(labels)

    @property
    def class_weights(self) -> dict[Label, float]:
        """The weight of each label's updates."""
        return dict(self._encoding.weighting.by_class)

    @property
    def max_weight(self) -> float | None:
        """The largest weight that a round may have, if it is declared."""
        return self._encoding.weighting.most

    @property
    def served(self) -> ServedCounts | None:
        """What asks were served; None while there were none."""
        return self._slices.sheet.served

    def code_of(self, y: Label) -> int:
        """Return what the learner calls a label that was played."""
        known = self._codes.get(y) if type(y) in _PLAIN else None
        return int(self.labels.encode([y])[0]) if known is None else known

    def serve(self, with_loss: bool) -> None:
        """Begin to count what is served, and its loss if there are probabilities."""
        self._slices.sheet.serve(with_loss)

    def stream_of(self, source: object) -> Stream:
        """Take a stream as it is, and other data as the stream that the learner plays."""
        return self.learner.stream_of(source)

    def adopt(self, source: Stream) -> None:
        """Take over what a stream says about its labels, and tell it which ones are allowed."""
        source.meet(self._player)
        if source.positive is not None or source.declared:
            self._encoding.adopt(plain(source.positive), source.declared)
        if allowed := self._encoding.labels.allowed:
            source.admit(allowed)

    @property
    def keeps_labels(self) -> bool:
        """Whether it can never take another label, whatever is declared."""
        return self._encoding.is_fixed

    def declare(self, labels: Declared) -> None:
        """Allow only these labels from now on, or any label."""
        self._encoding.declare(labels)

    def prepare(self, source: Stream) -> None:
        """Survey the stream before its first pass, if the learner needs all its features."""
        if self._surveying is not None:
            self._surveying.survey(source)

    def clean_up(self) -> None:
        """Forget the survey."""
        if self._surveying is not None:
            self._surveying.forget_survey()

    def name_columns(self, names: tuple[str, ...]) -> None:
        """Tell the transforms what the columns of the next block are called."""
        if (steps := transforms_of(self._player)) is not None:
            steps.name_columns(names)

    def blocks(self, source: Stream, played: int) -> Iterator[Rounds]:
        """Yield the rounds of a stream that were not played yet."""
        return iter((Skipping(source, played) if played else source).blocks())

    def play_block(self, rounds: Rounds, report: Report | None, order: LabelOrder) -> None:
        """Play a block of rounds: encode it, play its slices, make everything agree with them."""
        rows, y, weights, place = rounds if type(rounds) is Rounds else Rounds(*rounds)
        block = self.learner.fitting(rows)
        in_hand = self.in_hand = BlockInHand(
            self._encoding, self._slices, block, y, self.passes, self.digested
        )
        try:
            in_hand.play(weights, report, place)
        finally:
            order.add(in_hand.played)
        self.in_hand = None

    def end_pass(self, source: Stream) -> None:
        """Note that a whole pass was played: its rounds are digested, its labels known."""
        self.digested = True
        if source.closes:
            self._encoding.close()

    def learn(self, run: _core.Rounds, x: object, y: Label, weight: float) -> Label | None:
        """Play one round, whatever its form, and say what is wrong with it."""
        encoding, known = self._encoding, self.labels.known
        block = self.learner.fitting(self.learner.block_of(x))
        in_hand = self.in_hand = BlockInHand(encoding, self._slices, block, [y])
        try:
            codes, fault = encoding.encoded([y])
            if encoding.labels.known != known:
                self.forget(run)
            if fault is not None:
                raise fault
            in_hand.coded = codes, encoding.labels
            code: Any = codes[0].item() if isinstance(codes, np.ndarray) else codes[0]
            given = None if isinstance(weight, _NUMBERS) and weight == 1 else [weight]
            weights, fault = encoding.weights([y], given)
            if fault is not None:
                raise fault
            prediction = self.learner.learn_row(block, code, self._tally, weights)
            if self._slices.sheet.has_loss:
                self._slices.sheet.check()
        finally:
            in_hand.settle()
            self.in_hand = None
        self._remember(run, block, y, code)
        return encoding.labels.decode_one(prediction)

    def _remember(self, run: _core.Rounds, block: Block, y: Label, code: int) -> None:
        """Let the next round go straight to the core if it has a dict and this label."""
        learner = self.learner
        if not block.named or self._slices.hashes or not is_quick(learner):
            return
        if not all(map(_core.is_plain, (y, *self.class_weights))):
            return  # a __hash__ in the user's code might call this run
        if len(self._codes) < _LABELS_REMEMBERED:
            self._codes[y] = code
        weights = {label: self._encoding.weighting.of_label(label) for label in self._codes}
        learner.quicken(run, self._tally, self._codes, self.labels.table, weights)

    def settle(self, midway: bool) -> None:
        """Make everything agree with the rounds played, after an exception or before a save."""
        if self.in_hand is not None:
            self.in_hand.settle()
            self.in_hand = self.in_hand if midway else None

    def forget(self, run: _core.Rounds) -> None:
        """Check the next round in Python before any goes straight to the core again."""
        run.slow_down()
        self._codes = {}

    def state(self) -> SavedRun:
        """Return what a saved run remembers besides its ledger and its learner."""
        found: SavedRun = {"class_weights": list(self.class_weights.items())}
        if self.max_weight is not None:
            found["max_weight"] = self.max_weight
        if self.threshold is not None:
            found["threshold"] = self.threshold
        if self._slices.hash is not None:
            found["digesting"] = self._slices.hash.state()
        return self._encoding.state | found

    def check_labels(self) -> None:
        """Refuse labels that a file cannot hold."""
        about = self._encoding.state
        named = [*about["label_set"], *about["others"], *self.class_weights, about["positive"]]
        storage.plain_labels(tuple(label for label in named if label is not None))

    @classmethod
    def restored(cls, metadata: SavedRun, arrays: Arrays, learner: Player) -> "LabelledRounds":
        """Return the protocol of a saved run, with its ledger."""
        found = cls(
            learner,
            positive=metadata["positive"],
            labels=metadata["labels"] or metadata.get("label_set", ()),
            class_weights=dict(metadata["class_weights"]),
            max_weight=metadata.get("max_weight"),
            threshold=metadata.get("threshold"),
        )
        found._encoding.restore(metadata)
        if "ledger.served" in arrays:
            found.serve("ledger.served_loss" in arrays)
        found.ledger.restore(metadata, with_followed(arrays))
        found._check_agreement(metadata, learner)
        if "digesting" in metadata:
            found._slices.go_on(metadata["digesting"])
        return found

    def _check_agreement(self, metadata: SavedRun, learner: Player) -> None:
        """Refuse a ledger that disagrees with its labels, its learner or its passes."""
        tally, rounds = self._tally.state(), self.ledger.rounds
        by_label: list[int] = tally["rounds_by_label"].tolist()
        whole = isinstance(self.labels, Outputs)
        require(whole or bool(by_label) == (rounds > 0), f"{rounds:,} rounds, none by label")
        self._encoding.check(metadata, by_label)
        check_calibration(tally, self.learner)
        check_passes(rounds, metadata)
        if isinstance(learner, Learner):
            check_learner(rounds, metadata["began_fresh"], learner.rounds)


def _check_player(learner: object) -> None:
    """Refuse what cannot be played."""
    methods = (getattr(learner, name, None) for name in ("predict", "update"))
    if not isinstance(learner, type) and all(map(callable, methods)):
        return
    if isinstance(learner, (Stream, list, tuple, np.ndarray)) or is_frame(learner):
        raise ParameterError(
            where="learner, stream",
            expected="a learner and then a stream",
            got=f"{type(learner).__name__} as the learner: the two look swapped",
            remedy="Say nv.play(learner, stream).",
        )
    raise parameter("learner", "an object with predict and update", learner, _instead(learner))


def _instead(learner: object) -> str:
    """Say what somebody may have meant who passes this as a learner."""
    if isinstance(learner, type):
        return f"Pass an object, not the class: {learner.__name__}()."
    for method, library in (("learn_one", "river"), ("partial_fit", "sklearn"), ("fit", "sklearn")):
        if callable(getattr(learner, method, None)):
            ours = f"novikoff.{library}.BlendClassifier"
            return f"Pass a learner, such as nv.Blend(); {ours} works in pipelines."
    return ""


def _weighting(
    learner: BlockLearner, given: Mapping[object, float] | None, most: float | None
) -> Weighting:
    """Return how weights reach a learner; only those that scale losses need a largest one."""
    scaled = scales_loss(learner)
    if given is None and most is None and not scaled:
        return _UNWEIGHTED
    by_class = checked_class_weights(given)
    if scaled:
        return Weighting(by_class, checked_max_weight(most, by_class))
    if most is not None:
        raise parameter(
            "max_weight", "None, because any weight can scale the learner's updates", most
        )
    return Weighting(by_class)
