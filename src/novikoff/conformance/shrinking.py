"""Shrinking: the smallest stream on which a check still fails."""

from collections.abc import Callable

import numpy as np

from novikoff.conformance.players import NotApplicableError
from novikoff.conformance.tapes import Tape

_TRIES = 300


def shrunk(tape: Tape, wrong: Callable[[Tape], bool]) -> Tape:
    """Drop rounds and features, many at once and then one by one, while the check still fails."""
    tries = _TRIES

    def still(candidate: Tape) -> bool:
        nonlocal tries
        tries -= 1
        try:
            return tries >= 0 and len(candidate) > 0 and wrong(candidate)
        except NotApplicableError:
            return False

    while True:
        smaller = _fewer_columns(_fewer_rounds(tape, still), still)
        if tries <= 0 or (len(smaller), smaller.features) == (len(tape), tape.features):
            return smaller
        tape = smaller


def _fewer_columns(tape: Tape, still: Callable[[Tape], bool]) -> Tape:
    """Drop columns, and the rows that then have nothing left."""

    def narrowed(columns: list[int]) -> Tape:
        return tape.part(np.flatnonzero(tape.X[:, columns].any(axis=1)).tolist(), columns)

    columns = _kept(tape.features, lambda kept: still(narrowed(kept)))
    return narrowed(columns) if len(columns) < tape.features else tape


def _fewer_rounds(tape: Tape, still: Callable[[Tape], bool]) -> Tape:
    columns = range(tape.features)
    return tape.part(_kept(len(tape), lambda kept: still(tape.part(kept, columns))), columns)


def _kept(count: int, wrong: Callable[[list[int]], bool]) -> list[int]:
    """Return the indices that remain; at least one."""
    kept = list(range(count))
    size = count // 2
    while size:
        start = 0
        while start < len(kept):
            fewer = kept[:start] + kept[start + size :]
            if fewer and wrong(fewer):
                kept = fewer
            else:
                start += size
        size //= 2
    return kept
