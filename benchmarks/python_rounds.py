"""Rounds from Python: a generator, one prediction, and the adapters.

The goals are microseconds, not ratios: the peer of a row is the time that its goal allows, so the
ratio is at least 1 if the goal is reached. The peer of ``partial_fit`` is ``play`` on the same
arrays.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import novikoff as nv
from benchmarks.table import Row
from benchmarks.timing import compare, timed
from novikoff import sklearn
from novikoff.types import AnyArray, FloatArray

ROUNDS, WIDTH, TURNS = 20_000, 30, 7


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROUNDS, WIDTH))
    y = np.where(X[:, 0] + X[:, 1] > 0.3, 1, -1)
    labels = y.tolist()
    names = [f"feature {j}" for j in range(WIDTH)]
    forms: dict[str, list[object]] = {
        "NumPy vectors": list(X),
        "lists": X.tolist(),
        "dicts": [dict(zip(names, x, strict=True)) for x in X.tolist()],
    }
    for form, xs in forms.items():
        yield _timed(f"generator of {form}", 3, partial(_played, xs, labels))
    for form, xs in forms.items():
        run = _played(xs, labels)
        yield _timed(f"predict_one, {form}", 1, partial(_predicted, run, xs))
    for size in (569, 5000):
        yield _partial_fit(X[:size], y[:size])


def _partial_fit(X: FloatArray, y: AnyArray) -> Row:
    model = sklearn.PerceptronClassifier()
    model.partial_fit(X, y, classes=[-1, 1])
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    return compare(
        f"partial_fit of {len(X)} × {WIDTH}, next to play",
        0.8,
        lambda: run.play(nv.stream(X, y)),
        lambda: model.partial_fit(X, y).run_,
        TURNS,
        20,
    )


def _played(xs: list[object], labels: list[int]) -> nv.Run[nv.Perceptron]:
    return nv.play(nv.Perceptron(), zip(xs, labels, strict=True))


def _predicted(run: nv.Run[nv.Perceptron], xs: list[object]) -> nv.Run[nv.Perceptron]:
    predict = run.predict_one
    for x in xs:
        predict(x)
    return run


def _timed(work: str, goal: float, call: Callable[[], nv.Run[nv.Perceptron]]) -> Row:
    """Return microseconds a round, next to those of the goal."""
    times = []
    call()
    for _ in range(TURNS):
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) / ROUNDS)
    return timed(work, 1, [goal * 1e-6] * TURNS, times)
