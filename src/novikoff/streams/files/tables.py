"""Tables in Parquet and Arrow files, read through pyarrow."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.extras import extra
from novikoff.streams.blocks.block import Block, DenseBlock
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.dates import dated, refuse_dates
from novikoff.streams.files.addresses import is_address, opened
from novikoff.streams.files.file_stream import FileStream, Options, refuse_twins
from novikoff.streams.files.headers import check_names, unknown_column
from novikoff.streams.files.opening import size_of
from novikoff.streams.frames import frame_rows
from novikoff.streams.labels.declared import is_missing
from novikoff.streams.missing_values import ADVICE, REFUSE, Missing, completed
from novikoff.streams.stream import Rounds
from novikoff.types import EXACT, AnyArray, FloatArray

_ROWS = 8192


Arrow = Any
"""pyarrow, and what it makes. It is optional and has no types, so they cannot be named."""


def pyarrow() -> Arrow:
    """Import pyarrow, which comes with the extra ``files``."""
    for module in ("pyarrow.ipc", "pyarrow.parquet"):
        extra(module, "Parquet and Arrow files")
    return extra("pyarrow", "Parquet and Arrow files")


class TableStream(FileStream):
    """The rows of Parquet or Arrow files.

    If every column holds numbers, features are numbered in the order of the columns, as in a CSV
    file; otherwise they are named, as in a frame. They are also named if a missing value is a
    feature.
    """

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.weight, self.missing = options.weight, options.missing or REFUSE
        self.categorical = options.categorical
        if "-" in files:
            raise parameter("path", f"a file on disk for {self.format}", "-")

    @property
    def label(self) -> str:
        """The column of labels."""
        return self.usual_label if self.options.label is None else str(self.options.label)

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one file."""
        arrow, row, before = pyarrow(), 0, self._read
        size = size_of(file) or 0
        try:
            for batch, share in batches(file, self.format):
                self._read = before + int(share * size)
                yield from self._labelled(self._rounds(file, batch, row))
                row += batch.num_rows
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0][:200]
            raise InputError(
                f"{file}: expected a whole {self.format} file, got: {reason}. Take another copy."
            ) from None

    def _labelled(self, rounds: Rounds) -> Iterator[Rounds]:
        """Yield the rounds that have a label if bad rows are skipped; a run refuses the others."""
        skips = self.on_bad == "skip" and not self.labels_optional
        bare = [t for t, y in enumerate(rounds.labels) if is_missing(y)] if skips else []
        start, place = 0, rounds.place
        for stop in [*bare, len(rounds.rows)]:
            if start < stop:
                yield rounds.part(start, stop)
            start = stop + 1
        if place is not None:
            self.bad(len(bare), [f"{place(t)}: expected a label, got none" for t in bare])

    def _rounds(self, file: str, batch: Arrow, row: int) -> Rounds:
        names = batch.schema.names
        refuse_twins(file, names)
        labelled = self.label in names or not self.labels_optional or self.options.label is not None
        apart = {"label": self.label} if labelled else {}
        if self.weight is not None:
            apart["weight"] = self.weight
        ignored = {f"ignore, {name}": name for name in self.options.ignore}
        texts = {f"categorical, {name}": name for name in self.categorical}
        if self.unused is not None and self.unused in names:
            ignored["unused"] = self.unused
        for parameter_name, column in (apart | ignored | texts).items():
            if column not in names:
                raise unknown_column(parameter_name, column, names, file)
        labels = batch.column(self.label).to_pylist() if labelled else [None] * batch.num_rows
        weights = None if self.weight is None else batch.column(self.weight).to_pylist()
        rest = batch.drop_columns(list((apart | ignored).values()))
        place = lambda t: f"{file}, row {row + t + 1}"  # noqa: E731
        rest = _with_texts(rest, self.categorical)
        _refuse_dates(file, rest, self.categorical)
        if self.missing == REFUSE:
            _refuse_missing(rest, place)
        block: Block
        if self.missing != "feature" and all(_numeric(field.type) for field in rest.schema):
            block = DenseBlock(_matrix(file, self._ordered(file, rest), self.missing))
        else:
            block = NamedBlock(completed(frame_rows(rest, file), self.missing))
        return Rounds(block, labels, weights, place)

    def _ordered(self, file: str, rest: Arrow) -> Arrow:
        """Return the columns in the order of those learned from, or of the first file."""
        found = tuple(rest.schema.names)
        expected = self.numbered_as or self.feature_names or found
        if found != expected:
            check_names(expected, found, file)
            rest = rest.select(list(expected))
            self.reordered = self.reordered or self.numbered_as is not None
        self.feature_names = expected
        return rest


class ParquetStream(TableStream):
    """The rows of Parquet files."""

    format = "parquet"


class ArrowStream(TableStream):
    """The rows of Arrow files."""

    format = "arrow"


def batches(file: str, format: str) -> Iterator[tuple[Arrow, float]]:
    """Yield the record batches of a file, and how much of the file has been read with each."""
    arrow = pyarrow()
    if format == "parquet":
        with _opened(arrow, file) as source, arrow.parquet.ParquetFile(source) as table:
            rows, total = 0, max(table.metadata.num_rows, 1)
            for batch in table.iter_batches(_ROWS):
                rows += batch.num_rows
                yield batch, rows / total
        return
    with _opened(arrow, file) as source, arrow.ipc.open_file(source) as table:
        count = table.num_record_batches
        for k in range(count):
            batch = table.get_batch(k)
            batch.validate(full=True)  # a tampered file may claim what it does not hold
            for start in range(0, batch.num_rows, _ROWS):
                share = min(1.0, (start + _ROWS) / batch.num_rows)
                yield batch.slice(start, _ROWS), (k + share) / count


def _opened(arrow: Arrow, file: str) -> Arrow:
    """Map a file of this machine, or open one that is elsewhere."""
    if is_address(file) and not os.path.exists(file):
        return arrow.PythonFile(opened(file), "r")
    return arrow.memory_map(os.fsencode(file))


def _numeric(kind: Arrow) -> bool:
    types = pyarrow().types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _with_texts(rest: Arrow, names: tuple[str, ...]) -> Arrow:
    """Return the columns, these as texts."""
    for k, name in enumerate(rest.schema.names):
        if name in names:
            rest = rest.set_column(k, name, rest.column(k).cast(pyarrow().string()))
    return rest


def _refuse_dates(file: str, rest: Arrow, categorical: tuple[str, ...]) -> None:
    """Refuse columns of dates, and texts that are dates in the first row."""
    types = pyarrow().types
    columns = [(n, rest.column(k)) for k, n in enumerate(rest.schema.names) if n not in categorical]
    for name, column in columns:
        if types.is_temporal(column.type):
            raise dated(file, name, f"type {column.type}")
    texts = ((n, c) for n, c in columns if types.is_string(c.type) or types.is_large_string(c.type))
    if rest.num_rows:
        refuse_dates(file, ((name, column[0].as_py()) for name, column in texts))


def _refuse_missing(rest: Arrow, place: Callable[[int], str]) -> None:
    """Refuse a missing value, with its place."""
    for k, name in enumerate(rest.schema.names):
        column = rest.column(k)
        if column.null_count:
            missing = int(np.flatnonzero(np.asarray(column.is_null()))[0])
            kind = "a number" if _numeric(column.type) else "a value"
            raise InputError(
                where=place(missing), expected=f"{kind} in column {name!r}", got="none",
                remedy=ADVICE,
            )  # fmt: skip


def _matrix(file: str, rest: Arrow, missing: Missing) -> FloatArray:
    """Return the columns side by side."""
    values = np.empty((rest.num_rows, rest.num_columns))
    for k, name in enumerate(rest.schema.names):
        column = rest.column(k)
        column = column.fill_null(False if pyarrow().types.is_boolean(column.type) else 0)
        values[:, k] = _exact(file, name, column.to_numpy(zero_copy_only=False))
    if missing == "zero":
        values[np.isnan(values)] = 0
    return values


def _exact(file: str, name: str, numbers: AnyArray) -> AnyArray:
    whole = numbers.dtype.kind in "iu" and numbers.dtype.itemsize == 8 and numbers.size
    if whole and (int(numbers.max()) > EXACT or int(numbers.min()) < -EXACT):
        raise InputError(
            f"{file}: expected integers within ±2^53, which float64 holds exactly, got larger ones "
            f"in column {name!r}. Rescale the feature."
        )
    return numbers
