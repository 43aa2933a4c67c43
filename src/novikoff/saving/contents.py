"""The contents of a saved file, checked before use, because anybody may have written it.

Checks raise a ValueError that says what is wrong; ``storage.intact`` names the file.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeGuard, cast

import numpy as np

from novikoff.types import AnyArray, Fields, Label, Plain

Form = Callable[[object], bool]

_LARGEST = 2**52  # so that some more rounds can be counted
_DIGEST = r"[0-9a-f]{64}"


def parsed(text: str | bytes, constant: Callable[[str], object] | None = None) -> Plain:
    """Return the plain data that JSON says; a ValueError says why it says none.

    ``constant`` takes NaN and infinities. An object has every key once. JSON that is nested deeply
    would be a RecursionError.
    """
    try:
        found: Plain = json.loads(text, parse_constant=constant, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("lists or objects that are nested too deeply") from None
    return found


def _once(pairs: list[tuple[str, Plain]]) -> Fields:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {_shown(max(names, key=names.count))} twice")
    return found


def no_number(word: str) -> object:
    """Refuse NaN and infinities, which no JSON of ours has."""
    raise ValueError(f"{word} among the metadata")


def is_flag(value: object) -> bool:
    """Say whether it is true, false or None."""
    return value is None or isinstance(value, bool)


def is_count(value: object) -> bool:
    """Say whether it counts something."""
    return type(value) is int and 0 <= value <= _LARGEST


def is_label(value: object) -> bool:
    """Say whether it can be a label: what ``storage.plain_labels`` lets through."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, (bool, int)) or is_text(value)


def is_labels(value: object) -> bool:
    """Say whether it is a list of labels, each once."""
    return isinstance(value, list) and all(map(is_label, value)) and len(set(value)) == len(value)


def is_text(value: object) -> TypeGuard[str]:
    """Say whether it is a text that UTF-8 can hold: half of a surrogate pair cannot be written."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_texts(value: object) -> bool:
    """Say whether it is a list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def is_digest(value: object) -> bool:
    """Say whether it is a SHA-256."""
    return isinstance(value, str) and re.fullmatch(_DIGEST, value) is not None


def is_class_weights(value: object) -> bool:
    """Say whether it is a list of labels, each once, with their weights."""
    return is_by_label(value) and all(_is_real(weight) for _, weight in value)


def is_by_label(value: object) -> TypeGuard[list[tuple[Label, Plain]]]:
    """Say whether it is a list of labels, each once, with something for each."""
    if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 for p in value):
        return False
    return is_labels([label for label, _ in value])


def _is_real(value: object) -> bool:
    return isinstance(value, (int, float)) and abs(value) < math.inf


def optional(form: Form) -> Form:
    """Return a form that also accepts None."""
    return lambda value: value is None or form(value)


def _is_column(value: object) -> bool:
    return type(value) is int or is_text(value)


def _are_files(value: object) -> bool:
    """Say whether it is a list of file names, whose bytes need not be UTF-8."""
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_plain(value: object) -> bool:
    return value is None or is_label(value) or is_texts(value)


_READING: dict[str, Form] = {
    "format": is_text, "label": optional(_is_column), "weight": optional(is_text),
    "text": optional(is_text), "words": optional(is_count), "characters": optional(is_text),
    "presence": is_flag, "delimiter": optional(is_text), "categorical": is_texts,
    "ignore": is_texts, "missing": optional(is_text), "zero_based": is_flag, "on_bad": is_text,
    "input": _are_files, "labels": _is_plain, "first": _is_plain, "again": _is_plain,
    "start": _is_plain,
}  # fmt: skip


def is_reading(value: object) -> bool:
    """Say whether it describes how files were read."""
    if not (isinstance(value, dict) and value.keys() >= {"format", "label"}):
        return False
    check_known("field", value, _READING)
    return all(_READING[name](one) for name, one in value.items())


def checked_reading(value: object) -> dict[str, object] | None:
    """Return how files were read, if a file says it as it should."""
    if value is None or is_reading(value):
        return cast("dict[str, object] | None", value)
    raise ValueError("how its files were read")


_UNFINISHED: dict[str, Form] = {
    "input": _are_files, "reading": is_reading, "rounds": is_count, "passes": _is_plain,
    "until_clean": _is_plain, "number": _is_plain, "over": _is_plain, "left_at": _is_plain,
}  # fmt: skip


def is_unfinished(value: object) -> bool:
    """Say whether it describes where a run was interrupted."""
    if not isinstance(value, dict) or ("input" in value and "reading" not in value):
        return False
    check_known("field", value, _UNFINISHED)
    return all(_UNFINISHED[name](one) for name, one in value.items())


RUN: dict[str, Form] = {
    "learner": is_text, "began_fresh": is_flag, "passes": is_count, "labels": is_labels,
    "digest": optional(is_digest), "positive": optional(is_label), "converged": is_flag,
    "class_weights": is_class_weights, "unfinished": optional(is_unfinished),
    "reading": optional(is_reading),
}  # fmt: skip
"""The metadata of a run, besides the parameters, which its learner checks."""

REGRET_RUN: dict[str, Form] = {
    "learner": is_text, "began_fresh": is_flag, "size": is_count, "labels": is_labels,
    "streams": is_count,
}  # fmt: skip
"""The metadata of a run with experts or arms."""


def check_fields(found: Mapping[str, object], forms: Mapping[str, Form]) -> None:
    """Refuse plain data without one of these fields, or with a field of another form."""
    for name, form in forms.items():
        if name not in found:
            raise ValueError(f"nothing for {name!r}")
        if not form(found[name]):
            raise ValueError(f"{_shown(found[name])} for {name!r}")


def rounds_of(metadata: Mapping[str, object]) -> int:
    """Return how many rounds a hypothesis is an average over."""
    check_fields(metadata, {"rounds": is_count})
    rounds = metadata["rounds"]
    assert isinstance(rounds, int)
    return max(1, rounds)


def labels_of(metadata: Mapping[str, Plain]) -> tuple[Label, ...]:
    """Return the labels that a hypothesis speaks."""
    check_fields(metadata, {"labels": is_labels})
    labels = metadata["labels"]
    assert isinstance(labels, list)
    return tuple(labels)


def fields_of(metadata: Mapping[str, Plain], name: str) -> Fields:
    """Return an object of plain data by its name."""
    value = metadata[name]
    if not isinstance(value, dict):
        raise ValueError(f"{_shown(value)} for {name!r}")
    return value


def number_of(metadata: Mapping[str, Plain], name: str) -> float:
    """Return a number by its name."""
    value = metadata[name]
    if not isinstance(value, (int, float)):
        raise ValueError(f"{_shown(value)} for {name!r}")
    return value


def bias_of(metadata: Mapping[str, Plain]) -> float | None:
    """Return the value of the constant feature; None without one."""
    return None if metadata["bias"] is None else number_of(metadata, "bias")


def check_known(what: str, found: Iterable[str], known: Collection[str]) -> None:
    """Refuse names that this version does not save: a later one may, and means something by them.

    To ignore them would be to guess, and to save again would drop them.
    """
    for name in found:
        if name not in known:
            raise ValueError(f"an unknown {what} {_shown(name)}")


def check_arrays(found: Mapping[str, AnyArray], like: Mapping[str, AnyArray]) -> None:
    """Refuse arrays whose types or dimensions differ from those that a new object would save."""
    for name, pattern in like.items():
        if name not in found:
            raise ValueError(f"no array {name!r}")
        array = found[name]
        if (array.dtype, array.ndim) != (pattern.dtype, pattern.ndim):
            raise ValueError(
                f"an array {name!r} of {array.dtype} with {array.ndim} dimensions, not of "
                f"{pattern.dtype} with {pattern.ndim}"
            )

    if "counts" in like:
        _check_counts(found["counts"], like["counts"])


def _check_counts(found: AnyArray, like: AnyArray) -> None:
    """Refuse counts of another shape, negative counts, and counts that are near overflow."""
    if found.shape != like.shape or ((found < 0) | (found > _LARGEST)).any():
        raise ValueError(f"the counts {_shown(found.tolist())}")


def texts_of(joined: AnyArray, ends: AnyArray) -> list[bytes]:
    """Return texts that were saved as their joined bytes and where each text ends."""
    known = joined.dtype == np.uint8 and ends.dtype == np.int64
    if not (known and joined.ndim == ends.ndim == 1):
        raise ValueError("names that are not bytes with an end each")
    if (np.diff(ends, prepend=0, append=len(joined)) < 0).any() or (
        len(joined) != (ends[-1] if len(ends) else 0)
    ):
        raise ValueError("names whose ends are out of order")
    whole, places = joined.tobytes(), ends.tolist()
    found = [whole[a:b] for a, b in zip([0, *places], places, strict=False)]
    if len(set(found)) < len(found):
        raise ValueError("a name twice")
    return found


def check_room(least: int, arrays: Iterable[AnyArray]) -> None:
    """Refuse parameters that ask for more numbers than were saved."""
    held = sum(array.size for array in arrays)
    if least > held:
        raise ValueError(f"parameters that need {least:,} numbers, with {held:,} saved")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
