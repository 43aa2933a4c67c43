"""What a verb prints: its answer for people or as JSON, and remarks on standard error."""

import math
import sys
from collections.abc import Callable, Iterable, Mapping

from novikoff.cli.escapes import json_line, visible

Answer = Mapping[str, object]
"""What a verb found, as plain data."""


def answer(
    json: bool, found: Answer, show: Callable[[], object], remarks: Iterable[str] = ()
) -> None:
    """Print what a verb found, as JSON or as ``show`` does; its remarks come with both."""
    remarks = tuple(dict.fromkeys(remarks))
    print_json(found, remarks) if json else show()
    tell(remarks)


def tell(remarks: Iterable[str]) -> None:
    """Print remarks on standard error."""
    for remark in remarks:
        print(f"remark: {visible(remark)}", file=sys.stderr)


def print_json(found: Answer, remarks: Iterable[str] = ()) -> None:
    """Print one JSON object on one line, with the list of remarks, which every verb has.

    JSON has no infinite number, so these become null.
    """
    print(json_line(_finite({**found, "remarks": list(remarks)})))


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
