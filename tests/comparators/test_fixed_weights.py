"""`best_weights` answers for arrays, sparse rows and named features, and refuses the rest."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv


def test_two_labels_of_any_name_and_named_features() -> None:
    """u = (1, −1)/λ while the hinge is open: both margins are 1/λ."""
    rows, labels = [{"a": 1.0}, {"b": 1.0}], ["spam", "ham"]
    found = nv.best_weights(rows, labels, loss="hinge", penalty=4.0, positive="spam")
    assert found.w.tolist() == pytest.approx([0.25, -0.25])
    assert found.loss == pytest.approx(2 * 0.75)
    assert found.penalty == pytest.approx(0.25)
    assert found.least == pytest.approx(1.75)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_constant_feature_has_the_last_penalty(form: Any) -> None:
    """Ridge regression with λ for each column, by its normal equations."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)), rng.standard_normal(50)
    penalty = np.array([1.0, 2.0, 3.0, 0.5])
    found = nv.best_weights(form(X), y, loss="squared", penalty=penalty, bias=2.0)
    A = np.column_stack([X, np.full(50, 2.0)])
    u = np.linalg.solve(np.diag(penalty) + 2 * A.T @ A, 2 * A.T @ y)
    assert [*found.w, found.bias_weight] == pytest.approx(u, rel=1e-3, abs=1e-5)
    least = ((y - A @ u) ** 2).sum() + (penalty * u * u).sum() / 2
    assert found.least <= least * (1 + 1e-12) <= found.value * (1 + 2e-12)
    assert found.value - found.least <= 1e-6 * found.value * (1 + 1e-9)


def test_the_median_is_the_best_constant_for_the_absolute_loss() -> None:
    y = [1.0, 2.0, 10.0, 3.0, -50.0]
    found = nv.best_weights(np.ones((5, 1)), y, loss="absolute", penalty=0.01)
    assert found.w[0] == pytest.approx(2.0, abs=1e-6)
    assert found.loss == pytest.approx(1 + 0 + 8 + 1 + 52, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loss": "cubic"}, "loss: expected one of logistic"),
        ({"penalty": 0.0}, "penalty: expected numbers above 0"),
        ({"penalty": [1.0, 2.0]}, "penalty: expected a number, or 1 of them"),
        ({"penalty": "much"}, "penalty: expected a number"),
        ({"penalty": np.inf}, "penalty: expected numbers above 0"),
        ({"bias": np.nan}, "bias: expected"),
    ],
)
def test_parameters_are_checked(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(nv.NovikoffError, match=message):
        nv.best_weights([[1.0], [2.0]], [1, -1], **arguments)


def test_rows_and_labels_are_checked() -> None:
    with pytest.raises(nv.InputError, match="row 2: expected a number as label, got 'x'"):
        nv.best_weights([[1.0], [2.0]], [1.0, "x"], loss="squared")
    with pytest.raises(nv.InputError, match="expected at least one row, got none"):
        nv.best_weights(np.zeros((0, 1)), [], loss="squared")
    with pytest.raises(nv.InputError, match="row 1: expected a finite value"):
        nv.best_weights([[np.inf]], [1], loss="hinge")


def test_a_penalty_beyond_all_floats_is_refused() -> None:
    for penalty in (10**400, [10**400]):
        with pytest.raises(nv.ParameterError, match="penalty: expected a number"):
            nv.best_weights([[1.0], [2.0]], [1, -1], penalty=penalty)
