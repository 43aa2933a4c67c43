"""Caches: a stream written once as an Arrow file, read back through a memory map.

A record batch holds some rounds: ``label`` (a number) or ``class`` (a text), ``weight`` if rounds
have one, and for each round a list of ``indices`` and a list of ``values``. If features are named,
the indices count the names of the batch, which are in the first entry of ``names``.
"""

import json
import os
from collections.abc import Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.saving.contents import check_known, is_label, is_text, no_number, optional, parsed
from novikoff.saving.versions import CACHE, LIBRARY
from novikoff.saving.whole_files import drafted
from novikoff.streams.blocks.block import Block, DenseBlock, SparseBlock
from novikoff.streams.blocks.examples import ExampleBlock
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.files.file_chunks import ChunkBlock
from novikoff.streams.files.file_stream import FileStream, Options, checked_threads
from novikoff.streams.files.headers import check_columns, checked_columns
from novikoff.streams.files.packing import refuse_packed
from novikoff.streams.files.read_ahead import one_ahead
from novikoff.streams.files.tables import Arrow, pyarrow
from novikoff.streams.iterables import as_stream
from novikoff.streams.labels.label_maps import label_array, plain
from novikoff.streams.stream import Rounds, Stream
from novikoff.streams.whole_stream import as_one
from novikoff.types import EXACT, AnyArray, Label, PerRound

_VERSION = b"novikoff"
_STREAM = (b"positive", b"columns")
_ENTRIES = {name.decode() for name in (_VERSION, *_STREAM)}
_VALUES = 2**18  # in a batch, about
_PAGE = 512  # values, 4 KB


def cache(stream: object, path: str | os.PathLike[str]) -> "CacheStream":
    """Write a stream to a file that reads many times faster than text, and return its stream.

    The rounds, the names of features and the digest stay the same. Needs the extra ``files``. Use
    it to replay a stream that can be played only once.

    >>> import pathlib, tempfile, novikoff as nv
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rows.cache"
    >>> rows = nv.cache(nv.stream([[1.0, 0.0], [0.0, 1.0]], [1, -1]), file)
    >>> nv.play(nv.Perceptron(), rows, passes=2).mistakes
    1
    """
    source = as_stream(stream)
    target = Path(path)
    if isinstance(source, FileStream) and any(_same(file, target) for file in source.files):
        raise parameter("path", "another file than the one that is read", str(path))
    if not target.parent.is_dir():
        raise InputError(f"{target}: expected a folder that exists, got none. Make it first.")
    with drafted(target) as file:
        _write(source, file)
    return CacheStream((str(target),), Options(positive=source.positive))


def _same(file: str, target: Path) -> bool:
    return target.exists() and os.path.exists(file) and os.path.samefile(file, target)


def is_cache(file: str) -> bool:
    """Say whether an Arrow file is a cache."""
    arrow = pyarrow()
    try:
        with arrow.memory_map(os.fsencode(file)) as mapped, arrow.ipc.open_file(mapped) as table:
            return b"novikoff" in (table.schema.metadata or {})
    except (arrow.ArrowException, OSError):
        return False


class CacheStream(FileStream):
    """The rounds of caches."""

    format = "cache"

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        memory = _remembered(files[0])
        if self.positive is None:
            self.positive = memory.positive
        self.feature_names = memory.columns

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one cache, batch by batch, without a copy."""
        arrow = pyarrow()
        columns = _remembered(file).columns
        if columns is None:
            columns = self.feature_names
        if number and self.feature_names is not None and columns is not None:
            check_columns(self.feature_names, columns, file)
        try:
            with (
                arrow.memory_map(os.fsencode(file)) as mapped,
                arrow.ipc.open_file(mapped) as table,
            ):
                _check_schema(table.schema, file)
                refuse_packed(file)
                before, size, count = self._read, mapped.size(), table.num_record_batches
                batches = _batches_of(table, size, columns)
                ahead = count > 1 and checked_threads(self.options.threads) > 1
                for k, rounds in enumerate(one_ahead(batches) if ahead else batches):
                    self._read = before + size * (k + 1) // count
                    yield rounds
        except (arrow.ArrowException, OSError, LookupError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"{file}: expected a whole cache, got: {_reason(error)}. Write it again."
            ) from None


def _batches_of(
    table: Arrow, size: int, columns: tuple[str, ...] | None
) -> Generator[Rounds, None, None]:
    """Yield the rounds of a table that takes this many bytes, batch by batch."""
    held = 0
    for k in range(table.num_record_batches):
        batch = table.get_batch(k)
        batch.validate(full=True)  # a tampered file may claim what it does not hold
        held += batch.nbytes
        if held > size:
            raise ValueError("batches that overlap")
        yield _rounds(batch, columns)


def _reason(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _check_schema(schema: Arrow, file: str) -> None:
    """Refuse columns that a cache of this version does not have, and columns of other types."""
    CACHE.check((schema.metadata or {}).get(b"novikoff", b"").decode(errors="replace"), file)
    types, optional = _types(), {"weight", "names"}
    if len(set(schema.names)) < len(schema.names) or set(schema.names) - optional != (
        types.keys() - optional
    ):
        raise ValueError(f"the columns {', '.join(schema.names)[:100]}")
    for field in schema:
        if field.type != types.get(field.name):
            raise ValueError(f"a column {field.name} of {field.type}")


def _types() -> dict[str, Arrow]:
    """Return the columns of a cache and their types."""
    arrow = pyarrow()
    return {
        "label": arrow.float64(),
        "class": arrow.utf8(),
        "indices": arrow.list_(arrow.int32()),
        "values": arrow.list_(arrow.float64()),
        "weight": arrow.float64(),
        "names": arrow.list_(arrow.utf8()),
    }


class _Memory(NamedTuple):
    """What a cache remembers of its stream."""

    positive: Label | None = None
    columns: tuple[str, ...] | None = None
    """What its numbered features are called."""


def _remembered(file: str) -> _Memory:
    """Return what a cache remembers of its stream; anybody may have written it."""
    arrow = pyarrow()
    try:
        with arrow.memory_map(os.fsencode(file)) as mapped, arrow.ipc.open_file(mapped) as table:
            about: dict[bytes, bytes] = table.schema.metadata or {}
    except (arrow.ArrowException, OSError):
        return _Memory()  # reading it says what is wrong
    if _VERSION not in about:
        return _Memory()
    CACHE.check(about[_VERSION].decode(errors="replace"), file)
    try:
        check_known("entry of the metadata", (name.decode() for name in about), _ENTRIES)
        positive, columns = (parsed(about.get(name, b"null"), no_number) for name in _STREAM)
        if not optional(is_label)(positive):
            raise ValueError("a positive label that is none")
        return _Memory(cast("Label | None", positive), checked_columns(columns))
    except ValueError as error:
        raise InputError(
            f"{file}: expected a whole cache, got: {_reason(error)}. Write it again, or update "
            f"novikoff, which is {LIBRARY} here, if a later version wrote it."
        ) from None


def _rounds(batch: Arrow, columns: tuple[str, ...] | None) -> Rounds:
    if any(batch.column(name).null_count for name in {*batch.schema.names} - {"class", "names"}):
        raise ValueError("rounds without a label, features or a weight")
    lists, values = batch.column("indices"), batch.column("values")
    starts = np.asarray(lists.offsets)
    indices = np.asarray(lists.values)
    if not np.array_equal(starts, np.asarray(values.offsets)):
        raise ValueError("rounds with more values than features, or fewer")
    present = batch.schema.names
    weights = np.asarray(batch.column("weight")) if "weight" in present else None
    labels = _labels(batch.column("label"), batch.column("class"))
    if "names" in present:
        names = batch.column("names")[0].as_py() if len(batch) else None
        chunk = _core.Chunk.of(starts, indices, np.asarray(values.values), _texts(names))
        return Rounds(ChunkBlock(chunk, len(starts) - 1), labels, weights)
    # One look finds both: seen without a sign, a negative number is larger than all others.
    width = int(indices.view(np.uint32).max()) + 1 if len(indices) else 0
    if width > 2**31:
        raise ValueError("features with negative numbers")
    if columns is not None and width > len(columns):
        raise ValueError(f"a value in column {width:,}, with {len(columns):,} columns named")
    found = np.asarray(values.values)
    found[::_PAGE].max(initial=0)  # fetches the pages of a mapped file, before they are waited for
    return Rounds(SparseBlock(starts, indices, found, width), labels, weights)


def _texts(names: list[str | None] | None) -> list[str]:
    found = [] if names is None else [name for name in names if name is not None]
    if len(found) < len(names or ()):
        raise ValueError("features without a name")
    return found


def _labels(numbers: Arrow, classes: Arrow) -> PerRound:
    found = np.asarray(numbers)
    if not np.isfinite(found).all():
        raise ValueError("labels that are not numbers")
    if classes.null_count < len(classes):
        texts = classes.to_pylist()
        return [
            _number(value) if text is None else text
            for value, text in zip(found.tolist(), texts, strict=True)
        ]
    if (np.abs(found) > EXACT).any():
        return found
    whole = found.astype(np.int64)
    return whole if (whole == found).all() else found


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _write(source: Stream, file: BinaryIO) -> None:
    writer: Arrow = None
    schema: Arrow = None
    about = {"novikoff": str(CACHE), "positive": json.dumps(plain(source.positive))}
    try:
        for bare in chain.from_iterable(_batches(rounds) for rounds in _joined(source.blocks())):
            if source.feature_names is not None:  # known from the first block on
                about["columns"] = json.dumps(source.feature_names)
            batch = bare.replace_schema_metadata(about)
            if writer is None:
                schema = batch.schema
                writer = pyarrow().ipc.new_file(file, schema)
            if batch.schema != schema:
                raise InputError(
                    "stream: expected rounds of one kind, named or numbered, with weights or "
                    "without, got both. Cache them separately."
                )
            writer.write_batch(batch)
        if writer is None:
            raise InputError("stream: expected rounds to cache, got none. Cache another stream.")
    finally:
        if writer is not None:
            writer.close()


def _joined(blocks: Iterator[Rounds]) -> Iterator[Rounds]:
    """Join small blocks of numbered features, as a file's chunks are, to larger ones."""
    begun: list[Rounds] = []
    size = 0
    for block in blocks:
        rounds = Rounds(*block)
        alike = isinstance(rounds.rows, SparseBlock) and (
            not begun or (begun[0].weights is None) == (rounds.weights is None)
        )
        if begun and not alike:
            yield _one(begun)
            begun, size = [], 0
        if not isinstance(rounds.rows, SparseBlock):
            yield rounds
            continue
        begun.append(rounds)
        size += len(rounds.rows) * rounds.rows.values_per_row
        if size >= _VALUES:
            yield _one(begun)
            begun, size = [], 0
    if begun:
        yield _one(begun)


def _one(parts: list[Rounds]) -> Rounds:
    if len(parts) == 1:
        return parts[0]
    labels = [label for part in parts for label in part.labels]
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts])
    return Rounds(as_one(part.rows for part in parts), labels, weights)


def _batches(rounds: Rounds) -> Iterator[Arrow]:
    """Yield pieces of a block that are small enough for the processor's cache."""
    count = len(rounds.rows)
    pieces = max(1, round(count * rounds.rows.values_per_row / _VALUES))
    rows = max(1, -(-count // pieces))
    for start in range(0, count, rows):
        stop = min(start + rows, count)
        piece, names = _piece(rounds.rows, start, stop)
        weights = None if rounds.weights is None else rounds.weights[start:stop]
        yield _batch(piece, names, rounds.labels[start:stop], weights)


def _piece(block: Block, start: int, stop: int) -> tuple[SparseBlock, list[str] | None]:
    """Return some rows as sparse rows, and the names of their features if they have names."""
    if isinstance(block, NamedBlock):
        features = _core.Features()
        found = block.numbered(features, start, stop, adopt=True)
        if len(found) < stop - start:
            raise InputError(f"row {start + len(found) + 1}: {block.fault(start + len(found))}")
        return found, features.names(len(features))
    if isinstance(block, ExampleBlock):
        raise InputError("cache: expected rows of features, got sentences. Keep them in columns.")
    for t in range(start, stop):
        if not block.native.sound(t):
            raise InputError(f"row {t + 1}: {block.fault(t)}")
    if isinstance(block, DenseBlock):
        values = block.values[start:stop].astype(np.float64)
        places, indices = map(np.ascontiguousarray, np.nonzero(values))
        starts = np.searchsorted(places, np.arange(stop - start + 1))
        return SparseBlock(starts, indices, values[places, indices], block.columns), None
    assert isinstance(block, SparseBlock)
    within = slice(int(block.starts[start]), int(block.starts[stop]))
    starts = block.starts[start : stop + 1] - block.starts[start]
    return SparseBlock(starts, block.indices[within], block.values[within], block.columns), None


def _batch(
    block: SparseBlock, names: list[str] | None, labels: PerRound, weights: PerRound | None
) -> Arrow:
    arrow = pyarrow()
    numbers, texts = _split(label_array(labels))
    starts = np.asarray(block.starts, np.int32)
    columns = {
        "label": arrow.array(numbers),
        "class": arrow.array(texts, arrow.utf8()),
        "indices": arrow.ListArray.from_arrays(starts, np.asarray(block.indices, np.int32)),
        "values": arrow.ListArray.from_arrays(starts, np.asarray(block.values, np.float64)),
    }
    if weights is not None:
        columns["weight"] = arrow.array(np.asarray(weights, np.float64))
    if names is not None:
        lists = [names] + [None] * (len(numbers) - 1)
        columns["names"] = arrow.array(lists, arrow.list_(arrow.utf8()))
    return arrow.RecordBatch.from_pydict(columns)


def _split(labels: AnyArray) -> tuple[AnyArray, list[str | None]]:
    """Return labels as numbers, and those that are texts as texts."""
    if labels.dtype.kind in "biuf":
        numbers = labels.astype(np.float64)
        if not (numbers == labels).all():
            raise _no_label(labels[numbers != labels][0])
        return numbers, [None] * len(labels)
    numbers = np.zeros(len(labels))
    texts: list[str | None] = []
    for t, label in enumerate(map(plain, labels)):
        if is_text(label):
            texts.append(label)
        elif isinstance(label, (int, float)) and abs(label) <= EXACT:
            numbers[t] = label
            texts.append(None)
        else:
            raise _no_label(label)
    return numbers, texts


def _no_label(label: object) -> InputError:
    return InputError(
        f"stream: expected labels that are numbers or texts, got {label!r}. Name its class."
    )
