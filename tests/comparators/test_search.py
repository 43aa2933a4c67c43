"""The search for a comparator: its floors hold for every w, and empty columns change nothing."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import novikoff as nv
from novikoff.comparators.occurring import occurring
from novikoff.comparators.soft_margin import Floor, Found, Path, Rows, gathered
from novikoff.receipts import objectives
from novikoff.streams.blocks.block import DenseBlock, SparseBlock

Array = npt.NDArray[Any]


def _freund_schapire(a: float, loss: float) -> float:
    return objectives.freund_schapire(a, 2 * loss)


VALUES = {False: objectives.hinge_tight, True: _freund_schapire}


def _rounds(seed: int, noise: float = 0.5) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 5))
    y = np.where(X @ rng.standard_normal(5) + noise * rng.standard_normal(80) >= 0, 1, -1)
    return X, y.astype(np.int8)


def _rows(X: Array, y: Array) -> Rows:
    return gathered(iter([(DenseBlock(X), y)]), None)


def _loss(w: Array, X: Array, y: Array, squared: bool) -> float:
    xi = np.maximum(0, 1 - y * (X @ w))
    return float((xi * xi).sum() / 2 if squared else xi.sum())


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_no_weights_have_a_loss_below_the_floor(seed: int, squared: bool) -> None:
    """Any α ≥ 0 gives one; that of a solved problem touches the loss of its own w."""
    X, y = _rounds(seed)
    rng = np.random.default_rng(seed)
    for alphas in (rng.random(80), np.ones(80), np.eye(80)[3]):
        v = (alphas * y) @ X
        floor = Floor.of(alphas, Found(v, 0.0, float(v @ v), 0, 0, 0), squared)
        for scale in (0.01, 0.3, 1.0, 5.0):
            for w in (scale * v, scale * rng.standard_normal(5)):
                assert floor.at(float(np.linalg.norm(w))) <= _loss(w, X, y, squared) * (1 + 1e-12)
    path = Path(_rows(X, y), squared, 1e-9, lambda: None)
    found = path.at(0.5)
    least = path.floors[0].at(float(np.sqrt(found.norm2)))
    assert least == pytest.approx(path.loss(found), rel=1e-5)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_search_ends_within_its_share_of_the_least_value(seed: int, squared: bool) -> None:
    """A fine grid of costs, each solved well, finds nothing smaller than the floor."""
    X, y = _rounds(seed)
    rows = _rows(X, y)
    r2, value = rows.radius2, VALUES[squared]
    path = Path(rows, squared, 1e-3, lambda: None)
    found, least = path.best(lambda n, loss: value(r2 * n, loss), 1 / r2)
    reached = value(r2 * found.norm2, path.loss(found))
    assert least <= reached <= least * (1 + rows.within)
    assert len(path.floors) <= 12  # solved costs, repeated ones included
    fine = Path(_rows(X, y), squared, 1e-9, lambda: None)
    grid = [fine.at(cost) for cost in np.geomspace(1e-4, 1e3, 100)]
    best = min(value(r2 * one.norm2, fine.loss(one)) for one in grid)
    assert best >= least * (1 - 1e-9)
    assert reached <= best * (1 + rows.within)


def _hashed(width: int) -> tuple[sp.csr_array, Array]:
    rng = np.random.default_rng(3)
    places = np.sort(rng.choice(width, 50, replace=False))
    at = np.array([np.sort(rng.choice(50, 6, replace=False)) for _ in range(300)])
    X = sp.csr_array((np.ones(1800), places[at].ravel(), np.arange(301) * 6), shape=(300, width))
    return X, np.where((at < 20).sum(axis=1) + rng.standard_normal(300) > 2.4, 1, -1)


@pytest.mark.parametrize("bias", [None, 0.5])
@pytest.mark.parametrize("classes", [2, 3])
def test_columns_that_never_occur_change_no_bound(bias: float | None, classes: int) -> None:
    X, y = _hashed(2**18)
    y = y if classes == 2 else y + (np.arange(300) % 5 == 0)
    used = np.unique(X.indices)
    learner = nv.Perceptron if classes == 2 else nv.MulticlassPerceptron
    wide = nv.play(learner(bias=bias), nv.stream(X, y))
    narrow = nv.play(learner(bias=bias), nv.stream(X[:, used], y))
    found = {bound.theorem: bound for bound in nv.bounds(wide)}
    for bound in nv.bounds(narrow):
        twin = found[bound.theorem]
        assert twin.value == pytest.approx(bound.value, rel=1e-9)
        entries = [[*rest, used[j] if j >= 0 else -1] for *rest, j, _ in bound.comparator["w"]]
        assert [entry[:-1] for entry in twin.comparator["w"]] == entries
    for theorem in found:
        certificate = nv.certify(wide, theorem=theorem)
        assert nv.verify(certificate, nv.stream(X, y)).verified


def test_rows_stay_as_they_are_unless_most_columns_are_empty() -> None:
    X, y = _hashed(2**18)
    sparse = SparseBlock(X.indptr, X.indices, X.data, X.shape[1])
    ((narrow, _),), columns = occurring([(sparse, y)])
    assert narrow.columns == 50
    assert columns is not None
    assert columns.tolist() == np.unique(X.indices).tolist()
    few = SparseBlock(X.indptr, X.indices % 2**10, X.data, 2**10)
    dense = DenseBlock(np.zeros((3, 2**17)))
    for blocks in ([(few, y)], [(dense, y[:3])], [(sparse, y), (dense, y[:3])], []):
        same, every = occurring(list(blocks))
        assert every is None
        assert [block for block, _ in same] == [block for block, _ in blocks]


def test_an_index_beyond_the_columns_is_left_to_the_reader() -> None:
    X, y = _hashed(2**18)
    for wrong in (2**18, -1):
        indices = X.indices.copy()
        indices[7] = wrong
        block = SparseBlock(X.indptr, indices, X.data, X.shape[1])
        assert occurring([(block, y)])[1] is None
