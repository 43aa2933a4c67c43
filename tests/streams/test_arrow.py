"""Arrow streams made by hand: all is released once, and nothing broken is followed."""

import gc
import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from novikoff import _core
from producers import Producer

BATCH = pa.record_batch(
    {
        "n": pa.array([1, None, 3, None]),
        "s": pa.array(["a", "b", None, "dd"]),
        "v": pa.array([None, "a string out of line", "b", ""], pa.string_view()),
        "d": pa.array(["x", "y", "x", None]).dictionary_encode(),
    }
)


def produce(*args: Any, rows: int = 100, **kwargs: Any) -> list[dict[str, Any]]:
    """Rows of a producer made by hand; all that it handed out came back once."""
    producer = Producer(*args, **kwargs)
    try:
        return _core.Frame(producer.capsule()).rows(rows)
    finally:
        gc.collect()
        assert producer.released == producer.made


def test_everything_is_released_once() -> None:
    rows = BATCH.to_pylist()
    for limit in (1, 4, 5, 8, 100):
        assert produce([BATCH, BATCH], rows=limit) == (rows * 2)[:limit]
    producer = Producer([BATCH])
    source = _core.Frame(producer.capsule())
    assert producer.released == {"Schema": 1}
    assert len(source.rows(100)) == 4
    assert producer.released == producer.made == {"Schema": 1, "Array": 1, "stream": 1}
    assert source.rows(1) == []
    del source
    assert producer.released == producer.made
    unread = Producer([BATCH])
    _core.Frame(unread.capsule())
    assert unread.released == unread.made == {"Schema": 1, "stream": 1}


def test_error_codes_are_said() -> None:
    for errors in ((5, 0), (0, 5)):
        with pytest.raises(ValueError, match="got an error: no such luck"):
            produce([BATCH], errors=errors, message=b"no such luck")
        with pytest.raises(ValueError, match="got an error: Input/output error"):
            produce([BATCH], errors=errors)


def test_the_number_of_nulls_may_be_unknown() -> None:
    def forget(array: Any) -> None:
        for child in array.family():
            child.null_count = -1

    assert produce([BATCH], forget) == BATCH.to_pylist()
    full = pa.record_batch({"a": [1, 2], "b": ["x", "y"]})
    assert produce([full], forget) == full.to_pylist()


def assign(path: str, value: Any) -> Callable[[Any], None]:
    """`n.length`: of the child n; `length`: of the struct itself; `n.buffers[1]`: an entry."""

    def change(base: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            at = (
                base.dictionary
                if step == "dictionary"
                else base.children[BATCH.schema.names.index(step)]
            )
            base = at.contents
        if last.endswith("]"):
            getattr(base, last[:-3])[int(last[-2])] = value
        else:
            setattr(base, last, value)

    return change


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("n_children", 3, "one unlike the schema"),
        ("n_children", -1, "one unlike the schema"),
        ("children", None, "one unlike the schema"),
        ("n_buffers", 0, "one unlike the schema"),
        ("buffers", None, "one unlike the schema"),
        ("length", -1, "one unlike the schema"),
        ("offset", -1, "one unlike the schema"),
        ("offset", 2**63 - 1, "one unlike the schema"),
        ("length", 5, "'n': .* fewer values than rows"),
        ("offset", 1, "'n': .* fewer values than rows"),
        ("s.length", 3, "'s': .* fewer values than rows"),
        ("s.offset", -1, "'s': .* fewer values than rows"),
        ("s.offset", 2**63 - 4, "'s': .* fewer values than rows"),
        ("n.n_buffers", 1, "'n': .* too few buffers"),
        ("s.n_buffers", 2, "'s': .* too few buffers"),
        ("v.n_buffers", 2, "'v': .* too few buffers"),
        ("v.n_buffers", 3, "'v': .* a string outside its buffers"),
        ("s.buffers", None, "'s': .* too few buffers"),
        ("n.buffers[0]", None, "'n': .* nulls without a bitmap"),
        ("n.buffers[1]", None, "'n': .* no values"),
        ("s.buffers[1]", None, "'s': .* no values"),
        ("s.buffers[2]", None, "'s': .* strings without bytes"),
        ("v.buffers[2]", None, "'v': .* strings without bytes"),
        ("v.buffers[3]", None, "'v': .* a string outside its buffers"),
        ("d.dictionary", None, "'d': .* fewer values than rows"),
        ("d.dictionary.length", -1, "'d': .* fewer values than rows"),
        ("d.dictionary.length", 1, "'d': .* an index outside its dictionary"),
        ("d.dictionary.n_buffers", 0, "'d': .* too few buffers"),
    ],
)
def test_broken_batches_are_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        produce([BATCH], assign(path, value))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", b"+l", r"expected a table, got one column of list \(\"\+l\"\)"),
        ("format", None, "expected a table, got one column of an unknown type"),
        ("children", None, "expected 4 columns, got none"),
        ("children[1]", None, "expected 4 columns, got none"),
        ("n.format", None, "'n': .* an unknown type"),
        ("n.name", b"\xff", "codec can't decode"),
        ("d.format", b"g", "'d': .* a dictionary that integers do not index"),
        ("s.name", b"n", "expected every column once, got 'n' twice"),
    ],
)
def test_broken_schemas_are_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        produce([BATCH], spoil_schema=assign(path, value))


def test_a_column_may_lack_a_name() -> None:
    rows = produce([BATCH], spoil_schema=assign("n.name", None))
    assert list(rows[0]) == ["", "s", "v", "d"]


def column(kind: Any, length: int, *buffers: bytes) -> pa.RecordBatch:
    made = pa.Array.from_buffers(kind, length, [None, *map(pa.py_buffer, buffers)])
    return pa.record_batch({"c": made})


def view(size: int, buffer: int, start: int) -> bytes:
    return struct.pack("<i4sii", size, b"0123", buffer, start)


LONG = b"0123456789abcdef"


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (column(pa.string(), 2, struct.pack("<3i", 0, 2, 1), b"ab"), "offsets that fall"),
        (column(pa.string(), 2, struct.pack("<3i", 0, 2**30, 2), b"ab"), "offsets that fall"),
        (column(pa.string(), 2, struct.pack("<3i", 0, -1, 1), b"ab").slice(1), "offsets that fall"),
        (column(pa.large_string(), 2, struct.pack("<3q", 1, 0, 2), b"ab"), "offsets that fall"),
        (column(pa.string(), 1, struct.pack("<2i", 0, 2), b"a\xff"), "not UTF-8"),
        (column(pa.string_view(), 1, view(-1, 0, 0), LONG), "negative size"),
        (column(pa.string_view(), 1, view(16, 1, 0), LONG), "outside its buffers"),
        (column(pa.string_view(), 1, view(16, -1, 0), LONG), "outside its buffers"),
        (column(pa.string_view(), 1, view(16, 0, 1), LONG), "outside its buffers"),
        (column(pa.string_view(), 1, view(16, 0, -1), LONG), "outside its buffers"),
        (column(pa.string_view(), 1, view(2**31 - 1, 0, 2**31 - 1), LONG), "outside its buffers"),
    ],
)
def test_broken_strings_are_refused(batch: pa.RecordBatch, message: str) -> None:
    with pytest.raises(ValueError, match=f"column 'c': expected a sound Arrow array, .*{message}"):
        produce([batch])


def test_indices_are_checked_but_under_nulls() -> None:
    words = pa.array(["x", "y"])

    def encoded(*indices: int, bitmap: bytes | None = None) -> pa.RecordBatch:
        buffers = [bitmap and pa.py_buffer(bitmap), pa.py_buffer(bytes(k & 255 for k in indices))]
        codes = pa.Array.from_buffers(pa.int8(), len(indices), buffers)
        return pa.record_batch({"c": pa.DictionaryArray.from_arrays(codes, words, safe=False)})

    for outside in (2, -1, 127):
        with pytest.raises(ValueError, match=r"'c': .* an index outside its dictionary"):
            produce([encoded(0, outside)])
    assert produce([encoded(1, 99, bitmap=b"\x01")]) == [{"c": "y"}, {"c": None}]


@pytest.mark.parametrize("kind", [pa.int16(), pa.uint64(), pa.float16(), pa.float64()], ids=str)
def test_buffers_need_not_be_aligned(kind: Any) -> None:
    sound = pa.array([1, 2, 3], kind)
    shifted = pa.py_buffer(b"?" + sound.buffers()[1].to_pybytes()).slice(1)
    batch = pa.record_batch({"c": pa.Array.from_buffers(kind, 3, [None, shifted])})
    assert produce([batch]) == [{"c": value} for value in sound.to_pylist()]
