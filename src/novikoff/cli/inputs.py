"""Inputs: opening the files that a plan names."""

import os
from dataclasses import replace

from novikoff.cli.plans.reading_plan import ReadingPlan, as_column
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.streams import FileStream, read
from novikoff.streams.files.formats import format_of, may_be_text
from novikoff.streams.files.lines import CsvStream
from novikoff.streams.files.opening import Source, empty_file, is_pipe


def read_alike(plan: ReadingPlan, run: Run) -> ReadingPlan:
    """Read files as those that a run has learned from, unless the options say otherwise."""
    return replace(plan.like(run.reading, run.table), numbered_as=run.columns)


def opened(plan: ReadingPlan, labelled: bool = True, sentences: bool = False) -> FileStream:
    """Return the stream of the files that are named.

    They may lack labels if nothing is learned from them, and most verbs take no sentences.
    """
    if labelled and plan.label is None:
        plan = replace(plan, label=plan.usual_label, remembered=plan.remembered | {"label"})
    if plan.usual_format == "text":
        plan = _as_text(plan)
    unused = plan.weight if not labelled and "weight" in plan.remembered else None
    given = plan.options()
    stream = read(
        plan.input,
        plan.format,
        given.label,
        given.positive,
        weight=None if unused else given.weight,
        text=given.text,
        words=given.words,
        delimiter=given.delimiter,
        categorical=given.categorical,
        ignore=given.ignore,
        missing=given.missing,
        columns=given.columns,
        zero_based=given.zero_based,
        on_bad=given.on_bad,
        threads=given.threads,
        labels=given.labels,
        first=given.first,
    )
    refuse_empty(stream)
    plan.check_format(stream.format)
    stream.labels_optional = not labelled
    stream.usual_label, stream.unused = plan.usual_label or stream.usual_label, unused
    _read_by_table(stream, plan)
    if stream.format in ("conll", "conllu") and not sentences:
        raise InputError(
            f"{stream.name}: expected rows of features, got sentences ({stream.format}). Learn "
            "from them with novikoff tag, or name another --format."
        )
    return stream


def refuse_empty(stream: FileStream) -> FileStream:
    """Return a stream, unless its files have no bytes; a pipe may have none."""
    if stream.progress[1] == 0:
        raise empty_file(stream.name)
    return stream


def _as_text(plan: ReadingPlan) -> ReadingPlan:
    """Read files for a model of text: a text on each line, or the member text of JSON objects."""
    first, found = plan.files()[0], plan.format
    if found == "auto" and not is_pipe(first) and not os.path.isdir(first):
        with Source(first) as source:
            found = "text" if may_be_text(source) else format_of(source)
    text = "text" if found == "jsonl" and plan.text is None else plan.text
    return replace(plan, format=found, text=text, remembered=plan.remembered | {"text"})


def about_format(plan: ReadingPlan, stream: FileStream) -> list[str]:
    """Return a remark if a model of text gets a table, whose columns are hardly words."""
    if plan.usual_format != "text" or stream.format in ("text", "jsonl"):
        return []
    return [
        f"the model has learned from words of text, and {stream.name} was read as {stream.format}: "
        "its columns are not words. If it holds texts, one on each line, name --format text."
    ]


def _read_by_table(stream: FileStream, plan: ReadingPlan) -> None:
    """Read a table by the columns of the one that was learned from."""
    stream.read_like(plan.table)
    stream.number_like(plan.numbered_as)
    if plan.table is None or plan.table.headed or not isinstance(stream, CsvStream):
        return
    if plan.label is None or "label" in plan.remembered:
        stream.label = as_column(plan.usual_label)
