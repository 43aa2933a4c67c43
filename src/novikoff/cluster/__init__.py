"""Playing on many processes or machines: shards of one stream, mixed after every epoch."""

from novikoff.lazy_names import LazyNames

# What the package offers, by the module that holds it. The same in __init__.pyi.
_NAMES = LazyNames(__name__, {"mixed_play": "mistakes_by_shard play"})
__getattr__ = _NAMES.get
__all__ = [*_NAMES.all()]  # noqa: PLE0604 — they are strings
