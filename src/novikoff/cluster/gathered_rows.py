"""The rows of some partitions of keys, gathered from all blocks, key by key."""

from collections.abc import Iterator

import numpy as np

from novikoff.cluster.key_partitions import partition_of, text_of
from novikoff.cluster.keyed_rounds import Key
from novikoff.streams import Stream
from novikoff.streams.arrays import ArrayStream
from novikoff.streams.blocks.block import Block
from novikoff.streams.labels.label_maps import label_array
from novikoff.streams.stream import Rounds
from novikoff.streams.whole_stream import as_one, taken
from novikoff.types import AnyArray, IntArray

Streams = Iterator[tuple[Key, Stream]]


class GatheredRows:
    """Rows whose keys are in the chosen partitions; a key's rows keep their order."""

    def __init__(self, chosen: list[int], partitions: int) -> None:
        self.chosen, self.partitions = chosen, partitions
        self._homes = frozenset(chosen)
        self._numbers: dict[Key, int] = {}  # of every key met; −1 if it was not chosen
        self._keys: list[Key] = []
        self._home_of: list[int] = []  # the partition of each
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
            found, home = -1, partition_of(key, self.partitions)
            if home in self._homes:
                found = len(self._keys)
                self._keys.append(key)
                self._home_of.append(home)
            self._numbers[key] = found
        return found

    def streams(self) -> Iterator[tuple[int, Streams]]:
        """Yield every chosen partition with the streams of its keys, in the order of their texts.

        The order is the same however the data were divided into blocks.
        """
        owners = np.concatenate([np.zeros(0, np.int64), *self._owners])
        homes = np.array(self._home_of, np.int64)[owners] if len(owners) else owners
        whole = self._joined()
        for p in self.chosen:
            rows = np.flatnonzero(homes == p)
            yield p, self._by_key(whole, owners[rows], rows)

    def _joined(self) -> ArrayStream | None:
        """Return all rows as one stream, and forget the blocks they came in."""
        if not self._blocks:
            return None
        labels = _joined_labels(self._labels)
        weights = np.concatenate(self._weights) if self._weights else None
        found = ArrayStream(as_one(self._blocks), labels, None, weights)
        self._blocks, self._labels, self._weights, self._owners = [], [], [], []
        return found

    def _by_key(self, whole: ArrayStream | None, owners: IntArray, rows: IntArray) -> Streams:
        """Return the rows of one partition, divided into the streams of its keys."""
        if whole is None or not len(rows):
            return iter(())
        order = np.argsort(owners, kind="stable")
        places, owners = rows[order], owners[order]
        weights = None if whole.weights is None else whole.weights[places]
        own = ArrayStream(taken(whole.block, places), whole.labels[places], None, weights)
        keys, starts = np.unique(owners, return_index=True)
        ends = [*starts[1:].tolist(), len(owners)]
        parts = zip(keys.tolist(), starts.tolist(), ends, strict=True)
        ordered = sorted((text_of(self._keys[k]), k, a, b) for k, a, b in parts)
        return ((self._keys[k], own.part(a, b)) for _, k, a, b in ordered)


def _joined_labels(parts: list[AnyArray]) -> AnyArray:
    """Join labels so that each keeps its value: beside a text, 1 does not become "1"."""
    if len({part.dtype.kind for part in parts}) > 1:
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)
