"""From options to streams and learners."""

import argparse
import json
from pathlib import Path
from typing import Any

from novikoff.errors import parameter
from novikoff.streams import FileStream, Hashing, Words, read
from novikoff.types import Label


def opened(options: argparse.Namespace) -> FileStream:
    """Return the stream of the files that are named."""
    return read(
        options.input,
        options.format,
        _column(options.label),
        positive=as_label(options.positive),
        weight=options.weight,
        text=options.text,
        words=Words(options.words, _runs(options.characters), options.presence),
        delimiter=options.delimiter,
        categorical=options.categorical,
        zero_based=options.zero_based,
        on_bad=options.on_bad,
        threads=options.threads,
    )


def as_label(text: str | None) -> Label | None:
    """Return the label that a word stands for, as files have it: a number, if it is one."""
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _column(text: str | None) -> str | int | None:
    """Return a column's name, or its number in a file without a header."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return text


def _runs(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise parameter("--characters", "one number or two, as in 2-4", text)
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


def print_json(found: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    print(json.dumps(found, ensure_ascii=False, allow_nan=False))
