"""Frames of pandas, polars and duckdb."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tables import frame, read, same


def test_frames_of_pandas_are_read() -> None:
    data = pd.DataFrame(
        {
            "x": [0.5, 1.5, None, 2.0],
            "n": [1, 2, 3, 4],
            "small": pd.array([1, None, 3, 4], "Int8"),
            "flag": [True, False, True, True],
            "maybe": pd.array([True, None, False, True], "boolean"),
            "word": ["a", None, "ccc", "a long string, out of line"],
            "kind": pd.Categorical(["lo", "hi", None, "lo"]),
            "size": pd.Categorical([3, 1, 3, None]),
        }
    )
    for part in (data, data.iloc[1:3].reset_index(drop=True)):
        assert same(read(part), pa.Table.from_pandas(part).to_pylist())
    row = read(data)[2]
    assert row["x"] is None
    assert row["kind"] is None


def test_frames_of_polars_are_read() -> None:
    data = pl.DataFrame(
        {
            "x": [0.5, None, 2.0, 1.0],
            "n": pl.Series([1, None, 3, 4], dtype=pl.UInt8),
            "flag": [True, None, False, True],
            "word": ["a", None, "twelve bytes", "thirteen byte"],
            "category": pl.Series(["lo", "hi", None, "lo"], dtype=pl.Categorical),
            "enum": pl.Series(["b", None, "a", "b"], dtype=pl.Enum(["a", "b"])),
            "nothing": pl.Series([None] * 4),
        }
    )
    several = pl.concat([data, data.slice(1, 2), data], rechunk=False)
    for part in (data, data.slice(1, 2), data.filter(pl.col("x") > 0.5), several, data.clear()):
        assert same(read(part), part.to_dicts())
    assert same(read(data.to_struct("row")), data.to_dicts())


def test_relations_of_duckdb_are_read() -> None:
    connection = duckdb.connect()
    connection.execute("create type level as enum ('lo', 'hi')")
    query = """
        select i / 7 as x, i::tinyint as n, i % 2 = 0 as even, i % 3 = 0 or null as maybe,
               if(i % 5 = 0, null, repeat('word ', i % 4)) as word,
               if(i % 2 = 0, 'lo', 'hi')::level as level
        from range(100) numbers(i)
    """
    expected = connection.sql(query).to_arrow_table().to_pylist()
    assert len(expected) == 100
    assert same(read(connection.sql(query)), expected)
    connection.execute("set produce_arrow_string_view = true")
    assert same(read(connection.sql(query)), expected)
    sliced = connection.sql(query).filter("n > 40").limit(20, offset=3)
    assert [row["n"] for row in read(sliced)] == list(range(44, 64))


def test_types_of_one_library_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'wide': .* got an unknown type \(\"_pli128\"\)"):
        frame(pl.DataFrame({"wide": pl.Series([1], dtype=pl.Int128)}))
    with pytest.raises(ValueError, match=r"'total': .* got decimal"):
        frame(duckdb.sql("select sum(i) as total from range(3) numbers(i)"))
