"""Plans: what the play in a folder was begun with, as JSON; it must not change until it ends."""

import json
import os
from collections.abc import Mapping

from novikoff.errors import InputError
from novikoff.saving.contents import parsed
from novikoff.saving.storage import write_bytes
from novikoff.saving.versions import Format
from novikoff.saving.whole_files import require_regular
from novikoff.types import Fields, Plain

_NAMED = 5  # fields, in an error
_LETTERS = 40  # of what a file says, in an error


def begin_or_go_on(path: str, format: Format, plan: Mapping[str, object]) -> None:
    """Write the plan of a new folder; refuse to go on in one that was begun with another plan."""
    text = json.dumps({"format": str(format), **plan}, indent=1, default=str)
    if not os.path.exists(path):
        write_bytes(path, text.encode())
        return
    begun, now = _texts(read_plan(path, format)), _texts(parsed(text))
    others = [name for name in now | begun if begun.get(name) != now.get(name)]
    if others:
        raise InputError(
            f"{path}: expected what is played now, got {_listed(others)}. Name another folder, or "
            "play what it was begun with."
        )


def _texts(plan: Plain) -> dict[str, str]:
    """Return each value as canonical JSON, in which true, 1 and 1.0 differ, and NaN is NaN."""
    assert isinstance(plan, Mapping)
    return {name: _text(value) for name, value in plan.items()}


def _text(value: Plain) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:  # json reads what is nested a little more deeply than it writes
        return "another"


def _listed(names: list[str]) -> str:
    first = [f"another {shown(name)}" for name in names[:_NAMED]]
    if len(names) > _NAMED:
        first.append(f"{len(names) - _NAMED} more")
    *others, last = first
    return f"{', '.join(others)} and {last}" if others else last


def shown(value: object) -> str:
    """Return what a file says as an error shows it: anybody may have written it, at any length."""
    try:
        text = repr(value)
    except RecursionError:
        return "lists or objects that are nested too deeply"
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…"


def read_plan(path: str, format: Format) -> Fields:
    """Return the plan in a file, which anybody may have written."""
    require_regular(path, "a plan")
    try:
        with open(path, "rb") as file:
            found = parsed(file.read())
    except ValueError as error:
        raise _no_plan(path, format, f"another file ({error})") from None
    plan = found if isinstance(found, dict) else {}
    claimed = plan.get("format")
    if format.is_later(claimed):
        raise format.later(path, str(claimed))
    if claimed not in format.read:
        raise _no_plan(path, format, "one without a format" if claimed is None else shown(claimed))
    return plan


def _no_plan(path: str, format: Format, got: str) -> InputError:
    return InputError(
        f"{path}: expected a plan ({format}), got {got}. Name another folder, or play again in an "
        "empty one."
    )
