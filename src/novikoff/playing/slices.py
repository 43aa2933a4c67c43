"""Slices: a block of rounds is played in pieces short enough for Ctrl-C and the progress bar."""

import time
from collections.abc import Callable
from typing import Any

from novikoff import _core
from novikoff.errors import InputError
from novikoff.interrupts import listening, look
from novikoff.learners import BlockLearner, Slice
from novikoff.playing.labelled_measures import LabelledMeasures
from novikoff.playing.ledger import Ledger
from novikoff.playing.progress import Progress, Report
from novikoff.streams import Block
from novikoff.types import FloatArray, PerRound

_SECONDS = 0.05  # between two checks for Ctrl-C and updates of the bar
_FIRST = 2**17  # values, in rows
_DIGESTED = 2**18


class Slices:
    """Plays a learner's rounds, tallies them, and hashes them if you asked for the digest."""

    def __init__(
        self, learner: BlockLearner, ledger: Ledger, sheet: LabelledMeasures, digest: bool
    ) -> None:
        self.learner, self.ledger, self.sheet, self.tally = learner, ledger, sheet, sheet.tally
        self.hash: _core.Digest | None = _core.Digest() if digest else None
        """The hash of the rounds so far, if you asked for the digest; never changed in place."""
        if self.hash:
            ledger.digest = self.hash.hexdigest()

    @property
    def hashes(self) -> bool:
        """Whether you asked for the digest of the data."""
        return self.hash is not None

    def play(
        self,
        block: Block,
        codes: PerRound,
        weights: FloatArray | None,
        report: Report | None,
        place: Callable[[int], str] | None = None,
    ) -> None:
        """Play a block, slice by slice; ``place`` says where a refused row stands."""
        play_rows, has_loss = self.learner.play_rows, self.sheet.has_loss
        start, rows, length = 0, _rows_at_once(block, _FIRST), len(codes)
        while start < length:
            stop = min(start + rows, length)
            if has_loss:
                stop = min(stop, start + self.sheet.left_to_checkpoint())
            began = time.perf_counter() if stop < length else 0.0
            done = play_rows(Slice(block, codes, weights, start, stop), self.tally)
            if done < stop:
                where = place(done) if place else f"round {self.ledger.rounds + 1}"
                raise InputError(f"{where}: {block.fault(done)}")
            if has_loss:
                self.sheet.check()
            if stop < length:
                rows = _next_rows(rows, stop - start, time.perf_counter() - began)
            start = stop
            look()
            if report is not None:
                made = self.tally
                told = Progress(made.rounds, made.mistakes, None, None, made.abstentions)
                with listening():
                    report(told)

    def go_on(self, state: str) -> None:
        """Go on with the digest of a saved run; refuse a state that is not that of its rounds."""
        self.hash = _core.Digest.restored(state)
        if self.hash.hexdigest() != self.ledger.digest:
            raise ValueError("the state of another digest")

    def record(
        self, before: _core.Digest | None, block: Block, codes: Any, new_rounds: int
    ) -> None:
        """Set the digest to that of ``before`` with the first rounds of a block."""
        if before is None:
            self.ledger.digest = None
            return
        found, rows = before.copy(), _rows_at_once(block, _DIGESTED)
        for start in range(0, new_rounds, rows):
            stop = min(start + rows, new_rounds)
            found.update(block.digest_bytes(self.learner.features, codes, start, stop))
        self.hash, self.ledger.digest = found, found.hexdigest()


def _next_rows(rows: int, played: int, seconds: float) -> int:
    """Return how many rows the next slice has, if one that could have ``rows`` took this long."""
    if seconds >= _SECONDS:
        return max(1, rows // 2)
    return rows * 2 if played == rows else rows


def _rows_at_once(block: Block, values: int) -> int:
    """Return how many rows hold about that many values."""
    return values // (block.values_per_row or 1) or 1
