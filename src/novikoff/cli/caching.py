"""``novikoff cache`` and ``export``."""

import argparse
import os
from collections.abc import Iterator

from novikoff import verifier
from novikoff.cli.escapes import visible
from novikoff.cli.options import answer, check_outputs, hashing, opened
from novikoff.cli.parser import UsageError
from novikoff.cli.tagging import problem_of, tagged_sentences
from novikoff.errors import InputError
from novikoff.receipts.remarks import about_stream
from novikoff.receipts.rereading import Rereading, Sentences, as_input_error
from novikoff.saving.whole_files import drafted
from novikoff.streams import FileStream, as_examples
from novikoff.streams import cache as cached
from novikoff.streams.files.columns import ColumnStream
from novikoff.streams.files.grammar import is_tag, svmlight_label


def cache(options: argparse.Namespace) -> int:
    """Write a file as a cache."""
    stream = opened(options)
    check_outputs(stream.files, options.output)
    cached(stream, options.output)
    return _said(options, stream)


def export(options: argparse.Namespace) -> int:
    """Write a file as svmlight, or its sentences, features by the ids a learner gives them."""
    stream = opened(options, sentences=True)
    check_outputs(stream.files, options.output)
    tagged = isinstance(stream, ColumnStream)
    if tagged and options.hash_bits is not None:
        raise UsageError("--hash-bits: expected none for sentences, whose names are kept.")
    if not tagged and (options.templates or options.columns):
        raise UsageError(f"--templates, --columns: expected sentences, got {stream.format}.")
    lines = (
        _sentences(stream, options.templates or "tagging")
        if tagged
        else _rows(Rereading(stream, hashing(options)))
    )
    try:
        with drafted(options.output) as file:
            file.writelines(line.encode() for line in _as_text(lines))
    except verifier.BadData as error:
        raise as_input_error(error) from None
    return _said(options, stream)


def _as_text(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines of a file that nobody takes for one by bzip2: an empty one first, if need be."""
    first = next(lines, "")
    yield from ("\n" if first.startswith("BZh") else "", first)
    yield from lines


def _sentences(stream: FileStream, templates: str) -> Iterator[str]:
    X, y = tagged_sentences(stream)
    blank = [tag for tags in y for tag in tags if not is_tag(tag)]
    if blank:
        raise InputError(f"export: expected tags without blanks, got {blank[0]!r}. Rename it.")
    examples = as_examples(list(zip(X, y, strict=True)))
    yield from Sentences(examples, problem_of(templates, X)).lines()


def _rows(rows: Rereading) -> Iterator[str]:
    for _, label, items in rows():
        written = svmlight_label(label)
        if written is None:
            raise InputError(
                f"export: expected labels that svmlight can hold, got {label!r}. Rename the class."
            )
        features = " ".join(f"{j + 1}:{v!r}" for j, v in sorted(items))
        yield f"{written} {features}\n"


def _said(options: argparse.Namespace, stream: FileStream) -> int:
    size = os.path.getsize(options.output)
    found = {"output": options.output, "bytes": size, "skipped": stream.skipped}
    remarks = about_stream(stream)
    answer(options, found, lambda: print(f"{visible(options.output)}: {size:,} bytes"), remarks)
    return 0
