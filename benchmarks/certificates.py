"""Seconds to certify a perceptron on a million sparse rows, and to verify it alone.

``python -m benchmarks.certificates [ROWS]``. Nobody else writes certificates, so there is no peer.
"""

import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import novikoff as nv
from benchmarks.documents import documents
from novikoff import verifier
from novikoff.receipts.reread_rounds import kept


def main(rounds: int) -> None:
    print("| rows | learn | bounds | certify | verify, stand-alone |\n|---|---|---|---|---|")
    for topical in (0.25, 0.15):  # the lower, the harder to tell the topics
        X, y = documents(rounds, 47_000, 32, topical)
        _print(f"{rounds:,} × 47k, 32 decimals, {topical}", X, y, 4)
        X, y = documents(rounds, 200_000, 30, topical, columns=2**22, binary=True)
        _print(f"{rounds:,} × 2²², 30 ones, {topical}", X, y, 1)


def _print(work: str, X: Any, y: Any, digits: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, certificate = Path(folder) / "data.svm", Path(folder) / "certificate.json"
        _write(data, X, y, digits)
        began = time.perf_counter()
        run = nv.play(nv.Perceptron(), nv.read(data))
        learned = time.perf_counter()
        rows = kept(nv.read(data))
        found = nv.bounds(run, rows)
        bounded = time.perf_counter()
        nv.certify(run, rows, found=found).save(certificate)
        certified = time.perf_counter()
        command = [sys.executable, verifier.__file__, str(certificate), str(data)]
        subprocess.run(command, check=True, capture_output=True)
        times = (began, learned, bounded, certified, time.perf_counter())
    spent = [f"{b - a:.1f} s" for a, b in pairwise(times)]
    print(f"| {work} | {' | '.join(spent)} |", flush=True)


def _write(path: Path, X: Any, y: Any, digits: int) -> None:
    with path.open("w") as file:
        for t in range(X.shape[0]):
            row = slice(X.indptr[t], X.indptr[t + 1])
            pairs = zip((X.indices[row] + 1).tolist(), X.data[row].tolist(), strict=True)
            items = " ".join(f"{j}:{v:.{digits}g}" for j, v in pairs)
            file.write(f"{1 if y[t] else -1} {items}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
