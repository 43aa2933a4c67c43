"""True certificates about predictions, with their rows and predictions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

import novikoff as nv
from claims import rows_of
from novikoff import verifier
from novikoff.receipts.certificates import Certificate
from novikoff.receipts.family import positive
from novikoff.receipts.prediction_sources import predictions_of
from novikoff.receipts.predictions import certificate_of_predictions
from novikoff.streams import Stream
from novikoff.types import AnyArray


def world(seed: int = 0, rounds: int = 40, d: int = 3) -> tuple[AnyArray, AnyArray, list[float]]:
    """Rows of any scale, labels that follow some weights, and probabilities that know a little."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((rounds, d)) * 8.0 ** rng.integers(-1, 2, d), 3)
    X[rng.random((rounds, d)) < 0.3] = 0
    score = X @ rng.standard_normal(d) + rng.standard_normal(rounds)
    y = np.where(score > 0, 1, -1)
    p = 1 / (1 + np.exp(-score * rng.random(rounds) + rng.standard_normal(rounds)))
    return X, y, [float(v) for v in np.round(p, 6)]


CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "clipped": {"clip": 0.05},
    "no constant": {"bias": None, "penalty": 1.0},
    "another constant": {"bias": -2.5, "penalty": 1e-5},
    "scores": {"kind": "score", "penalty": 30.0},
    "numbers": {"loss": "squared"},
    "numbers and no constant": {"loss": "squared", "bias": None, "penalty": 2.0},
}


def claimed(name: str, seed: int = 0) -> tuple[Certificate, Stream, list[Any]]:
    """A true certificate, its rows and its predictions."""
    X, y, p = world(seed)
    stream = nv.stream(X, y)
    if name in CASES:
        if "loss" in CASES[name]:
            rng = np.random.default_rng(seed)
            stream = nv.stream(X, np.round(X @ [1.0, -0.5, 3.0] + rng.standard_normal(40), 2))
            p = [float(v) for v in np.round(X @ [1.0, 0.0, 2.0], 3)]
        if name == "scores":
            p = [3 * v - 1.5 for v in p]
        return nv.certify_predictions(p, stream, **CASES[name]), stream, p
    if name == "betting":
        given = {"kind": "probability", "clip": 0.01, "delta": 0.05, "steps": 500_000}
        return certified("betting-mean", given, p, stream), stream, p
    labels: list[Any] = ["red", "green", "blue"]
    truth = [labels[k] for k in np.argsort(X, axis=1)[:, 0]]
    guessed = [labels[k % 3] if k % 4 else t for k, t in enumerate(truth)]
    stream = nv.stream(X, truth)
    given = {"kind": "label", "threshold": None, "delta": 0.05}
    if name == "thresholded":
        stream, given = nv.stream(X, y), given | {"kind": "probability", "threshold": 0.375}
        guessed = p
    order = {"classes": list(dict.fromkeys(truth))} if name == "classes" else positive(1)
    if name == "labels":
        order = positive("red")
    return certified("clopper-pearson", given, guessed, stream, order), stream, guessed


def certified(
    theorem: str, given: Any, predictions: Any, stream: Stream, labels: Any = None
) -> Certificate:
    """Find the bound of ``clopper-pearson`` by trying floats; the others compute theirs."""
    names = labels or positive(1)
    bound = None
    if theorem == "clopper-pearson":
        data = verifier.Data(rows_of(stream), names, None)
        found = verifier.Predictions(
            predictions_of(predictions, names.get("positive")), given["kind"]
        )
        k, delta = verifier.error_counts(given, data, found), Fraction(given["delta"])
        low, high = 0.0, 1.0
        while math.nextafter(low, 1) < high:
            middle = (low + high) / 2
            rare = verifier.is_rare(k, data.count, middle, delta)
            low, high = (low, middle) if rare else (middle, high)
        bound = high
    return certificate_of_predictions(theorem, given, predictions, stream, names, bound)


ALL = [*CASES, "betting", "classes", "labels", "thresholded"]
