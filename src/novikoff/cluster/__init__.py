"""Playing on many processes or machines: many streams at once, or shards of one stream."""

from novikoff.lazy_names import LazyNames

# What the package offers, by the module that holds it. The same in __init__.pyi.
_NAMES = LazyNames(
    __name__,
    {
        "datasets": "DatasetStream",
        "key_overview": "KeyOverview",
        "key_summary": "Asked KeySummary",
        "keyed_play": "play_by",
        "keyed_runs": "KeyedRuns",
        "mixed_play": "mistakes_by_shard play",
    },
)
__getattr__ = _NAMES.get
__all__ = [*_NAMES.all()]  # noqa: PLE0604 — they are strings
