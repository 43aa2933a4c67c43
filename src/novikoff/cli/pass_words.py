"""What ``learn`` says about several passes: how the first one went, and whether one was clean."""

from typing import TypedDict

import numpy as np

from novikoff.playing.ledger import Ledger, counted


class FirstPassAnswer(TypedDict):
    """How the first pass went, in which each row was new."""

    rounds: int
    mistakes: int
    error_rate: float


def first_pass(ledger: Ledger) -> FirstPassAnswer | None:
    """Return how the first of several equal passes over one stream went; None if there is none."""
    if ledger.passes < 2 or not ledger.judges or ledger.rounds % ledger.passes:
        return None
    rounds = ledger.rounds // ledger.passes
    mistakes = int(np.searchsorted(ledger.mistake_rounds, rounds, side="right"))
    return {"rounds": rounds, "mistakes": mistakes, "error_rate": mistakes / rounds}


def show_passes(first: FirstPassAnswer | None, passes: int, clean: bool | None) -> None:
    """Print how the first pass went, and whether a clean one came; None if nobody waited for it."""
    if first is not None:
        print(
            f"in the first of {passes:,} passes, when each row was new: wrong on "
            f"{first['error_rate']:.2%} of {counted(first['rounds'], 'round')}"
        )
    if clean:
        print("clean: the last pass made no mistake")
    elif clean is not None:
        print(
            "not clean: the last pass that was allowed still made mistakes. Allow more with "
            "--max-passes N."
        )
