"""The runs of many keys: a folder of archives, read when they are asked for."""

import heapq
import json
import os
from collections.abc import Iterator, Mapping
from hashlib import blake2b

from novikoff.cluster.key_summary import COLUMNS, KeySummary
from novikoff.cluster.keyed_rounds import Key
from novikoff.cluster.run_archives import FORMAT, ArchivePlace, read_index, read_run
from novikoff.errors import InputError
from novikoff.playing.run import Run

PLAN = "runs.json"


def partition_of(key: Key, partitions: int) -> int:
    """Return the partition of a key, the same on every machine: it depends on its text alone."""
    return int.from_bytes(blake2b(text_of(key).encode(), digest_size=8).digest()) % partitions


def text_of(key: Key) -> str:
    """Return a key as text, in which the number 7 differs from the text "7"."""
    return json.dumps(key)


class KeyedRuns(Mapping[Key, Run]):
    """The run of every key, loaded when it is asked for: ``runs[key]``, ``len``, ``in``.

    ``summaries()`` yields a line for each; ``worst``, ``best`` and ``drifted`` pick some.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self.partitions = _partitions(self.folder)
        self._numbers: dict[int, dict[Key, int]] = {}

    def __repr__(self) -> str:
        return f"KeyedRuns({len(self):,} keys, {self.folder!r})"

    def __len__(self) -> int:
        return sum(len(self._known(p)) for p in range(self.partitions))

    def __iter__(self) -> Iterator[Key]:
        for p in range(self.partitions):
            yield from self._known(p)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, (str, int, float)) and key in self._known(self._home(key))

    def __getitem__(self, key: Key) -> Run:
        home = self._home(key)
        return read_run(ArchivePlace(self.folder, home), self._known(home)[key])

    def _home(self, key: Key) -> int:
        return partition_of(key, self.partitions)

    def _known(self, partition: int) -> dict[Key, int]:
        """Return the keys of a partition, each with its number in the archive."""
        if partition not in self._numbers:
            found = read_index(ArchivePlace(self.folder, partition))
            self._numbers[partition] = {row.key: number for number, row in enumerate(found)}
        return self._numbers[partition]

    def summaries(self) -> Iterator[KeySummary]:
        """Yield the summary of every key, in the order of the archives."""
        for p in range(self.partitions):
            yield from read_index(ArchivePlace(self.folder, p))

    def worst(self, count: int = 10) -> list[KeySummary]:
        """Return the keys that err most often beyond their baseline."""
        return heapq.nlargest(count, self.summaries(), key=_excess)

    def best(self, count: int = 10) -> list[KeySummary]:
        """Return the keys with the smallest error bounds."""
        return heapq.nsmallest(count, self.summaries(), key=lambda row: row.error_bound)

    def drifted(self) -> list[KeySummary]:
        """Return the keys with an alarm, the latest first."""
        found = [row for row in self.summaries() if row.alarm is not None]
        return sorted(found, key=lambda row: row.rounds - (row.alarm or 0))

    def columns(self) -> dict[str, list[object]]:
        """Return all summaries as columns, from which pandas, polars and pyarrow make a table."""
        rows = [row.plain for row in self.summaries()]
        return {name: [row[name] for row in rows] for name in COLUMNS}


def _excess(row: KeySummary) -> tuple[float, int]:
    return row.error_rate - row.baseline, row.mistakes


def _partitions(folder: str) -> int:
    path = os.path.join(folder, PLAN)
    try:
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        count = plan["partitions"] if plan["format"] == FORMAT else None
        if type(count) is int and count >= 1:
            return count
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{path}: expected the plan of {FORMAT}, got another file. Play again.")
