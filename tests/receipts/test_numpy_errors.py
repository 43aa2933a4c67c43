"""Receipts do not depend on ``np.seterr``: what underflows or overflows is meant to."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from novikoff.receipts import error_bounds, fresh_bounds
from novikoff.receipts.calibration import calibration_bins

_SCALES = [1e-200, 1.0, 1e100, 1e-3, 30.0]
_LEARNERS: tuple[Callable[[], nv.Learner], ...] = (
    nv.Perceptron, nv.AveragedPerceptron, nv.Blend, nv.AdaptiveGradient, nv.CoinBetting, nv.Arow,
    nv.NormalizedGradient, nv.OnlineNewton, nv.BaseRate,
)  # fmt: skip
_WITH_BOUNDS = _LEARNERS[:5]
_RNG = np.random.default_rng(0)
_X = _RNG.standard_normal((400, 5))
_FAR = _X * _SCALES  # columns of very different sizes, whose squares leave float64
_Y = np.where(_X[:, 1] > 0, 1, -1)
_Y[:9] *= -1
_LOSSES = _RNG.random((100, 4))


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    """NumPy raises whatever happens to a float."""
    with np.errstate(all="raise"):
        yield


def _same(ask: Callable[[], object]) -> None:
    """Expect the same answer, bit for bit, as without errors."""
    found = repr(ask())
    with np.errstate(all="ignore"):
        assert found == repr(ask())


@pytest.mark.parametrize("learner", _LEARNERS)
@pytest.mark.parametrize("X", [_X, _FAR], ids=["ordinary", "far"])
def test_error_bounds_alarms_and_tests(learner: Callable[[], nv.Learner], X: np.ndarray) -> None:
    run = nv.play(learner(), nv.stream(X, _Y))
    _same(lambda: nv.error_bound(run))
    _same(lambda: nv.error_alarm(run, window=50).state)
    _same(lambda: nv.test(run, nv.stream(X, _Y)))


@pytest.mark.parametrize("learner", _WITH_BOUNDS)
@pytest.mark.parametrize("X", [_X, _FAR], ids=["ordinary", "far"])
def test_bounds_and_certificates(learner: Callable[[], nv.Learner], X: np.ndarray) -> None:
    run = nv.play(learner(), nv.stream(X, _Y))
    _same(lambda: nv.bounds(run))
    _same(lambda: nv.certify(run).content)


@pytest.mark.parametrize("rows", [slice(None), slice(9, None)], ids=["mixed", "separable"])
@pytest.mark.parametrize("X", [_X, _FAR], ids=["ordinary", "far"])
def test_margins(X: np.ndarray, rows: slice) -> None:
    _same(lambda: nv.margin(X[rows], _Y[rows]))


def test_nothing_warns() -> None:
    """NumPy warns, and warnings are errors."""
    with np.errstate(all="warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        run = nv.play(nv.Perceptron(), nv.stream(_FAR, _Y))
        _same(lambda: nv.error_bound(run))
        _same(lambda: nv.bounds(run))
        _same(lambda: nv.margin(_FAR, _Y))


def test_bounds_of_a_kernel_whose_values_underflow() -> None:
    """K(x, z) = e^{−5‖x − z‖²} is subnormal for some rows, and 0 for others."""
    rounds = nv.stream(_X[:120] * 8, _Y[:120])
    run = nv.play(nv.KernelPerceptron(nv.rbf(5.0)), rounds)
    _same(lambda: nv.bounds(run))


def test_certificates_of_a_run_that_began_with_tiny_weights(tmp_path: Path) -> None:
    """Products of the weights with the rest of the exact ones underflow."""
    run = nv.play(nv.Perceptron(), nv.stream(_X[:60] * 2.0**-300, _Y[:60]))
    run.save(model := tmp_path / "model")
    later = nv.stream(_X[60:100] * 2.0**300, _Y[60:100])
    run.play(later)
    _same(lambda: nv.bounds(run, later, start=model))
    _same(lambda: nv.certify(run, later, start=model).content)


@pytest.mark.parametrize("learner", [nv.Hedge, nv.Exp3])
def test_simulations(learner: Callable[[int], nv.RegretLearner]) -> None:
    _same(lambda: nv.simulate(learner(4), _LOSSES, seeds=3))


@pytest.mark.parametrize("learner", [nv.Perceptron, nv.Blend])
def test_reports(learner: Callable[[], nv.Learner], tmp_path: Path) -> None:
    run = nv.play(learner(), nv.stream(_FAR, _Y))

    def written() -> str:
        nv.report(run, tmp_path / "page.html")
        return (tmp_path / "page.html").read_text("utf-8")

    _same(written)


def test_best_weights_and_predictions() -> None:
    rounds = nv.stream(_FAR, _Y)
    _same(lambda: nv.best_weights(_FAR, _Y, penalty=1e-3))
    _same(lambda: nv.certify_predictions(np.full(400, 0.3), rounds).content)


def test_what_is_measured_on_fresh_rows() -> None:
    losses = np.array([0.0, 5e-324, 1e-310, 1.0] * 50)
    _same(lambda: fresh_bounds.mean_bound(losses, 1.0))
    _same(lambda: fresh_bounds.clipped_bound(np.array([0.0, 1.0, 1e-300] * 50), 1e-6))
    _same(lambda: calibration_bins([5e-324, 0.0, 1.0], [0, 0, 1]))
    _same(lambda: nv.calibration_error([5e-324, 0.0, 1.0], [0, 0, 1]))


@pytest.mark.parametrize("bound", [error_bounds.mixture_bound, error_bounds.progressive_bound])
def test_error_bounds_of_counts(bound: Callable[[int, int], float]) -> None:
    for mistakes, rounds in ((0, 1), (0, 10**9), (7, 7), (3, 10**6), (10**6, 10**6)):
        _same(partial(bound, mistakes, rounds))
