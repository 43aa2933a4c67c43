"""Claims about data alone: that they are separable, or that they are not."""

from fractions import Fraction
from typing import Any

from oracle.claim import fields, number
from oracle.data import Data, Vector, added, dot, with_constant
from oracle.perceptrons import weights
from oracle.reals import is_whole, require


def _constant(evidence: dict[str, Any]) -> Any:
    bias = evidence["bias"]
    return None if bias is None else number(bias, "the bias")


def separable(evidence: Any, data: Data) -> None:
    """Require y_t w·x_t > 0 for every t."""
    fields(evidence, {"w", "bias"})
    bias, w = _constant(evidence), weights(evidence["w"])
    for x, y in zip(data.xs, data.ys, strict=True):
        require(y * dot(w, with_constant(x, bias)) > 0, "w does not separate the rows")


def not_separable(evidence: Any, data: Data) -> None:
    """Require Σ a_t y_t x_t = 0 with whole a_t > 0, and one of them at least."""
    fields(evidence, {"rows", "weights", "bias"})
    bias, rows, shares = _constant(evidence), evidence["rows"], evidence["weights"]
    lists = isinstance(rows, list) and isinstance(shares, list) and len(rows) == len(shares)
    require(lists and rows, "there is no weight for each row that is named")
    total: Vector = {}
    for t, a in zip(rows, shares, strict=True):
        require(is_whole(t, 1, len(data.xs)), "a row is not there")
        require(is_whole(a, 1), "a weight is no whole number above 0")
        x = with_constant(data.xs[int(t) - 1], bias)
        total = added(total, x, int(a) * data.ys[int(t) - 1])
    require(all(v == Fraction(0) for v in total.values()), "the sum is not 0")
