"""What the runs of all keys did together, and which keys stand out, in one reading."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from novikoff.cluster.key_summary import KeySummary


@dataclass(frozen=True)
class KeyOverview:
    """Counts over all keys, and the first few of each list."""

    keys: int
    rounds: int
    mistakes: int
    worst: list[KeySummary]
    """The keys that err most often beyond their baseline."""
    best: list[KeySummary]
    """The keys with the smallest error bounds."""
    drifted: list[KeySummary]
    """All keys with an alarm, the latest first."""


def overview_of(parts: Iterable[list[KeySummary]], count: int) -> KeyOverview:
    """Look at summaries part by part."""
    keys = rounds = mistakes = 0
    worst, best, drifted = list[KeySummary](), list[KeySummary](), list[KeySummary]()
    for rows in parts:
        keys += len(rows)
        rounds += sum(row.rounds for row in rows)
        mistakes += sum(row.mistakes for row in rows)
        worst = heapq.nlargest(count, [*worst, *rows], key=excess)
        best = heapq.nsmallest(count, [*best, *rows], key=lambda row: row.error_bound)
        drifted += [row for row in rows if row.alarm is not None]
    drifted.sort(key=lambda row: row.rounds - (row.alarm or 0))
    return KeyOverview(keys, rounds, mistakes, worst, best, drifted)


def excess(row: KeySummary) -> tuple[float, int]:
    """Return how much more often a run errs than its baseline, and how often it errs."""
    return row.error_rate - row.baseline, row.mistakes
