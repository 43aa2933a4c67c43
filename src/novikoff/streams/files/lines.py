"""Files of lines: svmlight, Vowpal Wabbit's text, CSV, raw text."""

import re
from contextlib import suppress

from novikoff import _core
from novikoff.errors import InputError, Named, ParameterError, Phrase, argument
from novikoff.streams.dates import refuse_dates
from novikoff.streams.files import opening
from novikoff.streams.files.file_stream import LineStream, Options, Parser, refuse_twins
from novikoff.streams.files.headers import (
    Table,
    check_names,
    numbers_of,
    unknown_column,
    without_header,
)
from novikoff.streams.files.opening import Source, empty_file
from novikoff.streams.files.words import Texts
from novikoff.streams.missing_values import REFUSE

_DELIMITERS = (",", "\t", ";")
_WITHOUT_HEADER = Phrase(
    "If the file has no header, ", argument("label", -1), " is its last column."
)
# Cells that do not make a column text: numbers, what looks like numbers, and missing values.
_NUMERAL = r"(?ai)[-+]?([0-9.]+(e[-+]?[0-9]+)?|nan|inf|infinity)|na|n/a|null|\??"


class SvmlightStream(LineStream):
    """``label index:value …``: svmlight and LIBSVM files."""

    format = "svmlight"
    named = False

    def parser(self, source: Source, number: int) -> tuple[Parser, int]:
        """Return the parser; the file has no header."""
        return _core.Svmlight(self.options.zero_based), 0


class VowpalWabbitStream(LineStream):
    """``label weight 'tag |namespace name:value …``: Vowpal Wabbit's text."""

    format = "vw"
    named = True

    def parser(self, source: Source, number: int) -> tuple[Parser, int]:
        """Return the parser; the file has no header."""
        return _core.VowpalWabbit(), 0


class TextStream(LineStream):
    """``label<TAB>text``: words and runs of characters as features."""

    format = "text"
    named = True

    @property
    def texts(self) -> Texts:  # type: ignore[override]
        """How each line becomes a row."""
        return Texts(words=self.options.words)

    def parser(self, source: Source, number: int) -> tuple[Parser, int]:
        """Return the parser; the file has no header."""
        return self.options.words.parser(with_empty=self.labels_optional), 0


class CsvStream(LineStream):
    """Tables of text. The first row of values decides which columns are numbers.

    If a run has learned from another table, that table decides instead. Columns are then matched
    by their names, and so are those of every file after the first.

    If all columns are numbers, features are numbered in the order of the columns. Otherwise they
    are named: a number is the feature ``column``, any other text the feature ``column=text``. They
    are also named if a missing value is a feature, ``column is missing``.
    """

    format = "csv"
    advice = Phrase(
        "Mend the line, name a column of text in ", argument("categorical"),
        ", say what missing values are with ", argument("missing", "feature"), " or ",
        argument("missing", "zero"), ", or skip such lines with ", argument("on_bad", "skip"), ".",
    )  # fmt: skip

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.label, self.weight = options.label, options.weight
        self.delimiter, self.categorical = options.delimiter, options.categorical
        self.ignore, self.missing = options.ignore, options.missing or REFUSE
        self.columns: list[str] = []
        """The names of all columns, as the file in hand has them."""
        self.heading: str | None = None
        """What the label's column seems to be called, if the first row looks like a header."""
        self._begins_with_header = False  # though the file learned from had none
        self._first: frozenset[str] = frozenset()  # the columns of the first file
        self._texts: frozenset[str] = frozenset()  # those that hold text, not numbers
        self._feature_names: tuple[str, ...] | None = None

    @property
    def table(self) -> Table | None:  # type: ignore[override]
        """The columns, once they are known with that of the labels."""
        label = self._label_place() if self.columns else -1
        if label < 0 or self._feature_names is None:
            return None
        texts = tuple(name for name in self.columns if name in self._texts)
        headed, columns = not isinstance(self.label, int), tuple(self.columns)
        kept = (self._feature_names, texts, columns[label], self.weight, self.missing)
        return Table(headed, columns, *kept)

    @property
    def named(self) -> bool:  # type: ignore[override]
        """Whether features are named: if some column holds text, or missing values have names."""
        learned = self.learned is not None and self.learned.missing == "feature"
        return bool(self._texts) or self.missing == "feature" or learned

    @property
    def feature_names(self) -> tuple[str, ...] | None:  # type: ignore[override]
        """What the columns of a table of numbers are called; None without a header."""
        return None if self.named or isinstance(self.label, int) else self._feature_names

    def parser(self, source: Source, number: int) -> tuple[Parser, int]:
        """Return the parser of a file, and how many lines its header has."""
        lines = size = 0
        if isinstance(self.label, int):
            columns = self._numbered(source, self.label)
        else:
            columns, size = self._cells(source, 0)
            lines = source.head[:size].count(b"\n")
        if columns == [""]:
            raise empty_file(source.name)
        self._refuse_headless(columns, source.name)
        refuse_twins(f"{source.name}:1", columns)
        self.columns = columns
        if number == 0:
            self._begin(source)
        elif self._first != set(columns):
            raise InputError(
                f"{source.name}:1: expected the columns of the first file "
                f"({', '.join(sorted(self._first))}), got {', '.join(columns)}. Read it on its own."
            )
        source.head = source.head[size:]
        return self._parser(source.name, number), lines

    def _refuse_headless(self, columns: list[str], where: str) -> None:
        """Refuse a file whose first row is not a header, if that learned from had one."""
        learned = self.numbered_as if self.learned is None else self.learned.columns
        headed = self.learned is None or self.learned.headed
        if isinstance(self.label, int) or not learned or not headed:
            return
        if {*learned}.isdisjoint(columns) and any(map(_is_value, columns)):
            raise without_header(learned, columns, where)

    def _parser(self, where: str, number: int) -> Parser:
        """Return the parser of the file in hand, whose columns are known."""
        label = self._label_place()
        weight = -1 if self.weight is None else self._place("weight", self.weight)
        apart = {*self.ignore, self.unused}
        ignored = [name in apart for name in self.columns]
        features = tuple(
            name
            for k, name in enumerate(self.columns)
            if k not in (label, weight) and not ignored[k]
        )
        order = self._order(features, where, number)
        texts = [k not in (label, weight) and n in self._texts for k, n in enumerate(self.columns)]
        numbers = [] if self.named else numbers_of(order, self.columns, features)
        self._feature_names = order
        if number == 0:
            self.reordered = bool(numbers)
        assert self.delimiter is not None
        kinds = (texts, ignored, self.named, self.delimiter, self.missing, numbers)
        return _core.Csv(self.columns, label, weight, *kinds)

    def _order(self, features: tuple[str, ...], where: str, number: int) -> tuple[str, ...]:
        """Return the features in the order of their numbers; refuse others than learned from."""
        headed = not isinstance(self.label, int)
        if self.learned is not None:
            self.learned.check(headed, features, where)
            return self.learned.features
        if self.numbered_as is not None and headed and not self.named:
            check_names(self.numbered_as, features, where)
            return self.numbered_as
        return features if number == 0 or self._feature_names is None else self._feature_names

    def _begin(self, source: Source) -> None:
        """Note the columns of the first file, and which of them hold numbers."""
        columns = self.columns
        self._first = frozenset(columns)
        if self.label is None and self.usual_label in columns:
            self.label = self.usual_label
        places = {self._label_place()}
        if self.weight is not None:
            places.add(self._place("weight", self.weight))
        categorical, ignored = set(self.options.categorical), set(self.ignore)
        for option, names in (("categorical", categorical), ("ignore", ignored)):
            for stranger in sorted(names - self._first):
                raise self._unknown(option, stranger)
        apart = {columns[k] for k in places if k >= 0} | ignored | {self.unused}
        start = 0 if isinstance(self.label, int) else self._cells(source, 0)[1]
        cells, end = self._cells(source, start, "replace")
        first = dict(zip(columns, cells, strict=False))
        if isinstance(self.label, int) and self.learned is None:
            self._look_for_header(source, cells, end)
        elif isinstance(self.label, int):
            self._begins_with_header = not any(map(_is_number, cells))
        texts = {name for name, cell in first.items() if not _is_number(cell)}
        if self.learned is not None:
            self._check_learned(self.learned, source.name)
            added = set(self.learned.texts) - texts - categorical
            self.categorical = (*self.options.categorical, *sorted(added))
            texts = set(self.learned.texts)
        else:
            kept = categorical | apart
            refuse_dates(source.name, ((n, c) for n, c in first.items() if n not in kept))
        self._texts = frozenset((texts | categorical) - apart)

    def _look_for_header(self, source: Source, cells: list[str], end: int) -> None:
        """Note a first row without a number, if the second one has some."""
        if any(map(_is_number, cells)):
            return
        with suppress(InputError):  # a bad line is refused in its turn
            second, _ = self._cells(source, end, "replace")
            if any(cell.strip() and _is_number(cell) for cell in second):
                self.heading = cells[self._label_place()]

    def _check_learned(self, learned: Table, where: str) -> None:
        """Refuse to read columns in another way than the run has learned from."""
        learned.check_texts(self.options.categorical, where)
        if self.options.missing is None:
            self.missing = learned.missing
        elif self.missing == "feature" and not learned.named:
            raise InputError(
                where=where,
                expected="numbered features, as learned from",
                got=Phrase("names for missing values with ", argument("missing", "feature")),
                remedy=Phrase("Use ", argument("missing", "zero"), "."),
            )

    def _numbered(self, source: Source, label: int) -> list[str]:
        """Return the columns of a file without a header."""
        count = len(self._cells(source, 0, "replace")[0])
        if self.learned is None:
            return [str(k) for k in range(count)]
        bare = self.labels_optional and self.options.label is None
        return self.learned.numbered(count, label, bare, source.name)

    def _cells(self, source: Source, start: int, errors: str = "strict") -> tuple[list[str], int]:
        """Return the cells of the record that begins at ``start``, and where it ends.

        Empty lines before it are skipped. ``errors="replace"`` replaces bytes that are not UTF-8.
        """
        end = _record_end(source, start)
        while source.head[start:end] in (b"\n", b"\r\n"):
            start, end = end, _record_end(source, end)
        try:
            text = source.head[start:end].decode(errors=errors)
        except UnicodeDecodeError as error:
            line = source.head.count(b"\n", 0, start) + 1
            raise InputError(
                f"{source.name}:{line}: expected UTF-8, got {error.object[error.start]:#04x}. "
                "Convert the file."
            ) from None
        if self.delimiter is None:
            self.delimiter = max(_DELIMITERS, key="".join(text.split('"')[::2]).count)
        cells, fault = _core.csv_cells(text.encode(), self.delimiter)
        if fault:
            line = source.head.count(b"\n", 0, start) + 1
            raise InputError(
                f"{source.name}:{line}: {fault}.",
                remedy=Phrase(
                    "Mend the line; if the file is not a table, name its format with ",
                    Named("format", "format=…"), ".",
                ),
            )  # fmt: skip
        return cells, end

    def _advice_about(self, expected: str) -> Phrase:
        """Return what to do about a line that is not what was expected."""
        skip = argument("on_bad", "skip")
        if ": expected a label" in expected:
            return Phrase("Drop the row, or skip such lines with ", skip, ".")
        if self._begins_with_header and ":1: expected a number in column" in expected:
            return Phrase(
                "The first line looks like a header, and the model has learned from a file without "
                "one: delete the line, or learn from a file that has it."
            )
        if not expected.endswith((" cells", " cell")):
            return super()._advice_about(expected)
        return Phrase(
            "Mend the line, check delimiter and format, or skip such lines with ", skip, "."
        )

    def _label_place(self) -> int:
        if self.label is None and self.labels_optional:
            return -1
        if isinstance(self.label, int) and self.learned is not None:
            label = self.learned.label
            return self.columns.index(label) if label in self.columns else -1
        return self._place("label", self.label)

    def _place(self, parameter_name: str, column: str | int | None) -> int:
        if isinstance(column, int) and -len(self.columns) <= column < len(self.columns):
            return column % len(self.columns)
        if column not in self.columns:
            raise self._unknown(parameter_name, column)
        return self.columns.index(str(column))

    def _unknown(self, name: str, got: object) -> Exception:
        if got is not None:
            numbers = name == "label" and any(map(_is_value, self.columns))
            remedy = _WITHOUT_HEADER if numbers else ""
            return unknown_column(name, got, self.columns, self.name, remedy)
        shown = ", ".join(map(repr, self.columns[:20])) + (", …" if len(self.columns) > 20 else "")
        return ParameterError(
            where=name,
            expected=f"the column that holds it, of {self.name} ({shown})",
            got="none",
            remedy=Phrase(
                "Name it with ", argument("label"), "; of a file without a header ",
                argument("label", -1), " is the last one.",
            ),
        )  # fmt: skip


def _record_end(source: Source, start: int) -> int:
    """Return where a record ends: at a line end outside quotes. Look at every byte once."""
    text, before = source.head, 0
    inside, last = False, start
    while True:
        while end := text.find(b"\n", last) + 1:
            inside ^= text.count(b'"', last, end) % 2 == 1
            last = end
            if not inside:
                return before + end
        inside ^= text.count(b'"', last) % 2 == 1
        before, last = before + len(text), 0
        if before - start > opening.LONGEST_LINE:
            raise source.overlong(source.head.count(b"\n", 0, start) + 1)
        text = source.more()
        if not text:
            return before


def _is_value(cell: str) -> bool:
    """Say whether a cell of the first row is a number, as hardly any column is called."""
    return bool(cell.strip()) and _is_number(cell)


def _is_number(cell: str) -> bool:
    """Say whether a cell is a number, or looks like one that no float can hold."""
    return re.fullmatch(_NUMERAL, cell.strip(" \t")) is not None
