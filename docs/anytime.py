"""The tables of batch.md and testing_a_model.md: ``python docs/anytime.py`` prints them.

The sets are those of the quality table (docs/reproductions.md), in the folder NOVIKOFF_DATA names.
"""

from pathlib import Path

import novikoff as nv
from novikoff.receipts.error_bounds import hoeffding_bound, mixture_bound, progressive_bound
from novikoff.receipts.fresh_bounds import clopper_pearson
from novikoff.receipts.remarks import shown_places
from reproductions import quality_sets, sets

SETS = (
    "mushrooms", "sms_spam", "w8a", "ijcnn1", "svmguide1", "spambase", "adult", "a9a", "magic04",
)  # fmt: skip


def percent(share: float) -> str:
    """Return a bound in per cent, rounded upward."""
    return shown_places(100 * share, 2)


def bounds(mistakes: int, rounds: int) -> str:
    """Return the cells that depend on counts alone: bounds at one T, and at all T at once."""
    forms = (hoeffding_bound, clopper_pearson, progressive_bound, mixture_bound)
    return " | ".join(percent(form(mistakes, rounds)) for form in forms)


def progressive(name: str, folder: Path) -> str:
    """Return a line of the table of one pass over a whole set."""
    rounds = quality_sets.load(name, folder)
    ledger = nv.play(nv.Blend(), nv.stream(rounds.X, rounds.y)).ledger
    made, total = ledger.mistakes, ledger.rounds
    return f"| {name} | {total:,} | {made:,} | {100 * made / total:.2f} | {bounds(made, total)} |"


def held_out(name: str, folder: Path) -> str:
    """Return a line of the table of models that learned four fifths and were tested on the rest."""
    X, y, _ = quality_sets.load(name, folder)
    cut = len(y) * 4 // 5
    run = nv.play(nv.Blend(), nv.stream(X[:cut], y[:cut]))
    found = nv.test(run, nv.stream(X[cut:], y[cut:]))
    assert found.loss is not None
    return (
        f"| {name} | {found.rows:,} | {100 * found.error_rate:.2f} | {percent(found.error_bound)} "
        f"| {percent(nv.error_bound(run.ledger).value)} | {100 * found.majority_error:.2f} "
        f"| {found.loss.mean:.3f} | {shown_places(found.loss.bound, 3)} | {found.entropy:.3f} |"
    )


if __name__ == "__main__":
    data = sets.data_folder()
    for line in (progressive, held_out):
        print(*(line(name, data) for name in SETS), sep="\n", end="\n\n")
