"""A first look: the perceptron family on data that is really there.

Run it with ``make demo`` or ``python -m novikoff.demo``.
"""

import time
from collections.abc import Iterator

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from novikoff.learners import (
    AveragedPerceptron,
    Learner,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.loop import Run, play
from novikoff.streams import Rounds, Stream, stream
from novikoff.streams.block import SparseBlock

_ROUNDS, _FEATURES, _ACTIVE, _ROWS = 1_000_000, 100_000, 20, 20_000


class GeneratedStream(Stream):
    """Sparse rounds made as they are played: 20 of 100,000 features, two kinds of rows."""

    name = "generated"
    replayable = True

    @property
    def rounds(self) -> int:
        """A million."""
        return _ROUNDS

    def blocks(self) -> Iterator[Rounds]:
        """Yield blocks of 20,000 rows, the same ones every time."""
        starts = np.arange(0, _ROWS * _ACTIVE + 1, _ACTIVE, dtype=np.int32)
        offsets = np.arange(_ACTIVE, dtype=np.int32)
        for seed in range(_ROUNDS // _ROWS):
            rng = np.random.default_rng(seed)
            y = rng.choice([-1, 1], _ROWS)
            # Low features are common, and more so in one kind of rows.
            spread = np.where(y > 0, 4.0, 1.5)[:, None]
            drawn = rng.random((_ROWS, _ACTIVE)) ** spread * (_FEATURES - _ACTIVE)
            indices = np.sort(drawn.astype(np.int32), axis=1) + offsets
            values = rng.exponential(size=_ROWS * _ACTIVE).astype(np.float32)
            yield Rounds(SparseBlock(starts, indices.ravel(), values, _FEATURES), y)


def _bundled() -> dict[str, Stream]:
    """Two sets that scikit-learn ships."""
    try:
        from sklearn.datasets import load_breast_cancer, load_digits
    except ImportError:
        raise SystemExit(
            "demo: expected scikit-learn, whose bundled data it plays, got none. "
            "Install it with: pip install novikoff[demo]"
        ) from None
    X, y = load_breast_cancer(return_X_y=True)
    digits, target = load_digits(return_X_y=True)
    return {
        "cancer": stream((X - X.mean(axis=0)) / X.std(axis=0), y),
        "digits": stream(digits, target),
    }


def _timed(learner: Learner, source: Stream, progress: bool = False) -> tuple[Run, float]:
    began = time.perf_counter()
    run = play(learner, source, progress=progress)
    return run, time.perf_counter() - began


def main() -> None:
    """Play each learner once and print what its ledger says."""
    sets = _bundled()
    million = GeneratedStream()
    plays: list[tuple[str, Stream, Learner]] = [
        ("cancer", sets["cancer"], Perceptron(bias=1.0)),
        ("cancer", sets["cancer"], AveragedPerceptron(bias=1.0)),
        ("cancer", sets["cancer"], VotedPerceptron(bias=1.0)),
        ("digits", sets["digits"], MulticlassPerceptron(bias=1.0)),
        ("generated", million, Perceptron()),
        ("generated", million, AveragedPerceptron()),
    ]
    table = Table(
        title="One pass each: predict, be told, update on a mistake",
        box=SIMPLE,
        padding=(0, 1),
        pad_edge=False,
    )
    for heading in ("stream", "learner"):
        table.add_column(heading, no_wrap=True)
    for heading in ("rounds", "mistakes", "error", "rounds/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, source, learner in plays:
        run, seconds = _timed(learner, source, progress=source is million)
        ledger = run.ledger
        table.add_row(
            name,
            ledger.learner,
            f"{ledger.rounds:,}",
            f"{ledger.mistakes:,}",
            f"{ledger.error_rate:.4f}",
            f"{ledger.rounds / seconds / 1e6:.1f}M",
        )
    console = Console()
    console.print(table)
    console.print("generated: a million sparse rounds, made while they are played.")


if __name__ == "__main__":
    main()
