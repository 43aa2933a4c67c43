"""How a file was read, recorded as plain data in a certificate, and how to read it so again.

Trust such a remark no further than a note on an envelope. It names options, never a file to open,
and it is checked here before it is used.
"""

import csv
import io
import os
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple, get_args

from novikoff.errors import InputError, NovikoffError
from novikoff.saving.contents import is_text
from novikoff.streams.files.caches import CacheStream
from novikoff.streams.files.file_stream import FileStream, OnBad, Options
from novikoff.streams.files.formats import FORMATS, TAKEN, TYPED, format_of
from novikoff.streams.files.opening import Paths, Source
from novikoff.streams.files.reading import stream_of
from novikoff.streams.files.words import Words
from novikoff.streams.missing_values import REFUSE, is_missing_option
from novikoff.types import Plain

Reading = dict[str, Plain]
"""How a file is read: the names of options, and what they are if it is not the usual."""
_LARGEST = 10**6  # a column's number
_SILENT = ("files", "order")  # what no option says


def recorded(stream: FileStream) -> Reading:
    """Return how a file is read: its name, and every option that is not the usual one."""
    options = stream.options
    found: Reading = {}
    if stream.format in FORMATS and peeked(stream.files[0]).format != stream.format:
        found["format"] = stream.format
    usual = Options()
    for name in ("label", "weight", "text", "delimiter", "zero_based", "on_bad", "first"):
        if getattr(options, name) != getattr(usual, name):
            found[name] = getattr(options, name)
    if options.on_bad == "skip" and not isinstance(stream.declared, str) and stream.declared:
        # Rows of other labels were skipped. A file has no labels but numbers and texts.
        found["labels"] = [one for one in stream.declared if isinstance(one, (int, float, str))]
    for name in ("ignore", "columns"):
        if getattr(options, name):
            found[name] = list(getattr(options, name))
    if texts := getattr(stream, "categorical", ()):  # with those that a run has learned from
        found["categorical"] = list(texts)
    missing = getattr(stream, "missing", None)  # for CSV with what a run has learned from
    if missing != ("zero" if stream.format == "jsonl" else REFUSE):
        found["missing"] = missing
    words = options.words
    found |= {"words": words.words} if words.words != 1 else {}
    found |= {"characters": list(words.characters)} if words.characters else {}
    found |= {"presence": True} if words.presence else {}
    found = {name: value for name, value in found.items() if _takes(stream.format, name)}
    if stream.reordered and stream.feature_names is not None:
        found["order"] = list(stream.feature_names)
    names = [os.path.basename(file) for file in stream.files]
    return {"files": names} | found if all(map(_is_name, names)) else found


def _takes(format: str, option: str) -> bool:
    if option == "first":
        return True
    taken = TYPED if option == "order" else TAKEN.get(option, (format,))
    return format in taken and format != CacheStream.format


class Peek(NamedTuple):
    """What the first bytes of a file show."""

    readable: bool
    format: str | None = None
    """The format that the file is taken for if none is named; None if it cannot be told."""
    compression: str | None = None


def peeked(file: str) -> Peek:
    """Look at the first bytes of a file, once as long as it stays the same."""
    with suppress(OSError):
        about = os.stat(file)
        return _peeked(file, about.st_size, about.st_mtime_ns)
    return Peek(False)


@lru_cache(maxsize=16)
def _peeked(file: str, size: int, changed: int) -> Peek:
    with suppress(NovikoffError, OSError), Source(file) as source:
        found = None
        with suppress(NovikoffError, OSError):
            found = format_of(source)
        return Peek(True, found, source.compression)
    return Peek(False)


def _is_column(value: object) -> bool:
    return is_text(value) or (type(value) is int and abs(value) <= _LARGEST)


def _is_name(value: object) -> bool:
    """Say whether this is the bare name of a file, without a folder."""
    return (
        is_text(value)
        and os.path.basename(value) == value
        and "\0" not in value
        and value not in ("", "-")
    )


def _several(one: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: type(value) is list and len(value) > 0 and all(map(one, value))


def _is_label(value: object) -> bool:
    return is_text(value) or type(value) in (bool, int, float)


def _is_flag(value: object) -> bool:
    return value is True


_FORMS: dict[str, Callable[[object], bool]] = {
    "files": _several(_is_name),
    "format": FORMATS.__contains__,
    "label": _is_column,
    "weight": is_text,
    "text": is_text,
    "words": lambda value: type(value) is int,
    "characters": lambda value: type(value) is list,
    "presence": _is_flag,
    "delimiter": is_text,
    "categorical": _several(is_text),
    "ignore": _several(is_text),
    "missing": is_missing_option,
    "columns": _several(_is_column),
    "zero_based": _is_flag,
    "on_bad": get_args(OnBad).__contains__,
    "labels": _several(_is_label),
    "first": lambda value: type(value) is int and value > 0,
    "order": _several(is_text),
}


def checked_reading(reading: object) -> Reading:
    """Return what a remark says of reading, if it is made as ``recorded`` makes it."""
    if not isinstance(reading, Mapping):
        raise InputError(f"reading: expected an object, got {type(reading).__name__}.")
    for name, value in reading.items():
        if name not in _FORMS:
            raise InputError(f"reading: expected one of {', '.join(_FORMS)}, got {name!r:.60}.")
        if not _FORMS[name](value):
            raise InputError(f"reading: expected {name} as nv.read has it, got {value!r:.60}.")
    _options(dict(reading))
    return dict(reading)


def _options(reading: Reading, threads: int | None = None) -> Options:
    """Return the options that a remark stands for; refuse invalid ones."""
    found: dict[str, Any] = {  # of the types that _FORMS demands
        name: tuple(value) if isinstance(value, list) else value
        for name, value in reading.items()
        if name not in ("files", "format", "order")
    }
    text = {name: found.pop(name) for name in ("words", "characters", "presence") if name in found}
    return Options(**found, words=Words(**text), threads=threads)


def taken_reading(path: Paths, reading: Reading) -> Reading:
    """Return the part of a remark that applies to these files: the options their format takes.

    A table that was exported to svmlight has no columns any more.
    """
    format = stream_of(path, _format(reading), Options()).format
    return {name: value for name, value in reading.items() if name != "files"
            and _takes(format, name)}  # fmt: skip


def read_as_recorded(path: Paths, reading: Reading, threads: int | None = None) -> FileStream:
    """Return the stream of files that are read as a remark says."""
    stream = stream_of(path, _format(reading), _options(reading, threads))
    order = reading.get("order")
    if isinstance(order, list):
        stream.number_like(tuple(map(str, order)))
    return stream


def _format(reading: Reading) -> str:
    return str(reading.get("format", "auto"))


def as_options(reading: Reading) -> list[str]:
    """Return the same as the command line has it, which has no word for the order of columns.

    >>> as_options({"files": ["a.csv"], "label": "y", "ignore": ["id", "day"], "zero_based": True})
    ['--label', 'y', '--ignore', 'id', '--ignore', 'day', '--zero-based']
    """
    words: list[str] = []
    for name in (name for name in _FORMS if name in reading and name not in _SILENT):
        option, value = f"--{name.replace('_', '-')}", reading[name]
        several = list(value) if isinstance(value, (list, tuple)) else [value]
        if name == "characters":
            words += [option, "-".join(map(str, several))]
        elif name == "columns":
            words += [option, ",".join(map(str, several))]
        elif value is True:
            words += [option]
        else:
            for one in [_in_one_row(several)] if name == "labels" else several:
                bare = str(one)
                words += [f"{option}={bare}"] if bare.startswith("-") else [option, bare]
    return words


def _in_one_row(cells: list[Plain]) -> str:
    """Return cells as a row of a CSV file."""
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(cells)
    return row.getvalue()


def in_shell(words: list[str]) -> str:
    """Return words as a shell takes them, without characters that a terminal would obey.

    >>> print(in_shell(["--label", "is it", "\\x1b"]))
    --label 'is it' $'\\x1b'
    """
    return " ".join(shlex.quote(word) if word.isprintable() else _in_bytes(word) for word in words)


def _in_bytes(word: str) -> str:
    return "$'" + "".join(f"\\x{byte:02x}" for byte in os.fsencode(word)) + "'"
