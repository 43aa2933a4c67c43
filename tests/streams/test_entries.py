"""Entries of svmlight text: read many bytes at a time, or digit by digit, they are the same."""

import random
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from campaigns.decimals import values_of
from cpu_levels import said_on_each_level
from novikoff.streams.blocks.block import SparseBlock

ADVERSARIAL = [
    "0.1", "-0.1", "1", "-1", "0", "-0", "0.0", "9", "12", "12345678", "123456789", "1.5", "12.5",
    "12345678.12345678", "123456789.1234567", "1.1234567890123456", "9.1234567890123456",
    "0.12345678", "0.123456789", "0.1234567890123456", "0.12345678901234567", "9007199254740992",
    "9007199254740993", "0.9007199254740992", "0.9007199254740993", "9.007199254740991",
    "1.", ".5", "-.5", "+1", "+0.5", "1e5", "-1e-5", "7.15424e-05", "4.9e-324", "2e-324", "1e-400",
    "1.7976931348623157e308", "0.000715424", "00000001.5", "000000001", "0." + "0" * 15 + "1",
    "0." + "0" * 16 + "1", "0." + "0" * 40 + "1", "1" * 18, "1" * 19, "1" * 20, "1" * 40,
    "179769313486231570" + "0" * 291,
]  # fmt: skip

BAD = [
    "", "-", ".", "-.", "--1", "1-", "1.2.3", "1..2", "1e", "1e+", "e5", "nan", "inf", "0x1p3",
    "1,5", "1:2", "+-1", "1e999", "1\u00b2", "0.5\t6", "0.5#c",
]  # fmt: skip
BAD_INDICES = ["0", "-3", "+3", "", "x", "3.0", "2147483631", "99999999999", "1", "00000000"]

PROGRAM = """
import json, sys
import novikoff as nv
said = []
for path in sys.argv[1:]:
    stream = nv.read(path, on_bad="skip")
    rows = [
        (list(map(str, r.labels)), r.rows.starts.tolist(), r.rows.indices.tolist(),
         [v.hex() for v in r.rows.values.tolist()], r.rows.columns, r.rows.width)
        for r in stream.blocks()
    ]
    said.append((rows, stream.skipped, [str(f) for f in stream.faults]))
print(json.dumps(said))
"""


def test_every_decimal_is_the_float_that_python_reads() -> None:
    for shift in range(3):  # at other places of their lines
        texts = ["0.25"] * shift + ADVERSARIAL * 3
        found = np.array(values_of(texts))
        expected = np.array([float(text) or 0.0 for text in texts])
        assert found.tobytes() == expected.tobytes()


def test_entries_of_every_length_follow_each_other(tmp_path: Path) -> None:
    """A look at 64 bytes serves two entries, whatever the length of the first one."""
    draw, lines, expected = random.Random(0), [], []
    for _ in range(400):
        index, entries = 0, []
        for length in sorted(draw.choices(range(1, 9), k=20)):
            index = max(index + 1, draw.randrange(10 ** (length - 1), 10**length))
            value = f"{draw.choice(('', '-'))}{draw.randrange(10 ** draw.randrange(1, 10))}"
            if places := draw.randrange(20):
                value += f".{draw.randrange(10**places):0{places}}"
            entries.append((index, value))
        lines.append("1 " + " ".join(f"{j}:{value}" for j, value in entries))
        expected += [float(value) for _, value in entries if float(value) != 0]
    (tmp_path / "lengths.svm").write_text("\n".join(lines))
    found = [rounds.rows for rounds in nv.read(tmp_path / "lengths.svm").blocks()]
    values = np.concatenate([rows.values for rows in found if isinstance(rows, SparseBlock)])
    assert values.tobytes() == np.array(expected).tobytes()


def _line(draw: random.Random) -> str:
    """Return a line of entries, some of them out of order, repeated, zero or wrong."""
    count, index, entries = draw.randint(0, 40), 0, []
    for _ in range(count):
        index += draw.randint(1, 9 ** draw.randint(1, 5))
        entries.append(f"{index}:{draw.choice(ADVERSARIAL[:20])}")
    odd = draw.randrange(9)
    if count and odd == 0:
        entries[draw.randrange(count)] = f"{index + 1}:{draw.choice(BAD)}"
    if count and odd == 1:
        entries[draw.randrange(count)] = f"{draw.choice(BAD_INDICES)}:1.5"
    if odd == 2:
        draw.shuffle(entries)
    if count and odd == 3:
        entries.append(draw.choice(entries))
    if odd == 4:
        entries = [f"{j}:{draw.choice(ADVERSARIAL)}" for j in range(1, count + 1)]
    blank = draw.choice((" ", " ", " ", "  ", "\t", " \t "))
    end = draw.choice(("", "", "", " ", "\r", " # 3:4", "#"))
    return draw.choice(("+1", "-1", "1", "0.5", "spam")) + " " + blank.join(entries) + end


def test_lines_are_the_same_on_every_cpu(tmp_path: Path) -> None:
    """Rows, widths, faults and their messages, in files of any length."""
    paths = []
    for number in range(40):
        draw = random.Random(number)
        lines = [_line(draw) for _ in range(1 + number * number // 4)]
        paths.append(tmp_path / f"{number}.svm")
        paths[-1].write_text("\n".join(lines) + draw.choice(("", "\n")))
    assert len(set(said_on_each_level(PROGRAM, *map(str, paths)))) == 1


@pytest.mark.parametrize("before", [0, 1, 30])
@pytest.mark.parametrize("value", BAD)
def test_a_bad_value_is_named(value: str, before: int, tmp_path: Path) -> None:
    """However many plain entries stand before it; a tab or a comment only ends the value."""
    entries = [f"{j}:0.5" for j in range(1, before + 1)]
    line = " ".join(["+1", *entries, f"77:{value}", *(f"{j}:1" for j in range(80, 120))])
    (tmp_path / "bad.svm").write_text(f"{line}\n", encoding="utf-8")
    stream = nv.read(tmp_path / "bad.svm")
    if value == "0.5#c":
        rounds = next(iter(stream.blocks()))
        assert isinstance(rounds.rows, SparseBlock)
        assert rounds.rows.row(0)[0].tolist() == [*range(before), 76]
        return
    expected = "index:value, got " if "\t" in value else "a finite value for feature 77, got "
    with pytest.raises(nv.InputError, match=f"bad.svm:1: expected {expected}"):
        list(stream.blocks())
