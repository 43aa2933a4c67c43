"""``novikoff cache`` and ``export``."""

import os
from collections.abc import Iterator

from novikoff import verifier
from novikoff.cli.answers import answer
from novikoff.cli.escapes import visible
from novikoff.cli.inputs import opened
from novikoff.cli.plans.file_plans import CachePlan, ExportPlan
from novikoff.cli.tagging import problem_of, tagged_sentences
from novikoff.errors import InputError
from novikoff.receipts.remarks import about_stream
from novikoff.receipts.rereading import Rereading, Sentences, as_input_error
from novikoff.saving.whole_files import drafted
from novikoff.streams import FileStream, Hashing, as_examples
from novikoff.streams import cache as cached
from novikoff.streams.files.columns import ColumnStream
from novikoff.streams.files.grammar import is_tag, svmlight_label
from novikoff.streams.files.lines import CsvStream

_READ_ALONE = (
    " To verify a certificate, you need no export: verifier.py reads CSV itself, as in python -I "
    "verifier.py certificate.json FILE.csv LABEL."
)


def cache(plan: CachePlan) -> int:
    """Write a file as a cache."""
    stream = opened(plan.reading)
    cached(stream, plan.output)
    return _said(plan, stream)


def export(plan: ExportPlan) -> int:
    """Write a file as svmlight, or its sentences, features by the ids a learner gives them."""
    stream = opened(plan.reading, sentences=True)
    plan.check_format(stream.format)
    hashing = None if plan.hash_bits is None else Hashing(plan.hash_bits)
    lines = (
        _sentences(stream, plan.templates or "tagging")
        if isinstance(stream, ColumnStream)
        else svmlight_rows(Rereading(stream, hashing))
    )
    try:
        with drafted(plan.output) as file:
            file.writelines(line.encode() for line in _as_text(lines))
    except verifier.BadData as error:
        raise as_input_error(error) from None
    return _said(plan, stream)


def _as_text(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines that cannot be taken for a bzip2 file: an empty one first, if need be."""
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


def svmlight_rows(rows: Rereading) -> Iterator[str]:
    """Yield the lines of svmlight."""
    for _, label, items in rows():
        written = svmlight_label(label)
        if written is None:
            alone = _READ_ALONE * isinstance(rows.stream, CsvStream)
            raise InputError(
                "export: expected labels that svmlight can hold (a number, or a word that begins "
                f"with a letter and has no blank, #, colon or comma), got {label!r}. Rename the "
                f"label in the file and learn from that.{alone}"
            )
        features = " ".join(f"{j + 1}:{v!r}" for j, v in sorted(items))
        yield f"{written} {features}\n"


def _said(plan: CachePlan, stream: FileStream) -> int:
    size = os.path.getsize(plan.output)
    found = {"output": plan.output, "bytes": size, "skipped": stream.skipped}
    remarks = about_stream(stream)
    answer(plan.json, found, lambda: print(f"{visible(plan.output)}: {size:,} bytes"), remarks)
    return 0
