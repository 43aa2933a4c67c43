"""Halving with 2²⁶ hypotheses against NumPy on bools: a round, the mean of a whole run."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.table import Row
from benchmarks.timing import timed

_SIZE, _ROUNDS, _TURNS = 2**26, 8, 9
_LABEL = -1


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2**64, (_ROUNDS, _SIZE // 64), dtype=np.uint64)
    H = nv.FiniteClass.from_columns(columns, _SIZE, title="random")
    bools = [
        np.unpackbits(column.view(np.uint8), bitorder="little").view(bool) for column in columns
    ]
    yield _row("halving, 2²⁶ random hypotheses, a round", H, lambda: _plain(bools), 30)
    buffer = np.empty(_SIZE, bool)
    work = "halving, against NumPy without a new array"
    yield _row(work, H, lambda: _sparing(bools, buffer), None)


def _row(work: str, H: Any, peer: Callable[[], list[int]], goal: float | None) -> Row:
    ours, theirs = [], []
    for _ in range(_TURNS):
        began = time.perf_counter()
        labels = peer()
        theirs.append((time.perf_counter() - began) / _ROUNDS)
        run = nv.Run(nv.Halving(H))
        began = time.perf_counter()
        found = [run.learn(x, _LABEL) for x in range(_ROUNDS)]
        ours.append((time.perf_counter() - began) / _ROUNDS)
        if found != labels:
            raise SystemExit(f"{work}: the labels differ")
    return timed(work, goal, theirs, ours)


def _plain(columns: list[Any]) -> list[int]:
    """Majority and pruning as one writes them."""
    live, labels = np.ones(_SIZE, bool), []
    for column in columns:
        positives = np.count_nonzero(live & column)
        labels.append(1 if 2 * positives >= np.count_nonzero(live) else -1)
        live &= ~column
    return labels


def _sparing(columns: list[Any], buffer: Any) -> list[int]:
    """The same with a buffer, and what is left counted from what goes."""
    live, count, labels = np.ones(_SIZE, bool), _SIZE, []
    for column in columns:
        positives = int(np.count_nonzero(np.logical_and(live, column, out=buffer)))
        labels.append(1 if 2 * positives >= count else -1)
        np.greater(live, column, out=live)  # live and not column
        count -= positives
    return labels
