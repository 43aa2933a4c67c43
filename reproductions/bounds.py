"""Mistakes beside what the theorems allow, on real sets: ``python -m reproductions.bounds FOLDER``.

Plays the perceptron once over every set, finds the smallest bounds, and verifies a certificate.
"""

import sys
import time
from pathlib import Path

import novikoff as nv
from reproductions.sets import BINARY, Set

THEOREMS = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")
HEAD = (
    "| set | rounds | M | " + " | ".join(f"`{name}`" for name in THEOREMS) + " | certified | "
    "bounds | verify |\n|" + "---|" * (6 + len(THEOREMS))
)


def line(name: str, rounds: Set) -> str:
    """Play one pass, bound it, certify the smallest bound and verify the certificate."""
    stream = nv.stream(*rounds)
    run = nv.play(nv.Perceptron(), stream)
    began = time.perf_counter()
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    searched = time.perf_counter() - began
    certificate = nv.certify(run, found=list(found.values()))
    began = time.perf_counter()
    verdict = nv.verify(certificate, stream)
    verified = time.perf_counter() - began
    if not verdict.verified:
        raise SystemExit(f"{name}: {verdict.reason}")
    cells = []
    for theorem in THEOREMS:
        bound = found.get(theorem)
        gap = f" (−{bound.gap:.1f})" if bound and bound.gap is not None else ""
        cells.append("" if bound is None else f"{_short(bound.value)}{gap}")
    return (
        f"| {name} | {run.ledger.rounds} | {run.mistakes} | {' | '.join(cells)} | "
        f"{certificate.theorem} | {searched:.1f} s | {verified:.1f} s |"
    )


def _short(value: float) -> str:
    """Return a bound in a few letters: one that says nothing should not fill a column."""
    return f"{value:.1f}" if value < 1e7 else f"{value:.2e}"


if __name__ == "__main__":
    print(HEAD)
    for name, load in BINARY.items():
        print(line(name, load(Path(sys.argv[1]))), flush=True)
