"""Real sets, twin by twin."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from cases import CASES, Case, twin_mistakes


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


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("normalised", [False, True], ids=["as it is", "normalised"])
def test_real_sets_agree_with_the_twin(data: Path, name: str, normalised: bool) -> None:
    if not (data / name).exists():
        pytest.skip(f"no {name} among the real datasets")
    X, y = _svmlight(data / name, 800)
    if normalised:
        norms = np.sqrt((X.multiply(X)).sum(axis=1))
        X = sp.csr_array(sp.diags_array(1 / np.maximum(norms, 1e-300)) @ X)
    signs = np.where(y == y.max(), 1, -1)
    order = np.random.default_rng(0).permutation(X.shape[1])
    case: Case = CASES[0]
    expected = twin_mistakes(case, X, signs)
    for form in (X, X.astype(np.float64).toarray(), sp.csr_array(sp.csc_array(X)[:, order])):
        assert (
            nv.play(case.make(), nv.stream(form, signs)).ledger.mistake_rounds.tolist() == expected
        )
