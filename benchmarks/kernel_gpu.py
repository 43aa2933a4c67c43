"""The kernel perceptron on a GPU beside the CPU: ``python -m benchmarks.kernel_gpu [device]``.

One pass over the digits (60,000 × 784, one perceptron a digit, degree 4) where NOVIKOFF_DATA or
../shared/data has them, and over generated rows. Both sides must end with the same supports.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import novikoff as nv
from benchmarks.kernel import _images
from reproductions.freund_schapire import images
from reproductions.sets import data_folder


def main(device: str) -> None:
    print(f"| work | cpu | {device} | ratio | supports |\n|---|---|---|---|---|")
    X, y = _images()
    kernel = nv.polynomial(3, 1e6)
    _compare("20k × 784, degree 3", X, y, lambda d: nv.KernelPerceptron(kernel, device=d), device)
    radial = nv.rbf(1e-7)
    _compare("20k × 784, rbf", X, y, lambda d: nv.KernelPerceptron(radial, device=d), device)
    if (data_folder() / "mnist").is_dir():
        X, y = images("train")
        digits = nv.polynomial(4)
        make = lambda d: nv.OneVsRestKernelPerceptron(digits, device=d)  # noqa: E731
        _compare("MNIST, ten digits, degree 4, one epoch", X, y, make, device)


def _compare(work: str, X: Any, y: Any, make: Callable[[str], Any], device: str) -> None:
    nv.play(make(device), nv.stream(X[:500], y[:500]))  # the device's first call takes seconds
    times, logs = [], []
    for where in ("cpu", device):
        began = time.perf_counter()
        learner = nv.play(make(where), nv.stream(X, y)).learner
        times.append(time.perf_counter() - began)
        logs.append(learner.log)
    if not np.array_equal(*logs):
        raise SystemExit(f"{work}: the steps on {device} are others than on the cpu")
    supports = len(np.unique(logs[0][:, 0]))
    print(
        f"| {work} | {times[0]:.2f} s | {times[1]:.2f} s | **{times[0] / times[1]:.2f}×** | "
        f"{supports:,} |",
        flush=True,
    )


if __name__ == "__main__":
    main(*(sys.argv[1:2] or ["cuda"]))
