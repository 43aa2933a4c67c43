"""The whole story in one go: learn from real cells and made-up mail, certify, verify, draw.

Run it with ``make demo`` or ``novikoff demo``. scikit-learn ships the cells and a small grammar
makes up the mail, so the demo needs no file except those it writes.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from novikoff.streams import Rounds, Stream
from novikoff.streams.blocks.block import SparseBlock

_ROUNDS, _FEATURES, _ACTIVE, _ROWS = 1_000_000, 100_000, 20, 20_000
_MESSAGES = 5_000
_UNSEEN = 3
NEW_MAIL = ("claim your free prize now", "see you at the lake on Sunday")
_NAMES = ["Ann", "Bob", "Chloe", "David", "Emma", "Farid", "Grace", "Hiro", "Ines", "Jonas"]
_PLACES = ["the office", "the station", "home", "the café", "the lake", "grandma's"]
_HAM = (
    "Are you coming to {place} on {day}? {name} is asking",
    "Running late, see you at {place} at {number}",
    "{name} sent the notes for {day}, could you read them before we meet?",
    "Thanks for {day}, it was lovely. Say hello to {name}",
    "The train is free of charge on {day}, so meet {name} at {place}",
    "Did you win the game on {day}? {name} says you did",
)
_SPAM = (
    "WINNER! You have won {number}00 pounds, call now to claim your prize",
    "Free entry every {day}: text WIN to {number}0 now",
    "Urgent: your account {number}7 is locked, click to claim your money",
    "{name}, cheap loans today only, reply YES for cash before {day}",
    "Exclusive offer: free phone, free minutes, just text {number}5",
    "Meet singles near {place} now, call {number}9",
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def mail(count: int = _MESSAGES, seed: int = 0) -> Iterator[str]:
    """Yield lines ``label<TAB>text``; one in fifty has the wrong label."""
    rng = np.random.default_rng(seed)

    def one_of(choices: tuple[str, ...] | list[str]) -> str:
        return choices[int(rng.integers(len(choices)))]

    for _ in range(count):
        spam = rng.random() < 0.3
        text = one_of(_SPAM if spam else _HAM).format(
            name=one_of(_NAMES),
            place=one_of(_PLACES),
            day=one_of(_DAYS),
            number=int(rng.integers(1, 100)),
        )
        label = "spam" if spam != (rng.random() < 0.02) else "ham"
        yield f"{label}\t{text}\n"


def write_mail(folder: Path) -> Path:
    """Write the mail to a file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "mail.txt"
    file.write_text("".join(mail()), encoding="utf-8")
    return file


def write_new_mail(folder: Path) -> Path:
    """Write two messages that nobody has labelled."""
    file = folder / "new_mail.txt"
    file.write_text("".join(f"{text}\n" for text in NEW_MAIL), encoding="utf-8")
    return file


def write_cells(folder: Path) -> tuple[Path, Path]:
    """Write the tumours that scikit-learn ships as CSV, the last three apart and without labels.

    The columns keep their raw scales: the smallest value other than 0 is 0.0007, the largest 4,254.
    """
    from sklearn.datasets import load_breast_cancer

    folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    names = [str(name) for name in data.feature_names]
    rows = data.data.tolist()
    labels = [str(data.target_names[target]) for target in data.target]
    known = [[*row, label] for row, label in zip(rows, labels, strict=True)]
    learned, unseen = folder / "breast_cancer.csv", folder / "new_tumours.csv"
    _write_table(learned, [*names, "diagnosis"], known[:-_UNSEEN])
    _write_table(unseen, names, rows[-_UNSEEN:])
    return learned, unseen


def _write_table(file: Path, names: list[str], rows: list[list[object]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([names, *rows])


class GeneratedStream(Stream):
    """Sparse rounds, generated during play: 20 of 100,000 features, two kinds of rows."""

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
