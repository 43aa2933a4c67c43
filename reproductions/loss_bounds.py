"""Blend's log loss beside what its theorem allows: ``python -m reproductions.loss_bounds FOLDER``.

Plays Blend once over every set as it is, finds the bound, certifies it and verifies the
certificate. The last two losses are those of the best fixed weights with their penalty: no u is
below the first, and one has the second. Sets may be named after the folder. Seconds are those of
the CPU.
"""

import math
import sys
import time
from pathlib import Path

import numpy as np

import novikoff as nv
from reproductions.sets import BINARY, Set

HEAD = (
    "| set | rounds | label frequencies | Blend | allowed | no u below | u | rate | bounds |"
    " verify |\n|" + "---|" * 10
)
STABILITY = {0.25: "stability_quarter", 1.0: "stability_one", 4.0: "stability_four"}


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
    ledger, rate = run.ledger, bound.comparator["rate"]
    paid = getattr(ledger, STABILITY[rate]) + math.log(11 * ledger.rounds)
    return (
        f"| {name} | {run.ledger.rounds} | {entropy(rounds[1]):.0f} | {run.ledger.loss:.0f} | "
        f"{math.ceil(bound.value)} | {certificate.content['evidence']['least']:.3f} | "
        f"{bound.value - paid:.3f} | {rate:g} | {searched:.1f} s | {verified:.1f} s |"
    )


if __name__ == "__main__":
    print(HEAD)
    for name, load in BINARY.items():
        if name in (sys.argv[2:] or BINARY):
            print(line(name, load(Path(sys.argv[1]))), flush=True)
