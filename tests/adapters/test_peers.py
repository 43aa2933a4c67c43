"""Where another library runs the same algorithm, the same numbers; where it does not, ours hold."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is the peer compared with")


def _data(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (500, 8)).astype(float)
    return X, np.where(X @ rng.standard_normal(8) + rng.standard_normal(500) >= 0, 1, -1)


@pytest.mark.parametrize("seed", range(5))
def test_ties_as_mistakes_is_sgd_on_the_perceptron_loss(seed: int) -> None:
    from sklearn.linear_model import SGDClassifier

    X, y = _data(seed)
    peer = SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0,
        fit_intercept=False, shuffle=False, max_iter=3, tol=None,
    ).fit(X, y)  # fmt: skip
    run = nv.play(nv.Perceptron(ties="mistake"), nv.stream(X, y), passes=3)
    assert run.hypothesis().w.tolist() == peer.coef_[0].tolist()  # type: ignore[attr-defined]


def test_dense_and_sparse_give_one_model() -> None:
    X, y = _data(7)
    models = [
        nv.play(nv.Perceptron(bias=1.0), nv.stream(form, y), passes=5).learner.state()
        for form in (X, sp.csr_matrix(X))
    ]
    for name in ("weights", "counts", "energy"):
        assert np.array_equal(models[0][name], models[1][name])


def test_separable_data_are_separated() -> None:
    from sklearn.datasets import load_iris

    X, target = load_iris(return_X_y=True)
    y = np.where(target == 0, 1, -1)
    run = nv.play(nv.Perceptron(bias=1.0), nv.stream(X, y), until_clean=True)
    assert run.converged
    assert run.hypothesis().margin(X, y) > 0  # type: ignore[attr-defined]
