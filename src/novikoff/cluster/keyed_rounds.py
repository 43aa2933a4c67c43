"""Rounds with keys: which stream of many each row belongs to."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from novikoff.errors import InputError, ParameterError, parameter
from novikoff.playing.passes import not_replayable
from novikoff.saving.contents import is_text
from novikoff.streams import FileStream, Stream, as_stream
from novikoff.streams.blocks.named import NamedBlock, new_features
from novikoff.streams.files.file_stream import Options
from novikoff.streams.files.lines import CsvStream
from novikoff.streams.files.reading import stream_of
from novikoff.streams.labels.declared import plain
from novikoff.streams.stream import Rounds

Key = str | int | float
_LEAST, _MOST = -(2**63), 2**64 - 1  # of whole numbers
_SHOWN = 80  # characters of a key
_AT_ONCE = 2**16  # keys
_TABLES = ("csv", "jsonl", "parquet", "arrow")


@dataclass(frozen=True)
class KeyedFiles:
    """Files with a column of keys, which is not a feature."""

    files: tuple[str, ...]
    format: str
    options: Options
    key: str

    def stream(self) -> FileStream:
        """Return the rows without their keys."""
        ignored = (*self.options.ignore, self.key)
        return stream_of(self.files, self.format, replace(self.options, ignore=ignored))

    def keys(self) -> Iterator[list[Key]]:
        """Yield the keys, some at a time, by reading the files once more.

        Cells of CSV are texts, because 007 and 7 are two customers. Other files say what is a text
        and what is a number: their keys are read as if they were labels.
        """
        if self.format == "csv":
            yield from self._cells()
            return
        alone = Options(
            label=self.key, missing="zero", threads=self.options.threads, first=self.options.first
        )
        for rounds in stream_of(self.files, self.format, alone).blocks():
            yield [_checked(key, rounds, t) for t, key in enumerate(rounds.labels)]

    def _cells(self) -> Iterator[list[Key]]:
        """Yield the keys of CSV: the core numbers the texts of their column, and reads no other."""
        start, missing = len(self.key) + 1, f"{self.key} is missing"
        for rounds in self._column().blocks():
            rows, features = rounds.rows, new_features(None)
            assert isinstance(rows, NamedBlock)
            owners = rows.numbered(features, 0, len(rows), adopt=True).indices.tolist()
            names = features.names(len(features))
            if missing in names:
                t = owners.index(names.index(missing))
                raise _no_key(rounds.place(t) if rounds.place else f"row {t + 1}", "none")
            texts = [name[start:] for name in names]
            yield [texts[owner] for owner in owners]

    def _column(self) -> FileStream:
        first = self.stream()
        first.labels_optional = True
        next(first.blocks(), None)
        assert isinstance(first, CsvStream)
        others = tuple(name for name in first.columns if name != self.key)
        alone = Options(
            categorical=(self.key,), ignore=others, missing="feature",
            delimiter=self.options.delimiter, threads=self.options.threads,
            first=self.options.first,
        )  # fmt: skip
        found = stream_of(self.files, self.format, alone)
        found.labels_optional, found.usual_label = True, ""
        return found


@dataclass(frozen=True)
class KeyedRows:
    """A stream that can be read again, and one key for each of its rows."""

    rows: Stream
    given: Sequence[Key]

    def stream(self) -> Stream:
        """Return the rows."""
        return self.rows

    def keys(self) -> Iterator[list[Key]]:
        """Yield the keys."""
        given = _as_list(self.given)
        for start in range(0, len(given), _AT_ONCE):
            some = given[start : start + _AT_ONCE]
            yield [_checked(key, None, t) for t, key in enumerate(some, start)]


Keyed = KeyedFiles | KeyedRows


def as_keyed(key: object, data: object) -> Keyed:
    """Take files with a column of keys, or any stream with a sequence of them."""
    stream = as_stream(data)
    if not stream.replayable:
        raise not_replayable(stream)
    if not isinstance(key, str):
        if not _is_sequence(key):
            raise parameter("key", "the name of a column, or one key per row", key)
        return KeyedRows(stream, key)
    if not isinstance(stream, FileStream) or stream.format not in _TABLES:
        what = f"{stream.format} files" if isinstance(stream, FileStream) else "no files"
        raise InputError(
            f"key: expected CSV, JSON, Parquet or Arrow files for the column {key!r}, got {what}. "
            "Pass one key per row instead."
        )
    if stream.options.on_bad != "stop":
        raise parameter("on_bad", "'stop', because skipped rows would shift keys", "skip")
    found = KeyedFiles(stream.files, stream.format, stream.options, key)
    _check_column(found)
    return found


def _check_column(source: KeyedFiles) -> None:
    """Refuse a column that a table does not have, in the words of keys."""
    stream = source.stream()
    stream.labels_optional = True
    try:
        next(stream.blocks(), None)
    except ParameterError as error:
        raise InputError(f"key: {str(error).removeprefix('ignore: ')}") from None
    except InputError:
        return  # whoever plays the rows says what is wrong with them


def keyed_rounds(source: Keyed, stream: Stream) -> Iterator[tuple[list[Key], Rounds]]:
    """Yield the rounds of a source's stream with the keys of their rows."""
    pending: list[Key] = []
    parts = source.keys()
    total = 0
    for rounds in stream.blocks():
        found = Rounds(*rounds)
        size = len(found.rows)
        total += size
        while len(pending) < size:
            more = next(parts, None)
            if more is None:
                raise _uneven(f"only {total - size + len(pending)}")
            pending += more
        here, pending = pending[:size], pending[size:]
        yield here, found
    if pending or next(parts, []):
        raise _uneven(f"more than {total}")


def _uneven(count: str) -> InputError:
    return InputError(f"key: expected one key per row, got {count} keys. Pass as many as rows.")


def _is_sequence(value: object) -> TypeGuard[Sequence[Key]]:
    if isinstance(value, Mapping):
        return False
    return (
        hasattr(value, "__len__") and hasattr(value, "__getitem__") and hasattr(value, "__iter__")
    )


def _as_list(given: Sequence[Key]) -> list[Key]:
    """Return keys as Python has them: those of an array or a frame's column, too."""
    found = getattr(given, "tolist", None)
    return list(given) if found is None else [*found()]


def _checked(key: object, rounds: Rounds | None, t: int) -> Key:
    """Return a key as plain data, or refuse it with its place."""
    found = as_key(key)
    if found is not None:
        return found
    place = rounds.place(t) if rounds is not None and rounds.place else f"row {t + 1}"
    raise _no_key(place, shown(key))


def _no_key(place: str, got: str) -> InputError:
    return InputError(
        f"{place}: expected a text or a number of 64 bits for a key, got {got}. Fill it in."
    )


def as_key(given: object) -> Key | None:
    """Return a key as it is kept; None if it cannot be one.

    Keys are equal if Python says so: 1, 1.0 and True are the key 1. Texts are compared as they are,
    letter by letter.
    """
    found = plain(given)
    if isinstance(found, str):
        found = str.__str__(found)
    elif isinstance(found, int) or (isinstance(found, float) and found.is_integer()):
        found = int(found)
    return found if is_key(found) else None


def is_key(key: object) -> TypeGuard[Key]:
    """Say whether it is a key as it is kept: a text, a whole number, or another finite number."""
    if type(key) is str:
        return key.isascii() or is_text(key)
    if type(key) is int:
        return _LEAST <= key <= _MOST
    return type(key) is float and math.isfinite(key) and not key.is_integer()


def shown(key: object) -> str:
    """Return a key as errors show it: a long one is cut."""
    try:
        text = repr(key)
    except ValueError:  # a number of thousands of digits
        return f"a number of {type(key).__name__} that is too long to show"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text):,} characters)"
