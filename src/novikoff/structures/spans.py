"""Spans (chunks, named entities) that tags such as B-NP and I-NP mark, and their scores."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Span = tuple[int, int, str]
"""Its first token, the token after its last, and its kind."""


class SpanScores(NamedTuple):
    """How many spans were found, and how many of them are right."""

    precision: float
    recall: float
    f1: float
    gold: int
    found: int
    right: int


def spans(tags: Sequence[str]) -> set[Span]:
    """Return the spans of tags B-kind, I-kind and O.

    A span begins at a B, and at an I that continues nothing: after O, or after another kind.
    """
    found: set[Span] = set()
    begin, kind = 0, ""
    for i, tag in enumerate([*tags, "O"]):
        mark, _, of = tag.partition("-")
        if kind and (mark != "I" or of != kind):
            found.add((begin, i, kind))
            kind = ""
        if mark in ("B", "I") and of and not kind:
            begin, kind = i, of
    return found


def span_scores(gold: Iterable[Sequence[str]], tags: Iterable[Sequence[str]]) -> SpanScores:
    """Compare spans: a span is right if its beginning, its end and its kind are.

    >>> gold = [["B-NP", "I-NP", "O", "B-NP"]]
    >>> found = span_scores(gold, [["B-NP", "I-NP", "O", "O"]])
    >>> found.precision, found.recall, round(found.f1, 3)
    (1.0, 0.5, 0.667)
    """
    wanted = found = right = 0
    for one, other in zip(gold, tags, strict=True):
        theirs, ours = spans(one), spans(other)
        wanted, found, right = (
            wanted + len(theirs),
            found + len(ours),
            right + len(theirs & ours),
        )
    precision = right / found if found else 0.0
    recall = right / wanted if wanted else 0.0
    f1 = 2 * right / (found + wanted) if right else 0.0
    return SpanScores(precision, recall, f1, wanted, found, right)


def accuracy(gold: Iterable[Sequence[object]], found: Iterable[Sequence[object]]) -> float:
    """Return the share of positions whose output is right."""
    right = total = 0
    for one, other in zip(gold, found, strict=True):
        right += sum(map(lambda a, b: a == b, one, other))
        total += len(one)
    return right / total if total else 1.0
