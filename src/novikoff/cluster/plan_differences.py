"""Plan differences: in which values a plan differs from what is played now, in words."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from novikoff.cluster.plan_options import options_in
from novikoff.playing.ledger import counted

_LETTERS = 40  # of what a file says, in an error
_MISSING = object()
Values = Mapping[str, object]


def differences(begun: Values, now: Values, later: tuple[str, ...]) -> Iterator[str]:
    """Yield every difference as "name expected, got another".

    Plans of earlier releases have no value under the names of ``later``, and agree there.
    """
    for name in {**now, **begun}:
        old, new = begun.get(name, _MISSING), now.get(name, _MISSING)
        if old is _MISSING and name in later:
            continue
        if name == "options" and isinstance(old, str):
            old = options_in(old)
            if old is None:
                yield "options that this release can compare, got others"
                continue
        if name == "files" and isinstance(old, list) and isinstance(new, list):
            yield from _between_files(old, new)
        else:
            yield from _between(_named(name), old, new)


def _between(name: str, old: object, new: object) -> Iterator[str]:
    """Compare two values as JSON writes them; of two objects, each value by its name."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for one in {**new, **old}:
            yield from _between(
                f"{name}.{_named(one)}", old.get(one, _MISSING), new.get(one, _MISSING)
            )
    elif _text(old) != _text(new):
        yield f"{name} {_said(old)}, got {_said(new)}"


def _between_files(old: list[object], new: list[object]) -> Iterator[str]:
    """Compare the files one by one: the name, the size and the time of the last change."""
    if len(old) != len(new):
        yield f"{counted(len(old), 'file')}, got {len(new):,}"
    for one, other in zip(old, new, strict=False):
        yield from _between_states(one, other)


def _between_states(old: object, new: object) -> Iterator[str]:
    """Compare two states of a file; in the first plans they do not have the time."""
    if not (isinstance(old, list) and isinstance(new, list) and 2 <= len(old) <= len(new)):
        yield f"a file {_said(old)}, got {_said(new)}"
    elif old[0] != new[0]:
        yield f"the file {_said(old[0])}, got {new[0]}"
    elif _text(old[1]) != _text(new[1]):
        yield f"{new[0]} of {_said(old[1])} bytes, got one of {_said(new[1])}"
    elif _text(old[2:]) != _text(new[2 : len(old)]):
        yield f"{new[0]} as it was changed at {_time(old[2])}, got it as of {_time(new[2])}"


def _time(value: object) -> str:
    """Return nanoseconds since 1970 as a time."""
    if type(value) is not int or not 0 <= value < 2**62:
        return _said(value)
    second, rest = divmod(value, 10**9)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%d %H:%M:%S}.{rest:09d} UTC"


def _named(name: str) -> str:
    return name if name.isprintable() and len(name) <= _LETTERS else shown(name)


def _said(value: object) -> str:
    return "nothing" if value is _MISSING else shown(value)


def _text(value: object) -> str | None:
    """Return a value as canonical JSON, in which true, 1 and 1.0 differ, and NaN is NaN."""
    if value is _MISSING:
        return None
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:  # json reads what is nested a little more deeply than it writes
        return "another"


def shown(value: object) -> str:
    """Return what a file says as an error shows it: anybody may have written it, at any length."""
    try:
        text = repr(value)
    except RecursionError:
        return "lists or objects that are nested too deeply"
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…"
