"""The options that transform rows: --presence, --scale, --cross and --normalize, in this order.

For text, --presence is a way to read it; for other files it is a transform.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from novikoff.cli.parser import UsageError

if TYPE_CHECKING:
    from novikoff.streams import Cross, Transform

TRANSFORMS = ("presence", "scale", "cross", "normalize")
"""The options, in the order in which their transforms follow one another."""


def transforms_of(given: Mapping[str, object]) -> "list[Transform]":
    """Return the transforms that these options ask for."""
    from novikoff.streams import Normalize, Presence, Scale

    crosses = given.get("cross")
    return [
        *([Presence()] if given.get("presence") else []),
        *([Scale()] if given.get("scale") else []),
        *(_cross(str(text)) for text in (crosses if isinstance(crosses, tuple) else ())),
        *([Normalize()] if given.get("normalize") else []),
    ]


def _cross(text: str) -> "Cross":
    """Return the cross that a text such as user,ad or 0-3,5 asks for."""
    from novikoff.errors import ParameterError
    from novikoff.streams import Cross

    words = text.split(",")
    try:
        if all(re.fullmatch("[0-9]{1,9}(-[0-9]{1,9})?", word) for word in words):
            return Cross(*map(_numbers, words))
        return Cross(*words)
    except ParameterError:
        raise UsageError(
            f"--cross: expected two groups of features or more, as in user,ad or 0-3,5, got "
            f"{text!r}."
        ) from None


def _numbers(word: str) -> range:
    """Return the features of 5, or of 0-3, both ends included."""
    first, _, last = word.partition("-")
    return range(int(first), int(last or first) + 1)
