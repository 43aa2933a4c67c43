"""The gate looks at the indices of many rows at once, sixteen to a step: no flaw slips through."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

ROWS, SIZE, COLUMNS = 5, 37, 400
FLAWED = 2  # the row with the flaw


def _rows(dtype: Any) -> sp.csr_array:
    rng = np.random.default_rng(0)
    indices = np.sort(np.argsort(rng.random((ROWS, COLUMNS)), axis=1)[:, :SIZE], axis=1)
    values = rng.standard_normal(ROWS * SIZE)
    starts = np.arange(ROWS + 1) * SIZE
    arrays = values, indices.ravel().astype(dtype), starts.astype(dtype)
    return sp.csr_array(arrays, shape=(ROWS, COLUMNS))


def _flawed(X: sp.csr_array, position: int, index: int) -> sp.csr_array:
    """The rows with another index, written behind SciPy's back."""
    indices = X.indices.copy()
    indices[FLAWED * SIZE + position] = index
    copy = X.copy()
    copy.indices = indices
    return copy


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("position", range(SIZE))
@pytest.mark.parametrize("index", [-1, COLUMNS, 2**31 - 1])
def test_an_index_out_of_bounds_is_refused(index: int, position: int, dtype: Any) -> None:
    X = _flawed(_rows(dtype), position, index)
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError):
        run.play(nv.stream(X, [1, -1] * 2 + [1]))
    assert run.ledger.rounds in (0, FLAWED)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("position", range(1, SIZE))
def test_a_repeated_index_is_refused(position: int, dtype: Any) -> None:
    X = _rows(dtype)
    X = _flawed(X, position, X.indices[FLAWED * SIZE + position - 1])
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError):
        run.play(nv.stream(X, [1, -1] * 2 + [1]))
    assert run.ledger.rounds in (0, FLAWED)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("position", range(1, SIZE))
def test_indices_out_of_order_play_as_if_sorted(position: int, dtype: Any) -> None:
    X = _rows(dtype)
    shuffled = X.copy()
    for array in (shuffled.indices, shuffled.data):
        at = FLAWED * SIZE + position
        array[at - 1 : at + 1] = array[at - 1 : at + 1][::-1].copy()
    runs = [nv.play(nv.Perceptron(), nv.stream(rows, [1, -1] * 2 + [1])) for rows in (X, shuffled)]
    first, second = (run.learner.state()["weights"] for run in runs)
    assert np.array_equal(first, second)
    assert runs[0].ledger.mistake_rounds.tolist() == runs[1].ledger.mistake_rounds.tolist()
