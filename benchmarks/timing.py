"""Interleaved timing: peer and ours take turns, so that both meet the same machine."""

import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import novikoff as nv


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    peer: float
    ours: float
    goal: float | None
    ledger: nv.Ledger | None

    @staticmethod
    def heading() -> str:
        return (
            "| work | peer | novikoff | ratio | goal | error rate | second step | exact |\n"
            "|---|---|---|---|---|---|---|---|"
        )

    def line(self) -> str:
        ledger = self.ledger
        counts = ("", "", "") if ledger is None else (
            f"{ledger.error_rate:.3f}", ledger.second_steps, ledger.exact_steps
        )  # fmt: skip
        goal = "" if self.goal is None else f"≥ {self.goal:g}×"
        return (
            f"| {self.work} | {_time(self.peer)} | {_time(self.ours)} | "
            f"**{self.peer / self.ours:.2f}×** | {goal} | {counts[0]} | "
            f"{counts[1]} | {counts[2]} |"
        )


def compare(
    work: str,
    goal: float | None,
    peer: Callable[[], Any],
    ours: Callable[[], nv.Run],
    turns: int = 7,
    calls: int = 1,
) -> Row:
    """Medians over turns, each turn the mean of so many calls of one and then the other."""
    peer_times, our_times = [], []
    run = ours()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that one pass did not converge
        peer()
        for _ in range(turns):
            peer_times.append(_seconds(peer, calls))
            our_times.append(_seconds(ours, calls))
    return Row(work, statistics.median(peer_times), statistics.median(our_times), goal, run.ledger)


def compare_rates(
    work: str,
    goal: float | None,
    peer: Callable[[], Any],
    ours: Callable[[], Any],
    share: float,
    turns: int = 5,
) -> Row:
    """Medians over turns where the peer plays only a share of our rounds: its time is scaled up."""
    peer_times, our_times = [], []
    for _ in range(turns):
        peer_times.append(_seconds(peer, 1) / share)
        our_times.append(_seconds(ours, 1))
    return Row(work, statistics.median(peer_times), statistics.median(our_times), goal, None)


def _seconds(call: Callable[[], Any], calls: int) -> float:
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - began) / calls


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
