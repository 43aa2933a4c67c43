"""Coding: the labels and weights of rounds, as their learner takes them."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from novikoff.errors import InputError, parameter
from novikoff.learners import Learner, StructuredPerceptron
from novikoff.playing.ledger import Ledger
from novikoff.playing.slices import is_native
from novikoff.streams import BinaryLabels, ClassLabels, Outputs
from novikoff.streams.labels.declared import Declared, checked_declaration
from novikoff.streams.labels.label_maps import plain
from novikoff.streams.labels.round_weights import checked_class_weights, combined_weights
from novikoff.types import AnyArray, FloatArray, Label


class Coding:
    """A run's label map, of which its ledger is told, and the weights of its classes.

    Labels that are new make a new map: where their rounds are refused, the one before is kept.
    """

    def __init__(
        self,
        learner: Any,
        ledger: Ledger,
        positive: Label | None,
        labels: Declared,
        class_weights: Mapping[Any, float] | None,
    ) -> None:
        self.learner, self.ledger = learner, ledger
        self.multiclass = bool(getattr(learner, "multiclass", False))
        self._refuse_positive(positive)
        self.labels = self._first_map(positive, checked_declaration(labels))
        self.class_weights = checked_class_weights(class_weights)

    def _first_map(self, positive: Label | None, labels: Declared) -> Any:
        given = () if isinstance(labels, str) else tuple(labels)
        if isinstance(self.learner, StructuredPerceptron):
            found: Any = Outputs()
        elif self.multiclass:
            found = ClassLabels(given[: self._seen(given)])
        elif positive is None:
            found = BinaryLabels(None, given)
        else:
            found = BinaryLabels(positive)
        return found.declared(labels) if labels else found

    def _seen(self, given: tuple[Label, ...]) -> int:
        """Return how many of the labels have their class ids already.

        A learner that is not ours may know them all; one of ours numbers the rest as they come.
        """
        if not isinstance(self.learner, Learner):
            return len(given)
        seen = int(getattr(self.learner, "classes", 0))
        if seen > len(given):
            raise parameter(
                "labels",
                f"the labels of the {seen} classes the learner has seen",
                given,
                "Go on with its run, or name them.",
            )
        return seen

    def _refuse_positive(self, positive: Label | None) -> None:
        if self.multiclass and positive is not None:
            raise parameter("positive", "None with a multiclass learner", positive)

    @property
    def spoken(self) -> tuple[Label, ...]:
        """What a hypothesis calls its predictions; () while nothing is known."""
        if not isinstance(self.labels, BinaryLabels):
            known: tuple[Label, ...] = self.labels.known
            return known
        named = self.labels.known or self.labels.positive is not None
        return self.labels.pair if named else ()

    def adopt(self, positive: Label | None, labels: Declared) -> None:
        """Take over what a stream says of its labels: the positive one, and the set of them."""
        self._refuse_positive(positive)
        if positive is not None and isinstance(self.labels, BinaryLabels):
            mine = self.labels.positive
            if positive != mine and (mine is not None or self.ledger.rounds):
                expected = (
                    repr(mine) if mine is not None else f"none, as in round 1 ({self.spoken})"
                )
                raise parameter("positive", expected, positive, "Begin another run for it.")
            if mine is None:
                self.labels = self.labels.against(positive)
        if labels:
            self.declare(labels)

    def declare(self, labels: Declared) -> None:
        """Close the set of labels at these, or open it."""
        self.keep(self.labels.declared(checked_declaration(labels)))

    def close(self) -> None:
        """Take no other label from now on, unless the set was declared open."""
        found = self.labels.copy()
        found.close()
        self.keep(found)

    @property
    def state(self) -> dict[str, Any]:
        """What a saved run remembers of its labels."""
        return {
            "positive": getattr(self.labels, "positive", None),
            "closed": self.labels.closed,
            "label_set": list(self.labels.every),
            "met": len(self.labels.known),
            "others": list(getattr(self.labels, "others", ())),
        }

    def restore(self, metadata: Mapping[str, Any]) -> None:
        """Take over a saved state; one that knows nothing of closed sets has an open one."""
        labels = tuple(metadata.get("label_set", metadata["labels"]))
        closed = metadata.get("closed", False)
        if not isinstance(closed, (bool, type(None))):
            raise ValueError("a set of labels that is neither open nor closed")
        if isinstance(self.labels, ClassLabels):
            met = labels[: metadata.get("met", len(labels))]
            self.labels = ClassLabels(met, closed, labels)
        elif isinstance(self.labels, BinaryLabels):
            self.labels = BinaryLabels(metadata["positive"], labels, closed)
            if metadata.get("others"):
                self.labels.others = dict.fromkeys(metadata["others"])

    def encoded(self, y: Any) -> tuple[Any, AnyArray, InputError | None]:
        """Map a block's labels, up to the first that cannot be; return the map as it was, too."""
        before, number = self.labels, self.ledger.rounds + 1
        new = before.copy() if self._unknown(y) else before
        fault = None
        try:
            codes: AnyArray = new.encode(y, number)
        except InputError as error:
            if error.row is None:
                raise
            fault, new = error, before.copy()
            codes = new.encode(y[: error.row], number)
        self.keep(new)
        return before, codes, fault

    def keep(self, labels: Any) -> None:
        """Speak the labels of this map from now on."""
        if labels is not self.labels:
            self.labels, self.ledger.labels = labels, labels.every

    def _unknown(self, y: Any) -> bool:
        """Could encoding these labels change the map? One known class cannot, and is common."""
        if isinstance(self.labels, ClassLabels) and len(y) == 1:
            return not (isinstance(y[0], Hashable) and plain(y[0]) in self.labels.ids)
        return True

    def weights(self, y: Any, given: Any) -> tuple[FloatArray | None, InputError | None]:
        """Return what scales each update, up to the first that is no weight; None for nothing."""
        if given is None and not self.class_weights:
            return None, None
        if not is_native(self.learner):
            raise InputError(
                f"weights: expected none with {self.ledger.learner}, whose updates are not scaled "
                "here, got some. Leave them out."
            )
        if not self.learner.takes_weights:
            self.learner.checked_weights(given, len(y))
        return combined_weights(y, given, self.class_weights, self.labels, self.ledger.rounds + 1)


def placed(fault: InputError, place: Callable[[int], str] | None) -> InputError:
    """Return an error about a round; one of a file is found by its line."""
    if place is None:
        return fault
    assert fault.row is not None
    return fault.moved(place(fault.row))
