"""Headers: what the numbered features of a table are called."""

from typing import Any

from novikoff.errors import InputError


def checked_columns(names: Any) -> tuple[str, ...] | None:
    """Return the names of columns that were saved, or None where there are none."""
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names of columns that are not texts")
    return tuple(names)


def check_columns(expected: tuple[str, ...], found: tuple[str, ...], where: str) -> None:
    """Refuse a table whose features are others than those learned from, or in another order."""
    if found == expected:
        return
    pairs = zip(expected, found, strict=False)
    first = next((j for j, (mine, theirs) in enumerate(pairs) if mine != theirs), None)
    if first is None:
        first = min(len(expected), len(found))
    mine, theirs = (
        repr(names[first]) if first < len(names) else "none" for names in (expected, found)
    )
    advice = "Put the columns in that order, or leave out others with ignore=…."
    raise InputError(
        f"{where}: expected column {mine} as feature {first + 1} of {len(expected)}, as learned "
        f"from, got {theirs}. {advice}"
    )
