"""Any labels, as class ids."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.streams.labels.declared import Declared, distinct, is_hashable, plain, stray
from novikoff.streams.labels.label_maps import label_array, refuse_missing
from novikoff.types import AnyArray, Label

_SMALL_RANGE = 2**20


class ClassLabels:
    """Any labels, as class ids in the order in which they were first seen.

    ``known`` have their ids already. A closed set takes only the labels of ``given``, whether met
    or not; ``closed`` is None while nobody has said whether the set is closed.
    """

    positive = None
    others: Mapping[Label, None] = MappingProxyType({})

    def __init__(
        self,
        known: Iterable[Label] = (),
        closed: bool | None = None,
        given: Iterable[Label] = (),
    ) -> None:
        self.names: list[Label] = [plain(label) for label in known]
        self.ids: dict[Label, int] = {label: k for k, label in enumerate(self.names)}
        if len(self.ids) != len(self.names):
            raise parameter("labels", "every class once", tuple(self.names))
        self.closed = closed
        self.given = dict.fromkeys(given)
        """The labels of a closed set; never changed in place."""

    @property
    def known(self) -> tuple[Label, ...]:
        """The labels seen, in order."""
        return tuple(self.names)

    @property
    def spoken(self) -> tuple[Label, ...]:
        """What a hypothesis calls its predictions: the labels seen."""
        return tuple(self.names)

    @property
    def every(self) -> tuple[Label, ...]:
        """The labels that a ledger lists: those seen, then those declared and never met."""
        return (*self.names, *(label for label in self.given if label not in self.ids))

    @property
    def allowed(self) -> tuple[Label, ...]:
        """The labels of a closed set; () while it is open."""
        return self.every if self.closed else ()

    def has_met(self, label: object) -> bool:
        """Say whether a label has its id already, so that it cannot change the map."""
        return is_hashable(label) and plain(label) in self.ids

    def copy(self) -> "ClassLabels":
        """Return a map that knows the same and can change on its own."""
        twin = ClassLabels((), self.closed)
        twin.names, twin.ids, twin.given = self.names.copy(), self.ids.copy(), self.given
        return twin

    def declared(self, labels: Declared) -> "ClassLabels":
        """Return the same map with this set of labels, closed, or open to any."""
        if isinstance(labels, str):
            return ClassLabels(self.names, False)
        given = distinct(labels)
        for label in self.names:
            if label not in given:
                raise parameter("labels", f"{label!r} among them, which is in use", tuple(given))
        return ClassLabels(self.names, True, given)

    def close(self) -> None:
        """Refuse new labels from now on, if at least two were met and the set is not open."""
        if self.closed is None and len(self.names) > 1:
            self.closed = True

    def encode(self, y: object, first_round: int = 1) -> npt.NDArray[np.uint32]:
        """Map labels to ids; a new label gets the next id."""
        labels = label_array(y)
        refuse_missing(labels, first_round)
        ids: npt.NDArray[np.uint32]
        if labels.dtype.kind in "iu" and labels.size and labels.dtype != np.uint64:
            low, high = int(labels.min()), int(labels.max())
            if high - low < _SMALL_RANGE:
                integers = np.ascontiguousarray(labels, dtype=np.int64)
                numbers, seen = _core.number_labels(integers, low, high - low + 1)
                self._refuse_strays(labels, seen.tolist(), first_round)
                ids = self._table(seen)[numbers]
                return ids
        if labels.dtype.kind in "biufUS":
            values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
            order = np.argsort(first)
            self._refuse_strays(labels, values[order].tolist(), first_round)
            ids = self._table(values[order])[np.argsort(order)[inverse]]
            return ids
        found = [plain(label) for label in labels]
        self._refuse_strays(labels, found, first_round)
        return np.array([self._id(label) for label in found], np.uint32)

    def decode(self, ids: AnyArray) -> AnyArray:
        """Map ids back."""
        if not self.ids:
            raise InputError(
                "predict: expected a class to predict, got none yet. Learn a round first."
            )
        found: AnyArray = label_array(self.known)[ids]
        return found

    def decode_one(self, number: int | None) -> Label | None:
        """Map one prediction back."""
        return self.names[number] if number is not None and 0 <= number < len(self.names) else None

    @property
    def table(self) -> list[Label]:
        """What the predictions 0, 1, … are called."""
        return self.names

    def _refuse_strays(self, labels: AnyArray, seen: list[Label], first_round: int) -> None:
        """Refuse the first label, in the order seen, that a closed set does not have."""
        if self.closed:
            for label in seen:
                if label not in self.ids and label not in self.given:
                    raise stray(labels, label, self.every, first_round)

    def _table(self, seen: AnyArray) -> npt.NDArray[np.uint32]:
        return np.array([self._id(label) for label in seen.tolist()], np.uint32)

    def _id(self, label: Label) -> int:
        if label not in self.ids:
            self.ids[label] = len(self.names)
            self.names.append(label)
        return self.ids[label]
