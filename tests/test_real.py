"""Real sets, twin by twin."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from cases import EXACT, Case, twin_mistakes


def _svmlight(path: Path, rows: int) -> tuple[Any, Any]:
    """The first rows of a LIBSVM file, by the plainest of parsers."""
    labels, indices, values, starts = [], [], [], [0]
    with gzip.open(path, "rt") as lines:
        for line in lines:
            label, *entries = line.split()
            labels.append(float(label))
            for entry in entries:
                index, value = entry.split(":")
                indices.append(int(index) - 1)
                values.append(float(value))
            starts.append(len(indices))
            if len(labels) == rows:
                break
    return sp.csr_array((values, indices, starts)), np.array(labels)


SETS = ["a9a/a9a.gz", "w8a/w8a.gz", "svmguide1/svmguide1.gz", "spam_corpus/spam_corpus.svm.gz"]
CLASSES = ["pendigits/pendigits.gz", "letter/letter.scale.gz"]


def _found(data: Path, name: str) -> Path:
    if not (data / name).exists():
        pytest.skip(f"no {name} among the real datasets")
    return data / name


def _agrees(case: Case, X: Any, y: Any) -> None:
    """As it is, dense, and with its columns in another order."""
    order = np.random.default_rng(0).permutation(X.shape[1])
    expected = twin_mistakes(case, X, y)
    forms = [X, X.toarray(), *([] if case.random else [sp.csr_array(sp.csc_array(X)[:, order])])]
    for form in forms:
        assert nv.play(case.make(), nv.stream(form, y)).ledger.mistake_rounds.tolist() == expected


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("normalised", [False, True], ids=["as it is", "normalised"])
@pytest.mark.parametrize("case", [c for c in EXACT if not c.multiclass], ids=lambda c: c.name)
def test_real_rows_of_two_labels_are_decided_as_the_twin_decides(
    data: Path, name: str, normalised: bool, case: Case
) -> None:
    rows = 800 if case is EXACT[0] else 20 if case.random else 40 if case.slow else 150
    X, y = _svmlight(_found(data, name), rows)
    if case.narrow:
        X = sp.csr_array(sp.csc_array(X)[:, :128])
    if normalised:
        norms = np.sqrt((X.multiply(X)).sum(axis=1))
        X = sp.csr_array(sp.diags_array(1 / np.maximum(norms, 1e-300)) @ X)
    _agrees(case, X, np.where(y == y.max(), 1, -1))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("case", [c for c in EXACT if c.multiclass], ids=lambda c: c.name)
def test_real_rows_of_many_classes_are_decided_as_the_twin_decides(
    data: Path, name: str, case: Case
) -> None:
    X, y = _svmlight(_found(data, name), 50 if case.slow else 300)
    ids = {label: k for k, label in enumerate(dict.fromkeys(y.tolist()))}
    if getattr(
        case.make(), "classes", 0
    ):  # it has as many classes as its case, from the first round
        few = np.array([ids[label] < case.classes for label in y.tolist()])
        X, y = X[few], y[few]
    _agrees(case, X, np.array([ids[label] for label in y.tolist()]))
