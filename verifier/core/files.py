"""Files of data: svmlight and CSV, by the grammar of docs/grammar.md."""

import math
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Self

from verifier.core.certificate import BadData, Names, expect, shown

Label = str | int | float
Row = tuple[str, Any, Any]  # where it is, its label, Entries or (index, value) pairs; or others
Rows = Callable[[], Iterable[Row]]
Matcher = Callable[[bytes], re.Match[bytes] | None]
NUMBER = rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
IS_NUMBER = re.compile(NUMBER).fullmatch
IS_NAMED_NUMBER = re.compile(rb"(?i)[-+]?(nan|inf|infinity)").fullmatch
IS_WORD = re.compile(rb"[A-Za-z_\x80-\xff][^:,]*", re.DOTALL).fullmatch
IS_ENTRY = re.compile(rb"0*([0-9]{1,10}):(" + NUMBER + rb")").fullmatch
# What does not make a column of CSV one of text: what looks like a number, and what is missing.
IS_NUMERAL = re.compile(
    rb"(?i)[-+]?([0-9.]+(e[-+]?[0-9]+)?|nan|inf|infinity)|na|n/a|null|\??"
).fullmatch
MISSING = (b"", b"?", b"na", b"n/a", b"nan", b"null")
MOST_INDEX, EXACT = (1 << 31) - 18, 1 << 53
LONGEST_LINE = 1 << 28
NO_DELIMITERS = b'"\r\n+-.0123456789eE'
NUMERALS = b"0123456789.eE+-"  # what numbers are written with
MOST_KNOWN = 1 << 10


class Entries:
    """The values of a row, none of them 0 or infinite, and their indices, which ascend from 0.

    ``packed`` are the bytes that are hashed of them: of each its index, then its value.
    """

    __slots__ = ("indices", "packed", "values")

    def __init__(
        self, indices: list[int], values: list[float], packed: bytes | None = None
    ) -> None:
        self.indices, self.values = indices, values
        if packed is None:
            pairs: list[float] = [0] * (2 * len(indices))
            pairs[::2], pairs[1::2] = indices, values
            packed = struct.pack("<" + "Qd" * len(indices), *pairs)
        self.packed = packed

    @classmethod
    def of(cls, packed: bytes) -> Self:
        """Return the entries that were packed."""
        pairs = struct.unpack("<" + "Qd" * (len(packed) // 16), packed)
        return cls(list(pairs[::2]), list(pairs[1::2]), packed)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.indices, self.values, strict=True)


class Known(dict[bytes, float]):
    """The floats of texts, each read once as long as they are few."""

    def __missing__(self, text: bytes) -> float:
        value = float(text)
        if len(self) < MOST_KNOWN:
            self[text] = value
        return value


def records(path: str, quoted: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield where each line of a file begins and its bytes without their end, LF or CR LF.

    With `quoted` a line end behind an odd number of quotes is part of its record. An empty line
    follows the last one.
    """
    with open(path, "rb") as file:
        parts: list[bytes] = []
        begin, inside, length = 1, False, 0
        lines = iter(partial(file.readline, LONGEST_LINE + 4), b"")  # 3 are of a byte order mark
        for place, line in enumerate(chain(lines, [b""]), 1):
            if place == 1:
                expect(not line.startswith(b"BZh"), f"{path}:1", "plain text", "a file of bzip2")
            parts.append(line.removeprefix(b"\xef\xbb\xbf") if place == 1 else line)
            length += len(parts[-1])
            if length > LONGEST_LINE:
                expect(False, f"{path}:{begin}", f"a line of at most {LONGEST_LINE} bytes", "more")
            inside ^= quoted and line.count(b'"') % 2 == 1
            if not inside or not line:
                yield f"{path}:{begin}", b"".join(parts).removesuffix(b"\n").removesuffix(b"\r")
                parts, begin, length = [], place + 1, 0


def tokens(line: bytes) -> list[bytes]:
    """Return what stands between blanks: spaces and tabs, and nothing else."""
    return [token for token in line.replace(b"\t", b" ").split(b" ") if token]


def decoded(text: bytes, where: str) -> str:
    """Return the text that bytes are."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise BadData(f"{where}: expected text in UTF-8, got {shown(text)}") from None


def number(text: bytes, where: str, known: object = None) -> float:
    """Return the float nearest to a number in a file, which may be known to be one."""
    value = float(text) if known or IS_NUMBER(text) else math.nan
    if not math.isfinite(value):
        expect(False, where, "a finite number", text)
    return value


def label_of(text: bytes, where: str) -> Label:
    """Return the label that a text in a file is: a number within ±2^53, or a word."""
    bare = text.strip(b" \t")
    expect(bare and not IS_NAMED_NUMBER(bare), where, "a label", text)
    if not IS_NUMBER(bare):
        return decoded(text, where)
    value = float(bare)
    rounded = abs(value) == EXACT and Decimal(bare.decode()).copy_abs() > EXACT
    sound = abs(value) <= EXACT and not rounded
    expect(sound, where, "a number within ±2^53 as the label", text)
    return int(value) if value.is_integer() else value


def entries(
    found: list[bytes], where: str, form: str = "index:value", is_entry: Matcher = IS_ENTRY
) -> list[tuple[int, bytes]]:
    """Return index:value pairs, or others of that form, as (index − 1, value), every index once."""
    items: list[tuple[int, bytes]] = []
    for token in found:
        match = is_entry(token)
        if not match or not 0 < int(match[1]) <= MOST_INDEX:
            raise BadData(f"{where}: expected {form}, indices from 1, got {shown(token)}")
        items.append((int(match[1]) - 1, match[2]))
    expect(len(dict(items)) == len(items), where, "every feature once", [j + 1 for j, _ in items])
    return items


def plain_row(line: bytes, known: Known) -> tuple[bytes, Entries] | None:
    """Return the label and the values of a line "label index:value …" in which nothing is unusual.

    None says that the line has to be looked at more closely: a comment, an index out of order, a
    value of 0, or something that is wrong. What is between numbers shows that the line has this
    form, and then int and float take exactly the numbers of the grammar.
    """
    line = line.rstrip(b" ")
    count = line.count(b":")
    if line.translate(None, NUMERALS) != b" :" * count or b" +" in line:
        return None
    label, *numbers = line.replace(b":", b" ").split(b" ")
    try:
        indices = [int(text) - 1 for text in numbers[::2]]
        few = len(known) < MOST_KNOWN
        values = list(map(known.__getitem__ if few else float, numbers[1::2]))
    except ValueError:
        return None
    ascending = indices == sorted(indices) and len({*indices}) == count
    if not (ascending and all(values) and math.isfinite(sum(values))):
        return None
    if count and not 0 <= indices[0] <= indices[-1] < MOST_INDEX:
        return None
    return label, Entries(indices, values)


def read_svmlight(path: str) -> Iterator[Row]:
    """Yield the rows of an svmlight file: label [qid:n] index:value … [# comment]."""
    known, labels = Known(), dict[bytes, Label]()
    for where, line in records(path):
        plain = plain_row(line, known)
        if plain and plain[0] in labels:
            yield where, labels[plain[0]], plain[1]
            continue
        found = tokens(line.partition(b"#")[0])
        if found:
            first, *rest = found
            expect(IS_NUMBER(first) or IS_WORD(first), where, "a label", first)
            label = label_of(first, where)
            if len(labels) < MOST_KNOWN:
                labels[first] = label
            if rest and rest[0][:4] == b"qid:" and rest[0][4:].isdigit():
                rest = rest[1:]
            pairs = entries(rest, where)
            yield where, label, [(j, number(value, where, known=True)) for j, value in pairs]


def cells(record: bytes, mark: bytes, where: str) -> list[bytes]:
    """Return the cells of a record of CSV, each with quotes around it or none."""
    if b'"' not in record:
        return record.split(mark)
    cell = re.compile(rb'"((?:[^"]++|"")*+)"|[^"' + re.escape(mark) + rb"]*")
    found, at = [], -1
    while at < len(record):
        match = cell.match(record, at + 1)
        assert match  # of no characters, if of no others
        at = match.end()
        whole = record[at : at + 1] in (b"", mark)
        expect(whole, where, "quotes around whole cells", record[match.start() :])
        found.append(match[0] if match[1] is None else match[1].replace(b'""', b'"'))
    return found


def columns(top: tuple[str, bytes], mark: bytes, label: str | int) -> list[str]:
    """Return the names of columns: the first record, or numbers where the label is one."""
    found = cells(top[1], mark, top[0])
    names = [str(k) if isinstance(label, int) else decoded(c, top[0]) for k, c in enumerate(found)]
    expect(len({*names}) == len(names), top[0], "every column once", names)
    return names


class Table(NamedTuple):
    """A CSV file that was opened: where it begins, its records, and how they are read."""

    top: str
    rows: Iterator[tuple[str, bytes]]
    mark: bytes
    names: list[str]
    label: str  # the column that is asked for


def table(path: str, label: str | int, mark: bytes = b"") -> Table:
    """Open a CSV file, which has a header unless the column asked for is a number."""
    rows: Iterator[tuple[str, bytes]] = (r for r in records(path, quoted=True) if r[1])
    top = next(rows, (f"{path}:1", b""))
    mark = mark or max(b",", b"\t", b";", key=b"".join(top[1].split(b'"')[::2]).count)
    sound = len(mark) == 1 and mark.isascii() and mark not in NO_DELIMITERS
    expect(sound, path, "one character of ASCII as the delimiter, no part of a number", mark)
    names = columns(top, mark, label)
    if isinstance(label, int):
        rows = chain([top] if top[1] else [], rows)
        label = names[label] if -len(names) <= label < len(names) else f"number {label}"
    expect(label in names, top[0], f"a column {label!r}", names)
    return Table(top[0], rows, mark, names, label)


def read_csv(
    path: str,
    label: str | int,
    mark: bytes = b"",
    texts: Names = (),
    ignored: Names = (),
    missing: str = "refuse",
) -> Iterator[Row]:
    """Yield the rows of a CSV file, which has a header unless its label column is a number.

    If some column holds text, by its first cell or because it is one of `texts`, or if a missing
    value is a feature, features are named; otherwise they are numbered as their columns.
    """
    ways = ("refuse", "zero", "feature")
    expect(missing in ways, path, "missing values to refuse, zero or feature", missing)
    top, rows, mark, names, label = table(path, label, mark)
    for name in (*texts, *ignored):
        expect(name in names, top, f"a column {name!r}", names)
    kinds, known = None, dict[str, int]()
    for where, record in rows:
        row = dict(zip(names, found := cells(record, mark, where), strict=False))
        expect(len(found) == len(names), where, f"{len(names)} cells", len(found))
        y = label_of(row[label], where)
        row = {name: row[name] for name in names if name != label and name not in ignored}
        if kinds is None:
            kinds = {n: n in texts or not IS_NUMERAL(c.strip(b" \t")) for n, c in row.items()}
        yield where, y, features(row, kinds, known, where, missing)


def features(
    row: dict[str, bytes], texts: dict[str, bool], known: dict[str, int], where: str, missing: str
) -> list[tuple[int, float]]:
    """Return the features of a row of CSV by their columns, or by their names if some are text.

    A name gets its number when it first appears with another value than 0, in a row by its bytes.
    """
    pairs = []
    for name, cell in row.items():
        bare = cell.strip(b" \t")
        if missing != "refuse" and bare.lower() in MISSING:
            pairs.append((f"{name} is missing", 1.0) if missing == "feature" else (name, 0.0))
        elif texts[name]:
            pairs.append((f"{name}={decoded(cell, where)}", 1.0))
        else:
            pairs.append((name, number(bare, where)))
    if missing != "feature" and not any(texts.values()):
        return [(k, value) for k, (_, value) in enumerate(pairs)]
    pairs = [(name, value) for name, value in pairs if value]
    expect(len(dict(pairs)) == len(pairs), where, "every feature once", [n for n, _ in pairs])
    for name in sorted(dict(pairs).keys() - known.keys()):
        known[name] = len(known)
    return [(known[name], value) for name, value in pairs]


class WholeCell(bytes):
    """A cell of a CSV file. All of it counts; of a line without columns, the first word may do."""


def read_predictions(path: str, column: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file of predictions, or the cells of a column of a CSV file.

    A column is named by its header, or by a number if the file has no header.
    """
    if not column:
        lines = list[tuple[str, bytes]]()
        for line in records(path):
            yield from lines
            lines = [line]
        yield from (line for line in lines if line[1])  # what follows the last line end
        return
    label = int(column) if re.fullmatch("-?[0-9]{1,9}", column) else column
    _, rows, mark, names, name = table(path, label)
    for where, record in rows:
        found = cells(record, mark, where)
        expect(len(found) == len(names), where, f"{len(names)} cells", len(found))
        yield where, WholeCell(found[names.index(name)])
