"""Run every benchmark, or those named, and print one table: ``python -m benchmarks [name …]``."""

import platform
import sys
from datetime import date

import sklearn

import novikoff as nv
from benchmarks import (
    bandits,
    comparators,
    dense,
    dicts,
    exactness,
    files,
    halving,
    hashed,
    kernel,
    losses,
    margins,
    multiclass,
    python_rounds,
    small,
    sparse,
    startup,
    tagging,
)
from benchmarks.timing import Row
from novikoff import _core

SUITES = {
    "sparse": sparse.rows,
    "hashed": hashed.rows,
    "dense": dense.rows,
    "multiclass": multiclass.rows,
    "small": small.rows,
    "dicts": dicts.rows,
    "python_rounds": python_rounds.rows,
    "kernel": kernel.rows,
    "losses": losses.rows,
    "bandits": bandits.rows,
    "margins": margins.rows,
    "comparators": comparators.rows,
    "files": files.rows,
    "startup": startup.rows,
    "tagging": tagging.rows,
    "exactness": exactness.rows,
    "halving": halving.rows,
}


def main(names: list[str]) -> None:
    unknown = set(names) - set(SUITES)
    if unknown:
        raise SystemExit(f"benchmarks: expected {', '.join(SUITES)}, got {', '.join(unknown)}.")
    print(
        f"{date.today()}, novikoff {nv.__version__} ({_core.cpu()}), scikit-learn "
        f"{sklearn.__version__}, Python {platform.python_version()}, {platform.machine()}\n"
    )
    print(Row.heading())
    for name in names or SUITES:
        for row in SUITES[name]():
            print(row.line(), flush=True)


main(sys.argv[1:])
