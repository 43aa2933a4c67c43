"""Real sets, one pass in memory next to scikit-learn's: ``python -m benchmarks.real FOLDER``.

FOLDER holds a9a, w8a, ijcnn1, mushrooms and news20 as their authors publish them (svmlight, which
may be compressed by gzip or bzip2). Says in which form the weights ended: 4 or 8 bytes each if the
values lie on a grid, 16 if not.
"""

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_svmlight_file

import novikoff as nv
from benchmarks.peer import one_pass, ours
from benchmarks.timing import in_turn

SETS = ["a9a", "w8a", "ijcnn1", "mushrooms", "news20"]


def main(folder: Path) -> None:
    print("| set | scikit-learn | novikoff | ratio | bytes a weight |\n|---|---|---|---|---|")
    for name in SETS:
        found = file_of(folder, name)
        if found is None:
            print(f"{name}: none in {folder / name}", file=sys.stderr)
            continue
        X, y = load_svmlight_file(str(found))
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        labels, classes = numbered(y)
        make = nv.Perceptron if classes == 2 else nv.MulticlassPerceptron
        row = in_turn(name, None, one_pass(X, labels), ours(make, X, labels), 9)
        learner = make()
        nv.play(learner, nv.stream(X, labels))
        weights = learner.state()["weights"].size
        size = f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros"
        size += f", {classes} classes" if classes > 2 else ""
        times = f"{row.peer * 1e3:.2f} ms | {row.ours * 1e3:.2f} ms"
        print(f"| {name}, {size} | {times} | {row.ratio:.2f}× | {learner.nbytes / weights:.0f} |")


def file_of(folder: Path, name: str) -> Path | None:
    """Return the set's file with the fewest parts in its name: a9a.gz, and not a9a.t.gz."""
    return min(
        sorted((folder / name).glob(f"{name}*")), key=lambda p: len(p.suffixes), default=None
    )


def numbered(y: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], int]:
    """Return two labels as −1 and +1, the larger one +1, or more of them as 0, 1, 2, …"""
    classes, numbers = np.unique(y, return_inverse=True)
    return (2 * numbers - 1 if len(classes) == 2 else numbers), len(classes)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
