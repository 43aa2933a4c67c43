"""Lines of svmlight text, read as a plain reader in Python reads them.

A pool of odd lines is drawn, and files are made of it that are longer than what a thread parses at
once. They are read from a file by one thread and by several, and from a pipe that hands them over
in pieces that end anywhere. Rows, values and the numbers of bad lines must be those of the reader.
"""

import math
import os
import random
import re
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import novikoff as nv
from novikoff.streams.blocks.block import SparseBlock
from novikoff.streams.stream import Rounds

SMALL = 12
_LONG = 1_300_000  # bytes: three pieces of 2^19, and their ends lie anywhere
_MOST_INDEX = 2**31 - 18
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Entries = list[tuple[int, float]]


@dataclass(frozen=True)
class Line:
    """What a line of text is: a row, a fault, or neither."""

    label: float | str = 0.0
    entries: Entries | None = None
    bad: bool = False


def campaign(size: int, seed: int) -> dict[str, int]:
    """Read ``size`` texts, every third of them long."""
    rows = faults = 0
    for number in range(size):
        draw = random.Random(f"{seed} {number}")
        pool = [drawn_line(draw) for _ in range(40)]
        lines = list(_repeated(draw, pool, _LONG if number % 3 == 0 else 3000))
        text = b"\n".join(lines) + draw.choice((b"\n", b"\r\n", b""))
        known = {line: plain_line(line) for line in {*lines, lines[-1] + b"\r"}}
        read = [known[line] for line in text.removesuffix(b"\n").split(b"\n")]
        for way in ("file", "threads", "pipe"):
            _check(text, read, way, draw, f"text_lines: text {number} of seed {seed}, {way}")
        rows += sum(line.entries is not None for line in read)
        faults += sum(line.bad for line in read)
    return {"texts": size, "rows": rows, "faults": faults}


def _repeated(draw: random.Random, pool: list[bytes], least: int) -> Iterator[bytes]:
    size = 0
    while size < least:
        line = draw.choice(pool)
        size += len(line) + 1
        yield line


def plain_line(line: bytes) -> Line:
    """Read a line without its line end."""
    tokens = [t for t in re.split(rb"[ \t]", line.removesuffix(b"\r").split(b"#")[0]) if t]
    if not tokens:
        return Line()
    word = tokens.pop(0)
    label: float | str | None = _finite(word)
    if re.fullmatch(rb"[a-z][^:,]*", word):  # the name of a class
        label = word.decode()
    if label is None or (isinstance(label, float) and abs(label) > 2**53):
        return Line(bad=True)
    if tokens and tokens[0].startswith(b"qid:") and not re.fullmatch(rb"\d+", tokens.pop(0)[4:]):
        return Line(bad=True)
    found: dict[int, float] = {}
    for token in tokens:
        index, colon, text = token.partition(b":")
        value = _finite(text)
        whole = colon and re.fullmatch(rb"[0-9]+", index) and 1 <= int(index) <= _MOST_INDEX
        if not whole or value is None or int(index) - 1 in found:
            return Line(bad=True)
        found[int(index) - 1] = value
    return Line(label, sorted((j, v) for j, v in found.items() if v))


def _finite(text: bytes) -> float | None:
    """Return what Python's float makes of a decimal, if that is finite."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def drawn_line(draw: random.Random) -> bytes:
    """Draw a line: mostly rows, some of them odd, some of them wrong."""
    if draw.random() < 0.08:
        return draw.choice((b"", b"  \t", b"# 1 1:2", b"\t# x", b"\r"))
    label = draw.choice((b"+1", b"-1", b"1", b"0", b"2.5", b"-3e2", b"1.", b"+0.5", b"12"))
    words = [label] + [b"qid:7"] * (draw.random() < 0.1)
    j = 0
    for _ in range(draw.randint(0, 40)):
        j += draw.choice((1, 1, 1, 2, 9, 1000, 12_345_678))
        words.append(_drawn_index(draw, j) + b":" + _drawn_number(draw))
    if draw.random() < 0.1:
        draw.shuffle(words)  # the label, too: most of these lines are wrong
    gaps = (b" ", b" ", b" ", b" ", b" ", b"  ", b"\t", b" \t ")
    plain = draw.random() < 0.6
    line = b"".join(word + (b" " if plain else draw.choice(gaps)) for word in words)
    line = draw.choice((b"", b"", b"", b" ")) + draw.choice((line, line.rstrip()))
    line += draw.choice((b"", b"", b"", b"# 3:4", b"#", b" # a#b", b"\r"))
    return _bitten(draw, line) if draw.random() < 0.15 else line


def _drawn_index(draw: random.Random, j: int) -> bytes:
    if draw.random() < 0.003:
        return draw.choice((b"0", b"2147483630", b"2147483631", b"4294967297", b"9" * 25, b"-1"))
    return b"0" * (draw.randint(0, 9) if draw.random() < 0.05 else 0) + b"%d" % min(j, _MOST_INDEX)


def _drawn_number(draw: random.Random) -> bytes:
    if draw.random() < 0.5:
        return b"%.*f" % (draw.randint(0, 17), draw.gauss(0, 10 ** draw.randint(0, 6)))
    if draw.random() < 0.5:
        bits = draw.getrandbits(63) % (2047 << 52)
        return repr(struct.unpack("<d", struct.pack("<Q", bits))[0]).encode()
    digits = str(draw.getrandbits(draw.choice((4, 27, 53, 54, 64, 65, 100))))
    at = draw.randint(0, len(digits))
    text = digits[:at] + draw.choice((".", "")) + digits[at:]
    text += draw.choice(("", "", "e5", "E-7", "e+250", "e-340", "e-400", "e0"))
    text += draw.choice(("e400", "x", "_0", "")) if draw.random() < 0.01 else ""
    return (draw.choice(("", "-", "+")) + text).encode()


def _bitten(draw: random.Random, line: bytes) -> bytes:
    """Change, insert or remove a byte."""
    at = draw.randint(0, len(line))
    byte = draw.choice((b":", b".", b"-", b"+", b"e", b" ", b"#", b"7", b"\r", b"", b","))
    return line[:at] + byte + line[at + draw.randint(0, 1) :]


def _check(text: bytes, read: list[Line], way: str, draw: random.Random, where: str) -> None:
    rows = [line for line in read if line.entries is not None]
    bad = [number for number, line in enumerate(read, 1) if line.bad]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.svm"
        if way == "pipe":
            os.mkfifo(path)
            writer = Thread(target=_write_pieces, args=(path, text, draw))
            writer.start()
        else:
            path.write_bytes(text)
        threads = draw.choice((2, 3, 7)) if way == "threads" else 1
        stream = nv.read(path, "svmlight", on_bad="skip", threads=threads)
        found = [row for block in stream.blocks() for row in _rows_of(block)]
        if way == "pipe":
            writer.join()
    assert len(found) == len(rows), f"{where}: rows"
    for got, line in zip(found, rows, strict=True):
        assert line.entries is not None
        expected = (line.label, [(j, v.hex()) for j, v in line.entries])
        assert got == expected, f"{where}: {got} instead of {expected}"
    assert stream.skipped == len(bad), f"{where}: bad lines"
    told = [int(fault.split(":")[1]) for fault in stream.faults]
    assert told == bad[: len(told)], f"{where}: the numbers of bad lines"


def _rows_of(block: Rounds) -> Iterator[tuple[float | str, list[tuple[int, str]]]]:
    assert isinstance(block.rows, SparseBlock)
    for t, label in enumerate(block.labels):
        indices, values = block.rows.row(t)
        pairs = zip(indices.tolist(), values.tolist(), strict=True)
        yield label if isinstance(label, str) else float(label), [(j, v.hex()) for j, v in pairs]


def _write_pieces(path: Path, text: bytes, draw: random.Random) -> None:
    """Write the text into a pipe, in pieces that end anywhere."""
    draw = random.Random(draw.random())
    most = max(len(text) // 40, 60)
    with path.open("wb", buffering=0) as pipe:
        at = 0
        while at < len(text):
            size = draw.randint(1, most)
            pipe.write(text[at : at + size])
            at += size
