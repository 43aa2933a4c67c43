"""The rows of some partitions of keys, gathered from all blocks, key by key."""

from collections.abc import Iterator

import numpy as np

from novikoff.cluster.keyed_rounds import Key
from novikoff.cluster.keyed_runs import partition_of, text_of
from novikoff.streams import Stream
from novikoff.streams.arrays import ArrayStream
from novikoff.streams.blocks.block import Block
from novikoff.streams.labels.label_maps import label_array
from novikoff.streams.stream import Rounds
from novikoff.streams.whole_stream import as_one, taken
from novikoff.types import AnyArray, IntArray

Streams = list[tuple[Key, Stream]]


class GatheredRows:
    """Rows whose keys are in the chosen partitions; a key's rows keep their order."""

    def __init__(self, chosen: list[int], partitions: int) -> None:
        self.chosen, self.partitions = chosen, partitions
        self._numbers: dict[Key, int] = {}  # of every key met; −1 if it was not chosen
        self._keys: list[Key] = []
        self._blocks: list[Block] = []
        self._labels: list[AnyArray] = []
        self._weights: list[AnyArray] = []
        self._owners: list[IntArray] = []

    def add(self, keys: list[Key], rounds: Rounds) -> None:
        """Keep those of the rows that were chosen."""
        owners = np.array([self._number(key) for key in keys], np.int64)
        rows = np.flatnonzero(owners >= 0)
        if not len(rows):
            return
        self._blocks.append(taken(rounds.rows, rows))
        self._labels.append(label_array(rounds.labels)[rows])
        self._owners.append(owners[rows])
        if rounds.weights is not None:
            self._weights.append(np.asarray(rounds.weights)[rows])

    def _number(self, key: Key) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = -1
            if partition_of(key, self.partitions) in self.chosen:
                found = len(self._keys)
                self._keys.append(key)
            self._numbers[key] = found
        return found

    def streams(self) -> Iterator[tuple[int, Streams]]:
        """Yield every chosen partition with the streams of its keys, in the order of their texts.

        The order is the same however the data were divided into blocks.
        """
        homes: dict[int, Streams] = {p: [] for p in self.chosen}
        for key, stream in self._by_key():
            homes[partition_of(key, self.partitions)].append((key, stream))
        for p, streams in homes.items():
            yield p, sorted(streams, key=lambda pair: text_of(pair[0]))

    def _by_key(self) -> Iterator[tuple[Key, Stream]]:
        if not self._keys:
            return
        owners = np.concatenate(self._owners)
        order = np.argsort(owners, kind="stable")
        labels = np.concatenate(self._labels)[order]
        weights = np.concatenate(self._weights)[order] if self._weights else None
        whole = ArrayStream(taken(as_one(self._blocks), order), labels, None, weights)
        ends = np.cumsum(np.bincount(owners, minlength=len(self._keys))).tolist()
        for key, start, end in zip(self._keys, [0, *ends], ends, strict=False):
            yield key, whole.part(start, end)
