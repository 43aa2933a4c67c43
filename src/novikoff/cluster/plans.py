"""Plans: what the play in a folder was begun with, as JSON; it must not change until it ends."""

import json
import os
from collections.abc import Mapping

from novikoff.cluster.plan_differences import differences, shown
from novikoff.errors import InputError
from novikoff.saving.contents import parsed
from novikoff.saving.storage import write_bytes
from novikoff.saving.versions import RUNS, SHARDS, Format
from novikoff.saving.whole_files import require_regular
from novikoff.types import Fields

__all__ = ["begin_or_go_on", "read_plan", "shown"]

_NAMED = 5  # differences, in an error
SEALED = "sealed"
"""The field of plans whose models or archives have seals."""
_LATER = {SHARDS: (SEALED, "options", "read as", "labels", "rows"), RUNS: (SEALED,)}
"""Fields that the first plans of a format do not have."""


def begin_or_go_on(path: str, format: Format, plan: Mapping[str, object]) -> Fields:
    """Write the plan of a new folder; refuse to go on in one that was begun with another plan.

    Return the plan that the folder was begun with.
    """
    text = json.dumps({"format": str(format), **plan}, indent=1, default=str)
    if not os.path.exists(path):
        write_bytes(path, text.encode())
    begun = read_plan(path, format)
    others = [*differences(begun, json.loads(text), _LATER.get(format, ()))]
    if others:
        raise InputError(
            f"{path}: expected what this folder was begun with: {_listed(others)}. Name another "
            "folder, or play what it was begun with."
        )
    return begun


def _listed(others: list[str]) -> str:
    first = others[:_NAMED]
    if len(others) > _NAMED:
        first.append(f"and {len(others) - _NAMED} more differences")
    return "; ".join(first)


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
