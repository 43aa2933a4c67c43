"""scikit-learn's perceptron, one pass in the order given, without intercept."""

from collections.abc import Callable
from typing import Any

from sklearn.linear_model import Perceptron

import novikoff as nv


def one_pass(X: Any, y: Any) -> Callable[[], Any]:
    return lambda: Perceptron(
        max_iter=1, tol=None, shuffle=False, fit_intercept=False, n_jobs=1
    ).fit(X, y)


def ours(make: Callable[[], nv.Learner], X: Any, y: Any) -> Callable[[], nv.Run]:
    return lambda: nv.play(make(), nv.stream(X, y))
