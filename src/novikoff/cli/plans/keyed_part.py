"""What ``learn --by`` is asked for: one run for every key."""

from collections.abc import Mapping

from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Part, dashed, refuse_empty
from novikoff.extras import require_extra
from novikoff.quick_records import record

TABLES = (".parquet", ".csv")


@record(frozen=True, kw_only=True)
class KeyedPart(Part):
    """The column of keys, and what is made of their runs."""

    by: str | None = None
    key_table: str | None = None
    partitions: int | None = None
    readings: int | None = None

    def __post_init__(self) -> None:
        refuse_empty(self, "by")
        if self.by is None:
            given = {"table": self.key_table, "partitions": self.partitions}
            for name, value in (given | {"readings": self.readings}).items():
                if value is not None:
                    raise UsageError(f"{dashed(name)}: expected --by COLUMN with it, got none.")
        if self.key_table is not None and not self.key_table.endswith(TABLES):
            ends = " or ".join(TABLES)
            raise UsageError(f"--table: expected a file that ends in {ends}, got another.")

    def check(self) -> None:
        """Refuse a table whose package is missing."""
        if self.key_table is not None and self.key_table.endswith(".parquet"):
            require_extra("pyarrow", "--table")


def refuse_others(given: Mapping[str, object], usual: Mapping[str, object]) -> None:
    """Refuse what a run per key does not have: receipts, passes, shards."""
    for name, value in given.items():
        if value != usual.get(name):
            raise UsageError(f"{dashed(name)}: expected none with --by, got one. Leave it out.")
