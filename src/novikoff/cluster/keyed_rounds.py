"""Rounds with keys: which stream of many each row belongs to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from novikoff.errors import InputError, parameter
from novikoff.playing.passes import not_replayable
from novikoff.streams import FileStream, Stream, as_stream
from novikoff.streams.files.file_stream import Options
from novikoff.streams.files.reading import stream_of
from novikoff.streams.labels.declared import is_missing, plain
from novikoff.streams.stream import Rounds

Key = str | int | float | bool
_TABLES = ("csv", "jsonl", "parquet", "arrow")


@dataclass(frozen=True)
class KeyedFiles:
    """Files with a column of keys, which is not a feature."""

    files: tuple[str, ...]
    format: str
    options: Options
    key: str

    def stream(self) -> Stream:
        """Return the rows without their keys."""
        ignored = (*self.options.ignore, self.key)
        return stream_of(self.files, self.format, replace(self.options, ignore=ignored))

    def keys(self) -> Iterator[list[Key]]:
        """Yield the keys, some at a time: the files once more, with the keys for labels."""
        alone = Options(
            label=self.key, delimiter=self.options.delimiter, missing="zero",
            threads=self.options.threads, first=self.options.first,
        )  # fmt: skip
        for rounds in stream_of(self.files, self.format, alone).blocks():
            yield [_checked(key, rounds, t) for t, key in enumerate(rounds.labels)]


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
        yield [_checked(key, None, t) for t, key in enumerate(self.given)]


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
    return KeyedFiles(stream.files, stream.format, stream.options, key)


def keyed_rounds(source: Keyed) -> Iterator[tuple[list[Key], Rounds]]:
    """Yield the rounds of a source with the keys of their rows."""
    pending: list[Key] = []
    parts = source.keys()
    total = 0
    for rounds in source.stream().blocks():
        found = Rounds(*rounds)
        size = len(found.rows)
        total += size
        while len(pending) < size:
            more = next(parts, None)
            if more is None:
                raise _uneven(f"only {total - size + len(pending)}")
            pending = pending + more if pending else more
        here, pending = pending[:size], pending[size:]
        yield here, found
    if pending or next(parts, []):
        raise _uneven(f"more than {total}")


def _uneven(count: str) -> InputError:
    return InputError(f"key: expected one key per row, got {count} keys. Pass as many as rows.")


def _is_sequence(value: object) -> TypeGuard[Sequence[Key]]:
    return (
        hasattr(value, "__len__") and hasattr(value, "__getitem__") and hasattr(value, "__iter__")
    )


def _checked(key: object, rounds: Rounds | None, t: int) -> Key:
    """Return a key as plain data, or refuse it with its place."""
    found = plain(key)
    if isinstance(found, (str, int, float)) and not is_missing(found):
        return found
    place = rounds.place(t) if rounds is not None and rounds.place else f"row {t + 1}"
    raise InputError(f"{place}: expected a text or a number for a key, got {key!r}. Fill it in.")
