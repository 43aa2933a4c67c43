"""True certificates of every kind."""

from fractions import Fraction
from typing import Any

import numpy as np

import novikoff as nv
from novikoff import verifier
from novikoff.receipts.certificates import (
    Certificate,
    certificate_of,
    sealed,
)
from novikoff.streams import Stream, as_stream

LINEAR = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")


def separable_rows(rounds: int = 120, d: int = 5, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(d)
    X = rng.standard_normal((4 * rounds, d))
    X = X[np.abs(X @ w) > 0.3][:rounds]
    return X, np.where(X @ w >= 0, 1, -1), w


def pairs_of(w: Any) -> list[list[Any]]:
    return [[j, float(v)] for j, v in enumerate(w)]


def true_claim(name: str) -> tuple[Certificate, Stream]:
    X, y, w = separable_rows()
    stream: Stream = nv.stream(X, y)
    if name in LINEAR:
        run: nv.Run = nv.play(nv.Perceptron(bias=0.5), stream, passes=3)
        return certificate_of(run, stream, name, {"w": pairs_of(w)}), stream
    if name == "multiclass":
        labels = np.array(["red", "green", "blue"])[np.argsort(X[:, :3], axis=1)[:, 0]]
        stream = nv.stream(X, labels)
        run = nv.play(nv.MulticlassPerceptron(), stream)
        weights = [[run.labels.known.index("red"), 0, -1.5], [0, 1, 0.25]]
        return certificate_of(run, stream, "hinge-tight", {"w": weights}), stream
    if name.startswith("kernel"):
        X, y = np.round(X[:60]), y[:60]
        stream = nv.stream(X, y)
        kernel: Any = nv.polynomial(2, 0.5) if name == "kernel-polynomial" else nv.rbf(0.25)
        bias = 0.5 if name == "kernel-polynomial" else None
        run = nv.play(nv.KernelPerceptron(kernel, bias=bias), stream, passes=2)
        weights = [[7, -0.125], [20, 0.0625], [3, 0.3]]
        return certificate_of(run, stream, "hinge-tight", {"a": weights}), stream
    if name.startswith("minnow"):
        run = nv.play(nv.BalancedMinnow(0.02), stream)
        gamma = 3.0
        if name == "minnow":
            gamma = float(np.abs(X @ w).min()) * 0.999
            run = nv.play(nv.BalancedMinnow(0.005), stream)
        return certificate_of(run, stream, name, {"w": pairs_of(w), "gamma": gamma}), stream
    if name in ("progressive", "progressive-mixture"):
        run = nv.play(nv.VotedPerceptron(), stream)
        return certificate_of(run, stream, name, {"delta": 0.05}), stream
    evidence: dict[str, Any] = {"w": pairs_of(w), "bias": None}
    if name == "not separable":
        stream = nv.stream(np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 0.0]]), [1, -1, 1])
        evidence = {"rows": [1, 2], "weights": [2, 1], "bias": None}
    about = verifier.Data(rows_of(stream), {"positive": 1}, None).about
    content: dict[str, Any] = {
        "format": verifier.FORMAT, "theorem": name, "statement": verifier.THEOREMS[name].statement,
        "assumptions": [], "data": about | {"passes": None}, "learner": None, "mistakes": None,
        "evidence": evidence, "bound": None,
    }  # fmt: skip
    return sealed(content), stream


def rows_of(stream: Any) -> Any:
    from novikoff.receipts.rereading import Rereading

    return Rereading(as_stream(stream))


def reaches(f: float, whole: Fraction, under: Fraction) -> bool:
    return Fraction(f) >= whole and (Fraction(f) - whole) ** 2 >= under
