"""Many classes keep only the weights that are not 0: nothing else about them differs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import novikoff as nv
from novikoff import _core
from novikoff.learners.learner import rebuilt

NEVER = 2**60
ROWS, CLASSES, FEATURES = 300, 40, 3_000
HYPOTHESIS = ("listed_ends", "listed_features", "listed_weights")
FRONT = 8  # a saved state has eight slots before the features
Values = npt.NDArray[np.floating[Any]]

KINDS: dict[str, Callable[[np.random.Generator, int], Values]] = {
    "ones": lambda rng, n: np.full(n, 1.0),
    "quarters": lambda rng, n: rng.integers(-9, 10, n) / 4,
    "double": lambda rng, n: rng.standard_normal(n),
    "decimals": lambda rng, n: rng.integers(-9, 10, n) / 10,
    "scales": lambda rng, n: rng.standard_normal(n) * 2.0 ** rng.integers(-60, 60, n),
    "subnormal": lambda rng, n: rng.integers(-9, 10, n) * 5e-324,
    "huge": lambda rng, n: rng.standard_normal(n) * 2.0**1000,
    "mixed": lambda rng, n: rng.choice([1.0, 2.0**53, 2.0**-60, -0.1, 1e300, 5e-324], n),
}
kinds = pytest.mark.parametrize("kind", KINDS)


@contextmanager
def listing(weights: int, columns: int = 4) -> Iterator[None]:
    """List weights from so many on."""
    before = _core.list_weights_from(weights, columns)
    try:
        yield
    finally:
        _core.list_weights_from(*before)


def _rows(kind: str, seed: int = 0) -> tuple[sp.csr_array, npt.NDArray[np.int64]]:
    """Rows with few features in common, so that many scores are 0 or tie."""
    rng = np.random.default_rng(seed)
    at = [np.sort(rng.choice(60, 6, replace=False)) * 49 for _ in range(ROWS)]
    values = np.concatenate([KINDS[kind](rng, 6) for _ in range(ROWS)])
    parts = values, np.concatenate(at), np.arange(ROWS + 1) * 6
    return sp.csr_array(parts, shape=(ROWS, FEATURES)), rng.integers(0, CLASSES, ROWS)


def _play(
    X: Any,
    y: Any,
    limit: int,
    bias: float | None = None,
    weights: Any = None,
    averaged: bool = False,
) -> tuple[nv.Run, nv.MulticlassPerceptron]:
    learner = nv.MulticlassPerceptron(bias=bias, averaged=averaged)
    with listing(limit):
        return nv.play(learner, nv.stream(X, y, weights=weights)), learner


def _listed(learner: nv.MulticlassPerceptron) -> bool:
    return learner.core.is_listed


def _sums(state: dict[str, Any]) -> dict[tuple[int, int], list[float]]:
    """The components of every sum of a saved state that is not 0, by feature and class."""
    places: list[tuple[int, int]] = []
    if "listed_ends" in state:
        assert state["weights"].size == 0
        sizes = np.diff(state["listed_ends"], prepend=0)
        columns = np.repeat(np.arange(len(sizes)), sizes).tolist()
        places = list(zip(state["listed_features"].tolist(), columns, strict=True))
        found = dict(zip(places, ([v] for v in state["listed_weights"].tolist()), strict=True))
    else:
        stride = int(state["counts"][1])
        places = [(i // stride - FRONT, i % stride) for i in range(state["weights"].size)]
        high = state["weights"]
        found = {places[i]: [float(high[i])] for i in np.flatnonzero(high).tolist()}
    slots, parts = state["remainder_slots"].tolist(), state["remainder_parts"].tolist()
    for slot, part in zip(slots, parts, strict=True):
        found[places[slot]].append(part)
    return found


def _same(a: nv.MulticlassPerceptron, b: nv.MulticlassPerceptron) -> None:
    one, other = a.state(), b.state()
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name


@kinds
@pytest.mark.parametrize("bias", [None, 0.3])
def test_a_run_is_the_same_as_with_all_weights(kind: str, bias: float | None) -> None:
    X, y = _rows(kind)
    (run, listed), (twin, dense) = _play(X, y, 1, bias), _play(X, y, NEVER, bias)
    assert _listed(listed)
    assert not _listed(dense)
    assert run.ledger.mistake_rounds.tolist() == twin.ledger.mistake_rounds.tolist()
    assert run.ledger.second_steps == twin.ledger.second_steps
    assert run.ledger.exact_steps == twin.ledger.exact_steps
    with listing(1):
        state = listed.state()
        assert state["weights"].size == 0
        assert _sums(state) == _sums({**dense.state()})
        with listing(NEVER):  # and as it would have been saved
            _same(listed, dense)
    assert listed.weight_norm == dense.weight_norm
    assert listed.predict(X[[3]]) == dense.predict(X[[3]])


@kinds
def test_hypotheses_agree_bit_by_bit(kind: str, tmp_path: Path) -> None:
    X, y = _rows(kind, 1)
    (run, listed), (twin, _) = _play(X, y, 1, 0.3), _play(X, y, NEVER, 0.3)
    assert not listed.core.saturated()
    with listing(1):
        h = run.hypothesis()
    g = twin.hypothesis()
    assert isinstance(g, nv.Multiclass)
    assert isinstance(h, nv.Multiclass)
    h.save(tmp_path / "h.model")
    for found in (h, nv.Multiclass.load(tmp_path / "h.model")):
        state = found.contents()[1]
        assert "w" not in state
        assert "w" in g.contents()[1]
        assert (found.dimension, found.labels) == (g.dimension, g.labels)
        assert np.array_equal(found.w, g.w)
        assert np.array_equal(found.bias_weights, g.bias_weights)
        assert found.weights() == g.weights()
        assert found.top(3) == g.top(3)
        assert np.array_equal(found.predict(X), g.predict(X))
        assert np.array_equal(found.scores(X), g.scores(X), equal_nan=True)
        assert repr(found) == repr(g)


@kinds
def test_a_loaded_learner_goes_on_as_if_it_had_never_stopped(kind: str, tmp_path: Path) -> None:
    X, y = _rows(kind, 2)
    half = ROWS // 2
    with listing(1):
        whole, first = nv.MulticlassPerceptron(), nv.MulticlassPerceptron()
        y = np.unique(y, return_inverse=True)[1]
        y[: y.max() + 1] = np.arange(y.max() + 1)  # a learner numbers classes as they come
        run = nv.play(whole, nv.stream(X, y))
        nv.play(first, nv.stream(X[:half], y[:half]))
        first.save(tmp_path / "half.model")
        second = nv.MulticlassPerceptron.load(tmp_path / "half.model")
        assert _listed(second)
        labels = list(range(second.classes))
        rest = nv.play(second, nv.stream(X[half:], y[half:]), labels=labels)
        _same(whole, second)
        late = [t for t in run.ledger.mistake_rounds.tolist() if t > half]
        assert [t + half for t in rest.ledger.mistake_rounds.tolist()] == late


@pytest.mark.parametrize("scale", [0.5, 0.1])
def test_weighted_rounds_agree(scale: float) -> None:
    X, y = _rows("double", 3)
    weights = np.random.default_rng(4).choice([1.0, 0.0, scale], ROWS)
    (run, listed), (twin, dense) = (_play(X, y, n, None, weights) for n in (1, NEVER))
    assert run.ledger.mistake_rounds.tolist() == twin.ledger.mistake_rounds.tolist()
    with listing(1):
        assert _listed(listed)
        assert _sums(listed.state()) == _sums({**dense.state()})


def test_the_first_class_without_a_weight_wins_a_tie() -> None:
    """Class 0 and 1 have weights for feature 0; feature 1 is new, so every score is 0."""
    with listing(1):
        learner = nv.MulticlassPerceptron()
        rows = [({"a": 0.1}, 0), ({"a": 0.1}, 1), ({"a": 0.3, "b": 0.1}, 2), ({"c": 0.1}, 3)]
        for x, y in rows:
            learner.update(x, y)
        learner.update({f"n{i}": 0.1 for i in range(90)}, 0)
        assert learner.predict({"z": 0.1}) == 0
        assert learner.predict({"a": 0.1}) == 2  # w_2 is 0.3 after round 3
        assert learner.predict({"a": -0.1}) == 1  # w_0 is −0.1, w_1 is 0.1 − 0.3


def test_dense_rows_fill_the_weights_and_make_them_dense() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((400, 30)), rng.integers(0, 6, 400)
    with listing(1):
        learner = nv.MulticlassPerceptron()
        first = nv.play(learner, nv.stream(X[:1], y[:1]))
        assert _listed(learner)
        first.play(nv.stream(X[1:], y[1:]))
        assert not _listed(learner)
    twin, dense = _play(X, y, NEVER)
    assert first.ledger.mistake_rounds.tolist() == twin.ledger.mistake_rounds.tolist()
    _same(learner, dense)


def test_new_classes_and_features_make_dense_weights_listed() -> None:
    X, y = _rows("double", 6)
    run, learner = _play(X, y, 16 * FEATURES)
    twin, dense = _play(X, y, NEVER)
    assert _listed(learner)
    assert run.mistakes == twin.mistakes
    with listing(1):
        assert _sums(learner.state()) == _sums({**dense.state()})


@kinds
@pytest.mark.parametrize("bias", [None, 0.3])
def test_averages_agree_bit_by_bit(kind: str, bias: float | None) -> None:
    """The same moments, added in the same order."""
    X, y = _rows(kind, 9)
    weights = np.random.default_rng(1).choice([1.0, 0.0, 0.5], ROWS) if kind == "double" else None
    (run, listed), (twin, dense) = (_play(X, y, n, bias, weights, True) for n in (1, NEVER))
    assert (_listed(listed), _listed(dense)) == (True, False)
    assert run.ledger.mistake_rounds.tolist() == twin.ledger.mistake_rounds.tolist()
    with listing(NEVER):
        _same(listed, dense)
        g = dense.hypothesis()
    assert "w" in g.contents()[1]
    for learner in (listed, dense):  # whichever form the sums have
        with listing(1):
            h = learner.hypothesis()
        assert "listed_ends" in h.contents()[1]
        assert np.array_equal(h.w, g.w)
        assert np.array_equal(h.bias_weights, g.bias_weights)


def test_listed_averages_beyond_the_floats_are_refused() -> None:
    X, y = _rows("ones", 9)
    _, listed = _play(X * 1e307, y, 1, averaged=True)
    with listing(1), pytest.raises(nv.errors.HypothesisError, match="average: expected sums"):
        listed.hypothesis()


@kinds
def test_a_loaded_average_goes_on_as_if_it_had_never_stopped(kind: str, tmp_path: Path) -> None:
    X, y = _rows(kind, 2)
    half = ROWS // 2
    y = np.unique(y, return_inverse=True)[1]
    y[: y.max() + 1] = np.arange(y.max() + 1)
    with listing(1):
        _, whole = _play(X, y, 1, averaged=True)
        _, first = _play(X[:half], y[:half], 1, averaged=True)
        first.save(tmp_path / "half.model")
        second = nv.MulticlassPerceptron.load(tmp_path / "half.model")
        assert _listed(second)
        nv.play(second, nv.stream(X[half:], y[half:]), labels=list(range(second.classes)))
        _same(whole, second)


def test_averages_of_dense_rows_become_dense() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((400, 30)), rng.integers(0, 6, 400)
    _, learner = _play(X, y, 1, 0.5, averaged=True)
    _, dense = _play(X, y, NEVER, 0.5, averaged=True)
    assert not _listed(learner)
    _same(learner, dense)


def test_new_classes_and_features_make_dense_averages_listed() -> None:
    X, y = _rows("double", 6)
    _, learner = _play(X, y, 16 * FEATURES, averaged=True)
    _, dense = _play(X, y, NEVER, averaged=True)
    assert _listed(learner)
    with listing(NEVER):
        _same(learner, dense)


def _state() -> dict[str, Any]:
    X, y = _rows("double", 8)
    _, learner = _play(X, y, 1)
    with listing(1):
        return learner.state()


CHANGES: dict[str, Any] = {
    "listed_ends": [lambda a: a[:-1], lambda a: a + 1, lambda a: a[::-1].copy(), lambda a: -a],
    "listed_features": [
        lambda a: a[:-1], lambda a: a + FEATURES, lambda a: a - 2**40, lambda a: a[::-1].copy(),
        np.zeros_like, lambda a: a.astype(float),
    ],
    "listed_weights": [
        lambda a: a[:-1], lambda a: a * np.nan, lambda a: a * 0, lambda a: a * np.inf,
    ],
    "listed_dimension": [lambda a: a * 0, lambda a: a + 2**40, lambda a: -a, lambda a: a[:0]],
    "remainder_slots": [lambda a: a + 10**9, lambda a: a - 10**9, lambda a: a[:-1]],
    "weights": [lambda a: np.ones(64)],
    "counts": [lambda a: a * 2, lambda a: a + 1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change"), [(name, f) for name, changes in CHANGES.items() for f in changes]
)
def test_a_damaged_state_is_refused(name: str, change: Any) -> None:
    state = _state()
    state[name] = change(state[name])
    with pytest.raises((ValueError, TypeError)):
        rebuilt(nv.MulticlassPerceptron, {}, state)


@pytest.mark.parametrize("name", [name for name in CHANGES if name.startswith("listed_")])
def test_a_state_without_one_of_its_arrays_is_refused(name: str) -> None:
    state = _state()
    rebuilt(nv.MulticlassPerceptron, {}, dict(state))
    del state[name]
    with pytest.raises(ValueError, match="saved state"):
        rebuilt(nv.MulticlassPerceptron, {}, state)


def test_a_learner_that_lists_nothing_refuses_lists() -> None:
    with pytest.raises(ValueError, match="saved state"):
        rebuilt(nv.Perceptron, {}, _state())


MOMENTS: dict[str, Any] = {
    "moments": [lambda a: a[:-1], lambda a: a * 0, lambda a: a[:0]],
    "moment_ends": CHANGES["listed_ends"],
    "moment_features": CHANGES["listed_features"],
    "listed_dimension": CHANGES["listed_dimension"],
}


@pytest.mark.parametrize(
    ("name", "change"), [(name, f) for name, changes in MOMENTS.items() for f in changes]
)
def test_damaged_moments_are_refused(name: str, change: Any) -> None:
    X, y = _rows("double", 8)
    _, learner = _play(X, y, 1, averaged=True)
    with listing(1):
        state = learner.state()
        rebuilt(nv.MulticlassPerceptron, {"averaged": True}, dict(state))
        damaged = {**state, name: change(state[name])}
        lacking = {key: array for key, array in state.items() if key != name}
        for wrong in (damaged, lacking, {**_state(), "moments": np.zeros(0)}):
            with pytest.raises((ValueError, TypeError)):
                rebuilt(nv.MulticlassPerceptron, {"averaged": True}, wrong)


@pytest.mark.parametrize(
    ("name", "change"),
    [(name, f) for name, changes in CHANGES.items() for f in changes if name in HYPOTHESIS],
)
def test_a_damaged_hypothesis_is_refused(name: str, change: Any) -> None:
    X, y = _rows("double", 8)
    run, _ = _play(X, y, 1)
    with listing(1):
        metadata, arrays = run.learner.hypothesis().contents()
    plain = {"bias": None, "dimension": metadata["dimension"]}
    assert nv.Multiclass.from_contents(plain, dict(arrays)).dimension == FEATURES
    changed = np.array(change(arrays[name]))
    with pytest.raises((ValueError, TypeError)):
        nv.Multiclass.from_contents(plain, {**arrays, name: changed})
    for dimension in (-1, 0, 2**40, 1.5, "many", None):
        with pytest.raises((ValueError, TypeError)):
            nv.Multiclass.from_contents({**plain, "dimension": dimension}, dict(arrays))
