"""A block plays rounds that are certain in a loop of its own; one by one, no round takes it."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import novikoff as nv

Rows = npt.NDArray[np.float64]
LEARNERS: dict[str, Callable[[], nv.Learner]] = {
    "perceptron": nv.Perceptron,
    "with bias": lambda: nv.Perceptron(bias=0.5),
    "averaged": nv.AveragedPerceptron,
    "voted": nv.VotedPerceptron,
}


def _rows(scale: str, rng: np.random.Generator) -> Rows:
    """Rows of 21 values, so that the last ones fill no vector: at one scale, or at all of them."""
    X: Rows = rng.standard_normal((400, 21))
    factors = {
        "ordinary": np.ones(400),
        "growing": np.geomspace(1e-3, 1e3, 400),
        "huge": np.full(400, 1e160),
        "tiny": np.full(400, 1e-160),
        "subnormal": np.full(400, 1e-310),
        "mixed": 10.0 ** rng.integers(-170, 170, 400),
        "around": 10.0 ** rng.integers(-2, 3, 400),
    }
    if scale == "ties":
        return rng.integers(-1, 2, (400, 21)).astype(np.float64)
    X *= factors[scale][:, None]
    return X


def _state(run: nv.Run) -> dict[str, list[object]]:
    """All that a run counted and learned, floats bit by bit."""
    _, arrays = run.ledger.state()
    held = {f"ledger {name}": array for name, array in arrays.items()} | run.learner.state()
    return {
        name: [_bits(value) for value in np.ravel(array).tolist()] for name, array in held.items()
    }


def _bits(value: object) -> object:
    return value.hex() if isinstance(value, float) else value


@pytest.mark.parametrize("form", ["float64", "float32", "sparse"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "scale", ["ordinary", "growing", "huge", "tiny", "subnormal", "mixed", "around", "ties"]
)
def test_a_block_counts_and_learns_what_single_rounds_do(
    scale: str, learner: str, form: str
) -> None:
    rng = np.random.default_rng([len(scale), len(learner)])
    X = _rows(scale, rng)
    if form == "float32":
        with np.errstate(over="ignore"):
            X = np.clip(X, -3e38, 3e38).astype(np.float32)
    y = np.where(np.sign(X) @ rng.standard_normal(21) + rng.standard_normal(400) >= 0, 1, -1)
    block = nv.play(LEARNERS[learner](), nv.stream(sp.csr_array(X) if form == "sparse" else X, y))
    single = nv.Run(LEARNERS[learner]())
    for x, label in zip(X, y.tolist(), strict=True):
        held = np.flatnonzero(x)
        single.learn((held, x[held]) if form == "sparse" else x, label)
    assert 0 < block.ledger.mistakes < 400
    assert _state(block) == _state(single)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_value_stops_the_block_before_its_row(bad: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 21))
    y = np.where(X[:, 0] >= 0, 1, -1)
    X[40, 20] = bad
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError):
        run.play(nv.stream(X, y))
    assert run.ledger.rounds == 40


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("scale", ["ordinary", "growing", "around", "ties"])
def test_a_block_larger_than_the_caches_is_played_like_its_parts(
    scale: str, learner: str, dtype: type[np.floating]
) -> None:
    rng = np.random.default_rng(0)
    X = np.tile(_rows(scale, rng), (530, 1)).astype(dtype)  # 17 MB of floats
    y = np.where(X[:, 0] + rng.standard_normal(len(X)) > 0, 1, -1)
    whole = nv.play(LEARNERS[learner](), nv.stream(X, y))
    parts = nv.Run(LEARNERS[learner]())
    for part in np.array_split(np.arange(len(X)), 4):
        parts.play(nv.stream(X[part], y[part]))
    a, b = whole.ledger, parts.ledger
    assert a.mistake_rounds.tolist() == b.mistake_rounds.tolist()
    assert (a.rounds, a.radius, a.radius_inf) == (b.rounds, b.radius, b.radius_inf)
    assert (a.rounds_by_label, a.mistakes_by_label) == (b.rounds_by_label, b.mistakes_by_label)
    for name, array in whole.learner.state().items():
        assert np.array_equal(array, parts.learner.state()[name]), name
