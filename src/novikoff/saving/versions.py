"""Versions: of this library, and of the formats that it writes and reads (docs/formats.md)."""

import re
from typing import NamedTuple

from novikoff.errors import InputError

LIBRARY = "0.2.0"
_UPDATE = f"Update novikoff, which is {LIBRARY} here."
_NUMBER = r"[0-9]{1,6}(\.[0-9]{1,6}){2}"
DIGEST = "digest/1"
"""How rows are hashed. A digest is written without this name: certificates and models of a version
have one kind of digest each.
"""


class Format(NamedTuple):
    """A format of files, whose version N is written as ``name/N``."""

    name: str
    newest: int
    """The version that this library writes. It reads every one from 1 on."""

    def __str__(self) -> str:
        return f"{self.name}/{self.newest}"

    @property
    def read(self) -> tuple[str, ...]:
        """Every version that this library reads, the newest last."""
        return tuple(f"{self.name}/{number}" for number in range(1, self.newest + 1))

    def check(self, found: object, where: str, writer: str | None = None) -> None:
        """Refuse what is of another format, and what only a later version can read."""
        if found in self.read:
            return
        expected = " or ".join(self.read)
        if isinstance(found, str) and re.fullmatch(rf"{self.name}/[1-9][0-9]{{0,8}}", found):
            raise InputError(
                where=where,
                expected=expected,
                got=f"{found}, a later version",
                remedy=later_writer(writer) or _UPDATE,
            )
        raise InputError(
            where=where, expected=expected, got=_shown(found), remedy="Name another file."
        )


MODEL = Format("novikoff", 2)
"""Saved runs, learners and hypotheses. Version 2 may list the weights of many classes that are not
0, and says which version of the library wrote it.
"""
CACHE = Format("cache", 1)
RUNS = Format("keyed-runs", 1)
"""The archives of runs by key, in a folder."""


def later_writer(writer: str | None) -> str:
    """Return what to do with a file if a later version wrote it; nothing otherwise."""
    if not wrote(writer) or _parts(str(writer)) <= _parts(LIBRARY):
        return ""
    return f"{wrote(writer)}{_UPDATE}"


def wrote(writer: str | None) -> str:
    """Return the sentence that says who wrote a file; nothing if the file does not say it."""
    known = writer is not None and re.fullmatch(_NUMBER, writer)
    return f"novikoff {writer} wrote it. " if known else ""


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _shown(found: object) -> str:
    return "none" if found is None else repr(found)[:40]
