"""A verdict does not depend on the decimal context of the program that asks for it."""

import decimal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import novikoff as nv

RNG = np.random.default_rng(3)
X = RNG.standard_normal((200, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.standard_normal(200) > 0, 1, -1)
TOLD = np.clip(1 / (1 + np.exp(-X[:, 0])), 0.01, 0.99)
CONTEXTS = [
    decimal.Context(prec=1),
    decimal.Context(prec=3, rounding=decimal.ROUND_FLOOR),
    decimal.Context(traps=[decimal.FloatOperation, decimal.Inexact, decimal.Rounded]),
    decimal.Context(prec=2, Emax=2, Emin=-2, clamp=1),
]


def _said() -> Iterator[Any]:
    rows = nv.stream(X, Y)
    for learner in (nv.Blend(), nv.Perceptron(), nv.CoinBetting(), nv.ForwardRegression()):
        certificate = nv.certify(nv.play(learner, rows), rows)
        yield certificate.text, nv.verify(certificate, rows)
    for penalty in (0.01, 1.0):
        certificate = nv.certify_predictions(TOLD, rows, penalty=penalty)
        yield certificate.text, nv.verify(certificate, rows, predictions=TOLD)


@pytest.mark.parametrize("context", CONTEXTS, ids=["one", "three", "traps", "exponents"])
def test_verdicts_are_the_same(context: decimal.Context) -> None:
    plain = list(_said())
    assert all(verdict.verified for _, verdict in plain)
    with decimal.localcontext(context):
        assert list(_said()) == plain
