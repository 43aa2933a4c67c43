"""What ``novikoff learn`` remarks of labels: one never seen, one alone, or all of them sorted."""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from novikoff.cli.parser import UsageError
from novikoff.ledger import Ledger
from novikoff.loop import Run
from novikoff.streams import Rounds, Stream
from novikoff.streams.labels import label_array
from novikoff.streams.stream import Wrapped

_NAMED = 10  # labels in a remark


class Watched(Wrapped):
    """A stream that counts labels, and how often they change from one round to the next."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self.changes = 0
        self.counts: Counter[Any] = Counter()

    def blocks(self) -> Iterator[Rounds]:
        """Yield the rounds."""
        self.changes, self.counts, last = 0, Counter(), None
        for rounds in self.stream.blocks():
            labels = label_array(rounds.labels)
            if len(labels):
                self.counts.update(labels.tolist())
                self.changes += int(np.count_nonzero(labels[1:] != labels[:-1]))
                self.changes += last is not None and last[0] != labels[0]
                last = labels[-1:]
            yield rounds


def check_positive(ledger: Ledger, stream: Stream) -> None:
    """Refuse a positive label that no row has, where the rows have several others."""
    positive = stream.positive
    if positive is None or ledger.rounds_by_label.get(positive) or len(ledger.labels) != 2:
        return
    if ledger.labels[0] == f"not {positive}":
        raise UsageError(
            f"--positive: expected a label of {stream.name}, got {positive!r}, which no row has. "
            "Write it as the file does: capitals and blanks count."
        )


def about_negative(run: Run) -> list[str]:
    """Return a remark that names the labels which count as negative, where they are several."""
    others = list(getattr(run.labels, "others", ()))
    if len(others) < 2:
        return []
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    shown = ", ".join(map(repr, others[:_NAMED])) + more
    return [
        f"the labels {shown} count as one, the negative, which is called {run.labels.pair[0]!r}. "
        "To tell them apart, use --learner multiclass without --positive."
    ]


def remark(ledger: Ledger, watched: Watched, again: bool) -> None:
    """Say on stderr what makes the mistakes of a run say little."""
    if again:
        print(
            f"remark: {watched.name} was learned from before: unless the file is another by now, "
            "its rounds are not fresh, and there is no bound of the error to come.",
            file=sys.stderr,
        )
    if sum(map(bool, ledger.rounds_by_label.values())) < 2:
        print("remark: every row has the same label; nothing was told apart.", file=sys.stderr)
        return
    counts, rounds = watched.counts.values(), watched.counts.total() or 1
    random = rounds - sum(count * count for count in counts) / rounds
    few = max(2 * len(counts), random / 100)
    if ledger.passes == 1 and random >= 10 and watched.changes < few:
        print(
            f"remark: the label changes {watched.changes} times, and some {random:.0f} times in a "
            "random order. The rows look sorted by label: then few mistakes say little. Shuffle "
            "them, unless the order is what you care for.",
            file=sys.stderr,
        )


def ticking(seconds: float) -> None:
    """Say on stderr how long a comparator has been looked for."""
    print(f"\rlooking for bounds: {seconds:.0f} s", end=" ", file=sys.stderr, flush=True)
