"""Dates: a column of them is refused, because each date would become a category of its own."""

import re
from collections.abc import Iterable

from novikoff.errors import InputError, Phrase, argument

_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[.]?"
_DAY = "[0-9]{1,2}"
_ZONE = "([ap]m|z|utc|gmt|[-+][0-9]{2}(:?[0-9]{2})?)"
_TIME = rf"[0-9]{{1,2}}:[0-9]{{2}}(:[0-9]{{2}}([.,][0-9]+)?)? ?{_ZONE}?"
_DATES = (
    rf"[0-9]{{4}}-{_DAY}-{_DAY}",  # 2024-12-31
    rf"[0-9]{{4}}[/.]{_DAY}[/.]{_DAY}",
    rf"{_DAY}/{_DAY}/([0-9]{{2}}|[0-9]{{4}})",  # 31/12/2024, 12/31/24
    rf"{_DAY}[-.]{_DAY}[-.][0-9]{{4}}",  # 31.12.2024
    rf"{_DAY}[- ]{_MONTH}[- ,]+([0-9]{{2}}|[0-9]{{4}})",  # 31 Dec 2024
    rf"{_MONTH} {_DAY}(st|nd|rd|th)?,? [0-9]{{4}}",  # Dec 31, 2024
)
_DATE = (  # compiled when a text is first looked at
    rf"(?ai)((mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?({'|'.join(_DATES)})([t ,]+{_TIME})?"
    r"|[0-9]{8}t[0-9]{4,6}z?"  # 20241231T235959Z
)

_SPLIT = "Split it into columns of numbers, such as year, month and day"
IN_FILES = Phrase(
    _SPLIT, ", leave it out with ", argument("ignore"),
    ", or make each date a category of its own with ", argument("categorical"), ".",
)  # fmt: skip
"""What to do with a column of dates in a table."""
IN_FRAMES = f"{_SPLIT}, or drop it."


def is_date(text: str) -> bool:
    """Say whether a text is a date, with or without a time.

    >>> [is_date(text) for text in ("2024-12-31T23:59:00Z", "31/12/2024", "3.14", "10.0.0.1")]
    [True, True, False, False]
    """
    return re.fullmatch(_DATE, text.strip(" \t")) is not None


def refuse_dates(where: str, cells: Iterable[tuple[str, object]], remedy: str = IN_FILES) -> None:
    """Refuse the first of these columns that holds a date."""
    for name, value in cells:
        if isinstance(value, str) and is_date(value):
            raise dated(where, name, repr(value), remedy)


def dated(where: str, name: str, got: str, remedy: str = IN_FILES) -> InputError:
    """Return the error about a column of dates."""
    expected = f"numbers or categories in column {name!r}"
    return InputError(where=where, expected=expected, got=f"the date {got}", remedy=remedy)
