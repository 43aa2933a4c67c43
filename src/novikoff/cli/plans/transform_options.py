"""The options that transform rows: --presence, --scale, --cross and --normalize, in this order.

For text, --presence is a way to read it; for other files it is a transform.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from novikoff.cli.parser import UsageError

if TYPE_CHECKING:
    from novikoff.streams import Cross, Transform

TRANSFORMS = ("presence", "scale", "cross", "cross_bits", "normalize")
"""The options, in the order in which their transforms follow one another."""


def transforms_of(given: Mapping[str, object]) -> "list[Transform]":
    """Return the transforms that these options ask for."""
    from novikoff.streams import Normalize, Presence, Scale

    crosses, bits = given.get("cross"), given.get("cross_bits")
    if bits is not None and not crosses:
        raise UsageError("--cross-bits: expected --cross with it, got none.")
    return [
        *([Presence()] if given.get("presence") else []),
        *([Scale()] if given.get("scale") else []),
        *(_cross(str(text), bits) for text in (crosses if isinstance(crosses, tuple) else ())),
        *([Normalize()] if given.get("normalize") else []),
    ]


def _cross(text: str, bits: object) -> "Cross":
    """Return the cross that a text such as user,ad or 0-3,5 asks for."""
    from novikoff.errors import ParameterError
    from novikoff.streams import Cross

    words = text.split(",")
    numbered = all(re.fullmatch("[0-9]{1,9}(-[0-9]{1,9})?", word) for word in words)
    if not (bits is None or (isinstance(bits, int) and 1 <= bits <= 30)):
        raise UsageError(f"--cross-bits: expected a whole number from 1 to 30, got {bits}.")
    try:
        return Cross(*(map(_numbers, words) if numbered else words), bits=bits)
    except ParameterError:
        raise UsageError(
            f"--cross: expected two groups of features or more, as in user,ad or 0-3,5, got "
            f"{text!r}."
        ) from None


def _numbers(word: str) -> range:
    """Return the features of 5, or of 0-3, both ends included."""
    first, _, last = word.partition("-")
    return range(int(first), int(last or first) + 1)
