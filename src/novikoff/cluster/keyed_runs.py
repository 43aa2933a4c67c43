"""The runs of many keys: a folder of archives, read when they are asked for."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from hashlib import blake2b

from novikoff.cluster.key_overview import KeyOverview, overview_of
from novikoff.cluster.key_summary import COLUMNS, Asked, KeySummary
from novikoff.cluster.key_tables import write_csv, write_parquet
from novikoff.cluster.keyed_rounds import Key, as_key
from novikoff.cluster.plans import read_plan, shown
from novikoff.cluster.run_archives import (
    ArchivePlace,
    read_keys,
    read_run,
    read_summaries,
)
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.contents import check_known
from novikoff.saving.versions import LIBRARY, RUNS
from novikoff.types import Fields

PLAN = "runs.json"
_FIELDS = (
    "format", "partitions", "learner", "parameters", "positive", "labels", "asked", "rows", "key",
    "options", "files",
)  # fmt: skip
_ASKED = tuple(field.name for field in fields(Asked))


def partition_of(key: Key, partitions: int) -> int:
    """Return the partition of a key, the same on every machine: it depends on its text alone."""
    return int.from_bytes(blake2b(text_of(key).encode(), digest_size=8).digest()) % partitions


def text_of(key: Key) -> str:
    """Return a key as text, in which the number 7 differs from the text "7"."""
    return _quoted(key) if type(key) is str else json.dumps(key)


_quoted = json.encoder.encode_basestring_ascii  # what json.dumps makes of a text, much sooner


class KeyedRuns(Mapping[Key, Run]):
    """The run of every key, loaded when it is asked for: ``runs[key]``, ``len``, ``in``.

    ``summaries()`` yields a line for each; ``worst``, ``best`` and ``drifted`` pick some.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self.partitions = _partitions(self.folder)
        self._numbers: dict[ArchivePlace, dict[Key, int]] = {}

    def __repr__(self) -> str:
        return f"KeyedRuns({len(self):,} keys, {self.folder!r})"

    def __len__(self) -> int:
        return sum(len(read_keys(place)) for place in self._places())

    def __iter__(self) -> Iterator[Key]:
        for place in self._places():
            yield from read_keys(place)

    def __contains__(self, key: object) -> bool:
        return self._number(key) is not None

    def __getitem__(self, key: Key) -> Run:
        number = self._number(key)
        if number is None:
            raise KeyError(key)
        return read_run(self._home(key), number)

    def _number(self, given: object) -> int | None:
        """Return the number of a key in its archive; None if it has no run."""
        key = as_key(given)
        if key is None:
            return None
        home = self._home(key)
        if home not in self._numbers:
            self._numbers[home] = {one: number for number, one in enumerate(read_keys(home))}
        return self._numbers[home].get(key)

    def _home(self, key: object) -> ArchivePlace:
        kept = as_key(key)
        assert kept is not None
        return ArchivePlace(self.folder, partition_of(kept, self.partitions))

    def _places(self) -> Iterator[ArchivePlace]:
        return (ArchivePlace(self.folder, p) for p in range(self.partitions))

    def summaries(self) -> Iterator[KeySummary]:
        """Yield the summary of every key, in the order of the archives."""
        for place in self._places():
            yield from read_summaries(place)

    def overview(self, count: int = 10) -> KeyOverview:
        """Return what all runs did together, and the keys that stand out, in one reading."""
        return overview_of(self._summed(), count)

    def worst(self, count: int = 10) -> list[KeySummary]:
        """Return the keys that err most often beyond their baseline."""
        return self.overview(count).worst

    def best(self, count: int = 10) -> list[KeySummary]:
        """Return the keys with the smallest error bounds."""
        return self.overview(count).best

    def drifted(self) -> list[KeySummary]:
        """Return the keys with an alarm, the latest first."""
        return self.overview(0).drifted

    def columns(self) -> dict[str, list[object]]:
        """Return all summaries as columns, from which pandas, polars and pyarrow make a table."""
        rows = [row.plain for row in self.summaries()]
        return {name: [row[name] for row in rows] for name in COLUMNS}

    def in_order(self, keys: Iterable[Key]) -> list[Key]:
        """Return those of the keys that have a run, in the order in which archives keep them."""
        places = [(self._home(key).number, self._number(key), key) for key in keys]
        found = [(home, number, key) for home, number, key in places if number is not None]
        return [key for *_, key in sorted(found, key=lambda one: one[:2])]

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write all summaries to a Parquet file; needs the extra ``files``.

        If some keys are texts and others numbers, the column ``key`` has them as JSON.
        """
        write_parquet(path, self, self._summed())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write all summaries to a CSV file."""
        write_csv(path, self, self._summed())

    def _summed(self) -> Iterator[list[KeySummary]]:
        return ([*read_summaries(place)] for place in self._places())


def _partitions(folder: str) -> int:
    path = os.path.join(folder, PLAN)
    plan = read_plan(path, RUNS)
    _check_fields(path, plan)
    count = plan.get("partitions")
    if type(count) is int and count >= 1:
        return count
    raise InputError(
        f"{path}: expected a number of partitions, got {shown(count)}. Play again in an empty "
        "folder."
    )


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
