"""Plans: what the play in a folder was begun with, as JSON; it must not change until it ends."""

import json
import os
from collections.abc import Mapping

from novikoff.errors import InputError
from novikoff.saving.contents import parsed
from novikoff.saving.storage import write_bytes
from novikoff.saving.versions import Format
from novikoff.saving.whole_files import require_regular
from novikoff.types import Fields


def begin_or_go_on(path: str, format: Format, plan: Mapping[str, object]) -> None:
    """Write the plan of a new folder; refuse to go on in one that was begun with another plan."""
    text = json.dumps({"format": str(format), **plan}, indent=1, default=str)
    if not os.path.exists(path):
        write_bytes(path, text.encode())
        return
    begun, now = read_plan(path, format), parsed(text)
    assert isinstance(now, dict)
    others = [name for name in now | begun if name not in begun or begun[name] != now.get(name)]
    if others:
        raise InputError(
            f"{path}: expected what is played now, got {_listed(others)}. Name another folder, or "
            "play what it was begun with."
        )


def _listed(names: list[str]) -> str:
    first = ", ".join(f"another {name!r}" for name in names[:-1])
    return f"{first} and another {names[-1]!r}" if first else f"another {names[-1]!r}"


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
        raise _no_plan(path, format, "nothing of this name" if claimed is None else repr(claimed))
    return plan


def _no_plan(path: str, format: Format, got: str) -> InputError:
    return InputError(
        f"{path}: expected a plan ({format}), got {got}. Name another folder, or play again in an "
        "empty one."
    )
