"""Two labels, as −1 and +1."""

from collections.abc import Iterable
from numbers import Real

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError, Named, ParameterError, Phrase, argument, parameter
from novikoff.streams.labels.declared import (
    Declared,
    differing,
    distinct,
    is_hashable,
    is_missing,
    plain,
    stray,
)
from novikoff.streams.labels.label_maps import label_array, no_label, refuse_missing
from novikoff.types import AnyArray, Label

_ONE_LABEL = (bool, int, float, str, bytes, tuple, type(None))
_KINDS: dict[str, type[bool] | type[float]] = {"b": bool, "f": float}  # others are whole
_NUMBERED = ((-1, 1), (0, 1))
_READ = frozenset(  # what the core reads
    map(np.dtype, (np.int64, np.float64, np.int32, np.float32, np.int8, np.uint8))
)


class StrangerError(InputError):
    """A label that is neither of the two."""


class BinaryLabels:
    """Two labels, as −1 and +1.

    Without ``positive`` they are −1 and +1, or 0 and 1, or False and True, whichever appear, or
    the pair ``known``. With ``positive``, that label is +1 and every other is −1. A closed set has
    no labels but ``positive`` and ``others``; ``closed`` is None while nobody has said whether the
    set is closed.
    """

    def __init__(
        self,
        positive: Label | None = None,
        known: Iterable[Label] = (),
        closed: bool | None = None,
    ) -> None:
        self.positive = None if positive is None else _checked_positive(positive)
        self.known: tuple[Label, ...] = tuple(map(plain, known)) if known else ()
        """(the label of −1, the label of +1), or () before they are known."""
        if self.known:
            _check_pair(self.known)
        self.closed = closed
        self.others: dict[Label, None] = {}
        """With ``positive``: the labels that count as −1, met or declared; never changed in place.

        An open set remembers at most two of them.
        """
        if self.positive is not None and self.known:
            self.others = {self.known[0]: None}

    @property
    def every(self) -> tuple[Label, ...]:
        """The labels that a ledger lists: the pair."""
        return self.known

    @property
    def allowed(self) -> tuple[Label, ...]:
        """The labels of a closed set; () while it is open."""
        if self.positive is None:
            return self.known
        return (*self.others, self.positive) if self.closed else ()

    def declared(self, labels: Declared) -> "BinaryLabels":
        """Return the same map with this set of labels, closed, or open to any."""
        found = self.copy()
        if isinstance(labels, str):
            found.closed = False
            return found
        given = distinct(labels)
        if self.positive is None:
            return self._declared_pair(given)
        met = [label for label in self.others if label != self._several]
        for label in (self.positive, *met):
            if label not in given:
                raise parameter("labels", f"{label!r} among them, which is in use", tuple(given))
        found.others, found.closed = {k: None for k in given if k != self.positive}, True
        found.known = self._named(found.others)
        return found

    def _declared_pair(self, given: dict[Label, None]) -> "BinaryLabels":
        pair = tuple(given)
        if self.known and set(pair) != set(self.known):
            raise parameter(
                "labels", f"{self.known}, as so far", pair, "Begin a new run for other labels."
            )
        usual = next((p for p in ((-1, 1), (0, 1)) if set(pair) == set(p)), None)
        return BinaryLabels(None, self.known or usual or pair, True)

    def close(self) -> None:
        """Refuse new labels from now on, if at least two were met and the set is not open."""
        if self.closed is None and self.others:
            self.closed = True

    def against(self, positive: Label) -> "BinaryLabels":
        """Return the map in which this label is +1 and the others −1."""
        found = BinaryLabels(positive, (), self.closed)
        return found.declared(self.known) if self.known else found

    @property
    def _several(self) -> str:
        return f"not {self.positive}"

    def _named(self, others: dict[Label, None]) -> tuple[Label, ...]:
        """Return what −1 and +1 are called if these labels count as −1."""
        assert self.positive is not None
        return (next(iter(others)) if len(others) == 1 else self._several, self.positive)

    @property
    def pair(self) -> tuple[Label, ...]:
        """What predictions are called: the known pair, or a stand-in until it is known."""
        if self.known or self.positive is None:
            return self.known or (-1, 1)
        return (self._several, self.positive)

    @property
    def spoken(self) -> tuple[Label, ...]:
        """What a hypothesis calls its predictions; () while nothing is known."""
        return self.pair if self.known or self.positive is not None else ()

    def copy(self) -> "BinaryLabels":
        """Return a map that knows the same and can change on its own."""
        twin = BinaryLabels.__new__(BinaryLabels)
        twin.positive, twin.known = self.positive, self.known
        twin.closed, twin.others = self.closed, self.others
        return twin

    def encode(self, y: object, first_round: int = 1) -> npt.NDArray[np.int8]:
        """Map labels to −1 and +1; a label that fits no pair is an error that names its round."""
        labels = label_array(y)
        if self.positive is not None:
            return self._against(self.positive, labels, first_round)
        if self.known and self.known not in _NUMBERED:
            return self._among(labels, first_round)
        kind = labels.dtype.kind
        if kind not in "biuf":
            for t, label in enumerate(labels):
                if not (isinstance(label, Real) and label in (-1, 0, 1)):
                    raise self._stranger(labels, t, first_round)
            labels, kind = labels.astype(np.int64), "i"
        signs: npt.NDArray[np.int8]
        signs, minus, zero, bad = _core.sign_labels(_numeric(labels))
        if bad >= 0:
            raise self._stranger(labels, bad, first_round)
        if minus or zero or kind == "b":
            self._settle(labels, minus, zero, first_round)
        return signs

    def decode(self, signs: AnyArray) -> AnyArray:
        """Map −1 and +1 back."""
        found: AnyArray = label_array(self.pair)[(signs > 0).astype(np.intp)]
        return found

    def decode_one(self, sign: int | None) -> Label | None:
        """Map one prediction back; an abstention, 0 or None, gives None."""
        return (self.known or self.pair)[sign > 0] if sign else None

    @property
    def table(self) -> list[Label]:
        """What the predictions −1, 0 and +1 are called."""
        return [self.pair[0], None, self.pair[1]]

    def _settle(self, labels: AnyArray, minus: bool, zero: bool, first_round: int) -> None:
        """Learn from these labels whether −1 or 0 is the negative one; both cannot be."""
        known = self.known
        if not known:
            kind = _KINDS.get(labels.dtype.kind, int)
            negative = labels[np.argmax(labels < 1)] if minus and zero else -1 if minus else 0
            known = (kind(negative), kind(1))
        if minus and known[0] != -1:
            raise self._stranger(labels, int(np.argmax(labels == -1)), first_round)
        if zero and known[0] != 0:
            raise self._stranger(labels, int(np.argmax(labels == 0)), first_round)
        self.known = known

    def _among(self, labels: AnyArray, first_round: int) -> npt.NDArray[np.int8]:
        """Map labels that must be one of the known pair."""
        codes = {self.known[0]: -1, self.known[1]: 1}
        if labels.dtype.kind in "biufUS":
            values, inverse = np.unique(labels, return_inverse=True)
            signs = np.array([codes.get(value, 0) for value in values.tolist()], np.int8)[inverse]
            if not signs.all():
                raise self._stranger(labels, int(np.argmin(np.abs(signs))), first_round)
            return signs
        for t, label in enumerate(labels):
            if not is_hashable(label) or plain(label) not in codes:
                raise self._stranger(labels, t, first_round)
        return np.array([codes[plain(label)] for label in labels], np.int8)

    def _against(self, positive: Label, labels: AnyArray, first_round: int) -> npt.NDArray[np.int8]:
        refuse_missing(labels, first_round)
        wanted = np.empty((), object)
        wanted[()] = positive
        matches = np.asarray(labels == wanted, dtype=bool)
        if not matches.any():
            self._refuse_twins(positive, labels)
        if self.closed is False and len(self.others) > 1:
            return np.where(matches, np.int8(1), np.int8(-1))
        met = dict.fromkeys(map(plain, labels[~matches].tolist()))
        new = {label: None for label in met if label not in self.others}
        if new and self.closed:
            raise stray(labels, next(iter(new)), self.allowed, first_round)
        if new:
            self.others = self.others | new
            self.known = self._named(self.others)
        return np.where(matches, np.int8(1), np.int8(-1))

    @staticmethod
    def _refuse_twins(positive: Label, labels: AnyArray) -> None:
        """Refuse a text for a number, or a number for a text, that reads like one of the labels."""
        for label in dict.fromkeys(plain(label) for label in labels[:1000]):
            if str(label) == str(positive) and isinstance(label, str) != isinstance(positive, str):
                raise parameter("positive", f"{label!r}, as the labels have it", positive)

    def _stranger(self, labels: AnyArray, t: int, first_round: int) -> InputError:
        if is_missing(labels[t]):
            return no_label(plain(labels[t]), t, first_round)
        pair = f"{self.known[0]} and {self.known[1]}" if self.known else "−1 and +1, or 0 and 1"
        error = StrangerError(
            where=f"round {first_round + t}",
            expected=f"labels {pair}",
            got=f"{plain(labels[t])!r}{differing(plain(labels[t]), self.known)}",
            remedy=Phrase(
                "Declare the labels with ", argument("labels"),
                ", say which one counts as +1 with ", argument("positive"), ", or use ",
                Named("multiclass", "a multiclass learner"), ".",
            ),
        )  # fmt: skip
        error.row = t
        return error


def _checked_positive(positive: Label) -> Label:
    """Return the label that counts as +1; refuse what is no label."""
    found = plain(positive)
    if not isinstance(found, _ONE_LABEL) or not is_hashable(found):
        raise parameter("positive", "one label", positive)
    return found


def _check_pair(known: tuple[Label, ...]) -> None:
    """Refuse any but two different labels."""
    if len(known) == len(set(known)) == 2:
        return
    if len(known) == 1:
        raise ParameterError(
            where="labels",
            expected="two labels at least",
            got=f"only {known[0]!r}",
            remedy=Phrase(
                "Check which column holds them, or declare all with ", argument("labels"), "."
            ),
        )
    pair = "the label of −1 and that of +1, or "
    raise parameter("labels", Phrase(pair, argument("positive"), " with more"), known)


def _numeric(labels: AnyArray) -> AnyArray:
    """Return the labels in one of the forms the core reads; int8 … float64, contiguous."""
    dtype = labels.dtype
    if dtype in _READ:
        return np.ascontiguousarray(labels)
    if dtype.kind == "b":
        return np.ascontiguousarray(labels.view(np.uint8))
    return labels.astype(np.float64)
