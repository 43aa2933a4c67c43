"""Reading data as the grammar of files says: svmlight, CSV of numbers, and sentences."""

import csv
import re
from pathlib import Path
from typing import Any

Items = list[tuple[int, float]]
Row = tuple[str, Any, Items]
Sentence = tuple[str, list[str], list[Items]]
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_rows(path: Path, column: str | None = None) -> list[Row]:
    """Return (where, label, items) of each row; of a CSV file ``column`` holds the labels."""
    return _csv_rows(path, column) if column is not None else _svmlight_rows(path)


def _label(text: str) -> Any:
    if not NUMBER.fullmatch(text):
        return text
    value = float(text)
    return int(value) if value.is_integer() else value


def _lines(path: Path) -> list[str]:
    text = path.read_bytes().decode().removeprefix("\ufeff")
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines]


def _svmlight_rows(path: Path) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(_lines(path), 1):
        words = re.split("[ \t]+", line.split("#")[0].strip(" \t"))
        if words == [""]:
            continue
        pairs = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
        items = [(int(index) - 1, float(value)) for index, value in pairs]
        rows.append((f"{path.name}:{number}", _label(words[0]), items))
    return rows


def _csv_rows(path: Path, column: str) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        names, *lines = list(csv.reader(file))
    place = names.index(column)
    rows: list[Row] = []
    for number, line in enumerate(lines, 2):
        values = [float(text) for k, text in enumerate(line) if k != place]
        rows.append((f"{path.name}:{number}", _label(line[place]), list(enumerate(values))))
    return rows


def read_sentences(path: Path) -> list[Sentence]:
    """Return (where, tags, items of each position); an empty line ends a sentence."""
    sentences: list[Sentence] = []
    tags: list[str] = []
    positions: list[Items] = []
    for number, line in enumerate([*_lines(path), ""], 1):
        words = line.split(" ") if line else []
        if not words and tags:
            sentences.append((f"{path.name}:{number}", tags, positions))
            tags, positions = [], []
        if words:
            tags.append(words[0])
            pairs = [word.split(":") for word in words[1:]]
            positions.append([(int(index) - 1, int(count)) for index, count in pairs])
    return sentences
