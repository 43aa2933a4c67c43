"""Claims about data alone: that some w separates them, or that none does."""

from collections import defaultdict

from verifier.core.certificate import Object, Refused, require
from verifier.core.data import Data
from verifier.core.exact import dot
from verifier.core.learner import is_integer
from verifier.core.theorem import CLAIMS, THEOREMS, Claim, Theorem
from verifier.families.perceptron import comparator

THEOREMS |= {
    "separable": Theorem("y_t w·x_t > 0 for every t"),
    "not separable": Theorem(
        "Σ_t a_t y_t x_t = 0 with a ≥ 0, a ≠ 0: no w has y_t w·x_t > 0 for every t"
    ),
}


def check_separable(evidence: Object, data: Data) -> None:
    """Check that w separates the data."""
    w = comparator(evidence["w"], many=False)[1][0]
    require(all(y * dot(w, x) > 0 for y, x in data), "its w does not separate the data")


def check_not_separable(evidence: Object, data: Data) -> None:
    """Check that the rows with these weights add up to 0."""
    rows, weights = evidence["rows"], evidence["weights"]
    if not (isinstance(rows, list) and isinstance(weights, list)):
        raise Refused("its weights are none")
    pairs = zip(rows, weights, strict=True)
    factors = {t: a for t, a in pairs if is_integer(t) and is_integer(a) and a > 0}
    require(len(factors) == len(rows) > 0, "its weights are none")
    total: dict[int, int] = defaultdict(int)
    for t, (y, x) in enumerate(data, 1):
        a = factors.pop(t, 0) * y
        for j, v in zip(*x, strict=True) if a else ():
            total[j] += a * v
    require(not factors and not any(total.values()), "its rows do not add up to 0")


CLAIMS |= {
    "separable": Claim(("w", "bias"), check_separable),
    "not separable": Claim(("rows", "weights", "bias"), check_not_separable),
}
