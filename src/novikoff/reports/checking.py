"""How the reader of a report checks its certificate: with commands, or in Python."""

import os
from dataclasses import dataclass

from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate
from novikoff.streams import FileStream
from novikoff.streams.files.lines import CsvStream
from novikoff.streams.files.recorded import Reading, as_options, in_shell, peeked, recorded
from novikoff.streams.stream import Wrapped

_UNNAMED = "certificate.json"
_EXPORTED = "rows.svm"


@dataclass(frozen=True)
class Checking:
    """How to check a certificate."""

    certificate: str
    """The file that holds the certificate, or will hold it."""
    saved: bool
    verify: str | None
    """The command that checks it with this library; None if the data were not in a file."""
    alone: tuple[str, ...]
    """The commands that check it with the stand-alone verifier; () if that cannot read the data."""


def checking(run: Run, certificate: Certificate) -> Checking:
    """Return how to check a certificate on the files that a run has played."""
    stream = run.stream
    while isinstance(stream, Wrapped):
        stream = stream.stream
    file, saved = certificate.path or _UNNAMED, certificate.path is not None
    noted = certificate.reading or {}
    if not isinstance(stream, FileStream):
        if "files" not in noted:
            return Checking(file, saved, None, ())
        return Checking(file, saved, _command("verify", file, *noted["files"]), ())
    reading = recorded(stream)
    options = as_options(reading)
    same = {**reading, "files": None} == {**noted, "files": None}
    said = [] if same else options or ["--format", _format(stream)]
    if (start := _start(run, certificate)) is not None:
        said = [*said, "--start", _path(start)]
    verify = _command("verify", file, *stream.files, options=said)
    alone = _alone(file, stream, reading, certificate)
    if start is not None:
        alone = (*alone[:-1], *(f"{words} {in_shell([f'start={start}'])}" for words in alone[-1:]))
    return Checking(file, saved, verify, alone)


def _start(run: Run, certificate: Certificate) -> str | None:
    """Return the model that the run of a certificate went on from, if it did."""
    if not certificate.content.get("start"):
        return None
    known = run.start.path if run.start is not None else (run.reading or {}).get("start")
    return str(known or "MODEL")


def _format(stream: FileStream) -> str:
    return "arrow" if stream.format == "cache" else stream.format


def _alone(
    file: str, stream: FileStream, reading: Reading, certificate: Certificate
) -> tuple[str, ...]:
    """Return the commands for the stand-alone verifier, which reads svmlight and plain tables."""
    if stream.reordered:
        return ()  # the certificate is about the columns in the order learned from
    column = _plain_table(stream, reading)
    if column is not None or _plain_svmlight(stream, reading):
        words = ["python", "verifier.py", _path(file), _path(stream.files[0])]
        return (in_shell([*words, *([column] if column is not None else [])]),)
    learner = certificate.content["learner"] or {"parameters": {}}
    hashing = learner["parameters"].get("hashing")
    numbered = "problem" not in learner["parameters"] and "H" not in learner["parameters"]
    if not numbered or (hashing and not hashing["signed"]) or _unsayable(reading):
        return ()
    options = [*as_options(reading), *(["--hash-bits", str(hashing["bits"])] if hashing else [])]
    export = _command("export", *stream.files, options=[*options, "--output", _EXPORTED])
    return export, in_shell(["python", "verifier.py", _path(file), _EXPORTED])


def _unsayable(reading: Reading) -> bool:
    """Say whether the command line would take a column's name for a number."""
    label = reading.get("label")
    return isinstance(label, str) and label.removeprefix("-").isdecimal()


def _plain_svmlight(stream: FileStream, reading: Reading) -> bool:
    return stream.format == "svmlight" and reading.keys() <= {"files", "format"} and _bare(stream)


def _plain_table(stream: FileStream, reading: Reading) -> str | None:
    """Return the label's column of a table of numbers, comma-separated and with a header."""
    if not (isinstance(stream, CsvStream) and isinstance(stream.label, str)):
        return None
    plain = stream.delimiter == "," and stream.columns and not stream.named
    usual = reading.keys() <= {"files", "format", "label"}
    return stream.label if plain and usual and _bare(stream) else None


def _bare(stream: FileStream) -> bool:
    """Say whether there is a single file that is not compressed."""
    if len(stream.files) > 1:
        return False
    first = peeked(stream.files[0])
    return first.readable and first.compression is None


def _path(file: str) -> str:
    """Return a path that no program mistakes for an option."""
    return os.path.join(".", file) if file.startswith("-") else file


def _command(verb: str, *files: str, options: list[str] | None = None) -> str:
    return in_shell(["novikoff", verb, *map(_path, files), *(options or [])])
