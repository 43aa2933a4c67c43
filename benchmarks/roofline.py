"""What memory allows: ``python -m benchmarks.roofline``.

Times the loops of roofline.cpp on the data of the benchmarks, on one core, and prints the bytes
that they read and the rate: a pass that reads the same bytes cannot be faster.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.documents import by_frequency, documents
from benchmarks.exactness import compiled, pointer

TURNS = 9


def main() -> None:
    library = compiled("roofline.cpp")
    print("| loop | read | time | rate |\n|---|---|---|---|")
    for name, dtype in (("float64", np.float64), ("float32", np.float32)):
        for rows in (500_000, 200_000):
            D = np.random.default_rng(0).standard_normal((rows, 200), np.float32).astype(dtype)
            _print(f"dense {rows // 1000}k × 200, {name}, read", D.nbytes, _reading(library, D))
    X, _ = documents(500_000, 47_000, 76, 0.15)
    _sparse(library, "sparse 500k", X)
    X, _ = documents(200_000, 47_000, 76, 0.15)
    _sparse(library, "sparse 200k, columns by frequency", by_frequency(X))
    X, _ = documents(200_000, 47_000, 76, 0.4, topics=16)
    _classes(library, X)


def _reading(library: ctypes.CDLL, array: Any) -> Callable[[], Any]:
    return lambda: library.read_words(pointer(array), ctypes.c_size_t(array.nbytes // 8))


def _sparse(library: ctypes.CDLL, name: str, X: Any) -> None:
    entries = X.indices.nbytes + X.data.nbytes
    w = np.random.default_rng(1).standard_normal(X.shape[1])

    def read() -> None:
        _reading(library, X.indices)()
        _reading(library, X.data)()

    _print(f"{name}, read", entries, read)
    _print(f"{name}, read and gather 8 bytes", entries, _gathering(library.gather, w, X))


def _classes(library: ctypes.CDLL, X: Any) -> None:
    w = np.random.default_rng(1).standard_normal((X.shape[1], 16))
    entries = X.indices.nbytes + X.data.nbytes
    for name, table, loop in (
        ("doubles", w, library.gather_classes),
        ("floats", w.astype(np.float32), library.gather_classes_narrow),
    ):
        size = 16 * table.itemsize
        work = f"sparse 200k, read and gather {size} bytes (16 {name})"
        _print(work, entries + size * X.nnz, _gathering(loop, table, X))


def _gathering(loop: Any, w: Any, X: Any) -> Callable[[], Any]:
    return lambda: loop(pointer(w), pointer(X.indices), pointer(X.data), ctypes.c_size_t(X.nnz))


def _print(name: str, size: int, call: Callable[[], Any]) -> None:
    call()
    seconds = statistics.median(_seconds(call) for _ in range(TURNS))
    print(
        f"| {name} | {size / 1e6:.0f} MB | {seconds * 1e3:.1f} ms "
        f"| {size / seconds / 1e9:.0f} GB/s |",
        flush=True,
    )


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
