"""The verifier of certificates: it trusts nothing in them and nothing of the library.

    python verifier.py certificate.json data.svm        # exit 0: verified, 1: refused, 2: usage,
    python verifier.py certificate.json data.csv LABEL  # 3: data that cannot be read, too much work
    python verifier.py certificate.json data.svm predictions=FILE   # a claim about predictions

It uses the standard library alone. Every number that a certificate states is computed again,
exactly, from the data and the evidence: a float is a whole number over a power of two, and so are
sums of products of floats. A certificate is verified if its own digest, the data's digest, the run
when it is played again, the hypotheses of its theorem and the bound, rounded up to a float, are
what it says. Rows are read again for every pass, never kept, and each reading is hashed: all of
them must be the data that the certificate names. docs/certificates.md describes the fields.

The core comes first. It knows no learner and no theorem:

    certificate   The form of a certificate, its own digest, the rounds of its mistakes.
    files         Files of data: svmlight and CSV, by the grammar of docs/grammar.md.
    ahead         Reading ahead: another process turns the text of a large file into rows.
    exact         Exact arithmetic: a float is a whole number over a power of two.
    enclosures    Enclosures of real numbers, with as many digits as it takes.
    duals         Lower bounds of what the best fixed weights lose, with their penalty: duals.
    models        Saved models, from which a run may go on: arrays in a file that need no trust.
    transforms    Transforms: what a model makes of a raw row before its learner sees it.
    data          Rounds that are read again for every pass, never kept, and hashed every time.
    theorem       Theorems: each is stated once, and the library takes its texts from here.
    learner       Learners: their parameters, and runs that are played again.
    predicted     Predictions that somebody made, one for each row, and what can be claimed of them.
    check         The check of a certificate on data, and the command line.
    links         Chains of certificates: each run goes on from where the one before it ended.

The families behind it add theirs to THEOREMS, LEARNERS and PARAMETERS. Any of them can be left out
if no other builds on it:

    perceptron    The perceptron with two labels, and what measures a run by a comparator.
    separability  Claims about data alone: that some w separates them, or that none does.
    batch         What the mistakes of one pass say of examples not yet seen.
    multiclass    The perceptron with many classes.
    minnow        Minnow and balanced Minnow: sums of exponentials.
    kernel        The kernel perceptron; the sign of sums of exponentials is Minnow's.
    halfspaces    Texts of theorems about halfspaces that have no certificate.
    finite        Finite classes: halving and its relatives, and disjunctions by elimination.
    experts       Experts and arms: weighted majority, Hedge and bandits.
    chains        Chains: the structured perceptron on sentences.
    losses        Learners for losses, which are float programs: they are replayed bit for bit.
    betting       CoinBetting, a float program without a rate, and what its wealth says of a run.
    mixture       Parts of Blend: the Newton steps, the base rates, and the mixture of all members.
    blend         Blend, a mixture of learners for losses: it is replayed bit for bit.
    class_mixture Parts of Blend for many classes: sums, base rates, a Newton member and the stack.
    class_losses  The log loss of a comparator with many classes from above, its dual from below.
    class_blend   Blend for many classes: it is replayed bit for bit.
    linear_start  Perceptrons that go on from a saved model: their first weights are other than 0.
    loss_start    Float programs for losses that go on from the state of a saved model.
    blend_start   Blend that goes on from a saved model: its weights at the start are the prior.
    descent       Gradient descent, a float program, and what bounds its loss.
    descent_start Gradient descent that goes on from the weights of a saved model.
    filtered      Perceptrons in floats where those decide, and in whole numbers where they do not.
    fixed_weights Predictions of anybody's learner: what they lose, against the best fixed weights.
    fresh         Predictions of a frozen model on fresh rows: what they say of rows to come.
    frozen_blends A mixture of frozen Blends, such as those of shards: they learn nothing.
    mixing        Parameter mixing: shards that play every epoch from the mean of their weights.
    regression    Regression: labels are real numbers, and the learner is a float program.
    squares       Predictions of numbers: what they lose by squares, against the best fixed weights.
    still_classes A mixture of frozen Blends with many classes, such as those of shards.

This file is written from the folder `verifier` by `python -m verifier.build`: change it there.
"""

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # modules beside this file must not stand in for the standard library's

import base64
import gc
import hashlib
import json
import marshal
import math
import os
import re
import struct
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial, reduce
from itertools import chain, combinations, count, islice, pairwise, repeat
from math import comb, frexp, fsum, inf, isfinite, ldexp, nextafter, sqrt
from multiprocessing import Pipe, current_process, get_all_start_methods, get_context
from multiprocessing.connection import Connection
from operator import add, itemgetter, mul
from signal import SIG_IGN, SIGINT, signal
from threading import active_count
from typing import Any, Generic, Literal, NamedTuple, Self, TypedDict, TypeGuard, TypeVar
from warnings import catch_warnings, simplefilter

# From core/certificate.py:
#
# The form of a certificate, its own digest, the rounds of its mistakes.

FORMAT = "novikoff-certificate/1"
FLOAT_FORMAT = "novikoff-certificate/2"  # of runs of float programs, docs/programs.md
FIELDS = [
    "assumptions", "bound", "data", "evidence", "format", "learner", "mistakes", "sha256",
    "statement", "theorem",
]  # fmt: skip
FLOAT_FIELDS = sorted([*FIELDS, "program", "start", "states"])
TRANSFORMS = "transforms"  # the field of a run whose learner sees other rows than the raw ones
REMARKS = ("reading", "model")  # what it may say besides: not checked, not needed

Names = tuple[str, ...]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Object = dict[str, Json]


class Refused(Exception):  # noqa: N818
    """Why a certificate is refused."""


class BadData(Exception):  # noqa: N818
    """Where data cannot be read, what was expected and what was got: no verdict."""


class TooLarge(BadData):
    """What would take more work than this verifier does: no verdict."""


class Verdict(NamedTuple):
    """What the verifier says."""

    verified: bool
    theorem: str | None
    observed: float | None
    bound: float | None
    reason: str


def require(condition: object, reason: str) -> None:
    """Refuse the certificate if something does not hold."""
    if not condition:
        raise Refused(reason)


def expect(condition: object, where: str, what: str, got: object) -> None:
    """Say where data are not what they should be."""
    if not condition:
        text = shown(got) if isinstance(got, bytes) else str(got)[:60]
        raise BadData(f"{where}: expected {what}, got {text}")


def shown(text: bytes) -> str:
    """Return some bytes in quotes."""
    return repr(text[:40].decode(errors="backslashreplace"))


def canonical(value: object) -> bytes:
    """Return the bytes of a value: those of 1, 1.0 and true differ, and NaN has none."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_certificate(text: bytes) -> Object:
    """Read a certificate whose fields and own digest are right."""

    def once(pairs: list[tuple[str, Json]]) -> Object:
        require(len(dict(pairs)) == len(pairs), "a key appears twice")
        return dict(pairs)

    content: Json = json.loads(text, object_pairs_hook=once)
    if not (isinstance(content, dict) and content.get("format") in (FORMAT, FLOAT_FORMAT)):
        raise Refused(strange(content))
    names = FIELDS if content["format"] == FORMAT else FLOAT_FIELDS
    same = sorted(content.keys() - {"remarks", TRANSFORMS}) == names
    require(same, f"its fields are not {', '.join(names)}")
    remarks = fields(content.get("remarks", {}), REMARKS, "remarks", REMARKS)
    require(all(isinstance(v, dict) for v in remarks.values()), "its remarks are others")
    covered = canonical({name: content[name] for name in content if name != "sha256"})
    require(hashlib.sha256(covered).hexdigest() == content["sha256"], "it has been changed")
    return dict(content)


def certificate_in(path: str) -> bytes:
    """Return the bytes of a certificate's file; a pipe would wait for its writer."""
    expect(os.path.isfile(path), path, "a regular file with a certificate", "none")
    with open(path, "rb") as file:
        return file.read()


def strange(content: Json) -> str:
    """Say what is wrong with a certificate that is in neither format."""
    found = content.get("format") if isinstance(content, dict) else None
    later = r"novikoff-certificate/([3-9]|[1-9][0-9]{1,8})"
    if isinstance(found, str) and re.fullmatch(later, found):
        return f"it is a {found}, and this verifier knows versions 1 and 2: take a later verifier"
    return f"it is no {FORMAT} and no {FLOAT_FORMAT}"


def fields(value: Json, names: Names, what: str, optional: Names = ()) -> Object:
    """Return an object that must have exactly these fields; optional ones may be left out."""
    needed = {*names} - {*optional}
    if not (isinstance(value, dict) and needed <= value.keys() <= {*names}):
        listed = ", ".join(f"perhaps {name}" if name in optional else name for name in names)
        form = f"the fields {listed}" if names else "no fields"
        raise Refused(f"its {what} must have {form}; this version knows no others")
    return value


def text_of(value: Json, what: str) -> str:
    """Return a value that must be a text."""
    if not isinstance(value, str):
        raise Refused(f"its {what} is no text")
    return value


def stated_states(value: Json) -> dict[int, str]:
    """Return {round: hash of the state after it} from a list of pairs in ascending order."""
    found: dict[int, str] = {}
    last = 0
    for pair in value if isinstance(value, list) else [None]:
        t, digest = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if not (type(t) is int and last < t and isinstance(digest, str)):
            raise Refused("its states are no list of rounds, each with a hash")
        found[t], last = digest, t
    return found


def unpacked(text: str) -> Iterator[int]:
    """Yield rounds from their gaps, each in base 128 with its low digits first, all in base 64.

    There is one way to write them: no gap has more digits than it takes.
    """
    digits = base64.b64decode(text.encode(), validate=True)
    require(base64.b64encode(digits) == text.encode(), "its mistakes are not written in base 64")
    last = gap = shift = 0
    for digit in digits:
        gap |= (digit & 127) << shift
        shift += 7
        require(shift < 70 and (digit or shift == 7), "its mistakes are no rounds")
        if digit < 128:
            last, gap, shift = last + gap, 0, 0
            yield last
    require(shift == 0, "its mistakes end in the middle of a round")


# From core/files.py:
#
# Files of data: svmlight and CSV, by the grammar of docs/grammar.md.

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


# From core/ahead.py:
#
# Reading ahead: another process turns the text of a large file into rows.
#
# They come in the order of the file. A row means the same wherever it was read, and what is hashed
# are the rows, not the text.

LARGE = 1 << 24  # bytes, below which starting a process takes longer than it saves
TOGETHER = 256  # rows that are sent at once
UNSHARED = 2  # the format of marshal without references, which rows seldom have


def ahead(rows: Rows, path: str) -> Rows:
    """Return what reads the rows of a file, in another process if the file is large.

    The process is a fork of this one. Other threads would make that unsafe, and a process of a
    pool may have no children.
    """
    worthwhile = os.path.getsize(path) >= LARGE and (os.cpu_count() or 1) > 1
    alone = active_count() == 1 and not current_process().daemon
    safe = alone and "fork" in get_all_start_methods()
    return (lambda: received(rows)) if worthwhile and safe else rows


def received(rows: Rows) -> Iterator[Row]:
    """Yield the rows that another process reads."""
    receiver, sender = Pipe(duplex=False)
    reader = get_context("fork").Process(target=send, args=(rows, receiver, sender), daemon=True)
    collecting = gc.isenabled()
    gc.disable()  # there for good: what others left here might wait for threads that are not there
    try:
        with catch_warnings():  # of threads of libraries, which look after themselves in a fork
            simplefilter("ignore", DeprecationWarning)
            reader.start()
    finally:
        if collecting:
            gc.enable()
    sender.close()
    begun, died = False, False
    try:
        while sent := marshal.loads(receiver.recv_bytes()):
            begun = True
            if isinstance(sent, str):
                raise BadData(sent)
            for where, label, items in sent:
                yield where, label, Entries.of(items) if isinstance(items, bytes) else items
    except EOFError:
        died = True
    finally:
        receiver.close()
        reader.kill()  # whatever this process does with signals, the other one does, too
        reader.join()
    if died and begun:
        raise BadData("the data: expected a process to read them, got none that did")
    if died:  # some libraries let no fork of a process that has used them live
        yield from rows()


def send(rows: Rows, receiver: Connection, sender: Connection) -> None:
    """Send rows, many at once and at last none; or what is wrong with the data."""
    receiver.close()  # so that sending fails if the other process has ended
    signal(SIGINT, SIG_IGN)  # the other process hears Ctrl-C, and ends this one
    try:
        source = iter(rows())
        while sent := [plain(row) for row in islice(source, TOGETHER)]:
            sender.send_bytes(marshal.dumps(sent, UNSHARED))
        sender.send_bytes(marshal.dumps([], UNSHARED))
    except (BadData, OSError) as error:
        sender.send_bytes(marshal.dumps(str(error), UNSHARED))


def plain(row: Row) -> Row:
    """Return a row that is made of lists, texts and numbers, or of bytes that hold them."""
    where, label, items = row
    return where, label, items.packed if isinstance(items, Entries) else items


# From core/exact.py:
#
# Exact arithmetic: a float is a whole number over a power of two.

Vector = tuple[list[int], list[int]]  # indices, and values as whole numbers
LEAST, MOST = math.ulp(0.0), sys.float_info.max  # of the floats above 0
BELOW_1, BELOW_1E100 = math.nextafter(1.0, 0.0), math.nextafter(1e100, 0.0)


def grid(values: Iterable[float]) -> int:
    """Return the least g for which every value times 2^g is whole."""
    return max([d for _, d in map(float.as_integer_ratio, values)], default=1).bit_length() - 1


def whole(values: Iterable[float], g: int) -> list[int]:
    """Return each value times 2^g, which is whole."""
    try:
        return list(map(int, map(math.ldexp, values, repeat(g))))
    except OverflowError:  # beyond what a float holds
        return [int(Fraction(v) * (1 << g)) for v in values]


def dot(w: dict[int, int], x: Vector) -> int:
    """Return w·x."""
    return sum(map(mul, map(w.get, x[0], repeat(0)), x[1]))


def least_float(value: Fraction, root: Fraction = Fraction(0)) -> float:
    """Return the least float that is at least value + √root, infinity if there is none."""
    n, d = root.numerator, root.denominator
    try:
        near = float(value + Fraction(math.isqrt(n * d << 128), d << 64))  # to 64 bits, from below
    except OverflowError:
        return math.inf

    def enough(at: int) -> bool:
        f = float_at(at)
        return f == math.inf or (f >= value and (Fraction(f) - value) ** 2 >= root)

    low = high = place_of(near)
    while not enough(high):  # it is the next float, unless value and √root cancel
        low, high = high, min(2 * high - low + 1, place_of(math.inf))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float_at(high)


def place_of(value: float) -> int:
    """Return the place of a float among all floats, that of 0 being 0."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & (1 << 63) - 1)


def float_at(place: int) -> float:
    """Return the float at a place."""
    found: float = struct.unpack("<d", struct.pack("<q", abs(place)))[0]
    return found if place >= 0 else -found


def above_0(value: Json, name: str, most: float = MOST) -> Fraction:
    """Return a float that must be above 0 and at most so much."""
    if not (isinstance(value, float) and 0 < value <= most):
        raise Refused(f"its {name} is no float above 0 and up to {most}")
    return Fraction(value)


# From core/enclosures.py:
#
# Enclosures of real numbers, with as many digits as it takes.

T = TypeVar("T")
Rounded = Callable[[Decimal, Decimal], Decimal]


class Precision:
    """Decimals of so many digits, rounded down and rounded up, with exponents of any size."""

    def __init__(self, digits: int) -> None:
        self.down, self.up = (
            Context(prec=digits, rounding=way, Emax=10**17, Emin=-(10**17), traps=[])
            for way in (ROUND_FLOOR, ROUND_CEILING)
        )

    def of(self, value: "Enclosure | Fraction | int") -> "Enclosure":
        """Enclose a whole number or a fraction."""
        if isinstance(value, Enclosure):
            return value
        n, d = Decimal(value.numerator), Decimal(value.denominator)
        return Enclosure(self, self.down.divide(n, d), self.up.divide(n, d))


class Enclosure:
    """Two decimals between which a real number lies: every operation rounds outward."""

    def __init__(self, digits: Precision, low: Decimal, high: Decimal) -> None:
        self.digits, self.low, self.high = digits, low, high

    def __neg__(self) -> "Enclosure":
        return Enclosure(self.digits, self.high.copy_negate(), self.low.copy_negate())

    def __add__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        at, term = self.digits, self.digits.of(other)
        return Enclosure(at, at.down.add(self.low, term.low), at.up.add(self.high, term.high))

    __radd__ = __add__

    def __sub__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        return self + -self.digits.of(other)

    def __rsub__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        return -self + other

    def __mul__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        factor = self.digits.of(other)
        return self.ends(self.digits.down.multiply, self.digits.up.multiply, factor)

    __rmul__ = __mul__

    def __truediv__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        divisor = self.digits.of(other)
        if divisor.low <= 0 <= divisor.high:
            return Enclosure(self.digits, Decimal("-Infinity"), Decimal("Infinity"))
        return self.ends(self.digits.down.divide, self.digits.up.divide, divisor)

    def __rtruediv__(self, other: "Enclosure | Fraction | int") -> "Enclosure":
        return self.digits.of(other) / self

    def ends(self, down: Rounded, up: Rounded, other: "Enclosure") -> "Enclosure":
        """Return the least and the greatest result of the ends."""
        pairs = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        lows, highs = ([way(a, b) for a, b in pairs] for way in (down, up))
        return Enclosure(self.digits, min(lows), max(highs))

    def rising(self, function: Callable[[Context, Decimal], Decimal], exact: int) -> "Enclosure":
        """Apply what rises and is rounded to the nearest decimal, hence off by less than a unit.

        At `exact` it is whole, and not rounded.
        """
        down, up = self.digits.down, self.digits.up
        low, high = function(down, self.low), function(up, self.high)
        low = low if self.low == exact else down.next_minus(low)
        return Enclosure(self.digits, low, high if self.high == exact else up.next_plus(high))

    def exp(self) -> "Enclosure":
        """Return e to this power."""
        return self.rising(Context.exp, 0)

    def ln(self) -> "Enclosure":
        """Return the natural logarithm of what is above 0."""
        return self.rising(Context.ln, 1)

    def sqrt(self) -> "Enclosure":
        """Return the square root of what is at least 0."""
        return self.rising(Context.sqrt, 0)


DIGITS = (18, *(40 << doublings for doublings in range(8)))  # the first few fit a machine word


def settled(enclosure: Callable[[Precision], Enclosure], settle: Callable[[Decimal], T]) -> T:
    """Return what both ends of an enclosure settle on when it has enough digits."""
    for digits in DIGITS:
        found = enclosure(Precision(digits))
        if found.low.is_finite() and found.high.is_finite():
            low, high = settle(found.low), settle(found.high)
            if low == high:
                return low
    raise TooLarge("the certificate: it takes more than 5000 digits to decide")


def least_float_above(value: Decimal) -> float:
    """Return the least float that is at least a decimal, infinity if there is none."""
    if value > Decimal("1e400"):
        return math.inf
    if value.copy_abs() < Decimal("1e-400"):  # as a fraction it might take all memory
        return LEAST if value > 0 else 0.0
    return least_float(Fraction(value))


def rounded_up(formula: Callable[[Precision], Enclosure]) -> float:
    """Return the least float that is at least the value of a formula."""
    return settled(formula, least_float_above)


# From core/duals.py:
#
# Lower bounds of what the best fixed weights lose, with their penalty: duals.

SLOPES = 30  # a slope is a whole number of 2^−30, if nothing else is said


class DualBound:
    """A lower bound of min_u [Σ_t ℓ_t(u·x_t) + ½Σ_i λ_i u_i²], rounded down in 30 digits.

    Take any slope c_t for each round, and let gain_t = min_s [ℓ_t(s) + c_t s] and v = Σ_t c_t x_t.
    Then Σ_t ℓ_t(u·x_t) ≥ Σ_t gain_t − u·v, and −u_i v_i + ½λ_i u_i² ≥ −½v_i²/λ_i, so that

        Σ_t ℓ_t(u·x_t) + ½Σ_i λ_i u_i² ≥ Σ_t gain_t − ½Σ_i v_i²/λ_i    for every u.

    The slopes −ℓ_t′(u·x_t) of the least u make it an equality. Slopes that are near them, rounded
    to a grid, make it nearly one; whatever they are, it holds.
    """

    def __init__(self, fine: int = SLOPES) -> None:
        self.digits, self.fine = Precision(30), fine
        self.gain = Decimal(0)
        self.v: dict[int, int] = {}  # in units of 2^−fine and of the values of x

    def add(self, gain: Decimal, slope: int, x: Vector) -> None:
        """Add a round: its gain, rounded down, its slope in units of 2^−fine, and x."""
        self.gain = self.digits.down.add(self.gain, gain)
        v = self.v
        for i, value in zip(*x, strict=True) if slope else ():
            v[i] = v.get(i, 0) + slope * value

    def least(self, lambdas: Callable[[int], Decimal], grid: int, times: int = 1) -> Decimal:
        """Return times·Σ gain − ½Σ_i (times·v_i)²/λ_i, rounded down; x is in units of 2^−grid.

        λ_i is asked for if v_i is not 0. It must be above 0, and may be rounded down. A run of
        several passes has the losses of one of them so many times.
        """
        down, up = self.digits.down, self.digits.up
        total = Decimal(0)
        for i, v in self.v.items():
            if v:
                square = up.multiply(Decimal(v), Decimal(v))
                total = up.add(total, up.divide(square, lambdas(i)))
        share = Fraction(times * times, 2 << (2 * (self.fine + grid)))
        cost = up.multiply(total, self.digits.of(share).high)
        return down.subtract(down.multiply(self.gain, times), cost)


class LogisticDual(DualBound):
    """The logistic loss ln(1 + e^{−y s}): c = α y with 0 ≤ α ≤ 1, and the gain is the entropy
    −α ln α − (1 − α) ln(1 − α); the least u has α = 1/(1 + e^{y u·x}).
    """

    def __init__(self) -> None:
        super().__init__()
        down = self.digits.down
        self.ln_whole = down.next_minus(down.ln(Decimal(1 << SLOPES)))  # below ln 2^30

    def take(self, y: int, z: int, unit: int, x: Vector) -> None:
        """Add a round in which a comparator u has y u·x = z units of 1/unit."""
        a = self.share(z, unit)
        self.add(self.entropy(a), a * y, x)

    def share(self, z: int, unit: int) -> int:
        """Return about 1/(1 + e^{z/unit}) in units of 2^−30, from 0 to 2^30."""
        down = self.digits.down
        e = down.exp(down.divide(Decimal(-abs(z)), Decimal(unit)))
        part = down.divide(e if z > 0 else Decimal(1), down.add(1, e))
        return min(1 << SLOPES, int(down.multiply(part, 1 << SLOPES)))

    def entropy(self, a: int) -> Decimal:
        """Return −α ln α − (1 − α) ln(1 − α) with α = a/N, N = 2^30, rounded down.

        It is ln N − (a ln a + (N − a) ln(N − a))/N.
        """
        whole, down, up = 1 << SLOPES, self.digits.down, self.digits.up
        if not 0 < a < whole:
            return Decimal(0)
        logs = [up.multiply(b, up.next_plus(up.ln(Decimal(b)))) for b in (a, whole - a)]
        part = up.divide(up.add(*logs), whole)
        return max(Decimal(0), down.subtract(self.ln_whole, part))


class SquaredDual(DualBound):
    """The squared loss (y − s)²: the gain is c y − c²/4; the least u has c = 2(y − u·x)."""

    def take(self, y: Fraction, slope: int, x: Vector) -> None:
        """Add a round with c = slope·2^−fine."""
        c = Fraction(slope, 1 << self.fine)
        self.add(self.digits.of(c * y - c * c / 4).low, slope, x)


# From core/models.py:
#
# Saved models, from which a run may go on: arrays in a file that need no trust.
#
# The file is in the format safetensors: the length of a header as u64, the header as JSON, which
# says of each array its type, its shape and where its bytes are, and the bytes. Everything is
# little-endian. What a run takes from it is hashed, and the certificate states the hash.

MOST_BYTES = 1 << 33  # of a file; all of it is in memory


class Start(NamedTuple):
    """What a certificate says of the state that its run began from."""

    state: str


def stated_start(value: Json) -> Start | None:
    """Return where a run began: None for a new learner, or the hash of a state."""
    if value is None:
        return None
    state = fields(value, ("state",), "start")["state"] if isinstance(value, dict) else None
    if not (isinstance(state, str) and len(state) == 64):
        raise Refused("its start is neither null nor the hash of a state")
    return Start(state)


class Model:
    """The arrays of a saved model by name, each a list of numbers in the order of its rows."""

    def __init__(self, numbers: Callable[[str], list[float] | list[int]], name: str) -> None:
        self.numbers, self.name = numbers, name

    def reals(self, array: str) -> list[float]:
        """Return an array of finite floats."""
        found = [x for x in self.numbers(array) if isinstance(x, float) and math.isfinite(x)]
        self.expect(len(found) == len(self.numbers(array)), f"finite floats for {array!r}")
        return found

    def counts(self, array: str, least: int = 0) -> list[int]:
        """Return an array of whole numbers, none below the least."""
        found = [n for n in self.numbers(array) if type(n) is int and n >= least]
        self.expect(len(found) == len(self.numbers(array)), f"whole numbers for {array!r}")
        return found

    def expect(self, condition: object, what: str) -> None:
        """Say if the file is not what it should be."""
        expect(condition, self.name, what, "others")


def read_model(path: str) -> Model:
    """Read the file of a model; its arrays are looked at when somebody asks for them."""
    expect(os.path.isfile(path), path, "the file of a model", "none")
    expect(os.path.getsize(path) <= MOST_BYTES, path, f"at most {MOST_BYTES} bytes", "more")
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<Q", data)[0] if len(data) >= 8 else len(data)
    expect(length <= len(data) - 8, path, "a header within the file", "a longer one")
    try:
        header: Json = json.loads(data[8 : 8 + length])
    except (RecursionError, ValueError):
        header = None
    if not isinstance(header, dict):
        raise BadData(f"{path}: expected a header that is an object, got something else")
    about, body = header, memoryview(data)[8 + length :]
    known: dict[str, list[float] | list[int]] = {}

    def numbers(name: str) -> list[float] | list[int]:
        if name not in known:
            known[name] = numbers_of(about.get(name), body, f"{path}: array {name!r}")
        return known[name]

    return Model(numbers, path)


def numbers_of(about: Json, body: memoryview, where: str) -> list[float] | list[int]:
    """Return the numbers of an array, f64, i64 or i32, from its bytes in the file."""
    kind, place = (about.get("dtype"), about.get("data_offsets")) if isinstance(about, dict) else (
        None, None
    )  # fmt: skip
    first, end = place if isinstance(place, list) and len(place) == 2 else (None, None)
    if not (type(first) is int and type(end) is int and 0 <= first <= end <= len(body)):
        raise BadData(f"{where}: expected its bytes in the file, got none")
    letter = {"F64": "d", "I64": "q", "I32": "i"}.get(kind if isinstance(kind, str) else "")
    size, rest = divmod(end - first, 4 if letter == "i" else 8)
    if letter is None or rest:
        raise BadData(f"{where}: expected whole numbers or floats, got another type")
    return list(struct.unpack(f"<{size}{letter}", body[first:end]))


# From core/transforms.py:
#
# Transforms: what a model makes of a raw row before its learner sees it.
#
# docs/transforms.md defines them. They are computed in floats, bit for bit: `× /` and `√` round to
# nearest, `ldexp` is exact unless it underflows, and `fsum` is the rounded exact sum. The digest of
# data is that of the raw rows.

Feature = int | tuple[int, ...]  # a raw feature, a pair of them, or the place of hashed pairs
Made = dict[Feature, float]
Range = tuple[int, int]
NONE = -2000  # in a saved scale: the exponent of a feature that has not appeared
MOST_PRODUCTS = 10**9  # in one reading; rows of data alone do not bound them
MOST_IN_ROW = 10**6  # products of one row, which are all in memory


def check_floats() -> None:
    """Say if this Python's floats are not those of IEEE 754: subnormal, rounded to nearest."""
    info = sys.float_info
    if not (info.mant_dig == 53 and 0 < info.min / 2 < info.min):
        raise BadData("this Python: expected floats that keep subnormal numbers, got others")
    if not (1.0 + info.epsilon / 2 == 1.0 and -1.0 - info.epsilon / 2 == -1.0):
        raise BadData("this Python: expected floats that are rounded to nearest, got others")


def exponent(x: float) -> int:
    """Return the e with 2^(e−1) < |x| ≤ 2^e, for x other than 0."""
    fraction, e = frexp(x)
    return e - 1 if abs(fraction) == 0.5 else e


class Scale:
    """x_i · 2^−e_i with 2^(e_i − 1) < max |x_i| ≤ 2^e_i, over the rounds so far and this one."""

    running = True

    def __init__(self) -> None:
        self.exponents: dict[Feature, int] = {}

    def apply(self, row: Made) -> Made:
        """Return the row with its values scaled."""
        for i, x in row.items():
            if x:
                e = exponent(x)
                self.exponents[i] = e = max(e, self.exponents.get(i, e))
                row[i] = ldexp(x, -e)
        return row


class Normalize:
    """x/‖x‖, as u/√Σu² with u = x · 2^−e and 2^(e−1) < max |x_i| ≤ 2^e."""

    running = False

    def apply(self, row: Made) -> Made:
        """Return the row divided by its norm; zeros stay as they are."""
        largest = max(map(abs, row.values()), default=0.0)
        if not largest:
            return row
        e = exponent(largest)
        scaled = {i: ldexp(x, -e) for i, x in row.items()}
        norm = sqrt(fsum(u * u for u in scaled.values()))
        return {i: u / norm for i, u in scaled.items()}


class Presence:
    """1 for every value other than 0."""

    running = False

    def apply(self, row: Made) -> Made:
        """Return the row with every value other than 0 made 1."""
        return {i: 1.0 if x else 0.0 for i, x in row.items()}


class Cross:
    """x_i x_j for each raw feature i of one group and j of another, every pair once."""

    running = False

    def __init__(self, groups: list[list[Range]], bits: int | None) -> None:
        self.groups, self.bits = groups, bits
        self.memberships: dict[int, list[int]] = {}
        self.products = 0

    def groups_of(self, i: int) -> list[int]:
        """Return the groups that a raw feature is in."""
        if i not in self.memberships:
            self.memberships[i] = [
                k for k, group in enumerate(self.groups) if any(a <= i < b for a, b in group)
            ]
        return self.memberships[i]

    def pairs(self, row: Made) -> list[tuple[int, int]]:
        """Return the pairs of a row, ascending, the smaller feature first."""
        members: list[list[int]] = [[] for _ in self.groups]
        for i in [i for i in row if isinstance(i, int)]:
            for k in self.groups_of(i):
                members[k].append(i)
        crossed = [*combinations(members, 2)]
        products = sum(len(a) * len(b) for a, b in crossed)
        if products > MOST_IN_ROW:
            raise TooLarge(f"the certificate: its cross takes more than {MOST_IN_ROW} in a row")
        self.products += products
        if self.products > MOST_PRODUCTS:
            raise TooLarge(f"the certificate: its cross takes more than {MOST_PRODUCTS} products")
        return sorted({(min(i, j), max(i, j)) for a, b in crossed for i in a for j in b})

    def apply(self, row: Made) -> Made:
        """Return the row with the products behind it."""
        for i, j in self.pairs(row):
            product = row[i] * row[j]
            place: Feature = (i, j) if self.bits is None else (murmur3(i, j) % (1 << self.bits),)
            if product and (self.bits is not None or place not in row):
                row[place] = row.get(place, 0.0) + product
        require(all(map(isfinite, row.values())), "a product of its cross is beyond every float")
        return row


Step = Scale | Normalize | Presence | Cross
PLAIN: dict[str, type[Scale | Normalize | Presence]] = {
    "scale": Scale, "normalize": Normalize, "presence": Presence,
}  # fmt: skip


class Transforms:
    """Steps from a raw row to what a learner sees.

    If they cross features, a feature gets the next number when it first has a value other than 0:
    in a row first the raw ones, then the pairs, both ascending. Otherwise it keeps its number.
    """

    def __init__(self, stated: Json) -> None:
        if not (isinstance(stated, list) and stated):
            raise Refused("its transforms are no list of transforms")
        check_floats()
        self.stated = stated
        self.first: list[dict[Feature, int]] = []  # the exponents of each scale at the start
        self.begin()

    def begin(self) -> None:
        """Forget all rows but those before the start."""
        self.steps = [step(one) for one in self.stated]
        for scale, exponents in zip(self.scales, self.first, strict=False):
            scale.exponents = dict(exponents)
        self.numbers: dict[Feature, int] = {}
        self.crossing = any(isinstance(one, Cross) for one in self.steps)

    @property
    def scales(self) -> list[Scale]:
        """The steps that remember rows, if features are not crossed."""
        return [one for one in self.steps if isinstance(one, Scale)]

    def begin_from(self, model: Model) -> None:
        """Go on from the state of a saved model."""
        require(not self.crossing, "its cross began from a state too")
        if not self.scales:
            return
        exponents, ends = model.counts("scale_exponents", NONE), model.counts("scale_ends")
        sound = (
            len(ends) == len(self.scales) and ends == sorted(ends) and ends[-1] == len(exponents)
        )
        sound = sound and all(e == NONE or -1074 <= e <= 1024 for e in exponents)
        model.expect(sound, "the exponents of its scales")
        self.first = [
            {i: e for i, e in enumerate(exponents[a:b]) if e != NONE}
            for a, b in pairwise([0, *ends])
        ]
        self.begin()

    def follow(self, before: "Transforms") -> None:
        """Go on from the state in which others ended."""
        require(not self.crossing, "its cross began from a state too")
        self.first = [dict(one.exponents) for one in before.scales]
        self.begin()

    def fingerprint(self, own: str) -> str:
        """Return the hash of a learner's state and of what is remembered: own, if nothing is."""
        if self.crossing or not self.scales:
            return own
        digest = hashlib.sha256(own.encode())
        for one in self.scales:
            digest.update(b"scale\n")
            for i, e in sorted((i, e) for i, e in one.exponents.items() if isinstance(i, int)):
                digest.update(f"{i} {e}\n".encode())
        return digest.hexdigest()

    @property
    def running(self) -> bool:
        """Whether a second pass sees other rows than the first."""
        return any(one.running for one in self.steps)

    def made(self, indices: list[int], values: list[float]) -> tuple[list[int], list[float]]:
        """Return what a learner sees of a raw row, ascending and without zeros."""
        row: Made = dict(zip(indices, values, strict=True))
        self.number(row)
        for one in self.steps:
            row = one.apply(row)
            self.number(row)
        kept = sorted((self.numbers[i], x) for i, x in row.items() if x) if self.crossing else [
            (i, x) for i, x in row.items() if x and isinstance(i, int)
        ]  # fmt: skip
        return [i for i, _ in kept], [x for _, x in kept]

    def number(self, row: Made) -> None:
        """Give a number to every new feature, if features get numbers of their own."""
        for i in row if self.crossing else ():
            self.numbers.setdefault(i, len(self.numbers))


def step(stated: Json) -> Step:
    """Return a transform before its first row."""
    name = stated.get("name") if isinstance(stated, dict) else None
    if isinstance(name, str) and name in PLAIN:
        fields(stated, ("name",), name)
        return PLAIN[name]()
    require(name == "cross", "one of its transforms is not one of those verified here")
    return cross(fields(stated, ("name", "groups", "bits"), "cross"))


def cross(stated: Object) -> Cross:
    """Return a cross of groups of raw features, each given by ranges of their numbers."""
    groups, bits = stated["groups"], stated["bits"]
    if not (isinstance(groups, list) and 1 < len(groups) < 32):
        raise Refused("its cross has no groups")
    if not (bits is None or (type(bits) is int and 1 <= bits <= 30)):
        raise Refused("the bits of its cross are no number from 1 to 30")
    return Cross([[*ranges(group)] for group in groups], bits)


def ranges(group: Json) -> Iterator[Range]:
    """Yield the ranges of a group, which must ascend without touching."""
    last = -1
    for pair in group if isinstance(group, list) else [None]:
        first, end = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if not (type(first) is int and type(end) is int and last < first < end):
            raise Refused("a group of its cross is no list of ascending ranges")
        last = end
        yield first, end


def murmur3(i: int, j: int) -> int:
    """Return MurmurHash3 (32 bits, seed 0) of two numbers of 4 bytes each, little-endian."""
    h, low = 0, (1 << 32) - 1

    def turned(k: int, by: int) -> int:
        return (k << by | k >> (32 - by)) & low

    for k in (i, j):
        h ^= turned(k * 0xCC9E2D51 & low, 15) * 0x1B873593 & low
        h = turned(h, 13) * 5 + 0xE6546B64 & low
    h ^= 8
    h = (h ^ h >> 16) * 0x85EBCA6B & low
    h = (h ^ h >> 13) * 0xC2B2AE35 & low
    return h ^ h >> 16


# From core/data.py:
#
# Rounds that are read again for every pass, never kept, and hashed every time.

X = TypeVar("X")
Y = TypeVar("Y")


class Rounds(Generic[Y, X]):
    """Rounds (y, x) of some form. Every reading is hashed, and must give the digest of the first.

    A form of data says how it is made from rows and labels, what a round of it is, and which key
    `data.labels` has.
    """

    count = nonzeros = dimension = 0
    width = 0  # one more than the largest index that is named, with a value of 0 too
    digest: str | None = None  # of the first reading
    many = False  # there may be more than two labels
    remark = ""
    rows: Rows
    labels: Json
    rounds: Callable[[], Iterator[tuple[Y, X]]]  # yields them

    def __iter__(self) -> Iterator[tuple[Y, X]]:
        return self.rounds()

    def counted(self, indices: list[int]) -> None:
        """Count the values of a row of the first reading."""
        self.nonzeros += len(indices)
        if indices and indices[-1] >= self.dimension:
            self.dimension = indices[-1] + 1
            self.width = max(self.width, self.dimension)

    def read(self) -> None:
        """Read all rounds, if that was left to the run that plays them."""

    def same(self, digest: str) -> None:
        """Take the digest of the first reading; that of every other must be the same."""
        if self.digest is None:
            self.digest = digest
        whole = digest == self.digest
        expect(whole, "the data", "the same rows in every reading", "others the second time")

    @property
    def about(self) -> Object:
        """What a certificate says of data, but for the passes."""
        return {
            "digest": self.digest, "rows": self.count, "nonzeros": self.nonzeros,
            "dimension": self.dimension, "labels": self.labels,
        }  # fmt: skip


AnyRounds = Rounds[Any, Any]


class FeatureRows(Rounds[Y, X]):
    """Rows of features, each with a label of some form.

    What is counted and hashed are the raw rows; a learner sees what the transforms make of them.
    """

    packed: str  # how a label and the number of values are hashed
    code: Callable[[str, Label], Y]  # what a learner calls a label, which stands at some place
    transforms: Transforms | None
    bias: float

    def given(self) -> Iterator[tuple[Y, list[int], list[float]]]:
        """Yield y, the indices and the values of each row that a learner sees, ascending."""
        first = self.digest is None
        if self.transforms:
            self.transforms.begin()
        digest = hashlib.sha256()
        for where, label, items in self.rows():
            plain = items if isinstance(items, Entries) else self.entries(where, items)
            indices, values = plain.indices, plain.values
            y = self.code(where, label)
            digest.update(struct.pack(self.packed, y, len(indices)) + plain.packed)
            if first:
                self.counted(indices)
            made = self.transforms.made(indices, values) if self.transforms else (indices, values)
            yield y, *made
        self.same(digest.hexdigest())

    def entries(self, where: str, items: Iterable[tuple[int, float]]) -> Entries:
        """Return the values of a row other than 0, of which every feature has at most one."""
        pairs = sorted(items)
        places = [j for j, _ in pairs]
        odd = [j for j, k in pairwise([-1, *places, 1 << 63]) if j >= k]
        expect(not odd, where, "every feature once, counted from the first", places)
        self.width = max([self.width, *(j + 1 for j in places[-1:])])
        kept = [(j, float(v)) for j, v in pairs if v != 0]
        values = [v for _, v in kept]
        infinite = [v for v in values if not math.isfinite(v)]
        expect(not infinite, where, "finite values", infinite)
        return Entries([j for j, _ in kept], values)


KINDS = ["positive", "classes"]  # of labels, each the key of `data.labels`; families add theirs


def stated_labels(labels: Json, *kinds: str) -> tuple[str, Json]:
    """Return which of these kinds labels are, the one field that they have, and its value."""
    found = [kind for kind in kinds if isinstance(labels, dict) and kind in labels]
    require(len(found) == 1, "its labels are not named")
    return found[0], fields(labels, (found[0],), "labels")[found[0]]


def checked_bias(bias: Json) -> float:
    """Return the value of the constant feature, 0 if there is none."""
    if not (bias is None or isinstance(bias, float)):
        raise Refused("its bias is no number")
    return bias or 0.0


class Data(FeatureRows[int, Vector]):
    """Rows as (y, x), with values in whole numbers of 2^−grid; the constant feature at index −1."""

    def __init__(
        self, rows: Rows, labels: Json, bias: Json, transforms: Transforms | None = None
    ) -> None:
        kind, value = stated_labels(labels, "positive", "classes")
        self.bias, self.biased = checked_bias(bias), bias is not None
        self.many = kind == "classes"
        self.packed = "<II" if self.many else "<bI"  # the number of a class, or −1 and +1
        stated = value if self.many else [value]
        names = [n for n in stated if isinstance(n, Label)] if isinstance(stated, list) else []
        require(names == stated, "its labels are none")
        self.codes = self.coded(names)
        self.names, self.positives = names, 0
        self.rows, self.labels, self.transforms = rows, labels, transforms
        self.features = 0  # that a learner sees
        self.grid, self.largest = grid([self.bias]), 0.0
        self.begin()

    def begin(self) -> None:
        """Read all rows once, for what a run has to know of them before its first round."""
        for _, indices, values in self.first():
            self.features = max([self.features, *(j + 1 for j in indices[-1:])])
            self.largest = max(self.largest, abs(self.bias), *map(abs, values))
            self.grid = max(self.grid, grid(values))

    def first(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield what ``given`` yields, in the first reading, and count it."""
        for y, indices, values in self.given():
            self.count += 1
            self.positives += y > 0
            yield y, indices, values
        require(not self.many or self.names == [*self.codes], "the classes are others")
        seen = self.many or self.positives
        self.remark = "" if seen else f"; no row has the label {self.names[0]!r:.40}"

    def code(self, where: str, label: Label) -> int:
        """Return −1, +1 or the number of a class."""
        return self.codes[label]

    def coded(self, names: list[Label]) -> dict[Label, int]:
        """Return the number of each label: +1 and −1, or that of a class, as they appear."""
        if self.many:
            return defaultdict(count().__next__)
        return defaultdict(lambda: -1, {names[0]: 1})

    def rounds(self) -> Iterator[tuple[int, Vector]]:
        """Yield y and x of each row, x with the constant feature."""
        places, constant = ([-1], whole([self.bias], self.grid)) if self.bias else ([], [])
        for y, indices, values in self.given():
            yield y, (places + indices, constant + whole(values, self.grid))


class FloatRows(Data):
    """Rows that are first read when a run plays them, unless transforms have to see them before."""

    def begin(self) -> None:
        """Read all rows once, for their transforms."""
        if self.transforms:
            super().begin()

    def floats(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield y, the indices and the values of each row that a learner sees, ascending."""
        return self.first() if self.digest is None else self.given()

    def read(self) -> None:
        """Read all rows from the first, if no reading has come to its end."""
        if self.digest is None:
            self.count = self.nonzeros = self.dimension = self.width = self.positives = 0
            for _ in self.first():
                pass


# From core/theorem.py:
#
# Theorems: each is stated once, and the library takes its texts from here.
#
# A part adds its theorems to THEOREMS, also those that no certificate can be about, and what can be
# claimed of data alone to CLAIMS.

Kind = Literal["always", "expected", "probable"]


class Theorem(NamedTuple):
    """What a theorem says; how it holds: always, in expectation or with a probability; and what it
    assumes that nobody can check.
    """

    statement: str
    kind: Kind = "always"
    assumptions: Names = ()
    further: Names = ()  # what it also assumes of some runs, which their certificates then add
    earlier: Names = ()  # SHA-256 of [statement, assumptions] as older certificates word them
    withdrawn: Names = ()  # the same of words that lack a hypothesis, and are refused


class Claim(NamedTuple):
    """A claim about data alone: the fields of its evidence, and what checks it."""

    evidence: Names
    check: Callable[[Object, Data], None]


THEOREMS: dict[str, Theorem] = {}
CLAIMS: dict[str, Claim] = {}


# From core/learner.py:
#
# Learners: their parameters, and runs that are played again.


class Domain(NamedTuple):
    """The values that a parameter of a learner may have, in words and as a test."""

    words: str
    has: Callable[[Json], bool]
    played: bool = True  # False: the learner that is played again does not take it


Domains = dict[str, Domain]


def one_of(*values: Json) -> Domain:
    """Return the domain of these values."""
    texts = [*map(json.dumps, values)]
    return Domain(" or ".join(texts), lambda value: json.dumps(value) in texts)


def optional(domain: Domain) -> Domain:
    """Return the domain, and null."""
    return Domain(f"null or {domain.words}", lambda v: v is None or domain.has(v))


def numbers(low: float, high: float) -> Domain:
    """Return the floats from low to high, both included."""
    return Domain(
        f"a float from {low} to {high}", lambda v: isinstance(v, float) and low <= v <= high
    )


def is_integer(value: Json) -> TypeGuard[int]:
    """Say whether a value is a whole number; true and 1.0 are none."""
    return type(value) is int


def integers(low: int, high: int) -> Domain:
    """Return the whole numbers from low to high, both included."""
    return Domain(
        f"a whole number from {low} to {high}", lambda v: is_integer(v) and low <= v <= high
    )


def record(**fields: Domain) -> Domain:
    """Return the objects with exactly these fields."""

    def has(value: Json) -> bool:
        if not (isinstance(value, dict) and value.keys() == fields.keys()):
            return False
        return all(domain.has(value[name]) for name, domain in fields.items())

    return Domain(f"an object of {', '.join(fields)}", has)


def remark(domain: Domain) -> Domain:
    """Return a domain of what changes no mistake and no bound: its form is checked, no more."""
    return domain._replace(played=False)


BOOLS = one_of(False, True)


class Work:
    """What the work takes that its data do not bound, in steps of about a nanosecond."""

    most = 10**11

    def __init__(self) -> None:
        self.spent = 0

    def spend(self, steps: int, what: str) -> None:
        """Take so many steps more, or give up."""
        self.spent += steps
        if self.spent > self.most:
            raise TooLarge(f"the certificate: {what} takes more work than this verifier does")


class Learner(Generic[Y, X]):
    """A run that is played again: passes over rounds (y, x), which `mistaken` judges one by one.

    Each class declares what `check_run` needs of it.
    """

    theorems: Names  # that are about it, if it begins anew
    resumed: Names = ()  # that are about it, if it goes on from a state
    evidence: Names = ()  # what they take, but for those in RUN_THEOREMS
    optional: Names = ()  # evidence that may be left out
    reads: Callable[..., AnyRounds] = Data  # a form of data, from rows, labels and the bias
    transforms = False  # it takes rows that were transformed
    many = False  # it has more than two labels
    known = True  # its labels are known before the first round
    once = False  # it plays one pass
    program: str | None = None  # the float program that it is, docs/programs.md
    remark = ""
    data: AnyRounds
    mistakes = 0
    mistaken: Callable[[Y, X], bool]  # judges (y, x), and learns from it
    bound: Callable[[str], float]  # evaluates a theorem on what was measured, rounded up
    fingerprint: Callable[[], str]  # the hash of its state

    @property
    def observed(self) -> float | None:
        """What the bound is about."""
        return self.mistakes

    def begin(self, model: Model) -> None:
        """Go on from the state of a saved model, of which every number is checked."""
        raise Refused("its learner does not go on from a state")

    def follow(self, before: Self) -> None:
        """Go on from the state in which another run of the same learner ended."""
        raise Refused("its learner does not go on from a state")

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return what a certificate says was observed."""
        return mistakes["count"]

    def states(self) -> tuple[str, ...]:
        """Return the hashes by which its state may be stated.

        That of transforms which remember rows belongs to it, but did not in older certificates.
        """
        own = self.fingerprint()
        steps = self.data.transforms if isinstance(self.data, FeatureRows) else None
        return (own,) if steps is None else (steps.fingerprint(own), own)

    def take(self, evidence: Object) -> None:
        """Take the evidence."""

    def completed(self, evidence: Object) -> Object:
        """Return the evidence with what only the run that was played tells."""
        return evidence

    def confirm(self, evidence: Object) -> None:
        """Confirm what the evidence says of the run that was played."""

    def rounds(self) -> Iterator[tuple[Y, X]]:
        """Yield the rounds of a pass."""
        yield from self.data

    def measure(self, y: Y, x: X, mistaken: bool, times: int) -> None:
        """Measure a round: one of the first pass, which stands for that of all, or a mistake."""

    def play(
        self,
        passes: int,
        evidence: Object,
        transcript: Iterator[int],
        states: dict[int, str] | None = None,
    ) -> None:
        """Play the run, whose mistakes must be those of the transcript, and measure its rounds.

        After the rounds in `states` its state must have the hash stated there.
        """
        self.take(evidence)
        hashes = dict(states or {})
        listed = next(transcript, None)
        for number in range(passes):
            before = self.mistakes
            for t, (y, x) in enumerate(self.rounds(), number * self.data.count + 1):
                mistaken = self.mistaken(y, x)
                if mistaken != (t == listed):
                    raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
                if mistaken:
                    listed = next(transcript, None)
                    self.mistakes += 1
                if mistaken or number == 0:
                    self.measure(y, x, mistaken, 0 if number else passes)
                if t in hashes:
                    same = hashes.pop(t) in self.states()
                    require(same, f"its state after round {t} is another")
            if self.mistakes == before and self.program is None:
                # it learns from mistakes alone: every pass after a clean one is clean
                last = {t: hashes.pop(t) for t in [*hashes] if t <= passes * self.data.count}
                same = all(stated in self.states() for stated in last.values())
                require(same, "its last state is another")
                break
        require(listed is None, "its mistakes go on after the last round")
        require(not hashes, "its states go on after the last round")


AnyLearner = Learner[Any, Any]


class RunTheorem(NamedTuple):
    """A theorem about runs of every learner that names it: its evidence, and what its bound is."""

    evidence: Names
    bound: Callable[[AnyLearner, bool, Object], float]  # of a run, in one pass or in several
    like: str | None = None  # another such theorem, whose learners it is about


LEARNERS: dict[str, type[AnyLearner]] = {}
PARAMETERS: dict[str, Domains] = {}
RUN_THEOREMS: dict[str, RunTheorem] = {}


def is_about(theorem: str, theorems: Names) -> bool:
    """Say whether a theorem is about a learner that names these."""
    general = RUN_THEOREMS.get(theorem)
    return (general.like if general and general.like else theorem) in theorems


def checked_parameters(learner: str, stated: Json) -> Object:
    """Return the parameters of a learner, each of which has a value of its domain."""
    domains = PARAMETERS[learner]
    if not isinstance(stated, dict):
        raise Refused("its parameters are none")
    require(stated.keys() == domains.keys(), f"its parameters are not {', '.join(domains)}")
    for name, domain in domains.items():
        require(domain.has(stated[name]), f"its {name} is not {domain.words}")
    return dict(stated)


def replayed(learner: str, data: AnyRounds, parameters: Object) -> AnyLearner:
    """Return a learner before its first round."""
    make: Callable[..., AnyLearner] = LEARNERS[learner]
    own = {name: v for name, v in parameters.items() if PARAMETERS[learner][name].played}
    return make(data, **own)


# From core/predicted.py:
#
# Predictions that somebody made, one for each row, and what can be claimed of them.

Given = bytes | Label  # a prediction as a file has it, or as a program has it
Source = Callable[[], Iterable[tuple[str, Given]]]  # yields where each prediction is, and itself
NUMBERS = {
    "probability": "a probability from 0 to 1",  # of the positive label
    "score": "a finite number",  # s, for the probability 1/(1 + e^{−s}) of the positive label
    "value": "a finite number",  # of a label that is a number
}


class Predictions:
    """Numbers, or labels, in the order of the rows. Every reading of them is hashed.

    The digest is SHA-256 over the numbers as f64, little-endian; if they are labels, over the JSON
    of each, with a line end behind it. They are read again for every pass over the rows.
    """

    def __init__(self, source: Source, kind: Json) -> None:
        if not (isinstance(kind, str) and kind in (*NUMBERS, "label")):
            raise Refused(f"its kind is not {', '.join(NUMBERS)} or label")
        self.source, self.kind = source, kind
        self.count = self.grid = 0
        self.digest: str | None = None  # of the first reading
        for value in self:
            self.count += 1
            self.grid = max(self.grid, grid([value] if isinstance(value, float) else []))

    def __iter__(self) -> Iterator[Label]:
        digest, numeric = hashlib.sha256(), self.kind in NUMBERS
        for where, given in self.source():
            value = self.number(given, where) if numeric else self.label(given, where)
            digest.update(struct.pack("<d", value) if numeric else canonical(value) + b"\n")
            yield value
        found = digest.hexdigest()
        same = found == (self.digest or found)
        expect(same, "the predictions", "the same in every reading", "others the second time")
        self.digest = found

    def number(self, given: Given, where: str) -> float:
        """Return a prediction that is a number: the first word of a line, the whole of a cell."""
        if isinstance(given, bytes):
            whole = isinstance(given, WholeCell)
            value = number(given.strip(b" \t") if whole else [*tokens(given), b""][0], where)
        else:
            value = float(given) if isinstance(given, (int, float)) else math.nan
        least, most = (0.0, 1.0) if self.kind == "probability" else (-MOST, MOST)
        expect(least <= value <= most, where, NUMBERS[self.kind], given)
        return value + 0.0  # −0 is 0

    def label(self, given: Given, where: str) -> Label:
        """Return a prediction that is a label."""
        if isinstance(given, bytes):
            return label_of(given, where)
        known = isinstance(given, str) or math.isfinite(given)
        expect(known, where, "a label", given)
        return given

    def numbers(self) -> Iterator[float]:
        """Yield predictions that must be numbers."""
        for value in self:
            if not isinstance(value, float):
                raise Refused("its predictions are labels")
            yield value


class Measured(NamedTuple):
    """What predictions are found to be: facts that the evidence states, and the theorem's two."""

    facts: Object
    observed: float
    bound: float


class PredictionClaim(NamedTuple):
    """A claim about predictions: the fields of its evidence, and what measures the rest of them.

    `given` are the fields that are inputs; `measure` gets them and the bound that is stated, and
    finds those in `facts`.
    """

    given: Names
    facts: Names
    measure: Callable[[Object, Json, Any, Predictions], Measured]  # of data that it reads
    many: bool = False  # it may be about more than two labels
    reads: Callable[[Rows, Json, Json], AnyRounds] = Data  # from rows, labels and the bias


PREDICTION_CLAIMS: dict[str, PredictionClaim] = {}


# From core/check.py:
#
# The check of a certificate on data, and the command line.

Beginning = Model | AnyLearner | None  # a saved model, or a run that ended where this one begins
NO_PREDICTIONS = "it is about predictions, which are not given"

# What a certificate that is not made as one is may raise.
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

# What a certificate says of data.
DATA = ("digest", "rows", "nonzeros", "dimension", "labels", "passes")

# What reads a file whose rows are neither svmlight nor CSV, by the key of `data.labels`.
READERS: dict[str, Callable[[str], Iterator[Row]]] = {}


def check_parts(content: Object) -> None:
    """Require that what it says of data and mistakes has the fields that are known here."""
    stated_labels(fields(content["data"], DATA, "data")["labels"], *KINDS)
    if isinstance(content["mistakes"], dict):
        fields(content["mistakes"], ("count", "rounds"), "mistakes")


def check_data(about: Object, data: AnyRounds) -> None:
    """Require that the data are those that a certificate is about."""
    found = data.about | {"passes": about["passes"]}
    require(canonical(about) == canonical(found), "these are not its data")


def part(content: Object, name: str) -> Object:
    """Return a field of a certificate that must be an object."""
    value = content[name]
    if not isinstance(value, dict):
        raise Refused(f"its {name} is no object")
    return value


def check_claim(content: Object, rows: Rows) -> Verdict:
    """Check a claim about data alone."""
    about = part(content, "data")
    names = CLAIMS[text_of(content["theorem"], "theorem")].evidence
    evidence = fields(content["evidence"], names, "evidence")
    data = Data(rows, about["labels"], evidence["bias"])
    check_data(about, data)
    return claimed(content, data)


def claimed(content: Object, data: Data) -> Verdict:
    """Check a claim about data that were read."""
    theorem = text_of(content["theorem"], "theorem")
    check_no_run(content)
    require(not data.many, "it claims of classes what is said of two labels")
    CLAIMS[theorem].check(part(content, "evidence"), data)
    return Verdict(True, theorem, None, None, "verified" + data.remark)


def check_no_run(content: Object) -> None:
    """Require that a certificate says nothing of a learner, because its claim is about none."""
    passes = part(content, "data")["passes"]
    run = content["learner"], content["mistakes"], passes, content["format"]
    require(run == (None, None, None, FORMAT), "it claims a run")
    require(TRANSFORMS not in content, "it claims of raw data what is said of others")


def check_predictions(content: Object, rows: Rows, source: Source | None) -> Verdict:
    """Check a claim about predictions, which come with the data."""
    theorem = text_of(content["theorem"], "theorem")
    claim, about = PREDICTION_CLAIMS[theorem], part(content, "data")
    evidence = fields(content["evidence"], (*claim.given, *claim.facts), "evidence")
    check_no_run(content)
    if source is None:
        raise Refused(NO_PREDICTIONS)
    data = claim.reads(rows, about["labels"], evidence.get("bias"))
    check_data(about, data)
    predictions = Predictions(source, evidence["kind"])
    same = evidence["predictions"] == predictions.digest
    require(same, "these are not its predictions")
    found = predicted(theorem, evidence, content["bound"], data, predictions)
    for name, value in found.facts.items():
        require(canonical(evidence[name]) == canonical(value), f"its {name} is not {value}")
    return Verdict(True, theorem, found.observed, found.bound, "verified" + data.remark)


def predicted(
    theorem: str, evidence: Object, bound: Json, data: AnyRounds, predictions: Predictions
) -> Measured:
    """Measure predictions of data that were read."""
    claim = PREDICTION_CLAIMS[theorem]
    require(claim.many or not data.many, "it claims of classes what is said of two labels")
    n, rows = predictions.count, data.count
    require(n == rows > 0, f"it has {n} predictions for {rows} rows")
    return claim.measure(evidence, bound, data, predictions)


def check_run(content: Object, rows: Rows, begin: Beginning) -> Verdict:
    """Play a run again, and evaluate the theorem on it."""
    learner, parameters = stated_learner(content)
    data = read(content, learner, parameters, rows, begin)
    return concluded(content, replayed_on(content, learner, parameters, data, begin))


def replayed_on(
    content: Object,
    learner: type[AnyLearner],
    parameters: Object,
    data: AnyRounds,
    begin: Beginning = None,
) -> AnyLearner:
    """Play the run of a certificate on its data. If they are others, nothing else counts."""
    about = part(content, "data")
    if data.digest is not None:
        check_data(about, data)
        return played(content, learner, parameters, data, begin)
    try:
        run = played(content, learner, parameters, data, begin)
    except (Refused, *MALFORMED):
        data.read()
        check_data(about, data)
        raise
    check_data(about, data)
    return run


def read(
    content: Object,
    learner: type[AnyLearner],
    parameters: Object,
    rows: Rows,
    begin: Beginning = None,
) -> AnyRounds:
    """Read the rounds of a run, transformed if the certificate says so."""
    bias, labels = parameters.get("bias"), part(content, "data")["labels"]
    if TRANSFORMS not in content:
        return learner.reads(rows, labels, bias)
    require(learner.transforms, "its learner takes no transforms")
    steps = Transforms(content[TRANSFORMS])
    if started(content) is None:
        return learner.reads(rows, labels, bias, steps)
    if isinstance(begin, Model):
        steps.begin_from(begin)
    elif begin is not None and isinstance(begin.data, Data) and begin.data.transforms:
        steps.follow(begin.data.transforms)
    return learner.reads(rows, labels, bias, steps)


def stated_learner(content: Object) -> tuple[type[AnyLearner], Object]:
    """Return the learner that a certificate states, and its parameters."""
    theorem = text_of(content["theorem"], "theorem")
    stated = fields(content["learner"], ("name", "parameters"), "learner")
    name = stated["name"]
    if not (isinstance(name, str) and name in LEARNERS):
        raise Refused("its learner is not one of those verified here")
    learner = LEARNERS[name]
    parameters = checked_parameters(name, stated["parameters"])
    about = learner.resumed if started(content) else learner.theorems
    require(is_about(theorem, about), "its theorem is not about this learner")
    general = RUN_THEOREMS.get(theorem)
    names, optional = (general.evidence, ()) if general else (learner.evidence, learner.optional)
    fields(content["evidence"], names, "evidence", optional)
    check_form(content, learner)
    return learner, parameters


def check_form(content: Object, learner: type[AnyLearner]) -> None:
    """Require the format of a learner; a state belongs to the second, with or without a program."""
    second = learner.program or ("states" in content and learner.resumed)
    form = FLOAT_FORMAT if second else FORMAT
    require(content["format"] == form, f"its learner takes a {form}")
    if second:
        require(content["program"] == learner.program, f"its program is not {learner.program}")


def started(content: Object) -> Start | None:
    """Return where the run of a certificate began."""
    return stated_start(content.get("start"))


def played(
    content: Object,
    learner: type[AnyLearner],
    parameters: Object,
    data: AnyRounds,
    begin: Beginning = None,
) -> AnyLearner:
    """Play the run of a certificate again, on data that were read once."""
    passes, transcript = part(content, "data")["passes"], part(content, "mistakes")
    if not (is_integer(passes) and passes > 0):
        raise Refused("its passes are no number")
    require(data.many == learner.many, "its labels are others")
    require(passes == 1 or not learner.once, "it is no run of one pass")
    changing = isinstance(data, FeatureRows) and data.transforms and data.transforms.running
    require(passes == 1 or not changing, "every pass after the first sees other rows")
    run = replayed(text_of(part(content, "learner")["name"], "learner"), data, parameters)
    begun(run, started(content), begin)
    about = run.resumed if started(content) else run.theorems
    theorem = text_of(content["theorem"], "theorem")
    require(is_about(theorem, about), "its theorem is not about this learner")
    rounds = unpacked(text_of(transcript["rounds"], "transcript"))
    states = stated_states(content.get("states", []))
    run.play(passes, part(content, "evidence"), rounds, states)
    return run


def begun(run: AnyLearner, start: Start | None, begin: Beginning) -> None:
    """Let a run go on from where its certificate says that it began."""
    if start is None:
        expect(begin is None, "the start", "none, because the run began anew", "a model")
        return
    if begin is None:
        raise BadData("the start: expected the model that the run began from, got none")
    if isinstance(begin, Model):
        run.begin(begin)
    else:
        run.follow(begin)
    if isinstance(run.data, Data) and run.data.transforms:
        run.data.transforms.begin()  # they were read through once
    require(run.states()[0] == start.state, "it began from another state")


def concluded(content: Object, run: AnyLearner) -> Verdict:
    """Evaluate the theorem of a certificate on its run, which was played again."""
    theorem, evidence = text_of(content["theorem"], "theorem"), part(content, "evidence")
    transcript, passes = part(content, "mistakes"), part(content, "data")["passes"]
    counted = {"count": run.mistakes, "rounds": transcript["rounds"]}
    require(canonical(transcript) == canonical(counted), "it miscounts its mistakes")
    run.confirm(evidence)
    general = RUN_THEOREMS.get(theorem)
    if general:
        bound = general.bound(run, passes == 1, evidence)
    else:
        bound = run.bound(theorem)
        require(bound < math.inf, "the bound is beyond every float")
        require((run.observed or 0) <= bound, "it refutes its theorem")  # which cannot be
    return Verdict(True, theorem, run.observed, bound, "verified" + run.data.remark + run.remark)


def check(
    content: Object, rows: Rows, predictions: Source | None = None, begin: Beginning = None
) -> Verdict:
    """Return the verdict on a content whose bound is the one found, or raise what is wrong."""
    check_words(content)
    check_parts(content)
    theorem = text_of(content["theorem"], "theorem")
    if predictions is not None and theorem not in PREDICTION_CLAIMS:
        raise BadData(f"the predictions: expected none, {theorem} is not about any, got some")
    if begin is not None and (theorem in CLAIMS or theorem in PREDICTION_CLAIMS):
        raise BadData(f"the start: expected none, {theorem} is not about a run, got a model")
    if theorem in PREDICTION_CLAIMS:
        return check_predictions(content, rows, predictions)
    return check_claim(content, rows) if theorem in CLAIMS else check_run(content, rows, begin)


def check_words(content: Object) -> None:
    """Require that a certificate states its theorem as it is stated here, or was earlier."""
    name = content["theorem"]
    if not (isinstance(name, str) and name in THEOREMS):
        raise Refused("its theorem is not one of those verified here")
    theorem = THEOREMS[name]
    statement, assumptions = content["statement"], content["assumptions"]
    words = hashlib.sha256(canonical([statement, assumptions])).hexdigest()
    if words in theorem.withdrawn:
        raise Refused("it lacks an assumption that its theorem needs: certify the run again")
    if words not in theorem.earlier or content["format"] != FORMAT:
        require(statement == theorem.statement, "its statement is another")
        stated = [*theorem.assumptions], [*theorem.assumptions, *theorem.further]
        require(assumptions in stated, "its assumptions are others")


def verify(
    text: bytes, rows: Rows, predictions: Source | None = None, begin: Beginning = None
) -> Verdict:
    """Verify a certificate on the rows, and the predictions, that it speaks of, from the model that
    its run began from.
    """
    theorem = None
    try:
        content = read_certificate(text)
        theorem = content["theorem"] if isinstance(content["theorem"], str) else None
        found = check(content, rows, predictions, begin)
        same = canonical(content["bound"]) == canonical(found.bound)
        require(same, f"its bound is not {found.bound}")
    except Refused as refusal:
        return Verdict(False, theorem, None, None, str(refusal))
    except MALFORMED as error:
        reason = f"it is not made as a certificate is: {type(error).__name__} {error}"
        return Verdict(False, theorem, None, None, reason[:200])
    except MemoryError:
        raise TooLarge("the certificate: its run takes more memory than there is") from None
    return found


def reader(text: bytes, path: str, words: list[str]) -> Rows:
    """Return what reads the data: as the labels ask for; CSV if a column of labels is named.

    A column that is a number is that of a file without a header; how else a file is to be read may
    follow it: delimiter=MARK and missing=zero or missing=feature, each at most once, and
    categorical=COLUMN and ignore=COLUMN, as often as it takes.
    """
    try:
        labels = json.loads(text)["data"]["labels"]
        found = [READERS[key] for key in labels if key in READERS]
    except (LookupError, RecursionError, TypeError, ValueError):
        found = []  # no certificate, which is refused whatever the data are
    if found or not words:
        return partial(found[0] if found else read_svmlight, path)
    label, *options = words
    given = [option.partition("=")[::2] for option in options]
    return partial(
        read_csv, path, int(label) if re.fullmatch("-?[0-9]{1,9}", label) else label,
        mark=b"".join(os.fsencode(value) for name, value in given if name == "delimiter"),
        texts=tuple(value for name, value in given if name == "categorical"),
        ignored=tuple(value for name, value in given if name == "ignore"),
        missing="".join(value for name, value in given if name == "missing") or "refuse",
    )  # fmt: skip


def predictions_in(name: str) -> Source:
    """Return what reads FILE, or FILE:COLUMN, of predictions."""
    path, _, column = (name, "", "") if os.path.isfile(name) else name.rpartition(":")
    expect(os.path.isfile(path), path or name, "a regular file of predictions", "none")
    return partial(read_predictions, path, column)


def separated(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the values of start=… and predictions=…, and all other words.

    Without "=" such a word is a column of labels.
    """
    named, others = dict[str, str](), list[str]()
    for word in words:
        name, mark, value = word.partition("=")
        if mark and name in ("start", "predictions"):
            named[name] = value
        else:
            others.append(word)
    return named, others


VERBS: dict[str, Callable[[list[str]], int]] = {}


def main(arguments: list[str]) -> int:
    """Verify a certificate file on a data file, or what else a first word asks for."""
    if len(arguments) > 1 and arguments[0] in VERBS:
        return VERBS[arguments[0]](arguments[1:])
    certificate, path, *words = arguments if len(arguments) > 1 else ("", "")
    named, others = separated(words)
    options = ("delimiter=", "missing=", "categorical=", "ignore=")
    once = len(others) + len(named) == len(words)
    if not certificate or not once or not all(w.startswith(options) for w in others[1:]):
        print("usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN;")
        print("       and start=MODEL for a run that went on from a model;")
        print("       and predictions=FILE for a certificate about predictions;")
        print("       verifier.py --chain CERTIFICATE CERTIFICATE ...")
        return 2
    try:
        expect(os.path.isfile(path), path, "a regular file, which is read several times", "none")
        text = certificate_in(certificate)
        begin = read_model(named["start"]) if "start" in named else None
        given = predictions_in(named["predictions"]) if "predictions" in named else None
        verdict = verify(text, ahead(reader(text, path, others), path), given, begin)
    except (BadData, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(verdict._asdict()))
    return 0 if verdict.verified else 1


# From core/links.py:
#
# Chains of certificates: each run goes on from where the one before it ended.
#
# What was observed adds up, and so do the bounds: every certificate has a comparator of its own, so
# the sum of the bounds is one for the sum of the runs.

NOT_CHECKED = 4  # the exit status if the certificates are linked and no data were looked at
ALIKE = ("learner", "program", TRANSFORMS)  # what all certificates of a chain have in common


class Linked(NamedTuple):
    """What the verifier says of a chain: its sums, if every certificate follows the one before.

    ``linked`` says that they do. ``verified`` says that they are also true of their data; it is
    None if the data were not given.
    """

    verified: bool | None
    certificates: int
    rounds: int | None
    observed: float | None
    bound: float | None
    reason: str
    linked: bool


class Link(NamedTuple):
    """What a certificate says that a chain needs."""

    content: Object
    rounds: int
    observed: Fraction
    bound: Fraction
    end: str | None  # the hash of the state in which it ended, if it says so


def measure(value: Json, what: str) -> Fraction:
    """Return a number that must be finite and not below 0."""
    if not (isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)):
        raise Refused(f"its {what} is no number")
    require(value >= 0, f"its {what} is below 0")
    return Fraction(value)


def link(text: bytes) -> Link:
    """Return what a certificate says; nothing is played."""
    content = read_certificate(text)
    check_words(content)
    check_parts(content)
    require(content["learner"] is not None, "it is about data alone")
    learner, _ = stated_learner(content)
    require(content["theorem"] not in RUN_THEOREMS, "the bounds of its theorem do not add up")
    about = part(content, "data")
    rows, passes = about.get("rows"), about.get("passes")
    if not (is_integer(rows) and is_integer(passes) and rows > 0 and passes > 0):
        raise Refused("its rounds are no number")
    ends = stated_states(content.get("states", []))
    seen = learner.stated(part(content, "mistakes"), part(content, "evidence"))
    return Link(
        content, rows * passes, measure(seen, "observation"), measure(content["bound"], "bound"),
        ends.get(rows * passes),
    )  # fmt: skip


def check_follows(link: Link, before: Link, again: bool) -> None:
    """Require that a run went on from where the one before it ended, as the same learner.

    If both are played again, that shows in which state the one before it ended.
    """
    start, content = started(link.content), link.content
    for name in ALIKE:
        same = canonical(content.get(name)) == canonical(before.content.get(name))
        require(same, f"its {name} is not that of the one before it")
    names = [part(one, "data").get("labels") for one in (content, before.content)]
    require(canonical(names[0]) == canonical(names[1]), "its labels are others")
    if start is None:
        raise Refused("its run began anew")
    unstated = "the one before it does not say in which state it ended"
    require(before.end or again, unstated)
    same = before.end in (None, start.state)
    require(same, "it does not begin where the one before it ended")


def replay(link: Link, rows: Rows, begin: Beginning) -> AnyLearner:
    """Play the run of a certificate on its data; return it as it ended."""
    content = link.content
    learner, parameters = stated_learner(content)
    data = read(content, learner, parameters, rows, begin)
    ended = replayed_on(content, learner, parameters, data, begin)
    bound = concluded(content, ended).bound
    require(canonical(content["bound"]) == canonical(bound), f"its bound is not {bound}")
    return ended


def verify_chain(
    texts: Sequence[bytes], rows: Sequence[Rows] = (), begin: Beginning = None
) -> Linked:
    """Verify that certificates follow each other; with their data, that they are true."""
    links: list[Link] = []
    count, at, linked = len(texts), 0, False
    try:
        require(len(rows) in (0, count), "there are other data than certificates")
        for at, text in enumerate(texts, 1):
            links.append(link(text))
            if at > 1:
                check_follows(links[-1], links[-2], bool(rows))
        at, last, linked = 0, begin, True
        for one, source in zip(links, rows, strict=False):
            at += 1
            last = replay(one, source, last)
    except Refused as refusal:
        return Linked(False, count, None, None, None, f"certificate {at}: {refusal}", linked)
    except MALFORMED as error:
        reason = f"certificate {at} is not made as one is: {type(error).__name__} {error}"
        return Linked(False, count, None, None, None, reason[:200], linked)
    except MemoryError:
        raise TooLarge("the chain: it takes more memory than there is") from None
    rounds = sum(one.rounds for one in links)
    seen = least_float(sum((one.observed for one in links), Fraction(0)))
    bound = least_float(sum((one.bound for one in links), Fraction(0)))
    reason = "each begins where the one before it ended"
    return Linked(True if rows else None, count, rounds, seen, bound, reason, linked)


def chain_main(arguments: list[str]) -> int:
    """Verify that the certificates of these files follow each other."""
    try:
        found = verify_chain([certificate_in(path) for path in arguments])
    except (BadData, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(found._asdict()))
    return NOT_CHECKED if found.linked else 1


VERBS |= {"--chain": chain_main}


# From families/perceptron.py:
#
# The perceptron with two labels, and what measures a run by a comparator.

Weights = dict[int, dict[int, int]]  # {class: {index: weight}}, class 0 alone for two labels

THEOREMS |= {
    "novikoff": Theorem("M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0"),
    "hinge": Theorem("M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)"),
    "hinge-tight": Theorem("M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)"),
    "freund-schapire": Theorem("M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²"),
    "run": Theorem(
        "M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²"
    ),
}


def comparator(entries: Json, many: bool, finest: int = 0) -> tuple[int, Weights]:
    """Return g ≥ finest and the weights of a comparator times 2^g, which are whole."""
    if not isinstance(entries, list):
        raise Refused("its w is no list of weights, each once")
    w: dict[tuple[int, int], float] = {}
    for entry in entries:
        parts = entry if isinstance(entry, list) else []
        parts = parts if many else [0, *parts]
        k, j, v = parts if len(parts) == 3 else (None, None, None)
        if is_integer(k) and is_integer(j) and isinstance(v, float) and k >= 0 and j >= -1:
            w[k, j] = v
    require(len(w) == len(entries), "its w is no list of weights, each once")
    g, columns = max(grid(w.values()), finest), defaultdict[int, dict[int, int]](dict)
    for (k, j), v in zip(w, whole(w.values(), g), strict=True):
        columns[k][j] = v
    return g, columns


class Compared(Learner[Y, X]):
    """A run measured by a comparator, all in whole numbers."""

    evidence: Names = ("w",)
    separated = "novikoff"  # the theorem that takes a margin
    hinge = hinge2 = mistake_hinge = energy = radius2 = 0
    least: int | None = None  # of the margins; None if every margin is infinite
    margin: Callable[[Y, X], int | None]  # y w·x of the comparator; None if it is infinite
    square: Callable[[X], int]  # the square of what an update adds
    unit: int
    w: Weights

    def norm2(self) -> int:
        """Return ‖w‖² of the comparator."""
        return sum(v * v for column in self.w.values() for v in column.values())

    def measure(self, y: Y, x: X, mistaken: bool, times: int) -> None:
        """Add a round to the sums."""
        self.compare(self.margin(y, x), mistaken, times)
        self.widen(self.square(x), mistaken)

    def compare(self, margin: int | None, mistaken: bool, times: int) -> None:
        """Add the comparator's margin in a round to the sums."""
        loss = 0 if margin is None or margin >= self.unit else self.unit - margin
        if times:
            self.hinge += times * loss
            self.hinge2 += times * loss * loss
            if margin is not None:
                self.least = margin if self.least is None else min(self.least, margin)
        if mistaken:
            self.mistake_hinge += loss

    def widen(self, square: int, mistaken: bool) -> None:
        """Add the square of what an update adds, or would add, in a round."""
        if mistaken:
            self.energy += square
        if mistaken or not self.many:
            self.radius2 = max(self.radius2, square)

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem as value + √root, with a = R²‖w‖²."""
        norm2 = self.norm2()
        if theorem == self.separated:
            if self.least is None or self.least <= 0:
                raise Refused("its w does not separate the data")
            return least_float(Fraction(self.radius2 * norm2, self.least**2))
        a, loss = Fraction(self.radius2 * norm2, self.unit**2), Fraction(self.hinge, self.unit)
        squares, energy = (Fraction(s, self.unit**2) for s in (self.hinge2, norm2 * self.energy))
        value, root = {
            "hinge": (a + 2 * loss, Fraction(0)),
            "hinge-tight": (a / 2 + loss, a * a / 4 + a * loss),
            "freund-schapire": (a + squares, 4 * a * squares),
            "run": (Fraction(self.mistake_hinge, self.unit), energy),
        }[theorem]
        return least_float(value, root)


def check_hashing(data: AnyRounds, hashing: Object | None) -> None:
    """Require that hashed rows have no more features than there are hashes."""
    bits = hashing["bits"] if hashing else None
    most = 1 << bits if is_integer(bits) else data.dimension
    require(data.dimension <= most, f"it is not hashed to {most} features")


class Perceptron(Compared[int, Vector]):
    """A run of w ← w + y x on a mistake."""

    theorems: Names = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run", "progressive")
    step = 1  # the square of an update, over ‖x‖²
    transforms = True
    data: Data

    def __init__(self, data: Data, ties: str = "positive", hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        self.data, self.strict, self.work = data, ties == "mistake", Work()
        self.weights: dict[int, int] = defaultdict(int)

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round, and learn from a mistake; a score of 0 is + unless it is always wrong."""
        score = self.score(x) * y
        if score > 0 or (score == 0 and y > 0 and not self.strict):
            return False
        self.learn(y, x)
        return True

    def score(self, x: Vector) -> int:
        """Return w·x, or its sign."""
        return dot(self.weights, x)

    def learn(self, y: int, x: Vector) -> None:
        """Add y x to w."""
        for j, v in zip(*x, strict=True):
            self.weights[j] += y * v

    def take(self, evidence: Object) -> None:
        """Take the comparator, and the margin asked of it."""
        target = float(above_0(evidence.get("gamma", 1.0), "gamma"))
        finest = grid([target]) - self.data.grid
        self.fine, self.w = comparator(evidence.get("w", []), self.many, finest)
        self.unit = whole([target], self.data.grid + self.fine)[0]

    def margin(self, y: int, x: Vector) -> int:
        """Return y w·x of the comparator."""
        return y * dot(self.w[0], x)

    def square(self, x: Vector) -> int:
        """Return the square of what an update adds."""
        squares: int = sum(map(mul, x[1], x[1]))
        return self.step * squares


LINEAR: Domains = {
    "bias": remark(optional(numbers(-MOST, MOST))),  # it is in the data
    "hashing": optional(record(bits=integers(1, 30), signed=BOOLS)),
}
TIES: Domains = {"ties": one_of("positive", "mistake")}
VOTERS: Domains = {"max_voters": remark(optional(integers(1, (1 << 62) - 1)))}
LEARNERS |= dict.fromkeys(("Perceptron", "AveragedPerceptron", "VotedPerceptron"), Perceptron)
PARAMETERS |= {
    "Perceptron": TIES | LINEAR,
    "AveragedPerceptron": TIES | LINEAR,
    "VotedPerceptron": TIES | LINEAR | VOTERS,
}


# From families/separability.py:
#
# Claims about data alone: that some w separates them, or that none does.

THEOREMS |= {
    "separable": Theorem("y_t w·x_t > 0 for every t"),
    "not separable": Theorem(
        "Σ_t a_t y_t x_t = 0 with a ≥ 0, a ≠ 0: no w has y_t w·x_t > 0 for every t"
    ),
}


def check_separable(evidence: Object, data: Data) -> None:
    """Check that w separates the data."""
    w = comparator(evidence["w"], many=False)[1][0]
    require(all(y * dot(w, x) > 0 for y, x in data), "its w does not separate the data")


def check_not_separable(evidence: Object, data: Data) -> None:
    """Check that the rows with these weights add up to 0."""
    rows, weights = evidence["rows"], evidence["weights"]
    if not (isinstance(rows, list) and isinstance(weights, list)):
        raise Refused("its weights are none")
    pairs = zip(rows, weights, strict=True)
    factors = {t: a for t, a in pairs if is_integer(t) and is_integer(a) and a > 0}
    require(len(factors) == len(rows) > 0, "its weights are none")
    total: dict[int, int] = defaultdict(int)
    for t, (y, x) in enumerate(data, 1):
        a = factors.pop(t, 0) * y
        for j, v in zip(*x, strict=True) if a else ():
            total[j] += a * v
    require(not factors and not any(total.values()), "its rows do not add up to 0")


CLAIMS |= {
    "separable": Claim(("w", "bias"), check_separable),
    "not separable": Claim(("rows", "weights", "bias"), check_not_separable),
}


# From families/batch.py:
#
# What the mistakes of one pass say of examples not yet seen.

INDEPENDENT = "the rounds are independent draws from one distribution"
CHOSEN_BEFORE = "learner, class and parameters were chosen before the data were seen"
ALL_CHOSEN_BEFORE = "learner, class, parameters and δ were chosen before the data were seen"
LATE_LABELS = "when a label came, and whether it came at all, did not depend on the label"
THEOREMS |= {
    "random-stopping": Theorem(
        "E[err] ≤ B/m for the hypothesis at a uniformly random time of m rounds, if the learner "
        "makes at most B mistakes on every stream of these examples",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
    "controlled-testing": Theorem(
        "with probability ≥ 1 − δ, err ≤ ε for the first hypothesis i = 0, 1, … that makes no "
        "error on n_i = ⌈ln((i + 2)²/δ)/ε⌉ fresh examples, if each earlier one is taught an "
        "example on which it erred; a learner that makes at most B mistakes needs at most "
        "n_0 + … + n_B examples",
        "probable",
        (INDEPENDENT, ALL_CHOSEN_BEFORE),
    ),
    "progressive": Theorem(
        "with probability ≥ 1 − δ, for all T at once, the mean error of the hypotheses h_1, …, h_T "
        "of the T rounds is at most min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), "
        "Λ = {2^(3 − j/2) : j = 0..33}",
        "probable",
        (INDEPENDENT, ALL_CHOSEN_BEFORE),
        further=(LATE_LABELS,),
        earlier=("15e489c3ef8ad5e94831f6d841fc4e8d78b8022d77ae8d7b8d729f2b8459c6f9",),
        withdrawn=("821ca979ea79a1a0377fa0699e79b01dc4a6f066a66def76a4486a2ae07caf31",),
    ),
    "progressive-mixture": Theorem(
        "with probability ≥ 1 − δ, for all T at once, the mean error of the hypotheses h_1, …, h_T "
        "of the T rounds is at most the p with Σ_λ e^{−λM}(1 − (1 − e^{−λ})p)^{−T} = |Λ|/δ, "
        "Λ = {2^(3 − j/2) : j = 0..33}",
        "probable",
        (INDEPENDENT, ALL_CHOSEN_BEFORE),
        further=(LATE_LABELS,),
    ),
    "leave-one-out": Theorem(
        "E[err] ≤ E[M_{m+1}]/(m + 1) for a hypothesis drawn uniformly from those of one pass over "
        "m + 1 rounds; their vote errs at most twice as often; the average of the weights has no "
        "such guarantee",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
    "jensen": Theorem(
        "E[risk(h)] ≤ E[Σ_t ℓ_t]/T for the mean h of the hypotheses h_1, …, h_T of T rounds, or of "
        "some of them drawn uniformly, where ℓ_t is the loss of h_t in round t and risk the "
        "expected loss, if the loss is convex in what the mean is taken of: scores, weights of "
        "linear hypotheses, or probabilities for log loss",
        "expected",
        (INDEPENDENT, CHOSEN_BEFORE),
    ),
}


def counted(data: AnyRounds, mistakes: int) -> int:
    """Return how many mistakes count.

    With classes the first round is judged when its own is known: it counts as one.
    """
    return min(data.count, mistakes + data.many)


def progressive_bound(data: AnyRounds, mistakes: int, delta: Json) -> float:
    """Evaluate min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), or 1."""
    share = 34 / above_0(delta, "delta", BELOW_1)
    made = counted(data, mistakes)

    def least(digits: Precision) -> Enclosure:
        found = []
        for rate in (digits.of(Fraction(2) ** (6 - j)).sqrt() for j in range(34)):
            mass = rate * made + digits.of(share).ln()
            found.append((1 - (-mass / data.count).exp()) / (1 - (-rate).exp()))
        return Enclosure(digits, min(f.low for f in found), min(f.high for f in found))

    return min(1.0, rounded_up(least))


def mixture_bound(data: AnyRounds, mistakes: int, delta: Json) -> float:
    """Find the least float p at which Σ_λ e^{−λM}(1 − cp)^{−T} reaches 34/δ, or 1; c = 1 − e^{−λ}.

    The sum rises in p.
    """
    share = 34 / above_0(delta, "delta", BELOW_1)
    made, count = counted(data, mistakes), data.count
    goal = math.log(share.numerator) - math.log(share.denominator)

    def lead(digits: Precision, p: Fraction) -> Enclosure:
        total = digits.of(-share)
        for rate in (digits.of(Fraction(2) ** (6 - j)).sqrt() for j in range(34)):
            kept = 1 - (1 - (-rate).exp()) * p
            total = total + (-rate * made - kept.ln() * count).exp()
        return total

    def reached(p: float) -> bool:
        return settled(lambda digits: lead(digits, Fraction(p)), lambda value: value >= 0)

    low, high = 0.0, 1.0  # floats tell about where it is
    rates = [2.0 ** (3 - j / 2) for j in range(34)]
    while low < (p := (low + high) / 2) < high:
        logs = [-rate * made - math.log1p(math.expm1(-rate) * p) * count for rate in rates]
        most = max(logs)
        rough = most + math.log(math.fsum(math.exp(one - most) for one in logs))
        low, high = (low, p) if rough >= goal else (p, high)
    return least_reached(reached, high)


def least_reached(reached: Callable[[float], bool], guess: float) -> float:
    """Return the least float up to 1 that is reached, as all above it are; 1 if none is."""
    low = high = guess
    step = math.ulp(guess)
    while high < 1 and not reached(high):
        low, high, step = high, min(1.0, high + step), 16 * step
    while low > 0 and reached(low):
        low, high, step = max(0.0, low - step), low, 16 * step
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def check_fresh(run: AnyLearner, one_pass: bool) -> None:
    """Require a run of one pass, whose labels were known before."""
    require(one_pass and run.data.count > 0, "the rounds of later passes are not fresh")
    require(run.known, "its tags are not known before the first round")


def progressive(run: AnyLearner, one_pass: bool, evidence: Object) -> float:
    """Evaluate the bound for a run."""
    check_fresh(run, one_pass)
    return progressive_bound(run.data, run.mistakes, evidence["delta"])


def progressive_mixture(run: AnyLearner, one_pass: bool, evidence: Object) -> float:
    """Evaluate the bound for a run."""
    check_fresh(run, one_pass)
    return mixture_bound(run.data, run.mistakes, evidence["delta"])


RUN_THEOREMS |= {
    "progressive": RunTheorem(("delta",), progressive),
    "progressive-mixture": RunTheorem(("delta",), progressive_mixture, like="progressive"),
}


# From families/multiclass.py:
#
# The perceptron with many classes.


class MulticlassPerceptron(Perceptron):
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the class seen first."""

    many = True
    step = 2

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        super().__init__(data, hashing=hashing)
        self.columns: list[dict[int, int]] = []

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge the first best of the classes seen, this round's among them, against y."""
        if y == len(self.columns):
            self.columns.append(defaultdict(int))
        scores = [dot(w, x) for w in self.columns]
        best = scores.index(max(scores))
        for j, v in zip(*x, strict=True) if best != y else ():
            self.columns[y][j] += v
            self.columns[best][j] -= v
        return best != y

    def margin(self, y: int, x: Vector) -> int:
        """Return by how much the right class scores above every other."""
        scores = [dot(self.w[k], x) for k in range(len(self.data.codes))]
        return scores.pop(y) - max(scores, default=0)


LEARNERS |= {"MulticlassPerceptron": MulticlassPerceptron}
PARAMETERS |= {"MulticlassPerceptron": LINEAR}


# From families/minnow.py:
#
# Minnow and balanced Minnow: sums of exponentials.

SIGNED = "; the balanced form takes w of either sign, and its d counts every feature twice"
THEOREMS |= {
    "minnow": Theorem(
        "M ≤ ‖w‖₁ ln d/(ηγ − ‖w‖₁ ln cosh(ηR∞)) if w ≥ 0, y_t w·x_t ≥ γ > 0 for every t and the "
        "denominator is positive" + SIGNED,
        earlier=("78f5efac5d88455d5a2c939c551e365b3258c612bc3f558cac2b16c83804f611",),
    ),
    "minnow-hinge": Theorem(
        "M ≤ (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where L = Σ_t max(0, γ − y_t w·x_t), if "
        "w ≥ 0, γ > 0 and the denominator is positive" + SIGNED,
        earlier=("b5131dba3c5fd1e60d13265e2cf1a1f7146332a846028154f817133121750e5c",),
    ),
}


def sign_of_exponentials(terms: dict[Fraction, int], work: Work) -> int:
    """Return the sign of Σ c e^a, 0 only if there is no term (Lindemann, Weierstrass)."""
    if not terms or min(terms.values()) > 0 or max(terms.values()) < 0:
        return sum(terms.values())
    top = max(terms)

    def score(digits: Precision) -> Enclosure:
        count = digits.down.prec
        near = [(a - top, c) for a, c in terms.items() if top - a < 3 * count]
        far = sum(abs(c) for a, c in terms.items() if top - a >= 3 * count)  # e^−3 < 1/10
        if count > DIGITS[1]:  # what rows of data seldom take
            work.spend(20 * count**2 * len(near), "a tie that is nearly one")
        rest = digits.of(Fraction(far, 10**count))
        total = sum((digits.of(a).exp() * c for a, c in near), digits.of(0))
        return Enclosure(digits, (total - rest).low, (total + rest).high)

    return 1 if settled(score, lambda end: end > 0) else -1


class Minnow(Perceptron):
    """w_j ∝ e^{ηθ_j}, balanced e^{ηθ_j} − e^{−ηθ_j}, with θ ← θ + y x on a mistake."""

    theorems = ("minnow", "minnow-hinge", "progressive")
    evidence = ("w", "gamma")
    balanced = False

    def __init__(self, data: Data, eta: float, hashing: Object | None = None) -> None:
        super().__init__(data, hashing=hashing)
        self.rate = Fraction(eta) / (1 << data.grid)

    def score(self, x: Vector) -> int:
        """Return the sign of Σ x_j e^{ηθ_j}; the weights are θ."""
        sums: dict[int, int] = defaultdict(int)
        for j, v in zip(*x, strict=True):
            sums[self.weights.get(j, 0)] += v
            if self.balanced:
                sums[-self.weights.get(j, 0)] -= v
        exponents = {theta * self.rate: c for theta, c in sums.items() if c}
        return sign_of_exponentials(exponents, self.work)

    def bound(self, theorem: str) -> float:
        """Evaluate (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)), d counting twice if balanced."""
        w, data = self.w[0].values(), self.data
        require(theorem != "minnow" or self.hinge == 0, "its w does not separate the data by gamma")
        require(self.balanced or min(w, default=0) >= 0, "its w is negative somewhere")
        if not any(w):  # no logarithm is left
            return least_float(Fraction(self.hinge, self.unit))
        d = max(1, data.features + (data.bias != 0)) * (2 if self.balanced else 1)
        reach: Fraction = self.rate * (1 << data.grid) * Fraction(data.largest)
        norm: int = sum(map(abs, w))
        gain: Fraction = self.rate * self.unit

        def value(digits: Precision) -> Enclosure:
            # ln cosh z = z + ln((1 + e^{−2z})/2), in which nothing overflows
            room = gain - norm * (reach + ((1 + digits.of(-2 * reach).exp()) / 2).ln())
            require(room.high > 0, "ηγ is not above ‖w‖₁ ln cosh(ηR∞)")
            above = norm * digits.of(d).ln() + self.rate * self.hinge
            return above / room

        return rounded_up(value)


class BalancedMinnow(Minnow):
    """Minnow over the features and their negatives."""

    balanced = True


LEARNERS |= {"Minnow": Minnow, "BalancedMinnow": BalancedMinnow}
PARAMETERS |= dict.fromkeys(("Minnow", "BalancedMinnow"), {"eta": numbers(LEAST, 1e300)} | LINEAR)


# From families/kernel.py:
#
# The kernel perceptron; the sign of sums of exponentials is Minnow's.


class Kernel(TypedDict, total=False):
    """A kernel: rbf with its gamma, or polynomial with its degree and c."""

    name: str
    gamma: float
    degree: int
    c: float


Point = tuple[dict[int, int], int]  # {index: value}, and ‖x‖²
KEPT = 100_000  # exponentials that are remembered


def point_of(x: Vector) -> Point:
    """Return x as a dict, and ‖x‖²."""
    return dict(zip(*x, strict=True)), sum(map(mul, x[1], x[1]))


class KernelPerceptron(Perceptron):
    """w ← w + y φ(x) on a mistake, with φ(x)·φ(z) = (x·z + c)^degree or e^{−gamma‖x − z‖²}.

    Polynomials are whole numbers of units. Exponentials lie between two neighbouring ones, and
    what a comparator makes of the rounds is rounded outward.
    """

    evidence = ("a",)
    transforms = False
    small = 200  # the unit of an exponential is 2^−200

    def __init__(
        self, data: Data, ties: str, kernel: Kernel, hashing: Object | None = None
    ) -> None:
        super().__init__(data, ties, hashing)
        self.supports: dict[tuple[tuple[int, ...], ...], tuple[Point, int]] = {}
        self.exponentials: dict[int, tuple[int, int]] = {}  # by distance
        self.radial = kernel["name"] == "rbf"
        require(not (self.radial and data.biased), "its bias is not null, with rbf")
        if self.radial:
            self.rate, self.bits = Fraction(kernel["gamma"]) / (1 << 2 * data.grid), self.small
        else:
            self.degree, c = kernel["degree"], kernel["c"]
            self.fine = max(2 * data.grid, grid([c]))
            self.shift, self.bits = whole([c], self.fine)[0], self.fine * self.degree

    def enclosed(self, z: Point, x: Vector) -> tuple[int, int]:
        """Return whole numbers of units 2^−bits between which K(z, x) lies."""
        if not self.radial:
            base = (dot(z[0], x) << (self.fine - 2 * self.data.grid)) + self.shift
            return base**self.degree, base**self.degree
        distance = self.distance(z, x)
        if distance == 0:
            return 1 << self.small, 1 << self.small
        if distance not in self.exponentials:
            if len(self.exponentials) >= KEPT:
                self.exponentials.clear()
            found = Precision(100).of(-distance * self.rate).exp() * (1 << self.small)
            self.exponentials[distance] = max(0, int(found.low)), int(found.high) + 1
        return self.exponentials[distance]

    def distance(self, z: Point, x: Vector) -> int:
        """Return ‖z − x‖²."""
        square: int = sum(map(mul, x[1], x[1]))
        return z[1] + square - 2 * dot(z[0], x)

    def total(self, terms: Iterable[tuple[int, Point]], x: Vector) -> int:
        """Return at most Σ a K(z, x), and just that if K is a whole number."""
        pairs = [(a, self.enclosed(z, x)) for a, z in terms]
        return sum(a * (low if a > 0 else high) for a, (low, high) in pairs)

    def learn(self, y: int, x: Vector) -> None:
        """Add y φ(x) to w."""
        key = (tuple(x[0]), tuple(x[1]))
        point, a = self.supports.get(key, (point_of(x), 0))
        self.supports[key] = point, a + y

    def score(self, x: Vector) -> int:
        """Return Σ a K(z, x), or its sign: if distances differ it is not 0, as in Minnow."""
        terms = [(a, z) for z, a in self.supports.values() if a]
        if not self.radial:
            return self.total(terms, x)
        sums: dict[int, int] = defaultdict(int)
        for a, z in terms:
            sums[self.distance(z, x)] += a
        return sign_of_exponentials({-d * self.rate: a for d, a in sums.items() if a}, self.work)

    def take(self, evidence: Object) -> None:
        """Take the comparator Σ a φ(x), its rows counted from 1."""
        entries, rows = evidence.get("a", []), dict[int, float]()
        if not isinstance(entries, list):
            raise Refused("its a is no list of weights, each once")
        for entry in entries:
            t, a = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
            if is_integer(t) and isinstance(a, float):
                rows[t] = a
        require(len(rows) == len(entries), "its a is no list of weights, each once")
        found = {t: point_of(x) for t, (_, x) in enumerate(self.data, 1) if t in rows}
        require(len(found) == len(rows), "its a has rows that are none")
        g, ordered = grid(rows.values()), sorted(rows)
        weights = whole([rows[t] for t in ordered], g)
        self.terms = [(a, found[t]) for t, a in zip(ordered, weights, strict=True)]
        self.unit = 1 << (g + self.bits)

    def margin(self, y: int, x: Vector) -> int:
        """Return at most y w·φ(x) of the comparator."""
        return self.total([(y * a, z) for a, z in self.terms], x)

    def square(self, x: Vector) -> int:
        """Return K(x, x)."""
        return self.enclosed(point_of(x), x)[1]

    def norm2(self) -> int:
        """Return at least Σ a b K(z, x) of the comparator."""
        points = [(list(z[0]), list(z[0].values())) for _, z in self.terms]
        parts = zip(self.terms, points, strict=True)
        return -sum(self.total([(-a * b, z) for b, z in self.terms], x) for (a, _), x in parts)


POLYNOMIAL = record(name=one_of("polynomial"), degree=integers(1, 100), c=numbers(0.0, BELOW_1E100))
RADIAL = record(name=one_of("rbf"), gamma=numbers(LEAST, BELOW_1E100))
KERNELS = Domain(
    "polynomial with a degree and c, or rbf with a gamma above 0",
    lambda value: POLYNOMIAL.has(value) or RADIAL.has(value),
)
LEARNERS |= {"KernelPerceptron": KernelPerceptron}
PARAMETERS |= {
    "KernelPerceptron": TIES | LINEAR | {"kernel": KERNELS, "budget": remark(one_of(None))}
}


# From families/halfspaces.py:
#
# Texts of theorems about halfspaces that have no certificate.

SEPARATED = "if y_t w*·x_t ≥ γ > 0 and ‖x_t‖ ≤ R for every t"
UNROUNDED = "arithmetic without rounding"
THEOREMS |= {
    "modified-perceptron": Theorem(
        "the number of updates is at most 2·ln(1/(w*·w_0))/−ln(1 − σ²) from a unit w_0 with "
        "w*·w_0 > 0, for a unit w* that is right on every row",
        assumptions=("some w* is right on every row", UNROUNDED),
    ),
    "grid-halving": Theorem(
        "M ≤ d·lg(2K + 1) for halving over the weights {mγ/(2Rd) : |m| ≤ K} with "
        f"K = ⌈2R‖w*‖d/γ⌉, {SEPARATED}, and R, ‖w*‖ and γ are known beforehand"
    ),
    "ellipsoid": Theorem(
        "M ≤ 2d(d + 1)·ln(1 + 1/ρ) with ρ = γ/(R‖w*‖) for cuts through the centre of an "
        f"ellipsoid, {SEPARATED}",
        assumptions=(UNROUNDED,),
    ),
    "centroid": Theorem(
        "M ≤ d·ln(1 + 1/ρ)/ln(e/(e − 1)) with ρ = γ/(R‖w*‖) for predictions with the centroid, "
        + SEPARATED,
        assumptions=(UNROUNDED, "the centroid is exact; sampled, the bound is approximate"),
    ),
}


# From families/finite.py:
#
# Finite classes: halving and its relatives, and disjunctions by elimination.

AGREES = "if some h in H agrees with every label"
THEOREMS |= {
    "consistent": Theorem(
        "M ≤ |H| − 1 for the learner that predicts with any h that is consistent so far, " + AGREES,
        earlier=("378364bbc83cfabbbe0edc5306a3f7be88561e42d1fc0a461630851f95a6ac91",),
    ),
    "halving": Theorem(
        "M ≤ ⌊lg |H|⌋ for the learner that predicts with the majority of the consistent h, "
        + AGREES,
        earlier=("dcd59c781ec0220f24dd99b7dbeff29ce3da95c4dd3bac9b15e87faa84eaeb4a",),
    ),
    "littlestone": Theorem(
        f"M ≤ Ldim(H) for the standard optimal algorithm, {AGREES}; no deterministic learner has "
        "a smaller worst case",
        earlier=("f850a84dcebca3816c6f8d6a1fa9c724468fbc78addec757699e652480229a84",),
    ),
    "iterated-halving": Theorem(
        "M ≤ (⌊lg |H|⌋ + 1)·m* + ⌊lg |H|⌋ for halving that restarts from all of H when no h is "
        "left, where m* is the number of mistakes of the best h",
        earlier=("43bcae6ea9bc585a3a7cedc90f3851751d15b4ee04305827131f9db9845e1b90",),
    ),
    "elimination": Theorem(
        "M ≤ d for monotone disjunctions of d variables and M ≤ d + 1 with negations, if some "
        "such disjunction agrees with every label",
        earlier=("61633d08b627972e3fff7443892400f4adbd1c9078a51248c23238a48ffee5a8",),
    ),
}


class Class(TypedDict):
    """A finite class: a table of signs, one text a hypothesis, and what its points are."""

    table: list[str]
    points: list[str] | None
    cube: int | None


def texts(value: Json) -> TypeGuard[list[str]]:
    """Say whether a value is a list of texts, each once and at least one."""
    if not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        return False
    return len({*map(str, value)}) == len(value) > 0


def is_class(value: Json) -> bool:
    """Say whether a value is a table of signs, each row once, and what its points are called."""
    if not (isinstance(value, dict) and value.keys() == {"cube", "points", "table"}):
        return False
    table, cube, names = value["table"], value["cube"], value["points"]
    if not (texts(table) and len({*map(len, table)}) == 1 and not "".join(table).strip("+-")):
        return False
    width = len(table[0])
    cubic = cube is None or (is_integer(cube) and 0 <= cube < 64 and width == 1 << cube)
    return width > 0 and cubic and (names is None or (texts(names) and len(names) == width))


class Points(Learner[int, X]):
    """A learner on points, which are rows of zeros and ones."""

    data: Data

    def ones(self) -> Iterator[tuple[int, list[int]]]:
        """Yield the label of each row, and where its ones are."""
        for y, (indices, values) in self.data:
            require(all(v == 1 << self.data.grid for v in values), "a row is no point")
            yield y, indices


class Halving(Points[int]):
    """Keeps of H what is consistent with every label, one bit a hypothesis; predicts as most do.

    A row is a point by its vector, on a cube, or by where its single 1 is.
    """

    theorems: Names = ("halving", "progressive")
    again = False  # it begins with H again when nothing is left

    def __init__(self, data: Data, H: Class) -> None:
        table, cube = H["table"], H["cube"]
        self.data = data
        self.cube, self.width = cube, len(table[0])
        require(data.dimension <= (self.width if cube is None else cube), "a row is no point")
        signs = ("".join(column)[::-1] for column in zip(*table, strict=True))
        self.columns = [int(s.replace("+", "1").replace("-", "0"), 2) for s in signs]
        self.size, self.all = len(table), (1 << len(table)) - 1
        self.left = self.all
        self.counts: dict[tuple[int, int], int] = defaultdict(int)  # of rounds

    def rounds(self) -> Iterator[tuple[int, int]]:
        """Yield the label and the point of each row."""
        for y, indices in self.ones():
            require(self.cube is not None or len(indices) == 1, "a row is no point")
            yield y, indices[0] if self.cube is None else sum(1 << j for j in indices)

    def mistaken(self, y: int, x: int) -> bool:
        """Judge a round, and keep what agrees with it."""
        plus = self.left & self.columns[x]
        mistaken = self.positive(plus, self.left ^ plus) != (y > 0)
        self.left = plus if y > 0 else self.left ^ plus
        require(self.left or self.again, "no hypothesis has every label")
        self.left = self.left or self.all
        return mistaken

    def positive(self, plus: int, minus: int) -> bool:
        """Predict from what is +1 and what is −1."""
        return plus.bit_count() >= minus.bit_count()

    def measure(self, y: int, x: int, mistaken: bool, times: int) -> None:
        """Count a round."""
        self.counts[x, y] += times

    def bound(self, theorem: str) -> float:
        """Return (⌊lg |H|⌋ + 1)·m + ⌊lg |H|⌋, m the mistakes of the best h, else 0."""
        wrong = [0] * self.size
        for (x, y), n in self.counts.items() if self.again else ():
            right = "1" if y > 0 else "0"
            for h, sign in enumerate(reversed(f"{self.columns[x]:0{self.size}b}")):
                wrong[h] += 0 if sign == right else n
        depth = self.size.bit_length() - 1
        return float((depth + 1) * min(wrong) + depth)


class IteratedHalving(Halving):
    """Halving, again and again."""

    theorems = ("iterated-halving", "progressive")
    again = True


class Consistent(Halving):
    """Predicts as the first hypothesis that is left."""

    theorems = ("consistent", "progressive")

    def positive(self, plus: int, minus: int) -> bool:
        """Predict by the lowest bit."""
        return plus != 0 and (minus == 0 or plus & -plus < minus & -minus)

    def bound(self, theorem: str) -> float:
        """Return |H| − 1."""
        return float(self.size - 1)


class StandardOptimal(Halving):
    """Predicts the label whose part of what is left has the larger Ldim."""

    theorems = ("littlestone", "progressive")
    most = 10**7  # splits that are looked at

    def __init__(self, data: Data, H: Class) -> None:
        super().__init__(data, H)
        self.reached: dict[tuple[int, int], bool] = {}
        self.splits = 0

    def positive(self, plus: int, minus: int) -> bool:
        """Predict by Ldim."""
        return self.dimension(plus) >= self.dimension(minus)

    def dimension(self, V: int) -> int:
        """Return Ldim(V) = max over x splitting V of 1 + min(Ldim(V_x^+), Ldim(V_x^−))."""
        return next(k for k in count(-1) if not self.reaches(V, k + 1))

    def reaches(self, V: int, k: int) -> bool:
        """Say whether Ldim(V) ≥ k: some point leaves two parts that reach k − 1."""
        if k <= 1 or V.bit_count() >> k == 0:  # of fewer than 2^k members, none reaches k
            return V.bit_count() > k and k <= 1
        if (V, k) not in self.reached:
            self.splits += len(self.columns) * (1 + self.size // 1000)
            if self.splits > self.most:
                raise TooLarge(f"the certificate: Ldim(H) takes more than {self.most} splits")
            parts = {min(V & column, V & ~column) for column in self.columns}
            least = {part: min(part.bit_count(), (V ^ part).bit_count()) for part in parts}
            self.reached[V, k] = any(
                self.reaches(part, k - 1) and self.reaches(V ^ part, k - 1)
                for part in sorted(least, key=least.__getitem__, reverse=True)
                if least[part] >> (k - 1)
            )
        return self.reached[V, k]

    def bound(self, theorem: str) -> float:
        """Return Ldim(H)."""
        return float(self.dimension(self.all))


class Elimination(Points[frozenset[int]]):
    """Drops the literals that are true in a negative row; predicts whether a true one is left."""

    theorems = ("elimination", "progressive")

    def __init__(self, data: Data, d: int, monotone: bool) -> None:
        require(data.dimension <= d, f"a row has more than {d} features")
        self.data = data
        self.d, self.monotone = d, monotone
        self.dropped: set[int] = set()  # x_j that are no literals any more
        self.negated: frozenset[int] | None = None  # the ¬x_j that are still some; None for all
        self.positives: set[frozenset[int]] = set()

    def rounds(self) -> Iterator[tuple[int, frozenset[int]]]:
        """Yield the label of each row, and where its ones are."""
        yield from ((y, frozenset(indices)) for y, indices in self.ones())

    def true(self, x: frozenset[int]) -> bool:
        """Say whether a literal that is left is true at x."""
        negations = self.d if self.negated is None else len(self.negated)
        false = len(x) if self.negated is None else len(x & self.negated)
        return not x <= self.dropped or (not self.monotone and false < negations)

    def mistaken(self, y: int, x: frozenset[int]) -> bool:
        """Judge a round, and learn from it."""
        found = self.true(x)
        if y < 0:
            self.dropped |= x
            self.negated = x if self.negated is None else self.negated & x
        else:
            self.positives.add(x)
        return found != (y > 0)

    def bound(self, theorem: str) -> float:
        """Return d, or d + 1 with negations; what is left must be true at every positive row."""
        require(all(map(self.true, self.positives)), "no disjunction has every label")
        return float(self.d + (not self.monotone))


LEARNERS |= {
    "Consistent": Consistent, "Halving": Halving, "StandardOptimal": StandardOptimal,
    "IteratedHalving": IteratedHalving, "Elimination": Elimination,
}  # fmt: skip
PARAMETERS |= {
    name: {"H": Domain("an object of cube, points, table, of signs, each row once", is_class)}
    for name in ("Consistent", "Halving", "StandardOptimal", "IteratedHalving")
}
PARAMETERS |= {"Elimination": {"d": integers(1, 1 << 24), "monotone": BOOLS}}


# From families/experts.py:
#
# Experts and arms: weighted majority, Hedge and bandits.

DRAWN = "the learner drew with the probabilities it states"
CHOSEN = "its parameters, its seed and δ were chosen without knowledge of the losses"
OBLIVIOUS = "no loss depended on its draws"
RATE_CHOSEN = "its parameters and its seed were chosen without knowledge of the losses"
NOT_FORESEEN = "no loss depended on a draw of the same round or of a later one"
ANY_LOSSES = (
    "for any losses in [0, 1], also for losses that respond to the learner, where L are the total "
    "losses of the experts so far and L* is the least of them at the end"
)
THEOREMS |= {
    "weighted-majority": Theorem(
        "M ≤ (m* ln(1/β) + ln N)/ln(2/(1 + β)) for the deterministic vote with factor β, where m* "
        "is the number of mistakes of the best expert",
        earlier=("7a7d274c44d34df90be24b8e03fb32a717ac4a704bfc1376e10866716822d27e",),
    ),
    "randomized-weighted-majority": Theorem(
        "E[L] ≤ (L* ln(1/β) + ln N)/(1 − β) for an expert drawn in proportion to its weight, where "
        "L is the loss of the learner and L* that of the best expert; for ±1 advice a loss is a "
        "mistake",
        "expected",
        (DRAWN, CHOSEN, OBLIVIOUS),
        earlier=("7c539dd4a893b8670c6453cfd1e353320409c146756dd4bf879b6268c263c301",),
        withdrawn=("af38c9d9a4a60f6ca2ad37aa7b3890ae6f2ff06f4588caaa6d0d6994397414cb",),
    ),
    "hedge": Theorem(
        "Σ_t p_t·l_t − L* ≤ (ln N)/η + ηT/8, which is √(T ln N/2) for η = √(8 ln N/T), with "
        f"p_t ∝ e^{{−ηL}}, {ANY_LOSSES}",
        "expected",
        (DRAWN, RATE_CHOSEN, NOT_FORESEEN),
        earlier=("0a1b00b9232aef9c6026affc5daa7f169f0e8d701a79d9475d33dc4475d74031",),
    ),
    "hedge-anytime": Theorem(
        "Σ_t p_t·l_t − L* ≤ 2√(T ln N/2) + √(ln N/8) at every T with p_t ∝ e^{−η_t L} and "
        f"η_t = √(8 ln N/t), {ANY_LOSSES}",
        "expected",
        (DRAWN, RATE_CHOSEN, NOT_FORESEEN),
        earlier=("ce3c1dede8a7b9f0c6afbe650eee858a543c798e70d761c37d817bdc2ce15e0d",),
        withdrawn=("bce22a0fd348a6133296136e2386ac4df2157700a50e99422c5fb9203386a845",),
    ),
    "exp3": Theorem(
        "pseudo-regret ≤ √(2TK ln K) for a known T with η = √(2 ln K/(TK)), and ≤ 2√(TK ln K) at "
        "any T with η_t = √(ln K/(tK))",
        "expected",
        (DRAWN, CHOSEN, OBLIVIOUS),
        earlier=("7d5d5dab3c51acf9082ecc84ad2ae3f2e4f1673090187131bfa06d2fcdc6bfd8",),
        withdrawn=("4db408c1831343c364d911c1c031f3b5d5fa3caf600951cfe115ec762de677e3",),
    ),
    "exp3p": Theorem(
        "with probability ≥ 1 − δ, regret ≤ 5.15√(TK ln(K/δ)) for a known T, and "
        "≤ Σ_r 5.15√(2^r K ln(K(r + 1)(r + 2)/δ)) over 2^r ≤ T at any T",
        "probable",
        (DRAWN, CHOSEN, OBLIVIOUS),
        withdrawn=("c4df638830919968a794c7f56adfd6b5f5e4f9c13a314ed47a3d47b145b2bfc9",),
    ),
    "exp3ix": Theorem(
        "with probability ≥ 1 − δ, regret ≤ 2√(2KT ln K) + (√(2KT/ln K) + 1) ln(2/δ) for a known "
        "T, and ≤ 4√(KT ln K) + (2√(KT/ln K) + 1) ln(2/δ) at any T",
        "probable",
        (DRAWN, CHOSEN, OBLIVIOUS),
        withdrawn=("77cab4ecdd7eb62c5b7c4efba6ea24f05d28c147b83f2916318468e4d019aba7",),
    ),
}


Losses = dict[int, Fraction]  # those above 0, by who had them


class Experts(Learner[int, Losses]):
    """N experts or arms: rows of losses in [0, 1], or of advice ±1 with an outcome, losses 0 or 1.

    Only the losses are measured; what a learner drew is not known here. Losses of 0 are left out.
    """

    evidence: Names = ("rows",)
    once = True
    data: Data
    formula: Callable[[Enclosure], Enclosure]  # of the bound, from ln N

    def __init__(self, data: Data, size: int) -> None:
        require(size == data.width, f"the data have columns for {data.width}, not for {size}")
        self.data, self.size = data, size
        self.totals: dict[int, Fraction] = {}  # of the losses of each that lost
        self.groups = {Fraction(0): size}  # how many lost so much

    @property
    def best(self) -> Fraction:
        """The least of the totals."""
        return min(self.groups)

    def take(self, evidence: Object) -> None:
        """Take what the rows are."""
        require(evidence["rows"] in ("losses", "advice"), "its rows are no losses and no advice")
        self.advised = evidence["rows"] == "advice"

    def rounds(self) -> Iterator[tuple[int, Losses]]:
        """Yield the outcome and the losses above 0 of every round."""
        for y, indices, values in self.data.given():
            if self.advised:
                require(len(indices) == self.size, "a row is no advice of all experts")
                require({-1.0, 1.0} >= set(values), "a row is no advice of −1 and +1")
                yield y, {i: Fraction(1) for i, v in enumerate(values) if v != y}
            else:
                require(0 < min(values, default=1) <= max(values, default=1) <= 1, "no loss")
                yield y, dict(zip(indices, map(Fraction, values), strict=True))

    def mistaken(self, y: int, losses: Losses) -> bool:
        """Judge no draw."""
        return False

    def measure(self, y: int, losses: Losses, mistaken: bool, times: int) -> None:
        """Add up the losses."""
        for i, loss in losses.items():
            before = self.totals.get(i, Fraction(0))
            self.totals[i] = before + loss
            self.groups[before] -= 1
            if not self.groups[before]:
                del self.groups[before]
            self.groups[before + loss] = self.groups.get(before + loss, 0) + 1

    def bound(self, theorem: str) -> float:
        """Evaluate the formula of the learner's theorem."""
        return rounded_up(lambda digits: self.formula(digits.of(self.size).ln()))


class WeightedMajority(Experts):
    """ŷ = sgn Σ β^{m_i} a_i, m_i the mistakes of expert i, a_i its advice; a tie is +1."""

    theorems = ("weighted-majority",)

    def __init__(self, data: Data, experts: int, beta: float) -> None:
        super().__init__(data, experts)
        self.beta, self.work = Fraction(beta), Work()
        self.logs = [Precision(digits).of(self.beta).ln() for digits in (18, 80)]

    def mistaken(self, y: int, losses: Losses) -> bool:
        """Judge the vote."""
        require({*losses.values()} <= {1}, "its losses are no mistakes")
        wrong: dict[int, int] = defaultdict(int)  # experts, by the mistakes they made before
        for i in losses:
            wrong[int(self.totals.get(i, 0))] += 1
        least = int(self.best)
        votes = {int(m) - least: n - 2 * wrong[int(m)] for m, n in self.groups.items()}
        sign, positive = self.sign(votes), y > 0 and self.advised
        return sign < 0 or (sign == 0 and not positive)  # with losses a tie is a mistake

    def sign(self, votes: dict[int, int]) -> int:
        """Return the sign of Σ c β^m."""
        votes = {m: c for m, c in votes.items() if c}
        if not votes or min(votes.values()) > 0 or max(votes.values()) < 0:
            total = sum(votes.values())
            return (total > 0) - (total < 0)

        for log in self.logs:
            near = sum(((log * m).exp() * c for m, c in votes.items()), log * 0)
            if near.low > 0 or near.high < 0:
                return 1 if near.low > 0 else -1
        return self.exact_sign(votes)

    def exact_sign(self, votes: dict[int, int]) -> int:
        """Return the sign of Σ c a^{m − l} b^{h − m} with β = a/b, l ≤ m ≤ h, by Horner's rule."""
        a, b, last, total = *self.beta.as_integer_ratio(), max(votes), 0
        bits = b.bit_length() * (max(votes) - min(votes))
        self.work.spend(len(votes) * bits**2 // 10_000, "a vote that is nearly a tie")
        for m in sorted(votes, reverse=True):
            total = total * a ** (last - m) + votes[m] * b ** (max(votes) - m)
            last = m
        return (total > 0) - (total < 0)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (m* ln(1/β) + ln N)/ln(2/(1 + β))."""
        of = log.digits.of
        return (log - of(self.beta).ln() * self.best) / of(2 / (1 + self.beta)).ln()


class Hedge(Experts):
    """p_t ∝ e^{−η_t L} with η_t = eta, or √(8 ln N/horizon), or √(8 ln N/t)."""

    theorems: Names = ("hedge", "hedge-anytime")  # as its rate is
    evidence = ("rows", "expected")

    def __init__(self, data: Data, experts: int, eta: float | None, horizon: int | None) -> None:
        super().__init__(data, experts)
        require(eta is None or horizon is None, "it has two rates")
        self.eta = None if eta is None else Fraction(eta)
        self.horizon = horizon
        self.theorems = self.theorems[-1:] if eta is horizon is None else self.theorems[:1]
        self.played, self.digits = 0, Precision(60)
        self.charged = self.digits.of(0)

    def rate(self, log: Enclosure) -> Enclosure:
        """Return η_t."""
        if self.eta is not None:
            return log.digits.of(self.eta)
        return (8 * log / (self.horizon or self.played)).sqrt()

    def measure(self, y: int, losses: Losses, mistaken: bool, times: int) -> None:
        """Charge p_t·l_t, in decimals of 60 digits."""
        self.played += 1
        zero, best = self.digits.of(0), self.best
        rate = self.rate(self.digits.of(self.size).ln())
        weights = {total: (rate * (best - total)).exp() for total in self.groups}
        charged = sum(
            (weights[self.totals.get(i, Fraction(0))] * loss for i, loss in losses.items()), zero
        )
        self.charged += charged / sum(
            (weights[total] * n for total, n in self.groups.items()), zero
        )
        super().measure(y, losses, mistaken, times)

    @property
    def observed(self) -> float:
        """What is expected of the draws: the regret."""
        return self.expected(self.best)

    def expected(self, less: Fraction) -> float:
        """Return Σ_t p_t·l_t, less some, rounded up."""
        return least_float(Fraction(self.charged.high) - less)

    def confirm(self, evidence: Object) -> None:
        """Confirm what the evidence says is expected."""
        same = canonical(evidence["expected"]) == canonical(self.observed)
        require(same, f"it expects {self.observed}")

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (ln N)/η + ηT/8, or 2√(T ln N/2) + √(ln N/8)."""
        T: int = self.data.count
        if self.theorems == ("hedge",):
            return log / self.rate(log) + self.rate(log) * T / 8
        return 2 * (T * log / 2).sqrt() + (log / 8).sqrt()


class RandomizedWeightedMajority(Hedge):
    """p_t ∝ β^L."""

    theorems = ("randomized-weighted-majority",)

    def __init__(self, data: Data, experts: int, beta: float) -> None:
        super().__init__(data, experts, None, None)
        self.beta = Fraction(beta)

    @property
    def observed(self) -> float:
        """What is expected of the draws: the loss."""
        return self.expected(Fraction(0))

    def rate(self, log: Enclosure) -> Enclosure:
        """Return ln(1/β)."""
        return -log.digits.of(self.beta).ln()

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (L* ln(1/β) + ln N)/(1 − β)."""
        return (self.best * self.rate(log) + log) / (1 - self.beta)


class Exp3(Experts):
    """What holds in expectation over the draws of a bandit."""

    theorems: Names = ("exp3",)
    remark = "; it speaks of the learner's draws in general, not of those of one run"

    def __init__(self, data: Data, arms: int, horizon: int | None) -> None:
        super().__init__(data, arms)
        self.horizon = horizon
        self.T: int = horizon or data.count
        require(self.T >= data.count > 0, "it goes on after its horizon")
        self.scale = (4 if horizon is None else 2) * self.T * arms

    @property
    def observed(self) -> None:
        """What is observed: nothing, for what was drawn is not known here."""

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate √(2TK ln K), or √(4TK ln K)."""
        return (self.scale * log).sqrt()


class Exp3IX(Exp3):
    """What holds with probability 1 − δ, for a δ of the evidence."""

    theorems = ("exp3ix",)
    evidence = ("rows", "delta")

    def take(self, evidence: Object) -> None:
        """Take δ."""
        super().take(evidence)
        self.delta = above_0(evidence["delta"], "delta", BELOW_1)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate 2r ln K + (r + 1) ln(2/δ), r = √(2TK/ln K) or √(4TK/ln K)."""
        root = (self.scale / log).sqrt()
        return 2 * root * log + (root + 1) * log.digits.of(2 / self.delta).ln()


class Exp3P(Exp3):
    """What holds with probability 1 − δ, for the learner's own δ."""

    theorems = ("exp3p",)

    def __init__(self, data: Data, arms: int, delta: float, horizon: int | None) -> None:
        super().__init__(data, arms, horizon)
        self.delta = Fraction(delta)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate 5.15√(TK ln(K/δ)), or Σ_r 5.15√(2^r K ln(K(r + 1)(r + 2)/δ)) over 2^r ≤ T."""
        parts = [(2**r, (r + 1) * (r + 2)) for r in range(self.T.bit_length())]
        if self.horizon is not None:
            parts = [(self.T, 1)]
        K, of = self.size, log.digits.of
        roots = [(n * K * of(K * share / self.delta).ln()).sqrt() for n, share in parts]
        return Fraction("5.15") * sum(roots, of(0))


SIZE, HORIZON = integers(2, (1 << 31) - 1), optional(integers(1, (1 << 53) - 1))
BETA, DELTA = numbers(1e-6, 0.999999), numbers(math.nextafter(1e-300, 1), BELOW_1)
NO_BIAS = remark(one_of(None))
DRAWS: Domains = {  # losses are not rescaled, and no constant is among them
    "seed": remark(integers(0, (1 << 64) - 1)), "span": remark(one_of([0.0, 1.0])),
    "rewards": remark(one_of(False)), "bias": NO_BIAS,
}  # fmt: skip
LEARNERS |= {
    "WeightedMajority": WeightedMajority, "RandomizedWeightedMajority": RandomizedWeightedMajority,
    "Hedge": Hedge, "Exp3": Exp3, "Exp3IX": Exp3IX, "Exp3P": Exp3P,
}  # fmt: skip
PARAMETERS |= {
    "WeightedMajority": {"experts": SIZE, "beta": BETA, "bias": NO_BIAS},
    "RandomizedWeightedMajority": {"experts": SIZE, "beta": BETA} | DRAWS,
    "Hedge": {"experts": SIZE, "eta": optional(numbers(LEAST, 1e6)), "horizon": HORIZON} | DRAWS,
    "Exp3": {"arms": SIZE, "horizon": HORIZON} | DRAWS,
    "Exp3IX": {"arms": SIZE, "horizon": HORIZON} | DRAWS,
    "Exp3P": {"arms": SIZE, "delta": DELTA, "horizon": HORIZON} | DRAWS,
}


# From families/chains.py:
#
# Chains: the structured perceptron on sentences.
#
# Their file has lines `tag index:count …`, and an empty line after each sentence.

THEOREMS |= {
    "structured": Theorem(
        "M ≤ R²‖w‖²/δ² where w·(Φ(x_t, y_t) − Φ(x_t, z)) ≥ δ > 0 for every t and z ≠ y_t, R the "
        "largest ‖Φ(x, y) − Φ(x, ŷ)‖ of the updates"
    )
}

Sentence = tuple[str, list[str], list[list[tuple[int, int]]]]  # where, tags, (index, count)
Positions = list[Vector]  # of a sentence: the features of each position, and how often
Path = tuple[int, "Path | None"]  # a last tag, and the path before it; −1 before the first
IS_COUNT = re.compile(rb"0*([0-9]{1,10}):0*([0-9]{1,10})").fullmatch
MOST_COUNT = (1 << 32) - 1


def read_sentences(path: str) -> Iterator[Sentence]:
    """Yield the sentences of a file: tag index:count … a position, an empty line after the last."""
    tags: list[str] = []
    items: list[list[tuple[int, int]]] = []
    first = ""
    for where, line in records(path):
        found = tokens(line)
        if found:
            first = first or where
            tags.append(decoded(found[0], where))
            pairs = [(j, int(v)) for j, v in entries(found[1:], where, "index:count", IS_COUNT)]
            sound = all(0 < v <= MOST_COUNT for _, v in pairs)
            expect(sound, where, f"counts from 1 to {MOST_COUNT}", [v for _, v in pairs])
            items.append(pairs)
        elif tags:
            yield first, tags, items
            first, tags, items = "", [], []


class Sentences(Rounds[list[int], Positions]):
    """Sentences as (tags, positions), read again for every pass; every value is a count."""

    many = True

    def __init__(self, rows: Rows, labels: Json, bias: Json = None) -> None:
        _, stated = stated_labels(labels, "tags")
        names = stated if texts(stated) else []
        require(names == stated, "its tags are none")
        self.codes = {name: k for k, name in enumerate(names)}
        self.rows, self.labels = rows, labels
        self.positions, self.met = 0, dict[int, None]()  # the tags that appear, in their order
        for tags, positions in self:
            self.count += 1
            self.positions += len(tags)
            self.met |= dict.fromkeys(tags)
            for indices, _ in positions:
                self.counted(indices)

    def rounds(self) -> Iterator[tuple[list[int], Positions]]:
        """Yield the tags and the positions of each sentence."""
        digest = hashlib.sha256()
        for where, tags, sentence in self.rows():
            expect(len(tags) == len(sentence), where, f"{len(sentence)} tags", len(tags))
            require({*tags} <= self.codes.keys(), "the tags are others")
            positions = []
            for items in map(sorted, sentence):
                indices = [j for j, _ in items]
                odd = [j for j, k in pairwise([-1, *indices, 1 << 31]) if j >= k]
                expect(not odd, where, "every feature once, counted from the first", indices)
                odd = [v for _, v in items if type(v) is not int or not 0 < v <= MOST_COUNT]
                expect(not odd, where, f"counts from 1 to {MOST_COUNT}", odd)
                positions.append((indices, [v for _, v in items]))
            codes = [self.codes[tag] for tag in tags]
            digest.update(struct.pack("<I", len(tags)))
            for code, (indices, counts) in zip(codes, positions, strict=True):
                flat = chain.from_iterable(zip(indices, counts, strict=True))
                form = "<II" + "Qd" * len(indices)
                digest.update(struct.pack(form, code, len(indices), *flat))
            yield codes, positions
        self.same(digest.hexdigest())


class Problem(TypedDict):
    """The chains of a learner: how features were made, and its tags, if it knew them before."""

    kind: str
    templates: str | None
    columns: list[str] | None
    tags: list[str] | None


class Chain(Compared[list[int], Positions]):
    """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake; ties to the lowest tags, from the last to the first.

    w[tag][j] weighs feature j at a position of this tag; beyond the features, j is that of the
    sentence's start, and then those of each tag before.
    """

    theorems = ("structured", *Perceptron.theorems[1:])
    separated = "structured"
    reads, many = Sentences, True
    grain = 1  # weights are whole numbers of 1/grain
    data: Sentences

    def __init__(self, data: Sentences, problem: Problem) -> None:
        self.data, self.all, self.seen = data, len(data.codes), 0
        self.known = bool(problem["tags"])
        small = self.all**2 * data.positions <= 10**8 + 10**4 * (data.positions + data.nonzeros)
        if not small:
            raise TooLarge(f"the certificate: {self.all} tags take more work than is done here")
        if problem["tags"] is None:
            require(list(data.met) == list(range(self.all)), "the tags are others")
        else:
            require(problem["tags"] == list(data.codes), "its tags are others")
            self.seen = self.all
        self.columns: Weights = {k: defaultdict(int) for k in range(self.all)}

    def items(self, y: list[int], x: Positions) -> Iterator[tuple[int, int, int]]:
        """Yield (tag, index, count) of Φ(x, y)."""
        for before, tag, (indices, counts) in zip([-1, *y], y, x, strict=False):
            yield tag, self.data.dimension + before + 1, 1
            yield from zip(repeat(tag), indices, counts, strict=False)

    def best(self, w: Weights, x: Positions, tags: int, count: int) -> list[tuple[int, list[int]]]:
        """Return the best outputs of a sentence with their scores."""
        first = self.data.dimension
        ends: list[list[tuple[int, Path]]] = [[(0, (-1, None))]]  # by the last tag, best first
        for position in x:
            known = list(chain.from_iterable(ends))
            scores = [dot(w[k], position) for k in range(tags)]
            ends = []
            for k in range(tags):
                grown: list[tuple[int, Path]] = [
                    (c - scores[k] - w[k].get(first + z[0] + 1, 0), (k, z)) for c, z in known
                ]
                ends.append(sorted(grown, key=itemgetter(0))[:count])  # of equal ones the first
        outputs = []
        for cost, end in sorted(chain.from_iterable(ends), key=itemgetter(0))[:count]:
            path: list[int] = []
            at: Path | None = end
            while at is not None and at[0] >= 0:
                path.append(at[0])
                at = at[1]
            outputs.append((-cost, path[::-1]))
        return outputs

    def mistaken(self, y: list[int], x: Positions) -> bool:
        """Judge the best output over the tags seen, this round's among them, against y."""
        self.seen = max([self.seen, *(tag + 1 for tag in y)])
        _, z = self.best(self.columns, x, self.seen, 1)[0]
        step: dict[tuple[int, int], int] = defaultdict(int)
        for sign, output in ((1, y), (-1, z)):
            for tag, j, v in self.items(output, x):
                step[tag, j] += sign * v
        for (tag, j), v in step.items():
            self.columns[tag][j] += self.grain * v
        self.step = sum(v * v for v in step.values())
        return z != y

    def take(self, evidence: Object) -> None:
        """Take the comparator."""
        self.fine, self.w = comparator(evidence.get("w", []), many=True)
        self.unit = 1 << self.fine

    def margin(self, y: list[int], x: Positions) -> int | None:
        """Return by how much y scores above every other output; None without another."""
        score = sum(self.w[tag].get(j, 0) * v for tag, j, v in self.items(y, x))
        others = [s for s, z in self.best(self.w, x, self.all, 2) if z != y]
        return score - others[0] if others else None

    def square(self, x: Positions) -> int:
        """Return ‖Φ(x, y) − Φ(x, ŷ)‖² of the round last played."""
        return self.step


TEXT = Domain("a text", lambda value: isinstance(value, str))
TEXTS = optional(Domain("a list of texts, each once", texts))
CHAIN = record(kind=one_of("Chains"), templates=optional(TEXT), columns=TEXTS, tags=TEXTS)


def has_both_or_none(value: Json) -> bool:
    """Say whether templates and columns are both given, or neither."""
    given = value if isinstance(value, dict) else {}
    return (given.get("templates") is None) == (given.get("columns") is None)


# Templates, of the columns of a token, are how the features of the rows here were made.
CHAINS = Domain(
    CHAIN.words,
    lambda value: CHAIN.has(value) and has_both_or_none(value),
)
LEARNERS |= {"StructuredPerceptron": Chain}
PARAMETERS |= {"StructuredPerceptron": {"problem": CHAINS, "averaged": remark(BOOLS)}}
READERS |= {"tags": read_sentences}
KINDS += ["tags"]


# From families/losses.py:
#
# Learners for losses, which are float programs: they are replayed bit for bit.
#
# docs/programs.md defines them. Python's floats are those of IEEE 754, so that every operation here
# is one of the program: `+ − × /` and `√` round to nearest, and `fsum` is the rounded exact sum.

THEOREMS |= {
    "ftrl-diag": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + ½Σ_i λ_i u_i² + ½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + rounding for "
        "every u, where ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, g_t its derivative "
        "at the score that was played, L(u) = Σ_t ℓ_t(u·x_t), "
        "λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with m = max_{s≤t} |x_{s,i}|, and λ_i the "
        "same after the last round"
    ),
}

L2E = float.fromhex("0x1.71547652b82fep0")
LN2H, LN2L = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
SQH = float.fromhex("0x1.6a09e667f3bcdp-1")
ROUND = 6755399441055744.0  # 1.5·2⁵²: adding and subtracting it rounds to a whole number
MOST_PASSES = 1000  # each reads all lines of a file again, also those without a round


def factorial(n: int) -> float:
    """Return n!, a whole number up to 14!."""
    return 1.0 if n < 2 else n * factorial(n - 1)


EXP = [1.0 / factorial(n) for n in range(14, 1, -1)]  # 1/14!, …, 1/2!
LOG = [2.0 / (2 * n + 1) for n in range(10, 0, -1)]  # 2/21, …, 2/3


def horner(coefficients: list[float], x: float) -> float:
    """Evaluate a polynomial, its highest coefficient first."""
    found = coefficients[0]
    for c in coefficients[1:]:
        found = found * x + c
    return found


def float_exp(x: float) -> float:
    """Return e^x as the programs define it."""
    x = min(max(x, -708.0), 708.0)
    k = (x * L2E + ROUND) - ROUND
    a, b = x - k * LN2H, k * LN2L
    r = a - b
    rest = (a - r) - b
    w = (r * r) * horner(EXP, r) + rest
    h = 1.0 + r
    low = r - (h - 1.0)
    return ldexp(h + (low + w), int(k))


def float_log1p(x: float) -> float:
    """Return ln(1 + x) for x ≥ 0 as the programs define it."""
    u = 1.0 + x
    m, k = frexp(u)  # ½ ≤ m < 1
    if m < SQH:
        m, k = m * 2.0, k - 1
    if k == 0:
        f, c = x, 0.0
    else:
        f, c = m - 1.0, (x - (u - 1.0) if x < 1.0 else 1.0 - (u - x)) / u
    s = f / (2.0 + f)
    z = s * s
    half = (0.5 * f) * f
    R = z * horner(LOG, z)
    return k * LN2H - ((half - (s * (half + R) + (k * LN2L + c))) - f)


def added(total: float, rest: float, term: float) -> tuple[float, float]:
    """Add a term to a sum of two floats: total is the rounded sum, rest gathers its errors."""
    s = total + term
    b = s - total
    return s, rest + ((total - (s - b)) + (term - b))


def check_passes(passes: int) -> None:
    """Refuse to play too many passes: a float program cannot leave any of them out."""
    if passes > MOST_PASSES:
        most = f"{MOST_PASSES}, the most that are played here"
        raise TooLarge(f"the certificate: {passes} passes are more than {most}")


class FloatData(Data):
    """The rows of a float program, which are read only if the floats are fit for it."""

    def __init__(
        self, rows: Rows, labels: Json, bias: Json, transforms: Transforms | None = None
    ) -> None:
        check_floats()
        super().__init__(rows, labels, bias, transforms)


class LogLoss:
    """An upper bound of Σ ln(1 + e^{−y u·x}), in decimals of 30 digits that are rounded up.

    ln(1 + e^{−z}) = max(0, −z) + ln(1 + e^{−|z|}), and the logarithms of 64 rounds are one.
    """

    def __init__(self, unit: int) -> None:
        self.digits = Precision(30)
        self.unit = Decimal(unit)  # what z is a whole number of
        self.linear, self.logs, self.product, self.count = 0, Decimal(0), Decimal(1), 0

    def add(self, z: int) -> None:
        """Add a round with y u·x = z units."""
        down, up = self.digits.down, self.digits.up
        self.linear += max(0, -z)
        small = up.exp(down.divide(Decimal(abs(z)), self.unit).copy_negate())
        self.product = up.multiply(self.product, up.add(1, up.next_plus(small)))
        self.count += 1
        if self.count % 64 == 0:
            self.gather()

    def gather(self) -> None:
        """Add the logarithm of the product so far."""
        up = self.digits.up
        if self.product > 1:  # it is above 1 as soon as it has a factor
            self.logs = up.add(self.logs, up.next_plus(up.ln(self.product)))
        self.product = Decimal(1)

    def total(self) -> Fraction:
        """Return the upper bound."""
        self.gather()
        return Fraction(self.linear) / Fraction(self.unit) + Fraction(self.logs)


Cell = tuple[float, float, float]  # m, θ and S of a feature
Values = tuple[list[int], list[float]]  # indices and values of a row, the constant at −1
Sizes = Callable[[int], tuple[float, float] | None]  # m and S of a feature, if it has appeared


class LogisticRun(Learner[int, Values]):
    """A run of a float program for the logistic loss, and the loss of a comparator u beside it."""

    reads = FloatData
    transforms = True
    data: Data
    rate: float
    sizes: Sizes
    played = 0  # rounds
    loss = loss_rest = 0.0

    def __init__(self, data: Data) -> None:
        self.data, self.work = data, Work()

    def rounds(self) -> Iterator[tuple[int, Values]]:
        """Yield y and x of each row as floats, x with the constant feature."""
        bias = self.data.bias
        for y, indices, values in self.data.given():
            yield y, ([*indices, -1], [*values, bias]) if bias else (indices, values)

    def play(
        self,
        passes: int,
        evidence: Object,
        transcript: Iterator[int],
        states: dict[int, str] | None = None,
    ) -> None:
        """Play the run. No pass can be left out, so only so many are played."""
        check_passes(passes)
        super().play(passes, evidence, transcript, states)

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and prepare to sum its losses."""
        self.compared = "w" in evidence
        self.fine, weights = comparator(evidence.get("w", []), many=False)
        self.u, self.times = weights[0], 1
        self.unit = 1 << (self.fine + self.data.grid)  # u·x is a whole number of its inverse
        self.log_loss = LogLoss(self.unit)
        self.dual = LogisticDual() if "least" in evidence else None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of the comparator in a round of the first pass, which stands for all."""
        if times and self.compared:
            self.times = times
            row = x[0], whole(x[1], self.data.grid)
            z = y * dot(self.u, row)
            self.log_loss.add(z)
            if self.dual:
                self.dual.take(y, z, self.unit, row)

    @property
    def observed(self) -> float:
        """The loss if it is what the theorem is about, else the mistakes."""
        return self.loss + self.loss_rest if self.compared else self.mistakes

    def completed(self, evidence: Object) -> Object:
        """Return the evidence with the least value, if it has one."""
        return evidence | {"least": self.least} if "least" in evidence else evidence

    def confirm(self, evidence: Object) -> None:
        """Confirm the loss, and that all of it was computed with such floats."""
        check_floats()
        if self.compared:
            same = canonical(evidence["loss"]) == canonical(self.observed)
            require(same, f"its loss is not {self.observed}")
        if self.compared and self.dual:
            same = canonical(evidence["least"]) == canonical(self.least)
            require(same, f"its least value is not {self.least}: certify the run again")

    def penalty(self, sizes: Sizes, rate: float) -> Fraction:
        """Return ½Σ λ_i u_i² = Σ (m u)²√(S + 1)/(2 rate), rounded up; (m, S) is sizes(i)."""
        digits = self.log_loss.digits
        total = digits.of(0)
        for i, weight in self.u.items():
            found = sizes(i)
            if found is None:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
            share = Fraction(found[0]) * Fraction(weight, 1 << self.fine)
            total += digits.of(Fraction(found[1]) + 1).sqrt() * (share * share)
        return Fraction((total / (2 * Fraction(rate))).high)

    @property
    def least(self) -> float | None:
        """The greatest float, 0 or more, that k L(u) + ½Σ λ_i u_i² is not below, with k passes.

        λ_i = m²√(S + 1)/rate, and (m, S) is sizes(i). None if the certificate does not say.
        """
        if not self.dual:
            return None
        digits = self.dual.digits

        def lambdas(i: int) -> Decimal:
            m, S = self.sizes(i) or (1.0, 0.0)  # every feature of a row has appeared
            share = Fraction(m) * Fraction(m) / Fraction(self.rate)
            return (digits.of(Fraction(S) + 1).sqrt() * share).low

        found = self.dual.least(lambdas, self.data.grid, self.times)
        return max(0.0, -least_float(-Fraction(found)))


class AdaptiveGradient(LogisticRun):
    """m = max|x|, w = rate·θ/(m√(S + 1)); θ ← θ − g x/m, S ← S + (g x/m)² in every round."""

    theorems: Names = ("ftrl-diag", "progressive")
    evidence: Names = ("w", "loss", "least")
    optional: Names = ("least",)
    program = "adaptive-gradient/1"

    def __init__(self, data: Data, rate: float, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.rate = rate
        self.cells: dict[int, Cell] = {}
        self.stability, self.stability_rest = 0.0, 0.0

    def scaled(self, i: int, x: float) -> Cell:
        """Return (m, θ, S) with this x among what m is the maximum of."""
        m, theta, S = self.cells.get(i, (0.0, 0.0, 0.0))
        size = abs(x)
        if size <= m:
            return m, theta, S
        c = m / size
        return size, theta * c, (S * c) * c

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        parts, terms = [], []
        for i, value in zip(*x, strict=True):
            m, theta, S = self.scaled(i, value)
            root, share = sqrt(S + 1.0), value / m
            parts.append((i, m, theta, S, root, share))
            terms.append(((self.rate * theta) / root) * share)
        s = fsum(terms)
        e = float_exp(-abs(s))
        d = 1.0 + e
        right = (s >= 0) == (y > 0)
        slope = e / d if right else 1.0 / d  # |g|
        g = -slope if y > 0 else slope
        loss = float_log1p(e) if right else abs(s) + float_log1p(e)
        costs = []
        for i, m, theta, S, root, share in parts:
            step = g * share
            square = step * step
            costs.append(square / root)
            self.cells[i] = m, theta - step, S + square
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        cost = (0.5 * self.rate) * fsum(costs)
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, cost)
        self.played += 1
        return not right

    def fingerprint(self) -> str:
        """Return SHA-256 over (index, m, θ, S) of every feature, ascending; 2⁶⁴ − 1 is −1."""
        self.work.spend(1000 * len(self.cells), "a hash of so many states")
        digest = hashlib.sha256()
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            digest.update(struct.pack("<Qddd", i, *cell))
        return digest.hexdigest()

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared."""
        m, _, S = self.cells.get(i, (0.0, 0.0, 0.0))
        return (m, S) if i in self.cells else None

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + penalty + stability + 2⁻⁴⁹T(T + 5(stability + penalty + loss))."""
        T, share = self.played, Fraction(self.played, 1 << 49)
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        stability = Fraction(self.stability + self.stability_rest)
        loss, penalty = Fraction(self.loss + self.loss_rest), self.penalty(self.sizes, self.rate)
        rounding = share * (T + 5 * (stability + penalty + loss))
        return least_float(self.times * self.log_loss.total() + penalty + stability + rounding)


LEARNERS |= {"AdaptiveGradient": AdaptiveGradient}
LOGISTIC = remark(one_of("logistic"))  # so far the only loss
RATE = numbers(1 / (1 << 20), float(1 << 20))
PARAMETERS |= {"AdaptiveGradient": {"rate": RATE, "loss": LOGISTIC} | LINEAR}


# From families/betting.py:
#
# CoinBetting, a float program without a rate, and what its wealth says of a run.
#
# docs/programs.md defines the program `coin-betting/1`.

THEOREMS |= {
    "betting": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + Σ_i (1 − W_i + u_i θ_i) + rounding for every u, where "
        "ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, g_t its derivative at the score "
        "that was played, L(u) = Σ_t ℓ_t(u·x_t), θ_i = −Σ_t g_t x_{t,i}, and W_i = 1 − "
        "Σ_t g_t x_{t,i} w_{t,i} is what the bets on feature i have made of a wealth of 1"
    ),
}

Purse = tuple[float, float, float, float]  # m, the wealth W, θ and S of a feature


class Betting(NamedTuple):
    """What bets say of a comparator u: Σ (1 − W + u m θ), Σ m|u|, and how many features there are.

    θ is in units of m, the largest |x|.
    """

    regret: Fraction
    reach: Fraction
    features: int


def betting(
    u: dict[int, int], fine: int, purses: Iterable[tuple[int, float, float, float]]
) -> Betting:
    """Return what bets say of u, in units of 2^−fine; (i, m, W, θ) are those of each feature."""
    wealth: list[float] = []
    regret = reach = Fraction(0)
    left = dict(u)
    for i, m, W, theta in purses:
        wealth.append(W)
        weight = left.pop(i, 0)
        if weight:
            share = Fraction(m) * Fraction(weight, 1 << fine)
            regret += share * Fraction(theta)
            reach += abs(share)
    for i in left:
        raise Refused(f"its w has a weight for feature {i}, which never appears")
    g, total = grid(wealth), 0
    for units in whole(wealth, g):
        total += units
    return Betting(regret + len(wealth) - Fraction(total, 1 << g), reach, len(wealth))


def betting_rounding(T: int, loss: Fraction, bets: Betting) -> Fraction:
    """Return 2⁻⁴⁹T(T + d + 5 loss + T Σ m|u|)."""
    return Fraction(T, 1 << 49) * (T + bets.features + 5 * loss + T * bets.reach)


class CoinBetting(LogisticRun):
    """m = max|x|, w = 0.8 W clamp(θ/√(S + 1), ±1)/√(S + 1); W −= (g x/m) w, θ −= g x/m."""

    theorems: Names = ("betting", "progressive")
    evidence: Names = ("w", "rate", "loss", "least")
    optional: Names = ("least",)
    program = "coin-betting/1"

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.cells: dict[int, Purse] = {}

    def scaled(self, i: int, x: float) -> Purse:
        """Return (m, W, θ, S) with this x among what m is the maximum of."""
        m, W, theta, S = self.cells.get(i, (0.0, 1.0, 0.0, 0.0))
        size = abs(x)
        if size <= m:
            return m, W, theta, S
        c = m / size
        return size, W, theta * c, (S * c) * c

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        parts, terms = [], []
        for i, value in zip(*x, strict=True):
            m, W, theta, S = self.scaled(i, value)
            root, share = sqrt(S + 1.0), value / m
            bet = ((0.8 * W) * min(max(theta / root, -1.0), 1.0)) / root
            parts.append((i, m, W, theta, S, share, bet))
            terms.append(bet * share)
        s = fsum(terms)
        e = float_exp(-abs(s))
        d = 1.0 + e
        right = (s >= 0) == (y > 0)
        slope = e / d if right else 1.0 / d  # |g|
        g = -slope if y > 0 else slope
        loss = float_log1p(e) if right else abs(s) + float_log1p(e)
        for i, m, W, theta, S, share, bet in parts:
            step = g * share
            self.cells[i] = m, W - step * bet, theta - step, S + step * step
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        self.played += 1
        return not right

    def fingerprint(self) -> str:
        """Return SHA-256 over (index, m, W, θ, S) of every feature, ascending; 2⁶⁴ − 1 is −1."""
        self.work.spend(1000 * len(self.cells), "a hash of so many states")
        digest = hashlib.sha256()
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            digest.update(struct.pack("<Qdddd", i, *cell))
        return digest.hexdigest()

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and the rate of the penalty that `least` is about."""
        super().take(evidence)
        rate = evidence.get("rate", 1.0)
        if not (isinstance(rate, float) and RATE.has(rate)):
            raise Refused(f"its rate is not {RATE.words}")
        self.rate = rate

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared."""
        m, _, _, S = self.cells.get(i, (0.0, 0.0, 0.0, 0.0))
        return (m, S) if i in self.cells else None

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + Σ (1 − W + u m θ) + 2⁻⁴⁹T(T + d + 5 loss + T Σ m|u|)."""
        T = self.played
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        bets = betting(self.u, self.fine, ((i, *cell[:3]) for i, cell in self.cells.items()))
        rounding = betting_rounding(T, Fraction(self.loss + self.loss_rest), bets)
        return least_float(self.times * self.log_loss.total() + bets.regret + rounding)


LEARNERS |= {"CoinBetting": CoinBetting}
PARAMETERS |= {"CoinBetting": {"loss": LOGISTIC} | LINEAR}


# From families/mixture.py:
#
# Parts of Blend: the Newton steps, the base rates, and the mixture of all members.
#
# Every operation is one of the float program `blend/1`.

THEOREMS |= {
    "mixture": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L_k + ln K + rounding for every member k, and if members share "
        "1/(t + 1) of the weight after round t then ≤ L_k + ln K + ln T + rounding, where "
        "p_t(y_t) is the probability that the mixture of K members gave to the label of round t, "
        "T the number of rounds, and L_k the sum of −ln of the probabilities that "
        "member k gave to the labels"
    ),
}

MEMBERS, NEWTON, STACKED = 11, 9, 10  # the stack is the last, OnlineNewton the one before it
FAR = 1048576.0  # 2²⁰
MOST_JOINED = 129  # features of OnlineNewton, the constant one included

Pair = tuple[float, float]  # the probabilities of +1 and −1


def clamped(x: float, most: float) -> float:
    """Return x, or the end of ±most that it is beyond."""
    return min(max(x, -most), most)


def chances(s: float) -> Pair:
    """Return the probabilities of +1 and −1 if the score is s."""
    e = float_exp(-abs(s))
    d = 1.0 + e
    return (1.0 / d, e / d) if s >= 0 else (e / d, 1.0 / d)


def newton(
    g: float, chance: Pair, q: float, diagonal: list[float], k: list[float]
) -> tuple[float, float, bool]:
    """Return the sizes of a Newton step, for w and for P, and whether P stays positive."""
    h = max(chance[0] * chance[1], 0.001)
    d = 1.0 + h * q
    b = h / d if q >= 0 else 0.0
    stays = all(p - b * (own * own) > 0 for p, own in zip(diagonal, k, strict=True))
    return g / d, b, q >= 0 and stays


class OnlineNewton:
    """k = P z, w ← w − g k/(1 + h q), P ← P − h k kᵀ/(1 + h q); features in the order they came."""

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.first: list[float] = []
        self.w: list[float] = []
        self.P: list[list[float]] = []  # row i has the entries up to its diagonal
        self.left = False
        self.seen: dict[int, float] = {}  # by slot: z of the row that was scored last
        self.k: list[float] = []
        self.q = 0.0

    def products(self) -> list[float]:
        """Return P z: each term is rounded to so few bits that their sum is exact."""
        columns, P = [], self.P
        for slot, z in self.seen.items():
            column = P[slot] + [row[slot] for row in P[slot + 1 :]]
            columns.append([p * z for p in column])
        found = []
        for terms in zip(*columns, strict=True):
            M = 512.0 * max(*terms, -min(terms))
            found.append(fsum([(term + M) - M for term in terms]))
        return found or [0.0] * len(P)

    def score(self, x: Values) -> float:
        """Return w·z, moderated by q = zᵀP z."""
        if self.left:
            return 0.0
        slots, first = self.slots, self.first
        known = [(slots[i], value) for i, value in zip(*x, strict=True) if i in slots]
        self.seen = {slot: clamped(value / first[slot], FAR) for slot, value in known}
        self.k = self.products()
        self.q = fsum([z * self.k[slot] for slot, z in self.seen.items()])
        s = fsum([self.w[slot] * z for slot, z in self.seen.items()])
        return s / sqrt(1.0 + 0.39269908169872414 * max(self.q, 0.0))  # π/8

    def step(self, x: Values, g: float, chance: Pair) -> bool:
        """Learn from the row that was scored last; say whether the member leaves after it."""
        k, P = self.k, self.P
        a, b, positive = newton(g, chance, self.q, [row[-1] for row in P], k)
        if positive:
            self.w = [w - a * own for w, own in zip(self.w, k, strict=True)]
            for i, (own, row) in enumerate(zip(k, P, strict=True)):
                P[i] = [p - b * (own * other) for p, other in zip(row, k, strict=False)]
        else:
            self.P = [[0.0] * i + [1.0] for i in range(len(P))]
        slots = self.slots
        new = [(i, v) for i, v in zip(*x, strict=True) if i not in slots]
        if len(slots) + len(new) > MOST_JOINED:
            self.slots, self.first, self.w, self.P, self.left = {}, [], [], [], True
            return True
        for i, value in zip(*x, strict=True):
            if i in slots and abs(self.seen[slots[i]]) == FAR:
                self.begin(slots[i], value)
        for i, value in new:
            slots[i] = len(slots)
            self.first.append(abs(value))
            self.w.append(0.0)
            self.P.append([0.0] * len(self.P) + [1.0])
        return False

    def begin(self, slot: int, value: float) -> None:
        """Give a feature a new unit and its own variance, and nothing in common with others."""
        self.first[slot], self.w[slot] = abs(value), 0.0
        self.P[slot] = [0.0] * slot + [1.0]
        for row in self.P[slot + 1 :]:
            row[slot] = 0.0

    def packed(self) -> bytes:
        """Return the count of features; by index: index, unit, w, P with those up to this one."""
        order = sorted((i % (1 << 64), slot) for i, slot in self.slots.items())
        found = [struct.pack("<Q", len(order))]
        for n, (i, slot) in enumerate(order):
            pairs = [(max(slot, other), min(slot, other)) for _, other in order[: n + 1]]
            row = [self.P[high][low] for high, low in pairs]
            found.append(struct.pack(f"<Q{n + 3}d", i, self.first[slot], self.w[slot], *row))
        return b"".join(found)


class Stack:
    """A Newton step on the scores z of the members, clipped to ±10."""

    def __init__(self) -> None:
        self.w = [1.0 / STACKED] * STACKED
        self.restart()

    def restart(self) -> None:
        """Begin again with P = I/3."""
        every = range(STACKED)
        self.P = [[1.0 / 3.0 if i == j else 0.0 for j in every] for i in every]

    def score(self, z: list[float]) -> float:
        """Return w·z, summed from the first member to the last."""
        s = 0.0
        for w, value in zip(self.w, z, strict=True):
            s = s + w * value
        return s

    def step(self, z: list[float], g: float, chance: Pair) -> None:
        """Learn from the scores."""
        k, q = [], 0.0
        for row, own in zip(self.P, z, strict=True):
            total = 0.0
            for p, value in zip(row, z, strict=True):
                total = total + p * value
            k.append(total)
            q = q + own * total
        a, b, positive = newton(g, chance, q, [self.P[i][i] for i in range(STACKED)], k)
        if positive:
            self.w = [w - a * own for w, own in zip(self.w, k, strict=True)]
            rows = zip(self.P, k, strict=True)
            self.P = [[p - b * (i * j) for p, j in zip(row, k, strict=True)] for row, i in rows]
        else:
            self.restart()


class Mixture:
    """Weights π of the members: Bayes' rule, then a share 1/(t + 2) spread over all of them."""

    def __init__(self) -> None:
        self.weights = [1.0 / MEMBERS] * MEMBERS
        self.mean = self.weights  # over the rounds, weighted by t + 1
        self.left = False  # has OnlineNewton left?

    def mixed(self, clipped: list[Pair]) -> Pair:
        """Return the probabilities of +1 and −1, up to a common factor near 1."""
        positive, negative = 0.0, 0.0
        for (p, r), weight in zip(clipped, self.weights, strict=True):
            positive, negative = positive + weight * p, negative + weight * r
        return positive, negative

    def learn(self, likelihoods: list[float], t: int) -> None:
        """Take the probabilities that the members gave to the label of the round after t others."""
        part, share = 2.0 / (t + 2), 1.0 / (t + 2)
        olds = zip(self.mean, self.weights, strict=True)
        self.mean = [old + (w - old) * part for old, w in olds]
        found, total = [], 0.0
        for p, weight in zip(likelihoods, self.weights, strict=True):
            found.append(weight * p)
            total = total + found[-1]
        keep, spread = 1.0 - share, share / (MEMBERS - self.left)
        self.weights = [keep * (weight / total) + spread for weight in found]
        if self.left:
            self.weights[NEWTON] = 0.0

    def leave(self) -> None:
        """Give the weight of OnlineNewton to the others."""
        self.left = True
        self.weights, self.mean = without_newton(self.weights), without_newton(self.mean)


def without_newton(weights: list[float]) -> list[float]:
    """Return the weights with 0 for OnlineNewton, whose share goes to the others."""
    rest = 0.0
    for k, weight in enumerate(weights):
        rest = rest + (weight if k != NEWTON else 0.0)
    return [weight / rest if k != NEWTON else 0.0 for k, weight in enumerate(weights)]


class BaseRate:
    """The logarithm of the odds of the labels so far, of which a share stays in every round."""

    def __init__(self, keep: float) -> None:
        self.keep, self.positive, self.negative = keep, 0.0, 0.0

    def score(self) -> float:
        """Return ln((n₊ + ½)/(n₋ + ½))."""
        a, b = self.positive + 0.5, self.negative + 0.5
        return float_log1p((a - b) / b) if a >= b else -float_log1p((b - a) / a)

    def step(self, y: int) -> None:
        """Count a label."""
        self.positive = self.keep * self.positive + (1.0 if y > 0 else 0.0)
        self.negative = self.keep * self.negative + (1.0 if y < 0 else 0.0)


# From families/blend.py:
#
# Blend, a mixture of learners for losses: it is replayed bit for bit.
#
# docs/programs.md defines the program `blend/1`. The members that keep a cell per feature learn in
# one loop here.

THEOREMS |= {
    "fixed-share": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(u) + ½Σ_i λ_i u_i² + ½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + ln K + ln T + "
        "rounding for every u and every rate in {¼, 1, 4}, where p_t(y_t) is the probability that "
        "the mixture of K = 11 members gave to the label of round t, T the number of rounds, "
        "L(u) = Σ_t ln(1 + e^{−y_t u·x_t}), g_t the derivative of the logistic loss at the score "
        "of the member AdaptiveGradient(rate), λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with "
        "m = max_{s≤t} |x_{s,i}|, and λ_i the same after the last round"
    ),
    "betting-share": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(u) + max(0, Σ_i (1 − W_i + u_i θ_i)) + ln K + ln T + rounding for "
        "every u, where p_t(y_t) is the probability that the mixture of K = 11 members gave to the "
        "label of round t, T the number of rounds, L(u) = Σ_t ln(1 + e^{−y_t u·x_t}), g_t the "
        "derivative of the logistic loss at the score of the member CoinBetting, "
        "θ_i = −Σ_t g_t x_{t,i}, and W_i = 1 − Σ_t g_t x_{t,i} w_{t,i} what its bets on feature i "
        "have made of a wealth of 1"
    ),
}

BLEND_RATES = (0.25, 1.0, 4.0)
GRID = 6291456.0  # 1.5·2²²: adding and subtracting it rounds to a multiple of 2⁻³⁰
HALF_GRID = 1 / (1 << 31)

Numbers = tuple[float, ...]
# θ and S of CoinBetting and of AdaptiveGradient at each rate, w of NormalizedGradient at ½ and 2
# and of Arow, the wealth of CoinBetting, G at ½ and 2, V and m.
BlendCell = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip
NEW: BlendCell = (0.0,) * 8 + (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0)
# A feature's index, its cell, u = x/m, √(S + 1) at each rate and the bet of CoinBetting.
Part = tuple[int, BlendCell, float, float, float, float, float]


def grown(cell: BlendCell, size: float) -> BlendCell:
    """Return a cell in units of a new, larger m."""
    t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m = cell
    c = m / size
    if m > 0:
        V = min((V * (size / m)) * (size / m), 1.0)
    return (
        t0 * c, t1 * c, t2 * c, t3 * c, (S0 * c) * c, (S1 * c) * c, (S2 * c) * c, (S3 * c) * c,
        a, b, w, W, (A * c) * c, (B * c) * c, V, size,
    )  # fmt: skip


class Blend(LogisticRun):
    """P(+1) = Σ π_k p_k; every member learns from every round, and π follows Bayes' rule."""

    theorems: Names = ("fixed-share", "betting-share", "progressive")
    evidence: Names = ("w", "rate", "loss", "least")
    optional: Names = ("least",)
    program = "blend/1"

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.cells: dict[int, BlendCell] = {}
        self.base, self.recent = BaseRate(1.0), BaseRate(0.9375)
        self.newton, self.stack, self.mixture = OnlineNewton(), Stack(), Mixture()
        self.square = 0.0  # N, the sum of Σ u² over the rounds
        self.stability, self.stability_rest = [0.0] * 3, [0.0] * 3

    def gather(self, x: Values) -> tuple[list[Part], list[float]]:
        """Return what learning needs of each feature; the scores of seven members, Σ u², Σ V u²."""
        parts: list[Part] = []
        terms: list[Numbers] = []
        get = self.cells.get
        for i, value in zip(*x, strict=True):
            cell, size = get(i, NEW), abs(value)
            if size > cell[15]:
                cell = grown(cell, size)
            t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, _, _, V, m = cell
            r0, r1, r2, r3 = sqrt(S0 + 1.0), sqrt(S1 + 1.0), sqrt(S2 + 1.0), sqrt(S3 + 1.0)
            u = value / m
            bet = ((0.8 * W) * min(max(t0 / r0, -1.0), 1.0)) / r0
            parts.append((i, cell, u, r1, r2, r3, bet))
            terms.append((
                bet * u, ((0.25 * t1) / r1) * u, (t2 / r2) * u, ((4.0 * t3) / r3) * u,
                a * u, b * u, w * u, (u * u + GRID) - GRID, ((V * u) * u + GRID) - GRID,
            ))  # fmt: skip
        return parts, [fsum(column) for column in zip(*terms, strict=True)] or [0.0] * 9

    def scatter(self, parts: list[Part], g: list[float], spread: float, margin: float) -> None:
        """Learn from a row, given the members' slopes, then y; the margin is Arow's y s."""
        g0, g1, g2, g3, h, k, y = g
        pace = sqrt((self.played + 1.0) / self.square) if self.square > 0 else 0.0
        slow, fast = 0.5 * pace, 2.0 * pace
        beta = 1.0 / (spread + 1.0) if margin < 1 else 0.0
        move = ((1.0 - margin) * beta) * y
        costs: list[Numbers] = []
        for i, cell, u, r1, r2, r3, bet in parts:
            t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m = cell
            s0, s1, s2, s3, s4, s5 = g0 * u, g1 * u, g2 * u, g3 * u, h * u, k * u
            q1, q2, q3 = s1 * s1, s2 * s2, s3 * s3
            costs.append((
                (q1 / r1 + GRID) - GRID, (q2 / r2 + GRID) - GRID, (q3 / r3 + GRID) - GRID,
            ))  # fmt: skip
            A, B, own = A + s4 * s4, B + s5 * s5, V * u
            if A > 0:
                a = a - (slow * s4) / sqrt(A)
            if B > 0:
                b = b - (fast * s5) / sqrt(B)
            self.cells[i] = (
                t0 - s0, t1 - s1, t2 - s2, t3 - s3, S0 + s0 * s0, S1 + q1, S2 + q2, S3 + q3,
                a, b, min(max(w + move * own, -FAR), FAR), W - s0 * bet,
                A, B, V - (beta * own) * own, m,
            )  # fmt: skip
        for n, column in enumerate(zip(*costs, strict=True)):
            whole = fsum(column) + len(parts) * HALF_GRID
            at = self.stability[n], self.stability_rest[n], (0.5 * BLEND_RATES[n]) * whole
            self.stability[n], self.stability_rest[n] = added(*at)

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        parts, sums = self.gather(x)
        before = [*sums[:7], self.base.score(), self.recent.score(), self.newton.score(x)]
        z = [clamped(s, 10.0) for s in before]
        scores = [*before, self.stack.score(z)]
        clipped = [chances(clamped(s, 30.0)) for s in scores]
        p, r = self.mixture.mixed(clipped)
        loss = float_log1p(r / p if y > 0 else p / r)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        self.mixture.learn([pair[0] if y > 0 else pair[1] for pair in clipped], self.played)
        own = [
            pair if abs(s) <= 30.0 else chances(s) for s, pair in zip(scores, clipped, strict=True)
        ]
        g = [-minus if y > 0 else plus for plus, minus in own]
        self.stack.step(z, g[MEMBERS - 1], own[MEMBERS - 1])
        self.square = self.square + sums[7]
        self.scatter(parts, [*g[:6], float(y)], sums[8], y * scores[6])
        self.base.step(y)
        self.recent.step(y)
        if not self.newton.left and self.newton.step(x, g[NEWTON], own[NEWTON]):
            self.mixture.leave()
        self.played += 1
        return (p >= r) != (y > 0)

    def fingerprint(self) -> str:
        """Return SHA-256 over the whole state, as docs/programs.md lists it."""
        joined = len(self.newton.slots)
        self.work.spend(5000 * len(self.cells) + 1000 * joined * joined, "a hash of so many states")
        mixture, base, recent = self.mixture, self.base, self.recent
        numbers = [self.square, base.positive, base.negative, recent.positive, recent.negative]
        numbers += [*mixture.weights, *mixture.mean, *self.stack.w]
        for row in self.stack.P:
            numbers += row
        digest = hashlib.sha256(struct.pack("<QQ", self.played, mixture.left))
        digest.update(struct.pack(f"<{len(numbers)}d", *numbers))
        digest.update(self.newton.packed())
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            digest.update(struct.pack("<Q16d", i, *cell))
        return digest.hexdigest()

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and the rate of the member whose theorem is used."""
        super().take(evidence)
        rate = evidence.get("rate", 1.0)
        if not (isinstance(rate, float) and rate in BLEND_RATES):
            raise Refused("its rate is not 0.25, 1.0 or 4.0")
        self.rate = rate

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared, S of the member with the rate."""
        if i not in self.cells:
            return None
        cell = self.cells[i]
        return cell[15], cell[5 + BLEND_RATES.index(self.rate)]

    def bound(self, theorem: str) -> float:
        """Evaluate what a member's theorem allows it, ln KT and a term for rounding."""
        T = self.played
        require(0 < T <= 1 << 40, "it has no round, or more than 2^40")
        inherited = self.times * self.log_loss.total()
        if theorem == "betting-share":
            purses = ((i, cell[15], cell[11], cell[0]) for i, cell in self.cells.items())
            bets = betting(self.u, self.fine, purses)
            inherited += max(bets.regret, Fraction(0))
            rounding = betting_rounding(T, inherited, bets)
        else:
            n = BLEND_RATES.index(self.rate)
            inherited += self.penalty(self.sizes, self.rate)
            inherited += Fraction(self.stability[n] + self.stability_rest[n])
            rounding = Fraction(T, 1 << 49) * (T + 5 * inherited)
        price = Fraction(self.log_loss.digits.of(MEMBERS * T).ln().high)
        return least_float(inherited + price + Fraction(T, 1 << 43) + rounding)


LEARNERS |= {"Blend": Blend}
PARAMETERS |= {"Blend": LINEAR}


# From families/class_mixture.py:
#
# Parts of Blend for many classes: sums, base rates, a Newton member and the stack.
#
# Every operation is one of the float program `blend-classes/1`, which docs/programs_classes.md
# defines. Sums on a grid are exact, in any order; a sum over classes has four lanes. `reduce` adds
# from left to right; `sum` of a newer Python does not, and is for exact sums.

CLASS_STACKED = 7  # members that the stack combines
FEW = 257  # features that the Newton member takes
TERM_LIMIT = 64.0
MODERATION = 0.39269908169872414  # π/8


def grid_shift(limit: float, count: int) -> float:
    """Return what rounds terms of at most that size to a grid: 1.5 times a power of two."""
    return 2.0 * limit * ldexp(1.5, (count - 1).bit_length())


def cut(terms: list[float]) -> list[float]:
    """Return the terms, those beyond ±64 cut."""
    if terms and (max(terms) > TERM_LIMIT or min(terms) < -TERM_LIMIT):
        return [max(min(term, TERM_LIMIT), -TERM_LIMIT) for term in terms]
    return terms


def grid_sum(terms: list[float]) -> float:
    """Return the sum of terms on a grid."""
    shift = grid_shift(TERM_LIMIT, len(terms))
    return sum([(term + shift) - shift for term in cut(terms)], 0.0)


def column_sums(rows: list[list[float]], size: int) -> list[float]:
    """Return the sum of each column of numbers on a grid."""
    return [*map(sum, zip(*rows, strict=True))] if rows else [0.0] * size


def class_sum(values: list[float]) -> float:
    """Return the sum of values in four lanes: class k belongs to lane k mod 4."""
    first = reduce(add, values[::4], 0.0) + reduce(add, values[1::4], 0.0)
    return first + (reduce(add, values[2::4], 0.0) + reduce(add, values[3::4], 0.0))


def exponentials(xs: Sequence[float]) -> list[float]:
    """Return e^x of each x from −300 to 0, as `float_exp` does."""
    e14, e13, e12, e11, e10, e9, e8, e7, e6, e5, e4, e3, e2 = EXP
    found = []
    for x in xs:
        k = (x * L2E + ROUND) - ROUND
        a, b = x - k * LN2H, k * LN2L
        r = a - b
        rest = (a - r) - b
        q = (((((e14 * r + e13) * r + e12) * r + e11) * r + e10) * r + e9) * r + e8
        q = (((((q * r + e7) * r + e6) * r + e5) * r + e4) * r + e3) * r + e2
        w = (r * r) * q + rest
        h = 1.0 + r
        low = r - (h - 1.0)
        found.append(ldexp(h + (low + w), int(k)))
    return found


Chances = tuple[list[float], list[float]]  # probabilities, and their logarithms


def softmax(scores: list[float]) -> Chances:
    """Return the probabilities and their logarithms; none is below e⁻³⁰⁰ times another."""
    top = max(scores)
    gaps = [max(s - top, -300.0) for s in scores]
    powers = exponentials(gaps)
    total = class_sum(powers)
    rest = float_log1p(total - 1.0)
    return [e / total for e in powers], [gap - rest for gap in gaps]


class ClassRate:
    """Members 0 and 1: p_k = (n_k + 1)/(n + C), where a share of all counts stays in a round."""

    def __init__(self, classes: int, weight: float, keep: float) -> None:
        self.counts, self.total = [0.0] * classes, 0.0
        self.logs = [0.0] * classes  # ln(n_k + 1)
        self.weight, self.keep = weight, keep

    def chances(self) -> Chances:
        """Return the probabilities and their logarithms."""
        size = float(len(self.counts))
        whole = self.total + size
        everything = float_log1p(self.total + (size - 1.0))
        return [(n + 1.0) / whole for n in self.counts], [log - everything for log in self.logs]

    def learn(self, y: int) -> None:
        """Count a round."""
        if self.keep != 1.0:
            self.counts = [self.keep * n for n in self.counts]
        self.counts[y] += self.weight
        self.total = self.keep * self.total + self.weight
        if self.keep != 1.0:
            self.logs = [float_log1p(n) for n in self.counts]
        else:
            self.logs[y] = float_log1p(self.counts[y])


class ClassNewton:
    """Member 6: w_k ← w_k − P u g_k/(1 + hq), P ← P − h Pu(Pu)ᵀ/(1 + hq), q = uᵀPu."""

    def __init__(self, classes: int) -> None:
        self.classes, self.few = classes, True
        self.slots: dict[int, int] = {}
        self.P: list[list[float]] = []
        self.w: list[list[float]] = []
        self.pu: list[float] = []
        self.q, self.broken = 0.0, False

    def scores(self, row: list[tuple[int, float]]) -> list[float]:
        """Return the scores of a row of (feature, u), and keep Pu and q."""
        if not self.few:
            self.pu, self.q, self.broken = [], 0.0, False
            return [0.0] * self.classes
        known = [(self.slots[i], u) for i, u in row]
        shift = grid_shift(2.0, len(known))
        P = self.P
        columns = [[(p * u + shift) - shift for p in P[slot]] for slot, u in known]
        self.pu = column_sums(columns, len(P))
        self.q = grid_sum([self.pu[slot] * u for slot, u in known])
        self.broken = not self.q >= 0.0
        if self.broken:
            self.pu = [0.0] * len(P)
            for slot, u in known:
                self.pu[slot] = u
            self.q = grid_sum([u * u for _, u in known])
        shift = grid_shift(TERM_LIMIT, len(known))
        terms = [cut([w * u for w in self.w[slot]]) for slot, u in known]
        rounded = [[(term + shift) - shift for term in line] for line in terms]
        certain = 1.0 / sqrt(1.0 + MODERATION * self.q)
        return [s * certain for s in column_sums(rounded, self.classes)]

    def end(self) -> None:
        """Give every class 1/C from now on."""
        self.slots, self.P, self.w, self.few = {}, [], [], False

    def restart(self) -> None:
        """Begin again with P = I."""
        size = len(self.P)
        self.P = [[0.0] * i + [1.0] + [0.0] * (size - i - 1) for i in range(size)]

    def learn(self, new: list[tuple[int, float]], h: float, g: list[float]) -> None:
        """Learn from the row that was scored last and its new features (index, u)."""
        if self.broken:
            self.restart()
        for i, u in new:
            self.slots[i] = len(self.P)
            for line in self.P:
                line.append(0.0)
            self.P.append([0.0] * len(self.P) + [1.0])
            self.w.append([0.0] * self.classes)
            self.pu.append(u)
        self.step(self.q + float(len(new)), h, g)

    def step(self, q: float, h: float, g: list[float]) -> None:
        """Take the Newton step along Pu; begin again if P would lose its positive diagonal."""
        b = 1.0 / (1.0 + h * q)
        root = sqrt(h * b)
        for slot, reach in enumerate(self.pu):
            rate = reach * b
            line = self.w[slot]
            self.w[slot] = [w - rate * slope for w, slope in zip(line, g, strict=True)]
        cuts = [reach * root for reach in self.pu]
        if any(not self.P[i][i] - c * c > 0.0 for i, c in enumerate(cuts)):
            self.restart()
            return
        self.P = [
            [p - c * other for p, other in zip(line, cuts, strict=True)]
            for line, c in zip(self.P, cuts, strict=True)
        ]

    def packed(self) -> bytes:
        """Return the count of features; by index: index, w, P with those up to this one."""
        order = sorted((i % (1 << 64), slot) for i, slot in self.slots.items())
        found = [struct.pack("<Q", len(order))]
        for n, (i, slot) in enumerate(order):
            row = [self.P[slot][other] for _, other in order[: n + 1]]
            numbers = [*self.w[slot], *row]
            found.append(struct.pack(f"<Q{len(numbers)}d", i, *numbers))
        return b"".join(found)


class ClassStack:
    """Member 7: the softmax of Σ_j ω_j ln p_j; ω ← ω − A⁻¹∇, A gains the Fisher information."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin again with the mean of the members' logarithms."""
        every = range(CLASS_STACKED)
        self.weights = [1.0 / 7.0] * CLASS_STACKED
        self.A = [[3.0 if i == j else 0.0 for j in every] for i in every]

    def scores(self, logs: list[list[float]]) -> list[float]:
        """Return the scores, summed from the first member to the last, and keep the logarithms."""
        self.logs = [[max(log, -30.0) for log in member] for member in logs]
        scores = [0.0] * len(logs[0])
        for omega, member in zip(self.weights, self.logs, strict=True):
            scores = [s + omega * log for s, log in zip(scores, member, strict=True)]
        return scores

    def learn(self, chances: list[float], y: int) -> None:
        """Learn from the logarithms that were scored last; chances are those of the stack."""
        deviations, weighted = [], []
        for logs in self.logs:
            mean = class_sum([c * log for c, log in zip(chances, logs, strict=True)])
            own = [log - mean for log in logs]
            deviations.append(own)
            weighted.append([c * d for c, d in zip(chances, own, strict=True)])
        for i, (line, own) in enumerate(zip(self.A, weighted, strict=True)):
            for j, other in enumerate(deviations[: i + 1]):
                line[j] += class_sum([a * b for a, b in zip(own, other, strict=True)])
        step = solved(self.A, [-own[y] for own in deviations])
        self.weights = [omega - s for omega, s in zip(self.weights, step, strict=True)]


def solved(A: list[list[float]], right: list[float]) -> list[float]:
    """Return A⁻¹ right, with A = LDLᵀ given by its lower triangle. No D is below 1."""
    size, x = len(right), list(right)
    D: list[float] = []
    L: list[list[float]] = []
    for i in range(size):
        line: list[float] = []
        for j in range(i):
            rest = A[i][j]
            for own, d, other in zip(line, D, L[j], strict=False):
                rest -= (own * d) * other
            line.append(rest / D[j])
        rest = A[i][i]
        for own, d in zip(line, D, strict=True):
            rest -= (own * d) * own
        D.append(max(rest, 1.0))
        L.append(line)
    for i in range(size):
        for k in range(i):
            x[i] -= L[i][k] * x[k]
    for i in range(size - 1, -1, -1):
        x[i] = x[i] / D[i]
        for k in range(i + 1, size):
            x[i] -= L[k][i] * x[k]
    return x


# From families/class_losses.py:
#
# The log loss of a comparator with many classes from above, its dual from below.

TINY = Decimal("1e-34")  # above e^−79


class SoftmaxLoss:
    """An upper bound of Σ ln Σ_k e^{z_k} with z_y = 0, in decimals of 30 digits, rounded up.

    ln Σ_k e^{z_k} = top + ln Σ_k e^{z_k − top}, and the logarithms of 64 rounds are one.
    """

    def __init__(self, unit: int) -> None:
        self.digits = Precision(30)
        self.unit = Decimal(unit)  # what z is a whole number of
        self.far = 79 * unit  # e^−79 is below TINY
        self.linear, self.logs, self.product, self.count = 0, Decimal(0), Decimal(1), 0

    def add(self, z: list[int]) -> None:
        """Add a round with scores of z units, 0 for its class."""
        up, far, unit = self.digits.up, self.far, self.unit
        top = max(z)
        self.linear += top
        powers = Decimal(0)
        for score in z:
            gap = top - score
            if gap == 0:
                power = Decimal(1)
            elif gap >= far:
                power = TINY
            else:
                power = up.next_plus(up.exp(up.divide(Decimal(-gap), unit)))
            powers = up.add(powers, power)
        self.product = up.multiply(self.product, powers)
        self.count += 1
        if self.count % 64 == 0:
            self.gather()

    def gather(self) -> None:
        """Add the logarithm of the product so far."""
        up = self.digits.up
        if self.product > 1:  # it is above 1 as soon as it has a factor
            self.logs = up.add(self.logs, up.next_plus(up.ln(self.product)))
        self.product = Decimal(1)

    def total(self) -> Fraction:
        """Return the upper bound."""
        self.gather()
        return Fraction(self.linear) / Fraction(self.unit) + Fraction(self.logs)


class SoftmaxLeast:
    """What L(U) + ½Σ λ_i Σ_k U_ki² is not below for any U, from the dual, in decimals of 30 digits.

    For any α_t ≥ 0 with Σ_k α_tk = 1 it is at least Σ H(α_t) − ½Σ_i Σ_k v_ki²/λ_i, with
    H(α) = −Σ_k α_k ln α_k and v_k = Σ_t ([k = y_t] − α_tk) x_t, because
    ln Σ_k e^{s_k} ≥ H(α) + Σ_k α_k s_k for all scores. Here α_tk = r_tk/2³²: the softmax of the
    comparator's scores, rounded down for k other than y_t, which gets the rest.
    """

    whole = 1 << 32

    def __init__(self, digits: Precision, unit: int) -> None:
        self.digits, self.unit = digits, unit  # what z is a whole number of
        self.pull: dict[int, list[int]] = {}  # v by feature, in units of 2⁻³² times those of x
        self.logs, self.count = Decimal(0), 0  # Σ r ln r, of so many rounds

    def add(self, y: int, z: list[int], x: Vector) -> None:
        """Add a round with scores of z units."""
        top, far, unit, N = max(z), 800 * self.unit, self.unit, self.whole
        chances, _ = softmax([-(min(top - score, far) / unit) for score in z])
        parts = [int(ldexp(chance, 32)) for chance in chances]
        parts[y] = 0
        parts[y] = N - sum(parts)
        up = self.digits.up
        for part in parts:
            if part > 1:
                term = up.multiply(part, up.next_plus(up.ln(Decimal(part))))
                self.logs = up.add(self.logs, term)
        self.count += 1
        pulls = [-part for part in parts]
        pulls[y] += N
        for i, value in zip(*x, strict=True):
            old = self.pull.get(i) or [0] * len(z)
            self.pull[i] = [a + b * value for a, b in zip(old, pulls, strict=True)]

    def entropy(self) -> Enclosure:
        """Return Σ H(r_t/2³²) = Σ_t 32 ln 2 − Σ_k r ln r/2³², from below."""
        logs = Enclosure(self.digits, self.logs, self.logs)
        return self.digits.of(2).ln() * (32 * self.count) - logs / self.whole


# From families/class_blend.py:
#
# Blend for many classes: it is replayed bit for bit.
#
# docs/programs_classes.md defines the program `blend-classes/1`. The four members that keep weights
# for every feature and class learn in one loop here, from one list for each feature.

THEOREMS |= {
    "fixed-share-classes": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(U) + ½Σ_i λ_i Σ_k U_{k,i}² + ½Σ_t Σ_i Σ_k g_{t,k}²x_{t,i}²/λ_{t,i} "
        "+ ln K + ln T + rounding for every U with a row U_k for each class k, where p_t(y_t) is "
        "the probability that the mixture of K = 8 members gave to the class of round t, T the "
        "number of rounds, L(U) = Σ_t ln Σ_k e^{(U_k − U_{y_t})·x_t}, g_t the gradient of this "
        "loss at the scores of the member AdaptiveGradient(½), none of whose terms was cut, "
        "λ_{t,i} = 2m√(Σ_{s<t} x_{s,i}² mean_k g_{s,k}² + m²) with m = max_{s≤t} |x_{s,i}|, and "
        "λ_i the same after the last round"
    ),
}

CLASS_MEMBERS = 8
MOST_CLASSES = 1 << 20
MOST_LONGEST = 1 << 20  # features in a row, for the rounding


class Codes(dict[Label, int]):
    """The numbers of declared classes."""

    def __missing__(self, label: Label) -> int:
        raise Refused(f"{label!r:.40} is none of its classes")


class ClassData(FloatData):
    """Rows whose classes are all declared, in the order of their numbers, also unseen ones."""

    def coded(self, names: list[Label]) -> dict[Label, int]:
        """Return the number of each class."""
        found = Codes({name: k for k, name in enumerate(names)})
        require(len(found) == len(names) > 1, "its classes are not different, or fewer than two")
        self.seen = set[int]()
        return found

    def code(self, where: str, label: Label) -> int:
        """Return the number of a class, which has then been seen."""
        k = super().code(where, label)
        self.seen.add(k)
        return k


class ClassCell:
    """The state of a feature: m, r, S, G of members 3 and 4, V; w of members 2 to 5, end to end."""

    __slots__ = ("S", "V", "fast", "m", "r", "slow", "w")

    def __init__(self, size: float, classes: int) -> None:
        self.m = self.r = size
        self.S = self.slow = self.fast = 0.0
        self.V = 1.0
        self.w = [0.0] * (4 * classes)


# A feature of a row: its index, its cell, x, v = x/m, c = m before/m now, u = x/r cut to ±1,
# d = r before/r now, and x/λ of member 2 in units of 1/m.
ClassPart = tuple[int, ClassCell, float, float, float, float, float, float]


class ClassBlend(LogisticRun):
    """Eight members that give each class a probability, in a mixture with share 1/(t + 2)."""

    theorems: Names = ("fixed-share-classes", "progressive")
    evidence: Names = ("w", "loss", "least")
    optional: Names = ("least",)
    program = "blend-classes/1"
    reads = ClassData
    many = True

    def __init__(self, data: ClassData, classes: int, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        require(classes == len(data.codes), "its classes are not as many as it says")
        self.classes, self.unseen = classes, classes - len(data.seen)
        self.base, self.recent = (
            ClassRate(classes, 1.0, 1.0),
            ClassRate(classes, float(classes), 0.9375),
        )
        self.cells: dict[int, ClassCell] = {}
        self.squares = 0.0  # N
        self.newton, self.stack = ClassNewton(classes), ClassStack()
        self.shares = [1.0 / 8.0] * CLASS_MEMBERS
        self.mean_shares = [1.0 / 8.0] * CLASS_MEMBERS  # round t counted t times
        self.stability, self.stability_rest = 0.0, 0.0
        self.longest, self.cuts = 0, 0
        self.cut = False  # was a term of member 2 cut in this round?

    def gather(self, x: Values) -> tuple[list[ClassPart], list[tuple[int, float]]]:
        """Return the features that have appeared before, and those that are new."""
        parts: list[ClassPart] = []
        new: list[tuple[int, float]] = []
        get = self.cells.get
        for i, value in zip(*x, strict=True):
            cell, size = get(i), abs(value)
            if cell is None:
                new.append((i, value))
                continue
            m, r = cell.m, cell.r
            if size <= r == m:
                v = u = value / m
                c = d = 1.0
                share = (0.5 * v) / sqrt(cell.S + 1.0)
            else:
                top, scale = max(m, size), max(r, min(size, 2.0 * r))
                v, c, d = value / top, m / top, r / scale
                u = max(min(value / scale, 1.0), -1.0)
                share = (0.5 * v) / sqrt((cell.S * c) * c + 1.0)
            parts.append((i, cell, value, v, c, u, d, share))
        return parts, new

    def scored(self, parts: list[ClassPart]) -> list[list[float]]:
        """Return the scores of members 2 to 5."""
        C = self.classes
        shift = grid_shift(TERM_LIMIT, len(parts))
        rows = []
        for _, cell, _, _, c, u, _, share in parts:
            rates = [c * share] * C + [u] * (3 * C)
            row = [(w * rate + shift) - shift for w, rate in zip(cell.w, rates, strict=True)]
            if max(row) >= TERM_LIMIT or min(row) <= -TERM_LIMIT:  # 64 may be more, rounded down
                terms = [w * rate for w, rate in zip(cell.w, rates, strict=True)]
                self.cut = self.cut or max(map(abs, terms[:C])) > TERM_LIMIT
                row = [(term + shift) - shift for term in cut(terms)]
            rows.append(row)
        sums = column_sums(rows, 4 * C)
        return [sums[C * j : C * (j + 1)] for j in range(4)]

    def forecast(self, parts: list[ClassPart]) -> tuple[list[Chances], float]:
        """Return what the members say, and q of member 5."""
        self.cut = False
        q = grid_sum([cell.V * (u * u) for _, cell, _, _, _, u, _, _ in parts])
        certain = 1.0 / sqrt(1.0 + MODERATION * q)
        first, second, third, fourth = self.scored(parts)
        found = [self.base.chances(), self.recent.chances()]
        found += [softmax(first), softmax(second), softmax(third)]
        found.append(softmax([s * certain for s in fourth]))
        found.append(softmax(self.newton.scores([(part[0], part[5]) for part in parts])))
        found.append(softmax(self.stack.scores([logs for _, logs in found])))
        return found, q

    def mixed(self, p: list[list[float]]) -> list[float]:
        """Return the chances of the mixture, summed from the first member to the last."""
        a, b, c, d, e, f, g, h = self.shares
        return [
            ((((((a * p0 + b * p1) + c * p2) + d * p3) + e * p4) + f * p5) + g * p6) + h * p7
            for p0, p1, p2, p3, p4, p5, p6, p7 in zip(*p, strict=True)
        ]

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        self.spend_unseen(10_000 + 900 * len(x[0]))
        parts, new = self.gather(x)
        self.work.spend(5000 * self.classes * len(new), "so many classes and features")
        found, q = self.forecast(parts)
        p = [chances for chances, _ in found]
        mixture = self.mixed(p)
        label = mixture.index(max(mixture))
        chance, mixture[y] = mixture[y], 0.0
        loss = float_log1p(class_sum(mixture) / chance)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        self.learn_shares([own[y] for own in p])
        self.stack.learn(p[7], y)
        self.played += 1
        self.learn_members(parts, new, p[2:7], y, q)
        self.base.learn(y)
        self.recent.learn(y)
        return label != y

    def spend_unseen(self, steps: int) -> None:
        """Take the steps of a round for all classes that no row has: the data do not bound them."""
        self.work.spend(steps * self.unseen, "a run with so many classes that no row has")

    def learn_shares(self, evidence: list[float]) -> None:
        """Apply Bayes' rule, then spread a share 1/(t + 2) over all members."""
        total = 0.0
        for share, e in zip(self.shares, evidence, strict=True):
            total += share * e
        alpha = 1.0 / (self.played + 2.0)
        for j, e in enumerate(evidence):
            kept = (self.shares[j] * e) / total
            self.shares[j] = (1.0 - alpha) * kept + alpha / 8.0
            self.mean_shares[j] += (self.shares[j] - self.mean_shares[j]) * (2.0 * alpha)

    def learn_members(
        self,
        parts: list[ClassPart],
        new: list[tuple[int, float]],
        p: list[list[float]],
        y: int,
        q: float,
    ) -> None:
        """Let members 2 to 6 learn from their own probabilities."""
        C, count = self.classes, float(len(new))
        self.squares += grid_sum([part[5] * part[5] for part in parts]) + count
        spreads = [class_sum([c * (1.0 - c) for c in own]) / C for own in p[3:]]
        for own in p:  # they become the slopes g
            own[y] = own[y] - 1.0
        sums = [class_sum([g * g for g in own]) for own in p[:3]]
        self.measure_member(parts, len(new), sums[0])
        for i, value in new:
            size = abs(value)
            cell = self.cells[i] = ClassCell(size, C)
            u = value / size
            parts.append((i, cell, value, u, 1.0, u, 1.0, 0.0))
        h = max(spreads[0], 1e-3)
        self.learn_features(parts, [s / C for s in sums], p, h, 1.0 / (1.0 + h * (q + count)))
        if not self.newton.few:
            return
        if len(self.newton.slots) + len(new) > FEW:
            self.newton.end()
            self.stack.restart()
            return
        fresh = [(part[0], part[5]) for part in parts[len(parts) - len(new) :]]
        self.newton.learn(fresh, max(0.5 * spreads[1], 1e-3), p[4])

    def measure_member(self, parts: list[ClassPart], new: int, squares: float) -> None:
        """Measure what the bound on the loss of member 2 needs; squares are Σ_k g_k²."""
        price = grid_sum([v * share for _, _, _, v, _, _, _, share in parts]) + 0.5 * new
        cost = 0.5 * (squares * price)
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, cost)
        self.longest = max(self.longest, len(parts) + new)
        self.cuts += self.cut

    def learn_features(
        self, parts: list[ClassPart], means: list[float], p: list[list[float]], h: float, b: float
    ) -> None:
        """Learn the weights of members 2 to 5, given the means of their g² and h, b of member 5."""
        C = self.classes
        slopes = [*p[0], *p[1], *p[2], *p[3]]
        first, second, third = means
        pace = sqrt(self.played / self.squares) if parts else 0.0
        slow, fast, fall = 0.5 * pace, 2.0 * pace, h * b
        for _, cell, value, v, c, u, d, _ in parts:
            u2, w = u * u, cell.w
            if c != 1.0:
                cell.m = abs(value)
                w = [theta * c for theta in w[:C]] + w[C:]
            cell.r = max(cell.r, min(abs(value), 2.0 * cell.r))
            cell.S = (cell.S * c) * c + first * (v * v)
            A = cell.slow = (cell.slow * d) * d + second * u2
            B = cell.fast = (cell.fast * d) * d + third * u2
            reach = cell.V * u
            cell.V -= fall * (reach * reach)
            rates = [v] * C + [(slow * u) / sqrt(A) if A > 0.0 else 0.0] * C
            rates += [(fast * u) / sqrt(B) if B > 0.0 else 0.0] * C + [reach * b] * C
            cell.w = [weight - rate * g for weight, rate, g in zip(w, rates, slopes, strict=True)]

    def fingerprint(self) -> str:
        """Return SHA-256 over the whole state, as docs/programs_classes.md lists it."""
        joined = len(self.newton.slots)
        numbers = 4 * self.classes * len(self.cells) + joined * (joined + self.classes)
        self.work.spend(1000 * (numbers + 2 * self.classes), "a hash of so many states")
        digest = hashlib.sha256(struct.pack("<QQQ", self.played, self.classes, self.newton.few))
        found = [self.squares]
        for rate in (self.base, self.recent):
            found += [*rate.counts, rate.total]
        found += [*self.shares, *self.mean_shares, *self.stack.weights]
        for line in self.stack.A:
            found += line
        digest.update(struct.pack(f"<{len(found)}d", *found))
        digest.update(self.newton.packed())
        for i, cell in sorted((i % (1 << 64), cell) for i, cell in self.cells.items()):
            own = [cell.m, cell.r, cell.S, cell.slow, cell.fast, cell.V, *cell.w]
            digest.update(struct.pack(f"<Q{len(own)}d", i, *own))
        return digest.hexdigest()

    def take(self, evidence: Object) -> None:
        """Take the comparator U, by feature, and prepare to sum its losses."""
        self.compared = "w" in evidence
        self.fine, weights = comparator(evidence.get("w", []), many=True)
        require(all(k < self.classes for k in weights), "its w has a weight for no class")
        self.by_feature: dict[int, list[tuple[int, int]]] = {}  # (class, weight)
        for k, column in weights.items():
            for i, weight in column.items():
                self.by_feature.setdefault(i, []).append((k, weight))
        self.times, unit = 1, 1 << (self.fine + self.data.grid)
        self.softmax_loss = SoftmaxLoss(unit)
        self.dual = None  # that of two labels
        digits = self.softmax_loss.digits
        self.softmax_least = SoftmaxLeast(digits, unit) if "least" in evidence else None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of the comparator in a round of the first pass, which stands for all."""
        if not (times and self.compared):
            return
        self.spend_unseen(30_000)
        self.times = times
        scores = [0] * self.classes
        row = x[0], whole(x[1], self.data.grid)
        for i, value in zip(*row, strict=True):
            for k, weight in self.by_feature.get(i, ()):
                scores[k] += weight * value
        own = scores[y]
        excess = [score - own for score in scores]
        self.softmax_loss.add(excess)
        if self.softmax_least:
            self.softmax_least.add(y, excess, row)

    def class_penalty(self) -> Fraction:
        """Return ½Σ λ_i Σ_k U_ki² = Σ_i m²√(S + 1)Σ_k U_ki², rounded up."""
        digits = self.softmax_loss.digits
        total = digits.of(0)
        for i, weights in self.by_feature.items():
            if i not in self.cells:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
            cell = self.cells[i]
            squares = Fraction(sum(w * w for _, w in weights), 1 << (2 * self.fine))
            size = Fraction(cell.m)
            total += digits.of(Fraction(cell.S) + 1).sqrt() * (size * size * squares)
        return Fraction(total.high)

    def confirm(self, evidence: Object) -> None:
        """Confirm the loss, and the least value if it is stated."""
        super().confirm(evidence)
        if self.compared and self.softmax_least:
            same = canonical(evidence["least"]) == canonical(self.least)
            require(same, f"its least value is not {self.least}: certify the run again")

    @property
    def least(self) -> float | None:
        """The greatest float, 0 or more, that no k L(U) + ½Σ λ_i Σ_k U_ki² is below, k passes."""
        if not self.softmax_least:
            return None
        digits, unit = self.softmax_least.digits, 1 << (2 * (32 + self.data.grid))
        total = digits.of(0)
        for i, pulls in self.softmax_least.pull.items():
            cell = self.cells[i]
            squares = Fraction(sum(pull * pull for pull in pulls) * self.times**2, unit)
            share = digits.of(squares / Fraction(cell.m) ** 2)
            total += share / digits.of(Fraction(cell.S) + 1).sqrt()
        found = self.softmax_least.entropy() * self.times - total * Fraction(1, 4)
        return max(0.0, -least_float(-Fraction(found.low)))

    def bound(self, theorem: str) -> float:
        """Evaluate X + ln 8T + nT 2^(b(n−1)−44) + 2⁻⁵⁰T(C + 40)(b(C)T + n + X).

        X is L(U) + penalty + stability, n the longest row, and b counts binary digits.
        """
        T, C, n = self.played, self.classes, self.longest
        require(T > 0, "it has no round")
        require(T * C <= 1 << 40, "it has more than 2^40 rounds, each counted once for a class")
        require(n <= MOST_LONGEST, "a row has more than 2^20 features")
        require(self.cuts == 0, "a term of a score was cut, and its theorem allows none")
        X = self.times * self.softmax_loss.total() + self.class_penalty()
        X += Fraction(self.stability + self.stability_rest)
        price = Fraction(self.softmax_loss.digits.of(CLASS_MEMBERS * T).ln().high)
        rounding = Fraction(n * T << max(n - 1, 0).bit_length(), 1 << 44)
        rounding += Fraction(T * (C + 40), 1 << 50) * (C.bit_length() * T + n + X)
        return least_float(X + price + rounding)


LEARNERS |= {"ClassBlend": ClassBlend}
PARAMETERS |= {"ClassBlend": {"classes": integers(2, MOST_CLASSES)} | LINEAR}


# From families/linear_start.py:
#
# Perceptrons that go on from a saved model: their first weights are other than 0.

THEOREMS |= {
    "hinge-resumed": Theorem(
        "M ≤ c + a/2 + √(a²/4 + ac + b) for every w, where the run began with the weights w_1, "
        "c = Σ_t max(0, 1 − y_t w·x_t) − w·w_1, a = R²‖w‖² and b = ‖w‖²‖w_1‖²"
    ),
}
FRONT = 8  # places of saved weights before those of the features; the last is the constant's


class ResumedPerceptron(Perceptron):
    """A run of w ← w + y x on a mistake, from w = 0 or from a state."""

    resumed: Names = ("hinge-resumed", "progressive")

    def __init__(self, data: Data, ties: str = "positive", hashing: Object | None = None) -> None:
        super().__init__(data, ties, hashing)
        self.first: dict[int, int] = {}  # w_1

    def begin(self, model: Model) -> None:
        """Take w_1, whose weights are sums of floats: one in its place, the others by slots."""
        high, low = model.reals("weights"), model.reals("remainder_parts")
        slots = model.counts("remainder_slots")
        sound = len(high) >= FRONT and not any(high[: FRONT - 1]) and len(slots) == len(low)
        sound = sound and all(FRONT - 1 <= slot < len(high) for slot in slots)
        model.expect(sound, "the weights of a perceptron")
        self.data.grid = max(self.data.grid, grid(high), grid(low))
        for slot, v in [*enumerate(whole(high, self.data.grid))][FRONT - 1 :]:
            self.weights[slot - FRONT] += v
        for slot, v in zip(slots, whole(low, self.data.grid), strict=True):
            self.weights[slot - FRONT] += v
        self.first = dict(self.weights)

    def follow(self, before: Perceptron) -> None:
        """Take over the weights of another run, in whole numbers of the finer unit of the two."""
        self.data.grid = max(self.data.grid, before.data.grid)
        finer = self.data.grid - before.data.grid
        for j, v in before.weights.items():
            self.weights[j] = v << finer
        self.first = dict(self.weights)

    def fingerprint(self) -> str:
        """Return SHA-256 over a line "i n e" for each weight n·2^e other than 0, n odd, in hex."""
        self.work.spend(1000 * len(self.weights), "a hash of so many states")
        digest = hashlib.sha256()
        for i, v in sorted((j % (1 << 64), v) for j, v in self.weights.items() if v):
            twos = (v & -v).bit_length() - 1
            digest.update(f"{i} {v >> twos:x} {twos - self.data.grid}\n".encode())
        return digest.hexdigest()

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem, as c + a/2 + √(a²/4 + ac + b) if the run began with w_1."""
        if theorem != "hinge-resumed":
            return super().bound(theorem)
        norm2, first2 = self.norm2(), sum(v * v for v in self.first.values())
        gained = sum(v * self.first.get(j, 0) for j, v in self.w[0].items())  # w·w_1
        c = Fraction(self.hinge - gained, self.unit)
        a, b = (Fraction(norm2 * square, self.unit**2) for square in (self.radius2, first2))
        root = a * a / 4 + a * c + b
        require(root >= 0, "it refutes its theorem")  # which cannot be
        return least_float(c + a / 2, root)


NAMES = ("Perceptron", "AveragedPerceptron", "VotedPerceptron")
LEARNERS |= dict.fromkeys(NAMES, ResumedPerceptron)


# From families/loss_start.py:
#
# Float programs for losses that go on from the state of a saved model.

THEOREMS |= {
    "ftrl-diag-resumed": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + Σ_i (½λ_i u_i² − u_i θ_i + θ_i²/2κ_i) + "
        "½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + rounding for every u, with i over the features of these "
        "rounds, where ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, g_t its derivative at "
        "the score that was played, L(u) = Σ_t ℓ_t(u·x_t), θ_i = −Σ_s g_s x_{s,i} over the rounds "
        "before the first of these, λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with "
        "m = max_{s≤t} |x_{s,i}| over all rounds, κ_i the same before the first of these rounds, "
        "and λ_i after the last"
    ),
}
MOST_STATE = float(1 << 41)  # of θ and S, in units of m: no more than so many rounds make
Origin = dict[int, tuple[float, float, float]]  # m, θ and S of a feature at the start


def is_sound(cell: Cell) -> bool:
    """Say whether a run of the program could have left these m, θ and S, as to their sizes."""
    m, theta, S = cell
    return m > 0 and abs(theta) <= MOST_STATE and 0 <= S <= MOST_STATE


def potential(run: LogisticRun, origin: Origin, rate: float) -> Fraction:
    """Return Σ θ_i²/2κ_i = Σ rate θ²/(2√(S + 1)) in units of m, rounded up."""
    digits = run.log_loss.digits
    total = digits.of(0)
    for _, theta, S in origin.values():
        total += digits.of(Fraction(theta) ** 2) / digits.of(Fraction(S) + 1).sqrt()
    return Fraction((total * (Fraction(rate) / 2)).high)


def gained(run: LogisticRun, origin: Origin) -> Fraction:
    """Return Σ u_i θ_i, exactly."""
    found = Fraction(0)
    for i, weight in run.u.items():
        m, theta, _ = origin.get(i, (0.0, 0.0, 0.0))
        found += Fraction(weight, 1 << run.fine) * Fraction(m) * Fraction(theta)
    return found


class ResumedAdaptiveGradient(AdaptiveGradient):
    """A run of `adaptive-gradient/1` from nothing or from a state."""

    resumed: Names = ("ftrl-diag-resumed", "progressive")

    def __init__(self, data: Data, rate: float, hashing: Object | None = None) -> None:
        super().__init__(data, rate, hashing)
        self.first: dict[int, Cell] = {}  # the cells that it began with

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return the loss, or the mistakes if they are what the theorem is about."""
        return evidence.get("loss", mistakes["count"])

    def begin(self, model: Model) -> None:
        """Take m, θ and S of every feature, the constant one first; m is 0 before it appears."""
        flat = model.reals("cells")
        model.expect(len(flat) % 3 == 0, "three numbers for each feature")
        for i in range(len(flat) // 3):
            cell = flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]
            if any(cell):
                model.expect(is_sound(cell), "m above 0, and S not below it")
                self.cells[i - 1] = cell
        self.first = dict(self.cells)

    def follow(self, before: AdaptiveGradient) -> None:
        """Take over the cells of another run."""
        self.cells = dict(before.cells)
        self.first = dict(self.cells)

    def origin(self) -> Origin:
        """Return the first cells of the features of these rounds: learning replaces a cell."""
        return {i: cell for i, cell in self.first.items() if self.cells[i] is not cell}

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared in these rounds."""
        untouched = i in self.first and self.cells[i] is self.first[i]
        return None if untouched else super().sizes(i)

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + penalty − u·θ + potential + stability + rounding."""
        if theorem != "ftrl-diag-resumed":
            return super().bound(theorem)
        T, share = self.played, Fraction(self.played, 1 << 49)
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        stability, loss = (
            Fraction(total + rest)
            for total, rest in (
                (self.stability, self.stability_rest), (self.loss, self.loss_rest),
            )
        )  # fmt: skip
        penalty, origin = self.penalty(self.sizes, self.rate), self.origin()
        before = potential(self, origin, self.rate)
        rounding = share * (T + 5 * (stability + penalty + loss + before))
        own = self.times * self.log_loss.total() + penalty - gained(self, origin) + before
        return least_float(own + stability + rounding)


LEARNERS |= {"AdaptiveGradient": ResumedAdaptiveGradient}


# From families/blend_start.py:
#
# Blend that goes on from a saved model: its weights at the start are the prior.

THEOREMS |= {
    "fixed-share-resumed": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(u) + Σ_i (½λ_i u_i² − u_i θ_i + θ_i²/2κ_i) + "
        "½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + ln(1/π) + ln((T₀ + T)/(T₀ + 1)) + rounding for every u "
        "and every rate in {¼, 1, 4}, with i over the features of these T rounds, where p_t(y_t) "
        "is the probability that the mixture gave to the label of round t, π the weight of the "
        "member AdaptiveGradient(rate) before these rounds, T₀ the number of rounds before, "
        "L(u) = Σ_t ln(1 + e^{−y_t u·x_t}), g_t the derivative of the logistic loss at the "
        "member's score, θ_i = −Σ_s g_s x_{s,i} over the rounds before, "
        "λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with m = max_{s≤t} |x_{s,i}| over all "
        "rounds, κ_i the same before these rounds, and λ_i after the last"
    ),
}
LANES = 12  # numbers in a saved row of the stack's matrix, of which the first ten count
CELL = 16
LEAST_WEIGHT = 1 / (1 << 44)  # of a member after at most 2⁴⁰ rounds
MOST_WEIGHT = 1 + Fraction(1, 1 << 49)  # of all members, as they are rounded
MOST_ROUNDS = 1 << 40


class ResumedBlend(Blend):
    """A run of `blend/1` from nothing or from a state."""

    resumed: Names = ("fixed-share-resumed", "progressive")
    before = 0  # rounds

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        super().__init__(data, hashing)
        self.first: dict[int, BlendCell] = {}
        self.prior = self.mixture.weights

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return the loss, or the mistakes if they are what the theorem is about."""
        return evidence.get("loss", mistakes["count"])

    def begin(self, model: Model) -> None:
        """Take the whole state from the arrays of a model."""
        counts, totals = model.counts("counts"), model.reals("totals")
        model.expect(len(counts) == 3 and counts[2] < 2, "three counts")
        model.expect(counts[1] < MOST_ROUNDS, "fewer than 2^40 rounds")
        model.expect(len(totals) == 5, "five totals")
        self.played, self.square = counts[1], totals[0]
        self.base.positive, self.base.negative = totals[1:3]
        self.recent.positive, self.recent.negative = totals[3:]
        self.mixture.left = self.newton.left = bool(counts[2])
        self.mixture.weights = self.weights_of(model, "weights")
        self.mixture.mean = self.weights_of(model, "mean_weights")
        matrix = model.reals("stack_matrix")
        self.stack.w = model.reals("stack_weights")
        sound = len(self.stack.w) == STACKED and len(matrix) == STACKED * LANES
        model.expect(sound, "a stack of ten members")
        self.stack.P = [matrix[i * LANES : i * LANES + STACKED] for i in range(STACKED)]
        self.begin_newton(model)
        self.begin_cells(model)
        self.begun()

    def weights_of(self, model: Model, array: str) -> list[float]:
        """Return weights of the members that a mixture can have.

        `weights` mix; `mean_weights`, their mean over the rounds, are for a hypothesis. Both add up
        to 1, the weights but for 2⁻⁴⁹. A round moves the mean towards the weights: it rounds the
        sum by less than 2⁻⁵⁰, and brings nothing below 0.
        """
        found, mean = model.reals(array), array == "mean_weights"
        model.expect(len(found) == MEMBERS, f"eleven numbers for {array!r}")
        gone = not self.mixture.left or found[NEWTON] == 0
        model.expect(gone, f"0 for OnlineNewton, which has left, in {array!r}")
        living = [w for k, w in enumerate(found) if k != NEWTON or not self.mixture.left]
        least = 0.0 if mean else LEAST_WEIGHT
        model.expect(min(living) >= least, f"no number below {least!r} in {array!r}")
        most = 1 + Fraction(self.played + 3, 1 << 50) if mean else MOST_WEIGHT
        total = sum(map(Fraction, found))
        sound = total <= most and (total >= 2 - most or not mean)
        model.expect(sound, f"numbers that add up to 1 for {array!r}")
        return found

    def begin_newton(self, model: Model) -> None:
        """Take the features of OnlineNewton in their order, and P row by row to its diagonal."""
        features, matrix = model.counts("newton_features", -1), model.reals("newton_matrix")
        newton, size = OnlineNewton(), len(features)
        newton.first, newton.w = model.reals("newton_first"), model.reals("newton_weights")
        sound = len({*features}) == size <= MOST_JOINED and (not size or not self.newton.left)
        sound = sound and len(newton.first) == len(newton.w) == size
        sound = sound and len(matrix) == size * (size + 1) // 2 and min(newton.first, default=1) > 0
        model.expect(sound, "the features of OnlineNewton")
        newton.slots = {i: slot for slot, i in enumerate(features)}
        newton.P = [matrix[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(size)]
        newton.left, self.newton = self.newton.left, newton

    def begin_cells(self, model: Model) -> None:
        """Take the cell of every feature, the constant one first; m is 0 before it appears."""
        flat = model.reals("cells")
        model.expect(len(flat) % CELL == 0, "sixteen numbers for each feature")
        for at in range(0, len(flat), CELL):
            t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m = flat[at : at + CELL]
            if m:
                self.cells[at // CELL - 1] = cell = (
                    t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m,
                )  # fmt: skip
                sound = all(is_sound(self.member(cell, n)) for n in range(3)) and S0 >= 0
                model.expect(sound and min(A, B) >= 0, "m above 0, and S not below it")

    def begun(self) -> None:
        """Remember what the theorem needs of the state at the start."""
        self.first, self.before = dict(self.cells), self.played
        self.prior = self.mixture.weights

    def follow(self, before: Blend) -> None:
        """Take over the state in which another run ended."""
        self.cells, self.played, self.square = dict(before.cells), before.played, before.square
        self.base, self.recent, self.newton = before.base, before.recent, before.newton
        self.stack, self.mixture = before.stack, before.mixture
        self.begun()

    def member(self, cell: BlendCell, n: int) -> Cell:
        """Return m, θ and S of the n-th member with a theorem."""
        return cell[15], cell[1 + n], cell[5 + n]

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared in these rounds."""
        untouched = i in self.first and self.cells[i] is self.first[i]
        return None if untouched else super().sizes(i)

    def origin(self, n: int) -> Origin:
        """Return the first cells of the features of these rounds: learning replaces a cell."""
        first = self.first.items()
        return {i: self.member(cell, n) for i, cell in first if self.cells[i] is not cell}

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + penalty − u·θ + potential + stability + the price + rounding."""
        if theorem != "fixed-share-resumed":
            return super().bound(theorem)
        T, n = self.played - self.before, BLEND_RATES.index(self.rate)
        require(T > 0 and self.played <= MOST_ROUNDS, "it has no round, or more than 2^40")
        origin, penalty = self.origin(n), self.penalty(self.sizes, self.rate)
        before = potential(self, origin, self.rate)
        own = self.times * self.log_loss.total() + penalty + before
        own += Fraction(self.stability[n] + self.stability_rest[n])
        odds = Fraction(self.played, self.before + 1) / Fraction(self.prior[1 + n])
        price = Fraction(self.log_loss.digits.of(odds).ln().high)
        rounding = Fraction(T, 1 << 42) + Fraction(T, 1 << 49) * (T + 5 * own)
        return least_float(own - gained(self, origin) + price + rounding)


LEARNERS |= {"Blend": ResumedBlend}


# From families/descent.py:
#
# Gradient descent, a float program, and what bounds its loss.

THEOREMS |= {
    "ogd": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + ‖u‖²/2rate − ‖w_{T+1} − u‖²/2rate + (rate/2)Σ_t g_t²‖x_t‖² + "
        "rounding for every u, where ℓ_t(s) is the loss of a score s, logistic ln(1 + e^{−y_t s}), "
        "hinge max(0, 1 − y_t s), squared (y_t − s)² or absolute |y_t − s|, g_t its derivative at "
        "the score that was played, and L(u) = Σ_t ℓ_t(u·x_t)"
    ),
    "ogd-logistic": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ (L(u) + ‖u‖²/2rate + rounding)/(1 − c·rate·R²) for every u, if "
        "c·rate·R² < 1, where ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, "
        "L(u) = Σ_t ℓ_t(u·x_t), R = max_t ‖x_t‖ and c = 0.203633 ≥ ½ max_g g²/−ln(1 − g)"
    ),
}

HUGE, BEYOND = ldexp(1.0, 900), ldexp(1.0, 300)
SHARE = Fraction(203633, 1_000_000)  # c: ½ g² ≤ c ℓ for the logistic loss


def clipped(value: float) -> float:
    """Return a float, or ±2⁹⁰⁰ if it is beyond."""
    return min(max(value, -HUGE), HUGE)


def logistic_cost(s: float, y: int) -> tuple[float, float]:
    """Return ln(1 + e^{−ys}) and its derivative, as the program computes them."""
    e = float_exp(-abs(s))
    d, right = 1.0 + e, (s >= 0) == (y > 0)
    slope = e / d if right else 1.0 / d
    loss = float_log1p(e) if right else abs(s) + float_log1p(e)
    return loss, -slope if y > 0 else slope


def hinge_cost(s: float, y: int) -> tuple[float, float]:
    """Return max(0, 1 − ys) and its derivative."""
    return (1.0 - y * s, float(-y)) if y * s < 1.0 else (0.0, 0.0)


def squared_cost(s: float, y: int) -> tuple[float, float]:
    """Return (y − s)² and its derivative."""
    return (s - y) * (s - y), 2.0 * (s - y)


def absolute_cost(s: float, y: int) -> tuple[float, float]:
    """Return |y − s| and its derivative."""
    return abs(s - y), float(s > y) - float(s < y)


COSTS: dict[str, Callable[[float, int], tuple[float, float]]] = {
    "logistic": logistic_cost,
    "hinge": hinge_cost,
    "squared": squared_cost,
    "absolute": absolute_cost,
}


def apart(w: dict[int, float], fine: int, u: dict[int, int]) -> Fraction:
    """Return ‖w − u‖², where u is in whole numbers of 2^−fine."""
    g = max(fine, grid(w.values()))
    gone = dict(zip(w, whole(w.values(), g), strict=True))
    for i, v in u.items():
        gone[i] = gone.get(i, 0) - (v << (g - fine))
    return Fraction(dot(gone, ([*gone], [*gone.values()])), 1 << 2 * g)


class GradientDescent(LogisticRun):
    """w ← w − rate·g·x in every round, in plain floats."""

    theorems: Names = ("ogd", "ogd-logistic", "progressive")
    evidence: Names = ("w", "loss")
    program = "gradient-descent/1"

    def __init__(self, data: Data, rate: float, loss: str, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.rate, self.name, self.cost = rate, loss, COSTS[loss]
        self.weights: dict[int, float] = {}
        self.stability, self.stability_rest = 0.0, 0.0
        self.whole_loss = self.radius2 = 0  # L(u) of the other losses, and R², in whole numbers
        if loss != "logistic":
            self.theorems = ("ogd", "progressive")

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and learn from it."""
        terms = [clipped(self.weights.get(i, 0.0) * value) for i, value in zip(*x, strict=True)]
        s = fsum(terms)
        loss, g = self.cost(s, y)
        a, squares = self.rate * g, []
        for i, value in zip(*x, strict=True):
            step = clipped(a * value)
            self.weights[i] = self.weights.get(i, 0.0) - step
            squares.append(clipped(step * step))
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, clipped(loss))
        cost = fsum(squares) / (2.0 * self.rate)
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, cost)
        self.played += 1
        return (s >= 0) != (y > 0)

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of u in a round of the first pass, which stands for all; measure ‖x‖²."""
        if not (times and self.compared):
            return
        row = x[0], whole(x[1], self.data.grid)
        self.times, z, unit = times, dot(self.u, row), 1 << (self.fine + self.data.grid)
        self.radius2 = max(self.radius2, dot(dict(zip(*row, strict=True)), row))
        if self.name == "logistic":
            self.log_loss.add(y * z)
        elif self.name == "hinge":
            self.whole_loss += max(0, unit - y * z)
        elif self.name == "squared":
            self.whole_loss += (y * unit - z) * (y * unit - z)
        else:
            self.whole_loss += abs(y * unit - z)

    def fingerprint(self) -> str:
        """Return SHA-256 over (index, w) of every weight but 0, ascending; 2⁶⁴ − 1 is −1."""
        self.work.spend(1000 * len(self.weights), "a hash of so many states")
        digest = hashlib.sha256()
        for i, w in sorted((i % (1 << 64), w) for i, w in self.weights.items() if w):
            digest.update(struct.pack("<Qd", i, w))
        return digest.hexdigest()

    def compared_loss(self) -> Fraction:
        """Return L(u), rounded up if it is logistic."""
        if self.name == "logistic":
            return self.times * self.log_loss.total()
        unit = 1 << (self.fine + self.data.grid)
        whole_unit = unit * unit if self.name == "squared" else unit
        return self.times * Fraction(self.whole_loss, whole_unit)

    def penalised(self, penalty: Fraction, start: Fraction) -> Fraction:
        """Return L(u) + penalty + 2⁻⁴⁷T(T + loss + stability + penalty + start)."""
        T, stability = self.played, self.stability + self.stability_rest
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        small = self.data.largest <= BEYOND and stability <= BEYOND
        require(small, "its values or its steps are beyond 2^300")
        own = Fraction(self.loss + self.loss_rest) + Fraction(stability)
        rounding = Fraction(T, 1 << 47) * (T + own + penalty + start)
        return self.compared_loss() + penalty + rounding

    def moved(self) -> Fraction:
        """Return (rate/2)Σ g²‖x‖² − ‖w − u‖²/2rate, w being the weights after the last round."""
        far2 = apart(self.weights, self.fine, self.u)
        return Fraction(self.stability + self.stability_rest) - far2 / (2 * Fraction(self.rate))

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem for a run from w = 0, whose penalty is ‖u‖²/2rate."""
        rate = Fraction(self.rate)
        allowed = self.penalised(apart({}, self.fine, self.u) / (2 * rate), Fraction(0))
        if theorem == "ogd":
            return least_float(allowed + self.moved())
        share = SHARE * rate * Fraction(self.radius2, 1 << 2 * self.data.grid)
        if share >= 1:
            raise Refused("its rate is too large for the longest row")
        return least_float(allowed / (1 - share))


LEARNERS |= {"GradientDescent": GradientDescent}
PARAMETERS |= {"GradientDescent": {"rate": RATE, "loss": one_of(*COSTS)} | LINEAR}


# From families/descent_start.py:
#
# Gradient descent that goes on from the weights of a saved model.

THEOREMS |= {
    "ogd-resumed": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + ‖u − w_1‖²/2rate − ‖w_{T+1} − u‖²/2rate + "
        "(rate/2)Σ_t g_t²‖x_t‖² + rounding for every u, where w_1 are the weights before the first "
        "of these rounds, ℓ_t(s) is the loss of a score s, logistic ln(1 + e^{−y_t s}), hinge "
        "max(0, 1 − y_t s), squared (y_t − s)² or absolute |y_t − s|, g_t its derivative at the "
        "score that was played, and L(u) = Σ_t ℓ_t(u·x_t)"
    ),
}


class ResumedGradientDescent(GradientDescent):
    """A run of `gradient-descent/1` from nothing or from the weights of a model."""

    resumed: Names = ("ogd-resumed", "progressive")

    def __init__(self, data: Data, rate: float, loss: str, hashing: Object | None = None) -> None:
        super().__init__(data, rate, loss, hashing)
        self.first: dict[int, float] = {}  # the weights that it began with

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return the loss, or the mistakes if they are what the theorem is about."""
        return evidence.get("loss", mistakes["count"])

    def begin(self, model: Model) -> None:
        """Take the weight of every feature, the constant one first."""
        self.weights = {i: w for i, w in enumerate(model.reals("w"), -1) if w}
        self.first = dict(self.weights)

    def follow(self, before: GradientDescent) -> None:
        """Take over the weights of another run."""
        self.weights = dict(before.weights)
        self.first = dict(self.weights)

    def bound(self, theorem: str) -> float:
        """Evaluate `ogd-resumed` with rounding = 2⁻⁴⁷T(T + loss + stability + penalty + start)."""
        if theorem != "ogd-resumed":
            return super().bound(theorem)
        rate, start2 = Fraction(self.rate), apart(self.first, 0, {})
        require(start2 <= 1 << 400, "the weights that it began with are beyond 2^200")
        penalty = apart(self.first, self.fine, self.u) / (2 * rate)
        return least_float(self.penalised(penalty, start2 / (2 * rate)) + self.moved())


LEARNERS |= {"GradientDescent": ResumedGradientDescent}


# From families/filtered.py:
#
# Perceptrons in floats where those decide, and in whole numbers where they do not.
#
# What a perceptron does depends on signs alone: of w·x in every round, and of 1 − y u·x for the
# comparator u. A float sum has the right sign if it is farther from 0 than its error can be.
#
# Let ε = 2⁻⁵³, n the number of values in x, w the exact weights and v the floats that are kept of
# them. A float operation errs by at most ε times its exact result, and a product that is too small
# for that by at most 2⁻¹⁰⁷⁵.
#
# 1. Rounding of a sum: |fl(Σ v_j x_j) − v·x| ≤ 2nε Σ|v_j x_j| + n 2⁻¹⁰⁷⁴ for n ≤ 2⁵⁰, in any
#    order, also if the sum is compensated, or if all x_j are one number that multiplies the sum of
#    the v_j; and Σ|v_j x_j| ≤ ‖v‖‖x‖ (Cauchy, Schwarz).
# 2. Size of w: in a mistake y w·x ≤ 0, so that ‖w + y x‖² ≤ ‖w‖² + ‖x‖², as in Novikoff's proof.
#    So ‖w‖ ≤ W, where W² is the square at the start plus ‖x‖² of every mistake.
# 3. Drift of v: v + y x is rounded, by at most ε‖v + y x‖ ≤ ε(W + ‖v − w‖), W taken after the
#    mistake. So ‖v − w‖ ≤ 2εK after at most 2⁵⁰ mistakes, where K is the sum of all W; that is
#    at most W, so that ‖v‖ ≤ 2W. (Sums of floats that are too small for ε are exact.)
#
# Together |fl(Σ v_j x_j) − w·x| ≤ (4nW + 2K) ε‖x‖ + n 2⁻¹⁰⁷⁴. Of the comparator, which is made of
# floats, the error is at most 2nε‖u‖‖x‖ + n 2⁻¹⁰⁷⁴. hypot errs by less than the distance to the
# next float, hence ‖x‖ ≤ 2 hypot(x) whatever its size; and W and K, which are rounded in up to 2⁵⁰
# steps, are at most twice the floats that are kept of them. In these floats the errors are at most
#
#     (2nW + K) · hypot(x) · 2⁻⁵⁰ + n 2⁻¹⁰⁷⁴,     n · hypot(u) · hypot(x) · 2⁻⁵⁰ + n 2⁻¹⁰⁷⁴
#
# and `doubt` is twice that or more, for its own rounding. It multiplies by hypot(x) first: what
# overflows is infinite, which decides nothing, and what is too small for ε is below the least
# normal float, which is added. A sum that overflows decides nothing either,
# and is no bound on the least margin.
#
# This part changes no verdict. Without it, the same runs are played in whole numbers alone.

LEAST_NORMAL = sys.float_info.min
DENSE = 1 << 22  # features below this have their own place in lists, others as they appear


class FloatRow:
    """The floats of a row, two or more, and the places of its features."""

    __slots__ = ("equal", "norm", "of", "places", "values")

    def __init__(self, places: list[int], values: list[float]) -> None:
        self.places, self.values = places, values
        self.norm = math.hypot(*values)
        self.of = itemgetter(*places)  # returns what an array or a list has there
        value = values[0]
        self.equal = value == values[-1] and values.count(value) == len(values)  # such as ones

    def dot(self, numbers: "array[float]") -> float:
        """Return the sum of the values, each times the number in its place."""
        found = self.of(numbers)
        total: float = sum(found if self.equal else map(mul, found, self.values))
        return self.values[0] * total if self.equal else total

    def exact_dot(self, numbers: list[int], x: list[int]) -> int:
        """Return the same sum in whole numbers, which x are of the values."""
        found = self.of(numbers)
        total: int = sum(found if self.equal else map(mul, found, x))
        return x[0] * total if self.equal else total


class Places:
    """Arrays over the features; the constant feature, −1, is in the last place.

    ``v`` are the floats of the weights, ``u`` those of the comparator, ``w`` its whole numbers.
    """

    def __init__(self, w: dict[int, int], fine: int) -> None:
        self.known, self.unit, self.far = w, 1 << fine, dict[int, int]()
        self.v, self.u = array("d", [0.0]), array("d", self.floats([-1]))
        self.w = [w.get(-1, 0)]

    def floats(self, indices: Iterable[int]) -> list[float]:
        """Return the comparator's weights of features, which are floats."""
        return [self.known.get(j, 0) / self.unit for j in indices]

    def of(self, indices: list[int]) -> list[int]:
        """Return the places of features, which ascend."""
        dense = len(self.v) - 1 - len(self.far)
        if not indices or indices[-1] < dense:
            return indices
        if dense < DENSE:  # make room for as many again
            size = min(2 * indices[-1] + 1, DENSE)
            self.insert(dense, size - dense)
            for j in [j for j in self.known if dense <= j < size]:
                self.put(j, j)
        for j in indices if indices[-1] >= DENSE else ():
            if j >= DENSE and j not in self.far:
                self.far[j] = DENSE + len(self.far)
                self.insert(self.far[j], 1)
                self.put(self.far[j], j)
        return [self.far.get(j, j) for j in indices]

    def insert(self, place: int, count: int) -> None:
        """Insert places for features."""
        self.v[place:place] = self.u[place:place] = array("d", [0.0]) * count
        self.w[place:place] = [0] * count

    def put(self, place: int, j: int) -> None:
        """Put the comparator's weight of a feature into its place."""
        self.w[place] = self.known.get(j, 0)
        self.u[place] = self.w[place] / self.unit


class FilteredPerceptron(ResumedPerceptron):
    """A perceptron that is judged and measured in floats, exactly where they leave a doubt."""

    reads = FloatRows
    data: FloatRows

    def __init__(
        self, data: FloatRows, ties: str = "positive", hashing: Object | None = None
    ) -> None:
        super().__init__(data, ties, hashing)
        self.hashing = hashing
        self.size = self.drift = 0.0  # W and K
        self.lowest, self.reach = math.inf, 0.0  # above the least margin, below the radius
        self.clear = 1.0  # about the share of margins above 1: if it is small, floats help little
        self.scale, self.row = 1.0, FloatRow([-1], [0.0])

    def take(self, evidence: Object) -> None:
        """Take the comparator in both forms, and the weights that the run begins with."""
        super().take(evidence)
        self.places = Places(self.w[0], self.fine)
        self.length = math.hypot(*self.places.floats(self.w[0]))
        try:
            floats = [v / (1 << self.data.grid) for v in self.weights.values()]
            for j, value in zip(self.weights, floats, strict=True):
                self.places.v[self.places.of([j])[0]] = value
            self.size = self.drift = math.hypot(*floats)
        except OverflowError:  # no float is near such a weight
            self.size = math.inf
        self.refine(self.data.grid)

    def confirm(self, evidence: Object) -> None:
        """Confirm what could not be known before the rows were read."""
        check_hashing(self.data, self.hashing)
        super().confirm(evidence)

    def rounds(self) -> Iterator[tuple[int, Vector]]:
        """Yield the rounds of a pass. The floats of the one being played are the ``row``."""
        constant, bias = ([-1], [self.data.bias]) if self.data.bias else ([], [])
        for y, indices, values in self.data.floats():
            found, places, floats = constant + indices, self.places.of(indices), bias + values
            if len(floats) < 2:  # of one place, itemgetter returns no tuple
                found, places, floats = [*found, -1, -1], [*places, -1, -1], [*floats, 0.0, 0.0]
            self.row = FloatRow(constant + places, floats)
            yield y, (found, [])

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round, and learn from a mistake; a score of 0 is + unless it is always wrong."""
        row = self.row
        score = y * row.dot(self.places.v)
        doubt = row.norm * (2 * len(row.values) * self.size + self.drift) * 2**-49 + LEAST_NORMAL
        if not doubt < abs(score) < math.inf:
            score = y * dot(self.weights, self.exact(x))
        if score > 0 or (score == 0 and y > 0 and not self.strict):
            return False
        self.learn(y, x)
        return True

    def learn(self, y: int, x: Vector) -> None:
        """Add y x to w, and to the floats that are kept of it."""
        row, w, v = self.row, self.weights, self.places.v
        steps = zip(*self.exact(x), row.places, row.values, strict=True)
        if y > 0:
            for j, number, place, value in steps:
                w[j] += number
                v[place] += value
        else:
            for j, number, place, value in steps:
                w[j] -= number
                v[place] -= value
        self.size = math.hypot(self.size, row.norm)
        self.drift += self.size

    def measure(self, y: int, x: Vector, mistaken: bool, times: int) -> None:
        """Add a round to the sums, if it can change them."""
        row = self.row
        clear = not mistaken and self.clear > 0.25 and not self.near(y)
        if not clear:
            margin = y * row.exact_dot(self.places.w, self.exact(x)[1])
            self.compare(margin, mistaken, times)
            clear = margin > self.unit
        self.clear += (clear - self.clear) / 64
        if mistaken or not row.norm < self.reach:
            self.widen(self.square(self.exact(x)), mistaken)
            self.reach = max(self.reach, row.norm * (1 - 2**-49) - LEAST_NORMAL)

    def near(self, y: int) -> bool:
        """Say whether the comparator's margin may be below 1, or the least so far."""
        row = self.row
        margin = y * row.dot(self.places.u)
        doubt = row.norm * self.length * len(row.values) * 2**-49 + LEAST_NORMAL
        if not math.isfinite(margin):  # it may be any number
            return True
        if max(1.0, self.lowest) < margin - doubt:
            return False
        self.lowest = min(self.lowest, math.nextafter(margin + doubt, math.inf))
        return True

    def exact(self, x: Vector) -> Vector:
        """Return the row in whole numbers of the unit, which becomes finer if it is too coarse."""
        if x[1]:
            return x
        row = self.row
        values = row.values[:1] if row.equal else row.values
        scaled = list(map(mul, values, repeat(self.scale)))
        if all(map(float.is_integer, scaled)):  # infinity is no integer
            found = list(map(math.floor, scaled))
        else:
            self.refine(grid(values))
            found = whole(values, self.data.grid)
        x[1].extend(found * len(row.values) if row.equal else found)
        return x

    def refine(self, finest: int) -> None:
        """Go over to a unit of 2^−finest or finer, in few steps however many rows ask for it."""
        more = max(0, -(-finest // 16) * 16 - self.data.grid)
        self.data.grid += more
        self.scale = math.ldexp(1.0, self.data.grid) if self.data.grid < 1024 else math.inf
        for weights in (self.weights, self.first):
            for j in weights:
                weights[j] <<= more
        self.unit, self.hinge = self.unit << more, self.hinge << more
        self.mistake_hinge, self.hinge2 = self.mistake_hinge << more, self.hinge2 << 2 * more
        self.energy, self.radius2 = self.energy << 2 * more, self.radius2 << 2 * more
        self.least = None if self.least is None else self.least << more


LEARNERS |= dict.fromkeys(NAMES, FilteredPerceptron)


# From families/fixed_weights.py:
#
# Predictions of anybody's learner: what they lose, against the best fixed weights.

WHEN = (
    "the files do not show whether a prediction was made before its label was known; the "
    "inequality holds in any case, but only predictions made before are worth anything"
)
BELOW_HALF = math.nextafter(0.5, 0.0)
THEOREMS |= {
    "fixed-weights": Theorem(
        "Σ_t −ln p_t(y_t) ≤ min_u [Σ_t ln(1 + e^{−y_t u·x_t}) + ½Σ_i λ_i u_i²] + B, where p_t(y_t) "
        "is the probability that the prediction of row t gives to its label, and "
        "λ_i = λ·max_t x_{t,i}²",
        assumptions=(WHEN,),
    ),
}


class ChanceLoss:
    """An upper bound of Σ −ln p_t(y_t), in decimals of 30 digits that are rounded up.

    The logarithms of 64 rounds are one.
    """

    def __init__(self, clip: Fraction | None) -> None:
        self.digits = Precision(30)
        self.logs, self.product, self.count = Decimal(0), Decimal(1), 0
        self.ends = (Decimal(0), Decimal(1))
        if clip is not None:  # a float has at most 1074 digits behind the point, and so has 1 − ε
            low = Decimal.from_float(float(clip))
            self.ends = low, Precision(1100).down.subtract(Decimal(1), low)

    def chance(self, y: int, p: float) -> Decimal:
        """Return the probability of the label, rounded down, if p is that of the positive one."""
        low, high = self.ends
        q = min(max(Decimal.from_float(p), low), high)
        down = self.digits.down
        return down.plus(q) if y > 0 else down.subtract(Decimal(1), q)

    def add(self, y: int, p: float) -> None:
        """Add a round."""
        q = self.chance(y, p)
        self.count += 1
        require(q > 0, f"prediction {self.count} gives its label the probability 0: state a clip")
        self.product = self.digits.down.multiply(self.product, q)
        if self.count % 64 == 0:
            self.gather()

    def gather(self) -> None:
        """Add the logarithm of the product so far."""
        down, up = self.digits.down, self.digits.up
        if self.product < 1:
            self.logs = up.subtract(self.logs, down.next_minus(down.ln(self.product)))
        self.product = Decimal(1)

    def total(self) -> Fraction:
        """Return the upper bound."""
        self.gather()
        return Fraction(self.logs)


class FixedWeights:
    """Weights u and their penalty ½Σ_i λ_i u_i², λ_i = λ·max_t x_{t,i}²; what no other go below."""

    def __init__(self, evidence: Object, grid: int) -> None:
        self.penalty = above_0(evidence["penalty"], "penalty")
        self.fine, weights = comparator(evidence["w"], many=False)
        self.u, self.grid = weights[0], grid
        self.unit = 1 << (self.fine + self.grid)  # u·x is a whole number of its inverse
        self.largest: dict[int, int] = {}  # |x_i|, in units of 2^−grid

    def see(self, x: Vector) -> None:
        """Look for the largest values in a row."""
        largest = self.largest
        for i, value in zip(*x, strict=True):
            if abs(value) > largest.get(i, 0):
                largest[i] = abs(value)

    def least(self, dual: DualBound) -> Fraction:
        """Return what no u goes below with its penalty."""

        def lambdas(i: int) -> Decimal:
            share = self.penalty * Fraction(self.largest[i] ** 2, 1 << 2 * self.grid)
            return dual.digits.of(share).low

        return Fraction(dual.least(lambdas, self.grid))

    def paid(self) -> Fraction:
        """Return ½Σ_i λ_i u_i²."""
        for i in self.u:
            if i not in self.largest:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
        squares = sum((self.largest[i] * weight) ** 2 for i, weight in self.u.items())
        return self.penalty * Fraction(squares, 2 * self.unit**2)


def compared(own: Fraction, value: Fraction, least: Fraction, others: Object) -> Measured:
    """Return own − least, the bound, and own − value, what the predictions lose more than u."""
    regret, found = least_float(own - value), least_float(own - least)
    facts = {"loss": least_float(own), "least": -least_float(-least), "regret": regret} | others
    finite = all(abs(v) <= MOST for v in (found, *facts.values()) if isinstance(v, float))
    require(finite, "a number of it is beyond every float")
    return Measured(facts, regret, found)


def base_rate_loss(positives: int, count: int) -> float:
    """Return n·H(k/n): what the frequency of the positive label loses, rounded up."""

    def formula(digits: Precision) -> Enclosure:
        parts = [k for k in (positives, count - positives) if k]
        return sum((digits.of(Fraction(count, k)).ln() * k for k in parts), digits.of(0))

    return 0.0 if positives in (0, count) else rounded_up(formula)


def clip_of(value: Json, kind: str) -> Fraction | None:
    """Return the ε at which probabilities are clipped, if they are."""
    if value is None:
        return None
    require(kind == "probability", "its predictions are no probabilities, which are clipped")
    return above_0(value, "clip", BELOW_HALF)


def measure_logistic(
    evidence: Object, bound: Json, data: Data, predictions: Predictions
) -> Measured:
    """Find B = Σ_t −ln p_t(y_t) − D, where D is the dual lower bound."""
    require(predictions.kind in ("probability", "score"), "its predictions have no log loss")
    chances = ChanceLoss(clip_of(evidence["clip"], predictions.kind))
    scores, fixed = LogLoss(1 << predictions.grid), FixedWeights(evidence, data.grid)
    loss, dual = LogLoss(fixed.unit), LogisticDual()
    positives = mistakes = 0
    middle = 0.5 if predictions.kind == "probability" else 0.0
    for (y, x), value in zip(data, predictions.numbers(), strict=True):
        if predictions.kind == "score":
            scores.add(y * whole([value], predictions.grid)[0])
        else:
            chances.add(y, value)
        fixed.see(x)
        z = y * dot(fixed.u, x)
        loss.add(z)
        dual.take(y, z, fixed.unit, x)
        positives += y > 0
        mistakes += (value >= middle) != (y > 0)
    own, best = chances.total() + scores.total(), loss.total() + fixed.paid()
    others: Object = {"mistakes": mistakes, "baseline": base_rate_loss(positives, data.count)}
    return compared(own, best, fixed.least(dual), others)


PREDICTION_CLAIMS |= {
    "fixed-weights": PredictionClaim(
        ("predictions", "kind", "clip", "penalty", "bias", "w"),
        ("loss", "least", "regret", "mistakes", "baseline"),
        measure_logistic,
    ),
}


# From families/fresh.py:
#
# Predictions of a frozen model on fresh rows: what they say of rows to come.

FRESH = (
    "the rows are independent draws from one distribution",
    "the model was frozen, and δ was chosen, before the rows were seen",
    "the predictions are the model's",
)
THEOREMS |= {
    "clopper-pearson": Theorem(
        "with probability ≥ 1 − δ, a model that is frozen before n fresh rows and is wrong on k of "
        "them has err ≤ p, the least p with P[Bin(n, p) ≤ k] ≤ δ, or 1 if k = n",
        "probable",
        FRESH,
    ),
    "betting-mean": Theorem(
        "with probability ≥ 1 − δ, for all n at once, a model that is frozen before n fresh rows "
        "has E[−ln p(y)] ≤ m·ln(1/ε) for each m with (1/24)Σ_j Π_t (1 + λ_j(m − X_t)) ≥ 1/δ, and "
        "for m = 1, where λ_j = 2^{−j/2} for j = 0..23, p(y) is the probability of the label, "
        "moved into [ε, 1 − ε], and X_t = −ln p_t(y_t)/ln(1/ε) in row t",
        "probable",
        FRESH,
    ),
}
MOST_TIED = 2000  # rows for which a tie is decided in whole numbers
STEPS = 1 << 20  # m is a whole number of 2^−20
BETS = 24


def lower_tail(k: int, n: int, p: Fraction, digits: Precision) -> tuple[Decimal, Decimal]:
    """Enclose P[Bin(n, p) ≤ k] for 0 < p < 1, with q = 1 − p.

    Its first term is q^n, and term i + 1 is term i times (n − i)p/((i + 1)q). All are above 0, so
    both ends are products and sums of ends.
    """
    ends = []
    for at, q in ((digits.down, digits.of(1 - p).low), (digits.up, digits.of(1 - p).high)):
        odds = at.divide(Decimal(p.numerator), Decimal((1 - p).numerator))  # p/q
        term, square, power = Decimal(1), q, n
        while power:  # term = q^n, every product rounded the same way
            term = at.multiply(term, square) if power % 2 else term
            square, power = at.multiply(square, square), power // 2
        total = term
        for i in range(k):
            term = at.divide(at.multiply(at.multiply(term, odds), n - i), i + 1)
            total = at.add(total, term)
        ends.append(total)
    return ends[0], ends[1]


def is_rare(k: int, n: int, p: float, delta: Fraction) -> bool:
    """Say whether P[Bin(n, p) ≤ k] ≤ δ, for k < n."""
    if not 0 < p < 1:
        return p >= 1
    share, exact = digits_of(delta), Fraction(p)
    for digits in (40, 160):
        low, high = lower_tail(k, n, exact, Precision(digits))
        if high <= share or low > share:
            return high <= share
    if n > MOST_TIED:
        raise TooLarge("the certificate: its probability is too near to δ to tell them apart")
    a, b = exact.numerator, exact.denominator
    whole = sum(comb(n, i) * a**i * (b - a) ** (n - i) for i in range(k + 1))
    return bool(whole * delta.denominator <= delta.numerator * b**n)


def digits_of(value: Fraction) -> Decimal:
    """Return a float as a decimal, which holds all of its digits."""
    return Decimal.from_float(float(value))


def error_counts(evidence: Object, data: Data, predictions: Predictions) -> int:
    """Count the rows whose prediction is wrong.

    Numbers that are at least the threshold say the positive label; labels say what they are.
    """
    threshold = evidence["threshold"]
    if predictions.kind == "label":
        require(threshold is None, "its predictions are labels, which take no threshold")
        codes = dict(data.codes)
        other = -1 if not data.many else len(codes)  # all labels but the positive one are one
        pairs = zip(data, predictions, strict=True)
        return sum(codes.get(label, other) != y for (y, _), label in pairs)
    if data.many or not isinstance(threshold, float):
        raise Refused("its threshold is no float for two labels")
    numbers = zip(data, predictions.numbers(), strict=True)
    return sum((value >= threshold) != (y > 0) for (y, _), value in numbers)


def measure_errors(evidence: Object, bound: Json, data: Data, predictions: Predictions) -> Measured:
    """Check that the bound is the least float p with P[Bin(n, p) ≤ k] ≤ δ; 1 if k = n."""
    delta = above_0(evidence["delta"], "delta", BELOW_1)
    k, n = error_counts(evidence, data, predictions), data.count
    if not isinstance(bound, float):
        raise Refused("its bound is no float")
    if k == n:
        return Measured({"mistakes": k}, k, 1.0)
    require(is_rare(k, n, bound, delta), f"so few errors as {k} are more likely at its bound")
    below = nextafter(bound, -inf)
    require(not is_rare(k, n, below, delta), "its bound is not the least")
    require(0 < bound <= 1, "its bound is no probability")
    return Measured({"mistakes": k}, k, bound)


class Capital:
    """A lower bound of (1/24)Σ_j Π_t (1 + λ_j(m − X_t)), in decimals of 30 digits rounded down."""

    def __init__(self, m: Fraction, clip: Fraction) -> None:
        self.digits = Precision(30)
        roots = [self.digits.of(Fraction(1, 1 << j)).sqrt() for j in range(BETS)]
        self.bets = [(root.low, root.high) for root in roots]
        self.products = [Decimal(1)] * BETS
        self.most = (-self.digits.of(clip).ln()).low  # ln(1/ε)
        self.m = self.digits.of(m).low

    def add(self, q: Decimal) -> None:
        """Add a row whose label has the probability q, rounded down."""
        down, up = self.digits.down, self.digits.up
        loss = Decimal(0) if q >= 1 else down.next_minus(down.ln(q)).copy_negate()
        gain = down.subtract(self.m, min(Decimal(1), up.divide(loss, self.most)))
        for j, (low, high) in enumerate(self.bets):
            factor = down.add(1, down.multiply(gain, low if gain > 0 else high))
            self.products[j] = down.multiply(self.products[j], max(Decimal(0), factor))

    def reaches(self, delta: Fraction) -> bool:
        """Say whether it is surely at least 1/δ."""
        down, total = self.digits.down, Decimal(0)
        for product in self.products:
            total = down.add(total, product)
        return down.multiply(down.divide(total, BETS), digits_of(delta)) >= 1


def measure_mean(evidence: Object, bound: Json, data: Data, predictions: Predictions) -> Measured:
    """Evaluate m·ln(1/ε), where m = steps·2^−20 is one at which the capital reaches 1/δ, or 1."""
    require(predictions.kind == "probability", "its predictions are no probabilities")
    delta = above_0(evidence["delta"], "delta", BELOW_1)
    clip, steps = above_0(evidence["clip"], "clip", BELOW_HALF), evidence["steps"]
    if not (is_integer(steps) and 0 < steps <= STEPS):
        raise Refused("its steps are no whole number from 1 to 2^20")
    m = Fraction(steps, STEPS)
    capital, loss = Capital(m, clip), ChanceLoss(clip)
    for (y, _), p in zip(data, predictions.numbers(), strict=True):
        loss.add(y, p)
        capital.add(loss.chance(y, p))
    won = steps == STEPS or capital.reaches(delta)
    require(won, "the capital does not reach 1/δ at its mean")
    mean = least_float(loss.total() / data.count)
    found = rounded_up(lambda digits: -digits.of(clip).ln() * m)
    return Measured({"loss": mean}, mean, found)


PREDICTION_CLAIMS |= {
    "clopper-pearson": PredictionClaim(
        ("predictions", "kind", "threshold", "delta"), ("mistakes",), measure_errors, many=True
    ),
    "betting-mean": PredictionClaim(
        ("predictions", "kind", "clip", "delta", "steps"), ("loss",), measure_mean
    ),
}


# From families/frozen_blends.py:
#
# A mixture of frozen Blends, such as those of shards: they learn nothing.
#
# docs/programs.md defines the program `frozen-mixture/1`. The members are read from a model, and
# named by the hashes of their states. How they were learned is not checked here: a certificate of a
# member's own run ends in the same hash.

CERTAIN = float.fromhex("0x1.a56e0c2ac7cbfp-44")  # 1/(1 + e³⁰)
MOST_FROZEN = 4096


class FrozenBlend(ResumedBlend):
    """The hypothesis of Blend: the last state of all its members, mixed by the mean weights."""

    def said(self, x: Values) -> float:
        """Return the probability of +1; nothing is learned."""
        _, sums = self.gather(x)
        before = [*sums[:7], self.base.score(), self.recent.score(), self.newton.score(x)]
        scores = [*before, self.stack.score([clamped(s, 10.0) for s in before])]
        positive, negative = 0.0, 0.0
        for s, weight in zip(scores, self.mixture.mean, strict=True):
            p, r = chances(clamped(s, 30.0))
            positive, negative = positive + weight * p, negative + weight * r
        return positive / (positive + negative)


class FrozenMixture(LogisticRun):
    """P(+1) = Σ π_k p_k with frozen p_k; π_k ∝ e^{−L_k} by Bayes' rule, from equal weights on."""

    theorems: Names = ()
    resumed: Names = ("mixture",)
    evidence: Names = ("loss",)
    transforms = False
    once = True
    program = "frozen-mixture/1"

    def __init__(self, data: Data, hypotheses: list[str], hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        self.hashes, self.hashing = hypotheses, hashing
        self.members: list[FrozenBlend] = []
        self.losses, self.rests = [0.0] * len(hypotheses), [0.0] * len(hypotheses)
        self.weights = [1.0 / len(hypotheses)] * len(hypotheses)

    def begin(self, model: Model) -> None:
        """Take the members from a model; the weights are equal, whatever they are in the model."""
        for k, stated in enumerate(self.hashes):
            member = FrozenBlend(self.data, self.hashing)
            member.work = self.work  # all of them together
            member.begin(part_of_model(model, k))
            require(member.fingerprint() == stated, f"member {k + 1} of the model is another")
            self.members.append(member)

    def take(self, evidence: Object) -> None:
        """Take the loss, which is what the theorem is about."""
        self.compared, self.dual = True, None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Measure nothing: the members' losses are part of the run."""

    def mixed(self, said: list[float]) -> Pair:
        """Return the probabilities of +1 and −1, up to a common factor near 1."""
        positive, negative = 0.0, 0.0
        for p, weight in zip(said, self.weights, strict=True):
            positive, negative = positive + weight * p, negative + weight * (1.0 - p)
        return positive, negative

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and take it into the weights."""
        said = [min(max(member.said(x), CERTAIN), 1.0 - CERTAIN) for member in self.members]
        p, r = self.mixed(said)
        loss = float_log1p(r / p if y > 0 else p / r)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, loss)
        for k, chance in enumerate(said):
            likely = chance if y > 0 else 1.0 - chance
            cost = float_log1p((1.0 - likely) / likely)
            self.losses[k], self.rests[k] = added(self.losses[k], self.rests[k], cost)
        sums = [total + rest for total, rest in zip(self.losses, self.rests, strict=True)]
        least = min(sums)
        found, total = [float_exp(least - own) for own in sums], 0.0
        for weight in found:
            total = total + weight
        self.weights = [weight / total for weight in found]
        self.played += 1
        return (p >= r) != (y > 0)

    def fingerprint(self) -> str:
        """Return SHA-256 over the members' hashes, the rounds, and the members' losses."""
        digest = hashlib.sha256(b"".join(map(bytes.fromhex, self.hashes)))
        digest.update(struct.pack("<Q", self.played))
        digest.update(struct.pack(f"<{2 * len(self.losses)}d", *self.losses, *self.rests))
        return digest.hexdigest()

    def bound(self, theorem: str) -> float:
        """Evaluate the least L_k + ln K + 2⁻⁴⁹T(K + 64 + L_k)."""
        T, K = self.played, len(self.members)
        require(0 < T <= 1 << 40, "it has no round, or more than 2^40")
        best = Fraction(math.nextafter(min(self.losses), math.inf))
        rounding = Fraction(T, 1 << 49) * (K + 64 + best)
        return least_float(best + rounding + Fraction(Precision(30).of(K).ln().high))


def part_of_model(model: Model, k: int) -> Model:
    """Return the arrays of one member."""
    return Model(lambda name: model.numbers(f"member{k}.{name}"), f"{model.name}, member {k + 1}")


def is_hashes(value: Json) -> bool:
    """Say whether a value is a list of SHA-256, of some members."""
    if not (isinstance(value, list) and 1 <= len(value) <= MOST_FROZEN):
        return False
    digits = {*"0123456789abcdef"}
    return all(isinstance(one, str) and len(one) == 64 and {*one} <= digits for one in value)


HASHES = Domain(f"a list of 1 to {MOST_FROZEN} hashes", is_hashes)
LEARNERS |= {"FrozenMixture": FrozenMixture}
PARAMETERS |= {"FrozenMixture": {"hypotheses": HASHES} | LINEAR}


# From families/mixing.py:
#
# Parameter mixing: shards that play every epoch from the mean of their weights.

THEOREMS |= {
    "parameter-mixing": Theorem(
        "M ≤ P·(c + a/2 + √max(0, a²/4 + ac + b)) for the mistakes M of P shards in all epochs, if "
        "every shard starts each epoch from the mean of the shards' weights, of which each is "
        "rounded once, where a = R²‖w‖², c = L/P − w·Δ, b = ‖w‖²E, L is the sum of "
        "max(0, 1 − y w·x) over all shards and epochs, Δ the sum of (the rounded mean − the mean) "
        "over the epochs, and E that of (‖the rounded mean‖² − ‖the mean‖²)"
    )
}


def nearest(total: int, unit: int) -> float:
    """Return the finite float that is nearest to total/unit."""
    try:
        return total / unit  # rounded once
    except OverflowError:
        return MOST if total > 0 else -MOST


class Journal(defaultdict[int, int]):
    """Weights that remember what they were before they changed."""

    def __init__(self, weights: dict[int, int] | None = None) -> None:
        super().__init__(int, weights or {})
        self.before: dict[int, int] = {}

    def __setitem__(self, j: int, v: int) -> None:
        self.before.setdefault(j, self.get(j, 0))
        super().__setitem__(j, v)

    def taken_back(self) -> dict[int, int]:
        """Return what was added to each weight, and be as before."""
        before, self.before = self.before, {}
        added = {j: self[j] - v for j, v in before.items()}
        self.update(before)  # writes nothing down
        return added


class Mixing(Compared[Y, X]):
    """A run of shards, one after another: rows [0, n_1), [n_1, n_1 + n_2), … of every pass.

    Only what a shard adds to its weights is kept, so that many shards cost no more than few.
    """

    theorems: Names = ("parameter-mixing", "progressive")
    transforms = False
    shards: list[int]
    fine: int  # a comparator's weights are whole numbers of 2^−fine

    def divide(self, shards: list[int], classes: int) -> None:
        """Take the number of rows of each shard."""
        require(sum(shards) == self.data.count, "its shards do not hold its rows")
        self.shards, self.shard, self.row = shards, 0, 0
        self.mixed_weights = [Journal() for _ in range(classes)]  # by class; one for two labels
        self.added = defaultdict[tuple[int, int], int](int)  # by all shards of this epoch
        self.moved = defaultdict[tuple[int, int], Fraction](Fraction)  # Δ
        self.grown = Fraction(0)  # E

    def judged(self, mistaken: bool) -> bool:
        """Count a row; after the last of a shard the next begins where this one did."""
        self.row += 1
        if self.row == self.shards[self.shard]:
            for k, weights in enumerate(self.mixed_weights):
                for j, v in weights.taken_back().items():
                    self.added[k, j] += v
            self.shard, self.row = self.shard + 1, 0
            if self.shard == len(self.shards):
                self.mix()
                self.shard, self.added = 0, defaultdict(int)
        return mistaken

    def mix(self) -> None:
        """Go on from the mean of the shards' weights, each rounded once."""
        raise NotImplementedError

    def move(self, at: tuple[int, int], true: Fraction, found: Fraction) -> None:
        """Write down that a mean was rounded."""
        self.moved[at] += found - true
        self.grown += found * found - true * true

    def bound(self, theorem: str) -> float:
        """Evaluate the theorem: P·(c + a/2) + √(P² max(0, a²/4 + ac + b))."""
        shards, norm2 = len(self.shards), self.norm2()
        gained = sum(d * self.w[k].get(j, 0) for (k, j), d in self.moved.items())  # w·Δ·2^fine
        c = Fraction(self.hinge, self.unit * shards) - Fraction(gained) / (1 << self.fine)
        a = Fraction(self.radius2 * norm2, self.unit**2)
        b = norm2 * self.grown / (1 << 2 * self.fine)
        root = max(Fraction(0), a * a / 4 + a * c + b)
        return least_float(shards * (c + a / 2), shards**2 * root)


class LinearMixing(Mixing[int, Vector], Perceptron):
    """Shards of a perceptron.

    Weights are whole numbers of 2^−(grid + finer): a mean has finer digits than the rows.
    """

    finer = 0

    def seen(self, x: Vector) -> Vector:
        """Return x in the unit of the weights."""
        return (x[0], [v << self.finer for v in x[1]]) if self.finer else x

    def mix(self) -> None:
        """Go on from the means; each is the float nearest to it."""
        unit, shards = 1 << self.data.grid + self.finer, len(self.shards)
        means = {(k, j): v / unit for k, w in enumerate(self.mixed_weights) for j, v in w.items()}
        for (k, j), added in self.added.items():
            true = Fraction(self.mixed_weights[k][j] * shards + added, unit * shards)
            means[k, j] = nearest(true.numerator, true.denominator)
            if true != means[k, j]:
                self.move((k, j), true, Fraction(means[k, j]))
        self.finer = max(0, grid(means.values()) - self.data.grid)
        columns: list[dict[int, int]] = [{} for _ in self.mixed_weights]
        values = whole(means.values(), self.data.grid + self.finer)
        for (k, j), v in zip(means, values, strict=True):
            columns[k][j] = v
        self.mixed_weights = [Journal(column) for column in columns]
        self.go_on()

    def go_on(self) -> None:
        """Play with the mixed weights."""
        raise NotImplementedError


class MixedPerceptron(LinearMixing):
    """Shards of the perceptron with two labels."""

    def __init__(
        self,
        data: Data,
        shards: list[int],
        ties: str = "positive",
        hashing: Object | None = None,
    ) -> None:
        super().__init__(data, ties, hashing)
        self.divide(shards, 1)
        self.go_on()

    def go_on(self) -> None:
        """Play with the mixed weights."""
        self.weights = self.mixed_weights[0]

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, self.seen(x)))


class MixedMulticlassPerceptron(LinearMixing, MulticlassPerceptron):
    """Shards of the perceptron with many classes, all of which a shard knows from its first row."""

    def __init__(
        self, data: Data, shards: list[int], classes: int, hashing: Object | None = None
    ) -> None:
        MulticlassPerceptron.__init__(self, data, hashing)
        require(classes == len(data.codes), "its classes are not those of the data")
        self.divide(shards, classes)
        self.go_on()

    def go_on(self) -> None:
        """Play with the mixed weights of each class."""
        self.columns = [*self.mixed_weights]

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, self.seen(x)))


class MixedStructuredPerceptron(Mixing[list[int], Positions], Chain):
    """Shards of chains, whose weights and means are whole numbers of 1/4096."""

    grain = 4096

    def __init__(self, data: Sentences, shards: list[int], problem: Problem) -> None:
        require(problem["tags"] is not None, "its tags are not known from the first row")
        Chain.__init__(self, data, problem)
        self.divide(shards, self.all)
        self.columns = dict(enumerate(self.mixed_weights))

    def mistaken(self, y: list[int], x: Positions) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, x))

    def mix(self) -> None:
        """Go on from the means; each is the nearest multiple of 1/4096, the even one of two."""
        shards, unit = len(self.shards), self.grain * len(self.shards)
        for (k, j), added in self.added.items():
            total = self.mixed_weights[k][j] * shards + added
            mean = round(Fraction(total, shards))
            if mean * shards != total:
                self.move((k, j), Fraction(total, unit), Fraction(mean, self.grain))
            self.mixed_weights[k].update({j: mean})  # writes nothing down


def sizes(value: Json) -> bool:
    """Say whether a value is a list of numbers of rows."""
    return isinstance(value, list) and value != [] and all(is_integer(n) and n > 0 for n in value)


def has_tags(value: Json) -> bool:
    """Say whether a value describes chains whose tags are stated, which all shards know."""
    return CHAINS.has(value) and isinstance(value, dict) and value["tags"] is not None


TAGGED = Domain(f"{CHAINS.words}, with tags", has_tags)
SHARDS: Domains = {"shards": Domain("a list of whole numbers above 0", sizes)}
CLASSES: Domains = {"classes": integers(1, 1 << 20)}
AVERAGED: Domains = {"averaged": remark(BOOLS)}
LEARNERS |= {
    "MixedPerceptron": MixedPerceptron,
    "MixedMulticlassPerceptron": MixedMulticlassPerceptron,
    "MixedStructuredPerceptron": MixedStructuredPerceptron,
}
PARAMETERS |= {
    "MixedPerceptron": SHARDS | TIES | LINEAR | AVERAGED,
    "MixedMulticlassPerceptron": SHARDS | CLASSES | LINEAR | AVERAGED,
    "MixedStructuredPerceptron": SHARDS | {"problem": TAGGED} | AVERAGED,
}


# From families/regression.py:
#
# Regression: labels are real numbers, and the learner is a float program.
#
# docs/programs_regression.md defines it, and proves the rounding term of its theorem.

THEOREMS |= {
    "vaw-tight": Theorem(
        "Σ_t (y_t − ŷ_t)² ≤ Σ_t (y_t − u·x_t)² + λ‖u‖² + Σ_t y_t² x_t·A_t⁻¹x_t + rounding for "
        "every u, where A_t = λI + Σ_{s≤t} x_s x_sᵀ, ŷ_t = x_t·A_t⁻¹ Σ_{s<t} y_s x_s, and λ is the "
        "ridge"
    ),
    "vaw": Theorem(
        "Σ_t (y_t − ŷ_t)² ≤ Σ_t (y_t − u·x_t)² + λ‖u‖² + Y² Σ_i ln(1 + Σ_t x_{t,i}²/λ) + rounding "
        "for every u, where ŷ_t = x_t·(λI + Σ_{s≤t} x_s x_sᵀ)⁻¹ Σ_{s<t} y_s x_s, λ is the ridge, "
        "and Y = max_t |y_t|"
    ),
}

MOST_FEATURES, MOST_REGRESSED = 1001, 1 << 26
FEW_FEATURES = 64  # with more, the work of a round counts: data of little size can ask for much


def in_range(value: float) -> bool:
    """Say whether a number is 0, or neither too small nor too large in size."""
    return value == 0 or 2.0**-200 <= abs(value) <= 2.0**200


class RealData(FeatureRows[float, Values]):
    """Rows with real labels, x as floats with the constant feature at index −1."""

    packed = "<dI"

    def __init__(
        self, rows: Rows, labels: Json, bias: Json, transforms: Transforms | None = None
    ) -> None:
        check_floats()
        require(stated_labels(labels, "real")[1] is True, "its labels are no numbers")
        self.bias = checked_bias(bias)
        self.rows, self.labels, self.transforms = rows, labels, transforms
        self.grid, self.fine = grid([self.bias]), 0  # of the values, and of the labels
        for y, _, values in self.given():
            self.count += 1
            self.grid, self.fine = max(self.grid, grid(values)), max(self.fine, grid([y]))

    def code(self, where: str, label: Label) -> float:
        """Return a label that must be a number."""
        real = isinstance(label, (int, float)) and not isinstance(label, bool)
        value = float(label) if real else math.nan
        expect(math.isfinite(value), where, "a number as the label", label)
        return value + 0.0  # −0 is 0

    def rounds(self) -> Iterator[tuple[float, Values]]:
        """Yield y and x of each row, x with the constant feature."""
        bias = self.bias
        for y, indices, values in self.given():
            yield y, ([*indices, -1], [*values, bias]) if bias else (indices, values)


class ForwardRegression(Learner[float, Values]):
    """ŷ = b·v with v = (A + x xᵀ)⁻¹x; then A += x xᵀ and b += y x; P is about A⁻¹."""

    theorems: Names = ("vaw-tight", "vaw")
    evidence: Names = ("w", "loss")
    reads = RealData
    transforms = True
    program = "forward-regression/1"
    data: RealData

    def __init__(self, data: RealData, ridge: float, hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        self.data, self.work, self.ridge = data, Work(), ridge
        self.slots: dict[int, int] = {}  # the place of each feature, in the order of joining
        self.P: list[list[float]] = []
        self.A: list[list[float]] = []  # what its two parts add up to, rounded
        self.parts: list[list[tuple[float, float]]] = []
        self.b: list[tuple[float, float]] = []
        self.squares = self.largest = 0.0  # Σ y², max |y|
        self.loss = self.loss_rest = self.drift = self.drift_rest = 0.0
        self.stability = self.stability_rest = 0.0
        self.played, self.times = 0, 1

    def play(
        self,
        passes: int,
        evidence: Object,
        transcript: Iterator[int],
        states: dict[int, str] | None = None,
    ) -> None:
        """Play the run. No pass can be left out, so only so many are played."""
        check_passes(passes)
        super().play(passes, evidence, transcript, states)

    def take(self, evidence: Object) -> None:
        """Take the comparator u, and prepare to sum its losses."""
        self.fine, weights = comparator(evidence["w"], many=False)
        self.u = weights[0]
        self.unit = max(self.fine + self.data.grid, self.data.fine)
        self.errors, self.energy = 0, dict[int, int]()  # Σ (y − u·x)², Σ x_i², in units

    def measure(self, y: float, x: Values, mistaken: bool, times: int) -> None:
        """Add the loss of the comparator in a round of the first pass, which stands for all."""
        if times:
            self.times, values = times, whole(x[1], self.data.grid)
            score = dot(self.u, (x[0], values)) << (self.unit - self.fine - self.data.grid)
            self.errors += (whole([y], self.unit)[0] - score) ** 2
            for i, value in zip(x[0], values, strict=True):
                self.energy[i] = self.energy.get(i, 0) + value * value

    def join(self, x: Values) -> list[float]:
        """Return x over all places; features that are new join."""
        for i in x[0]:
            if i not in self.slots:
                size = self.slots[i] = len(self.slots)
                require(size < MOST_FEATURES, f"it has more than {MOST_FEATURES} features")
                for rows in (self.P, self.A):
                    for row in rows:
                        row.append(0.0)
                    rows.append([0.0] * (size + 1))
                for parts in self.parts:
                    parts.append((0.0, 0.0))
                self.parts.append([(0.0, 0.0)] * size + [(self.ridge, 0.0)])
                self.P[size][size], self.A[size][size] = 1.0 / self.ridge, self.ridge
                self.b.append((0.0, 0.0))
        z = [0.0] * len(self.slots)
        for i, value in zip(*x, strict=True):
            z[self.slots[i]] = value
        return z

    def residual(self, z: list[float], v: list[float]) -> list[float]:
        """Return z − (A + z zᵀ) v."""
        c, opposite = 1.0 - fsum(map(mul, z, v)), [-one for one in v]
        return [
            fsum([value * c, *map(mul, row, opposite)])
            for value, row in zip(z, self.A, strict=True)
        ]

    def mistaken(self, y: float, x: Values) -> bool:
        """Play a round, and learn from it; a number is never just right or wrong."""
        sound = in_range(y) and all(map(in_range, x[1]))
        require(sound, "it has numbers that are too large or too small")
        z = self.join(x)
        self.work.spend(500 * max(0, len(z) ** 2 - FEW_FEATURES**2), "a run with so many features")
        k = [fsum(map(mul, row, z)) for row in self.P]
        q = fsum(map(mul, z, k))
        d = 1.0 + q
        v = [one / d for one in k]
        r = self.residual(z, v)
        most = max(map(abs, z), default=0.0)
        require(q >= 0 and max(map(abs, r), default=0.0) <= most, "floats cannot play it")
        c = fsum(map(mul, k, r)) / d
        steps = [fsum(map(mul, row, r)) - one * c for row, one in zip(self.P, k, strict=True)]
        v = [one + step for one, step in zip(v, steps, strict=True)]
        r = self.residual(z, v)
        require(max(map(abs, r), default=0.0) <= 2.0**-10 * most, "floats cannot play it")
        e = y - fsum((total + rest) * one for (total, rest), one in zip(self.b, v, strict=True))
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, e * e)
        off = self.residue(z, v, r)
        cost = (2.0 * (sqrt(self.squares / self.ridge) * off)) * abs(e)
        self.drift, self.drift_rest = added(self.drift, self.drift_rest, cost)
        term = (y * y) * (fsum(map(mul, z, v)) + 2.0 * (off / sqrt(self.ridge)))
        self.stability, self.stability_rest = added(self.stability, self.stability_rest, term)
        self.step(z, y, k, 1.0 / d)
        return False

    def residue(self, z: list[float], v: list[float], r: list[float]) -> float:
        """Return ‖r‖, and what rounding may have hidden of it."""
        square = [self.A[i][i] + value * value for i, value in enumerate(z)]
        reach = fsum(sqrt(one) * abs(weight) for one, weight in zip(square, v, strict=True))
        return sqrt(fsum(map(mul, r, r))) + 2.0**-49 * (sqrt(fsum(square)) * reach)

    def step(self, z: list[float], y: float, k: list[float], f: float) -> None:
        """Learn: lower P by f k kᵀ, and add z zᵀ to A and y z to b."""
        for i, (row, one) in enumerate(zip(self.P, k, strict=True)):
            self.P[i] = [p - f * (one * other) for p, other in zip(row, k, strict=True)]
            require(self.P[i][i] > 0, "floats cannot play it")
        places = [i for i, value in enumerate(z) if value != 0]
        for i in places:
            for j in places:
                total, rest = self.parts[i][j] = added(*self.parts[i][j], z[i] * z[j])
                self.A[i][j] = total + rest
            self.b[i] = added(*self.b[i], y * z[i])
        self.squares, self.largest = self.squares + y * y, max(self.largest, abs(y))
        self.played += 1

    @property
    def observed(self) -> float:
        """The squared loss."""
        return self.loss + self.loss_rest

    def confirm(self, evidence: Object) -> None:
        """Confirm the loss, and that all of it was computed with such floats."""
        check_floats()
        same = canonical(evidence["loss"]) == canonical(self.observed)
        require(same, f"its loss is not {self.observed}")

    def fingerprint(self) -> str:
        """Return SHA-256 over Σ y², and b and the rows up to it of every feature, ascending."""
        self.work.spend(1000 * len(self.slots) ** 2, "a hash of so many states")
        order = sorted((i % (1 << 64), slot) for i, slot in self.slots.items())
        digest = hashlib.sha256(struct.pack("<d", self.squares))
        for n, (i, slot) in enumerate(order):
            digest.update(struct.pack("<Qdd", i, *self.b[slot]))
            for _, other in order[: n + 1]:
                entry = self.P[slot][other], *self.parts[slot][other]
                digest.update(struct.pack("<ddd", *entry))
        return digest.hexdigest()

    def width(self) -> Fraction:
        """Return Y² Σ ln(1 + Σ x_i²/λ), rounded up."""
        digits, logs = Precision(30), Decimal(0)
        for energy in self.energy.values():
            ratio = Fraction(self.times * energy, 1 << 2 * self.data.grid) / Fraction(self.ridge)
            logs = digits.up.add(logs, digits.of(1 + ratio).ln().high)
        return Fraction(self.largest) ** 2 * Fraction(logs)

    def bound(self, theorem: str) -> float:
        """Evaluate Σ (y − u·x)² + λ‖u‖² + the term of the theorem + rounding."""
        require(self.played <= MOST_REGRESSED, f"it has more than {MOST_REGRESSED} rounds")
        for i in self.u:
            if i not in self.slots:
                raise Refused(f"its w has a weight for feature {i}, which never appears")
        errors = Fraction(self.times * self.errors, 1 << 2 * self.unit)
        square = Fraction(sum(v * v for v in self.u.values()), 1 << 2 * self.fine)
        tight = theorem == "vaw-tight"
        stability = Fraction(self.stability + self.stability_rest) if tight else Fraction(0)
        drift, loss = Fraction(self.drift + self.drift_rest), Fraction(self.observed)
        rounding = drift + drift / (1 << 20) + (loss + stability) / (1 << 49)
        term = stability if tight else self.width()
        return least_float(errors + Fraction(self.ridge) * square + term + rounding)


KINDS += ["real"]
LEARNERS |= {"ForwardRegression": ForwardRegression}
RIDGE = numbers(1 / (1 << 40), float(1 << 40))
PARAMETERS |= {"ForwardRegression": {"ridge": RIDGE} | LINEAR}


# From families/squares.py:
#
# Predictions of numbers: what they lose by squares, against the best fixed weights.

THEOREMS |= {
    "fixed-weights-squared": Theorem(
        "Σ_t (y_t − p_t)² ≤ min_u [Σ_t (y_t − u·x_t)² + ½Σ_i λ_i u_i²] + B, where p_t is the "
        "prediction of row t, y_t its label, a real number, and λ_i = λ·max_t x_{t,i}²",
        assumptions=(WHEN,),
    ),
}


def measure_squared(
    evidence: Object, bound: Json, data: RealData, predictions: Predictions
) -> Measured:
    """Find B = Σ_t (y_t − p_t)² − D, where D is the dual lower bound for c_t = 2(y_t − w·x_t).

    All but the dual is exact: values are whole numbers of units.
    """
    require(predictions.kind == "value", "its predictions are no values")
    fixed = FixedWeights(evidence, data.grid)
    fine = max(fixed.fine + data.grid, data.fine, predictions.grid)  # of labels and scores
    dual, shift = SquaredDual(fine), fine - fixed.fine - data.grid
    own = loss = total = squares = 0
    for (y, (indices, values)), value in zip(data, predictions.numbers(), strict=True):
        x, (label, guess) = (indices, whole(values, data.grid)), whole([y, value], fine)
        fixed.see(x)
        rest = label - (dot(fixed.u, x) << shift)
        dual.take(Fraction(label, 1 << fine), 2 * rest, x)
        own += (label - guess) ** 2
        loss += rest * rest
        total += label
        squares += label * label
    unit = 1 << 2 * fine
    best = Fraction(loss, unit) + fixed.paid()
    mean = Fraction(squares - Fraction(total * total, data.count)) / unit
    return compared(Fraction(own, unit), best, fixed.least(dual), {"baseline": least_float(mean)})


PREDICTION_CLAIMS |= {
    "fixed-weights-squared": PredictionClaim(
        ("predictions", "kind", "penalty", "bias", "w"),
        ("loss", "least", "regret", "baseline"),
        measure_squared,
        reads=RealData,
    ),
}


# From families/still_classes.py:
#
# A mixture of frozen Blends with many classes, such as those of shards.
#
# docs/programs_classes.md defines the program `frozen-mixture-classes/1`. As for two labels, the
# members are read from a model, and named by the hashes of their states.

CLASS_CELL = 6  # numbers of a feature that all classes share
MOST_ROUND_CLASSES = 1 << 40


class FrozenClassBlend(ClassBlend):
    """The hypothesis of Blend: the last state of all its members, mixed by the mean shares."""

    def begin(self, model: Model) -> None:
        """Take the whole state from the arrays of a model."""
        counts, squares = model.counts("counts"), model.reals("squares")
        model.expect(len(counts) == 4 and counts[2] == self.classes, "so many classes")
        model.expect(counts[3] < 2 and len(squares) == 1, "four counts and a sum of squares")
        self.played, self.newton.few, self.squares = counts[1], bool(counts[3]), squares[0]
        self.begin_rate(model, "base_rate", self.base)
        self.begin_rate(model, "recent_rate", self.recent)
        self.shares = self.begin_shares(model, "shares")
        self.mean_shares = self.begin_shares(model, "mean_shares")
        matrix, self.stack.weights = model.reals("stack_matrix"), model.reals("stack_weights")
        sound = len(self.stack.weights) == CLASS_STACKED and len(matrix) == CLASS_STACKED**2
        model.expect(sound, "a stack of seven members")
        rows = range(0, CLASS_STACKED**2, CLASS_STACKED)
        self.stack.A = [matrix[at : at + CLASS_STACKED] for at in rows]
        self.begin_newton(model)
        self.begin_cells(model)

    def begin_rate(self, model: Model, array: str, rate: ClassRate) -> None:
        """Take the counts of a base rate, and their total."""
        found = model.reals(array)
        sound = len(found) == self.classes + 1 and min(found, default=-1.0) >= 0
        model.expect(sound, f"counts of classes for {array!r}")
        *rate.counts, rate.total = found
        rate.logs = [float_log1p(n) for n in rate.counts]

    def begin_shares(self, model: Model, array: str) -> list[float]:
        """Take shares of the members."""
        found = model.reals(array)
        sound = len(found) == CLASS_MEMBERS and min(found, default=-1.0) >= 0 and sum(found) > 0
        model.expect(sound, f"eight shares for {array!r}")
        return found

    def begin_newton(self, model: Model) -> None:
        """Take the features of the Newton member in their order; P has rows to its diagonal."""
        features, matrix = model.counts("newton_features", -1), model.reals("newton_matrix")
        weights, size, C = model.reals("newton_weights"), len(features), self.classes
        sound = len({*features}) == size <= FEW and (self.newton.few or not size)
        sound = sound and len(weights) == size * C and len(matrix) == size * (size + 1) // 2
        model.expect(sound, "the features of the Newton member")
        newton = ClassNewton(C)
        newton.few, newton.slots = self.newton.few, {i: slot for slot, i in enumerate(features)}
        newton.w = [weights[C * slot : C * (slot + 1)] for slot in range(size)]
        lower = [matrix[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(size)]
        newton.P = [
            lower[i] + [lower[j][i] for j in range(i + 1, size)] for i in range(size)
        ]  # it is symmetric
        self.newton = newton

    def begin_cells(self, model: Model) -> None:
        """Take the cell of every feature, the constant one first; m is 0 before it appears."""
        flat, weights, each = model.reals("features"), model.reals("weights"), 4 * self.classes
        count, rest = divmod(len(flat), CLASS_CELL)
        model.expect(rest == 0 and len(weights) == each * count, "numbers for each feature")
        for n in range(count):
            m, r, S, slow, fast, V = flat[CLASS_CELL * n : CLASS_CELL * (n + 1)]
            if m:
                model.expect(m > 0 and r > 0 and min(S, slow, fast, V) >= 0, "sizes above 0")
                cell = self.cells[n - 1] = ClassCell(m, self.classes)
                cell.r, cell.S, cell.slow, cell.fast, cell.V = r, S, slow, fast, V
                cell.w = weights[each * n : each * (n + 1)]
        known = all(i in self.cells for i in self.newton.slots)
        model.expect(known, "features of the Newton member that have appeared")

    def freeze(self) -> None:
        """Become the hypothesis, after the hash of the state was taken."""
        self.shares, self.recent = self.mean_shares, self.base

    def said(self, x: Values) -> list[float]:
        """Return the probability of every class; nothing is learned."""
        parts, _ = self.gather(x)
        found, _ = self.forecast(parts)
        mixed = self.mixed([chances for chances, _ in found])
        total = class_sum(mixed)
        return raised_chances([chance / total for chance in mixed])


def raised_chances(chances: list[float]) -> list[float]:
    """Return probabilities of which none is below that of a score of −30, divided by their sum."""
    require(all(0.0 <= p <= 1.0 for p in chances), "a member gives a class no probability")
    raised = [max(p, CERTAIN) for p in chances]
    total = class_sum(raised)
    return [p / total for p in raised]


def surprise(chances: list[float], y: int) -> float:
    """Return ln(1 + (the chances of all other classes)/that of y)."""
    others = [*chances]
    others[y] = 0.0
    return float_log1p(class_sum(others) / chances[y])


class FrozenClassMixture(LogisticRun):
    """P(j) = Σ π_k p_k(j) with frozen p_k; π_k ∝ e^{−L_k} by Bayes' rule, from equal weights on."""

    theorems: Names = ()
    resumed: Names = ("mixture",)
    evidence: Names = ("loss",)
    transforms = False
    once = True
    many = True
    reads = ClassData
    program = "frozen-mixture-classes/1"

    def __init__(
        self, data: ClassData, classes: int, hypotheses: list[str], hashing: Object | None = None
    ) -> None:
        check_hashing(data, hashing)
        super().__init__(data)
        require(classes == len(data.codes), "its classes are not as many as it says")
        self.classes, self.unseen = classes, classes - len(data.seen)
        self.hashes, self.hashing = hypotheses, hashing
        self.members: list[FrozenClassBlend] = []
        self.losses, self.rests = [0.0] * len(hypotheses), [0.0] * len(hypotheses)
        self.weights = [1.0 / len(hypotheses)] * len(hypotheses)

    def begin(self, model: Model) -> None:
        """Take the members from a model; the weights are equal, whatever they are in the model."""
        for k, stated in enumerate(self.hashes):
            member = FrozenClassBlend(self.class_data, self.classes, self.hashing)
            member.work = self.work  # all of them together
            member.begin(part_of_model(model, k))
            require(member.fingerprint() == stated, f"member {k + 1} of the model is another")
            member.freeze()
            self.members.append(member)

    @property
    def class_data(self) -> ClassData:
        """The rows."""
        assert isinstance(self.data, ClassData)
        return self.data

    def take(self, evidence: Object) -> None:
        """Take the loss, which is what the theorem is about."""
        self.compared, self.dual = True, None

    def measure(self, y: int, x: Values, mistaken: bool, times: int) -> None:
        """Measure nothing: the members' losses are part of the run."""

    def mistaken(self, y: int, x: Values) -> bool:
        """Play a round, and take it into the weights."""
        steps = (10_000 + 900 * len(x[0])) * len(self.members)
        self.work.spend(steps * self.unseen, "a run with so many classes that no row has")
        mixed = [0.0] * self.classes
        for k, (member, weight) in enumerate(zip(self.members, self.weights, strict=True)):
            own = member.said(x)
            mixed = [p + weight * q for p, q in zip(mixed, own, strict=True)]
            cost = surprise(own, y)
            self.losses[k], self.rests[k] = added(self.losses[k], self.rests[k], cost)
        self.loss, self.loss_rest = added(self.loss, self.loss_rest, surprise(mixed, y))
        sums = [total + rest for total, rest in zip(self.losses, self.rests, strict=True)]
        least = min(sums)
        found, total = [float_exp(least - own) for own in sums], 0.0
        for weight in found:
            total = total + weight
        self.weights = [weight / total for weight in found]
        self.played += 1
        return mixed.index(max(mixed)) != y

    def fingerprint(self) -> str:
        """Return SHA-256 over the members' hashes, the rounds, and the members' losses."""
        digest = hashlib.sha256(b"".join(map(bytes.fromhex, self.hashes)))
        digest.update(struct.pack("<Q", self.played))
        digest.update(struct.pack(f"<{2 * len(self.losses)}d", *self.losses, *self.rests))
        return digest.hexdigest()

    def bound(self, theorem: str) -> float:
        """Evaluate the least L_k + ln K + 2⁻⁵²T(C + 40)(K + 32 + L_k)."""
        T, C, K = self.played, self.classes, len(self.members)
        require(T > 0, "it has no round")
        few = T * C <= MOST_ROUND_CLASSES
        require(few, "it has more than 2^40 rounds, each counted once for a class")
        best = Fraction(math.nextafter(min(self.losses), math.inf))
        rounding = Fraction(T * (C + 40), 1 << 52) * (K + 32 + best)
        return least_float(best + rounding + Fraction(Precision(30).of(K).ln().high))


LEARNERS |= {"FrozenClassMixture": FrozenClassMixture}
PARAMETERS |= {
    "FrozenClassMixture": {"classes": integers(2, MOST_CLASSES), "hypotheses": HASHES} | LINEAR
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
