"""LIBOL's protocol: ``python -m reproductions.libol FOLDER``.

Plays twenty random orders of the rows, one pass each, without a constant feature; a score of 0
predicts +1. Counts mistakes per round and updates, mean ± standard deviation (Hoi, Wang and Zhao,
JMLR 15, 2014). We do not have its own set, svmguide3, so we use the paper's protocol on other sets.
"""

import sys
from pathlib import Path
from statistics import mean, stdev

import numpy as np

import novikoff as nv
from reproductions.sets import BINARY, Set

ORDERS = 20
SETS = ("svmguide1", "german", "australian", "diabetes", "splice", "ionosphere", "a9a")
HEAD = "| set | rows | mistakes per round | updates |\n|---|---|---|---|"


def line(name: str, rounds: Set) -> str:
    """Play every order once."""
    X, y = rounds
    made = []
    for seed in range(ORDERS):
        order = np.random.default_rng(seed).permutation(len(y))
        made.append(nv.play(nv.Perceptron(), nv.stream(X[order], y[order])).mistakes)
    rates = [mistakes / len(y) for mistakes in made]
    return (
        f"| {name} | {len(y):,} | {mean(rates):.3f} ± {stdev(rates):.3f} | "
        f"{mean(made):.1f} ± {stdev(made):.1f} |"
    )


if __name__ == "__main__":
    print(HEAD)
    for name in SETS:
        print(line(name, BINARY[name](Path(sys.argv[1]))), flush=True)
