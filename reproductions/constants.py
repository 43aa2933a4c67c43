"""How large a constant feature should be: ``python -m reproductions.constants FOLDER``.

One pass of the multiclass perceptron over the rows in a random order, without a constant feature,
with a constant of 1, and with one of the size of a typical value (``learn --bias auto``).
"""

import sys
from pathlib import Path

import numpy as np

import novikoff as nv
from novikoff.streams.typical_values import typical_value
from reproductions.sets import CLASSES, Set

HEAD = "| set | classes | no constant | 1 | auto | which is |\n|---|---|---|---|---|---|"


def line(name: str, rounds: Set) -> str:
    """Play the rows with each constant."""
    X, y = rounds
    order = np.random.default_rng(0).permutation(len(y))
    stream = nv.stream(X[order], y[order])
    auto = typical_value(stream)
    cells = [_cell(stream, bias) for bias in (None, 1.0, auto)]
    return f"| {name} | {len(set(y))} | {' | '.join(cells)} | {auto:g} |"


def _cell(stream: nv.Stream, bias: float | None) -> str:
    ledger = nv.play(nv.MulticlassPerceptron(bias=bias), stream).ledger
    return f"{100 * ledger.error_rate:.2f} ({ledger.radius**2:.3f})"


if __name__ == "__main__":
    print(HEAD)
    for name, read in CLASSES.items():
        print(line(name, read(Path(sys.argv[1]))), flush=True)
