"""Tables that speak Arrow, read by the core."""

from typing import Any

from novikoff import _core

Row = dict[str, Any]


def frame(table: Any) -> _core.Frame:
    return _core.Frame(table.__arrow_c_stream__())


def read(table: Any, limit: int = 3) -> list[Row]:
    source = frame(table)
    chunks = list(iter(lambda: source.rows(limit), []))
    assert source.rows(limit) == []
    assert all(len(chunk) == limit for chunk in chunks[:-1])
    rows = [row for chunk in chunks for row in chunk]
    assert all(list(row) == source.columns for row in rows)
    return rows


def same(ours: list[Row], theirs: list[Row]) -> bool:
    """Equal, and of the same types: 1, 1.0 and True are not the same."""

    def typed(rows: list[Row]) -> list[list[tuple[str, type, Any]]]:
        return [[(name, type(value), value) for name, value in row.items()] for row in rows]

    return typed(ours) == typed(theirs)
