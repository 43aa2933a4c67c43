"""Receipts of mixed perceptrons whose files are too large to keep: they are read block by block.

The rounds are replayed by the core, one reading for each epoch, and what rounding did to the means
is summed up exactly. The first of these readings also takes a sample of the rows, on which a
comparator is found. One reading more adds up its losses over all rows, exactly.
"""

import copy
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from weakref import WeakKeyDictionary

import numpy as np

from novikoff import verifier
from novikoff.learners.linear.mixing import FRONT, MixingLearner
from novikoff.learners.linear.shard_means import Ended, Mean
from novikoff.playing.run import Run
from novikoff.receipts.exact_sums import Sums, added_up
from novikoff.receipts.reread_rounds import Kept, check_rounds, other_rounds
from novikoff.streams import Block, FileStream, Stream
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.stream import Rounds, Wrapped

LARGE = 1 << 28
"""Bytes of files from which on their rows are not kept in memory."""
SAMPLE = 40_000
"""Rows among which a comparator is found."""


class Drift:
    """What the rounding of means has done: Δ by weight and E, as the theorem defines them."""

    def __init__(self) -> None:
        self.moved: dict[tuple[int, int], Fraction] = {}
        self.grown = Fraction(0)

    def __call__(self, ends: Sequence[Ended], mean: Mean) -> None:
        """Hear of an epoch: the weights in which its shards ended, and their rounded mean."""
        sorted_ends = [end.in_order() for end in ends]
        for slot in np.flatnonzero(mean.rounded).tolist():
            terms = (Fraction(v) for end in sorted_ends for v in end.terms(slot))
            true = sum(terms, Fraction(0)) / len(ends)
            found = Fraction(float(mean.weights[slot]))
            at = (0, slot - FRONT)
            self.moved[at] = self.moved.get(at, Fraction(0)) + found - true
            self.grown += found * found - true * true


class MixedSums:
    """What the rows of one pass have in common with a comparator, and what rounding did."""

    def __init__(self, sums: Sums, drift: Drift, shards: Sequence[int]) -> None:
        self.about, self.rows = sums.about, sums.rows
        self._sums, self._drift, self._shards = sums, drift, [*shards]

    def bound(
        self, theorem: str, entries: verifier.Json, mistakes: int, passes: int
    ) -> float | None:
        """Evaluate the theorem as the verifier does; None if the verifier would refuse it."""
        run = verifier.MixedPerceptron.__new__(verifier.MixedPerceptron)
        self._sums.measure(run, entries, passes)
        run.fine, _ = verifier.comparator(entries, many=False)
        run.shards, run.grown = self._shards, self._drift.grown
        run.moved = defaultdict(Fraction, self._drift.moved)
        found = run.bound(theorem)
        return found if mistakes <= found < np.inf else None


class LargeRounds(Wrapped):
    """Rounds of a run that were replayed and are not kept."""

    def __init__(self, run: Run, stream: Stream) -> None:
        super().__init__(stream)
        self.drift, self.state = Drift(), file_sizes(stream)
        self.sample: list[Rounds] = []
        self._rows = run.ledger.rounds // max(run.learner.epochs, 1)
        self._sums: dict[str, MixedSums | None] = {}
        again = check_rounds(run, self._sampling(), self.drift)
        self.readings = again.learner.epochs

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds, read again."""
        yield from self.stream.blocks()

    def _sampling(self) -> "_Sampling":
        return _Sampling(self.stream, min(1.0, SAMPLE / max(self._rows, 1)), self.sample)

    def sums(self, run: Run, entries: object) -> MixedSums | None:
        """Return the exact sums of a comparator; the rows are read for it, once."""
        key = repr(entries)
        if key not in self._sums:
            self.readings += 1
            found = added_up(run, self.stream, entries)
            if file_sizes(self.stream) != self.state:
                raise other_rounds("whose files stay as they are", "whose files have changed")
            learner = run.learner
            self._sums[key] = (
                None if found is None else MixedSums(found.sums(), self.drift, learner.shards)
            )
        return self._sums[key]


class Sampled(Wrapped):
    """A sample of a stream's rounds, in memory."""

    def __init__(self, large: LargeRounds) -> None:
        super().__init__(large)
        self._rounds = large.sample

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds of the sample."""
        yield from self._rounds


class _Sampling(Wrapped):
    """A stream that writes down a share of each block in its first reading."""

    def __init__(self, stream: Stream, share: float, into: list[Rounds]) -> None:
        super().__init__(stream)
        self._share, self._into, self._done = share, into, False

    def blocks(self) -> Iterator[Rounds]:
        """Yield all rounds."""
        done, self._done = self._done, True
        for one in self.stream.blocks():
            rounds = Rounds(*one)
            if not done:
                count = min(math.ceil(len(rounds.rows) * self._share), len(rounds.rows))
                labels = copy.copy(rounds.labels[:count])
                self._into.append(Rounds(_copied(rounds.rows.part(0, count)), labels))
            yield rounds


def _copied(rows: Block) -> Block:
    """Return rows that hold nothing but themselves: a part keeps the whole block in memory."""
    if isinstance(rows, DenseBlock):
        return rows.copy()
    if isinstance(rows, SparseBlock):
        starts, inside = rows.starts, slice(int(rows.starts[0]), int(rows.starts[-1]))
        indices, values = rows.indices[inside].copy(), rows.values[inside].copy()
        return SparseBlock(starts - starts[0], indices, values, rows.columns, rows.width)
    return rows


_REPLAYED: WeakKeyDictionary[Run, LargeRounds] = WeakKeyDictionary()


def large_rounds(run: Run, stream: Stream) -> LargeRounds | None:
    """Return the rounds of a run, replayed, if its files are too large to keep; None if not.

    A run is replayed once as long as its files do not change.
    """
    while isinstance(stream, Kept) and not stream.loaded:
        stream = stream.stream
    if isinstance(stream, LargeRounds):
        return stream
    learner, sizes = run.learner, file_sizes(stream)
    assert isinstance(learner, MixingLearner)
    named = learner.named and learner.hashing is None
    if learner.multiclass or named or sum(size for _, size, _ in sizes) < LARGE:
        return None
    known = _REPLAYED.get(run)
    if known is None or known.stream is not stream or known.state != sizes:
        known = _REPLAYED[run] = LargeRounds(run, stream)
    return known


def file_sizes(stream: Stream) -> list[tuple[str, int, int]]:
    """Return the size and the time of each file of a stream; none for what is elsewhere."""
    files = stream.files if isinstance(stream, FileStream) else ()
    found = []
    for path in files:
        if os.path.exists(path):
            about = os.stat(path)
            found.append((path, about.st_size, about.st_mtime_ns))
    return found
