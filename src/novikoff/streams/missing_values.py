"""Missing values: refused, taken as 0, or given a feature of their own."""

import math
from collections.abc import Mapping
from typing import Literal, TypeGuard, get_args

import numpy as np

from novikoff.errors import InputError, Phrase, argument, parameter

Missing = Literal["refuse", "zero", "feature"]
"""What a missing value of ``age`` is: an error, 0, or the feature ``age is missing`` of value 1."""
REFUSE: Missing = "refuse"
ADVICE = Phrase(
    "Give missing values features of their own with ", argument("missing", "feature"),
    ", count them as 0 with ", argument("missing", "zero"), ", or fill them in.",
)  # fmt: skip


def is_missing_option(value: object) -> TypeGuard[Missing]:
    """Say whether this is one of the three ways."""
    return value in get_args(Missing)


def checked_missing(missing: object) -> Missing | None:
    """Return the way that missing values are read; None if the format decides."""
    if missing is None or is_missing_option(missing):
        return missing
    raise parameter("missing", "None, 'refuse', 'zero' or 'feature'", missing)


def is_missing(value: object) -> bool:
    """Say whether a value is None or not a number (NaN)."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def is_masked(values: object) -> bool:
    """Say whether an array hides some of its values, as masked arrays do.

    Others are told apart first, because ``np.ma`` takes a while to import.
    """
    if type(values) is np.ndarray or not isinstance(values, np.ndarray):
        return False
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values))


def feature_of(name: str) -> str:
    """Return what the feature is called that says that a value is missing."""
    return f"{name} is missing"


def filled(row: Mapping[str, object], missing: Literal["zero", "feature"]) -> dict[str, object]:
    """Return a row of named features without missing values.

    >>> filled({"age": None, "height": 1.8}, "zero"), filled({"age": None}, "feature")
    ({'height': 1.8}, {'age is missing': 1.0})
    """
    found = {name: value for name, value in row.items() if not is_missing(value)}
    if missing == "zero" or len(found) == len(row):
        return found
    absent = [name for name in row if name not in found]
    for name in map(feature_of, absent):
        if name in found:
            raise InputError(f"expected every feature once, got {name!r} twice. Rename one.")
        found[name] = 1.0
    return found


def completed(rows: list[dict[str, object]], missing: Missing) -> list[dict[str, object]]:
    """Return rows without missing values; if those are refused, the rows as they are."""
    return rows if missing == "refuse" else [filled(row, missing) for row in rows]
