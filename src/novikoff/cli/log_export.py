"""``novikoff log export``: the rounds of a service's log in a format that others read."""

import json
import os
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from novikoff import verifier
from novikoff.cli.caching import svmlight_rows
from novikoff.errors import InputError
from novikoff.extras import extra
from novikoff.learners.feature_learner import known_features_of
from novikoff.playing.run import Run
from novikoff.receipts.rereading import Rereading, as_input_error, plain_rows
from novikoff.saving.whole_files import drafted
from novikoff.streams.files.reading import read
from novikoff.streams.log.log_stream import records_of, start_of
from novikoff.streams.log.records import Begin, Learn, Tell, Value

Line = dict[str, Value | int]
_ROWS = 4096


def exported(folder: str, output: str) -> int:
    """Write the rounds of a log; return how many there are."""
    ending = os.path.splitext(output)[1]
    try:
        with drafted(output) as file:
            return _written(folder, ending, file)
    except verifier.BadData as error:
        raise as_input_error(error) from None


def _written(folder: str, ending: str, file: BinaryIO) -> int:
    if ending == ".parquet":
        return _parquet(folder, file)
    if ending == ".svm":
        rows = svmlight_rows(_numbered(folder))
    else:
        rows = (json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(folder))
    count = 0
    for row in rows:
        file.write(row.encode())
        count += 1
    return count


def _numbered(folder: str) -> Rereading:
    """Return the rounds with names numbered as the run does, which may know some already."""
    stream, start = read(folder, "log"), start_of(folder)
    if start is None:
        _, first = next(records_of(folder), (0, None))
        parameters = first.parameters if isinstance(first, Begin) else {}
        return plain_rows(stream, parameters)
    learner = Run.load(start).learner
    found = plain_rows(stream, learner.parameters)
    found.before = known_features_of(learner)
    return found


def _lines(folder: str) -> Iterator[Line]:
    """Yield each round as one object: its features, its label, and its weight if it is not 1."""
    for sequence, record in records_of(folder):
        if not isinstance(record, (Learn, Tell)):
            continue
        clash = {"label", "weight"} & record.features.keys()
        if clash:
            raise InputError(
                f"{folder}, record {sequence}: expected no feature called {clash.pop()!r}, got "
                "one. Export as .svm, or read the log itself."
            )
        weight: Line = {} if record.weight == 1.0 else {"weight": record.weight}
        yield {"label": record.label, **weight, **record.features}


def _parquet(folder: str, file: BinaryIO) -> int:
    """Write a table with a column for each feature; what a round does not have is null."""
    arrow, parquet = extra("pyarrow", ".parquet"), extra("pyarrow.parquet", ".parquet")
    kinds: dict[str, type] = {}
    for line in _lines(folder):
        for name, value in line.items():
            if kinds.setdefault(name, type(value)) is not type(value):
                raise InputError(
                    f"{folder}: expected one type for {name!r}, got {kinds[name].__name__} and "
                    f"{type(value).__name__}. Export as .jsonl."
                )
    types = {str: arrow.string(), bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}
    schema = arrow.schema([(name, types[kind]) for name, kind in kinds.items()])
    lines, count = _lines(folder), 0
    with parquet.ParquetWriter(file, schema) as writer:
        while rows := list(islice(lines, _ROWS)):
            writer.write_table(arrow.Table.from_pylist(rows, schema))
            count += len(rows)
    return count
