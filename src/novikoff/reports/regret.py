"""The picture of simulations: regret against its bound, one panel an environment."""

from typing import Any

import numpy as np

from novikoff.simulation import Simulation
from novikoff.storage import PathLike

_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")


def draw(found: list[Simulation], path: PathLike) -> None:
    """Draw the median regret, the 5 to 95 % of seeds, and the bound of each; needs matplotlib."""
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plot: expected the extra that draws, got none. "
            "Install it: pip install 'novikoff[report]'."
        ) from None
    environments = list(dict.fromkeys(one.environment for one in found))
    learners = list(dict.fromkeys(one.learner for one in found))
    columns = min(2, len(environments))
    rows = -(-len(environments) // columns)
    with mpl.rc_context({"svg.hashsalt": "novikoff", "font.size": 9}):
        figure, axes = plt.subplots(
            rows, columns, figsize=(5.4 * columns, 3.6 * rows), squeeze=False, layout="constrained"
        )
        for name, panel in zip(environments, axes.flat, strict=False):
            for one in (s for s in found if s.environment == name):
                _line(panel, one, _COLOURS[learners.index(one.learner) % len(_COLOURS)])
            panel.set(title=name, xlabel="round", ylabel="regret", xscale="log")
            panel.set_yscale("symlog", linthresh=10)
        for panel in axes.flat[len(environments) :]:
            panel.axis("off")
        axes.flat[0].legend(fontsize=7, title="line: median; band: 5 to 95 %; dashes: bound",
                            title_fontsize=7)  # fmt: skip
        figure.savefig(path, metadata=_undated(path), dpi=110)
        plt.close(figure)


def _line(panel: Any, one: Simulation, colour: str) -> None:
    low, middle, high = np.quantile(one.regrets, (0.05, 0.5, 0.95), axis=0)
    panel.plot(one.rounds, middle, color=colour, label=one.learner, linewidth=1.4)
    panel.fill_between(one.rounds, low, high, color=colour, alpha=0.15, linewidth=0)
    panel.plot(one.rounds, one.bounds, color=colour, linestyle="--", linewidth=0.9)


def _undated(path: PathLike) -> dict[str, Any] | None:
    """Return metadata without a date, so that the same picture is the same file."""
    return {"Date": None} if str(path).endswith(".svg") else None
