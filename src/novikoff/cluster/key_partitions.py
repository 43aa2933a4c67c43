"""Partitions of keys: which archive of a folder the run of a key is in."""

import json
from hashlib import blake2b

from novikoff.cluster.keyed_rounds import Key


def partition_of(key: Key, partitions: int) -> int:
    """Return the partition of a key, the same on every machine: it depends on its text alone."""
    return int.from_bytes(blake2b(text_of(key).encode(), digest_size=8).digest()) % partitions


def text_of(key: Key) -> str:
    """Return a key as text, in which the number 7 differs from the text "7"."""
    return _quoted(key) if type(key) is str else json.dumps(key)


_quoted = json.encoder.encode_basestring_ascii  # what json.dumps makes of a text, much sooner
