"""A reader of files written from docs/grammar.md, character by character, for the tests alone."""

from fractions import Fraction
from typing import Any

DIGITS, LETTERS = b"0123456789", b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
MOST_INDEX, MOST_COUNT, EXACT = 2147483630, 4294967295, 9007199254740992
_LARGEST = Fraction(2**1024 - 2**970)  # and half a step more is no float


class Refusal(Exception):  # noqa: N818
    """The line that is refused; 0 where none is to blame."""

    def __init__(self, line: int) -> None:
        self.line = line


def need(condition: object, line: int) -> None:
    """Refuse a line."""
    if not condition:
        raise Refusal(line)


def digits_at(text: bytes, at: int) -> int:
    """Return where the digits that begin at a place end."""
    while at < len(text) and text[at] in DIGITS:
        at += 1
    return at


def exact_number(text: bytes) -> tuple[int, int] | None:
    """Return (m, e) of a NUMBER m·10^e, or None."""
    at = 1 if text[:1] in (b"+", b"-") else 0
    whole = digits_at(text, at)
    mantissa, places, end = text[at:whole], 0, whole
    if text[whole : whole + 1] == b".":
        end = digits_at(text, whole + 1)
        places = end - whole - 1
        mantissa += text[whole + 1 : end]
    if not mantissa:
        return None
    exponent = 0
    if text[end : end + 1] in (b"e", b"E"):
        start = end + 2 if text[end + 1 : end + 2] in (b"+", b"-") else end + 1
        last = digits_at(text, start)
        if last == start:
            return None
        exponent = _whole(text[start:last], 10**6) * (-1 if text[end + 1 : end + 2] == b"-" else 1)
        end = last
    if end != len(text):
        return None
    sign = -1 if text[:1] == b"-" else 1
    return sign * _long(mantissa), exponent - places


def _long(digits: bytes) -> int:
    """Return a whole number of any length."""
    value = 0
    for k in range(0, len(digits), 1000):
        part = digits[k : k + 1000]
        value = value * 10 ** len(part) + int(part)
    return value


def _whole(digits: bytes, most: int) -> int:
    """Return a whole number, or one more than the most there may be."""
    return min(_long(digits), most + 1)


def nearest(number: tuple[int, int]) -> float | None:
    """Return the float nearest to m·10^e, or None where it is beyond all."""
    m, e = number
    size = abs(m).bit_length() * 30103 // 100000 + 1  # of its digits, about
    if m == 0 or size + e < -400:
        return 0.0
    if size + e > 400:
        return None
    value = Fraction(m) * Fraction(10) ** e
    return float(value) if abs(value) < _LARGEST else None


def is_named_number(text: bytes) -> bool:
    """Say whether a text is nan, inf or infinity."""
    bare = text[1:] if text[:1] in (b"+", b"-") else text
    return bare.lower() in (b"nan", b"inf", b"infinity")


def word(text: bytes, line: int) -> str:
    """Return a text in UTF-8."""
    try:
        return str(text, "utf-8")
    except UnicodeDecodeError:
        raise Refusal(line) from None


def label(text: bytes, line: int) -> Any:
    """Return a label: a number within ±2^53, or a word."""
    bare = bare_of(text)
    need(bare and not is_named_number(bare), line)
    number = exact_number(bare)
    if number is None:
        return word(text, line)
    value = nearest(number)
    need(value is not None and abs(value) <= EXACT, line)
    assert value is not None
    if abs(value) == EXACT:
        need(abs(number[0]) * Fraction(10) ** number[1] <= EXACT, line)
    return int(value) if value == int(value) else value


def bare_of(text: bytes) -> bytes:
    """Return a text without blanks at both ends."""
    begin, end = 0, len(text)
    while begin < end and text[begin] in b" \t":
        begin += 1
    while end > begin and text[end - 1] in b" \t":
        end -= 1
    return text[begin:end]


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a file, without their ends."""
    if content[:3] == b"\xef\xbb\xbf":
        content = content[3:]
    lines, begin = [], 0
    for at in range(len(content) + 1):
        if at == len(content) or content[at] == 10:
            line = content[begin:at]
            lines.append(line[:-1] if line[-1:] == b"\r" else line)
            begin = at + 1
    return lines


def tokens_of(line: bytes) -> list[bytes]:
    """Return what blanks part."""
    tokens = [b""]
    for byte in line:
        if byte in b" \t":
            tokens.append(b"")
        else:
            tokens[-1] += bytes([byte])
    return [token for token in tokens if token]


def entry(token: bytes, line: int) -> tuple[int, bytes]:
    """Return (index, what stands behind the colon)."""
    end = digits_at(token, 0)
    need(end > 0 and token[end : end + 1] == b":", line)
    index = _whole(token[:end], MOST_INDEX)
    need(1 <= index <= MOST_INDEX, line)
    return index, token[end + 1 :]


def svmlight(content: bytes) -> list[Any]:
    """Return the rounds of an svmlight file."""
    need(content[:3] != b"BZh", 0)
    rounds = []
    for line, text in enumerate(lines_of(content), 1):
        comment = text.find(b"#")
        tokens = tokens_of(text if comment < 0 else text[:comment])
        if not tokens:
            continue
        first = tokens.pop(0)
        if exact_number(first) is None:
            need(first[0] in LETTERS or first[0] >= 0x80, line)
            need(b":" not in first and b"," not in first, line)
        y = label(first, line)
        if tokens and tokens[0][:4] == b"qid:":
            query = tokens.pop(0)[4:]
            need(query and digits_at(query, 0) == len(query), line)
        row: dict[int, float] = {}
        for token in tokens:
            index, text_of_value = entry(token, line)
            number = exact_number(text_of_value)
            value = None if number is None else nearest(number)
            need(value is not None and index - 1 not in row, line)
            assert value is not None
            row[index - 1] = value
        rounds.append([y, [[j, row[j]] for j in sorted(row) if row[j] != 0]])
    return rounds


def sentences(content: bytes) -> list[Any]:
    """Return the sentences of a file: their tags, and the counts of each position."""
    need(content[:3] != b"BZh", 0)
    found: list[Any] = [[[], []]]
    for line, text in enumerate(lines_of(content), 1):
        tokens = tokens_of(text)
        if not tokens:
            found.append([[], []])
            continue
        row: dict[int, int] = {}
        for token in tokens[1:]:
            index, count = entry(token, line)
            need(count and digits_at(count, 0) == len(count), line)
            need(1 <= _whole(count, MOST_COUNT) <= MOST_COUNT and index - 1 not in row, line)
            row[index - 1] = _whole(count, MOST_COUNT)
        found[-1][0].append(word(tokens[0], line))
        found[-1][1].append([[j, row[j]] for j in sorted(row)])
    return [sentence for sentence in found if sentence[0]]


def records_of(content: bytes) -> list[tuple[int, bytes]]:
    """Return the records of a CSV file that are not empty, each with its first line."""
    if content[:3] == b"\xef\xbb\xbf":
        content = content[3:]
    records, begin, line, first, quotes = [], 0, 1, 1, 0
    for at in range(len(content) + 1):
        last = at == len(content)
        if not last:
            quotes += content[at] == 34
            line += content[at] == 10
        if last or (content[at] == 10 and quotes % 2 == 0):
            record = content[begin:at]
            records.append((first, record[:-1] if record[-1:] == b"\r" else record))
            begin, first = at + 1, line
    return [record for record in records if record[1]]


def cells_of(record: bytes, mark: int, line: int) -> list[bytes]:
    """Return the cells of a record."""
    cells, at = [], 0
    while True:
        cell, quoted = b"", record[at : at + 1] == b'"'
        at += quoted
        while at < len(record):
            if quoted and record[at : at + 2] == b'""':
                at += 1
            elif record[at] == (34 if quoted else mark) or record[at] == 34:
                break
            cell += record[at : at + 1]
            at += 1
        if quoted:
            need(at < len(record), line)
            at += 1
        need(at == len(record) or record[at] == mark, line)
        cells.append(cell)
        if at == len(record):
            return cells
        at += 1


def delimiter_of(record: bytes) -> int:
    """Return the most frequent of comma, tab and semicolon outside quotes."""
    counts, inside = {44: 0, 9: 0, 59: 0}, False
    for byte in record:
        inside ^= byte == 34
        if not inside and byte in counts:
            counts[byte] += 1
    return max(counts, key=lambda byte: counts[byte])


def looks_like_a_number(cell: bytes) -> bool:
    """Say whether the first cell of a column leaves it one of numbers."""
    bare = bare_of(cell).lower()
    if bare in (b"", b"na", b"n/a", b"null", b"?") or is_named_number(bare):
        return True
    at = end = 1 if bare[:1] in (b"+", b"-") else 0
    while end < len(bare) and bare[end] in b"0123456789.":
        end += 1
    if end == at or end == len(bare):
        return end > at
    start = end + 2 if bare[end + 1 : end + 2] in (b"+", b"-") else end + 1
    return bare[end] == 101 and start < len(bare) and digits_at(bare, start) == len(bare)


def csv(
    content: bytes,
    label_column: str | int,
    delimiter: str | None = None,
    categorical: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    missing: str = "refuse",
) -> list[Any]:
    """Return the rounds of a CSV file."""
    need(content[:3] != b"BZh", 0)
    records = records_of(content) or [(1, b"")]
    top, head = records[0]
    mark = delimiter_of(head) if delimiter is None else ord(delimiter)
    cells = cells_of(head, mark, top)
    if isinstance(label_column, int):
        names = [str(k) for k in range(len(cells))]
        need(-len(names) <= label_column < len(names), 0)
        records, place = records if head else [], label_column % len(names)
    else:
        names = [word(cell, top) for cell in cells]
        need(all(names.count(name) == 1 for name in names), top)
        need(label_column in names, 0)
        records, place = records[1:], names.index(label_column)
    need(all(name in names for name in (*categorical, *ignore)), 0)
    columns = [k for k, name in enumerate(names) if k != place and name not in ignore]
    texts: list[int] | None = None
    numbers: dict[bytes, int] = {}
    rounds = []
    for line, record in records:
        row = cells_of(record, mark, line)
        need(len(row) == len(names), line)
        if texts is None:
            texts = [
                k for k in columns if names[k] in categorical or not looks_like_a_number(row[k])
            ]
        items = _features(row, names, columns, texts, line, missing)
        named = bool(texts) or missing == "feature"
        rounds.append([label(row[place], line), _numbered(items, named, numbers, line)])
    return rounds


def _features(
    row: list[bytes],
    names: list[str],
    columns: list[int],
    texts: list[int],
    line: int,
    missing: str,
) -> list[tuple[bytes, float]]:
    """Return (name, value) of every feature of a record."""
    items = []
    for k in columns:
        absent = bare_of(row[k]).lower() in (b"", b"?", b"na", b"n/a", b"nan", b"null")
        if absent and missing == "zero":
            items.append((names[k].encode(), 0.0))
            continue
        if absent and missing == "feature":
            items.append((f"{names[k]} is missing".encode(), 1.0))
            continue
        if k in texts:
            items.append((f"{names[k]}={word(row[k], line)}".encode(), 1.0))
            continue
        number = exact_number(bare_of(row[k]))
        value = None if number is None else nearest(number)
        need(value is not None, line)
        assert value is not None
        items.append((names[k].encode(), value))
    return items


def _numbered(
    items: list[tuple[bytes, float]], named: bool, numbers: dict[bytes, int], line: int
) -> list[list[float]]:
    """Return [id, value] of the features that are not 0: by column, or by name."""
    if not named:
        return [[k, value] for k, (_, value) in enumerate(items) if value != 0]
    present = [(name, value) for name, value in items if value != 0]
    names = [name for name, _ in present]
    need(len(set(names)) == len(names), line)
    for name in sorted(names):
        numbers.setdefault(name, len(numbers))
    return sorted([numbers[name], value] for name, value in present)
