"""Data: rows as exact numbers, their digest and their counts."""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any

from oracle.reading import Row, Sentence
from oracle.reals import is_whole, require

Vector = dict[int, Fraction]
CONSTANT = -1
"""The index of the constant feature."""


@dataclass(frozen=True)
class Data:
    """Rows x_1, … with their labels: −1 or +1, the number of a class, or any number, exactly."""

    xs: list[Vector]
    ys: list[Any]
    facts: dict[str, Any]
    """What a certificate says of its data, apart from labels and passes."""
    width: int
    """One more than the largest index named, zeros included."""
    memories: list[str] = field(default_factory=list)
    """What transforms remember after every row, as it is hashed; empty if they remember nothing."""


def dot(w: Vector, x: Vector) -> Fraction:
    """Return w·x."""
    return sum((w[j] * v for j, v in x.items() if j in w), Fraction(0))


def added(w: Vector, x: Vector, scale: int) -> Vector:
    """Return w + scale·x."""
    return {j: w.get(j, Fraction(0)) + scale * x.get(j, Fraction(0)) for j in w.keys() | x.keys()}


def with_constant(x: Vector, bias: Any) -> Vector:
    """Return x with the constant feature, where there is one other than 0."""
    return x if not bias else x | {CONSTANT: Fraction(bias)}


def same_label(a: Any, b: Any) -> bool:
    """Whether two labels are one: words letter by letter, numbers as numbers."""
    return isinstance(a, str) == isinstance(b, str) and bool(a == b)


def place_in(labels: Sequence[Any], label: Any) -> int:
    """Return which of the labels this is; −1 for none."""
    return next((k for k, known in enumerate(labels) if same_label(known, label)), -1)


def is_label(value: Any) -> bool:
    """Whether a JSON value can be a label: a word, a number, true or false."""
    return isinstance(value, (str, int, float))


def _is_real(label: Any) -> bool:
    return isinstance(label, (int, float)) and not isinstance(label, bool) and isfinite(label)


def rows_as_data(rows: Sequence[Row], labels: Any, closed: bool = False) -> Data:
    """Return rows with their labels mapped as ``labels`` says; it must say what is so.

    Classes are numbered as they come, or as they are listed if the list is ``closed``.
    """
    require(isinstance(labels, dict) and len(labels) == 1, "labels have another form")
    require(not any(isinstance(label, list) for _, label, _ in rows), "the rows are sentences")
    ys: list[Any]
    if "positive" in labels:
        require(is_label(labels["positive"]), "the positive label is no label")
        ys = [1 if same_label(label, labels["positive"]) else -1 for _, label, _ in rows]
        packed = [struct.pack("<b", y) for y in ys]
    elif "real" in labels:
        require(labels["real"] is True, "the labels are no numbers")
        numbers = [label for _, label, _ in rows]
        require(all(map(_is_real, numbers)), "a label is no number")
        ys = [Fraction(label) for label in numbers]
        packed = [struct.pack("<d", float(y)) for y in ys]
    else:
        require(isinstance(labels.get("classes"), list), "classes are a list")
        seen: list[Any] = []
        for _, label, _ in rows:
            if place_in(seen, label) < 0:
                seen.append(label)
        given = labels["classes"]
        require(all(map(is_label, given)), "a class is no label")
        alike = [same_label(a, b) for a, b in zip(seen, given, strict=False)]
        if closed:
            require(len(given) > 1, "there are fewer than two classes")
            first = [place_in(given, label) for label in given]
            require(first == [*range(len(given))], "a class is listed twice")
            require(all(place_in(given, label) >= 0 for label in seen), "a class is not listed")
        else:
            require(len(seen) == len(given) and all(alike), "the classes are others")
        ys = [place_in(given, label) for _, label, _ in rows]
        packed = [struct.pack("<I", y) for y in ys]
    xs = [{j: Fraction(v) for j, v in items if v != 0} for _, _, items in rows]
    hashed = b"".join(label + _packed(x) for label, x in zip(packed, xs, strict=True))
    width = max((j + 1 for _, _, items in rows for j, _ in items), default=0)
    return Data(xs, ys, _facts(len(rows), xs, hashed), width)


def rows_with_numbers(rows: Sequence[Row]) -> Data:
    """Return rows whose labels are real numbers, hashed as f64."""
    require(all(isinstance(y, (int, float)) for _, y, _ in rows), "a label is no number")
    xs = [{j: Fraction(v) for j, v in items if v != 0} for _, _, items in rows]
    ys: list[Any] = [float(label) for _, label, _ in rows]
    hashed = b"".join(struct.pack("<d", y) + _packed(x) for x, y in zip(xs, ys, strict=True))
    width = max((j + 1 for _, _, items in rows for j, _ in items), default=0)
    return Data(xs, ys, _facts(len(rows), xs, hashed), width)


def _facts(rows: int, xs: Sequence[Vector], hashed: bytes) -> dict[str, Any]:
    return {
        "digest": hashlib.sha256(hashed).hexdigest(),
        "rows": rows,
        "nonzeros": sum(map(len, xs)),
        "dimension": max((j + 1 for x in xs for j in x), default=0),
    }


def _packed(x: Vector) -> bytes:
    pairs = [struct.pack("<Qd", j, float(v)) for j, v in sorted(x.items())]
    return struct.pack("<I", len(pairs)) + b"".join(pairs)


@dataclass(frozen=True)
class Tagged:
    """Sentences: the counts of features at each position, and a tag's number for each."""

    xs: list[list[Vector]]
    ys: list[tuple[int, ...]]
    tags: list[str]
    facts: dict[str, Any]


def sentences_as_data(rows: Sequence[Sentence], labels: Any, allowed: list[str] | None) -> Tagged:
    """Return sentences with their tags numbered as ``labels`` says; it must say what is so."""
    known = list(allowed or [])
    require(all(isinstance(tags, list) for _, tags, _ in rows), "the rows are no sentences")
    for _, tags, _ in rows:
        for tag in tags:
            if tag not in known:
                require(allowed is None, f"the tag {tag!r} is not allowed")
                known.append(tag)
    require(labels == {"tags": known}, "the tags are others")
    xs, ys, hashed = [], [], b""
    for _, tags, positions in rows:
        for items in positions:
            whole = all(is_whole(count, 1, 2**32 - 1) for _, count in items)
            require(whole, "a feature is counted otherwise than by a whole number of 32 bits")
        x = [{j: Fraction(count) for j, count in items} for items in positions]
        y = tuple(known.index(tag) for tag in tags)
        hashed += struct.pack("<I", len(y))
        hashed += b"".join(struct.pack("<I", k) + _packed(v) for k, v in zip(y, x, strict=True))
        xs.append(x)
        ys.append(y)
    flat = [position for x in xs for position in x]
    return Tagged(xs, ys, known, _facts(len(rows), flat, hashed))
