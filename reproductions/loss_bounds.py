"""Blend's log loss beside what its theorem allows: ``python -m reproductions.loss_bounds FOLDER``.

Plays Blend once over every set as it is, finds the bound, certifies it and verifies the
certificate. Sets may be named after the folder; those of many classes come last, their rows in the
order of ``reproductions.quality``. Seconds are those of the CPU.
"""

import math
import sys
import time
from pathlib import Path

import numpy as np

import novikoff as nv
from reproductions.quality_sets import MANY, load
from reproductions.sets import BINARY, Set

CLASS_RATE = 0.5  # of the only member for many classes that has a theorem
HEAD = (
    "| set | rounds | label frequencies | Blend | allowed | rate | bounds | verify |\n|"
    + "---|" * 8
)


def entropy(y: object) -> float:
    """Return the loss of predicting the frequency of each label in all rounds."""
    _, counts = np.unique(np.asarray(y), return_counts=True)
    return float(-(counts * np.log(counts / counts.sum())).sum())


def line(name: str, rounds: Set) -> str:
    """Play one pass, bound its loss, certify the bound and verify the certificate."""
    stream = nv.stream(*rounds)
    run = nv.play(nv.Blend(), stream)
    began = time.process_time()
    (bound,) = nv.bounds(run)
    searched = time.process_time() - began
    certificate = nv.certify(run, found=[bound])
    began = time.process_time()
    verdict = nv.verify(certificate, stream)
    verified = time.process_time() - began
    if not verdict.verified:
        raise SystemExit(f"{name}: {verdict.reason}")
    rate = bound.comparator.get("rate", CLASS_RATE)
    return (
        f"| {name} | {run.ledger.rounds} | {entropy(rounds[1]):.0f} | {run.ledger.loss:.0f} | "
        f"{math.ceil(bound.value)} | {rate:g} | {searched:.1f} s | "
        f"{verified:.1f} s |"
    )


if __name__ == "__main__":
    print(HEAD)
    folder, chosen = Path(sys.argv[1]), sys.argv[2:] or [*BINARY, *MANY]
    for name, read in BINARY.items():
        if name in chosen:
            print(line(name, read(folder)), flush=True)
    for name in MANY:
        if name in chosen:
            found = load(name, folder)
            print(line(name, (found.X, found.y)), flush=True)
