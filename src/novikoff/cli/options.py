"""From options to streams and learners."""

import argparse
import csv
import io
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from novikoff.cli.escapes import json_line, visible
from novikoff.cli.outlets import product
from novikoff.cli.parser import UsageError
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.receipts.remarks import as_remarks
from novikoff.saving.whole_files import drafted, probe
from novikoff.streams import FileStream, Hashing, Words, read
from novikoff.streams.files.columns import ColumnStream
from novikoff.streams.files.grammar import label_of
from novikoff.streams.files.lines import CsvStream
from novikoff.streams.files.recorded import TAKEN
from novikoff.streams.labels.declared import Declared
from novikoff.types import Label

# What decides which rounds a file holds, besides the file and its format.
READING = ("label", "weight", "text", "words", "characters", "presence", "delimiter",
           "categorical", "ignore", "zero_based", "on_bad", "labels")  # fmt: skip
_FURTHER = ("format", "columns")
_REMEMBERED = ("weight", "text", "words", "characters", "presence", "delimiter", "categorical",
               "ignore", "zero_based")  # fmt: skip


def read_alike(options: argparse.Namespace, run: Run) -> None:
    """Read files as those that a run has learned from, where the options say nothing else."""
    reading, options.remembered = run.reading, set()
    if reading is None:
        return
    for name in _REMEMBERED:
        if not getattr(options, name):
            options.remembered.add(name)
            setattr(options, name, reading.get(name, getattr(options, name)))
    options.usual_label, options.table = reading["label"], run.table
    if options.format == "auto" and options.input == ["-"]:
        options.format = reading["format"]


def given_reading(options: argparse.Namespace) -> bool:
    """Say whether the command line says anything about how files are read."""
    usual: tuple[Any, ...] = (None, False, [], "auto", "stop")
    return any(getattr(options, name, None) not in usual for name in (*READING, *_FURTHER))


def opened(
    options: argparse.Namespace, labelled: bool = True, sentences: bool = False
) -> FileStream:
    """Return the stream of the files that are named.

    They may lack labels where none is needed, and most verbs take no sentences.
    """
    words = 1 if options.words is None else options.words
    usual = getattr(options, "usual_label", None)
    label = usual if labelled and options.label is None else options.label
    remembered = getattr(options, "remembered", ())
    unused = options.weight if not labelled and "weight" in remembered else None
    stream = read(
        options.input,
        options.format,
        as_column(label),
        positive=as_label(options.positive),
        weight=None if unused else options.weight,
        text=options.text,
        words=Words(words, _runs(options.characters), options.presence),
        delimiter=options.delimiter,
        categorical=options.categorical,
        ignore=options.ignore,
        columns=columns_of(options),
        zero_based=options.zero_based,
        on_bad=options.on_bad,
        threads=options.threads,
        labels=_labels(getattr(options, "labels", None)),
    )
    for name, formats in TAKEN.items():
        given = getattr(options, name, None) and name not in remembered
        if given and stream.format not in formats:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option}: expected none for {stream.format}, got one. Leave it out.")
    stream.labels_optional = not labelled
    stream.usual_label, stream.unused = usual or stream.usual_label, unused
    stream.read_like(table := getattr(options, "table", None))
    if table and not table.headed and isinstance(stream, CsvStream) and options.label is None:
        stream.label = as_column(usual)
    if isinstance(stream, ColumnStream) and not sentences:
        raise InputError(
            f"{stream.name}: expected rows of features, got sentences ({stream.format}). Learn "
            "from them with novikoff tag, or name another --format."
        )
    return stream


def as_label(text: str | None, option: str = "--positive") -> Label | None:
    """Return the label that a word stands for, as files have it: a number, if it is one."""
    return None if text is None else label_of(text, option)


def _labels(text: str | None) -> Declared:
    """Return the labels that are declared, apart by commas as the cells of a CSV file are."""
    if text is None or text == "open":
        return text or ()
    cells: list[str] = []
    with suppress(csv.Error):  # a line break outside quotes: no cells at all
        cells = [cell for row in csv.reader([text]) for cell in row]
    found = [as_label(cell, "--labels") for cell in cells]
    if len(found) < 2:
        raise UsageError(f"--labels: expected two or more, apart by commas, or open, got {text!r}.")
    return [label for label in found if label is not None]


def columns_of(options: argparse.Namespace) -> list[Any]:
    """Return the columns of a token that are named, where the verb has such an option."""
    named = getattr(options, "columns", None)
    return [as_column(word) for word in named.split(",")] if named else []


def as_column(text: str | None) -> str | int | None:
    """Return a column's name, or its number in a file without a header."""
    return int(text) if text and re.fullmatch("-?[0-9]{1,9}", text) else text


def _runs(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise UsageError(f"--characters: expected one number or two, as in 2-4, got {text!r}.")
    return int(first), int(last or first)


def hashing(options: argparse.Namespace) -> Hashing | None:
    """Return how names are hashed, if they are."""
    return None if options.hash_bits is None else Hashing(options.hash_bits)


def beside(options: argparse.Namespace, ending: str) -> str:
    """Return a file in this folder named after the first input."""
    first = options.input[0]
    name = "stdin" if first == "-" else Path(first).name
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    stem = name.rpartition(".")[0] or name
    return f"{stem.replace('*', '_')}{ending}"


def check_outputs(inputs: Iterable[str], *files: str | None) -> None:
    """Refuse, before any work, a file that could not be written after it, or that is read."""
    read = [file for file in inputs if os.path.isfile(file)]
    for file in filter(None, files):
        folder = os.path.dirname(file) or "."
        if not os.path.isdir(folder):
            raise InputError(f"{file}: expected a folder that exists, got {folder}. Make it first.")
        if os.path.isdir(file):
            raise InputError(f"{file}: expected a file to write, got a folder. Name a file in it.")
        if os.path.isfile(file) and any(os.path.samefile(file, one) for one in read):
            raise InputError(f"{file}: expected a file to write, got one that is read.")
    named = [os.path.realpath(file) for file in files if file]
    twice = [file for file in named if os.path.isfile(file) or not os.path.exists(file)]
    if len(set(twice)) < len(twice):
        raise InputError(f"{twice[0]}: expected a file of its own for each output, got one twice.")
    for file in filter(None, files):
        probe(file)


@contextmanager
def written(path: str | None) -> Iterator[TextIO]:
    """Yield what lines are written to: a file that appears whole, or standard output."""
    if path is None:
        yield product()
        return
    with drafted(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()


def answer(
    options: argparse.Namespace,
    found: dict[str, Any],
    show: Callable[[], object],
    remarks: Iterable[str] = (),
) -> None:
    """Print what a verb found, as JSON or as ``show`` does; its remarks are with both."""
    remarks = as_remarks(remarks)
    print_json(found, remarks) if options.json else show()
    tell(remarks)


def wrote(options: argparse.Namespace, path: str | None) -> None:
    """Take note of a file that was written, so that it is named although a later step fails."""
    if path is not None and path not in options.written:
        options.written.append(path)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM, as from a supervisor, stop the work as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def tell(remarks: Iterable[str]) -> None:
    """Say remarks on stderr."""
    for remark in remarks:
        print(f"remark: {visible(remark)}", file=sys.stderr)


def print_json(found: dict[str, Any], remarks: Iterable[str] = ()) -> None:
    """Print one JSON object on one line, with the list of remarks, which every verb has.

    What is infinite is null, because JSON has no such number.
    """
    print(json_line(_finite(found | {"remarks": list(remarks)})))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
