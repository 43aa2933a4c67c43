"""Frames: the rows of any table that speaks Arrow, and nothing leaked on any way out."""

import gc
import io
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

from novikoff import _core
from tables import frame, read, same

STRINGS = ["", "a", None, "twelve bytes", "thirteen byte", "né à Königsberg", "😀" * 9, None]
PLAIN: list[tuple[pa.DataType, list[Any]]] = [
    (pa.null(), [None] * 8),
    (pa.bool_(), [True, False, None, True, True, False, False, True]),
    *((kind, [0, 1, None, 127, -128, -1]) for kind in (pa.int8(), pa.int16(), pa.int32())),
    *((kind, [0, 1, None, 255]) for kind in (pa.uint8(), pa.uint16(), pa.uint32())),
    (pa.int64(), [2**63 - 1, -(2**63), None, 0]),
    (pa.uint64(), [2**64 - 1, None, 2**63]),
    *((kind, [0.5, -2.0, None, 0.0]) for kind in (pa.float16(), pa.float32(), pa.float64())),
    (pa.float64(), [float("inf"), 5e-324, None, 0.1]),
    *((kind, STRINGS) for kind in (pa.string(), pa.large_string(), pa.string_view())),
]
INDICES = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16()]
INDICES += [pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]


@pytest.mark.parametrize(("kind", "values"), PLAIN, ids=lambda value: str(value)[:20])
def test_every_plain_type_is_read(kind: pa.DataType, values: list[Any]) -> None:
    table = pa.table({"value": pa.array(values, kind)})
    assert [row["value"] for row in read(table)] == values
    assert same(read(table), table.to_pylist())
    for start in range(len(values)):
        assert same(read(table.slice(start, 3)), table.slice(start, 3).to_pylist())


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize(("kind", "values"), PLAIN, ids=lambda value: str(value)[:20])
def test_every_type_is_read_from_a_dictionary(
    kind: pa.DataType, values: list[Any], index: Any
) -> None:
    indices = pa.array([None if k % 5 == 4 else k % len(values) for k in range(20)], index)
    dictionary = pa.array(values, kind).slice(1)  # an offset of its own, and a null inside
    indices = pa.array([None if k is None else k % len(dictionary) for k in indices.to_pylist()])
    column = pa.DictionaryArray.from_arrays(indices.cast(index), dictionary)
    table = pa.table({"value": column})
    assert same(read(table), table.to_pylist())
    assert same(read(table.slice(7)), table.slice(7).to_pylist())


def test_halves_are_exact_and_nan_stays() -> None:
    """Every one of the 2^16 halves, infinities and subnormals included."""
    halves = pa.Array.from_buffers(
        pa.float16(), 2**16, [None, pa.py_buffer(struct.pack("<65536H", *range(2**16)))]
    )
    values = [row["half"] for row in read(pa.table({"half": halves}), 1000)]
    expected = halves.cast(pa.float64()).to_pylist()
    assert all(type(value) is float for value in values)
    assert [repr(value) for value in values] == [repr(value) for value in expected]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    rows = [
        {"x": k / 7, "n": k, "even": k % 2 == 0, "word": f"word {k % 4}" * (k % 3), "gap": None}
        for k in range(40)
    ]
    for k in range(0, 39, 3):
        rows[k] |= {"x": None, "even": None}
        rows[k + 1] |= {"n": None, "word": None}
    made = pa.Table.from_pylist(rows)
    encoded = made["word"].dictionary_encode()
    view = made["word"].cast(pa.string_view())
    return made.append_column("category", encoded).append_column("view", view)


def test_tables_batches_and_readers_read_alike(table: pa.Table) -> None:
    expected = table.to_pylist()
    batches = table.to_batches(max_chunksize=7)
    reader = pa.RecordBatchReader.from_batches(table.schema, iter(batches))
    for source in (table, pa.Table.from_batches(batches), reader):
        assert same(read(source), expected)
    assert same(read(batches[2]), expected[14:21])
    assert read(reader) == []


@given(
    cuts=st.lists(st.integers(0, 40), max_size=6),
    start=st.integers(0, 40),
    length=st.integers(0, 40),
    limit=st.integers(1, 50),
)
def test_any_slice_of_any_chunks_is_read(
    table: pa.Table, cuts: list[int], start: int, length: int, limit: int
) -> None:
    ends = [0, *sorted(cuts), 40]
    pieces = [table.slice(a, b - a) for a, b in pairwise(ends)]
    chunked = pa.concat_tables(pieces).slice(start, length)
    assert same(read(chunked, limit), chunked.to_pylist())


def test_the_offset_of_a_struct_adds_to_those_of_its_columns() -> None:
    """A parent's offset adds to its children's; a null row is a row of nulls."""
    rows = [{"a": k, "b": str(k), "c": k % 2 == 0} for k in range(20)]
    parts = [pa.array([row[name] for row in rows]).slice(2) for name in "abc"]
    missing = pa.array([k % 3 == 0 for k in range(18)])
    column = pa.StructArray.from_arrays(parts, names=list("abc"), mask=missing)
    expected = [rows[k + 2] if k % 3 else dict.fromkeys("abc") for k in range(18)]
    for start in (0, 1, 5, 11):
        assert same(read(pa.chunked_array([column.slice(start)])), expected[start:])


def test_empty_tables_and_batches_have_no_rows(table: pa.Table) -> None:
    schema = table.schema
    assert read(schema.empty_table()) == []
    assert frame(schema.empty_table()).columns == schema.names
    empty = pa.RecordBatch.from_pylist([], schema=schema)
    full = table.combine_chunks().to_batches()[0]
    batches = [empty, empty, full.slice(0, 5), empty, full.slice(5, 1), empty]
    reader = pa.RecordBatchReader.from_batches(schema, iter(batches))
    assert same(read(reader, 4), table.to_pylist()[:6])
    assert read(pa.RecordBatchReader.from_batches(schema, iter([]))) == []


def test_a_table_without_columns_has_its_rows(table: pa.Table) -> None:
    source = frame(table.select([]))
    assert source.columns == []
    assert source.rows(25) == [{}] * 25
    assert source.rows(25) == [{}] * 15
    assert source.rows(25) == []


def test_the_producer_may_wait_for_python() -> None:
    """Threads of the reader read a Python file: a call that kept the GIL would never return."""
    text = "k,s\n" + "".join(f"{k},word {k % 5}\n" for k in range(5000))
    reader = csv.open_csv(
        pa.PythonFile(io.BytesIO(text.encode()), mode="r"),
        read_options=csv.ReadOptions(block_size=512),
    )
    assert read(reader, 100) == [{"k": k, "s": f"word {k % 5}"} for k in range(5000)]


def test_names_and_words_are_made_once(table: pa.Table) -> None:
    rows = read(pa.Table.from_batches(table.to_batches(max_chunksize=7)))
    names = frame(table).columns
    assert all(key is name for row in rows for key, name in zip(row, names, strict=True))
    assert sys.intern("category") is names[names.index("category")]
    words: dict[str, str] = {}
    for row in rows:
        if row["category"]:
            assert words.setdefault(row["category"], row["category"]) is row["category"]
    assert len(words) > 3


def test_dictionaries_may_differ_between_batches() -> None:
    """Each batch is gone when the next is made, so that new words may lie where old ones lay."""
    parts: list[list[Any]] = [[f"a {k:03}", f"b {k:03}", None, f"a {k:03}"] for k in range(200)]
    parts[7:7] = [[], [None], ["a 006"]]

    def batches() -> Iterator[pa.RecordBatch]:
        for part in parts:
            yield pa.record_batch({"word": pa.array(part, pa.string()).dictionary_encode()})

    schema = pa.schema({"word": pa.dictionary(pa.int32(), pa.string())})
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    assert [row["word"] for row in read(reader)] == [word for part in parts for word in part]


WHEN = pa.array([0], pa.timestamp("us"))
UNREAD: list[tuple[Any, str]] = [
    (WHEN, 'timestamp[us] ("tsu:")'),
    (pa.array([0], pa.timestamp("ns", "UTC")), 'timestamp[ns] ("tsn:UTC")'),
    (pa.array([0], pa.date32()), 'date32 ("tdD")'),
    (pa.array([0], pa.time64("ns")), 'time64[ns] ("ttn")'),
    (pa.array([0], pa.duration("s")), 'duration[s] ("tDs")'),
    (pa.array([b""], pa.binary()), 'binary ("z")'),
    (pa.array([b""], pa.large_binary()), 'large_binary ("Z")'),
    (pa.array([b"ab"], pa.binary(2)), 'fixed_size_binary ("w:2")'),
    (pa.array([1], pa.decimal128(5, 2)), 'decimal ("d:5,2")'),
    (pa.array([[1]]), 'list ("+l")'),
    (pa.array([[1]], pa.list_(pa.int8(), 1)), 'fixed_size_list ("+w:1")'),
    (pa.array([{"a": 1}]), 'struct ("+s")'),
    (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8())), 'map ("+m")'),
    (WHEN.dictionary_encode(), 'timestamp[us] ("tsu:")'),
    (pa.array(pd.period_range("2026", periods=1, freq="D")), 'extension pandas.period ("l")'),
    (pa.array([b"0" * 16], pa.uuid()), 'extension arrow.uuid ("w:16")'),
]


@pytest.mark.parametrize(("column", "got"), UNREAD, ids=lambda value: str(value)[:24])
def test_other_types_are_refused_at_once(column: Any, got: str) -> None:
    with pytest.raises(ValueError, match=r"^column") as error:
        frame(pa.table({"n": [1], "when": column}))
    assert str(error.value) == (
        f"column 'when': expected numbers, strings or bools, got {got}. Convert or drop the column."
    )


def test_what_is_no_table_is_refused(table: pa.Table) -> None:
    with pytest.raises(ValueError, match=r"expected a table, got one column of int64 \(\"l\"\)"):
        frame(pa.chunked_array([[1, 2]]))
    with pytest.raises(ValueError, match="expected every column once, got 'a' twice"):
        frame(pa.table([[1], [2], [3]], names=["a", "b", "a"]))
    for other in (None, 1, table, table.schema.__arrow_c_schema__()):
        with pytest.raises(ValueError, match="expected a capsule named arrow_array_stream"):
            _core.Frame(other)
    capsule = table.__arrow_c_stream__()
    _core.Frame(capsule)
    with pytest.raises(ValueError, match="got one taken before"):
        _core.Frame(capsule)
    for limit in (0, -1):
        with pytest.raises(ValueError, match=f"limit: expected at least 1, got {limit}"):
            frame(table).rows(limit)


def test_an_error_from_the_producer_is_said_and_ends_the_frame(table: pa.Table) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield from table.to_batches()
        raise RuntimeError("the disk is on fire")

    source = frame(pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert len(source.rows(40)) == 40
    for message in ("the disk is on fire", "none after an error"):
        with pytest.raises(ValueError, match=message):
            source.rows(1)


def test_a_frame_has_one_reader(table: pa.Table) -> None:
    """A producer that reads its own consumer, and a thread that comes while another waits."""
    outcomes: list[str] = []

    def attempt() -> None:
        try:
            source.rows(1)
        except ValueError as error:
            outcomes.append(str(error))

    def batches() -> Iterator[pa.RecordBatch]:
        attempt()
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        yield from table.to_batches()

    source = frame(pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert len(source.rows(100)) == 40
    assert len(outcomes) == 2
    assert all("expected one reader" in outcome for outcome in outcomes)


@pytest.mark.parametrize("rows", [None, 1, 7, 8, 39, 40, 41])
def test_a_dropped_frame_frees_its_memory(rows: int | None) -> None:
    """Never read, half read, read to the end: Arrow's memory is back where it was."""
    gc.collect()
    before = pa.total_allocated_bytes()
    big = pa.table({"x": [float(k) for k in range(4000)], "s": ["word"] * 4000})
    source = frame(pa.Table.from_batches(big.to_batches(max_chunksize=800)))
    del big
    taken = [] if rows is None else source.rows(rows * 100)
    assert len(taken) == min(4000, 100 * (rows or 0))
    assert rows == 41 or pa.total_allocated_bytes() > before
    del source
    assert pa.total_allocated_bytes() == before


class Stop(BaseException):
    """What the alarm raises, as Ctrl-C raises KeyboardInterrupt."""


@pytest.fixture
def alarm() -> Iterator[Callable[[float], None]]:
    """Raises Stop after some seconds of our own work, however busy the machine is.

    Without the collector, whose callbacks (Hypothesis has one) lose what is raised in them.
    """

    def stop(*_: object) -> None:
        raise Stop

    def start(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

    earlier = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()
    yield start
    gc.enable()
    start(0)
    signal.signal(signal.SIGVTALRM, earlier)


def test_an_interrupt_is_heard_and_leaks_nothing(alarm: Callable[[float], None]) -> None:
    gc.collect()
    before = pa.total_allocated_bytes()
    batch = pa.record_batch({"x": [float(k) for k in range(1000)]})
    source = frame(pa.Table.from_batches([batch] * 5000))
    alarm(0.02)
    with pytest.raises(Stop):
        source.rows(10**9)
    with pytest.raises(ValueError, match="none after an error"):
        source.rows(1)
    del source, batch
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_objects_are_counted_right(table: pa.Table) -> None:
    """Reading again and again leaves no object behind."""

    def once() -> int:
        read(table)
        source = frame(table)
        source.rows(5)
        with pytest.raises(ValueError, match="expected numbers"):
            frame(table.append_column("when", pa.array([0] * 40, pa.timestamp("s"))))
        del source
        gc.collect()
        return sys.getallocatedblocks()

    gc.freeze()  # what other tests left need not be looked through each time
    for _ in range(5):
        once()
    before = once()
    for _ in range(10):
        after = once()
    gc.unfreeze()
    assert after - before < 10  # a leak of one object a round would show
