"""First rows: what in them looks like a mistake, in words. Only a few rows are looked at."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LONG = 12  # words; hardly a category
_LOOKED_AT = 20  # rows
_NAMED = 3  # features in one sentence
_NUMERAL = r"(?ai)[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)(e[-+]?[0-9]+)?"
_CODE = "[0-9]{5,}"  # if all are equally long: postcodes and the like
# A number with a currency before it, a unit behind it or commas in it: $2174, 39 years, 77,516.
_DECORATED = r"[-+]?[^\w\s]?\s?[0-9][0-9.,' ]*\s?[^\W0-9_]{0,8}[%€$£°]?"
_VARIOUS = 5  # different values among the first rows: a quantity, rather than a category
_MOSTLY = 0.8  # of the first rows
_ADVICE = {
    "long_text": "Pass the words as features: x = nv.Words().features(text).",
    "numerals": "If they are quantities, pass numbers: float(value); in JSON, numbers have no "
    "quotes.",
    "quantities": "If they are quantities, pass numbers: float(value).",
    "blanks": "Take them out: value.strip(), or sed 's/, /,/g' for a file.",
}


class FirstRows(NamedTuple):
    """What looks like a mistake in the first rows: a fact in words each, or None."""

    long_text: str | None = None
    """Which feature is a long text, and so one category."""
    numerals: str | None = None
    """Which features hold numbers as strings, and so categories."""
    quantities: str | None = None
    """Which features hold numbers with other characters, and so categories."""
    blanks: str | None = None
    """Which categories begin or end with blanks."""
    text_name: str | None = None
    """What the feature with a long text is called."""

    @property
    def warnings(self) -> list[str]:
        """Each fact with advice for Python."""
        found = ((self._asdict()[kind], advice) for kind, advice in _ADVICE.items())
        return [f"{fact[0].upper()}{fact[1:]}. {advice}" for fact, advice in found if fact]


def looked_at(rows: Iterable[object]) -> FirstRows:
    """Return what looks like a mistake in the first of these rows.

    Rows and names are those of the user, and not checked yet.

    >>> looked_at([{"age": "39", "work": " State-gov"}]).numerals
    "'age' holds numbers as strings, such as '39', so each number counts as a category of its own"
    """
    first = [row for row, _ in zip(rows, range(_LOOKED_AT), strict=False) if isinstance(row, dict)]
    long_text, name = _long_text(first)
    return FirstRows(long_text, _numerals(first), _quantities(first), _blanks(first), name)


def is_numeral(text: str) -> bool:
    """Say whether a text is a number."""
    return re.fullmatch(_NUMERAL, text.strip()) is not None


def numerals_of(rows: Iterable[dict[str, object]]) -> dict[str, str]:
    """Return {name: its first value} of the features whose values are all numbers as strings.

    Codes are left out: numbers that begin with 0, and long ones that all have the same length.

    >>> numerals_of([{"age": "39", "zip": "94110"}, {"age": "8", "zip": "94103"}])
    {'age': '39'}
    """
    met: dict[str, list[str]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str) and isinstance(name, str):
                met.setdefault(name, []).append(value)
    return {name: values[0] for name, values in met.items() if _are_numbers(values)}


def _are_numbers(values: list[str]) -> bool:
    if not all(map(is_numeral, values)):
        return False
    whole = [value.strip() for value in values]
    if any(re.match("0[0-9]", value) for value in whole):
        return False
    return not (len({*map(len, whole)}) == 1 and all(re.fullmatch(_CODE, one) for one in whole))


def _numerals(rows: list[dict[str, object]]) -> str | None:
    found = numerals_of(rows)
    if not found:
        return None
    return (
        f"{_listed(map(repr, found))} {'hold' if len(found) > 1 else 'holds'} numbers as strings, "
        f"such as {next(iter(found.values()))!r}, so each number counts as a category of its own"
    )


def _quantities(rows: list[dict[str, object]]) -> str | None:
    """Say which categories are mostly numbers, but not all plain ones: '$2174', '?' among ages."""
    met: dict[str, list[str]] = {}
    for name, text in _categories(rows):
        met.setdefault(name, []).append(text.strip())
    found: dict[str, str] = {}
    for name, values in met.items():
        numbers = [one for one in values if is_numeral(one) or re.fullmatch(_DECORATED, one)]
        others = [one for one in values if not is_numeral(one)]
        if others and len({*numbers}) >= _VARIOUS and len(numbers) >= _MOSTLY * len(values):
            found[name] = others[0]
    if not found:
        return None
    name, one = next(iter(found.items()))
    said = f"{_listed(map(repr, found))} {'hold' if len(found) > 1 else 'holds'} numbers"
    odd = f"but not plain ones only ({one!r} of {name!r})"
    return f"{said}, {odd}, so each value counts as a category of its own"


def _categories(rows: list[dict[str, object]]) -> Iterator[tuple[str, str]]:
    """Yield (name, category) of every feature that is one; files call it name=category."""
    for row in rows:
        for name, value in row.items():
            if not isinstance(name, str):
                continue
            if isinstance(value, str):
                yield name, value
            elif "=" in name:
                member, _, text = name.partition("=")
                yield member, text


def _long_text(rows: list[dict[str, object]]) -> tuple[str, str] | tuple[None, None]:
    for name, text in _categories(rows):
        if len(words := text.split()) >= _LONG:
            said = f"{name!r} holds a text of {len(words)} words, which counts as one category"
            return f"{said}, not as its words", name
    return None, None


def _blanks(rows: list[dict[str, object]]) -> str | None:
    found: dict[str, str] = {}
    for name, text in _categories(rows):
        if text != text.strip() and text.strip():
            found.setdefault(name, text)
    if not found:
        return None
    shown = _listed(f"{text!r} of {name!r}" for name, text in found.items())
    return f"blanks at the ends of categories are part of them: {shown}"


def _listed(found: Iterable[str]) -> str:
    every = list(found)
    return ", ".join(every[:_NAMED]) + f" and {len(every) - _NAMED} more" * (len(every) > _NAMED)
