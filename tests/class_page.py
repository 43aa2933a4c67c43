"""The program for many classes, played by its page, to compare a run with."""

from typing import Any

import numpy as np

import novikoff as nv
from novikoff.learners import ClassBlend, ClassBlendHypothesis
from program_page import program_page

CLASSES = 5


def class_data(rounds: int = 120, features: int = 7, seed: int = 0) -> tuple[Any, Any]:
    """Columns on scales far apart, half of the values 0, some larger than all before."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, features)) * 10.0 ** rng.integers(-4, 5, features)
    X *= rng.random(X.shape) < 0.5
    X[rng.random(X.shape) < 0.03] *= 100
    scores = (X / np.abs(X).max(0)) @ rng.standard_normal((features, CLASSES)) * 20
    y = (scores + rng.gumbel(size=scores.shape)).argmax(1)
    y[:CLASSES] = range(CLASSES)  # so that a run numbers the labels as they are
    return X, y


class Played:
    """What the page's program does with the rows, the constant feature at −1."""

    def __init__(
        self, X: Any, y: Any, bias: float | None = 1.0, weights: Any = None, classes: int = CLASSES
    ) -> None:
        self.program = program_page().ClassBlend(classes)
        self.bias = bias
        self.chances, self.mistakes = [], []
        weights = np.ones(len(y)) if weights is None else weights
        for t, (x, label, weight) in enumerate(zip(X, y, weights, strict=True), 1):
            row = self.row(x)
            self.chances.append(self.probabilities(x))
            if self.program.learn(row, int(label), float(weight)) != label:
                self.mistakes.append(t)

    def row(self, x: Any) -> dict[int, float]:
        constant = {} if self.bias is None else {-1: self.bias}
        return dict(enumerate(np.asarray(x, np.float64).tolist())) | constant

    def probabilities(self, x: Any) -> list[float]:
        chances = self.program.predict(self.row(x)).chances
        total = program_page().class_sum(chances)
        return [chance / total for chance in chances]

    @property
    def loss(self) -> float:
        found: float = self.program.loss + self.program.loss_rest
        return found

    def state(self) -> dict[str, Any]:
        p = self.program
        return {
            "rounds": p.rounds,
            "squares": [p.squares],
            "base_rate": [*p.rates[0].counts, p.rates[0].total],
            "recent_rate": [*p.rates[1].counts, p.rates[1].total],
            "shares": p.shares,
            "mean_shares": p.mean_shares,
            "stack_weights": p.stack,
            "stack_matrix": p.A,
            "cells": {i: ([c.m, c.r, c.S, *c.G, c.V], c.w) for i, c in p.cells.items()},
            "few": p.newton.few,
            "P": p.newton.P,
            "w": p.newton.w,
        }


def class_state(learner: ClassBlend, columns: list[int] | None = None) -> dict[str, Any]:
    """Return the state as the page has it; ``columns[i]`` is the feature at place i."""
    s, C = learner.core.state(), learner.classes

    def number(i: int) -> int:
        return i if i < 0 or columns is None else columns[i]

    scales = s["features"].reshape(-1, 6).tolist()
    weights = s["weights"].reshape(-1, 4, C).tolist()
    slots = [number(int(i)) for i in s["newton_features"]]
    P, entries = {}, iter(s["newton_matrix"].tolist())
    for a, i in enumerate(slots):
        for j in slots[: a + 1]:
            P[i, j] = P[j, i] = next(entries)
    cells = {
        number(i): (scale, w)
        for i, (scale, w) in enumerate(zip(scales, weights, strict=True), -1)
        if scale[0] > 0
    }
    names = ("squares", "base_rate", "recent_rate", "shares", "mean_shares", "stack_weights")
    return {
        "rounds": int(s["counts"][1]),
        **{name: s[name].tolist() for name in names},
        "stack_matrix": s["stack_matrix"].reshape(7, 7).tolist(),
        "cells": cells,
        "few": bool(s["counts"][3]),
        "P": P,
        "w": dict(zip(slots, s["newton_weights"].reshape(-1, C).tolist(), strict=True)),
    }


def assert_played(run: nv.Run, expected: Played, columns: list[int] | None = None) -> None:
    """Compare bit for bit."""
    assert class_state(run.learner, columns) == expected.state()
    assert run.ledger.loss == expected.loss
    assert run.ledger.mistake_rounds.tolist() == expected.mistakes
    assert run.ledger.stability == expected.program.stability + expected.program.stability_rest
    assert run.ledger.cuts == expected.program.cuts
    assert run.ledger.longest == expected.program.longest


def learned(run: nv.Run) -> ClassBlendHypothesis:
    found = run.hypothesis()
    assert isinstance(found, ClassBlendHypothesis)
    return found


def class_run(bias: float | None = 1.0, classes: int = CLASSES) -> nv.Run:
    return nv.Run(ClassBlend(classes, bias), labels=list(range(classes)))
