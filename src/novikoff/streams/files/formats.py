"""Formats of files: the format is found from a file's name and its first lines."""

import os
import re

from novikoff.errors import InputError
from novikoff.streams.files.opening import Source, empty_file

FORMATS = ("svmlight", "vw", "csv", "jsonl", "text", "parquet", "arrow", "conll", "conllu", "log")

_TABLES = ("csv", "jsonl", "parquet", "arrow")
TYPED = ("csv", "parquet", "arrow")
_SENTENCES = ("conll", "conllu")
_TEXTS = ("text", "jsonl")
TAKEN: dict[str, tuple[str, ...]] = {
    "label": (*_TABLES, *_SENTENCES), "weight": _TABLES, "text": ("jsonl",), "words": _TEXTS,
    "characters": _TEXTS, "presence": _TEXTS, "delimiter": ("csv",), "categorical": TYPED,
    "ignore": _TABLES, "missing": _TABLES, "columns": _SENTENCES, "zero_based": ("svmlight",),
}  # fmt: skip
"""The formats that take an option; all formats take any other option."""

_SUFFIXES = {
    ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight",
    ".vw": "vw", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow",
    ".conllu": "conllu", ".conll": "conll",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
# ``re`` compiles them when the first file is looked at.
_SVMLIGHT = rb"\s*[-+.\deE]+(\s+qid:\d+)?(\s+\d+:[-+.\deE]+)*\s*(#.*)?$"
_VW = rb"[^|\t]*\|\S*(\s|$)"


def format_of(source: Source) -> str:
    """Return the format of a file, from its first bytes or its name."""
    for magic, known in ((b"PAR1", "parquet"), (b"ARROW1", "arrow")):
        if source.head.startswith(magic):
            return known
    if is_model(source.head):
        raise InputError(f"{source.name}: expected data, got a saved model. Name the data.")
    return _by_name(source) or _by_content(source)


def may_be_text(source: Source) -> bool:
    """Say whether a file may hold a text on each line: neither name nor content speaks against it.

    Text has commas and blanks as other files have, so this is for those who expect text.
    """
    line = first_line(source)
    found = _by_name(source)
    return found is None and not line.startswith((b"{", b"[", b"PAR1", b"ARROW1", b"\x89"))


def _by_name(source: Source) -> str | None:
    name = source.name.lower()
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return next((known for suffix, known in _SUFFIXES.items() if name.endswith(suffix)), None)


def is_log(path: str) -> bool:
    """Say whether a path is the folder of a service's log: it holds segments."""
    return os.path.isdir(path) and any(name.endswith(".nvlog") for name in os.listdir(path))


def is_model(head: bytes) -> bool:
    """Say whether a file begins like safetensors: a length of eight bytes, then metadata."""
    return head[8:].startswith(b'{"__metadata__"')


def _by_content(source: Source) -> str:
    line = first_line(source)
    if not line:
        raise empty_file(source.name)
    if line.lstrip().startswith(b"{"):
        return "jsonl"
    if line.lstrip().startswith(b"["):
        raise InputError(
            f"{source.name}: expected one object per line, got a JSON array. Put every object on a "
            "line of its own."
        )
    if re.match(_SVMLIGHT, line):
        return "svmlight"
    if re.match(_VW, line):
        return "vw"
    if line.count(b"\t") == 1:
        return "text"
    if b"," in line or b"\t" in line or b";" in line:
        return "csv"
    raise InputError(
        f"{source.name}: expected a file of a known format ({', '.join(FORMATS)}), got one whose "
        f"first line is {line[:60].decode(errors='backslashreplace')!r}. Name its format."
    )


def first_line(source: Source) -> bytes:
    """Return the first line that is neither empty nor a comment."""
    while True:
        lines = source.head.split(b"\n")
        whole = lines if len(lines) == 1 else lines[:-1]
        for line in whole:
            found = line.strip()
            if found and not found.startswith(b"#") and (len(lines) > 1 or not source.more()):
                return found
        if not source.more():
            return lines[-1].strip()
