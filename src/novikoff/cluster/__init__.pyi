"""Playing on many processes or machines: many streams at once, or shards of one stream."""

from novikoff.cluster.datasets import DatasetStream
from novikoff.cluster.key_overview import KeyOverview
from novikoff.cluster.key_summary import Asked, KeySummary
from novikoff.cluster.keyed_play import play_by
from novikoff.cluster.keyed_runs import KeyedRuns
from novikoff.cluster.mixed_play import mistakes_by_shard, play

__all__ = [
    "Asked",
    "DatasetStream",
    "KeyOverview",
    "KeySummary",
    "KeyedRuns",
    "mistakes_by_shard",
    "play",
    "play_by",
]
