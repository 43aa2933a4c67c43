"""Archives: one zip file per partition of keys, with an ordinary model for each key.

``0.model``, ``1.model``, … are what ``Run.save`` writes, so that any program can take one out;
``keys.json`` says whose they are, and sums each run up.
"""

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

from novikoff.cluster.key_summary import KeySummary, as_summary
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.storage import write_bytes

FORMAT = "novikoff-runs/1"
_INDEX, _MODEL = "keys.json", "{}.model"
_SWELL, _SMALL = 1000, 2**24  # an entry may be so many times its compressed size, or so large


@dataclass(frozen=True)
class ArchivePlace:
    """Where the archive of a partition is."""

    folder: str
    number: int

    @property
    def path(self) -> str:
        """The file's name."""
        return os.path.join(self.folder, f"part-{self.number:05d}.zip")


def archived(runs: Iterable[tuple[KeySummary, Run]]) -> bytes:
    """Return the archive of some runs."""
    held, summaries = io.BytesIO(), []
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number, (summary, run) in enumerate(runs):
            archive.writestr(_entry(_MODEL.format(number)), run.packed())
            summaries.append(summary.plain)
        index = json.dumps({"format": FORMAT, "keys": summaries}, allow_nan=False)
        archive.writestr(_entry(_INDEX), index)
    return held.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry without the time of day, so that equal runs make equal archives."""
    found = zipfile.ZipInfo(name)
    found.compress_type = zipfile.ZIP_DEFLATED
    return found


def write_archive(place: ArchivePlace, data: bytes) -> None:
    """Write an archive, which appears complete or not at all."""
    write_bytes(place.path, data)


def read_index(place: ArchivePlace) -> list[KeySummary]:
    """Return the summaries of an archive, in the order of its models."""
    try:
        index = json.loads(_read(place, _INDEX))
        if not (isinstance(index, dict) and index.get("format") == FORMAT):
            raise InputError(f"expected {FORMAT}, got {index.get('format')!r}")
        return [as_summary(each) for each in index["keys"]]
    except (InputError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(place, error) from None


def read_run(place: ArchivePlace, number: int) -> Run:
    """Return the run with this number in an archive."""
    data = _read(place, _MODEL.format(number))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{os.path.basename(place.path)}-{number}.model")
        with open(path, "wb") as file:
            file.write(data)
        found = Run.load(path)
    found.path = None
    return found


def _read(place: ArchivePlace, name: str) -> bytes:
    try:
        with zipfile.ZipFile(place.path) as archive:
            entry = archive.getinfo(name)
            if entry.file_size > max(_SWELL * entry.compress_size, _SMALL):
                raise InputError(f"an entry {name} of {entry.file_size:,} bytes, which is too many")
            return archive.read(entry)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, InputError) as error:
        raise _damaged(place, error) from None


def _damaged(place: ArchivePlace, error: Exception) -> InputError:
    return InputError(
        f"{place.path}: expected an archive of runs, got another file ({error}). Take a copy of "
        "it, or play again."
    )
