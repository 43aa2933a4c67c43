"""The tables of members.md: ``python docs/members.py`` prints them.

The sets are those of the quality table (docs/reproductions.md), in the folder NOVIKOFF_DATA names.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import novikoff as nv
from reproductions import quality_sets, sets

SETS = ("spambase", "adult", "a9a", "elec2", "sms_spam", "w8a")
LEARNERS: dict[str, Callable[[], nv.Learner]] = {
    "`BaseRate`": nv.BaseRate,
    "`AdaptiveGradient(1)`": lambda: nv.AdaptiveGradient(1.0, bias=1.0),
    "`NormalizedGradient(0.5)`": lambda: nv.NormalizedGradient(0.5, bias=1.0),
    "`NormalizedGradient(2)`": lambda: nv.NormalizedGradient(2.0, bias=1.0),
    "`CoinBetting`": lambda: nv.CoinBetting(bias=1.0),
    "`Arow`": lambda: nv.Arow(bias=1.0),
    "`OnlineNewton`": lambda: nv.OnlineNewton(bias=1.0),
    "**`Blend`**": nv.Blend,
}
FROZEN = ("spambase", "svmguide1", "adult", "a9a", "magic04", "ijcnn1", "sms_spam", "w8a")


def played(learner: Callable[[], nv.Learner], name: str, folder: Path) -> str:
    """Return the error in % and the mean log loss of one pass over a set."""
    rounds = quality_sets.load(name, folder)
    try:
        ledger = nv.play(learner(), nv.stream(rounds.X, rounds.y)).ledger
    except nv.InputError:
        return "–"
    return f"{100 * ledger.error_rate:.2f} / {ledger.mean_loss:.3f}"


def members(folder: Path, names: tuple[str, ...] = SETS) -> list[str]:
    """Return the lines of the table of members."""
    return [
        " | ".join(["", shown, *(played(make, name, folder) for name in names), ""]).strip()
        for shown, make in LEARNERS.items()
    ]


def frozen(name: str, folder: Path) -> str:
    """Return a line of the table of freezing: learn the first four fifths, judge the rest."""
    X, y, _ = quality_sets.load(name, folder)
    cut = len(y) * 4 // 5
    cells, ledger = [], None
    for blend in (nv.Blend(), *(nv.Blend(freeze="snapshots", seed=seed) for seed in range(3))):
        run = nv.play(blend, nv.stream(X[:cut], y[:cut]))
        p, up, ledger = blend.hypothesis().probabilities(X[cut:]), y[cut:] > 0, run.ledger
        loss = -np.log(np.where(up, p, 1 - p)).mean()
        cells.append((100 * np.mean((p >= 0.5) != up), loss))
    assert ledger is not None
    last, (error, loss) = cells[0], np.mean(cells[1:], axis=0)
    return (
        f"| {name} | {ledger.mean_loss:.3f} | {last[0]:.2f} / {last[1]:.3f} "
        f"| {error:.2f} / {loss:.3f} |"
    )


if __name__ == "__main__":
    found = sets.data_folder()
    print(*members(found), *(frozen(name, found) for name in FROZEN), sep="\n")
