"""Parameter mixing on real sets and on more than ten gigabytes.

    python -m reproductions.shards                      # two real sets, P = 1, 2, 4, … 32
    python -m reproductions.shards write FOLDER 10      # ten gigabytes of generated svmlight
    python -m reproductions.shards play FOLDER 16 2     # P shards, N epochs, certified

Certificates of the real sets are verified. The rows of the generated set are not kept in memory:
certifying reads them once for each epoch and once more.
"""

import json
import math
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff import cluster
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
    """Play the files of a folder in shards, and certify the run; the certificate is kept there."""
    files = str(folder / "*.svm")
    size = sum(file.stat().st_size for file in folder.glob("*.svm"))
    began = time.perf_counter()
    run = cluster.play(nv.Perceptron(), files, shards=shards, epochs=epochs, address=address)
    played = time.perf_counter()
    before = _peak()
    certificate = nv.certify(run)
    certificate.save(folder / "certificate.json")
    return {
        "gigabytes": round(size / 1e9, 2), "shards": shards, "epochs": epochs,
        "rounds": run.ledger.rounds, "mistakes": run.mistakes,
        "by_epoch": cluster.mistakes_by_shard(run).sum(axis=1).tolist(),
        "bound": certificate.bound, "play_s": round(played - began, 1),
        "certify_s": round(time.perf_counter() - played, 1),
        "peak_mb_played": before, "peak_mb_certified": _peak(),
    }  # fmt: skip


def _peak() -> int:
    """Return the most megabytes that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 10**6


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
