"""Playing on many processes or machines: shards of one stream, mixed after every epoch."""

from novikoff.cluster.mixed_play import mistakes_by_shard, play

__all__ = ["mistakes_by_shard", "play"]
