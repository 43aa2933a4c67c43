"""Tables of summaries, one line for every key: Parquet or CSV."""

import csv
import io
import json
import os
from collections.abc import Iterable

from novikoff.cluster.key_summary import COLUMNS, KeySummary
from novikoff.cluster.keyed_rounds import Key
from novikoff.extras import extra
from novikoff.saving.whole_files import drafted

PathLike = str | os.PathLike[str]


def write_parquet(path: PathLike, keys: Iterable[Key], parts: Iterable[list[KeySummary]]) -> None:
    """Write summaries part by part; the file appears complete or not at all."""
    arrow, parquet = extra("pyarrow", "to_parquet"), extra("pyarrow.parquet", "to_parquet")
    kind = _kind_of(keys)
    schema = _schema(kind)
    with drafted(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for rows in parts:
            columns = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
            if kind == "json":
                columns["key"] = [json.dumps(key) for key in columns["key"]]
            writer.write_table(arrow.table(columns, schema=schema))


def write_csv(path: PathLike, keys: Iterable[Key], parts: Iterable[list[KeySummary]]) -> None:
    """Write summaries part by part; a fact that a key does not have is an empty cell."""
    mixed = _kind_of(keys) == "json"
    with drafted(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(COLUMNS)
        for rows in parts:
            for row in rows:
                key = json.dumps(row.key) if mixed else row.key
                lines.writerow([key, *(getattr(row, name) for name in COLUMNS[1:])])
        text.detach()


def _kind_of(keys: Iterable[Key]) -> str:
    """Return what the column of keys holds: texts, whole numbers, or anything as JSON."""
    kinds = {_kind(key) for key in keys}
    return kinds.pop() if len(kinds) == 1 else "json" if kinds else "string"


def _kind(key: Key) -> str:
    if type(key) is str:
        return "string"
    return "int64" if type(key) is int and key < 2**63 else "json"


def _schema(kind: str) -> object:
    """Return the types of the columns, as pyarrow has them."""
    arrow = extra("pyarrow", "to_parquet")
    key = arrow.int64() if kind == "int64" else arrow.string()
    counts = {"rounds", "mistakes", "alarm"}
    kinds = {name: arrow.int64() if name in counts else arrow.float64() for name in COLUMNS[1:]}
    return arrow.schema([("key", key), *kinds.items()])
