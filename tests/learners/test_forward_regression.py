"""ForwardRegression is the program of docs/programs_regression.md, to the last bit."""

import copy
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from program_page import program_page
from regression_twins import Forecaster
from threads import refusals


def _data(rounds: int = 120, features: int = 6, seed: int = 0) -> tuple[Any, Any]:
    """Columns on different scales, a third of the values 0, features that come late."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, features)) * 10.0 ** rng.integers(-2, 3, features)
    X *= rng.random(X.shape) < 0.7
    X[: rounds // 3, -1] = 0
    y = X @ rng.standard_normal(features) / 10 + rng.standard_normal(rounds)
    return X, y


class Page:
    """What the page's program does with the rows, the constant feature at −1."""

    def __init__(self, X: Any, y: Any, ridge: float, bias: float | None = None) -> None:
        self.program = program_page().ForwardRegression(ridge)
        constant = {} if bias is None else {-1: bias}
        rows = [dict(enumerate(x)) | constant for x in np.asarray(X, np.float64).tolist()]
        pairs = zip(rows, np.asarray(y, np.float64).tolist(), strict=True)
        self.predictions = [self.program.learn(x, label) for x, label in pairs]
        self.loss = self.program.loss + self.program.loss_rest
        self.drift = self.program.drift + self.program.drift_rest


def _one_by_one(learner: nv.ForwardRegression, rows: Any, y: Any) -> tuple[nv.Run, list[float]]:
    run = nv.Run(learner)
    return run, [run.learn(x, label) for x, label in zip(rows, y, strict=True)]


def _same_state(one: nv.Learner, other: nv.Learner) -> bool:
    a, b = one.state(), other.state()
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize(("ridge", "bias"), [(1.0, None), (0.125, 1.0), (30.0, -0.5)])
@pytest.mark.parametrize("seed", range(3))
def test_the_core_is_the_page_to_the_bit(ridge: float, bias: float | None, seed: int) -> None:
    X, y = _data(seed=seed)
    page = Page(X, y, ridge, bias)
    run, predictions = _one_by_one(nv.ForwardRegression(ridge, bias=bias), X, y)
    assert predictions == page.predictions
    assert (run.ledger.loss, run.ledger.drift) == (page.loss, page.drift)
    assert run.ledger.largest_label == np.abs(y).max()


@pytest.mark.parametrize("bias", [None, 1.0])
def test_the_drift_bounds_the_distance_from_the_definition(bias: float | None) -> None:
    """The forecaster in fractions, from its definition: the measured drift is at least its cost."""
    X, y = _data(rounds=40, features=4, seed=5)
    run, predictions = _one_by_one(nv.ForwardRegression(0.5, bias=bias), X, y)
    wide = X if bias is None else np.column_stack([X, np.full(len(X), bias)])
    twin = Forecaster(0.5, wide.shape[1])
    cost = 0.0
    for x, label, played in zip(wide, y, predictions, strict=True):
        ideal = twin.learn(x, label)
        cost += 2 * abs(float(ideal - Fraction(played))) * abs(label - played)
        assert abs(played - float(ideal)) < 1e-9
    assert 0 < cost <= run.ledger.drift * (1 + 2**-20)


def test_every_form_of_rows_gives_the_same_bits() -> None:
    X, y = _data()
    whole = nv.play(nv.ForwardRegression(bias=1.0), nv.stream(X, y))
    order = np.random.default_rng(1).permutation(X.shape[1])
    names = [{f"f{j}": float(v) for j, v in enumerate(x) if v} for x in X]
    backwards = [dict(reversed(x.items())) for x in names]
    for rows in (sp.csr_array(X), X[:, order], names, backwards):
        run = nv.play(nv.ForwardRegression(bias=1.0), nv.stream(rows, y))
        assert run.ledger.loss == whole.ledger.loss
        assert run.ledger.drift == whole.ledger.drift
    narrow = X.astype(np.float32)
    for rows in (narrow, narrow.astype(np.float64)):
        run = nv.play(nv.ForwardRegression(), nv.stream(rows, y))
        assert run.ledger.loss == nv.play(nv.ForwardRegression(), nv.stream(narrow, y)).ledger.loss


def test_blocks_chunks_and_single_rounds_end_in_the_same_state() -> None:
    X, y = _data()
    whole = nv.play(nv.ForwardRegression(), nv.stream(X, y))
    single, _ = _one_by_one(nv.ForwardRegression(), X, y)
    chunked = nv.Run(nv.ForwardRegression())
    for part in np.array_split(np.arange(len(X)), 7):
        chunked.play(nv.stream(X[part], y[part]))
    updated = nv.ForwardRegression()
    for x, label in zip(X, y, strict=True):
        updated.update(x, label)
    for learner in (single.learner, chunked.learner, updated):
        assert _same_state(learner, whole.learner)
    assert single.ledger.loss == chunked.ledger.loss == whole.ledger.loss
    checkpoints = whole.ledger.checkpoints
    assert checkpoints._fields == ("rounds", "loss")
    assert checkpoints.loss[-1] == whole.ledger.loss


def test_a_saved_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    X, y = _data()
    whole = nv.play(nv.ForwardRegression(), nv.stream(X, y))
    half = nv.play(nv.ForwardRegression(), nv.stream(X[:50], y[:50]))
    half.save(tmp_path / "run")
    for resumed in (nv.Run.load(tmp_path / "run"), copy.deepcopy(half)):
        resumed.play(nv.stream(X[50:], y[50:]))
        assert _same_state(resumed.learner, whole.learner)
        for name in ("rounds", "loss", "mean_loss", "drift", "largest_label", "mean_label"):
            assert getattr(resumed.ledger, name) == getattr(whole.ledger, name)
    assert half.ledger.rounds == 50
    ledger = pickle.loads(pickle.dumps(whole.ledger))
    assert ledger.mean_loss == whole.ledger.mean_loss
    assert not hasattr(ledger, "mistakes")


def test_predict_is_pure_and_a_hypothesis_predicts_the_same(tmp_path: Path) -> None:
    X, y = _data()
    run = nv.play(nv.ForwardRegression(bias=1.0), nv.stream(X[:80], y[:80]))
    before = run.learner.fresh()
    before.restore(run.learner.state())
    first = [run.predict_one(x) for x in X]
    h = run.hypothesis()
    assert h.predict(X).tolist() == first == [h(x) for x in X] == run.predict(X).tolist()
    assert _same_state(run.learner, before)
    h.save(tmp_path / "h")
    assert nv.Hypothesis.load(tmp_path / "h").predict(X).tolist() == first
    run.play(nv.stream(X[80:], y[80:]))
    assert h.predict(X).tolist() == first


def test_a_feature_that_is_new_counts_before_it_is_learned() -> None:
    """The prediction made by learn is that of predict, also with a feature that joins."""
    run = nv.Run(nv.ForwardRegression())
    run.learn({"a": 2.0}, 3.0)
    x = {"a": 1.0, "b": 5.0}
    expected = run.predict_one(x)
    assert run.learn(x, 1.0) == expected
    assert expected != run.predict_one({"a": 1.0})
    assert isinstance(expected, float)


def test_its_weights_are_those_of_ridge_regression() -> None:
    X, y = _data()
    h = nv.play(nv.ForwardRegression(0.5), nv.stream(X, y)).hypothesis()
    assert isinstance(h, nv.RegressionHypothesis)
    expected = np.linalg.solve(0.5 * np.eye(X.shape[1]) + X.T @ X, X.T @ y)
    assert np.allclose([h.weights()[j] for j in range(X.shape[1])], expected, rtol=1e-8)


def test_what_it_cannot_learn_from_is_refused_and_changes_nothing() -> None:
    run = nv.play(nv.ForwardRegression(), nv.stream(*_data(rounds=20)))
    before = run.learner.fresh()
    before.restore(run.learner.state())
    huge, tiny = np.full(6, 1e70), np.full(6, 1e-70)
    for x, label in ((huge, 1.0), (tiny, 1.0), (np.ones(6), 1e70), (np.ones(6), 1e-70)):
        with pytest.raises(nv.InputError, match="expected"):
            run.learn(x, label)
        assert isinstance(run.predict_one(x), float)
    assert _same_state(run.learner, before)


def test_a_row_after_which_the_inverse_is_lost_is_refused() -> None:
    """Two columns of 1e9 that hardly differ, with a ridge of 1: float64 has no inverse of that."""
    run = nv.Run(nv.ForwardRegression())
    run.learn([1e9, 1e9], 1.0)
    before = run.learner.fresh()
    before.restore(run.learner.state())
    with pytest.raises(nv.InputError, match="raise ridge"):
        run.learn([1e9, 1e9 + 1], 1.0)
    assert _same_state(run.learner, before)
    larger = nv.Run(nv.ForwardRegression(ridge=2.0**40))
    for x in ([1e9, 1e9], [1e9, 1e9 + 1]) * 5:
        larger.learn(x, 1.0)
    assert larger.predict_one([1e9, 1e9]) == pytest.approx(1.0, rel=0.2)


def test_a_feature_too_many_is_refused() -> None:
    run = nv.Run(nv.ForwardRegression())
    for start in range(0, 1000, 100):
        run.learn({f"f{j}": 1.0 for j in range(start, start + 100)}, 1.0)
    with pytest.raises(nv.InputError, match="at most 1,000 features"):
        run.learn({"f0": 1.0, "one more": 1.0, "and one more": 1.0, "and another": 1.0}, 1.0)
    assert run.predict_one({"f0": 1.0, "x": 1.0, "y": 1.0, "z": 1.0}) == run.predict_one({"f0": 1})
    assert run.ledger.rounds == 10


def test_an_empty_row_predicts_0() -> None:
    run = nv.Run(nv.ForwardRegression())
    assert run.learn([0.0, 0.0], 2.0) == 0.0
    assert (run.ledger.loss, run.ledger.drift) == (4.0, 0.0)


@pytest.mark.parametrize("ridge", [0, -1.0, float("nan"), "1", 2.0**41, None, 10**400])
def test_a_ridge_outside_its_range_is_refused(ridge: Any) -> None:
    with pytest.raises(nv.ParameterError, match=r"^ridge: expected a number from 2\*\*-40"):
        nv.ForwardRegression(ridge)


def test_a_second_thread_is_refused() -> None:
    X, y = _data(rounds=2000)
    run = nv.Run(nv.ForwardRegression())
    (refused,) = refusals(lambda: run.play(nv.stream(X, y), passes=5), run.learner.state)
    assert "expected one thread at a time" in str(refused)


def test_a_state_that_no_run_has_is_refused() -> None:
    state = nv.play(nv.ForwardRegression(), nv.stream(*_data(rounds=20))).learner.state()
    for name, changed in (
        ("inverse", -state["inverse"]),
        ("gram", state["gram"] * np.nan),
        ("features", state["features"] * 0),
        ("squares", -state["squares"]),
        ("moments", state["moments"][:-1]),
        ("gram_rest", state["gram_rest"] * 0 + 2.0**500),
    ):
        with pytest.raises(ValueError, match="saved state"):
            nv.ForwardRegression().restore(state | {name: changed})


def test_transforms_come_before_the_rule() -> None:
    X, y = _data()
    scaled = nv.play(nv.ForwardRegression(transforms=[nv.Scale()]), nv.stream(X * 1e30, y))
    assert np.isfinite(scaled.ledger.loss)
    again = nv.play(nv.ForwardRegression(transforms=[nv.Scale()]), nv.stream(X * 2.0**100, y))
    plain = nv.play(nv.ForwardRegression(transforms=[nv.Scale()]), nv.stream(X, y))
    assert again.ledger.loss == plain.ledger.loss
