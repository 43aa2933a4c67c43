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
        if self.is_later(found):
            raise self.later(where, str(found), writer)
        expected = " or ".join(self.read)
        raise InputError(
            where=where, expected=expected, got=_shown(found), remedy="Name another file."
        )

    def is_later(self, found: object) -> bool:
        """Say whether this is a version that only a later library reads."""
        numbered = rf"{self.name}/[1-9][0-9]{{0,8}}"
        known = found in self.read or not isinstance(found, str)
        return not known and re.fullmatch(numbered, str(found)) is not None

    def later(self, where: str, found: str, writer: str | None = None) -> InputError:
        """Return the error about a file of a later version."""
        return InputError(
            where=where,
            expected=" or ".join(self.read),
            got=f"{found}, a later version",
            remedy=later_writer(writer) or _UPDATE,
        )


MODEL = Format("novikoff", 2)
"""Saved runs, learners and hypotheses. Version 2 may list the weights of many classes that are not
0, and says which version of the library wrote it.
"""
CACHE = Format("cache", 1)
CERTIFICATE = Format("novikoff-certificate", 2)
"""Both versions are written: the second is for float programs, a start or a state. The verifier
imports nothing of ours and has the names, too.
"""
RUNS = Format("keyed-runs", 1)
"""The archives of runs by key, in a folder."""
SHARDS = Format("shards", 1)
"""The plan of a run in shards that is kept between its epochs, ``plan.json``."""
LOG = Format("log", 1)
"""The service's log: the segments and the records in them say the number alone."""
PAGE = Format("page", 2)
"""The page of a snapshot, which says the number alone. Version 2 has a SHA-256."""


class Listed(NamedTuple):
    """What is written and read again, and in which versions."""

    written: tuple[str, ...]
    read: tuple[str, ...]


def formats() -> dict[str, Listed]:
    """Return all that this library writes and reads again, as docs/formats.md lists it."""
    from novikoff import verifier

    named = {getattr(kind, "program", None) for kind in verifier.LEARNERS.values()}
    programs = tuple(sorted(name for name in named if name is not None))
    return {
        "models": _newest(MODEL),
        "caches": _newest(CACHE),
        "runs by key": _newest(RUNS),
        "runs in shards": _newest(SHARDS),
        "certificates": Listed(CERTIFICATE.read, CERTIFICATE.read),
        "digests": Listed((DIGEST,), (DIGEST,)),
        "log": _newest(LOG),
        "snapshot pages": _newest(PAGE),
        "float programs": Listed(programs, programs),
    }


def _newest(format: Format) -> Listed:
    return Listed((str(format),), format.read)


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
