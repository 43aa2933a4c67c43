"""The verifier of certificates: it trusts nothing in them and nothing of the library.

    python verifier.py certificate.json data.svm        # exit 0: verified, 1: refused, 2: usage,
    python verifier.py certificate.json data.csv LABEL  # 3: data that cannot be read, too much work

It uses the standard library alone. Every number a certificate states is computed again, exactly,
from the data and the comparator: a float is a whole number over a power of two, and so are sums of
products of floats. A certificate is verified when its own digest, the data's digest, the run when
it is played again, the hypotheses of its theorem and the bound, rounded up to a float, are what it
says. Rows are read again for every pass, never kept, and each reading is hashed: all of them must
be the data that the certificate names. docs/certificates.md describes the fields.

The trusted core comes first, and is all that the perceptron takes: the certificate, files of data,
exact arithmetic, Data, Learner and Perceptron, claims about data, check, verify, main. Then come
further parts, for those who want them, which add themselves to STATEMENTS and LEARNERS. The core
works without them:

    progressive             a theorem about every run, in decimals of as many digits as it takes
    MulticlassPerceptron
    Minnow                  sums of exponentials
    KernelPerceptron        takes the sign of such sums from Minnow
    Halving, Elimination    finite classes
    Experts                 weighted majority, Hedge, bandits
    Chain                   sentences: lines `tag index:count …`, an empty line after each sentence
"""

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # modules beside this file must not stand in for the standard library's

import base64
import hashlib
import json
import math
import os
import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial
from itertools import chain, count, pairwise, repeat
from operator import attrgetter, mul
from typing import Any, NamedTuple

FORMAT = "novikoff-certificate/1"
FIELDS = [
    "assumptions", "bound", "data", "evidence", "format", "learner", "mistakes", "sha256",
    "statement", "theorem",
]  # fmt: skip
REMARKS = {"reading"}  # what a certificate may say besides, which is not checked and not needed
STATEMENTS = {
    "novikoff": "M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0",
    "hinge": "M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)",
    "hinge-tight": "M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)",
    "freund-schapire": "M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²",
    "run": "M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²",
    "separable": "y_t w·x_t > 0 for every t",
    "not separable": "Σ_t a_t y_t x_t = 0 with a ≥ 0, a ≠ 0: no w has y_t w·x_t > 0 for every t",
}
ASSUMPTIONS: dict[str, list[str]] = {}  # of theorems that do not always hold
CLAIMS = {"separable": {"w", "bias"}, "not separable": {"rows", "weights", "bias"}}  # evidence

Names = tuple[str, ...]
Row = tuple[str, Any, list[tuple[int, float]]]  # where it is, its label, (index, value) pairs
Rows = Callable[[], Iterable[Row]]
Vector = tuple[list[int], list[int]]  # indices, and values as whole numbers
Weights = dict[int, dict[int, int]]  # {class: {index: weight}}, class 0 alone for two labels


class Refused(Exception):  # noqa: N818
    """Why a certificate is none."""


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
    """Refuse where something does not hold."""
    if not condition:
        raise Refused(reason)


def expect(condition: object, where: str, what: str, got: object) -> None:
    """Say where data are not what they should be."""
    if not condition:
        text = shown(got) if isinstance(got, bytes) else str(got)[:60]
        raise BadData(f"{where}: expected {what}, got {text}")


class Domain(NamedTuple):
    """The values that a parameter of a learner may have, in words and as a test."""

    words: str
    has: Callable[[Any], bool]


Domains = dict[str, Domain]


def one_of(*values: Any) -> Domain:
    """Return the domain of these values."""
    texts = [*map(json.dumps, values)]
    return Domain(" or ".join(texts), lambda value: json.dumps(value) in texts)


def optional(domain: Domain) -> Domain:
    """Return the domain, and null."""
    return Domain(f"null or {domain.words}", lambda v: v is None or domain.has(v))


def numbers(low: float, high: float) -> Domain:
    """Return the floats from low to high, both included."""
    return Domain(f"a float from {low} to {high}", lambda v: type(v) is float and low <= v <= high)


def integers(low: int, high: int) -> Domain:
    """Return the whole numbers from low to high, both included."""
    return Domain(
        f"a whole number from {low} to {high}", lambda v: type(v) is int and low <= v <= high
    )


def record(**fields: Domain) -> Domain:
    """Return the objects with exactly these fields."""

    def has(value: Any) -> bool:
        same = type(value) is dict and value.keys() == fields.keys()
        return same and all(domain.has(value[name]) for name, domain in fields.items())

    return Domain(f"an object of {', '.join(fields)}", has)


LEAST, MOST = math.ulp(0.0), sys.float_info.max  # of the floats above 0
BELOW_1, BELOW_1E100 = math.nextafter(1.0, 0.0), math.nextafter(1e100, 0.0)
VOTERS = (1 << 62) - 1
BIAS = optional(numbers(-MOST, MOST))
BOOLS = one_of(False, True)
# What changes no mistake and no bound: the rows here are the hashed ones, and so on.
INERT = {"hashing", "max_voters", "averaged", "seed", "span", "rewards", "budget"}


def canonical(value: Any) -> bytes:
    """Return the bytes of a value: those of 1, 1.0 and true differ, and NaN has none."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_certificate(text: bytes) -> dict[str, Any]:
    """Read a certificate whose fields and own digest are right."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a key appears twice")
        return dict(pairs)

    content = json.loads(text, object_pairs_hook=once)
    require(isinstance(content, dict) and content.get("format") == FORMAT, f"it is no {FORMAT}")
    remarks = content.get("remarks", {})
    require(
        sorted(content.keys() - {"remarks"}) == FIELDS, f"its fields are not {', '.join(FIELDS)}"
    )
    sound = type(remarks) is dict and remarks.keys() <= REMARKS
    require(sound and all(type(v) is dict for v in remarks.values()), "its remarks are others")
    covered = canonical({name: content[name] for name in content if name != "sha256"})
    require(hashlib.sha256(covered).hexdigest() == content["sha256"], "it has been changed")
    return dict(content)


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


NUMBER = rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
IS_NUMBER = re.compile(NUMBER).fullmatch
IS_NAMED_NUMBER = re.compile(rb"(?i)[-+]?(nan|inf|infinity)").fullmatch
IS_WORD = re.compile(rb"[A-Za-z_\x80-\xff][^:,]*", re.DOTALL).fullmatch
IS_ENTRY = re.compile(rb"0*([0-9]{1,10}):(" + NUMBER + rb")").fullmatch
IS_COUNT = re.compile(rb"0*([0-9]{1,10}):0*([0-9]{1,10})").fullmatch
# What does not make a column of CSV one of text: what looks like a number, and what is missing.
IS_NUMERAL = re.compile(
    rb"(?i)[-+]?([0-9.]+(e[-+]?[0-9]+)?|nan|inf|infinity)|na|n/a|null|\??"
).fullmatch
MOST_INDEX, MOST_COUNT, EXACT = (1 << 31) - 18, (1 << 32) - 1, 1 << 53


LONGEST_LINE = 1 << 28
NO_DELIMITERS = b'"\r\n+-.0123456789eE'


def records(path: str, quoted: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield where each line of a file begins and its bytes without their end, LF or CR LF.

    With `quoted` a line end behind an odd number of quotes is part of its record. An empty line
    follows the last one.
    """
    with open(path, "rb") as file:
        parts: list[bytes] = []
        begin, inside = 1, False
        for place, line in enumerate(chain(file, [b""]), 1):
            packed = place == 1 and line.startswith(b"BZh")
            expect(not packed, f"{path}:1", "plain text", "a file of bzip2")
            parts.append(line.removeprefix(b"\xef\xbb\xbf") if place == 1 else line)
            short = sum(map(len, parts)) <= LONGEST_LINE
            expect(short, f"{path}:{begin}", f"a line of at most {LONGEST_LINE} bytes", "more")
            inside ^= quoted and line.count(b'"') % 2 == 1
            if not inside or not line:
                yield f"{path}:{begin}", b"".join(parts).removesuffix(b"\n").removesuffix(b"\r")
                parts, begin = [], place + 1


def tokens(line: bytes) -> list[bytes]:
    """Return what stands between blanks: spaces and tabs, and nothing else."""
    return [token for token in line.replace(b"\t", b" ").split(b" ") if token]


def shown(text: bytes) -> str:
    """Return some bytes in quotes."""
    return repr(text[:40].decode(errors="backslashreplace"))


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


def label_of(text: bytes, where: str) -> Any:
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


def entries(found: list[bytes], form: str, where: str) -> list[Any]:
    """Return index:value or index:count pairs as (index − 1, value), every index once."""
    is_entry, items = {"index:value": IS_ENTRY, "index:count": IS_COUNT}[form], []
    for token in found:
        match: Any = is_entry(token)
        if not match or not 0 < int(match[1]) <= MOST_INDEX:
            expect(False, where, f"{form}, indices from 1", token)
        items.append((int(match[1]) - 1, match[2]))
    expect(len(dict(items)) == len(items), where, "every feature once", [j + 1 for j, _ in items])
    return items


def read_svmlight(path: str) -> Iterator[Row]:
    """Yield the rows of an svmlight file: label [qid:n] index:value … [# comment]."""
    for where, line in records(path):
        found = tokens(line.partition(b"#")[0])
        if found:
            first, *rest = found
            expect(IS_NUMBER(first) or IS_WORD(first), where, "a label", first)
            label = label_of(first, where)
            if rest and rest[0][:4] == b"qid:" and rest[0][4:].isdigit():
                rest = rest[1:]
            pairs = entries(rest, "index:value", where)
            yield where, label, [(j, number(value, where, known=True)) for j, value in pairs]


def cells(record: bytes, mark: bytes, where: str) -> list[bytes]:
    """Return the cells of a record of CSV, each with quotes around it or none."""
    if b'"' not in record:
        return record.split(mark)
    cell = re.compile(rb'"((?:[^"]++|"")*+)"|[^"' + re.escape(mark) + rb"]*")
    found, at = [], -1
    while at < len(record):
        match: Any = cell.match(record, at + 1)  # nothing, where nothing else
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


def read_csv(
    path: str, label: str | int, mark: bytes = b"", texts: Names = (), ignored: Names = ()
) -> Iterator[Row]:
    """Yield the rows of a CSV file, which has a header unless its label column is a number.

    Where some column holds text, by its first cell or because it is one of `texts`, features are
    named; otherwise they are numbered as their columns.
    """
    rows: Any = (row for row in records(path, quoted=True) if row[1])
    top = next(rows, (f"{path}:1", b""))
    mark = mark or max(b",", b"\t", b";", key=b"".join(top[1].split(b'"')[::2]).count)
    sound = len(mark) == 1 and mark.isascii() and mark not in NO_DELIMITERS
    expect(sound, path, "one character of ASCII as the delimiter, no part of a number", mark)
    names = columns(top, mark, label)
    if isinstance(label, int):
        rows = chain([top] if top[1] else [], rows)
        label = names[label] if -len(names) <= label < len(names) else f"number {label}"
    for name in (label, *texts, *ignored):
        expect(name in names, top[0], f"a column {name!r}", names)
    kinds, known = None, dict[str, int]()
    for where, record in rows:
        row = dict(zip(names, found := cells(record, mark, where), strict=False))
        expect(len(found) == len(names), where, f"{len(names)} cells", len(found))
        y = label_of(row[label], where)
        row = {name: row[name] for name in names if name != label and name not in ignored}
        if kinds is None:
            kinds = {n: n in texts or not IS_NUMERAL(c.strip(b" \t")) for n, c in row.items()}
        yield where, y, features(row, kinds, known, where)


def features(
    row: dict[str, bytes], texts: dict[str, bool], known: dict[str, int], where: str
) -> list[tuple[int, float]]:
    """Return the features of a row of CSV by their columns, or by their names where some are text.

    A name gets its number when it first appears with another value than 0, in a row by its bytes.
    """
    pairs = [
        (f"{name}={decoded(cell, where)}", 1.0) if texts[name]
        else (name, number(cell.strip(b" \t"), where))
        for name, cell in row.items()
    ]  # fmt: skip
    if not any(texts.values()):
        return [(k, value) for k, (_, value) in enumerate(pairs)]
    pairs = [(name, value) for name, value in pairs if value]
    expect(len(dict(pairs)) == len(pairs), where, "every feature once", [n for n, _ in pairs])
    for name in sorted(dict(pairs).keys() - known.keys()):
        known[name] = len(known)
    return [(known[name], value) for name, value in pairs]


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
    """Return the least float that is at least value + √root, infinity where there is none."""
    n, d = root.numerator, root.denominator
    try:
        near = float(value + Fraction(math.isqrt(n * d << 128), d << 64))  # to 64 bits, from below
    except OverflowError:
        return math.inf
    while near < math.inf and (near < value or (Fraction(near) - value) ** 2 < root):
        near = math.nextafter(near, math.inf)
    return near


def above_0(value: Any, name: str, most: float = MOST) -> Fraction:
    """Return a float that must be above 0 and at most so much."""
    sound = type(value) is float and 0 < value <= most
    require(sound, f"its {name} is no float above 0 and up to {most}")
    return Fraction(value)


class Data:
    """Rows as (y, x), read again for every pass, never kept; the constant feature at index −1.

    Every reading is hashed, and must give the digest of the first.
    """

    count = nonzeros = dimension = 0
    width = 0  # one more than the largest index that is named, with a value of 0 too
    digest: str | None = None  # of the first reading

    def __init__(self, rows: Rows, labels: dict[str, Any], bias: float | None) -> None:
        require(labels.keys() in ({"positive"}, {"classes"}), "its labels are not named")
        require(bias is None or type(bias) is float, "its bias is no number")
        self.bias, self.biased, self.many = bias or 0.0, bias is not None, "classes" in labels
        names = labels["classes"] if self.many else [labels["positive"]]
        require(all(type(n) in (str, int, float, bool) for n in names), "its labels are none")
        self.codes: dict[Any, int] = defaultdict(count().__next__)  # classes, as they appear
        if not self.many:
            self.codes = defaultdict(lambda: -1, {names[0]: 1})
        self.rows, self.labels = rows, labels
        self.grid, self.largest, positives = grid([self.bias]), 0.0, 0
        for y, indices, values in self.given():
            self.counted(indices)
            self.count += 1
            self.largest = max(self.largest, abs(self.bias), *map(abs, values))
            self.grid = max(self.grid, grid(values))
            positives += y > 0
        require(not self.many or names == list(self.codes), "the classes are others")
        self.remark = "" if self.many or positives else f"; no row has the label {names[0]!r:.40}"

    def counted(self, indices: list[int]) -> None:
        """Count the values of a row of the first reading."""
        self.nonzeros += len(indices)
        self.dimension = max([self.dimension, *(j + 1 for j in indices[-1:])])

    def same(self, digest: str) -> None:
        """Take the digest of the first reading; that of every other must be the same."""
        if self.digest is None:
            self.digest = digest
        whole = digest == self.digest
        expect(whole, "the data", "the same rows in every reading", "others the second time")

    @property
    def about(self) -> dict[str, Any]:
        """What a certificate says of data, but for the passes."""
        return {
            "digest": self.digest, "rows": self.count, "nonzeros": self.nonzeros,
            "dimension": self.dimension, "labels": self.labels,
        }  # fmt: skip

    def read(self) -> Iterator[Any]:
        """Yield the rows as they are."""
        yield from self.rows()

    def given(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield y, the indices and the values of each row, ascending, without zeros."""
        digest, form = hashlib.sha256(), "<II" if self.many else "<bI"
        for where, label, items in self.read():
            entries = sorted(items)
            places = [j for j, _ in entries]
            odd = [j for j, k in pairwise([-1, *places, 1 << 63]) if j >= k]
            expect(not odd, where, "every feature once, counted from the first", places)
            self.width = max([self.width, *(j + 1 for j in places[-1:])])
            kept = [(j, float(v)) for j, v in entries if v != 0]
            indices, values = [j for j, _ in kept], [v for _, v in kept]
            odd = [v for v in values if not math.isfinite(v)]
            expect(not odd, where, "finite values", odd)
            y = self.codes[label]
            flat = chain.from_iterable(kept)
            digest.update(struct.pack(form + "Qd" * len(kept), y, len(kept), *flat))
            yield y, indices, values
        self.same(digest.hexdigest())

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        places, constant = ([-1], whole([self.bias], self.grid)) if self.bias else ([], [])
        for y, indices, values in self.given():
            yield y, (places + indices, constant + whole(values, self.grid))


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


class Learner:
    """A run that is played again: passes over rounds (y, x), which `mistaken` judges one by one.

    Each class declares what `check_run` needs of it.
    """

    theorems: Names  # that are about it
    evidence: Names = ()  # what the theorems take; "progressive" takes δ
    reads: type[Data] = Data
    many = False  # it has more than two labels
    known = True  # they are known before the first round
    once = False  # it plays one pass
    remark = ""
    data: Any
    mistakes = 0
    observed: Any = property(attrgetter("mistakes"))  # what the bound is about
    mistaken: Callable[[Any, Any], bool]  # judges (y, x), and learns from it
    bound: Callable[[str], float]  # evaluates a theorem on what was measured, rounded up

    def take(self, evidence: dict[str, Any]) -> None:
        """Take the evidence."""

    def rounds(self) -> Iterator[tuple[Any, Any]]:
        """Yield the rounds of a pass."""
        yield from self.data

    def measure(self, y: Any, x: Any, mistaken: bool, times: int) -> None:
        """Measure a round: one of the first pass, which stands for that of all, or a mistake."""

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Play the run, whose mistakes must be those of the transcript, and measure its rounds."""
        self.take(evidence)
        expected = next(transcript, None)
        for number in range(passes):
            before = self.mistakes
            for t, (y, x) in enumerate(self.rounds(), number * self.data.count + 1):
                mistaken = self.mistaken(y, x)
                if mistaken != (t == expected):
                    raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
                if mistaken:
                    expected = next(transcript, None)
                    self.mistakes += 1
                if mistaken or number == 0:
                    self.measure(y, x, mistaken, 0 if number else passes)
            if self.mistakes == before:
                break  # every pass after a clean one is clean
        require(expected is None, "its mistakes go on after the last round")


def checked_parameters(learner: str, stated: Any) -> dict[str, Any]:
    """Return the parameters of a learner, each of which has a value of its domain."""
    domains = PARAMETERS[learner]
    require(type(stated) is dict, "its parameters are none")
    require(stated.keys() == domains.keys(), f"its parameters are not {', '.join(domains)}")
    for name, domain in domains.items():
        require(domain.has(stated[name]), f"its {name} is not {domain.words}")
    return dict(stated)


def replayed(learner: Any, data: Data, parameters: dict[str, Any]) -> Learner:
    """Return the learner before its first round; the bias is in the data."""
    if parameters.get("hashing"):
        most = 1 << parameters["hashing"]["bits"]
        require(data.dimension <= most, f"it is not hashed to {most} features")
    own = {name: v for name, v in parameters.items() if name not in {"bias", *INERT}}
    found: Learner = learner(data, **own)
    return found


LINEAR: Domains = {
    "bias": BIAS,
    "hashing": optional(record(bits=integers(1, 30), signed=BOOLS)),
}
TIES: Domains = {"ties": one_of("positive", "mistake")}


class Perceptron(Learner):
    """A run of w ← w + y x on a mistake, measured by a comparator, all in whole numbers."""

    theorems: Names = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run", "progressive")
    evidence: Names = ("w",)
    separated = "novikoff"  # the one that takes a margin
    step = 1  # the square of an update, over ‖x‖²
    hinge = hinge2 = mistake_hinge = energy = radius2 = 0
    least: Any = math.inf  # of the margins

    def __init__(self, data: Data, ties: str = "positive") -> None:
        self.data, self.strict, self.work = data, ties == "mistake", Work()
        self.weights: dict[int, int] = defaultdict(int)

    def mistaken(self, y: Any, x: Any) -> bool:
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

    def take(self, evidence: dict[str, Any]) -> None:
        """Take the comparator, and the margin asked of it."""
        target = float(above_0(evidence.get("gamma", 1.0), "gamma"))
        finest = grid([target]) - self.data.grid
        fine, self.w = comparator(evidence.get("w", []), self.many, finest)
        self.unit = whole([target], self.data.grid + fine)[0]

    def margin(self, y: Any, x: Any) -> Any:
        """Return y w·x of the comparator."""
        return y * dot(self.w[0], x)

    def square(self, x: Any) -> int:
        """Return the square of what an update adds."""
        return int(self.step * sum(map(mul, x[1], x[1])))

    def norm2(self) -> int:
        """Return ‖w‖² of the comparator."""
        return sum(v * v for column in self.w.values() for v in column.values())

    def measure(self, y: Any, x: Any, mistaken: bool, times: int) -> None:
        """Add a round to the sums."""
        margin, square = self.margin(y, x), self.square(x)
        loss = 0 if margin >= self.unit else self.unit - margin
        if times:
            self.hinge += times * loss
            self.hinge2 += times * loss * loss
            self.least = min(self.least, margin)
        if mistaken:
            self.mistake_hinge += loss
            self.energy += square
        if mistaken or not self.many:
            self.radius2 = max(self.radius2, square)

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem as value + √root, with a = R²‖w‖²."""
        norm2 = self.norm2()
        if theorem == self.separated:
            require(0 < self.least < math.inf, "its w does not separate the data")
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


def comparator(entries: Any, many: bool, finest: int = 0) -> tuple[int, Weights]:
    """Return g ≥ finest and the weights of a comparator times 2^g, which are whole."""
    w = {(k, j): v for k, j, v in (entry if many else (0, *entry) for entry in entries)}
    sound = type(entries) is list and all(type(entry) is list for entry in entries)
    sound = sound and all(type(k) is type(j) is int and k >= 0 and j >= -1 for k, j in w)
    sound = sound and all(type(v) is float for v in w.values())
    require(sound and len(w) == len(entries), "its w is no list of weights, each once")
    g, columns = max(grid(w.values()), finest), defaultdict[int, dict[int, int]](dict)
    for (k, j), v in zip(w, whole(w.values(), g), strict=True):
        columns[k][j] = v
    return g, columns


LEARNERS: dict[str, Any] = {
    "Perceptron": Perceptron, "AveragedPerceptron": Perceptron, "VotedPerceptron": Perceptron,
}  # fmt: skip
PARAMETERS: dict[str, Domains] = {
    "Perceptron": TIES | LINEAR,
    "AveragedPerceptron": TIES | LINEAR,
    "VotedPerceptron": TIES | LINEAR | {"max_voters": optional(integers(1, VOTERS))},
}


def checked_data(reads: type[Data], rows: Rows, about: dict[str, Any], bias: Any) -> Data:
    """Return the data, which are those that a certificate is about."""
    data = reads(rows, about["labels"], bias)
    found = data.about | {"passes": about["passes"]}
    require(canonical(about) == canonical(found), "these are not its data")
    return data


def check_claim(content: dict[str, Any], rows: Rows) -> Verdict:
    """Check what is said about data alone."""
    theorem, evidence, about = content["theorem"], content["evidence"], content["data"]
    require(evidence.keys() == CLAIMS[theorem], "its evidence has other fields")
    return claimed(content, checked_data(Data, rows, about, evidence["bias"]))


def claimed(content: dict[str, Any], data: Data) -> Verdict:
    """Check a w that separates the data, or weights of rows that prove that none does."""
    theorem, evidence = content["theorem"], content["evidence"]
    run = content["learner"], content["mistakes"], content["data"]["passes"]
    require(run == (None, None, None), "it claims a run")
    require(not data.many, "it claims of classes what is said of two labels")
    if theorem == "separable":
        w = comparator(evidence["w"], many=False)[1][0]
        require(all(y * dot(w, x) > 0 for y, x in data), "its w does not separate the data")
    else:
        check_witness(evidence["rows"], evidence["weights"], data)
    return Verdict(True, theorem, None, None, "verified" + data.remark)


def check_witness(rows: list[Any], weights: list[Any], data: Data) -> None:
    """Check that the rows with these weights add up to 0."""
    factors = dict(zip(rows, weights, strict=True))
    positive = all(type(t) is type(a) is int and a > 0 for t, a in factors.items())
    require(positive and len(factors) == len(rows) > 0, "its weights are none")
    total: dict[int, int] = defaultdict(int)
    for t, (y, x) in enumerate(data, 1):
        a = factors.pop(t, 0) * y
        for j, v in zip(*x, strict=True) if a else ():
            total[j] += a * v
    require(not factors and not any(total.values()), "its rows do not add up to 0")


def check_run(content: dict[str, Any], rows: Rows) -> Verdict:
    """Play a run again, and evaluate the theorem on it."""
    learner, parameters = stated_learner(content)
    data = checked_data(learner.reads, rows, content["data"], parameters.get("bias"))
    return concluded(content, played(content, learner, parameters, data))


def stated_learner(content: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the learner that a certificate states, and its parameters."""
    theorem, stated = content["theorem"], content["learner"]
    require(stated.keys() == {"name", "parameters"}, "its learner has other fields")
    require(stated["name"] in LEARNERS, "its learner is not one of those verified here")
    learner = LEARNERS[stated["name"]]
    parameters = checked_parameters(stated["name"], stated["parameters"])
    require(theorem in learner.theorems, "its theorem is not about this learner")
    fields = ["delta"] if theorem == "progressive" else learner.evidence
    require(content["evidence"].keys() == {*fields}, "its evidence has other fields")
    return learner, parameters


def played(
    content: dict[str, Any], learner: Any, parameters: dict[str, Any], data: Data
) -> Learner:
    """Play the run of a certificate again, on data that were read once."""
    passes, transcript = content["data"]["passes"], content["mistakes"]
    require(type(passes) is int and passes > 0, "its passes are no number")
    require(data.many == learner.many, "its labels are others")
    require(passes == 1 or not learner.once, "it is no run of one pass")
    run = replayed(learner, data, parameters)
    require(content["theorem"] in run.theorems, "its theorem is not about this learner")
    run.play(passes, content["evidence"], unpacked(transcript["rounds"]))
    return run


def concluded(content: dict[str, Any], run: Learner) -> Verdict:
    """Evaluate the theorem of a certificate on its run, which was played again."""
    theorem, evidence, transcript = content["theorem"], content["evidence"], content["mistakes"]
    counted = {"count": run.mistakes, "rounds": transcript["rounds"]}
    require(canonical(transcript) == canonical(counted), "it miscounts its mistakes")
    expected = canonical(evidence.get("expected", run.observed))
    require(expected == canonical(run.observed), f"it expects {run.observed}")
    if theorem == "progressive":
        one = content["data"]["passes"] == 1 and run.data.count > 0
        require(one, "the rounds of later passes are not fresh")
        require(run.known, "its tags are not known before the first round")
        bound = progressive_bound(run.data, run.mistakes, evidence["delta"])
    else:
        bound = run.bound(theorem)
        require(bound < math.inf, "the bound is beyond every float")
        require((run.observed or 0) <= bound, "it refutes its theorem")  # which cannot be
    return Verdict(True, theorem, run.observed, bound, "verified" + run.data.remark + run.remark)


def check(content: dict[str, Any], rows: Rows) -> Verdict:
    """Return the verdict on a content whose bound is the one found, or raise what is wrong."""
    theorem = content["theorem"]
    require(theorem in STATEMENTS, "its theorem is not one of those verified here")
    require(content["statement"] == STATEMENTS[theorem], "its statement is another")
    require(content["assumptions"] == ASSUMPTIONS.get(theorem, []), "its assumptions are others")
    return check_claim(content, rows) if theorem in CLAIMS else check_run(content, rows)


def verify(text: bytes, rows: Rows) -> Verdict:
    """Verify a certificate on the rows it speaks of."""
    theorem = None
    try:
        content = read_certificate(text)
        theorem = content["theorem"] if isinstance(content["theorem"], str) else None
        found = check(content, rows)
        same = canonical(content["bound"]) == canonical(found.bound)
        require(same, f"its bound is not {found.bound}")
    except Refused as refusal:
        return Verdict(False, theorem, None, None, str(refusal))
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
    ) as error:  # fmt: skip
        reason = f"it is not made as a certificate is: {type(error).__name__} {error}"
        return Verdict(False, theorem, None, None, reason[:200])
    except MemoryError:
        raise TooLarge("the certificate: its run takes more memory than there is") from None
    return found


def reader(text: bytes, path: str, words: list[str]) -> Rows:
    """Return what reads the data: CSV where a column of labels is named, sentences of tags.

    A column that is a number is that of a file without a header; how else a file is to be read may
    follow it: delimiter=MARK, categorical=COLUMN and ignore=COLUMN, these as often as it takes.
    """
    try:
        tagged = "tags" in json.loads(text)["data"]["labels"]
    except (LookupError, RecursionError, TypeError, ValueError):
        tagged = False  # no certificate, which is refused whatever the data are
    if tagged or not words:
        return partial(read_sentences if tagged else read_svmlight, path)
    label, *options = words
    given = [option.partition("=")[::2] for option in options]
    return partial(
        read_csv, path, int(label) if re.fullmatch("-?[0-9]{1,9}", label) else label,
        mark=b"".join(os.fsencode(value) for name, value in given if name == "delimiter"),
        texts=tuple(value for name, value in given if name == "categorical"),
        ignored=tuple(value for name, value in given if name == "ignore"),
    )  # fmt: skip


def main(arguments: list[str]) -> int:
    """Verify a certificate file on a data file."""
    certificate, path, *words = arguments if len(arguments) > 1 else ("", "")
    options = ("delimiter=", "categorical=", "ignore=")
    if not certificate or not all(word.startswith(options) for word in words[1:]):
        print("usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN")
        return 2
    try:
        expect(os.path.isfile(path), path, "a regular file, which is read several times", "none")
        with open(certificate, "rb") as file:
            text = file.read()
        verdict = verify(text, reader(text, path, words))
    except (BadData, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(verdict._asdict()))
    return 0 if verdict.verified else 1


STATEMENTS |= {
    "progressive": (
        "with probability ≥ 1 − δ the mean error of the hypotheses of the T rounds is at most "
        "min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), Λ = {2^(3 − j/2) : j = 0..33}"
    ),
}
ASSUMPTIONS |= {
    "progressive": [
        "the rounds are independent draws from one distribution",
        "learner, class, parameters and δ were chosen before the data were seen",
    ]
}


class Precision:
    """Decimals of so many digits, rounded down and rounded up, with exponents of any size."""

    def __init__(self, digits: int) -> None:
        self.down, self.up = (
            Context(prec=digits, rounding=way, Emax=10**17, Emin=-(10**17), traps=[])
            for way in (ROUND_FLOOR, ROUND_CEILING)
        )

    def of(self, value: Any) -> "Enclosure":
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

    def ends(self, down: Any, up: Any, other: "Enclosure") -> "Enclosure":
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


def settled(enclosure: Callable[[Precision], Enclosure], settle: Callable[[Decimal], Any]) -> Any:
    """Return what both ends of an enclosure settle on when it has enough digits."""
    for digits in DIGITS:
        found = enclosure(Precision(digits))
        if found.low.is_finite() and found.high.is_finite():
            low, high = settle(found.low), settle(found.high)
            if low == high:
                return low
    raise TooLarge("the certificate: it takes more than 5000 digits to decide")


def least_float_above(value: Decimal) -> float:
    """Return the least float that is at least a decimal, infinity where there is none."""
    if value > Decimal("1e400"):
        return math.inf
    if abs(value) < Decimal("1e-400"):  # as a fraction it might take more memory than there is
        return LEAST if value > 0 else 0.0
    return least_float(Fraction(value))


def rounded_up(formula: Callable[[Precision], Enclosure]) -> float:
    """Return the least float that is at least the value of a formula."""
    return float(settled(formula, least_float_above))


def progressive_bound(data: Data, mistakes: int, delta: Any) -> float:
    """Evaluate min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), or 1."""
    share = 34 / above_0(delta, "delta", BELOW_1)
    # With classes the first round is judged when its own is known: it counts as a mistake here.
    made = min(data.count, mistakes + data.many)

    def least(digits: Precision) -> Enclosure:
        found = []
        for rate in (digits.of(Fraction(2) ** (6 - j)).sqrt() for j in range(34)):
            mass = rate * made + digits.of(share).ln()
            found.append((1 - (-mass / data.count).exp()) / (1 - (-rate).exp()))
        return Enclosure(digits, min(f.low for f in found), min(f.high for f in found))

    return min(1.0, rounded_up(least))


class MulticlassPerceptron(Perceptron):
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the class seen first."""

    many = True
    step = 2

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self.columns: list[dict[int, int]] = []

    def mistaken(self, y: Any, x: Any) -> bool:
        """Judge the first best of the classes seen, this round's among them, against y."""
        if y == len(self.columns):
            self.columns.append(defaultdict(int))
        scores = [dot(w, x) for w in self.columns]
        best = scores.index(max(scores))
        for j, v in zip(*x, strict=True) if best != y else ():
            self.columns[y][j] += v
            self.columns[best][j] -= v
        return bool(best != y)

    def margin(self, y: Any, x: Any) -> Any:
        """Return by how much the right class scores above every other."""
        scores = [dot(self.w[k], x) for k in range(len(self.data.codes))]
        return scores.pop(y) - max(scores, default=0)


LEARNERS |= {"MulticlassPerceptron": MulticlassPerceptron}
PARAMETERS |= {"MulticlassPerceptron": LINEAR}

STATEMENTS |= {
    "minnow": "M ≤ ‖w‖₁ ln d/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where y_t w·x_t ≥ γ > 0 for every t",
    "minnow-hinge": (
        "M ≤ (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where L = Σ_t max(0, γ − y_t w·x_t)"
    ),
}


def sign_of_exponentials(terms: dict[Fraction, int], work: Work) -> int:
    """Return the sign of Σ c e^a, 0 only where there is no term (Lindemann, Weierstrass)."""
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

    def __init__(self, data: Data, eta: float) -> None:
        super().__init__(data)
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
        d = max(1, data.dimension + (data.bias != 0)) * (2 if self.balanced else 1)
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
    small = 200  # the unit of an exponential is 2^−200

    def __init__(self, data: Data, ties: str, kernel: dict[str, Any]) -> None:
        super().__init__(data, ties)
        self.supports: dict[Any, tuple[Point, int]] = {}
        self.exponentials: dict[int, tuple[int, int]] = {}  # by distance
        self.radial = kernel["name"] == "rbf"
        self.degree: int = kernel.get("degree", 1)
        require(not (self.radial and data.biased), "its bias is not null, with rbf")
        value = kernel["gamma" if self.radial else "c"]
        if self.radial:
            self.rate, self.bits = Fraction(value) / (1 << 2 * data.grid), self.small
        else:
            self.fine = max(2 * data.grid, grid([value]))
            self.shift, self.bits = whole([value], self.fine)[0], self.fine * self.degree

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
        """Return at most Σ a K(z, x), and just that where K is a whole number."""
        pairs = [(a, self.enclosed(z, x)) for a, z in terms]
        return sum(a * (low if a > 0 else high) for a, (low, high) in pairs)

    def learn(self, y: int, x: Vector) -> None:
        """Add y φ(x) to w."""
        key = (tuple(x[0]), tuple(x[1]))
        point, a = self.supports.get(key, (point_of(x), 0))
        self.supports[key] = point, a + y

    def score(self, x: Vector) -> int:
        """Return Σ a K(z, x), or its sign: where distances differ it is not 0, as in Minnow."""
        terms = [(a, z) for z, a in self.supports.values() if a]
        if not self.radial:
            return self.total(terms, x)
        sums: dict[int, int] = defaultdict(int)
        for a, z in terms:
            sums[self.distance(z, x)] += a
        return sign_of_exponentials({-d * self.rate: a for d, a in sums.items() if a}, self.work)

    def take(self, evidence: dict[str, Any]) -> None:
        """Take the comparator Σ a φ(x), its rows counted from 1."""
        entries = evidence.get("a", [])
        rows = dict(entries)
        sound = type(entries) is list
        sound = sound and all(type(t) is int and type(a) is float for t, a in rows.items())
        require(sound and len(rows) == len(entries), "its a is no list of weights, each once")
        found = {t: point_of(x) for t, (_, x) in enumerate(self.data, 1) if t in rows}
        require(len(found) == len(rows), "its a has rows that are none")
        g, ordered = grid(rows.values()), sorted(rows)
        weights = whole([rows[t] for t in ordered], g)
        self.terms = [(a, found[t]) for t, a in zip(ordered, weights, strict=True)]
        self.unit = 1 << (g + self.bits)

    def margin(self, y: Any, x: Any) -> Any:
        """Return at most y w·φ(x) of the comparator."""
        return self.total([(y * a, z) for a, z in self.terms], x)

    def square(self, x: Any) -> int:
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
PARAMETERS |= {"KernelPerceptron": TIES | LINEAR | {"kernel": KERNELS, "budget": one_of(None)}}

STATEMENTS |= {
    "consistent": "M ≤ |H| − 1 where some h in H has every label",
    "halving": "M ≤ ⌊lg |H|⌋ where some h in H has every label",
    "littlestone": "M ≤ Ldim(H) where some h in H has every label",
    "iterated-halving": "M ≤ (⌊lg |H|⌋ + 1)·m + ⌊lg |H|⌋ where m are the mistakes of the best h",
    "elimination": "M ≤ d, or d + 1 with negations, where some disjunction has every label",
}


def texts(value: Any) -> bool:
    """Say whether a value is a list of texts, each once and at least one."""
    sound = type(value) is list and all(type(text) is str for text in value)
    return sound and len({*value}) == len(value) > 0


def is_class(value: Any) -> bool:
    """Say whether a value is a table of signs, each row once, and what its points are called."""
    if not (type(value) is dict and value.keys() == {"cube", "points", "table"}):
        return False
    table, cube, names = value["table"], value["cube"], value["points"]
    if not (texts(table) and len({*map(len, table)}) == 1 and not "".join(table).strip("+-")):
        return False
    width = len(table[0])
    cubic = cube is None or (type(cube) is int and 0 <= cube < 64 and width == 1 << cube)
    return width > 0 and cubic and (names is None or (texts(names) and len(names) == width))


class Finite(Learner):
    """A learner on points: a row is one by its vector, on a cube, or by where its single 1 is."""

    cube: int | None

    def rounds(self) -> Iterator[tuple[int, int]]:
        """Yield the label and the point of each row."""
        for y, (indices, values) in self.data:
            single = self.cube is not None or len(indices) == 1
            require(single and all(v == 1 << self.data.grid for v in values), "a row is no point")
            yield y, indices[0] if self.cube is None else sum(1 << j for j in indices)


class Halving(Finite):
    """Keeps of H what is consistent with every label, one bit a hypothesis; predicts as most do."""

    theorems: Names = ("halving", "progressive")
    again = False  # it begins with H again where nothing is left

    def __init__(self, data: Data, H: dict[str, Any]) -> None:
        table, cube = H["table"], H["cube"]
        self.data, self.cube, self.width = data, cube, len(table[0])
        require(data.dimension <= (self.width if cube is None else cube), "a row is no point")
        signs = ("".join(column)[::-1] for column in zip(*table, strict=True))
        self.columns = [int(s.replace("+", "1").replace("-", "0"), 2) for s in signs]
        self.size, self.all = len(table), (1 << len(table)) - 1
        self.left = self.all
        self.counts: dict[tuple[int, int], int] = defaultdict(int)  # of rounds

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

    def __init__(self, data: Data, H: dict[str, Any]) -> None:
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


class Elimination(Finite):
    """Drops the literals that are true where the label is −1; predicts whether one is left."""

    theorems = ("elimination", "progressive")

    def __init__(self, data: Data, d: int, monotone: bool) -> None:
        require(data.dimension <= d, f"a row has more than {d} features")
        self.data, self.d, self.monotone, self.cube = data, d, monotone, d
        self.dropped: set[int] = set()  # x_j that are no literals any more
        self.negated: frozenset[int] | None = None  # the ¬x_j that are still some; None for all
        self.positives: set[frozenset[int]] = set()

    def rounds(self) -> Iterator[tuple[int, Any]]:
        """Yield the label of each row, and where its ones are."""
        for y, (indices, values) in self.data:
            require(all(v == 1 << self.data.grid for v in values), "a row is no point")
            yield y, frozenset(indices)

    def true(self, x: frozenset[int]) -> bool:
        """Say whether a literal that is left is true at x."""
        negations = self.d if self.negated is None else len(self.negated)
        false = len(x) if self.negated is None else len(x & self.negated)
        return not x <= self.dropped or (not self.monotone and false < negations)

    def mistaken(self, y: int, x: Any) -> bool:
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
    name: {"H": Domain("a table of signs, each row once, with its points", is_class)}
    for name in ("Consistent", "Halving", "StandardOptimal", "IteratedHalving")
}
PARAMETERS |= {"Elimination": {"d": integers(1, 1 << 24), "monotone": BOOLS}}


STATEMENTS |= {
    "weighted-majority": "M ≤ (m* ln(1/β) + ln N)/ln(2/(1 + β)), m* those of the best expert",
    "randomized-weighted-majority": (
        "E[M] ≤ (L* ln(1/β) + ln N)/(1 − β), L* the losses of the best expert"
    ),
    "hedge": "Σ_t p_t·l_t − L* ≤ (ln N)/η + ηT/8 where p_t ∝ e^{−ηL}, L* the least of L",
    "hedge-anytime": (
        "Σ_t p_t·l_t − L* ≤ 2√(T ln N/2) + √(ln N/8) where p_t ∝ e^{−η_t L}, η_t = √(8 ln N/t)"
    ),
    "exp3": "in expectation, regret ≤ √(2TK ln K) for a known T, and ≤ 2√(TK ln K) at any T",
    "exp3ix": (
        "with probability ≥ 1 − δ, regret ≤ 2√(2KT ln K) + (√(2KT/ln K) + 1) ln(2/δ) for a known "
        "T, and ≤ 4√(KT ln K) + (2√(KT/ln K) + 1) ln(2/δ) at any T"
    ),
    "exp3p": (
        "with probability ≥ 1 − δ, regret ≤ 5.15√(TK ln(K/δ)) for a known T, and "
        "≤ Σ_r 5.15√(2^r K ln(K(r + 1)(r + 2)/δ)) over 2^r ≤ T at any T"
    ),
}
DRAWN = "the learner drew with the probabilities it states"
CHOSEN = "its parameters, its seed and δ were chosen without knowledge of the losses"
OBLIVIOUS = "no loss depended on its draws"
ASSUMPTIONS |= {"hedge": [DRAWN, CHOSEN], "hedge-anytime": [DRAWN, CHOSEN]} | {
    theorem: [DRAWN, CHOSEN, OBLIVIOUS]
    for theorem in ("randomized-weighted-majority", "exp3", "exp3ix", "exp3p")
}


class Experts(Learner):
    """N experts or arms: rows of losses in [0, 1], or of advice ±1 with an outcome, losses 0 or 1.

    Only the losses are measured; what a learner drew is not known here. Losses of 0 are left out.
    """

    evidence: Names = ("rows",)
    once = True
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

    def take(self, evidence: dict[str, Any]) -> None:
        """Take what the rows are."""
        require(evidence["rows"] in ("losses", "advice"), "its rows are no losses and no advice")
        self.advised = evidence["rows"] == "advice"

    def rounds(self) -> Iterator[tuple[int, dict[int, Any]]]:
        """Yield the outcome and the losses above 0 of every round."""
        for y, indices, values in self.data.given():
            if self.advised:
                require(len(indices) == self.size, "a row is no advice of all experts")
                require({-1.0, 1.0} >= set(values), "a row is no advice of −1 and +1")
                yield y, {i: 1 for i, v in enumerate(values) if v != y}
            else:
                require(0 < min(values, default=1) <= max(values, default=1) <= 1, "no loss")
                yield y, dict(zip(indices, map(Fraction, values), strict=True))

    def mistaken(self, y: int, losses: dict[int, Any]) -> bool:
        """Judge no draw."""
        return False

    def measure(self, y: int, losses: dict[int, Any], mistaken: bool, times: int) -> None:
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

    def mistaken(self, y: int, losses: dict[int, Any]) -> bool:
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
    observed = property(lambda self: self.expected(self.best))

    def __init__(self, data: Data, experts: int, eta: Any, horizon: Any) -> None:
        super().__init__(data, experts)
        require(eta is None or horizon is None, "it has two rates")
        self.eta = None if eta is None else Fraction(eta)
        self.horizon: int | None = horizon
        self.theorems = self.theorems[-1:] if eta is horizon is None else self.theorems[:1]
        self.played, self.digits = 0, Precision(60)
        self.charged = self.digits.of(0)

    def rate(self, log: Enclosure) -> Enclosure:
        """Return η_t."""
        if self.eta is not None:
            return log.digits.of(self.eta)
        return (8 * log / (self.horizon or self.played)).sqrt()

    def measure(self, y: int, losses: dict[int, Any], mistaken: bool, times: int) -> None:
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

    def expected(self, less: Any) -> float:
        """Return Σ_t p_t·l_t, less some, rounded up."""
        return least_float(Fraction(self.charged.high) - less)

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (ln N)/η + ηT/8, or 2√(T ln N/2) + √(ln N/8)."""
        T: int = self.data.count
        if self.theorems == ("hedge",):
            return log / self.rate(log) + self.rate(log) * T / 8
        return 2 * (T * log / 2).sqrt() + (log / 8).sqrt()


class RandomizedWeightedMajority(Hedge):
    """p_t ∝ β^L."""

    theorems = ("randomized-weighted-majority",)
    observed = property(lambda self: self.expected(0))

    def __init__(self, data: Data, experts: int, beta: float) -> None:
        super().__init__(data, experts, None, None)
        self.beta = Fraction(beta)

    def rate(self, log: Enclosure) -> Enclosure:
        """Return ln(1/β)."""
        return -log.digits.of(self.beta).ln()

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate (L* ln(1/β) + ln N)/(1 − β)."""
        return (self.best * self.rate(log) + log) / (1 - self.beta)


class Exp3(Experts):
    """What holds in expectation over the draws of a bandit."""

    theorems: Names = ("exp3",)
    observed = None
    remark = "; it speaks of the learner's draws in general, not of those of one run"

    def __init__(self, data: Data, arms: int, horizon: Any) -> None:
        super().__init__(data, arms)
        self.horizon: int | None = horizon
        self.T: int = horizon or data.count
        require(self.T >= data.count > 0, "it goes on after its horizon")
        self.scale = (4 if horizon is None else 2) * self.T * arms

    def formula(self, log: Enclosure) -> Enclosure:
        """Evaluate √(2TK ln K), or √(4TK ln K)."""
        return (self.scale * log).sqrt()


class Exp3IX(Exp3):
    """What holds with probability 1 − δ, for a δ of the evidence."""

    theorems = ("exp3ix",)
    evidence = ("rows", "delta")

    def take(self, evidence: dict[str, Any]) -> None:
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

    def __init__(self, data: Data, arms: int, delta: Any, **others: Any) -> None:
        super().__init__(data, arms, **others)
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
DRAWS: Domains = {  # losses are not rescaled, and no constant is among them
    "seed": integers(0, (1 << 64) - 1), "span": one_of([0.0, 1.0]), "rewards": one_of(False),
    "bias": one_of(None),
}  # fmt: skip
LEARNERS |= {
    "WeightedMajority": WeightedMajority, "RandomizedWeightedMajority": RandomizedWeightedMajority,
    "Hedge": Hedge, "Exp3": Exp3, "Exp3IX": Exp3IX, "Exp3P": Exp3P,
}  # fmt: skip
PARAMETERS |= {
    "WeightedMajority": {"experts": SIZE, "beta": BETA, "bias": one_of(None)},
    "RandomizedWeightedMajority": {"experts": SIZE, "beta": BETA} | DRAWS,
    "Hedge": {"experts": SIZE, "eta": optional(numbers(LEAST, 1e6)), "horizon": HORIZON} | DRAWS,
    "Exp3": {"arms": SIZE, "horizon": HORIZON} | DRAWS,
    "Exp3IX": {"arms": SIZE, "horizon": HORIZON} | DRAWS,
    "Exp3P": {"arms": SIZE, "delta": DELTA, "horizon": HORIZON} | DRAWS,
}

STATEMENTS |= {
    "structured": (
        "M ≤ R²‖w‖²/δ² where w·(Φ(x_t, y_t) − Φ(x_t, z)) ≥ δ > 0 for every t and z ≠ y_t, R the "
        "largest ‖Φ(x, y) − Φ(x, ŷ)‖ of the updates"
    )
}

Positions = list[Vector]  # of a sentence: the features of each position, and how often


def read_sentences(path: str) -> Iterator[Any]:
    """Yield the sentences of a file: tag index:count … a position, an empty line after the last."""
    tags: list[str] = []
    items: list[Any] = []
    first = ""
    for where, line in records(path):
        found = tokens(line)
        if found:
            first = first or where
            tags.append(decoded(found[0], where))
            pairs = [(j, int(v)) for j, v in entries(found[1:], "index:count", where)]
            sound = all(0 < v <= MOST_COUNT for _, v in pairs)
            expect(sound, where, f"counts from 1 to {MOST_COUNT}", [v for _, v in pairs])
            items.append(pairs)
        elif tags:
            yield first, tags, items
            first, tags, items = "", [], []


class Sentences(Data):
    """Sentences as (tags, positions), read again for every pass; every value is a count."""

    many, bias, biased, grid, remark = True, 0.0, False, 0, ""

    def __init__(self, rows: Rows, labels: dict[str, Any], bias: None = None) -> None:
        require(labels.keys() == {"tags"}, "its tags are not named")
        names = labels["tags"]
        sound = type(names) is list and {*map(type, names)} <= {str}
        require(sound and len(set(names)) == len(names), "its tags are none")
        self.codes = {name: k for k, name in enumerate(names)}
        self.rows, self.labels = rows, labels
        self.positions, self.met = 0, dict[int, None]()  # the tags that appear, in their order
        for tags, positions in self:
            self.count += 1
            self.positions += len(tags)
            self.met |= dict.fromkeys(tags)
            for indices, _ in positions:
                self.counted(indices)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        digest = hashlib.sha256()
        for where, tags, sentence in self.read():
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


class Chain(Perceptron):
    """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake; ties to the lowest tags, from the last to the first.

    w[tag][j] weighs feature j at a position of this tag; beyond the features, j is that of the
    sentence's start, and then those of each tag before.
    """

    theorems = ("structured", *Perceptron.theorems[1:])
    separated = "structured"
    reads, many = Sentences, True

    def __init__(self, data: Any, problem: dict[str, Any]) -> None:
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
        self.columns = [defaultdict[int, int](int) for _ in data.codes]

    def items(self, y: list[int], x: Positions) -> Iterator[tuple[int, int, int]]:
        """Yield (tag, index, count) of Φ(x, y)."""
        for before, tag, (indices, counts) in zip([-1, *y], y, x, strict=False):
            yield tag, self.data.dimension + before + 1, 1
            yield from zip(repeat(tag), indices, counts, strict=False)

    def best(self, w: Any, x: Positions, tags: int, count: int) -> list[tuple[int, list[int]]]:
        """Return the best outputs of a sentence with their scores."""
        first = self.data.dimension
        ends: list[list[tuple[int, Any]]] = [[(0, (-1, None))]]  # by the last tag, best first
        for position in x:
            known = list(chain.from_iterable(ends))
            scores = [dot(w[k], position) for k in range(tags)]
            ends = [
                sorted(
                    [(c - scores[k] - w[k].get(first + z[0] + 1, 0), (k, z)) for c, z in known],
                    key=lambda found: found[0],  # of equal ones the first stays the first
                )[:count]
                for k in range(tags)
            ]
        outputs = []
        for cost, end in sorted(chain.from_iterable(ends), key=lambda found: found[0])[:count]:
            z, path = end, []
            while z[0] >= 0:
                path.append(z[0])
                z = z[1]
            outputs.append((-cost, path[::-1]))
        return outputs

    def mistaken(self, y: Any, x: Any) -> bool:
        """Judge the best output over the tags seen, this round's among them, against y."""
        self.seen = max([self.seen, *(tag + 1 for tag in y)])
        _, z = self.best(self.columns, x, self.seen, 1)[0]
        step: dict[tuple[int, int], int] = defaultdict(int)
        for sign, output in ((1, y), (-1, z)):
            for tag, j, v in self.items(output, x):
                step[tag, j] += sign * v
        for (tag, j), v in step.items():
            self.columns[tag][j] += v
        self.step = sum(v * v for v in step.values())
        return bool(z != y)

    def margin(self, y: Any, x: Any) -> Any:
        """Return by how much y scores above every other output; infinite without another."""
        score = sum(self.w[tag].get(j, 0) * v for tag, j, v in self.items(y, x))
        others = [s for s, z in self.best(self.w, x, self.all, 2) if z != y]
        return score - others[0] if others else math.inf

    def square(self, x: Any) -> int:
        """Return ‖Φ(x, y) − Φ(x, ŷ)‖² of the round last played."""
        return self.step


TEXT = Domain("a text", lambda value: type(value) is str)
TEXTS = optional(Domain("a list of texts, each once", texts))
CHAIN = record(kind=one_of("Chains"), templates=optional(TEXT), columns=TEXTS, tags=TEXTS)
# Templates, of the columns of a token, are how the features of the rows here were made.
CHAINS = Domain(
    CHAIN.words,
    lambda value: CHAIN.has(value) and (value["templates"] is None) == (value["columns"] is None),
)
LEARNERS |= {"StructuredPerceptron": Chain}
PARAMETERS |= {"StructuredPerceptron": {"problem": CHAINS, "averaged": BOOLS}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
