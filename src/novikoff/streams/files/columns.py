"""Files of columns: one token per line, an empty line between sentences (CoNLL, CoNLL-U)."""

from collections.abc import Iterator
from typing import Any

from novikoff.errors import InputError, Phrase, argument, parameter
from novikoff.streams.blocks.examples import ExampleBlock
from novikoff.streams.files.file_stream import FileStream, Options
from novikoff.streams.files.opening import Source
from novikoff.streams.files.pieces import PieceStream
from novikoff.streams.stream import Rounds
from novikoff.types import PerRound

_SENTENCES = 4096
_BLANK = " \t\r\n\v\f"
UNIVERSAL = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


Tokens = list[str] | list[tuple[str, ...]]
"""A sentence: its words, or the columns of each token."""
Tags = list[str] | list[int]
Example = tuple[Tokens, Tags | None]
Found = tuple[int, Example | str]
"""The first line of a sentence, with (x, y) or with what is wrong with it."""


class _Bad(Exception):  # noqa: N818
    """What is wrong with a line."""


class ColumnStream(PieceStream):
    """One token per line, its columns separated by tabs, or by spaces in a line without a tab.

    x is the list of tokens: texts, or tuples if tokens have several columns. y is the list of what
    stands in the ``label`` column (by default the last), counted from 0. ``columns`` are those that
    x shows (by default all others). A second pass does not read the files again.
    """

    format = "conll"
    unit = "sentences"
    advice = Phrase("Mend the line, or skip such sentences with ", argument("on_bad", "skip"), ".")

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.label: int | None = self.place(options.label) if options.label is not None else None
        self.columns = tuple(self.place(column) for column in options.columns) or None
        self._kept: list[Rounds] | None = None
        self._count: int | None = None  # columns of the first token

    def place(self, column: object) -> int:
        """Return the number of a column."""
        text = str(column)
        if not text.removeprefix("-").isdigit():
            raise parameter("label", "the number of a column, counted from 0", column)
        return int(text)

    def blocks(self) -> Iterator[Rounds]:
        """Yield the sentences of every file."""
        if not self.replayable:
            yield from super().blocks()
            return
        if self._kept is None:
            kept = []
            for rounds in super().blocks():
                kept.append(rounds)
                yield rounds
            self._kept = kept
        else:
            yield from self._kept

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the sentences of one file, up to a bad line before complaining about it."""
        self._count = None
        with Source(file) as source:
            gathered = _Gathered(self, source.name)
            yield from self.handed_on(self._sentences(source), gathered, _SENTENCES)

    def _sentences(self, source: Source) -> Iterator[list[Found]]:
        """Yield the sentences that end in each piece of a file."""
        tokens: list[list[str]] = []
        first, bad = 0, None
        for lines in self.pieces(source):
            ended: list[Found] = []
            for number, content in lines:
                try:
                    cells = self.cells(content, len(tokens))
                except _Bad as error:
                    bad, cells, first = bad or f"{number}: {error}", None, first or number
                if cells:
                    first = first or number
                    tokens.append(cells)
                if cells is not None or not (tokens or bad):
                    continue
                if content.strip():
                    continue  # a bad line, not the end
                ended.append((first, bad or self.example(tokens)))
                tokens, first, bad = [], 0, None
            yield ended
        if tokens or bad:
            yield [(first, bad or self.example(tokens))]

    def cells(self, content: bytes, before: int) -> list[str] | None:
        """Return the columns of a token, [] for a line to skip, None between sentences."""
        try:
            line = content.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise _Bad("expected UTF-8, got other bytes") from None
        if not line.strip(_BLANK):
            return None
        # Only a plain space separates columns: a no-break space belongs to its word.
        cells = line.split("\t") if "\t" in line else [c for c in line.split(" ") if c]
        if self._count is None:
            self._check(len(cells))
            self._count = len(cells)
        if len(cells) != self._count:
            raise _Bad(f"expected {self._count} columns, as in the lines before, got {len(cells)}")
        if not all(cells):
            raise _Bad("expected something in every column, got an empty one")
        return cells

    def _check(self, count: int) -> None:
        """Refuse columns that the first token does not have."""
        least = 1 if self.labels_optional or self.label is not None else 2
        if count < least:
            raise _Bad(f"expected at least {least} columns, a token and its tag, got {count}")
        for place in (self.label, *(self.columns or ())):
            if place is not None and not -count <= place < count:
                raise _Bad(f"expected a column {place}, counted from 0, got {count} columns")

    def example(self, tokens: list[list[str]]) -> Example:
        """Return (x, y) of a sentence."""
        count = len(tokens[0])
        label = count - 1 if self.label is None else self.label % count
        shown = self.columns or tuple(k for k in range(count) if k != label)
        y = [cells[label] for cells in tokens]
        if self.labels_optional and self.label is None and label in {k % count for k in shown}:
            return _tokens(tokens, shown), None  # there are no tags
        return _tokens(tokens, shown), y


class UniversalStream(ColumnStream):
    """CoNLL-U: ``label`` is one of its ten columns by name (upos), or ``head`` for trees.

    Ranges of tokens (``3-4``), empty tokens (``8.1``) and comments are skipped. By default
    ``columns`` is ``form``, and for heads also ``upos``. Heads are whole numbers, 0 for the root.
    """

    format = "conllu"

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.label = self.place("upos" if options.label is None else options.label)
        self.heads = self.label == UNIVERSAL.index("head")
        default = ("form", "upos") if self.heads else ("form",)
        self.columns = self.columns or tuple(map(self.place, default))

    def place(self, column: object) -> int:
        """Return the number of a column."""
        if column not in UNIVERSAL:
            raise parameter("label", f"one of {', '.join(UNIVERSAL)}", column)
        return UNIVERSAL.index(column)

    def cells(self, content: bytes, before: int) -> list[str] | None:
        """Return the columns of a token, [] for a line to skip, None between sentences."""
        if content.startswith(b"#"):
            return []
        cells = super().cells(content, before)
        if cells is None:
            return None
        if len(cells) != len(UNIVERSAL):
            raise _Bad(f"expected {len(UNIVERSAL)} columns separated by tabs, got {len(cells)}")
        if "-" in cells[0] or "." in cells[0]:
            return []
        if cells[0] != str(before + 1):
            raise _Bad(f"expected the token {before + 1}, got {cells[0][:20]!r}")
        if self.heads and not cells[6].isdecimal():
            raise _Bad(f"expected the number of a token as its head, got {cells[6][:20]!r}")
        return cells

    def example(self, tokens: list[list[str]]) -> Example:
        """Return (x, y) of a sentence."""
        assert self.label is not None
        assert self.columns is not None
        y = [cells[self.label] for cells in tokens]
        return _tokens(tokens, self.columns), [int(head) for head in y] if self.heads else y


class _Gathered:
    """Some sentences of a file."""

    def __init__(self, stream: ColumnStream, file: str) -> None:
        self.stream, self.file = stream, file
        self._clear()

    def _clear(self) -> None:
        self.rows: list[Tokens] = []
        self.labels: list[Tags | None] = []
        self.lines: list[int] = []

    def __len__(self) -> int:
        return len(self.lines)

    def add(self, item: Found) -> None:
        """Add a sentence, unless it is bad."""
        line, found = item
        if isinstance(found, str):
            self.stream.bad(1, [f"{self.file}:{found}"])
            return
        x, y = found
        self.rows.append(x)
        self.labels.append(y)
        self.lines.append(line)

    def taken(self) -> Rounds:
        """Return them all, and be empty."""
        file, lines = self.file, self.lines
        rounds = Rounds(ExampleBlock(self.rows), self.labels, None, lambda t: f"{file}:{lines[t]}")
        self._clear()
        return rounds


def _tokens(tokens: list[list[str]], shown: tuple[int, ...]) -> Tokens:
    if len(shown) == 1:
        return [cells[shown[0]] for cells in tokens]
    return [tuple(cells[k] for k in shown) for cells in tokens]


def sentences_of(stream: FileStream) -> tuple[list[Any], list[Any]]:
    """Return every x and every y of a file of columns."""
    X: list[Any] = []
    y: list[Any] = []
    for block, labels in sentence_blocks(stream):
        X += block.rows
        y += labels
    return X, y


def sentence_blocks(stream: FileStream) -> Iterator[tuple[ExampleBlock, PerRound]]:
    """Yield sentences and what their ``label`` columns hold, as they arrive."""
    for rounds in stream.blocks():
        if not isinstance(rounds.rows, ExampleBlock):
            raise InputError(
                f"{stream.name}: expected sentences, got {stream.format}. Read a file of columns: "
                "nv.read(path, 'conll')."
            )
        yield rounds.rows, rounds.labels
