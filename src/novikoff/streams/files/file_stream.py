"""Streams over files: any size, one pass, bounded memory."""

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator
from dataclasses import field
from typing import Literal, get_args

import numpy as np

from novikoff import _core
from novikoff.cores import core_count
from novikoff.errors import InputError, Phrase, argument, parameter
from novikoff.quick_records import record
from novikoff.streams.files import opening
from novikoff.streams.files.file_chunks import ChunkBlock, numbered_block
from novikoff.streams.files.grammar import label_of
from novikoff.streams.files.opening import Source, is_pipe, size_of
from novikoff.streams.files.words import Words
from novikoff.streams.labels.declared import (
    STRAY_ADVICE,
    Declared,
    StrayError,
    checked_declaration,
    stray_label,
)
from novikoff.streams.missing_values import Missing, checked_missing
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import Label, PerRound

Parser = _core.Svmlight | _core.VowpalWabbit | _core.Csv | _core.Words
"""The core's parser of a file's lines."""
OnBad = Literal["stop", "skip"]
_NO_DELIMITERS = '"\r\n+-.0123456789eE'


@record(frozen=True, kw_only=True)
class Options:
    """How files are read; ``read`` says what each option means."""

    positive: Label | None = None
    label: str | int | None = None
    weight: str | None = None
    text: str | None = None
    words: Words = field(default_factory=Words)
    delimiter: str | None = None
    categorical: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing: Missing | None = None
    columns: tuple[str | int, ...] = ()
    zero_based: bool = False
    on_bad: OnBad = "stop"
    threads: int | None = None
    labels: Declared = ()
    first: int | None = None

    def __post_init__(self) -> None:
        if self.on_bad not in get_args(OnBad):
            raise parameter("on_bad", "'stop' or 'skip'", self.on_bad)
        if not isinstance(self.words, Words):
            raise parameter("words", "nv.Words(…)", self.words)
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in _NO_DELIMITERS):
            raise parameter("delimiter", "one ASCII character that is not part of a number", mark)
        checked_threads(self.threads)
        if not (self.first is None or (type(self.first) is int and self.first >= 1)):
            raise parameter("first", "None or a whole number of at least 1", self.first)
        checked_missing(self.missing)
        object.__setattr__(self, "labels", checked_declaration(self.labels))


_FAULTS_KEPT = 10


class FileStream(Stream):
    """What ``read`` returns: files as one stream. Every pass reads them again."""

    format: str
    closes = True
    unit = "lines"
    """What is skipped, if it is bad."""
    advice = Phrase("Mend the line, or skip such lines with ", argument("on_bad", "skip"), ".")

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        self.files, self.options = files, options
        self.positive, self.on_bad = options.positive, options.on_bad
        self.declared = options.labels
        first = "standard input" if files[0] == "-" else files[0]
        self.name = first if len(files) == 1 else f"{first} and {len(files) - 1} more"
        self.replayable = not any(is_pipe(file) for file in files)
        self.labels_optional = False
        """Whether a table may lack the column of labels, as when predicting them."""
        self.usual_label = "label"
        """The column of labels if none is named."""
        self.unused: str | None = None
        """A column that is not a feature if it is there, such as weights when predicting."""
        self.skipped = 0
        """How many lines of the last pass were skipped."""
        self.faults: list[str] = []
        """What was wrong with the first ten of them."""
        self.readings = 0
        """How often the files were read, or begun to be."""
        self._used = False
        self._read = 0  # bytes of this pass
        sizes = [size_of(file) for file in files]
        known = [size for size in sizes if size is not None]
        self._total = sum(known) if len(known) == len(sizes) else None

    @property
    def progress(self) -> tuple[int, int | None]:
        """(bytes read in this pass, bytes there are)."""
        return self._read, self._total

    @property
    def origin(self) -> object:
        """The names of the files."""
        return self.files

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds of every file."""
        if self._used and not self.replayable:
            raise InputError(
                f"{self.name}: expected to be read once, got a second pass. Write it to a file, or "
                "cache it."
            )
        self._used = True
        self.readings += 1
        self.skipped, self.faults, self._read = 0, [], 0
        yield from self._limited(self._rounds_of_files())

    def _rounds_of_files(self) -> Iterator[Rounds]:
        before = 0
        for number, file in enumerate(self.files):
            for rounds in self.rounds_of(file, number):
                yield from self._among_declared(rounds, before)
                before += len(rounds.rows)

    def _limited(self, blocks: Iterator[Rounds]) -> Iterator[Rounds]:
        """Yield as many rounds as are asked for, or all."""
        if self.options.first is None:
            yield from blocks
            return
        left = self.options.first
        for rounds in blocks:
            size = min(left, len(rounds.rows))
            yield rounds.part(0, size)
            left -= size
            if left == 0:
                return

    @property
    def skips(self) -> bool:
        """Whether bad lines are skipped."""
        return self.on_bad == "skip"

    def admit(self, labels: tuple[Label, ...]) -> None:
        """If bad lines are skipped, skip rounds with other labels too."""
        if self.skips:
            self.declared = labels

    def _among_declared(self, rounds: Rounds, before: int) -> Iterator[Rounds]:
        """Yield the rounds with declared labels; stop at the first other label, or skip it."""
        allowed = set() if isinstance(self.declared, str) else set(self.declared)
        if not allowed or self.labels_optional:
            yield rounds
            return
        labels = getattr(rounds.labels, "tolist", lambda: rounds.labels)()
        if set(labels) <= allowed:
            yield rounds
            return
        strays = [t for t, label in enumerate(labels) if label not in allowed]
        start, where = 0, rounds.place or (lambda t: f"{self.name}, round {before + t + 1}")
        for stop in [*strays, len(labels)]:
            if start < stop:
                yield rounds.part(start, stop)
            start = stop + 1
            if stop < len(labels):
                said = f"{where(stop)}: {stray_label(labels[stop], self.declared)}"
                if self.on_bad == "stop":
                    raise StrayError(f"{said}.", remedy=STRAY_ADVICE)
                self.bad(1, [said])

    @abstractmethod
    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one file."""

    def _advice_about(self, expected: str) -> Phrase:
        """Return what to do about a line that is not what was expected."""
        if "expected UTF-8" not in expected:
            return self.advice
        how = f"Convert the file (iconv -t utf-8), or skip such {self.unit} with "
        return Phrase(how, argument("on_bad", "skip"), ".")

    def bad(self, count: int, messages: list[str]) -> None:
        """Count bad lines, or stop at the first."""
        if count and self.on_bad == "stop":
            expected = messages[0].partition(", got ")[0]
            raise InputError(Phrase(messages[0], "."), remedy=self._advice_about(expected))
        self.skipped += count
        self.faults += messages[: _FAULTS_KEPT - len(self.faults)]


class LineStream(FileStream):
    """Files of lines, parsed in the core by several threads, played in the order of the file."""

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        if isinstance(self.positive, str):  # as the files write it: "01" is the number 1
            self.positive = label_of(self.positive)

    @abstractmethod
    def parser(self, source: Source, number: int) -> tuple[Parser, int]:
        """Return what parses a file, and the lines that were taken off its head for it."""

    named: bool

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one file; those before a bad line come before its error."""
        with Source(file) as source:
            parser, line = self.parser(source, number)
            threads = checked_threads(self.options.threads)
            workers = 0 if threads == 1 else threads
            packed = source.compression is not None
            reader = _core.Reader(
                source.descriptor, source.head, parser, packed, workers, opening.LONGEST_LINE
            )
            before = self._read
            try:
                chunk = _next(reader, source, line)
                while isinstance(chunk, _core.Chunk):
                    self._read = before + source.position(reader.bytes_read)
                    count, said = yield from self._rounds(source.name, chunk, line)
                    line += chunk.line_count
                    following = None
                    if count and source.is_pumped and _may_be_cut(chunk, parser):
                        following = _next(reader, source, line)
                        if following is None:
                            source.check()
                    self.bad(count, said)
                    chunk = following or _next(reader, source, line)
                if chunk is not None:
                    raise chunk
                source.check()
            finally:
                reader.stop()

    def _rounds(
        self, name: str, chunk: _core.Chunk, line: int
    ) -> Generator[Rounds, None, tuple[int, list[str]]]:
        """Yield the rounds between the bad lines, up to the first unless they are skipped.

        Return how many lines are bad, and what is wrong with the first of them.
        """
        lines, labels = chunk.lines, chunk.labels
        weights = chunk.weights if len(chunk.weights) else None
        assert isinstance(labels, (np.ndarray, list))
        rows = ChunkBlock(chunk, chunk.rows) if self.named else numbered_block(chunk)

        def place(t: int) -> str:
            return f"{name}:{line + int(lines[t]) + 1}"

        whole = Rounds(rows, labels, weights, place)
        faults = [
            (row, f"{name}:{line + before + 1}: {said}") for row, before, said in chunk.faults
        ]
        bare = [] if self.labels_optional else _unlabelled(labels)
        count = chunk.fault_count + len(bare)
        bad = faults + [(t, f"{place(t)}: expected a label, got none") for t in bare]
        bad.sort(key=lambda fault: fault[0])  # a stable sort keeps the order of the file
        limit = bad[0][0] if bad and self.on_bad == "stop" else chunk.rows
        start = 0
        for stop in [*(t for t in bare if t < limit), limit]:
            if start < stop:
                yield whole.part(start, stop)
            start = stop + 1
        return count, [said for _, said in bad]


def _may_be_cut(chunk: _core.Chunk, parser: Parser) -> bool:
    """Say whether the first bad line may be the last one: a broken file ends in the middle of it.

    In CSV that may be a record of many lines.
    """
    if isinstance(parser, _core.Csv) or not chunk.faults:
        return True
    _, before, _ = chunk.faults[0]
    return bool(before + 1 >= chunk.line_count)


def _unlabelled(labels: PerRound) -> list[int]:
    """Return the rows whose label is missing; in an array of numbers none is."""
    return [t for t, label in enumerate(labels) if label is None] if type(labels) is list else []


def _next(reader: _core.Reader, source: Source, line: int) -> _core.Chunk | InputError | None:
    """Return the next chunk, None at the end, or what is wrong after this line."""
    try:
        return reader.next()
    except ValueError:
        return source.overlong(line + 1)
    except (OSError, RuntimeError) as error:
        return source.broken(error)


def checked_threads(threads: int | None) -> int:
    """Return how many threads parse; by default as many as there are cores, at most 8."""
    if threads is None:
        return min(core_count(), 8)
    if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= 64:
        raise parameter("threads", "None or a whole number from 1 to 64", threads)
    return threads


def refuse_twins(place: str, names: Iterable[str]) -> None:
    """Refuse a table in which two columns have the same name."""
    met: set[str] = set()
    for name in names:
        if name in met:
            raise InputError(
                f"{place}: expected every column once, got {name!r} twice. Rename one."
            )
        met.add(name)
