"""Real sets, one pass in memory next to scikit-learn's: ``python -m benchmarks.real FOLDER``.

FOLDER holds a9a, w8a, ijcnn1, news20 and so on as their authors publish them (svmlight). Says in
which form the weights ended: 4 or 8 bytes each if the values lie on a grid, 16 if not.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

import novikoff as nv
from benchmarks.peer import one_pass, ours
from benchmarks.timing import in_turn

SETS = {
    "a9a": "a9a/a9a",
    "w8a": "w8a/w8a",
    "ijcnn1": "ijcnn1/ijcnn1",
    "mushrooms": "mushrooms/mushrooms",
    "news20, 20 classes": "news20/news20",
}


def main(folder: Path) -> None:
    print("| set | scikit-learn | novikoff | ratio | bytes a weight |\n|---|---|---|---|---|")
    for name, path in SETS.items():
        found = sorted(folder.glob(f"{path}*"))
        if not found:
            continue
        X, y = load_svmlight_file(str(found[0]))
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        make = nv.Perceptron if len(set(y)) == 2 else nv.MulticlassPerceptron
        rows, labels = X, y.astype(np.int64)
        row = in_turn(name, None, one_pass(rows, labels), ours(make, rows, labels), 9)
        learner = make()
        nv.play(learner, nv.stream(rows, labels))
        weights = learner.state()["weights"].size
        size = f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} nonzeros"
        times = f"{row.peer * 1e3:.2f} ms | {row.ours * 1e3:.2f} ms"
        print(f"| {name}, {size} | {times} | {row.ratio:.2f}× | {learner.nbytes / weights:.0f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
