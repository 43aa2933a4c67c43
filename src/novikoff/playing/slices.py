"""Slices: a block of rounds is played in pieces short enough for Ctrl-C and the progress bar."""

import hashlib
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.interrupts import listening, look
from novikoff.learners import as_block_learner
from novikoff.learners.learner import Slice
from novikoff.playing.ledger import Ledger
from novikoff.playing.progress import Progress, Report
from novikoff.streams import Block
from novikoff.types import AnyArray, FloatArray, Player

_SECONDS = 0.05  # between two looks at Ctrl-C and the progress bar
_FIRST = 2**17  # values, in rows
_DIGESTED = 2**18


def is_native(learner: Player) -> bool:
    """Say whether the core plays the rounds of a learner."""
    return as_block_learner(learner) is not None


class Slices:
    """Rounds of a learner, of ours or any other, played, tallied and hashed where that is asked."""

    def __init__(self, learner: Any, ledger: Ledger, digest: bool) -> None:
        self.learner, self.ledger = learner, ledger
        self.multiclass = bool(getattr(learner, "multiclass", False))
        self.native = is_native(learner)
        self.total: int | None = None
        """How many rounds there will be, where that is known."""
        self.hash = hashlib.sha256() if digest else None
        """Of the rounds so far, where the digest of the data is asked for; never changed."""
        if self.hash:
            ledger.digest = self.hash.hexdigest()

    @property
    def hashes(self) -> bool:
        """Whether the digest of the data is asked for."""
        return self.hash is not None

    @property
    def features(self) -> Any:
        """The names of features: the learner's, or the run's for a learner that has none."""
        if self.native:
            return self.learner.features
        return self._own_features

    @cached_property
    def _own_features(self) -> _core.Features:
        return _core.Features()

    def play(
        self,
        block: Block,
        codes: AnyArray,
        weights: FloatArray | None,
        report: Report | None,
        place: Callable[[int], str] | None = None,
    ) -> None:
        """Play a block, slice by slice; ``place`` says where a row that is refused stands."""
        start, rows, length = 0, _rows_at_once(block, _FIRST), len(codes)
        while start < length:
            stop = min(start + rows, length)
            began = time.perf_counter()
            done = self._play_slice(Slice(block, codes, weights, start, stop))
            if done < stop:
                where = place(done) if place else f"round {self.ledger.rounds + 1}"
                raise InputError(f"{where}: {block.fault(done)}")
            elapsed = time.perf_counter() - began
            rows = rows * 2 if elapsed < _SECONDS else max(1, rows // 2)
            start = stop
            look()
            if report is not None:
                made = self.ledger
                with listening():
                    report(
                        Progress(
                            made.rounds, made.mistakes, self.total, abstentions=made.abstentions
                        )
                    )

    def _play_slice(self, rows: Slice) -> int:
        if self.native:
            done: int = self.learner.play_rows(rows, self.ledger.tally)
            return done
        block, codes, _, start, stop = rows
        for t in range(start, stop):
            found = block.played(t, self.features)
            if found is None:
                return t
            self.play_row(block.row(t), *found, int(codes[t]))
            look()
        return stop

    def play_row(self, x: Any, native: Any, t: int, code: int) -> Any:
        """Play one round of a sound row with a learner that is not in the core."""
        prediction = self.learner.predict(x)
        if self.multiclass and not isinstance(prediction, (int, np.integer, type(None))):
            raise InputError(
                f"learner: expected a class id or None as its prediction, got {prediction!r}. "
                "Classes are numbered 0, 1, … as they appear."
            )
        if not self.multiclass and prediction not in (-1, 0, 1, None):
            raise InputError(
                f"learner: expected −1 or +1 as its prediction, 0 or None for neither, got "
                f"{prediction!r}. Labels are −1 and +1 to a learner, whatever they are called."
            )
        self.learner.update(x, code)
        abstained = prediction is None
        label = code if self.multiclass else int(code > 0)
        self.ledger.tally.round(native, t, label, not abstained and prediction != code)
        self.ledger.tally.abstentions += abstained
        return prediction

    def record(self, before: Any, block: Block, codes: Any, new_rounds: int) -> None:
        """Let the digest be that of ``before`` with the first rounds of a block."""
        if before is None:
            self.ledger.digest = None
            return
        found, rows = before.copy(), _rows_at_once(block, _DIGESTED)
        for start in range(0, new_rounds, rows):
            stop = min(start + rows, new_rounds)
            found.update(block.digest_bytes(self.features, codes, start, stop))
        self.hash, self.ledger.digest = found, found.hexdigest()


def _rows_at_once(block: Block, values: int) -> int:
    """Return how many rows hold about so many values."""
    return max(1, values // max(block.values_per_row, 1))
