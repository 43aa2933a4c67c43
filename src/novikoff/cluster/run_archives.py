"""Archives: one zip file per partition of keys, with bundles of runs and what sums them up.

``keys.json`` has the keys in order, ``summaries.json`` a column for each fact, and
``0.runs``, ``1.runs``, … have 256 runs each (``run_bundles``).
"""

import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import filterfalse, islice
from typing import BinaryIO

from novikoff.cluster.key_summary import COLUMNS, KeySummary, as_summaries
from novikoff.cluster.keyed_rounds import Key, is_key
from novikoff.cluster.plans import shown
from novikoff.cluster.run_bundles import Bundle, bundled, unbundled
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.contents import check_known
from novikoff.saving.storage import intact
from novikoff.saving.versions import LIBRARY, RUNS
from novikoff.saving.whole_files import drafted

FORMAT = str(RUNS)
_KEYS, _SUMMARIES, _BUNDLE = "keys.json", "summaries.json", "{}.runs"
_SIZE = 256  # runs in a bundle
_REASON = 300  # letters of what is wrong with a file: the names in it may have any length
_SWELL, _SMALL = 1100, 2**24  # an entry may be so many times its compressed size, or so large
_ENTRY = re.compile(r"keys\.json|summaries\.json|[0-9]+\.runs")
_DRAFT = re.compile(r"\.part-[0-9]{5}\.zip\.[0-9a-f]{16}")

Summed = tuple[KeySummary, Run]


@dataclass(frozen=True)
class ArchivePlace:
    """Where the archive of a partition is."""

    folder: str
    number: int

    @property
    def path(self) -> str:
        """The file's name."""
        return os.path.join(self.folder, f"part-{self.number:05d}.zip")


def archived(runs: Iterable[Summed]) -> bytes:
    """Return the archive of some runs."""
    held = io.BytesIO()
    _write(held, runs)
    return held.getvalue()


def write_runs(place: ArchivePlace, runs: Iterable[Summed]) -> None:
    """Write the archive of some runs, which appears complete or not at all."""
    with drafted(place.path) as file:
        _write(file, runs)


def write_archive(place: ArchivePlace, data: bytes) -> None:
    """Write an archive that was made elsewhere."""
    with drafted(place.path) as file:
        file.write(data)


def remove_drafts(folder: str) -> None:
    """Remove the drafts of somebody who was killed; nobody else may be writing."""
    for name in os.listdir(folder):
        if _DRAFT.fullmatch(name):
            os.unlink(os.path.join(folder, name))


def _write(file: BinaryIO, runs: Iterable[Summed]) -> None:
    waiting, columns = iter(runs), {name: list[object]() for name in COLUMNS}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        number = 0
        while some := [*islice(waiting, _SIZE)]:
            archive.writestr(_entry(_BUNDLE.format(number)), bundled(run for _, run in some))
            number += 1
            for summary, _ in some:
                for name, column in columns.items():
                    column.append(getattr(summary, name))
        keys = {"format": FORMAT, "keys": columns.pop("key")}
        archive.writestr(_entry(_SUMMARIES), json.dumps(columns, allow_nan=False))
        archive.writestr(_entry(_KEYS), json.dumps(keys, allow_nan=False))


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry without the time of day, so that equal runs make equal archives."""
    found = zipfile.ZipInfo(name)
    found.compress_type = zipfile.ZIP_DEFLATED
    return found


def read_keys(place: ArchivePlace) -> list[Key]:
    """Return the keys of an archive, in the order of its runs."""
    try:
        found = json.loads(_read(place, _KEYS))
        claimed = found.get("format") if isinstance(found, dict) else None
        if RUNS.is_later(claimed):
            raise RUNS.later(place.path, str(claimed))
        if claimed not in RUNS.read:
            raise InputError(f"expected {FORMAT}, got {shown(claimed)}")
        check_known("field", found, ("format", "keys"))
        keys: list[Key] = found["keys"]
        if not (isinstance(keys, list) and all(map(is_key, keys)) and len({*keys}) == len(keys)):
            raise InputError("expected every key once")
        return keys
    except (InputError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(place, error) from None


def read_summaries(place: ArchivePlace) -> Iterator[KeySummary]:
    """Yield the summaries of an archive, in the order of its runs."""
    keys = read_keys(place)
    try:
        found = as_summaries(keys, json.loads(_read(place, _SUMMARIES)))
    except (InputError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(place, error) from None
    yield from found


def read_run(place: ArchivePlace, number: int) -> Run:
    """Return the run with this number in an archive."""
    there = os.stat(place.path)
    bundle = _bundle(place, number // _SIZE, (there.st_mtime_ns, there.st_size))
    try:
        with intact(place.path):
            return bundle.run(number % _SIZE)
    except InputError as error:
        raise _damaged(place, error) from None


@lru_cache(maxsize=8)  # whoever asks for keys in their order reads each bundle once
def _bundle(place: ArchivePlace, number: int, version: tuple[int, int]) -> Bundle:
    name = _BUNDLE.format(number)
    data = _read(place, name)
    try:
        return unbundled(data, name)
    except InputError as error:
        raise _damaged(place, error) from None


def _read(place: ArchivePlace, name: str) -> bytes:
    try:
        with zipfile.ZipFile(place.path) as archive:
            check_known("entry", filterfalse(_ENTRY.fullmatch, archive.namelist()), ())
            entry = archive.getinfo(name)
            if entry.file_size > max(_SWELL * entry.compress_size, _SMALL):
                raise InputError(f"an entry {name} of {entry.file_size:,} bytes, which is too many")
            return archive.read(entry)
    except PermissionError:
        raise
    except FileNotFoundError:
        raise InputError(
            f"{place.path}: expected an archive of runs, got no file. The play was interrupted: "
            "play again with the same folder."
        ) from None
    except (
        zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, InputError, EOFError,
        ValueError, OverflowError, struct.error, zlib.error, OSError,
    ) as error:  # fmt: skip
        raise _damaged(place, error) from None


def _damaged(place: ArchivePlace, error: Exception) -> InputError:
    said = tuple(f"{place.path}: expected {what}" for what in ("an archive", FORMAT))
    if isinstance(error, InputError) and str(error).startswith(said):
        return error
    reason = str(error)[:_REASON]
    return InputError(
        f"{place.path}: expected an archive of runs ({FORMAT}), got another file ({reason}). Take "
        "a copy of it, or play again; if a later version wrote it, update novikoff, which is "
        f"{LIBRARY} here."
    )
