"""The table of receipts.md, on real sets: ``python docs/receipts.py FOLDER`` prints it.

FOLDER holds the sets in the layout of their names below; none of them is part of this project.
"""

import gzip
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv

Rounds = Any
THEOREMS = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")


def svmlight(path: Path, positive: Any) -> Rounds:
    """Stream an svmlight file."""
    from sklearn.datasets import load_svmlight_file

    with gzip.open(path) as file:
        X, y = load_svmlight_file(file)
    return nv.stream(X, np.where(y == positive, 1, -1))


def spambase(path: Path) -> Rounds:
    """Stream spambase, its rows in an order drawn once: the file is sorted by class."""
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    table = np.random.default_rng(0).permutation(table)
    return nv.stream(table[:, :-1], table[:, -1].astype(int))


def words(path: Path) -> Rounds:
    """Stream messages as dicts of the words they hold."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    rows = [dict.fromkeys(re.findall(r"[a-z']+", text.lower()), 1.0) for _, text in lines]
    return nv.stream(rows, [1 if label == "spam" else -1 for label, _ in lines])


def digits(folder: Path, one: int, other: int) -> Rounds:
    """Stream two of MNIST's digits, pixels between 0 and 1."""
    raw = []
    for name in ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"):
        with gzip.open(folder / name) as file:
            raw.append(np.frombuffer(file.read(), np.uint8))
    images, labels = raw[0][16:].reshape(-1, 784), raw[1][8:]
    chosen = np.isin(labels, (one, other))
    return nv.stream(images[chosen] / np.float32(256), np.where(labels[chosen] == one, 1, -1))


def sets(folder: Path) -> Iterator[tuple[str, Rounds]]:
    """Yield the sets of the table."""
    yield "a9a", svmlight(folder / "a9a/a9a.gz", 1)
    yield "w8a", svmlight(folder / "w8a/w8a.gz", 1)
    yield "mushrooms", svmlight(folder / "mushrooms/mushrooms.gz", 2)
    yield "spambase", spambase(folder / "spambase/spambase.data.gz")
    yield "svmguide1", svmlight(folder / "svmguide1/svmguide1.gz", 1)
    yield "german", svmlight(folder / "libsvm_small/german.numer_scale.gz", 1)
    yield "sms_spam, words", words(folder / "sms_spam/SMSSpamCollection.gz")
    yield "MNIST 3 vs 8", digits(folder / "mnist", 3, 8)


def line(name: str, stream: Rounds) -> str:
    """Play one pass, bound it, certify the least bound and verify the certificate."""
    run = nv.play(nv.Perceptron(), stream)
    began = time.perf_counter()
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    searched = time.perf_counter() - began
    certificate = nv.certify(run)
    began = time.perf_counter()
    verdict = nv.verify(certificate, stream)
    verified = time.perf_counter() - began
    if not verdict.verified:
        raise SystemExit(f"{name}: {verdict.reason}")
    cells = []
    for theorem in THEOREMS:
        bound = found.get(theorem)
        gap = f" (−{bound.gap:.1f})" if bound and bound.gap is not None else ""
        cells.append("" if bound is None else f"{bound.value:.1f}{gap}")
    return (
        f"| {name} | {run.ledger.rounds} | {run.mistakes} | {' | '.join(cells)} | "
        f"{certificate.theorem} | {searched:.1f} s | {verified:.1f} s |"
    )


if __name__ == "__main__":
    for name, stream in sets(Path(sys.argv[1])):
        print(line(name, stream), flush=True)
