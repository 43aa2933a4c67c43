"""Sums over whole blocks give the same certificate, byte for byte, as the verifier's own replay."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from families import FAMILIES
from novikoff.receipts import exact_sums
from novikoff.receipts.certificates import certificate_of


def both(
    monkeypatch: pytest.MonkeyPatch, X: Any, y: Any, w: list[list[float]], bias: float | None
) -> tuple[bytes, bytes, bool]:
    """Return both certificates, or why there is none, and whether the sums were taken."""
    stream = nv.stream(X, y)
    run = nv.play(nv.Perceptron(bias=bias), stream, passes=2)
    taken: list[Any] = []
    bound = exact_sums.Sums.bound

    def noted(self: Any, *arguments: Any) -> Any:
        taken.append(bound(self, *arguments))
        return taken[-1]

    monkeypatch.setattr(exact_sums.Sums, "bound", noted)
    found = []
    for many in (0, 10**18):
        monkeypatch.setattr(exact_sums, "MANY", many)
        try:
            found.append(certificate_of(run, stream, "hinge-tight", {"w": w}).text)
        except nv.HypothesisError as refusal:  # a bound beyond every float
            found.append(str(refusal).encode())
    return found[0], found[1], bool(taken)


@pytest.mark.parametrize("made", FAMILIES, ids=lambda made: made.__name__)
@pytest.mark.parametrize("bias", [None, 0.3])
def test_sums_and_replay_write_the_same_certificate(
    made: Callable[[np.random.Generator], Any], bias: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values of extreme sizes are left to the replay; all others are summed."""
    rng = np.random.default_rng(1)
    X = made(rng)
    w = [[j, float(v)] for j, v in enumerate(rng.integers(-8, 9, X.shape[1]) / 8) if v]
    w += [] if bias is None else [[-1, 0.5]]
    one, two, summed = both(monkeypatch, X, rng.choice([-1, 1], len(X)), w, bias)
    assert one == two
    sizes = np.abs(X[X != 0])
    assert summed == bool(sizes.max() < 2.0**300 and sizes.min() > 2.0**-300)


def test_margins_of_exactly_one_are_looked_at_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.1 + 0.2 is above 0.3 in floats and in fact; its margins lie around 1 by single digits."""
    X = sp.csr_array([[0.1, 0.2, -0.3, 1.0], [0.1, 0.2, 0.0, 0.7], [1.0, 0.0, 0.0, 0.0]] * 5)
    w = [[0, 1.0], [1, 1.0], [2, 1.0], [3, 1.0]]
    one, two, summed = both(monkeypatch, X, [1, 1, -1] * 5, w, None)
    assert summed
    assert one == two
