"""Certificates of the perceptron and files of data, with the verdict on them."""

import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from exact_claims import STATEMENTS, Rows, canonical, claim, sealed

PLAIN = b"+1 1:0.1 2:0.7\n-1 2:0.3 5:2\n+1 1:1.5\n-1 1:-0.2 5:1e-3\n"
ROWS: Rows = [
    (1, {0: 0.1, 1: 0.7}),
    (-1, {1: 0.3, 4: 2.0}),
    (1, {0: 1.5}),
    (-1, {0: -0.2, 4: 1e-3}),
]
WORDS: Rows = [("spam" if label == 1 else "ham", x) for label, x in ROWS]
SEPARATING = ((0, 1.0), (1, 0.25), (4, -0.5))


class Case(NamedTuple):
    """A certificate and data with the verdict on them; equal data are one file."""

    name: str
    certificate: bytes
    data: bytes
    verdict: str
    why: str


def true_claims() -> Iterator[Case]:
    """Certificates of every kind that it judges, on the same data."""

    def verified(name: str, content: dict[str, Any], why: str, data: bytes = PLAIN) -> Case:
        return Case(name, canonical(content), data, "verified", why)

    yield verified("plain", claim(ROWS), "a true claim")
    for theorem in STATEMENTS:
        content = claim(ROWS, theorem, SEPARATING)
        yield verified(theorem, content, f"a true claim by {theorem}")
        w = ((-1, 0.125), *SEPARATING)
        content = claim(ROWS, theorem, w, bias=0.3, ties="mistake", passes=3)
        yield verified(f"{theorem}-bias", content, "a constant feature, and ties are mistakes")
    yield verified("bias-0", claim(ROWS, bias=-0.0), "a constant feature of 0 is none")
    w = ((-1, 2.0), (7, 1e-3), (10**30, 0.5), (2, -0.0))
    yield verified("far-weights", claim(ROWS, w=w), "weights of features that no row has")
    yield verified("no-weights", claim(ROWS, "run", ()), "w = 0 is a comparator")
    hashing = {"bits": 3, "signed": False}
    yield verified("hashing", claim(ROWS, hashing=hashing), "5 features are at most 2^3")
    yield verified("many-passes", claim(ROWS, passes=10**30), "passes after a clean one are clean")
    reading: dict[str, Any] = {
        "é": [1.0, 1e16, 1e-5, 123456.789, 5e-324, -0.0],
        "": None,
        "\U0001f600": 1,
        "\uff5e": True,
        '"\\\x7f\n\x00': 10**40,
        "\ud800": {"a": {}},
        "a": [],
        "aa": -0.1,
    }
    content = sealed(claim(ROWS) | {"remarks": {"reading": reading}})
    yield verified("remarks", content, "remarks are covered by the digest and not needed")
    yield verified("no-remarks", sealed(claim(ROWS) | {"remarks": {}}), "remarks may be empty")
    content = claim(ROWS)
    text = json.dumps(dict(reversed(content.items())), indent=2, ensure_ascii=False)
    laid_out = b"\xef\xbb\xbf" + text.replace("\n", "\r\n\t").encode()
    yield Case("laid-out", laid_out, PLAIN, "verified", "a file may be laid out otherwise")
    tiny: Rows = [(1, {0: 5e-324, 1: 1e150}), (-1, {0: -1e-300, 1: -3.3e-7})]
    content = claim(tiny, "hinge-tight", ((0, 1e-310), (1, 1e-150)))
    data = b"1 1:5e-324 2:1e150\n-1 1:-1e-300 2:-3.3e-7\n"
    yield verified("extremes", content, "values from one end of the floats to the other", data)


def labels() -> Iterator[Case]:
    """What a label of the data and one of the certificate have to do with each other."""
    for name, positive, data, rows, verdict, why in (
        ("true", True, PLAIN, ROWS, "verified", "true is 1"),
        ("float", 1.0, PLAIN, ROWS, "verified", "1.0 is 1"),
        ("false", False, b"0 1:1\n1 2:1\n", [(0, {0: 1.0}), (1, {1: 1.0})], "verified",
            "false is 0"),
        ("forms", 1, b"01 1:1\n1e0 1:1\n+1.0 1:1\n0.1e1 1:1\n-1 2:1\n",
            [(1, {0: 1.0})] * 4 + [(-1, {1: 1.0})], "verified", "numbers are equal as numbers"),
        ("words", "spam", PLAIN.replace(b"+1 ", b"spam ").replace(b"-1 ", b"ham "), WORDS,
            "verified", "labels may be words"),
        ("odd-words", "é\xa0\x0c\r\x1f",
            "é\xa0\x0c\r\x1f 1:1\n_ 1:1\n\ufeff1 2:1\ninfinite 2:1\n".encode(),
            [("é\xa0\x0c\r\x1f", {0: 1.0}), ("_", {0: 1.0}), ("", {1: 1.0}), ("", {1: 1.0})],
            "verified", "blanks are space and tab only, and all else may be in a word"),
        ("mixed", 1, b"1 1:1\nspam 2:1\n", [(1, {0: 1.0}), ("spam", {1: 1.0})], "verified",
            "words and numbers may be mixed"),
        ("mixed-word", "spam", b"1 1:1\nspam 2:1\n", [(1, {0: 1.0}), ("spam", {1: 1.0})],
            "verified", "words and numbers may be mixed"),
        ("text-of-a-number", "1", PLAIN, ROWS, "verified",
            "the label 1 of a file is a number and not the word \"1\": every row is negative"),
        ("text-taken-for-a-number", "1", PLAIN, [("1" if y == 1 else y, x) for y, x in ROWS],
            "refused", "the label 1 of a file is a number and not the word \"1\""),
        ("absent", "eggs", PLAIN, ROWS, "verified", "the positive label need not occur"),
        ("large", 2**53 - 1, b"9007199254740991 1:1\n-1 1:1\n",
            [(2**53 - 1, {0: 1.0}), (-1, {0: 1.0})], "verified", "a whole number up to 2^53"),
        ("far", 10**400, PLAIN, ROWS, "verified", "no row has a label beyond every float"),
    ):  # fmt: skip
        content = canonical(claim(rows, positive=positive))
        yield Case(f"label-{name}", content, data, verdict, why)


def files() -> Iterator[Case]:
    """Data that can be read, and how."""
    two: Rows = [(1, {0: 0.5}), (-1, {1: 2.0, 2147483629: 1.0})]
    found: list[tuple[str, bytes, Rows, str]] = [
        ("empty", b"", [], "no rows are rows"),
        ("comments", b"# nothing\n\n \t\r\n#1 1:1", [], "lines without a label are no rows"),
        ("crlf", PLAIN.replace(b"\n", b"\r\n")[:-1], ROWS, "one carriage return before a line end"),
        ("bom", b"\xef\xbb\xbf" + PLAIN, ROWS, "a byte order mark at the start"),
        ("qid", b"1 qid:0007 1:.5#qid:x\n-1\tqid:99999999999999999999\t2:2 2147483630:1\n", two,
            "a query's number after the label"),
        ("forms", b"+1# 1:1\n 1.  1:+5.0E-1 #\xff\xfe\n-1 3:-0 2147483630:1. 2:.2e+01 1:1e-400",
            [(1, {}), *two], "numbers of every form; comments of any bytes; zeros dropped"),
        ("bare", b"1\n-1\n", [(1, {}), (-1, {})], "rows may be empty"),
        ("long-numbers", b"1 1:0.%s1e5001\n-1 %s1:0.1%s\n" % (b"0" * 5000, b"0" * 30, b"0" * 900),
            [(1, {0: 1.0}), (-1, {0: 0.1})], "numbers of any length"),
        ("rounding",
            b"1 1:9007199254740993 2:1.7976931348623158e308\n-1 3:2.4703282292062328e-324\n",
            [(1, {0: 2.0**53, 1: sys.float_info.max}), (-1, {2: 5e-324})], "to the nearest float"),
    ]  # fmt: skip
    for name, data, rows, why in found:
        w = ((0, 1.0), (4, -0.5)) if name != "rounding" else ((2, 1e-310),)
        yield Case(f"file-{name}", canonical(claim(rows, w=w)), data, "verified", why)


UNREADABLE = [
    ("nan", b"1 1:nan", "nan is no number"),
    ("infinity", b"1 1:inf", "infinity is no number"),
    ("too-large", b"1 1:1e999", "a value beyond every float"),
    ("rounds-to-infinity", b"1 1:1.7976931348623159e308", "a value beyond every float"),
    ("hexadecimal", b"1 1:0x10", "hexadecimals are no numbers"),
    ("underscore", b"1 1:1_0", "a number has no underscores"),
    ("digits", "1 1:١".encode(), "digits are those of ASCII"),
    ("no-value", b"1 1:", "a value is missing"),
    ("no-digit", b"1 1:.", "a number has a digit"),
    ("half-an-exponent", b"1 1:1e", "an exponent has a digit"),
    ("two-colons", b"1 1:1:1", "an entry has one colon"),
    ("no-index", b"1 :1", "an index is missing"),
    ("index-0", b"1 0:0", "indices are counted from 1"),
    ("index-signed", b"1 +1:1", "an index has no sign"),
    ("index-negative", b"1 -1:1", "an index has no sign"),
    ("index-large", b"1 2147483631:1", "an index beyond the largest"),
    ("index-float", b"1 1.0:1", "an index is whole"),
    ("twice", b"1 1:0.5 2:1 1:0.5", "a feature twice in a row"),
    ("twice-zero", b"1 1:0 1:5", "a zero counts where a feature appears twice"),
    ("bare-word", b"1 1", "an entry has a colon"),
    ("no-label", b"1:1", "a row has a label"),
    ("label-underscore", b"1_0 1:1", "1_0 is no number, and words begin with no digit"),
    ("label-nan", b"NaN 1:1", "nan is no label"),
    ("label-infinity", b"-Infinity 1:1", "infinity is no label"),
    ("label-too-large", b"1e999 1:1", "a label beyond every float"),
    ("label-inexact", b"9007199254740993 1:1", "a whole number beyond 2^53"),
    ("label-inexact-form", b"-90071992547409930e-1 1:1", "a whole number beyond 2^53"),
    ("labels", b"a,b 1:1", "one label"),
    ("label-latin-1", b"\xe9 1:1", "a label is UTF-8"),
    ("label-surrogate", b"\xed\xa0\x80 1:1", "a label is UTF-8"),
    ("label-quoted", b"'a' 1:1", "words begin with a letter or underscore"),
    ("cr", b"1 1:1\r-1 1:1", "a carriage return ends no line"),
    ("crcr", b"1 1:1\r\r", "one carriage return before a line end, and no more"),
    ("form-feed", b"1\x0c1:1", "blanks are space and tab only"),
    ("vertical-tab", b"1 1:1\x0b", "blanks are space and tab only"),
    ("no-break-space", "1 1:1\u00a02:1".encode(), "blanks are space and tab only"),
    ("nul", b"1 1:1\0", "a zero byte is no blank"),
    ("bom-later", b"1 1:1 \xef\xbb\xbf", "a byte order mark is at the start only"),
    ("qid", b"1 qid:x 1:1", "a query has a number"),
    ("qid-empty", b"1 qid: 1:1", "a query has a number"),
    ("qid-later", b"1 1:1 qid:1", "a query stands after the label"),
    ("qid-twice", b"1 qid:1 qid:1 1:1", "a query stands there once"),
]  # fmt: skip


def unreadable() -> Iterator[Case]:
    """Data that cannot be read: no verdict on a true certificate."""
    bzip2 = "a file that begins with BZh is one of bzip2"
    yield Case("unreadable-bzip2", canonical(claim(ROWS)), b"BZh 1:1\n", "unreadable", bzip2)
    for name, line, why in UNREADABLE:
        data = PLAIN + line + b"\n-1 2:1\n"
        yield Case(f"unreadable-{name}", canonical(claim(ROWS)), data, "unreadable", why)
