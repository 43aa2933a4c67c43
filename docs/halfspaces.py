"""Tables and figure of halfspaces.md: ``python docs/halfspaces.py`` prints and draws them."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff.theory import named

RULES = tuple(range(1, 13))
POWERS = tuple(range(1, 13))
LARGEST = 2**20  # hypotheses of a grid that we still play
STYLES = {
    "perceptron": ("tab:red", "o"),
    "Minnow": ("tab:orange", "^"),
    "ellipsoid": ("tab:blue", "s"),
    "centroid": ("tab:green", "D"),
    "grid": ("tab:purple", "v"),
}
Rounds = tuple[Any, Any]
"""Rows and labels."""
Contender = tuple[Any, str, dict[str, Any]]
"""A learner, or None if it cannot be played; its theorem, and what that needs to know."""


def decision_list(d: int) -> Rounds:
    """Return the cube in a random order, labelled by «x_1 → −, x_2 → +, x_3 → −, …».

    A constant feature of 1 comes last.
    """
    rules = [(j, 1, -1 if j % 2 == 0 else 1) for j in range(d)]
    target = nv.Halfspace.decision_list(rules, -rules[-1][2], d)
    cube = np.array(list(itertools.product([0.0, 1.0], repeat=d)))
    X = np.random.default_rng(d).permutation(cube)
    return np.column_stack([X, np.ones(len(X))]), target.predict(X)


def random_halfspace(power: int, d: int, rows: int) -> Rounds:
    """Return unit rows at a distance of 2^{−power} from the boundary of a random halfspace."""
    rng, margin = np.random.default_rng(power), 2.0**-power
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((rows, d))
    X -= np.outer(X @ w, w)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = rng.choice([-1, 1], rows)
    return math.sqrt(1 - margin**2) * X + np.outer(y * margin, w), y


PANELS: dict[str, tuple[Callable[[int], Rounds], tuple[int, ...]]] = {
    "alternating decision lists": (decision_list, RULES),
    "random halfspaces, 3 features": (lambda power: random_halfspace(power, 3, 60), POWERS),
    "random halfspaces, 6 features": (lambda power: random_halfspace(power, 6, 500), POWERS),
}


def grid(d: int, radius: float, gamma: float) -> Contender:
    """Return halving over the grid of weights, if the grid is small enough."""
    steps = math.ceil(2 * radius / gamma * d)
    small = (2 * steps + 1) ** d <= LARGEST
    learner = nv.Halving(nv.grid_halfspaces(d, radius, 1.0, gamma)) if small else None
    return learner, "grid-halving", {"dimension": d, "grid_steps": steps}


def contenders(X: Any, y: Any) -> tuple[float, list[Contender]]:
    """Return 1/ρ and the learners; w* is the unit vector of the largest margin γ."""
    widest = nv.margin(X, y)
    h = widest.hypothesis()
    w, radius, d = h.w / h.norm, widest.radius, X.shape[1]
    gamma = float((y * (X @ w)).min())
    norm1, radius_inf = float(np.abs(w).sum()), float(np.abs(X).max())
    minnow = nv.BalancedMinnow.for_margin(gamma, radius_inf, norm1)
    halving = {"dimension": d, "relative_margin": gamma / radius}
    euclidean = {"radius2": radius**2, "norm2": 1.0, "margin": gamma}
    balanced = {"dimension": 2 * d, "eta": minnow.eta, "gamma": gamma}
    return radius / gamma, [
        (nv.Perceptron(), "novikoff", euclidean),
        (minnow, "minnow", balanced | {"norm1": norm1, "radius_inf": radius_inf}),
        (nv.EllipsoidHalving(), "ellipsoid", halving),
        (nv.CentroidHalving(seed=0), "centroid", halving),
        grid(d, radius, gamma),
    ]


def mistakes(X: Any, y: Any, learner: Any) -> int | str:
    """Return the mistakes until a pass is clean, or a dash if there is no learner."""
    if learner is None:
        return "–"
    run = nv.play(learner, nv.stream(X, y), until_clean=True, max_passes=10**6)
    assert run.converged
    return run.mistakes


def line(title: str, n: int) -> str:
    """Return the line of a panel's table for n rules, or for a margin of 2^{−n}."""
    X, y = PANELS[title][0](n)
    inverse, learners = contenders(X, y)
    cells = [
        f"{mistakes(X, y, learner)} | {named(theorem).evaluate(evidence).value:.0f}"
        for learner, theorem, evidence in learners
    ]
    return f"| {n} | {inverse:.1f} | {' | '.join(cells)} |"


def draw(tables: dict[str, list[str]], path: Path) -> None:
    """Draw the mistakes of the tables as marks, and what the theorems allow as dashed lines."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, len(tables), figsize=(11, 4.8), sharey=True)
    for axes, (title, lines) in zip(panels, tables.items(), strict=True):
        cells = np.genfromtxt([text.strip("| ") for text in lines], delimiter=" | ")
        for k, (name, (colour, marker)) in enumerate(STYLES.items()):
            made, allowed = cells[:, 2 + 2 * k], cells[:, 3 + 2 * k]
            axes.plot(cells[:, 1], made, marker + "-", color=colour, mfc="none", label=name)
            axes.plot(cells[:, 1], allowed, "--", color=colour, lw=1, alpha=0.7)
        axes.set(xscale="log", yscale="log", title=title, xlabel="1/ρ, the inverse margin")
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("mistakes until a pass is clean")
    panels[0].plot([], [], "--", color="gray", lw=1, label="allowed by the theorem")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the tables and draw the figure beside this file."""
    tables = {title: [line(title, n) for n in numbers] for title, (_, numbers) in PANELS.items()}
    for title, lines in tables.items():
        print("\n".join([title, *lines, ""]))
    draw(tables, Path(__file__).with_suffix(".svg"))


if __name__ == "__main__":
    main()
