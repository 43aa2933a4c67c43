"""Freund & Schapire (1999) on MNIST: polynomial kernels, the last, averaged and voted perceptron.

    python -m reproductions.freund_schapire --jobs 6 --output table.md

One kernel perceptron per digit against the rest, K(x, z) = (x·z + 1)^degree on the pixels 0 to 255
in the order of the files. NOVIKOFF_DATA names the folder of the data (default ../shared/data).
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from reproductions import sets
from reproductions.sets import data_folder

HEADING = (
    "| degree | epochs | last | averaged | voted | mistakes | supports | seconds |\n"
    "|---|---|---|---|---|---|---|---|"
)


class Result(NamedTuple):
    """One line of the table: the errors on the test set."""

    degree: int
    epochs: float
    last: float
    averaged: float
    voted: float
    mistakes: int
    """Of the ten perceptrons together."""
    supports: int
    """Distinct images."""
    seconds: float

    def line(self) -> str:
        """Return the line, with errors in %."""
        errors = " | ".join(f"{100 * e:.2f}" for e in (self.last, self.averaged, self.voted))
        return (
            f"| {self.degree} | {self.epochs:g} | {errors} | {self.mistakes:,} | "
            f"{self.supports:,} | {self.seconds:.0f} |"
        )


def images(part: str, rows: int | None = None) -> tuple[Any, Any]:
    """Return the images of ``train`` or ``t10k`` as rows of float32, and their digits."""
    pixels, digits = sets.images(data_folder(), part)
    return pixels[:rows].astype("float32"), digits[:rows].astype("int64")


def experiment(
    degree: int, epochs: list[float], rows: int | None, tests: int | None, device: str
) -> Iterable[Result]:
    """Yield the results of one degree, epoch after epoch."""
    import novikoff as nv

    X, y = images("train", rows)
    X_test, y_test = images("t10k", tests)

    def started() -> nv.Run:
        return nv.Run(nv.OneVsRestKernelPerceptron(nv.polynomial(degree), device=device))

    def result(run: nv.Run, epoch: float, began: float) -> Result:
        labels, learner = run.labels.known, run.learner
        kinds = (learner.hypothesis(), learner.average(), learner.vote())
        last, averaged, voted = (
            float((h.with_labels(labels).predict(X_test) != y_test).mean()) for h in kinds
        )
        mistakes, supports = sum(learner.class_mistakes), len(learner.supports)
        seconds = time.perf_counter() - began
        return Result(degree, epoch, last, averaged, voted, mistakes, supports, seconds)

    whole, stream, played = started(), nv.stream(X, y), 0
    for epoch in sorted(epochs):
        began = time.perf_counter()
        if epoch < 1:
            part = round(epoch * len(X))
            yield result(started().play(nv.stream(X[:part], y[:part])), epoch, began)
        else:
            whole.play(stream, passes=int(epoch) - played)
            played = int(epoch)
            yield result(whole, epoch, began)


def collected(*arguments: Any) -> list[Result]:
    """Run one degree, telling how far it is."""
    found = []
    for result in experiment(*arguments):
        print(result.line(), file=sys.stderr, flush=True)
        found.append(result)
    return found


def main() -> None:
    """Run the degrees side by side and write the table."""
    parser = argparse.ArgumentParser(description="Freund & Schapire (1999) on MNIST.")
    parser.add_argument("--degrees", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--epochs", type=float, nargs="+", default=[0.1, 1, 3, 10])
    parser.add_argument("--rows", type=int, help="training images (default all 60,000)")
    parser.add_argument("--tests", type=int, help="test images (default all 10,000)")
    parser.add_argument("--jobs", type=int, default=1, help="degrees at once")
    parser.add_argument("--device", default="cpu", help="cuda: scores on a GPU")
    parser.add_argument("--output", help="file of the table (default standard output)")
    chosen = parser.parse_args()
    if not (data_folder() / "mnist").is_dir():
        raise SystemExit(
            f"{data_folder()}: expected the four files of MNIST, got no folder mnist. "
            "Set NOVIKOFF_DATA to the folder that has mnist/."
        )
    threads = max(1, (os.cpu_count() or 1) // chosen.jobs)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(threads))
    rest = (chosen.epochs, chosen.rows, chosen.tests, chosen.device)
    # Each degree in a process of its own, which reads the variable above when it loads NumPy.
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        tasks = [pool.submit(collected, degree, *rest) for degree in chosen.degrees]
        results = [result for task in as_completed(tasks) for result in task.result()]
    table = "\n".join([HEADING, *(result.line() for result in sorted(results))]) + "\n"
    if chosen.output:
        Path(chosen.output).write_text(table)
    else:
        print(table, end="")


if __name__ == "__main__":
    main()
