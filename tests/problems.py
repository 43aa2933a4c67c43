"""Problems that several tests pose, and answers by other means."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse as sp

from novikoff import _core as core


def dense(X: Any, dtype: type = np.float64) -> core.Block:
    return core.Block.dense(np.ascontiguousarray(X, dtype=dtype))


def sparse(X: Any, index: type = np.int32, dtype: type = np.float64) -> core.Block:
    X = sp.csr_array(X)
    starts, indices = X.indptr.astype(index), X.indices.astype(index)
    return core.Block.sparse(starts, indices, X.data.astype(dtype), X.shape[1])


FORMS: dict[str, Callable[[Any], core.Block]] = {
    "dense float32": lambda X: dense(X, np.float32),
    "dense float64": dense,
    "sparse int32 float32": lambda X: sparse(X, np.int32, np.float32),
    "sparse int32 float64": sparse,
    "sparse int64 float32": lambda X: sparse(X, np.int64, np.float32),
    "sparse int64 float64": lambda X: sparse(X, np.int64),
}


def problem(rows: int, columns: int, noise: float = 0.5, seed: int = 0) -> tuple[Any, Any]:
    """Rows that float32 holds too, and labels of which some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.3] = 0
    scores = X @ rng.normal(size=columns) + noise * math.sqrt(columns) * rng.normal(size=rows)
    return X, np.where(scores > 0, 1, -1).astype(np.int8)


def class_problem(
    rows: int, columns: int, classes: int, noise: float = 0.5, seed: int = 0
) -> tuple[Any, Any]:
    """Rows that float32 holds too, and classes of which some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.3] = 0
    scores = X @ rng.normal(size=(columns, classes))
    scores += noise * math.sqrt(columns) * rng.normal(size=scores.shape)
    return X, scores.argmax(axis=1).astype(np.uint32)


def named_rounds(rounds: int, seed: int = 0) -> list[tuple[dict[str, float], int]]:
    """Rounds with a few of fifty named features, and labels of which some are wrong."""
    rng = np.random.default_rng(seed)
    target = rng.standard_normal(50)
    rows = []
    for _ in range(rounds):
        places = rng.choice(50, rng.integers(0, 9), replace=False)
        values = rng.integers(-9, 10, len(places)) / 10
        y = 1 if values @ target[places] + rng.standard_normal() >= 0 else -1
        rows.append(({f"word{j}": float(v) for j, v in zip(places, values, strict=True)}, y))
    return rows


def leads(W: Any, X: Any, y: Any) -> Any:
    """By how much the right class scores above every other, row by row."""
    scores, t = X @ W, np.arange(len(y))
    own = scores[t, y].copy()
    scores[t, y] = -math.inf
    return own - scores.max(axis=1)


def solver(
    X: Any, y: Any, cost: float, squared: bool = False, *, bias: float = 0.0
) -> core.SoftMargin:
    result = core.SoftMargin(cost, squared, bias)
    assert result.add(X if isinstance(X, core.Block) else dense(X), y) == len(y)
    return result


def solved(X: Any, y: Any, cost: float, squared: bool = False, **options: Any) -> core.SoftMargin:
    tolerance = options.pop("tolerance", 1e-9)
    result = solver(X, y, cost, squared, **options)
    assert result.descend(tolerance, seconds=60) or result.settled
    assert result.known
    return result


def folded(X: Any, bias: float) -> Any:
    return np.column_stack([X, np.full(len(X), bias)]) if bias else np.asarray(X)


def primal_of(w: Any, X: Any, y: Any, cost: float, squared: bool) -> float:
    xi = np.maximum(0, 1 - y * (X @ w))
    return float(w @ w / 2 + (cost / 2 * (xi @ xi) if squared else cost * xi.sum()))


def dual_optimum(X: Any, y: Any, cost: float, squared: bool) -> float:
    """The dual's largest value, by somebody else's method."""
    Z = X * y[:, None]
    Q = Z @ Z.T + (np.eye(len(y)) / cost if squared else 0)
    found = scipy.optimize.minimize(
        lambda a: (a @ Q @ a / 2 - a.sum(), Q @ a - 1),
        np.zeros(len(y)),
        jac=True,
        bounds=[(0, None if squared else cost)] * len(y),
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10_000, "maxfun": 100_000},
    )
    return -float(found.fun)


def fractions(values: Any) -> list[Fraction]:
    return [Fraction(float(v)) for v in values]


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def exact_gap(s: core.SoftMargin, X: Any, y: Any, bias: float) -> Fraction:
    """primal(w) − dual(α) of the doubles handed out, in real arithmetic."""
    rows = [
        [int(label) * v for v in fractions(x)] for x, label in zip(folded(X, bias), y, strict=True)
    ]
    bias_weight, weights = s.w()
    w = fractions([*weights, bias_weight] if bias else weights)
    alpha, cost = fractions(s.alphas()), Fraction(s.cost)
    v = [dot(alpha, [x[j] for x in rows]) for j in range(len(w))]
    xi = [max(Fraction(0), 1 - dot(w, x)) for x in rows]
    loss = cost * (dot(xi, xi) / 2 if s.squared else sum(xi))
    charge = dot(alpha, alpha) / cost if s.squared else Fraction(0)
    return (dot(w, w) + dot(v, v) + charge) / 2 + loss - sum(alpha)


def fingerprint(s: core.SoftMargin) -> tuple[Any, ...]:
    return s.w()[0], s.w()[1].tobytes(), s.alphas().tobytes(), s.gap, s.primal, s.passes
