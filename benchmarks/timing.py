"""Interleaved timing: peer and ours take turns, so that both meet the same machine.

Each rests before its turn: threads of a BLAS library spin for a tenth of a second after their work,
on a core that whoever comes next may need.
"""

import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import novikoff as nv
from benchmarks.table import Row

_REST = 0.2  # seconds


def compare(
    work: str,
    goal: float | None,
    peer: Callable[[], Any],
    ours: Callable[[], nv.Run],
    turns: int = 7,
    calls: int = 1,
) -> Row:
    """Time both in turn, each turn the mean of so many calls of one and then the other."""
    return replace(in_turn(work, goal, peer, ours, turns, calls), note=counts(ours().ledger))


def in_turn(
    work: str,
    goal: float | None,
    peer: Callable[[], Any],
    ours: Callable[[], Any],
    turns: int = 7,
    calls: int = 1,
) -> Row:
    """The same for any two calls."""
    peer_times, our_times = [], []
    ours()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that one pass did not converge
        peer()
        for _ in range(turns):
            peer_times.append(_seconds(peer, calls))
            our_times.append(_seconds(ours, calls))
    return timed(work, goal, peer_times, our_times)


def compare_rates(
    work: str,
    goal: float | None,
    peer: Callable[[], Any],
    ours: Callable[[], Any],
    share: float,
    turns: int = 5,
) -> Row:
    """The same if the peer plays only a share of our rounds: its time is scaled up."""
    peer_times, our_times = [], []
    for _ in range(turns):
        peer_times.append(_seconds(peer, 1) / share)
        our_times.append(_seconds(ours, 1))
    return timed(work, goal, peer_times, our_times)


def timed(
    work: str, goal: float | None, peer: Sequence[float], ours: Sequence[float], note: str = ""
) -> Row:
    """Make a row of the seconds of each turn."""
    ratios = sorted(theirs / own for theirs, own in zip(peer, ours, strict=True))
    low, high = quartiles(ratios)
    times = statistics.median(peer), statistics.median(ours)
    return Row(work, *times, statistics.median(ratios), low, high, len(ratios), goal, note)


def quartiles(ratios: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the middle half; of fewer than four turns, the least and the largest."""
    if len(ratios) < 4:
        return min(ratios), max(ratios)
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return low, high


def counts(ledger: nv.Ledger) -> str:
    """Say what a run of ours did: how often it erred, and how often floats left a round open."""
    said = [f"{ledger.error_rate:.3f} errors"]
    for rounds, how in ((ledger.second_steps, "twice"), (ledger.exact_steps, "exactly")):
        if rounds:
            said.append(f"{rounds:,} decided {how}")
    return ", ".join(said)


def _seconds(call: Callable[[], Any], calls: int) -> float:
    time.sleep(_REST)
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - began) / calls
