"""What is done to a saved file: bytes anywhere, or its parts, and then it is signed again."""

import copy
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from safetensors.numpy import load as arrays_of
from safetensors.numpy import save as to_bytes

from novikoff.saving import storage

Random = np.random.Generator
Arrays = dict[str, np.ndarray[Any, Any]]

_WHOLE = (
    0,
    1,
    -1,
    2,
    7,
    255,
    2**31 - 1,
    2**31,
    2**32,
    2**53,
    2**53 + 1,
    2**62,
    2**63 - 1,
    -(2**63),
)
_REAL = (0.0, -0.0, 0.5, -1.0, 5e-324, 1e-300, 1e308, -1e308, np.nan, np.inf, -np.inf, 2.0**53)
_JSON: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 2**31, 2**53 + 1, 10**30, 0.5, -0.0, 1e308, "", "x", "a b",
    "positive", "\x00", "é", [], {}, [[]], [None], [0, 0], {"": 0}, ["a", "a"], "w" * 300,
)  # fmt: skip
_TYPES = (
    "F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL",
    "F8_E4M3", "C64", "XYZ",
)  # fmt: skip
_CELLS: tuple[Any, ...] = (
    None, 1, -1.5, "x", [], [1, 2], [-1], [2**40], [None], [float("nan")], ["a", "a"], 1e308,
)  # fmt: skip
_ARRAY_TYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]


def mutated(data: bytes, rng: Random) -> bytes:
    """Return another file."""
    if not data.startswith(b"ARROW1") and _is_model(data) and rng.random() < 0.8:
        return _restructured(data, rng)
    if data.startswith(b"ARROW1") and rng.random() < 0.6:
        return _other_cache(data, rng)
    if data.startswith(b"{") and not _is_model(data) and rng.random() < 0.8:
        found = json.loads(data)
        for _ in range(_few(rng)):
            found = _edited(found, rng)
        return json.dumps(found).encode()
    for _ in range(_few(rng)):
        data = _BYTES[rng.integers(len(_BYTES))](data, rng)
    return data


def _is_model(data: bytes) -> bool:
    return data[8:9] == b"{"


def _few(rng: Random) -> int:
    return int(rng.choice([1, 1, 1, 2, 3]))


def _place(data: bytes, rng: Random) -> int:
    return int(rng.integers(len(data) + 1))


def _flipped(data: bytes, rng: Random) -> bytes:
    k = int(rng.integers(max(len(data), 1)))
    return (
        data[:k]
        + bytes([byte ^ (1 << int(rng.integers(8))) for byte in data[k : k + 1]])
        + (data[k + 1 :])
    )


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: _place(data, rng)]


def _without(data: bytes, rng: Random) -> bytes:
    a, b = sorted((_place(data, rng), _place(data, rng)))
    return data[:a] + data[b:]


def _doubled(data: bytes, rng: Random) -> bytes:
    a, b = sorted((_place(data, rng), _place(data, rng)))
    return data[:b] + data[a:]


def _overwritten(data: bytes, rng: Random) -> bytes:
    k, size = _place(data, rng), int(rng.choice([1, 2, 4, 8, 64]))
    block = [bytes(size), b"\xff" * size, rng.bytes(size), struct.pack("<Q", 2**31) * 8]
    return data[:k] + block[rng.integers(len(block))][:size] + data[k + size :]


def _digit(data: bytes, rng: Random) -> bytes:
    """Change a digit of the header, which is text."""
    places = [k for k, byte in enumerate(data[:4096]) if 48 <= byte <= 57]
    k = int(rng.choice(places)) if places else 0
    return data[:k] + b"%d" % rng.integers(10) + data[k + 1 :]


_BYTES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped, _flipped, _cut, _without, _doubled, _overwritten, _digit,
)  # fmt: skip


def _restructured(data: bytes, rng: Random) -> bytes:
    """Change the arrays or the metadata, and sign the result, as one who knows how would."""
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    about, arrays = header["__metadata__"], dict(sorted(arrays_of(data).items()))
    metadata = json.loads(about["metadata"])
    for _ in range(_few(rng)):
        if rng.random() < 0.45:
            metadata = _edited(metadata, rng)
        else:
            arrays = _rearranged(arrays, rng)
    if rng.random() < 0.05:
        about["kind"] = str(rng.choice(["Run", "RegretRun", "Perceptron", "Halfspace", "Hedge"]))
    about["metadata"] = json.dumps(metadata)
    about["sha256"] = storage.seal(about, arrays)
    found = to_bytes(arrays, about)
    return _header_edited(found, rng) if rng.random() < 0.1 else found


def _header_edited(data: bytes, rng: Random) -> bytes:
    """Let the header say other types, shapes or places of an array; the digest still fits bytes."""
    size = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    names = [name for name in header if name != "__metadata__"]
    if names:
        one = header[str(rng.choice(names))]
        kind = rng.integers(4)
        if kind == 0:
            one["dtype"] = str(rng.choice(_TYPES))
        elif kind == 1:
            one["shape"] = [int(rng.choice(_WHOLE)) for _ in range(rng.integers(4))]
        elif kind == 2:
            one["shape"] = [*one["shape"], int(rng.choice([0, 1, 2**40]))]
        else:
            one["data_offsets"] = [int(rng.choice([0, 8, 2**40])) for _ in range(2)]
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def _rearranged(arrays: Arrays, rng: Random) -> Arrays:
    """Change one array, or which there are."""
    found = dict(arrays)
    if not found:
        return found
    name = str(rng.choice(list(found)))
    kind = rng.random()
    if kind < 0.08:
        del found[name]
    elif kind < 0.13:
        found[str(rng.choice([*found, "other"]))] = found[name]
    elif kind < 0.3:
        with np.errstate(all="ignore"):
            found[name] = found[name].astype(str(rng.choice(_ARRAY_TYPES)))
    elif kind < 0.55:
        found[name] = np.ascontiguousarray(_reshaped(found[name], rng))
    else:
        found[name] = _revalued(found[name], rng)
    return found


def _reshaped(array: np.ndarray[Any, Any], rng: Random) -> np.ndarray[Any, Any]:
    forms: tuple[Callable[[], np.ndarray[Any, Any]], ...] = (
        lambda: array[None],
        lambda: array.reshape(-1),
        lambda: array.reshape(-1, 1),
        lambda: array[: len(array) // 2] if array.ndim else array,
        lambda: array[:0] if array.ndim else array,
        lambda: array[:-1] if array.ndim else array,
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: np.concatenate([array, array[-1:]]) if array.ndim else array,
        lambda: np.zeros((int(rng.choice([0, 1, 50, 5000])),), array.dtype),
        lambda: np.zeros((0, int(rng.choice([1, 3, 2**40]))), array.dtype),
        lambda: array.reshape(-1)[:1].reshape(()) if array.size else array,
        lambda: array.T,
    )
    return forms[rng.integers(len(forms))]()


def _revalued(array: np.ndarray[Any, Any], rng: Random) -> np.ndarray[Any, Any]:
    found = array.copy()
    if not found.size:
        return found
    flat = found.reshape(-1)
    kind = rng.integers(5)
    if kind == 0:
        rng.shuffle(flat)
    elif kind == 1:
        flat[:] = flat[rng.integers(flat.size)]
    else:
        special = _REAL if found.dtype.kind == "f" else _WHOLE
        value = special[rng.integers(len(special))]
        if found.dtype.kind in "iu" and kind == 4:
            near = int(flat[rng.integers(flat.size)]) + int(rng.integers(-2, 3))
            value = max(-(2**63), min(near, 2**63 - 1))
        k = rng.integers(flat.size)
        with np.errstate(all="ignore"):
            flat[k : k + 1] = np.array([value]).astype(found.dtype)
    return found


def _edited(tree: Any, rng: Random) -> Any:
    """Change one place of plain data."""
    found = copy.deepcopy(tree)
    places = list(_places(found, ()))
    where = places[rng.integers(len(places))]
    if not where:
        return found
    holder = found
    for key in where[:-1]:
        holder = holder[key]
    key, kind = where[-1], rng.random()
    if kind < 0.15:
        del holder[key]
    elif kind < 0.22 and isinstance(holder, dict):
        holder[str(rng.choice(["other", "labels", "d", "kind", key + "x"]))] = holder[key]
    elif kind < 0.3:
        holder[key] = [holder[key]]
    elif kind < 0.5 and isinstance(holder[key], (int, float)):
        holder[key] = _next_number(holder[key], rng)
    else:
        holder[key] = copy.deepcopy(_JSON[rng.integers(len(_JSON))])
    return found


def _next_number(value: float, rng: Random) -> float:
    return [value + 1, value - 1, -value, value * 2, value * 10**6, value / 2][rng.integers(6)]


def _places(tree: Any, where: tuple[Any, ...]) -> Any:
    yield where
    items = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if (isinstance(tree, list))
        else ()
    )
    for key, value in items:
        yield from _places(value, (*where, key))


def _other_cache(data: bytes, rng: Random) -> bytes:
    """Change the columns of a cache: types, lengths, values, nulls, names, what is said of it."""
    import pyarrow as pa

    table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
    about = dict(table.schema.metadata)
    for _ in range(_few(rng)):
        table = _other_column(table, rng, pa)
    if rng.random() < 0.2:
        text = json.dumps(_JSON[rng.integers(len(_JSON))]).encode()
        about[[b"positive", b"novikoff"][rng.integers(2)]] = text
    table = table.replace_schema_metadata(about)
    sink = pa.BufferOutputStream()
    packed = [None, None, None, "zstd", "lz4"][rng.integers(5)]
    with pa.ipc.new_file(
        sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=packed)
    ) as w:
        w.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _other_column(table: Any, rng: Random, pa: Any) -> Any:
    k, count = int(rng.integers(table.num_columns)), table.num_rows
    name = table.schema.names[k]
    kind = rng.integers(6)
    if kind == 0:
        return table.remove_column(k) if table.num_columns > 1 else table
    if kind == 1:
        return table.rename_columns([["label", "class", "x"][rng.integers(3)] if j == k else n
                                     for j, n in enumerate(table.schema.names)])  # fmt: skip
    values = table.column(k).to_pylist()
    if kind == 2 and count:
        values[rng.integers(count)] = _CELLS[rng.integers(len(_CELLS))]
    types = (*_column_types(pa), table.schema.types[k])
    wanted = types[rng.integers(len(types))] if kind < 5 else table.schema.types[k]
    try:
        column = pa.array(values, wanted)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        column = pa.nulls(count, wanted)
    return table.set_column(k, name, column)


def _column_types(pa: Any) -> tuple[Any, ...]:
    return (
        pa.float32(), pa.int64(), pa.int32(), pa.utf8(), pa.large_utf8(), pa.null(), pa.bool_(),
        pa.list_(pa.int64()), pa.list_(pa.int32()), pa.list_(pa.float64()), pa.float64(),
        pa.large_list(pa.int32()), pa.list_(pa.utf8()), pa.binary(), pa.timestamp("s"),
        pa.dictionary(pa.int32(), pa.utf8()),
    )  # fmt: skip
