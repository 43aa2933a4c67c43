"""Parameter mixing on real sets and on more than ten gigabytes.

    python -m reproductions.shards                      # two real sets, P = 1, 2, 4, … 32
    python -m reproductions.shards write FOLDER 10      # ten gigabytes of generated svmlight
    python -m reproductions.shards play FOLDER 16 2     # P shards, N epochs: mistakes and bound

Certificates of the real sets are verified. A certificate of the generated set would keep all its
rows in memory, so its bound is evaluated here instead, in two passes over the files: the comparator
is the teacher that labelled the rows, or the run's own weights, scaled to make the bound small.
"""

import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff import cluster
from novikoff.comparators.soft_margin import Found
from novikoff.receipts.mixing_family import rounding
from novikoff.streams.blocks.block import SparseBlock
from novikoff.theory import named
from reproductions.sets import data_folder, svmlight

SETS = {"mushrooms": ("mushrooms/mushrooms.gz", 1.0), "a9a": ("a9a/a9a.gz", 1.0)}
SHARDS, EPOCHS = (1, 2, 4, 8, 16, 32), 5
_WORDS, _TOKENS, _FLIPPED, _TOGETHER = 1_999, 64, 0.02, 4096
_FILES, _WIDTH = 64, 7  # files, and bytes of a token


def real(name: str) -> Iterator[dict[str, Any]]:
    """Play a real set in P shards, in its order; certify and verify every run."""
    X, y = svmlight(*SETS[name], data_folder())
    rounds = nv.stream(X, y)
    for shards in SHARDS:
        run = cluster.play(nv.Perceptron(), rounds, shards=shards, epochs=EPOCHS)
        certificate = nv.certify(run)
        began = time.perf_counter()
        verdict = nv.verify(certificate, rounds)
        by_epoch = cluster.mistakes_by_shard(run).sum(axis=1).tolist()
        yield {
            "set": name, "shards": shards, "mistakes": run.mistakes, "by_epoch": by_epoch,
            "bound": certificate.bound, "verified": verdict.verified,
            "verify_s": round(time.perf_counter() - began, 1),
        }  # fmt: skip


def teacher() -> Any:
    """Return the weights that label the generated rows: −1 or +1 for each word."""
    return np.where(np.random.default_rng(1).random(_WORDS) < 0.5, -1, 1).astype(np.int8)


def write(folder: Path, gigabytes: float) -> None:
    """Write rows of words that are there or not, the first ones most often, in 64 files.

    The text of a row is as long as that of any other, so that NumPy writes many at once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = [f" {j + 1}:1".ljust(_WIDTH).encode() for j in range(_WORDS)] + [b" " * _WIDTH]
    table = np.frombuffer(b"".join(words), np.uint8).reshape(-1, _WIDTH)
    signs = np.append(teacher(), 0).astype(np.int16)
    row = 2 + _WIDTH * _TOKENS + 1
    blocks = math.ceil(gigabytes * 1e9 / _FILES / (row * _TOGETHER))
    for k in range(_FILES):
        rng = np.random.default_rng([2, k])
        with open(folder / f"{k:02}.svm", "wb") as file:
            for _ in range(blocks):
                j = (_WORDS * rng.random((_TOGETHER, _TOKENS), np.float32) ** 3).astype(np.int32)
                j.sort(axis=1)
                j[:, 1:][j[:, 1:] == j[:, :-1]] = _WORDS  # a blank
                y = (signs[j].sum(axis=1) >= 0) ^ (rng.random(_TOGETHER) < _FLIPPED)
                text = np.empty((_TOGETHER, row), np.uint8)
                text[:, :2] = np.where(y[:, None], list(b"+1"), list(b"-1"))
                text[:, 2:-1] = table[j].reshape(_TOGETHER, -1)
                text[:, -1] = ord("\n")
                file.write(text.tobytes())


def play(folder: Path, shards: int, epochs: int, address: str | None) -> dict[str, Any]:
    """Play the files of a folder in shards; return what was learned and the bound on it."""
    files = str(folder / "*.svm")
    size = sum(file.stat().st_size for file in folder.glob("*.svm"))
    began = time.perf_counter()
    run = cluster.play(nv.Perceptron(), files, shards=shards, epochs=epochs, address=address)
    played = time.perf_counter()
    found = bound(run, files)
    return {
        "gigabytes": round(size / 1e9, 2), "shards": shards, "epochs": epochs,
        "rounds": run.ledger.rounds, "mistakes": run.mistakes,
        "by_epoch": cluster.mistakes_by_shard(run).sum(axis=1).tolist(), **found,
        "play_s": round(played - began, 1), "bound_s": round(time.perf_counter() - played, 1),
    }  # fmt: skip


def bound(run: nv.Run, files: str) -> dict[str, Any]:
    """Evaluate the theorem for the better of two comparators, each in nearly its best scale.

    Sums of losses are of floats; 10⁻⁹ is added to each, in proportion, which is more than they err.
    """
    own = run.learner.core.halfspace()[1]
    candidates = {"teacher": teacher().astype(float), "the run's own weights": own}
    spread = {name: (w, np.linspace(-64.0, 64.0, 4097)) for name, w in candidates.items()}
    counts = {name: np.zeros(4096) for name in spread}
    scales, radius2 = {}, 0
    for X, y in _rows(files, len(own)):
        radius2 = max(radius2, int(np.diff(X.indptr).max()))
        for name, (w, edges) in spread.items():
            size = 64.0 / max(np.abs(w).max() * 8, 1e-300)  # most margins are below 8 words'
            counts[name] += np.histogram(np.clip(y * (X @ w) * size, -63.9, 63.9), edges)[0]
            scales[name] = size
    best = {n: _scaled(run, w, counts[n], e, scales[n], radius2) for n, (w, e) in spread.items()}
    losses = dict.fromkeys(best, 0.0)
    for X, y in _rows(files, len(own)):
        for name, w in best.items():
            losses[name] += float(np.maximum(0.0, 1.0 - y * (X @ w)).sum())
    values = {name: _value(run, w, losses[name] * (1 + 1e-9), radius2) for name, w in best.items()}
    name = min(values, key=values.__getitem__)
    return {"bound": values[name], "comparator": name, "radius2": radius2, "bounds": values}


def _scaled(run: nv.Run, w: Any, counts: Any, edges: Any, unit: float, radius2: int) -> Any:
    """Return the multiple of w that makes the bound about least, by the counts of margins."""
    middles = (edges[1:] + edges[:-1]) / 2 / unit

    def value(scale: float) -> float:
        return _value(run, scale * w, float(counts @ np.maximum(0, 1 - scale * middles)), radius2)

    scales = np.exp(np.linspace(np.log(1e-6), np.log(10.0), 200))
    return w * min(scales.tolist(), key=value)


def _value(run: nv.Run, w: Any, loss: float, radius2: int) -> float:
    """Evaluate the theorem with a comparator whose losses in one pass are known."""
    product, square = rounding(run.learner, Found(w, 0.0, 0.0, 0.0, 0.0, 0.0))
    evidence = {
        "radius2": radius2, "norm2": float(w @ w) * (1 + 1e-9),
        "hinge": run.learner.epochs * loss, "shards": len(run.learner.shards),
        "rounding_product": product, "rounding_norm2": square,
    }  # fmt: skip
    return named("parameter-mixing").evaluate(evidence).value


def _rows(files: str, width: int) -> Iterator[tuple[Any, Any]]:
    """Yield blocks of rows and their labels, read again."""
    import scipy.sparse as sp

    for block, y, *_ in nv.read(files).blocks():
        assert isinstance(block, SparseBlock)
        rows = (block.values.astype(float), block.indices, block.starts)
        yield sp.csr_array(rows, shape=(len(y), width)), np.asarray(y)


def main(arguments: list[str]) -> None:
    """Write rows, play them, or play the real sets; print JSON lines."""
    if arguments[:1] == ["write"]:
        write(Path(arguments[1]), float(arguments[2]))
    elif arguments[:1] == ["play"]:
        address = arguments[4] if arguments[4:] else None
        print(json.dumps(play(Path(arguments[1]), int(arguments[2]), int(arguments[3]), address)))
    else:
        for name in SETS:
            for found in real(name):
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
