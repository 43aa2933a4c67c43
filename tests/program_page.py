"""The Python of the pages that define the float programs, and rounds to play it with."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nv

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS / name for name in ("programs.md", "programs_classes.md", "programs_regression.md")]

Cells = dict[int, tuple[float, float, float]]


@cache
def program_page() -> ModuleType:
    """Return the code blocks of the pages as one module."""
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    module = ModuleType("programs_page")
    exec(compile("\n".join(blocks), str(PAGES[0]), "exec"), module.__dict__)
    return module


def program_data(rounds: int = 200, features: int = 9, seed: int = 0) -> tuple[Any, Any]:
    """Columns on scales far apart, half of the values 0, some larger than all before."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, features)) * 10.0 ** rng.integers(-4, 5, features)
    X *= rng.random(X.shape) < 0.5
    X[rng.random(X.shape) < 0.02] *= 100
    y = np.where(X @ rng.standard_normal(features) + rng.standard_normal(rounds) >= 0, 1, -1)
    return X, y


class Played:
    """What the page's program does with the rows, the constant feature at −1."""

    def __init__(
        self, rate: float, X: Any, y: Any, bias: float | None = None, weights: Any = None
    ) -> None:
        self.program = program_page().AdaptiveGradient(rate)
        self.bias = bias
        self.scores, self.mistakes = [], []
        parts = np.ones(len(y)) if weights is None else weights
        for t, (x, label, v) in enumerate(zip(X, y, parts, strict=True), 1):
            row = self.row(x)
            self.scores.append(self.program.score(row))
            if self.program.learn(row, int(label), float(v)) != label:
                self.mistakes.append(t)

    def row(self, x: Any) -> dict[int, float]:
        constant = {} if self.bias is None else {-1: self.bias}
        return dict(enumerate(np.asarray(x, np.float64).tolist())) | constant

    @property
    def measures(self) -> tuple[float, float]:
        p = self.program
        return p.loss + p.loss_rest, p.stability + p.stability_rest


def cells_of(learner: nv.Learner) -> Cells:
    rows = learner.state()["cells"].reshape(-1, 3).tolist()
    return {i: (m, theta, S) for i, (m, theta, S) in enumerate(rows, -1) if m > 0}


FORMS: dict[str, Callable[[Any], Any]] = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "csr": sp.csr_array,
    "csr, explicit zeros": lambda X: sp.csr_array(
        (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(len(X) + 1) * X.shape[1]),
        X.shape,
    ),
}
