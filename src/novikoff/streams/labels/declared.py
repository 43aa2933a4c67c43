"""Declared labels: a closed set refuses every other label, an open set takes any."""

from collections.abc import Hashable, Iterable
from typing import Literal, TypeGuard

import numpy as np

from novikoff.errors import InputError, Phrase, argument, parameter
from novikoff.types import AnyArray, Label

_SHOWN = 12  # labels of a set, in an error
STRAY_ADVICE = Phrase(
    "Correct it, declare it with ", argument("labels"), ", or let new labels in with ",
    argument("labels", "open"), ".",
)  # fmt: skip
_KEPT = Phrase(
    "begin a new run with all the rows and ", argument("labels"),
    ": this run keeps the labels that it began with.",
)  # fmt: skip
_DECLARED = Phrase("declare it with ", argument("labels"), ".")

Declared = Iterable[Label] | Literal["open"]
"""The labels of a closed set, () if none are declared, or "open"."""


class StrayError(InputError):
    """A label that a closed set does not have."""


def kept_advice(begun: bool, in_file: bool) -> Phrase:
    """Return what to do about a label that a run can never take, once it has begun.

    >>> kept_advice(begun=False, in_file=True)
    "Correct it, skip such lines with on_bad='skip', or declare it with labels=…."
    """
    skipped = Phrase(", skip such lines with ", argument("on_bad", "skip")) if in_file else ""
    return Phrase("Correct it", skipped, ", or ", _KEPT if begun else _DECLARED)


def differing(name: object, known: Iterable[object]) -> str:
    """Say that a name is one of the known ones but for blanks around it, if it is.

    >>> differing("<=50K", (" <=50K", " >50K"))
    ", which differs from ' <=50K' only in blanks"
    """
    if isinstance(name, str):
        for other in known:
            if isinstance(other, str) and other.strip() == name.strip():
                return f", which differs from {other!r} only in blanks"
    return ""


def alike(name: object, known: Iterable[object]) -> str:
    """Say that a name is one of the known ones but for blanks or case, if it is.

    >>> alike(">50k", ("<=50K", ">50K"))
    ", which differs from '>50K' only in case"
    """
    told = differing(name, known)
    if told or not isinstance(name, str):
        return told
    folded = name.strip().casefold()
    for other in known:
        if isinstance(other, str) and other.strip().casefold() == folded:
            return f", which differs from {other!r} only in case"
    return ""


def plain(label: Label) -> Label:
    """Return a NumPy scalar as the Python value it stands for."""
    return label.item() if isinstance(label, np.generic) else label


def is_nan(label: object) -> bool:
    """Say whether a label is NaN."""
    return isinstance(label, (float, np.floating)) and bool(np.isnan(label))


def is_missing(label: object) -> bool:
    """Say whether a label is None or NaN, or what a frame has for them."""
    return label is None or type(label).__name__ in ("NAType", "NaTType") or is_nan(label)


def is_hashable(label: object) -> TypeGuard[Hashable]:
    """Say whether a label can be looked up; a tuple cannot if there is a list in it."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def distinct(labels: Iterable[Label]) -> dict[Label, None]:
    """Return the labels of a set; refuse a label that is given twice."""
    given = [plain(label) for label in labels]
    for label in given:
        if label is None or not is_hashable(label) or is_nan(label):
            raise parameter("labels", "'open' or several labels", label)
    found = dict.fromkeys(given)
    if len(found) < len(given):
        raise parameter("labels", "every class once", tuple(given))
    return found


def checked_declaration(labels: object) -> Declared:
    """Return the labels of a set, () if none are declared, or "open"."""
    if type(labels) is tuple and not labels:  # as nearly always
        return ()
    if isinstance(labels, str):
        if labels != "open":
            raise parameter("labels", "'open' or several labels", labels, "Pass a list of them.")
        return "open"
    if not isinstance(labels, Iterable):
        raise parameter("labels", "'open' or several labels", labels, "Pass a list of them.")
    return tuple(distinct(labels))


def stray_label(label: Label, allowed: Iterable[Label]) -> str:
    """Say that a closed set does not have this label."""
    every = list(allowed)
    more = f", … ({len(every):,} labels)" if len(every) > _SHOWN else ""
    shown = ", ".join(map(repr, every[:_SHOWN]))
    return f"expected one of the labels {shown}{more}, got {label!r}{differing(label, every)}"


def stray(labels: AnyArray, label: Label, allowed: Iterable[Label], first_round: int) -> StrayError:
    """Return the error about this label, at the first place where a block has it."""
    t = next(t for t, one in enumerate(labels.tolist()) if plain(one) == label)
    said = f"round {first_round + t}: {stray_label(label, allowed)}."
    error = StrayError(said, remedy=STRAY_ADVICE)
    error.row = t
    return error
