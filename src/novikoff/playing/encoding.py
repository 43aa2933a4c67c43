"""Encoding: labels and weights of rounds, as the learner takes them."""

from collections.abc import Callable

from novikoff.errors import InputError, Phrase, argument, parameter
from novikoff.learners import BlockLearner
from novikoff.learners.learner import refuse_positive
from novikoff.learners.protocols import scales_loss
from novikoff.playing.agreement import check_codes, check_stated, require
from novikoff.playing.ledger import Ledger
from novikoff.playing.saved_run import SavedRun
from novikoff.streams import BinaryLabels, ClassLabels, LabelMap, RealLabels
from novikoff.streams.labels.declared import Declared, checked_declaration
from novikoff.streams.labels.round_weights import Weighting
from novikoff.types import FloatArray, Label, PerRound


class Encoding:
    """A run's label map, which it reports to the ledger, and the weights of its classes.

    New labels make a new map. If their rounds are refused, the old map stays.
    """

    def __init__(
        self,
        learner: BlockLearner,
        ledger: Ledger,
        positive: Label | None,
        labels: Declared,
        weighting: Weighting,
    ) -> None:
        self.learner, self.ledger = learner, ledger
        self.labels: LabelMap = learner.label_map(positive, checked_declaration(labels))
        if isinstance(self.labels, ClassLabels) and self.labels.known:
            ledger.labels = self.labels.every  # all classes are known before the first round
        self.weighting = weighting

    def adopt(self, positive: Label | None, labels: Declared) -> None:
        """Take over what a stream says about its labels: the positive one, and all of them."""
        if isinstance(self.labels, ClassLabels):
            refuse_positive(positive)
        if isinstance(self.labels, RealLabels):
            self.labels.refuse_positive(positive)
        if positive is not None and isinstance(self.labels, BinaryLabels):
            mine = self.labels.positive
            if positive != mine and (mine is not None or self.ledger.rounds):
                none = f"none, as in round 1 ({self.labels.spoken})"
                expected = none if mine is None else repr(mine)
                raise parameter("positive", expected, positive, "Begin another run for it.")
            if mine is None:
                self.labels = self.labels.against(positive)
        if labels:
            self.declare(labels)

    def declare(self, labels: Declared) -> None:
        """Allow only these labels from now on, or any label."""
        given = checked_declaration(labels)
        classes: int | None = self.ledger.parameters.get("classes")
        many = isinstance(given, str) or (classes is not None and len(tuple(given)) > classes)
        if isinstance(self.labels, ClassLabels) and classes is not None and many:
            expected = f"the {classes} that the run began with, {self.labels.every}"
            raise parameter("labels", expected, given, "Begin a new run for other labels.")
        self.keep(self.labels.declared(given))

    @property
    def is_fixed(self) -> bool:
        """Whether the run can never take another label, whatever is declared."""
        if isinstance(self.labels, BinaryLabels):
            return self.labels.positive is None
        return "classes" in self.ledger.parameters

    def close(self) -> None:
        """Refuse new labels from now on, unless the set was declared open."""
        found = self.labels.copy()
        found.close()
        self.keep(found)

    @property
    def state(self) -> SavedRun:
        """What a saved run remembers of its labels."""
        return {
            "positive": self.labels.positive,
            "closed": self.labels.closed,
            "label_set": list(self.labels.every),
            "met": len(self.labels.known),
            "others": list(self.labels.others),
        }

    def restore(self, metadata: SavedRun) -> None:
        """Take over a saved state; an old one without closed sets has an open set."""
        labels = tuple(metadata.get("label_set", metadata["labels"]))
        closed = metadata.get("closed", False)
        if not isinstance(closed, (bool, type(None))):
            raise ValueError("a set of labels that is neither open nor closed")
        if isinstance(self.labels, ClassLabels):
            met = labels[: metadata.get("met", len(labels))]
            self.labels = ClassLabels(met, closed, labels)
        elif isinstance(self.labels, BinaryLabels):
            self.labels = BinaryLabels(metadata["positive"], labels, closed)
            if self.labels.positive is not None and "others" in metadata:
                self.labels.others = dict.fromkeys(metadata["others"])
        check_stated(metadata, self.state)

    def check(self, metadata: SavedRun, by_label: list[int]) -> None:
        """Refuse labels of a ledger that are not those of the map, or too few for its rounds."""
        known, stated = self.labels.known, metadata["labels"]
        require(not stated or repr(stated) == repr([*self.labels.every]), "two sets of labels")
        if isinstance(self.labels, ClassLabels):
            check_codes(by_label, len(known))
            classes: int = getattr(self.learner, "classes", 0) if self.labels.allowed else 0
            require(classes <= len(known), f"{classes} classes, {len(known)} of them named")
        elif isinstance(self.labels, BinaryLabels):
            if self.labels.positive is not None and known:
                pair = self.labels.declared((*self.labels.others, self.labels.positive)).known
                require(known == pair, f"the labels {known}, where {pair} were met")
            check_codes(by_label, 2)
            require(bool(known) or not any(by_label[:1]), "rounds with a label that is not named")
            require(bool(stated or not known or not any(by_label)), "rounds without their labels")

    def encoded(self, y: PerRound) -> tuple[PerRound, InputError | None]:
        """Map a block's labels, up to the first that has no code; return why it has none."""
        before, number = self.labels, self.ledger.tally.rounds + 1
        known = isinstance(before, ClassLabels) and len(y) == 1 and before.has_met(y[0])
        new = before if known else before.copy()
        fault = None
        try:
            codes = new.encode(y, number)
        except InputError as error:
            if error.row is None:
                raise
            fault, new = error.with_traceback(None), before.copy()  # no cycle with this frame
            codes = new.encode(y[: error.row], number)
        self.keep(new)
        return codes, fault

    def keep(self, labels: LabelMap) -> None:
        """Use this map from now on."""
        if labels is not self.labels:
            self.labels, self.ledger.labels = labels, labels.every

    def weights(
        self, y: PerRound, given: PerRound | None
    ) -> tuple[FloatArray | None, InputError | None]:
        """Return the weight of each update, up to the first invalid one; None without weights."""
        if given is None and self.weighting.is_plain:
            return None, None
        if not self.learner.takes_weights:
            self.learner.checked_weights(given, len(y))
        if scales_loss(self.learner) and self.weighting.most is None:
            raise InputError(
                where="weights",
                expected=f"a largest weight, declared before the first round of {self._name}",
                got="none",
                remedy=Phrase("Declare it with ", argument("max_weight"), "."),
            )
        return self.weighting.of(y, given, self.labels, self.ledger.rounds + 1)

    @property
    def _name(self) -> str:
        return self.ledger.learner


def placed(fault: InputError, place: Callable[[int], str] | None) -> InputError:
    """Return an error about a round, with the line if the round comes from a file."""
    if place is None:
        return fault
    assert fault.row is not None
    return fault.moved(place(fault.row))
