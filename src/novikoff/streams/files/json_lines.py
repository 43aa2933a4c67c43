"""JSON lines: one object per line, whose members are the features."""

import json
import math
import re
from collections.abc import Iterator, Mapping

from novikoff import _core
from novikoff.errors import Named, Phrase, argument
from novikoff.saving.contents import is_text
from novikoff.streams.blocks.block import Block
from novikoff.streams.blocks.named import NamedBlock, named_fault
from novikoff.streams.dates import is_date
from novikoff.streams.files.file_chunks import ChunkBlock
from novikoff.streams.files.file_stream import Options
from novikoff.streams.files.headers import Table, check_names, like
from novikoff.streams.files.opening import Source
from novikoff.streams.files.pieces import PieceStream
from novikoff.streams.files.words import Texts
from novikoff.streams.missing_values import REFUSE, Missing, feature_of
from novikoff.streams.stream import Rounds
from novikoff.types import EXACT, Fields, Plain

_ROWS = 1024
_MEMBERS_SHOWN = 10
_MEMBERS_COMPARED, _LONGEST_COMPARED = 100, 100  # members, and letters of a name
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_FEATURES = _core.Features()  # only asked whether a row is one


class JsonStream(PieceStream):
    """Lines such as ``{"label": …, "name": value, …}``.

    A number or a bool is the feature ``name``, a string is the feature ``name=string``, a member of
    an inner object is called ``outer.inner``. null is left out, unless ``missing`` refuses it or
    makes it the feature ``name is missing``. With ``text`` the features are
    the words of that member, and the other members are left out.
    """

    format = "jsonl"
    named = True

    def __init__(self, files: tuple[str, ...], options: Options) -> None:
        super().__init__(files, options)
        self.weight, self.text = options.weight, options.text
        self.missing: Missing = options.missing or "zero"
        self._dateless: set[str] = set()  # members whose first text was not a date

    @property
    def label(self) -> str:
        """The member that is the label."""
        return self.usual_label if self.options.label is None else str(self.options.label)

    @property
    def texts(self) -> Texts | None:  # type: ignore[override]
        """How the member that holds a text becomes a row, if one does."""
        return None if self.text is None else Texts(words=self.options.words, member=self.text)

    def look_for_dates(self, row: Mapping[str, object]) -> None:
        """Refuse a date where a member has its first text."""
        for name, value in row.items():
            if type(value) is str and name not in self._dateless:
                if is_date(value):
                    found = f"expected a number or a category in {name!r}, got the date {value!r}; "
                    split = "split it into numbers, or leave it out with "
                    if any(name in one.split(",") for one in self.options.ignore):
                        each = Named("each_ignore", "ignore=['A', 'B']")
                        raise BadLine(Phrase(found, "name each member to ignore by itself: ", each))
                    raise BadLine(Phrase(found, split, argument("ignore")))
                self._dateless.add(name)

    def rounds_of(self, file: str, number: int) -> Iterator[Rounds]:
        """Yield the rounds of one file; those before a bad line come before its error."""
        with Source(file) as source:
            gathered = _Gathered(self, source.name)
            yield from self.handed_on(self.pieces(source), gathered, _ROWS)


class BadLine(Exception):  # noqa: N818
    """What is wrong with a line."""


class _Gathered:
    """Some rounds of a file."""

    def __init__(self, stream: JsonStream, file: str) -> None:
        self.stream, self.file = stream, file
        self._clear()

    def _clear(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.texts: list[bytes] = []
        self.labels: list[Plain] = []
        self.weights: list[float] = []
        self.lines: list[int] = []

    def __len__(self) -> int:
        return len(self.lines)

    def add(self, item: tuple[int, bytes]) -> None:
        """Add one line; a bad line changes nothing."""
        line, content = item
        try:
            self._add(line, content)
        except BadLine as bad:
            self.stream.bad(1, [Phrase(f"{self.file}:{line}: ", bad.args[0])])

    def _add(self, line: int, content: bytes) -> None:
        if not content.strip():
            return
        members = object_of(content)
        stream = self.stream
        for name in stream.options.ignore:
            members.pop(name, None)
        if stream.unused is not None:
            members.pop(stream.unused, None)
        label = members.pop(stream.label, None)
        if label is None and not stream.labels_optional:
            near = like(stream.label, members)
            meant = "" if near is None else f" (did you mean {near!r}?)"
            found = f"expected a label in {stream.label!r}, got none{meant}; name another with "
            raise BadLine(Phrase(found, argument("label")))
        if isinstance(label, (dict, list)):
            raise BadLine(f"expected a label in {stream.label!r}, got {type(label).__name__}")
        if isinstance(label, (int, float)) and abs(label) > EXACT:
            raise BadLine(f"expected a number within ±2^53 in {stream.label!r}, got {label}")
        weight = 1.0 if stream.weight is None else members.pop(stream.weight, None)
        if not isinstance(weight, (int, float)) or isinstance(weight, bool):
            raise BadLine(f"expected a weight in {stream.weight!r}, got {weight!r}")
        if stream.text is None:
            row: dict[str, object] = {}
            _flatten(members, "", row, stream.missing)
            stream.look_for_dates(row)
            if not _FEATURES.sound(row):
                raise BadLine(named_fault(row).split(". ")[0])
            self.rows.append(row)
        else:
            text = members.get(stream.text)
            if not isinstance(text, str):
                raise BadLine(_without_text(stream.text, members))
            if not is_text(text):
                raise BadLine(
                    f"expected text that UTF-8 can hold in {stream.text!r}, got half a pair"
                )
            self.texts.append(text.encode())
        self.labels.append(label)
        self.weights.append(float(weight))
        self.lines.append(line)

    def taken(self) -> Rounds:
        """Return them all, and be empty."""
        lines, file = self.lines, self.file
        block: Block
        if self.stream.text is None:
            block = NamedBlock(self.rows)
        else:
            parser = self.stream.options.words.parser()
            block = ChunkBlock(parser.texts(self.texts), len(self.texts))
        weights = None if self.stream.weight is None else self.weights
        rounds = Rounds(block, self.labels, weights, lambda t: f"{file}:{lines[t]}")
        self._clear()
        return rounds


def object_of(content: bytes) -> Fields:
    """Return the object of a line; every name must be there once, every number finite."""

    def once(pairs: list[tuple[str, Plain]]) -> Fields:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise BadLine("expected every name once in an object, got one twice")
        return found

    def number(word: str) -> float:
        value = float(word)
        if not math.isfinite(value):
            raise BadLine(f"expected finite numbers, got {word[:40]}")
        return value

    try:
        found = json.loads(
            content.decode(), object_pairs_hook=once, parse_constant=number, parse_float=number
        )
    except (ValueError, RecursionError) as error:
        raise BadLine(f"expected a JSON object, got {_shown(content)} ({error})") from None
    if not isinstance(found, dict):
        raise BadLine(f"expected a JSON object, got {_shown(content)}")
    if _SURROGATE.search(content) and not is_text(json.dumps(found, ensure_ascii=False)):
        raise BadLine(
            f"expected text that UTF-8 can hold, got half a surrogate pair in {_shown(content)}"
        )
    return found


def _without_text(name: str, members: Mapping[str, object]) -> str:
    """Say what is in place of a text: another value, or other members, the most alike first."""
    if name in members:
        return f"expected text in {name!r}, got {type(members[name]).__name__}"
    from difflib import SequenceMatcher  # only after a mistake

    likeness = SequenceMatcher(b=name)

    def unlike(other: str) -> float:
        likeness.set_seq1(other)
        return -likeness.ratio()

    some = [one for one in members if len(one) <= _LONGEST_COMPARED][:_MEMBERS_COMPARED]
    there = ", ".join(map(repr, sorted(some, key=unlike)[:_MEMBERS_SHOWN]))
    return f"expected text in {name!r}, got a record with {there or 'no such member'} instead"


def row_of(value: Plain, options: Options) -> object:
    """Return the x that a JSON value stands for, as a line of a file with the same options has it.

    An object holds named features, an array numbered ones. With ``text``, it is a text, or an
    object that has one.
    """
    if options.text is not None:
        text = value.get(options.text) if isinstance(value, dict) else value
        if not is_text(text):
            raise BadLine(f"expected text in {options.text!r}, got {type(text).__name__}")
        return options.words.features(text)
    if isinstance(value, dict):
        row: dict[str, object] = {}
        kept = {name: one for name, one in value.items() if name not in options.ignore}
        _flatten(kept, "", row, options.missing or "zero")
        return row
    if isinstance(value, list) and all(type(one) in (int, float) for one in value):
        return value
    raise BadLine(f"expected an object of features or an array of numbers, got {_described(value)}")


def row_by_columns(
    members: Fields, columns: tuple[str, ...], table: Table | None, options: Options
) -> object:
    """Return the x of an object that holds a row of a table by the names of its columns.

    ``columns`` are the features that were learned from, ``table`` the CSV file if it was one. The
    row is read as the file's: an array of numbers, or named features if some column holds text.
    """
    kept = {name: one for name, one in members.items() if name not in options.ignore}
    check_names(columns, tuple(kept), "x")
    missing = options.missing or (REFUSE if table is None else table.missing)
    texts = () if table is None else table.texts
    row = {name: _cell(name, kept[name], name in texts, missing) for name in columns}
    if table is None or not table.named:
        return [value for feature in row.values() for value in feature.values()]
    return {name: one for feature in row.values() for name, one in feature.items() if one != 0}


def _cell(name: str, value: Plain, holds_text: bool, missing: Missing) -> dict[str, float]:
    """Return the feature that the value of a column is, as in a CSV file."""
    if value is None or value == "":
        if missing == REFUSE:
            raise BadLine(f"expected a value in {name!r}, got {json.dumps(value)}")
        return {feature_of(name): 1.0} if missing == "feature" else {name: 0.0}
    if holds_text and type(value) in (str, int, float):
        return {f"{name}={value}": 1.0}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {name: value}
    kind = "text or a number" if holds_text else "a number"
    raise BadLine(f"expected {kind} in {name!r}, got {_described(value)}")


def _described(value: Plain) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _flatten(
    members: Mapping[str, Plain], prefix: str, row: dict[str, object], missing: Missing
) -> None:
    """Put the members of inner objects into one row. json refuses deep nesting."""
    for name, value in members.items():
        full = f"{prefix}{name}"
        if value is None:
            if missing == "refuse":
                raise BadLine(f"expected a value in {full!r}, got null")
            if missing == "feature":
                _add(feature_of(full), 1.0, row)
        elif isinstance(value, dict):
            _flatten(value, f"{full}.", row, missing)
        elif isinstance(value, list):
            raise BadLine(f"expected a number, a string or an object in {full!r}, got an array")
        else:
            _add(full, value, row)


def _add(name: str, value: Plain, row: dict[str, object]) -> None:
    if name in row:
        raise BadLine(f"expected every feature once, got {name!r} twice")
    row[name] = value


def _shown(content: bytes) -> str:
    text = content.strip()[:40].decode(errors="backslashreplace")
    return repr(text)
