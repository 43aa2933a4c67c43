"""How files are read: the options that most verbs share."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Literal, Self

from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Part, dashed, frozen
from novikoff.errors import InputError
from novikoff.quick_records import record

if TYPE_CHECKING:  # these need NumPy, and a contradiction is refused without it
    from novikoff.streams.files.file_stream import Options
    from novikoff.streams.files.headers import Table
    from novikoff.streams.labels.declared import Declared
    from novikoff.streams.missing_values import Missing
    from novikoff.types import Label

# What decides which rounds a file holds, besides the file and its format.
_DECISIVE = ("label", "weight", "text", "words", "characters", "presence", "delimiter",
             "categorical", "ignore", "missing", "zero_based", "on_bad", "labels",
             "first")  # fmt: skip
# What files that are read later have in common with those that a model learned from.
_ALIKE = ("weight", "text", "words", "characters", "presence", "delimiter", "categorical",
          "ignore", "missing", "zero_based")  # fmt: skip
_RESUMED = ("label", "on_bad", "labels")
_PACKED = (".gz", ".bz2", ".xz", ".zst")


@record(frozen=True, kw_only=True)
class ReadingPlan(Part):
    """Files, and how they are read, in the words of the command line."""

    input: tuple[str, ...]
    format: str = "auto"
    label: str | None = None
    positive: str | None = None
    labels: str | None = None
    weight: str | None = None
    text: str | None = None
    words: int | None = None
    characters: str | None = None
    presence: bool = False
    delimiter: str | None = None
    categorical: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing: "Missing | None" = None
    columns: str | None = None
    zero_based: bool = False
    on_bad: Literal["stop", "skip"] | None = None
    threads: int | None = None
    first: int | None = None
    remembered: frozenset[str] = frozenset()
    """The options that a model has given; the files may be of a format that does not take them."""
    usual_label: str | None = None
    """The column of labels of the files that a model learned from."""
    table: "Table | None" = None
    """The columns of the CSV file that a model learned from."""
    usual_format: str | None = None
    """The format of those files."""
    numbered_as: tuple[str, ...] | None = None
    """The names of the numbered features that a model learned from."""

    def __post_init__(self) -> None:
        _runs(self.characters)

    def like(self, reading: Mapping[str, object] | None, table: "Table | None") -> Self:
        """Read files as a model's files were read, unless the options say otherwise."""
        if reading is None:
            return self
        found = self._completed(reading, _ALIKE)
        label, format = reading["label"], reading["format"]
        if self.format == "auto" and self.input == ("-",):
            found = replace(found, format=str(format))
        usual = None if label is None else str(label)
        return replace(found, usual_label=usual, usual_format=str(format), table=table)

    def resuming(self, reading: Mapping[str, object] | None) -> Self:
        """Take labels and bad lines as a resumed model does, unless the options say otherwise."""
        return self if reading is None else self._completed(reading, _RESUMED)

    def _completed(self, reading: Mapping[str, object], names: tuple[str, ...]) -> Self:
        missing = [name for name in names if not getattr(self, name)]
        known = {name: frozen(reading[name]) for name in missing if name in reading}
        plain = {name: value for name, value in known.items() if value is not None}
        return self.changed({**plain, "remembered": self.remembered | {*missing}})

    @property
    def decisive(self) -> dict[str, object]:
        """What decides which rounds a file holds, as plain data: what a model remembers."""
        said = {name: getattr(self, name) for name in _DECISIVE}
        found = {name: list(one) if isinstance(one, tuple) else one for name, one in said.items()}
        return found | {"on_bad": self.on_bad or "stop"}

    @property
    def is_usual(self) -> bool:
        """Whether the command line says nothing about how files are read."""
        usual = {field.name: field.default for field in fields(self)} | {"on_bad": None}
        said = {name: getattr(self, name) for name in (*_DECISIVE, "format", "columns")}
        said["on_bad"] = None if self.on_bad == "stop" else self.on_bad
        return all(value == usual[name] for name, value in said.items())

    def options(self) -> "Options":
        """Return the same as the library has it; refuse values that no file can be read with."""
        from novikoff.streams import Words
        from novikoff.streams.files.file_stream import Options

        return Options(
            positive=self.positive_label,
            label=as_column(self.label),
            weight=self.weight,
            text=self.text,
            words=Words(
                1 if self.words is None else self.words, _runs(self.characters), self.presence
            ),
            delimiter=self.delimiter,
            categorical=self.categorical,
            ignore=self.ignore,
            missing=self.missing,
            columns=self.columns_named,
            zero_based=self.zero_based,
            on_bad=self.on_bad or "stop",
            threads=self.threads,
            labels=declared_labels(self.labels),
            first=self.first,
        )

    def check(self) -> None:
        """Refuse values that no file can be read with, and options that a named format has not."""
        self.options()
        if self.format != "auto":
            self.check_format(self.format)

    def check_format(self, format: str) -> None:
        """Refuse options that files of this format do not take."""
        from novikoff.streams.files.formats import TAKEN

        for name, formats in TAKEN.items():
            given = getattr(self, name) and name not in self.remembered
            if given and format not in formats:
                raise UsageError(
                    f"{dashed(name)}: expected none for {format}, got one. Leave it out."
                )

    def files(self) -> tuple[str, ...]:
        """Return the files that the patterns match."""
        from novikoff.streams.files.opening import as_files

        return as_files(self.input)

    @property
    def positive_label(self) -> "Label | None":
        """The label that counts as +1, as files have it."""
        return None if self.positive is None else label_given(self.positive, "--positive")

    @property
    def columns_named(self) -> tuple[str | int, ...]:
        """The columns of a token that are named."""
        return columns_of(self.columns)

    def beside(self, ending: str) -> str:
        """Return a file in this folder, named after the first input."""
        first = self.input[0]
        name = "stdin" if first == "-" else os.path.basename(os.path.normpath(first))
        for suffix in _PACKED:
            name = name.removesuffix(suffix)
        stem = name.rpartition(".")[0] or name
        return f"{stem.replace('*', '_')}{ending}"


def used_up(files: Sequence[str] = ("-",)) -> InputError:
    """Return the refusal of a receipt about data that can be read only once."""
    from novikoff.streams.files.opening import is_pipe
    from novikoff.streams.files.recorded import in_shell

    pipe = next(filter(is_pipe, files))
    name = "standard input" if pipe == "-" else pipe
    return InputError(
        f"{name}: expected a file for a receipt, which reads it again, got a stream that is used "
        f"up. Spool it first: novikoff cache {in_shell([pipe])} --output FILE."
    )


def as_column(text: str | None) -> str | int | None:
    """Return a column's name, or its number in a file without a header."""
    return int(text) if text and re.fullmatch("-?[0-9]{1,9}", text) else text


def columns_of(text: str | None) -> tuple[str | int, ...]:
    """Return the columns that a text names, separated by commas."""
    found = [as_column(word) for word in text.split(",")] if text else []
    return tuple(column for column in found if column is not None)


def label_given(text: str, option: str) -> "Label":
    """Return a label that an option names, as files have it."""
    from novikoff.streams.files.grammar import label_of

    return label_of(text, option)


def declared_labels(text: str | None) -> "Declared":
    """Return the labels that are declared, separated by commas as the cells of a CSV file are."""
    if text is None:
        return ()
    if text == "open":
        return "open"
    cells: list[str] = []
    import csv

    with suppress(csv.Error):  # a line break outside quotes: no cells at all
        cells = [cell for row in csv.reader([text]) for cell in row]
    found = [label_given(cell, "--labels") for cell in cells]
    if len(found) < 2:
        raise UsageError(
            f"--labels: expected two or more, separated by commas, or open, got {text!r}."
        )
    return found


def _runs(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise UsageError(f"--characters: expected one number or two, as in 2-4, got {text!r}.")
    return int(first), int(last or first)
