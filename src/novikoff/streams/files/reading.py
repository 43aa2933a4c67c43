"""``read``: the stream of a file, whatever its format."""

import os
from collections.abc import Iterable
from importlib import import_module

from novikoff.errors import Phrase, argument, parameter
from novikoff.streams.files.file_stream import FileStream, OnBad, Options
from novikoff.streams.files.formats import format_of, is_log
from novikoff.streams.files.opening import Paths, Source, as_files, is_pipe
from novikoff.streams.files.words import Words
from novikoff.streams.labels.declared import Declared
from novikoff.streams.missing_values import Missing
from novikoff.types import Label

STREAMS = {
    "svmlight": "lines.SvmlightStream",
    "vw": "lines.VowpalWabbitStream",
    "csv": "lines.CsvStream",
    "jsonl": "json_lines.JsonStream",
    "text": "lines.TextStream",
    "parquet": "tables.ParquetStream",
    "arrow": "tables.ArrowStream",
    "conll": "columns.ColumnStream",
    "conllu": "columns.UniversalStream",
    "log": "novikoff.streams.log.log_stream.LogStream",
}
"""The formats, and the module and class that reads each, which is imported when it is needed."""


def read(  # noqa: PLR0913 — one function for every file, each option by its name
    path: Paths,
    format: str = "auto",
    label: str | int | None = None,
    positive: Label | None = None,
    *,
    weight: str | None = None,
    text: str | None = None,
    words: Words | None = None,
    delimiter: str | None = None,
    categorical: Iterable[str] = (),
    ignore: Iterable[str] = (),
    missing: Missing | None = None,
    columns: Iterable[str | int] = (),
    zero_based: bool = False,
    on_bad: OnBad = "stop",
    threads: int | None = None,
    labels: Declared = (),
    first: int | None = None,
) -> FileStream:
    """Read examples from a file, from several, or from a pattern such as ``logs/*.svm.gz``.

    Files may be compressed by gzip, bzip2, xz or zstd; ``-`` is standard input.

    - ``format`` is svmlight, vw, csv, jsonl, text, parquet, arrow, conll, conllu or log (the folder
      of a log that ``novikoff serve`` wrote). With "auto", name and content decide, and
      ``stream.format`` says what was found.
    - ``label`` and ``weight`` name columns of a table or members of JSON objects; the default is
      ``label``. In a CSV file without a header and in a conll file, ``label`` is the number of a
      column; in conll the default is the last one.
    - ``positive`` is the label that counts as +1.
    - ``ignore`` names columns or members that are not features. ``categorical`` names columns of
      CSV, Parquet and Arrow files that are text even if they look like numbers or dates.
      ``columns`` says which other columns a conll token has; the default is all of them.
    - ``text`` names the member that holds text, and ``words`` says how text becomes features.
    - ``missing`` says what a missing value of a table is (an empty cell, ``?``, ``NA``, ``nan``,
      ``null``): an error ("refuse", the default), 0 ("zero", the default for JSON null), or a
      feature of its own, ``age is missing`` ("feature").
    - ``delimiter`` is for CSV; ``zero_based`` is for svmlight files that count from 0.
    - ``on_bad`` says what happens at a bad line: "stop" raises an error with its address, "skip"
      skips and counts it (``stream.skipped`` and ``stream.faults``).
    - ``labels`` declares the labels that rows may have; a row with any other label is a bad line.
      If they are not declared, a run that has played a whole file refuses other labels from then
      on; with ``labels="open"`` it lets them in.
    - ``first`` is how many rows to read, all by default. ``threads`` is how many threads parse the
      file; it changes only the speed.

    >>> import pathlib, tempfile, novikoff as nv
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mail.txt"
    >>> _ = file.write_text("spam\\tfree money\\nham\\tsee you at home\\n" * 3)
    >>> run = nv.play(nv.Perceptron(), nv.read(file, positive="spam"))
    >>> run.mistakes, run.hypothesis().top(1)
    (1, [('at', -1.0)])
    """
    options = Options(
        positive=positive,
        label=label,
        weight=weight,
        text=text,
        words=Words() if words is None else words,
        delimiter=delimiter,
        categorical=tuple(categorical),
        ignore=tuple(ignore),
        missing=missing,
        columns=tuple(columns),
        zero_based=zero_based,
        on_bad=on_bad,
        threads=threads,
        labels=labels,
        first=first,
    )
    return stream_of(path, format, options)


def stream_of(path: Paths, format: str, options: Options) -> FileStream:
    """Return the stream of these files, read with these options."""
    files, label, labels = as_files(path), options.label, options.labels
    if format != "auto" and format not in STREAMS:
        raise parameter("format", f"'auto' or one of {', '.join(STREAMS)}", format)
    if format == "auto":
        format = _found(files)
    if isinstance(label, int) and format not in ("csv", "conll"):
        raise parameter("label", f"the name of a column of {files[0]}", label)
    if labels not in ((), "open") and format in ("conll", "conllu"):
        advice = Phrase("Name tags with ", argument("tags", of="Chains"), ".")
        raise parameter("labels", f"none for {format}", labels, advice)
    if format == "arrow":
        from novikoff.streams.files.caches import CacheStream, is_cache

        if all(map(is_cache, files)):
            return CacheStream(files, options)
    module, _, name = STREAMS[format].rpartition(".")
    home = module if "." in module else f"novikoff.streams.files.{module}"
    kind: type[FileStream] = getattr(import_module(home), name)
    return kind(files, options)


def _found(files: tuple[str, ...]) -> str:
    if is_log(files[0]):
        return "log"
    if is_pipe(files[0]) and not os.path.isdir(files[0]):
        known = "svmlight, vw, csv, jsonl or text"
        expected = f"{known} for a source that can be read only once"
        advice = Phrase("Name it with ", argument("format"), ".")
        raise parameter("format", expected, "auto", advice)
    with Source(files[0]) as source:
        return format_of(source)
