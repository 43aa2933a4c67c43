"""Archives: one zip file per partition of keys, with bundles of runs and what sums them up.

``keys.json`` has the keys in order, ``summaries.json`` a column for each fact, ``0.runs``,
``1.runs``, … have 256 runs each (``run_bundles``), and ``seal.json`` says whose archive it is
(``archive_seals``). Archives without a seal are read, too: the first ones had none.
"""

import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import filterfalse, islice, pairwise
from typing import BinaryIO

from novikoff.cluster.archive_places import ArchivePlace
from novikoff.cluster.archive_seals import MEND, SEAL, Digests, digest_of, sealed, unsealed
from novikoff.cluster.key_partitions import partition_of, text_of
from novikoff.cluster.key_summary import COLUMNS, KeySummary, as_summaries
from novikoff.cluster.keyed_rounds import Key, is_key
from novikoff.cluster.keyed_rounds import shown as shown_key
from novikoff.cluster.plans import shown
from novikoff.cluster.run_bundles import Bundle, bundled, unbundled
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.contents import check_known
from novikoff.saving.storage import intact
from novikoff.saving.versions import LIBRARY, RUNS
from novikoff.saving.whole_files import drafted, require_regular

FORMAT = str(RUNS)
_KEYS, _SUMMARIES, _BUNDLE = "keys.json", "summaries.json", "{}.runs"
_SIZE = 256  # runs in a bundle
_REASON = 300  # letters of what is wrong with a file: the names in it may have any length
_SWELL, _SMALL = 1100, 2**24  # an entry may be so many times its compressed size, or so large
_ENTRY = re.compile(r"(keys|summaries|seal)\.json|[0-9]+\.runs")
_DRAFT = re.compile(r"\.part-[0-9]{5}\.zip\.[0-9a-f]{16}")
_WRONG = (
    zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, InputError, EOFError,
    ValueError, TypeError, AttributeError, OverflowError, struct.error, zlib.error, OSError,
)  # fmt: skip
"""What an archive that anybody may have written makes of its reader (RuntimeError: nesting)."""

Summed = tuple[KeySummary, Run]


def archived(place: ArchivePlace, runs: Iterable[Summed]) -> bytes:
    """Return the archive of some runs."""
    held = io.BytesIO()
    _write(held, place, runs)
    return held.getvalue()


def write_runs(place: ArchivePlace, runs: Iterable[Summed]) -> None:
    """Write the archive of some runs, which appears complete or not at all."""
    with drafted(place.path) as file:
        _write(file, place, runs)


def write_archive(place: ArchivePlace, data: bytes) -> None:
    """Write an archive that was made elsewhere."""
    with drafted(place.path) as file:
        file.write(data)


def remove_drafts(folder: str) -> None:
    """Remove the drafts of somebody who was killed; nobody else may be writing."""
    for name in os.listdir(folder):
        if _DRAFT.fullmatch(name):
            os.unlink(os.path.join(folder, name))


def _write(file: BinaryIO, place: ArchivePlace, runs: Iterable[Summed]) -> None:
    waiting, columns = iter(runs), {name: list[object]() for name in COLUMNS}
    digests: dict[str, str] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:

        def put(name: str, data: bytes) -> None:
            digests[name] = digest_of(data)
            archive.writestr(_entry(name), data)

        number = 0
        while some := [*islice(waiting, _SIZE)]:
            put(_BUNDLE.format(number), bundled(run for _, run in some))
            number += 1
            for summary, _ in some:
                for name, column in columns.items():
                    column.append(getattr(summary, name))
        keys = {"format": FORMAT, "keys": columns.pop("key")}
        put(_SUMMARIES, json.dumps(columns, allow_nan=False).encode())
        put(_KEYS, json.dumps(keys, allow_nan=False).encode())
        archive.writestr(_entry(SEAL), sealed(place, digests))


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry without the time of day, so that equal runs make equal archives."""
    found = zipfile.ZipInfo(name)
    found.compress_type = zipfile.ZIP_DEFLATED
    return found


class _Archive:
    """An archive that is open; every entry that is read is compared with the seal."""

    def __init__(self, place: ArchivePlace, file: zipfile.ZipFile) -> None:
        self._place, self._file = place, file
        self._names = file.namelist()
        check_known("entry", filterfalse(_ENTRY.fullmatch, self._names), ())
        others = {*self._names} - {SEAL}
        self._digests: Digests | None = None
        if place.sealed or SEAL in self._names:
            self._digests = unsealed(self._data(SEAL), place, others)

    def read(self, name: str) -> bytes:
        """Return an entry as it was written."""
        data = self._data(name)
        if self._digests is not None and self._digests[name] != digest_of(data):
            raise InputError(f"an entry {name} that has changed since it was sealed")
        return data

    def _data(self, name: str) -> bytes:
        if name not in self._names:
            raise InputError(f"no entry {name}")
        entry = self._file.getinfo(name)
        if entry.file_size > max(_SWELL * entry.compress_size, _SMALL):
            raise InputError(f"an entry {name} of {entry.file_size:,} bytes, which is too many")
        return self._file.read(entry)

    def keys(self) -> list[Key]:
        """Return the keys, in the order of their runs."""
        found = json.loads(self.read(_KEYS))
        claimed = found.get("format") if isinstance(found, dict) else None
        if RUNS.is_later(claimed):
            raise RUNS.later(self._place.path, str(claimed))
        if claimed not in RUNS.read:
            raise InputError(f"expected {FORMAT}, got {shown(claimed)}")
        check_known("field", found, ("format", "keys"))
        keys: list[Key] = found["keys"]
        if not (isinstance(keys, list) and all(map(is_key, keys)) and len({*keys}) == len(keys)):
            raise InputError("expected every key once")
        self._check_names(len(keys))
        if self._digests is None:
            _check_homes(self._place, keys)
        return keys

    def _check_names(self, count: int) -> None:
        """Refuse an archive without the entries of so many keys, or with more."""
        expected = [_KEYS, _SUMMARIES, *map(_BUNDLE.format, range(_bundles(count)))]
        expected += [SEAL] if self._digests is not None else []
        there = frozenset(self._names)
        for name in expected:
            if name not in there:
                raise InputError(f"no entry {name}")
        if (found := len(self._names)) > len(expected):
            raise InputError(f"{found:,} entries; {count:,} keys have {len(expected):,}")

    def summaries(self) -> list[KeySummary]:
        """Return the summaries, in the order of their runs."""
        return as_summaries(self.keys(), json.loads(self.read(_SUMMARIES)))

    def bundle(self, number: int) -> Bundle:
        """Return the bundle with this number."""
        name = _BUNDLE.format(number)
        return unbundled(self.read(name), name)

    def check_bundle(self, number: int, size: int) -> None:
        """Refuse a bundle that was changed since it was sealed, or else one of another size."""
        if self._digests is not None:
            self.read(_BUNDLE.format(number))
        elif (found := len(self.bundle(number))) != size:
            raise InputError(f"{found} runs of {size} keys in {_BUNDLE.format(number)}")


def _bundles(count: int) -> int:
    return -(-count // _SIZE)


def _check_homes(place: ArchivePlace, keys: list[Key]) -> None:
    """Refuse keys without a seal that belong elsewhere, or are not in the order of their texts."""
    for key in keys:
        home = partition_of(key, place.partitions)
        if home != place.number:
            raise InputError(
                f"the key {shown_key(key)} of partition {home}, here in partition {place.number}"
            )
    for one, next_one in pairwise(keys):
        if text_of(one) > text_of(next_one):
            raise InputError(f"the key {shown_key(next_one)} out of order")


def check_archive(place: ArchivePlace) -> None:
    """Read all of an archive, and refuse it if something is wrong with it."""
    with _opened(place) as archive:
        count = len(archive.summaries())
        for number in range(_bundles(count)):
            archive.check_bundle(number, min(_SIZE, count - number * _SIZE))


def read_keys(place: ArchivePlace) -> list[Key]:
    """Return the keys of an archive, in the order of its runs."""
    with _opened(place) as archive:
        return archive.keys()


def read_summaries(place: ArchivePlace) -> Iterator[KeySummary]:
    """Yield the summaries of an archive, in the order of its runs."""
    with _opened(place) as archive:
        found = archive.summaries()
    yield from found


def read_run(place: ArchivePlace, number: int) -> Run:
    """Return the run with this number in an archive."""
    with _naming(place):
        there = os.stat(place.path)
        bundle = _bundle(place, number // _SIZE, (there.st_mtime_ns, there.st_size))
        with intact(place.path):
            return bundle.run(number % _SIZE)


@lru_cache(maxsize=8)  # whoever asks for keys in their order reads each bundle once
def _bundle(place: ArchivePlace, number: int, version: tuple[int, int]) -> Bundle:
    with _opened(place) as archive:
        return archive.bundle(number)


@contextmanager
def _opened(place: ArchivePlace) -> Iterator[_Archive]:
    """Open an archive; whatever is wrong with it is an error that names it."""
    with _naming(place):
        try:
            require_regular(place.path, "runs")
        except InputError as error:
            raise error.advising(f"{MEND}.") from None
        with zipfile.ZipFile(place.path) as file:
            yield _Archive(place, file)


@contextmanager
def _naming(place: ArchivePlace) -> Iterator[None]:
    try:
        yield
    except PermissionError:
        raise
    except FileNotFoundError:
        raise InputError(
            where=place.path,
            expected="an archive of runs",
            got="no file",
            remedy="The play was interrupted: play again with the same folder.",
        ) from None
    except _WRONG as error:
        if isinstance(error, InputError) and error.where == place.path:
            raise
        raise _damaged(place, str(error)[:_REASON]) from None


def _damaged(place: ArchivePlace, reason: str) -> InputError:
    return InputError(
        where=place.path,
        expected=f"an archive of runs ({FORMAT})",
        got=f"another file ({reason})",
        remedy=f"{MEND}; if a later version wrote it, update novikoff, which is {LIBRARY} here.",
    )
