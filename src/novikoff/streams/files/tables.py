"""Tables in Parquet and Arrow files, read through pyarrow."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.extras import extra
from novikoff.streams.blocks.block import Block, DenseBlock
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.files.file_stream import FileStream, Options, refuse_twins
from novikoff.streams.files.headers import check_columns
from novikoff.streams.frames import frame_rows
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
    file; otherwise they are named, as in a frame.
    """

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.weight = options.weight
        if "-" in files:
            raise parameter("path", f"a file on disk for {self.format}", "-")

    @property
    def label(self) -> str:
        """The column of labels."""
        return self.usual_label if self.options.label is None else str(self.options.label)

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one file."""
        arrow, row, before = pyarrow(), 0, self._read
        try:
            for batch, share in batches(file, self.format):
                self._read = before + int(share * os.path.getsize(file))
                yield self._rounds(file, batch, row)
                row += batch.num_rows
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0][:200]
            raise InputError(
                f"{file}: expected a whole {self.format} file, got: {reason}. Take another copy."
            ) from None

    def _rounds(self, file: str, batch: Arrow, row: int) -> Rounds:
        names = batch.schema.names
        refuse_twins(file, names)
        labelled = self.label in names or not self.labels_optional or self.options.label is not None
        apart = {"label": self.label} if labelled else {}
        if self.weight is not None:
            apart["weight"] = self.weight
        ignored = {f"ignore, {name}": name for name in self.options.ignore}
        if self.unused is not None and self.unused in names:
            ignored["unused"] = self.unused
        for parameter_name, column in (apart | ignored).items():
            if column not in names:
                shown = ", ".join(map(repr, names[:20]))
                raise parameter(parameter_name, f"a column of {file} ({shown})", column)
        labels = batch.column(self.label).to_pylist() if labelled else [None] * batch.num_rows
        weights = None if self.weight is None else batch.column(self.weight).to_pylist()
        rest = batch.drop_columns(list((apart | ignored).values()))
        if all(_numeric(field.type) for field in rest.schema):
            block: Block = DenseBlock(_matrix(file, rest, row))
            self._name(file, tuple(rest.schema.names))
        else:
            block = NamedBlock(frame_rows(rest, file))
        return Rounds(block, labels, weights, lambda t: f"{file}, row {row + t + 1}")

    def _name(self, file: str, names: tuple[str, ...]) -> None:
        """Keep what the features are called; every file must call them the same."""
        if self.feature_names is not None:
            check_columns(self.feature_names, names, file)
        self.feature_names = names


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
        with arrow.parquet.ParquetFile(file, memory_map=True) as table:
            rows, total = 0, max(table.metadata.num_rows, 1)
            for batch in table.iter_batches(_ROWS):
                rows += batch.num_rows
                yield batch, rows / total
        return
    with arrow.memory_map(file) as mapped, arrow.ipc.open_file(mapped) as table:
        count = table.num_record_batches
        for k in range(count):
            batch = table.get_batch(k)
            batch.validate(full=True)  # a tampered file may claim what it does not hold
            for start in range(0, batch.num_rows, _ROWS):
                share = min(1.0, (start + _ROWS) / batch.num_rows)
                yield batch.slice(start, _ROWS), (k + share) / count


def _numeric(kind: Arrow) -> bool:
    types = pyarrow().types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _matrix(file: str, rest: Arrow, row: int) -> FloatArray:
    """Return the columns side by side; a missing number is an error that names its place."""
    values = np.empty((rest.num_rows, rest.num_columns))
    for k, name in enumerate(rest.schema.names):
        column = rest.column(k)
        if column.null_count:
            missing = int(np.flatnonzero(np.asarray(column.is_null()))[0])
            raise InputError(
                f"{file}, row {row + missing + 1}: expected a number in column {name!r}, got none. "
                "Fill it in or drop the row."
            )
        values[:, k] = _exact(file, name, column.to_numpy(zero_copy_only=False))
    return values


def _exact(file: str, name: str, numbers: AnyArray) -> AnyArray:
    whole = numbers.dtype.kind in "iu" and numbers.dtype.itemsize == 8 and numbers.size
    if whole and (int(numbers.max()) > EXACT or int(numbers.min()) < -EXACT):
        raise InputError(
            f"{file}: expected integers within ±2^53, which float64 holds exactly, got larger ones "
            f"in column {name!r}. Rescale the feature."
        )
    return numbers
