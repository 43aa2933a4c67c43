"""The table and the figure of minnow.md: ``python docs/minnow.py`` prints and draws them."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv

DIMENSIONS = tuple(2**k for k in range(4, 13))
SEEDS = 5
RELEVANT = 3
MARGIN = 1 / RELEVANT  # of w* = (⅓, ⅓, ⅓, 0, …), with ‖w*‖₁ = 1 and |x_j| = 1


def blocks(d: int, rounds: int, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield rows of ±1, labelled by the majority of the first three features."""
    rng = np.random.default_rng(seed)
    while rounds > 0:
        rows = min(rounds, 2**22 // d)
        rounds -= rows
        X = (1 - 2 * rng.integers(0, 2, (rows, d), dtype=np.int8)).astype(np.float32)
        yield X, np.where(X[:, :RELEVANT].sum(axis=1) > 0, 1, -1)


def mistakes(d: int, seed: int) -> tuple[int, int]:
    """Count the mistakes of the perceptron and of Minnow in 40 d rounds."""
    runs = nv.Run(nv.Perceptron()), nv.Run(nv.Minnow.for_margin(MARGIN))
    for X, y in blocks(d, 40 * d, seed):
        for run in runs:
            run.play(nv.stream(X, y))
    return runs[0].mistakes, runs[1].mistakes


def allowed(d: int) -> tuple[float, float]:
    """Return what the theorems allow: (R/γ)² = 3d, and Minnow's bound at its best rate."""
    g = MARGIN
    entropy = (1 + g) / 2 * math.log(1 + g) + (1 - g) / 2 * math.log(1 - g)
    return RELEVANT * d, math.log(d) / entropy


def line(d: int) -> str:
    """Return the table's line for d features: means over the seeds."""
    perceptron, minnow = np.mean([mistakes(d, seed) for seed in range(SEEDS)], axis=0)
    most_perceptron, most_minnow = allowed(d)
    return (
        f"| {d} | {perceptron:.1f} | {most_perceptron} | {perceptron / d:.2f} "
        f"| {minnow:.1f} | {most_minnow:.1f} | {minnow / math.log(d):.2f} |"
    )


def draw(lines: list[str], path: Path) -> None:
    """Draw the mistakes of the table and the bounds over d."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    from matplotlib import pyplot as plt

    cells = [[float(cell) for cell in text.strip("| ").split(" | ")] for text in lines]
    d, perceptron, most_perceptron, _, minnow, most_minnow, _ = np.array(cells).T
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    axes.loglog(d, most_perceptron, "--", color="tab:red", lw=1, label="Novikoff allows 3d")
    axes.loglog(d, perceptron, "o-", color="tab:red", label="perceptron, about 1.5 d")
    axes.loglog(d, most_minnow, "--", color="tab:blue", lw=1, label="Minnow's theorem allows")
    axes.loglog(d, minnow, "s-", color="tab:blue", label="Minnow, about 8 ln d")
    axes.set_xlabel("features d, of which three matter")
    axes.set_ylabel("mistakes")
    axes.set_xticks(d, [f"{value:.0f}" for value in d])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the table and draw the figure beside this file."""
    lines = [line(d) for d in DIMENSIONS]
    print("\n".join(lines))
    draw(lines, Path(__file__).with_suffix(".svg"))


if __name__ == "__main__":
    main()
