"""The kernel perceptron on a GPU beside the CPU: ``python -m benchmarks.kernel_gpu [device]``.

One pass over the digits (60,000 × 784, one perceptron a digit, degree 4) where NOVIKOFF_DATA or
../shared/data has them, and over generated rows. Both sides must end with the same supports.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.kernel import _images
from benchmarks.table import HEADING, Row
from benchmarks.timing import in_turn
from reproductions.freund_schapire import images
from reproductions.sets import data_folder


def main(device: str) -> None:
    X, y = _images()
    rows = [
        _compare(f"20k × 784, {name}", X, y, partial(_perceptron, kernel), device)
        for name, kernel in (("degree 3", nv.polynomial(3, 1e6)), ("rbf", nv.rbf(1e-7)))
    ]
    if (data_folder() / "mnist").is_dir():
        X, y = images("train")
        work = "MNIST, ten digits, degree 4, one epoch"
        rows.append(_compare(work, X, y, partial(_digits, nv.polynomial(4)), device, goal=5))
    print("\n".join([HEADING, *(row.line() for row in rows)]))


def _perceptron(kernel: object, device: str) -> nv.KernelPerceptron:
    return nv.KernelPerceptron(kernel, device=device)


def _digits(kernel: object, device: str) -> nv.OneVsRestKernelPerceptron:
    return nv.OneVsRestKernelPerceptron(kernel, device=device)


def _play(make: Callable[[str], Any], device: str, X: Any, y: Any) -> Any:
    return nv.play(make(device), nv.stream(X, y)).learner.log


def _compare(
    work: str, X: Any, y: Any, make: Callable[[str], Any], device: str, goal: float | None = None
) -> Row:
    nv.play(make(device), nv.stream(X[:500], y[:500]))  # the device's first call takes seconds
    peer, ours = (partial(_play, make, where, X, y) for where in ("cpu", device))
    logs = peer(), ours()
    if not np.array_equal(*logs):
        raise SystemExit(f"{work}: the steps on {device} are others than on the cpu")
    supports = len(np.unique(logs[0][:, 0]))
    return replace(in_turn(work, goal, peer, ours), note=f"{supports:,} supports")


if __name__ == "__main__":
    main(*(sys.argv[1:2] or ["cuda"]))
