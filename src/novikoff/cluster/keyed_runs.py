"""The runs of many keys: a folder of archives, read when they are asked for."""

import os
from collections.abc import Iterable, Iterator, Mapping

from novikoff.cluster.archive_places import ArchivePlace, archive_places
from novikoff.cluster.key_overview import KeyOverview, overview_of
from novikoff.cluster.key_partitions import partition_of
from novikoff.cluster.key_summary import COLUMNS, KeySummary
from novikoff.cluster.key_tables import write_csv, write_parquet
from novikoff.cluster.keyed_rounds import Key, as_key
from novikoff.cluster.run_archives import read_keys, read_run, read_summaries
from novikoff.playing.run import Run


class KeyedRuns(Mapping[Key, Run]):
    """The run of every key, loaded when it is asked for: ``runs[key]``, ``len``, ``in``.

    ``summaries()`` yields a line for each; ``worst``, ``best`` and ``drifted`` pick some.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self._places = archive_places(self.folder)
        self.partitions = len(self._places)
        self._numbers: dict[ArchivePlace, dict[Key, int]] = {}

    def __repr__(self) -> str:
        return f"KeyedRuns({len(self):,} keys, {self.folder!r})"

    def __len__(self) -> int:
        return sum(len(read_keys(place)) for place in self._places)

    def __iter__(self) -> Iterator[Key]:
        for place in self._places:
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
        return self._places[partition_of(kept, self.partitions)]

    def summaries(self) -> Iterator[KeySummary]:
        """Yield the summary of every key, in the order of the archives."""
        for place in self._places:
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
        return ([*read_summaries(place)] for place in self._places)
