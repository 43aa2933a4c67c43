"""Labels and numbers as files write them: docs/grammar.md."""

import re

from novikoff.errors import parameter
from novikoff.types import EXACT, Label

# ``re`` compiles them when they are first needed, and remembers them.
_NUMBER = r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
_NAMED = r"(?ai)[-+]?(nan|inf|infinity)"
_WORD = r"[A-Za-z_\x80-\ufefe\uff00-\U0010ffff][^ \t\n#:,]*"
_TAG = r"(?!\ufeff)[^ \t\r\n]+"


def number_of(text: str) -> float | None:
    """Return the number that a text is, infinite if it is too large; None if it is not a number."""
    return float(text) if re.fullmatch(_NUMBER, text) else None


def label_of(text: str, name: str = "positive") -> Label:
    """Return the label that a text in a file is: a number if it reads as one, else a word."""
    from decimal import Decimal

    bare = text.strip(" \t")
    value = number_of(bare)
    if value is None and bare and not re.fullmatch(_NAMED, bare):
        return text
    if value is None or abs(value) > EXACT or Decimal(bare).copy_abs() > EXACT:
        raise parameter(name, "a word, or a number within ±2^53, as files have it", text)
    return int(value) if value.is_integer() else value


def svmlight_label(label: object) -> str | None:
    """Return how an svmlight file writes a label; None if it cannot."""
    if isinstance(label, str):
        return label if re.fullmatch(_WORD, label) and not re.fullmatch(_NAMED, label) else None
    if isinstance(label, (bool, int, float)) and abs(label) <= EXACT:
        return repr(label + 0)  # True is 1
    return None


def is_tag(text: str) -> bool:
    """Say whether a line of sentences can begin with a text."""
    return re.fullmatch(_TAG, text) is not None
