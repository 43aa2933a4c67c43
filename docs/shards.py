"""The picture of cluster.md: ``python docs/shards.py`` draws it from two real sets.

``python docs/shards.py LINES`` draws it from what ``python -m reproductions.shards`` has printed.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv

sys.path.append(str(Path(__file__).parents[1]))

from reproductions.sets import data_folder, svmlight
from reproductions.shards import EPOCHS, SETS, real


def novikoff_bound(name: str) -> float | None:
    """Return R²/γ² of a set, None if it is not separable."""
    X, y = svmlight(*SETS[name], data_folder())
    found = nv.margin(X, y)
    radius2 = float(X.multiply(X).sum(axis=1).max())
    return radius2 / found.value**2 if found.value else None


def panel(axes: Any, name: str, rows: list[dict[str, Any]], novikoff: float | None) -> None:
    """Draw mistakes and what is allowed over the number of shards."""
    shards = np.array([row["shards"] for row in rows])
    axes.loglog(shards, [row["bound"] for row in rows], "--", color="tab:blue", label="allowed")
    if novikoff is not None:
        axes.loglog(shards, shards * novikoff, ":", color="tab:red", label="P·R²/γ²")
    mistakes = [row["mistakes"] for row in rows]
    axes.loglog(shards, mistakes, "o-", color="black", label="mistakes")
    last = [row["by_epoch"][-1] for row in rows]
    axes.loglog(shards, last, "s-", color="grey", label="in the last epoch")
    low, high = min(last), max(row["bound"] for row in rows)
    axes.set_ylim(10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(1.5 * high)))
    axes.set_xticks(shards, [str(P) for P in shards])
    axes.minorticks_off()
    axes.set_xlabel("shards P")
    axes.set_title(f"{name}, {EPOCHS} epochs", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize="small")


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw one panel per set."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, len(SETS), figsize=(8.0, 3.6), layout="constrained")
    for axes, name in zip(panels, SETS, strict=True):
        novikoff = novikoff_bound(name) if name == "mushrooms" else None
        panel(axes, name, [row for row in rows if row["set"] == name], novikoff)
    panels[0].set_ylabel("mistakes of all shards")
    figure.savefig(path, metadata={"Date": None})


def main(arguments: list[str]) -> None:
    """Draw the picture beside this file."""
    if arguments:
        lines = Path(arguments[0]).read_text("utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.startswith('{"set"')]
    else:
        rows = [row for name in SETS for row in real(name)]
    draw(rows, Path(__file__).with_suffix(".svg"))


if __name__ == "__main__":
    main(sys.argv[1:])
