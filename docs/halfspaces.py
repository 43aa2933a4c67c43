"""Tables and figure of halfspaces.md: ``python docs/halfspaces.py`` prints and draws them."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff.registry import named

RULES = tuple(range(4, 13))
POWERS = tuple(range(1, 13))
SIZE = 6  # features of the random halfspaces
ROWS = 500
STYLES = {  # learner: (colour, marker, its theorem)
    "perceptron": ("tab:red", "o", "novikoff"),
    "Minnow": ("tab:orange", "^", "minnow"),
    "ellipsoid": ("tab:blue", "s", "ellipsoid"),
    "centroid": ("tab:green", "D", "centroid"),
}
Rounds = tuple[Any, Any, float | None]
"""Rows, labels, and the constant feature."""


def decision_list(d: int) -> Rounds:
    """Return the cube in a random order, labelled by «x_1 → −, x_2 → +, x_3 → −, …»."""
    rules = [(j, 1, -1 if j % 2 == 0 else 1) for j in range(d)]
    target = nv.Halfspace.decision_list(rules, -rules[-1][2], d)
    cube = np.array(list(itertools.product([0.0, 1.0], repeat=d)))
    X = np.random.default_rng(d).permutation(cube)
    return X, target.predict(X), 1.0


def random_halfspace(power: int) -> Rounds:
    """Return unit rows at a distance of 2^{−power} from the boundary of a random halfspace."""
    rng, margin = np.random.default_rng(power), 2.0**-power
    w = rng.standard_normal(SIZE)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((ROWS, SIZE))
    X -= np.outer(X @ w, w)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = rng.choice([-1, 1], ROWS)
    return math.sqrt(1 - margin**2) * X + np.outer(y * margin, w), y, None


def counted(X: Any, y: Any, bias: float | None) -> tuple[float, list[int], list[float]]:
    """Return ρ, each learner's mistakes until a pass is clean, and what its theorem allows.

    The comparator of all four theorems is the halfspace of the largest margin.
    """
    widest = nv.margin(X, y, bias=bias)
    w = widest.hypothesis()
    gamma = float((y * w.scores(X)).min())
    norm1 = float(np.abs(w.w).sum() + abs(w.bias_weight))
    radius_inf = max(float(np.abs(X).max()), bias or 0.0)
    minnow = nv.BalancedMinnow.for_margin(gamma, radius_inf, norm1, bias=bias)
    learners: list[nv.Learner] = [
        nv.Perceptron(bias=bias), minnow, nv.EllipsoidHalving(bias), nv.CentroidHalving(bias=bias),
    ]  # fmt: skip
    runs = [nv.play(one, nv.stream(X, y), until_clean=True, max_passes=10**5) for one in learners]
    assert all(run.converged for run in runs)
    d = X.shape[1] + (bias is not None)
    relative = gamma / (widest.radius * w.norm)
    shared = {"radius2": widest.radius**2, "norm2": w.norm**2, "margin": gamma}
    shared |= {"norm1": norm1, "eta": minnow.eta, "gamma": gamma, "radius_inf": radius_inf}
    allowed = [
        named(theorem).evaluate(
            shared | {"dimension": 2 * d if theorem == "minnow" else d, "relative_margin": relative}
        )
        for _, _, theorem in STYLES.values()
    ]
    return relative, [run.mistakes for run in runs], [bound.value for bound in allowed]


def line(make: Callable[[int], Rounds], n: int) -> str:
    """Return the table's line for n rules, or for a margin of 2^{−n}."""
    relative, mistakes, allowed = counted(*make(n))
    pairs = [f"{m} | {most:.0f}" for m, most in zip(mistakes, allowed, strict=True)]
    return f"| {n} | {1 / relative:.1f} | {' | '.join(pairs)} |"


def draw(lists: list[str], halfspaces: list[str], path: Path) -> None:
    """Draw the mistakes of the tables and the bounds."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.6), sharey=True)
    for axes, lines in ((left, lists), (right, halfspaces)):
        cells = np.array([[float(c) for c in text.strip("| ").split(" | ")] for text in lines])
        at = cells[:, 0] if axes is left else cells[:, 1]
        for k, (name, (colour, marker, _)) in enumerate(STYLES.items()):
            axes.plot(at, cells[:, 2 + 2 * k], marker + "-", color=colour, ms=4, label=name)
            axes.plot(at, cells[:, 3 + 2 * k], "--", color=colour, lw=1, alpha=0.7)
        axes.set_yscale("log")
        axes.grid(alpha=0.3)
    left.set_title("alternating decision lists", fontsize=11)
    left.set_xlabel("rules d")
    left.set_ylabel("mistakes until a pass is clean")
    right.set_title(f"random halfspaces, {SIZE} features", fontsize=11)
    right.set_xlabel("1/ρ, the inverse of the margin")
    right.set_xscale("log")
    left.plot([], [], "--", color="gray", lw=1, label="what its theorem allows")
    left.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the tables and draw the figure beside this file."""
    lists = [line(decision_list, d) for d in RULES]
    halfspaces = [line(random_halfspace, power) for power in POWERS]
    print("\n".join([*lists, "", *halfspaces]))
    draw(lists, halfspaces, Path(__file__).with_suffix(".svg"))


if __name__ == "__main__":
    main()
