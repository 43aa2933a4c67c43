"""Run every benchmark, or those named, and print one table: ``python -m benchmarks [name …]``.

It then says which rows moved, against those of RESULTS.md, by more than their spread. ``--write``
puts the new rows there.
"""

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
from benchmarks.table import HEADING, RESULTS, committed, replaced, said
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


def main(arguments: list[str]) -> None:
    write = "--write" in arguments
    names = [name for name in arguments if name != "--write"]
    unknown = set(names) - set(SUITES)
    if unknown:
        raise SystemExit(f"benchmarks: expected {', '.join(SUITES)}, got {', '.join(unknown)}.")
    print(
        f"{date.today()}, novikoff {nv.__version__} ({_core.cpu()}), scikit-learn "
        f"{sklearn.__version__}, Python {platform.python_version()}, {platform.machine()}\n"
    )
    text = RESULTS.read_text("utf-8")
    before, rows = committed(text), []
    print(HEADING)
    for name in names or SUITES:
        for row in SUITES[name]():
            rows.append(row)
            print(row.line(), flush=True)
    changes = [change for row in rows if (change := said(row, before.get(row.work)))]
    print("", *(changes or ["Nothing moved by more than its spread."]), sep="\n")
    if write:
        RESULTS.write_text(replaced(text, rows), "utf-8")


main(sys.argv[1:])
