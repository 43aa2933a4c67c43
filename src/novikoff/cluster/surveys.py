"""What all shards must agree on before the first epoch: rows, labels, and the names of features."""

from collections.abc import Sequence
from dataclasses import dataclass

from novikoff.cluster.shard_sources import ShardSource
from novikoff.errors import InputError
from novikoff.streams.blocks.named import NamedBlock, as_hashing, new_features
from novikoff.streams.labels.label_maps import plain
from novikoff.streams.stream import Rounds
from novikoff.types import Label


@dataclass(frozen=True)
class Survey:
    """What one shard holds, or all of them."""

    rows: tuple[int, ...]
    """How many rows each shard has."""
    labels: tuple[Label, ...]
    """In the order in which they appear."""
    names: tuple[str, ...]
    """The names of features, in the order in which they appear with a value other than 0."""


def surveyed(source: ShardSource, hashing: object) -> Survey:
    """Read a shard once."""
    features, rows = new_features(as_hashing(hashing)), 0
    labels: dict[Label, None] = {}
    for found in source.stream().blocks():
        rounds = Rounds(*found)
        block = rounds.rows
        rows += len(block)
        labels |= dict.fromkeys(map(plain, rounds.labels))
        if isinstance(block, NamedBlock) and not features.bits:
            numbered = block.numbered(features, 0, len(block), adopt=True)
            if len(numbered) < len(block):
                t = len(numbered)
                where = f"row {rows - len(block) + t + 1}" if rounds.place is None else ""
                where = where or (rounds.place(t) if rounds.place else "")
                raise InputError(f"{where}: {block.fault(t)}")
    names = () if features.bits else tuple(features.names(len(features)))
    return Survey((rows,), tuple(labels), names)


def merged(surveys: Sequence[Survey]) -> Survey:
    """Put surveys together in the order of the shards.

    A name gets the number that it would have if one learner had read the shards one after another.
    """
    rows = tuple(n for survey in surveys for n in survey.rows)
    for k, n in enumerate(rows):
        if n == 0:
            raise InputError(f"shard {k + 1}: expected rows, got none. Use fewer shards.")
    labels = dict.fromkeys(label for survey in surveys for label in survey.labels)
    names = dict.fromkeys(name for survey in surveys for name in survey.names)
    return Survey(rows, tuple(labels), tuple(names))
