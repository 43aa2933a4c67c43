"""Instances of the theorems of halfspaces."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff import _core
from novikoff.learners import MixedPerceptron

DIMENSIONS = (1, 2, 4, 6, 8, 12, 16)
LENGTHS = (1, 5, 10, 15, 20, 30, 40)


def novikoff() -> Picture:
    """e_1, …, e_d, labelled −1, and w = −(1, …, 1)."""

    def play(d: int) -> tuple[float, float]:
        run = nv.play(nv.Perceptron(), nv.stream(np.eye(d), -np.ones(d)))
        return run.mistakes, allowed("novikoff", radius2=1, norm2=d, margin=1)

    return picture("dimension d", DIMENSIONS, play)


def alternating(rounds: int) -> list[tuple[list[float], int]]:
    """Return x = 1 with labels that alternate from −1."""
    return [([1.0], -1 if t % 2 == 0 else 1) for t in range(rounds)]


def _alternating(theorem: str) -> Picture:
    """x = 1, labels that alternate from −1, and w = 0, whose hinge is 1 in every round."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.play(nv.Perceptron(), alternating(rounds))
        sums = {"hinge2" if theorem == "freund-schapire" else "hinge": rounds}
        return run.mistakes, allowed(theorem, radius2=1, norm2=0, **sums)

    return picture("rounds T", LENGTHS, play)


def run() -> Picture:
    """A halfspace of 5 features, one label in ten flipped; w is that of `hinge-tight`."""

    def play(rounds: int) -> tuple[float, float]:
        rng = np.random.default_rng(rounds)
        X = rng.standard_normal((rounds, 5))
        y = np.where(rng.random(rounds) < 0.1, -1, 1) * np.sign(X.sum(axis=1))
        run = nv.play(nv.Perceptron(), nv.stream(X, y))
        values = {bound.theorem: bound.value for bound in nv.bounds(run)}
        return run.mistakes, values["run"]

    return picture("rounds T", (25, 50, 100, 200, 400), play)


def structured() -> Picture:
    """e_1, …, e_d as a problem of two outputs, of which the second is right."""

    def play(d: int) -> tuple[float, float]:
        learner = nv.StructuredPerceptron(nv.Classes(["first", "second"]))
        run = nv.play(learner, [([j], "second") for j in range(d)])
        # Φ(x, y) − Φ(x, z) is +1 and −1 at a place of its own for each row; w is the sum of them.
        return run.mistakes, allowed("structured", radius2=2, norm2=2 * d, margin=2)

    return picture("features d", DIMENSIONS, play)


def across(sigma: float, cosine: float, d: int = 16) -> Any:
    """Return rows, all positive, each of which turns w as little as an update may.

    They are at a right angle to w*, all but, and at the cosine −σ to the w before them: an update
    then leaves w*·w as it is, and multiplies ‖w‖² by 1 − σ² and no less. w* is drawn with the
    given cosine to w_0, that of the seed 0.
    """
    rng = np.random.default_rng(0)
    w = np.array([_core.draw_normal(0, 0, j + 1) for j in range(d)])
    w /= np.linalg.norm(w)
    v = rng.standard_normal(d)
    v -= (v @ w) * w
    target = cosine * w + math.sqrt(1 - cosine**2) * v / np.linalg.norm(v)
    rows: list[Any] = []
    while True:
        rest = w - (w @ target) * target
        length = np.linalg.norm(rest)
        turn = -sigma * (1 + 1e-9) * np.linalg.norm(w) / length  # of x along the rest
        if turn <= -1:
            return np.array(rows)
        u = rng.standard_normal(d)
        u -= (u @ target) * target + (u @ rest) / length**2 * rest
        x = turn * rest / length + math.sqrt(1 - turn**2) * u / np.linalg.norm(u)
        rows.append(x + 1e-12 * target)
        w = w - (w @ x) * x


def modified_perceptron() -> Picture:
    """Rows that turn w as little as they may, with w*·w_0 = 0.3."""

    def play(inverse: float) -> tuple[float, float]:
        sigma = 1 / inverse
        X = across(sigma, 0.3)
        run = nv.play(nv.ModifiedPerceptron(sigma, seed=0), nv.stream(X, np.ones(len(X))))
        assert run.learner.restarts == 0
        return run.mistakes, allowed("modified-perceptron", sigma=sigma, start_cosine=0.3)

    return picture("1/σ", (1.5, 2, 3, 4, 6, 8, 10), play, "updates")


def parameter_mixing() -> Picture:
    """P shards that all hold e_1, …, e_24, labelled −1: none learns from another in time."""

    def play(count: int) -> tuple[float, float]:
        rows = np.tile(np.eye(24), (count, 1))
        run = nv.play(MixedPerceptron([24] * count), nv.stream(rows, -np.ones(len(rows))), passes=3)
        exact = {"hinge": 0, "shards": count, "rounding_product": 0, "rounding_norm2": 0}
        return run.mistakes, allowed("parameter-mixing", radius2=1, norm2=24, **exact)

    return picture("shards P", (1, 2, 3, 4, 6, 8, 12), play)


def minnow() -> Picture:
    """Rows of ±1, labelled by the majority of three features; w* = (⅓, ⅓, ⅓, 0, …)."""

    def play(d: int) -> tuple[float, float]:
        X = np.random.default_rng(d).choice([-1.0, 1.0], (2000, d))
        learner = nv.Minnow.for_margin(1 / 3)
        run = nv.play(learner, nv.stream(X, np.sign(X[:, :3].sum(axis=1))), until_clean=True)
        evidence = {"norm1": 1, "dimension": d, "gamma": 1 / 3, "radius_inf": 1}
        return run.mistakes, allowed("minnow", eta=learner.eta, **evidence)

    return picture("features d, of which three matter", (8, 16, 32, 64, 128, 256), play)


def minnow_hinge() -> Picture:
    """x = 1, labels that alternate from −1, for the balanced form; w = 0, γ = 1."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.play(nv.BalancedMinnow(0.5), alternating(rounds))
        evidence = {"norm1": 0, "dimension": 2, "gamma": 1, "radius_inf": 1, "gamma_hinge": rounds}
        return run.mistakes, allowed("minnow-hinge", eta=0.5, **evidence)

    return picture("rounds T", LENGTHS, play)


PICTURES: dict[str, Callable[[], Picture]] = {
    "novikoff": novikoff,
    "hinge": partial(_alternating, "hinge"),
    "hinge-tight": partial(_alternating, "hinge-tight"),
    "freund-schapire": partial(_alternating, "freund-schapire"),
    "run": run,
    "structured": structured,
    "modified-perceptron": modified_perceptron,
    "parameter-mixing": parameter_mixing,
    "minnow": minnow,
    "minnow-hinge": minnow_hinge,
}
