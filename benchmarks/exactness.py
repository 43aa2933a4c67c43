"""What exact decisions, radius and checks cost beside a plain float loop (plain.cpp)."""

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.documents import documents
from benchmarks.peer import ours
from benchmarks.table import Row
from benchmarks.timing import compare

FLAGS = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]


def compiled(name: str) -> ctypes.CDLL:
    """Compile a source of this folder, and load it."""
    source = Path(__file__).with_name(name)
    library = Path(tempfile.mkdtemp()) / f"{source.stem}.so"
    subprocess.run(["g++", *FLAGS, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def rows() -> Iterator[Row]:
    library = compiled("plain.cpp")
    X, y = documents(500_000, 47_000, 76, 0.15)
    signs = np.where(y > 0, 1, -1).astype(np.int8)

    def sparse() -> int:
        w = np.zeros(X.shape[1])
        arrays = map(pointer, (w, X.indptr, X.indices, X.data, signs))
        return int(library.play_sparse(*arrays, ctypes.c_size_t(len(signs))))

    yield _compared(
        "exactness: sparse, against a plain loop", sparse, ours(nv.Perceptron, X, signs)
    )
    rng = np.random.default_rng(0)
    D = rng.standard_normal((500_000, 200))
    labels = np.where(D @ rng.standard_normal(200) + 3 * rng.standard_normal(500_000) >= 0, 1, -1)
    signs = labels.astype(np.int8)

    def dense() -> int:
        w = np.zeros(200)
        columns, count = ctypes.c_size_t(200), ctypes.c_size_t(len(signs))
        return int(library.play_dense(pointer(w), pointer(D), columns, pointer(signs), count))

    yield _compared("exactness: dense, against a plain loop", dense, ours(nv.Perceptron, D, signs))


def _compared(work: str, plain: Callable[[], int], run: Callable[[], nv.Run]) -> Row:
    return compare(work, None, plain, run)
