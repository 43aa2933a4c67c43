"""What every learner of the tests' cases does on fixed rounds, as one digest each.

``python -m release.bits`` prints a JSON object. Two builds, compilers or CPUs agree if they print
the same: mistakes, sums of losses, every array of the learner's state and what its hypothesis
predicts enter to the last bit; its scores have digests of their own. The data come from Python's
own generator, so that they are the same everywhere.

The scores of kernels are NumPy's, whose matrix products differ between CPUs: see ``by_numpy``.
"""

import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff import _core

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from cases import CASES, Case, labels  # the tests' folder is on no path before

ROUNDS, WIDTH = 200, 12
SCORES = ", scores"


def main() -> None:
    """Print the level of the CPU, and the digests by name."""
    digests = dict((*_cases(), *_regret()))
    json.dump({"cpu": _core.cpu(), "digests": digests}, sys.stdout, indent=1)


def by_numpy(name: str) -> bool:
    """Say whether a digest covers numbers that NumPy computes, not the core.

    Kernels score with its matrix products. Their predictions do not depend on the last bits:
    a score that is nearer to 0 than a proved bound on its error is computed exactly.
    """
    return name.endswith(SCORES) and name.startswith("kernel")


def _cases() -> Iterator[tuple[str, str]]:
    for case in CASES:
        X, y = _rows(case)
        for form, change in FORMS.items():
            if case.floats and form == "dicts":
                continue  # it must know all its features before the first round
            rows = change(X)
            run = nv.play(case.make(), nv.stream(rows, y))
            h = run.hypothesis()
            probable = [h.probabilities(rows)] if hasattr(h, "probabilities") else []
            yield f"{case.name}, {form}", _digest(run, h.predict(rows), *probable)
            yield f"{case.name}, {form}{SCORES}", _digest(run, h.scores(rows))


def _rows(case: Case) -> tuple[Any, Any]:
    """Values of different sizes, some of them 0, and labels that a halfspace mostly explains."""
    drawn = random.Random(23)
    whole = np.array([[drawn.randint(-9, 9) for _ in range(WIDTH)] for _ in range(ROUNDS)])
    kept = np.array([[drawn.random() < 0.7 for _ in range(WIDTH)] for _ in range(ROUNDS)])
    target = np.array([drawn.randint(-99, 99) for _ in range(WIDTH)])
    scales = np.array([0.1, 0.3, 1 / 3, 1, 7, 0.01] * 2)
    scores = ((whole * kept) * target).sum(axis=1)
    return whole * kept * scales, labels(case, np.random.default_rng(3), scores)


def _dicts(X: Any) -> list[dict[str, float]]:
    return [{f"x{j}": float(v) for j, v in enumerate(row) if v} for row in X]


FORMS: dict[str, Callable[[Any], Any]] = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "dicts": _dicts,
}


def _digest(run: Any, *more: Any) -> str:
    """Return the digest of what the ledger and the learner hold, and of further arrays."""
    measures, rounds = run.ledger.state()
    found = hashlib.sha256(json.dumps(measures, sort_keys=True, default=str).encode())
    for arrays in (rounds, run.learner.state()):
        for name, array in sorted(arrays.items()):
            found.update(name.encode() + np.ascontiguousarray(array).tobytes())
    for array in more:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _regret() -> Iterator[tuple[str, str]]:
    """Experts and arms, whose draws and weights need exp."""
    losses = np.array([[(7 * t + 3 * k) % 11 / 10 for k in range(5)] for t in range(ROUNDS)])
    for learner in (nv.Hedge(5, seed=1), nv.Hedge(5, eta=0.3, seed=1), nv.Exp3(5, seed=1)):
        yield repr(learner), _digest(nv.play(learner, nv.Replay(losses)))


if __name__ == "__main__":
    main()
