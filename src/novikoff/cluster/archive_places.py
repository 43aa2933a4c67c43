"""Places: where the archives of a folder are, and which plan they belong to."""

import json
import os
import re
from dataclasses import dataclass, fields
from hashlib import sha256

from novikoff.cluster.key_summary import Asked
from novikoff.cluster.plans import SEALED, read_plan, shown
from novikoff.errors import InputError
from novikoff.saving.contents import check_known
from novikoff.saving.versions import LIBRARY, RUNS
from novikoff.types import Fields

PLAN = "runs.json"
MOST_PARTITIONS = 10**5
_FIELDS = (
    "format", "partitions", "learner", "parameters", "positive", "labels", "asked", "rows", "key",
    "options", "files", "sealed",
)  # fmt: skip
_NAME = re.compile(r"part-([0-9]{5})\.zip")
_ASKED = tuple(field.name for field in fields(Asked))


@dataclass(frozen=True)
class ArchivePlace:
    """Where the archive of a partition is, and what it belongs to."""

    folder: str
    number: int
    partitions: int
    """How many partitions the folder has."""
    plan: str
    """The SHA-256 of the folder's plan."""
    sealed: bool
    """Whether every archive of the folder has a seal; the first folders have none."""

    @property
    def path(self) -> str:
        """The file's name."""
        return os.path.join(self.folder, f"part-{self.number:05d}.zip")


def archive_places(folder: str) -> tuple[ArchivePlace, ...]:
    """Return the place of every archive of a folder, as its plan says."""
    path = os.path.join(folder, PLAN)
    plan = read_plan(path, RUNS)
    _check_fields(path, plan)
    count = plan.get("partitions")
    if not (type(count) is int and 1 <= count <= MOST_PARTITIONS):
        raise InputError(
            f"{path}: expected a number of partitions, got {shown(count)}. Play again in an empty "
            "folder."
        )
    _check_numbers(folder, count)
    hashed, sealed = _hash_of(path, plan), plan.get(SEALED) is True
    return tuple(ArchivePlace(folder, number, count, hashed, sealed) for number in range(count))


def _check_numbers(folder: str, count: int) -> None:
    """Refuse a folder with more archives than partitions: some of its runs would be overlooked."""
    for name in sorted(os.listdir(folder)):
        found = _NAME.fullmatch(name)
        if found and int(found[1]) >= count:
            raise InputError(
                where=os.path.join(folder, name),
                expected=f"the number of a partition below {count}, as {PLAN} says",
                got=str(int(found[1])),
                remedy=f"Put the folder's own {PLAN} back, or remove this file.",
            )


def _hash_of(path: str, plan: Fields) -> str:
    """Return the SHA-256 of a plan as canonical JSON: its fields may stand in any order."""
    try:
        return sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()
    except RecursionError:  # json reads what is nested a little more deeply than it writes
        raise InputError(
            f"{path}: expected a plan ({RUNS}), got one that is nested too deeply. Play again in "
            "an empty folder."
        ) from None


def _check_fields(path: str, plan: Fields) -> None:
    """Refuse a plan with fields that this version does not know: they mean something."""
    asked = plan.get("asked")
    try:
        check_known("field", plan, _FIELDS)
        check_known("field", asked if isinstance(asked, dict) else (), _ASKED)
    except ValueError as error:
        raise InputError(
            f"{path}: expected a plan ({RUNS}), got one with {error}. Update novikoff, which is "
            f"{LIBRARY} here, if a later version wrote it."
        ) from None
