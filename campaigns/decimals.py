"""Decimals in svmlight text: each becomes the float that Python reads, bit for bit.

Lines are long enough for the loop that reads plain entries many bytes at a time, and mix plain
decimals with others, so that both ways of reading take turns.
"""

import math
import random
import struct
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import novikoff as nv
from novikoff.streams.blocks.block import SparseBlock

SMALL = 40_000
_PER_LINE = 60


def campaign(size: int, seed: int) -> dict[str, int]:
    """Read ``size`` decimals of every form, and compare each with Python's float."""
    draw = random.Random(seed)
    texts = [draw.choice(FORMS)(draw) for _ in range(size)]
    found = values_of(texts)
    wrong = 0
    for text, got in zip(texts, found, strict=True):
        expected = float(text)
        wrong += struct.pack("<d", got) != struct.pack("<d", expected or 0.0)
    assert wrong == 0
    return {"decimals": size, "wrong": wrong}


def values_of(texts: list[str]) -> list[float]:
    """Return the values that svmlight text with these decimals holds, in their order."""
    lines = []
    for start in range(0, len(texts), _PER_LINE):
        entries = enumerate(texts[start : start + _PER_LINE], 1)
        lines.append("+1 " + " ".join(f"{j}:{text}" for j, text in entries))
    values = [0.0] * len(texts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decimals.svm"
        path.write_text("\n".join(lines) + "\n")
        line = 0
        for rounds in nv.read(path).blocks():
            assert isinstance(rounds.rows, SparseBlock)
            for t in range(len(rounds.rows)):
                indices, found = rounds.rows.row(t)
                for index, value in zip(indices.tolist(), found.tolist(), strict=True):
                    values[line * _PER_LINE + index] = value
                line += 1
    return values


def _digits(draw: random.Random, most: int) -> str:
    count = draw.randint(1, most)
    return "".join(draw.choice("0123456789") for _ in range(count))


def _sign(draw: random.Random) -> str:
    return draw.choice(("", "", "-"))


def _fraction(draw: random.Random) -> str:
    return f"{_sign(draw)}0.{'0' * draw.randint(0, 6)}{_digits(draw, 18)}"


def _pointed(draw: random.Random) -> str:
    return f"{_sign(draw)}{_digits(draw, 20)}.{_digits(draw, 20)}"


def _whole(draw: random.Random) -> str:
    return _sign(draw) + _digits(draw, 25)


def _half_written(draw: random.Random) -> str:
    digits = _digits(draw, 12)
    return _sign(draw) + draw.choice((f"{digits}.", f".{digits}", f"+{digits}".lstrip("+")))


def _powers(draw: random.Random) -> str:
    return f"{_pointed(draw)}{draw.choice('eE')}{draw.choice(('', '+', '-'))}{draw.randint(0, 280)}"


def _printed(draw: random.Random) -> str:
    value = draw.uniform(-1, 1) * 10.0 ** draw.randint(-12, 12)
    return draw.choice((repr, "{:.6g}".format, "{:.16g}".format, "{:.17g}".format))(value)


def _any_float(draw: random.Random) -> str:
    """Return some finite float, subnormal ones included, as text of some length."""
    bits = draw.getrandbits(64)
    if bits >> 52 & 0x7FF == 0x7FF:
        bits ^= 1 << 62
    text = f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:.{draw.randint(0, 20)}e}"
    return text if math.isfinite(float(text)) else _any_float(draw)  # few digits may round up


def _tie(draw: random.Random) -> str:
    """Return a decimal halfway between two floats, or just beside it."""
    odd = 2 * draw.randint(2**52, 2**53 - 1) + 1
    half = Fraction(odd, 2 ** draw.randint(0, 60))
    places = 60
    digits = str(int(half * 10**places) + draw.choice((-1, 0, 0, 1))).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _edge(draw: random.Random) -> str:
    """Return a whole number near 2^53, with a point somewhere in it."""
    text = str(2**53 + draw.randint(-3, 3))
    place = draw.randint(1, len(text))
    return text[:place] + ("." if place < len(text) else "") + text[place:]


FORMS: list[Callable[[random.Random], str]] = [
    _fraction, _fraction, _pointed, _whole, _half_written, _powers, _printed, _printed,
    _any_float, _tie, _edge,
]  # fmt: skip
