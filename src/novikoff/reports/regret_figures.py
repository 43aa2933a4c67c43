"""Pictures of regret and its bound: for one run, and for many seeds in environments."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np

from novikoff.errors import HypothesisError, InputError
from novikoff.extras import extra
from novikoff.games.simulation import Simulation
from novikoff.playing.run import Run
from novikoff.receipts.regret_family import bound_line, regret_bounds
from novikoff.saving.storage import PathLike
from novikoff.theory import named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")
_SHOWN = 6  # experts or arms shown with their probabilities


@contextmanager
def _panels(path: PathLike, rows: int, columns: int) -> Iterator[Sequence["Axes"]]:
    """Make a figure of panels and write it; needs matplotlib."""
    mpl = extra("matplotlib", "plot")
    mpl.use("Agg")
    plt = extra("matplotlib.pyplot", "plot")
    undated = {"Date": None} if str(path).endswith(".svg") else None  # the same file every time
    with mpl.rc_context({"svg.hashsalt": "novikoff", "font.size": 9}):
        size = (5.4 * columns, 3.6 * rows)
        figure, axes = plt.subplots(
            rows, columns, figsize=size, squeeze=False, layout="constrained"
        )
        yield axes.flat
        figure.savefig(path, metadata=undated, dpi=110)
        plt.close(figure)


def draw(found: list[Simulation], path: PathLike) -> None:
    """Draw the median regret, 5 to 95 % of seeds, and the bound: one panel per environment."""
    environments = list(dict.fromkeys(one.environment for one in found))
    learners = list(dict.fromkeys(one.learner for one in found))
    columns = min(2, len(environments))
    with _panels(path, -(-len(environments) // columns), columns) as panels:
        for name, panel in zip(environments, panels, strict=False):
            for one in (s for s in found if s.environment == name):
                _line(panel, one, _COLOURS[learners.index(one.learner) % len(_COLOURS)])
            panel.set(title=name, xlabel="round", ylabel="regret", xscale="log")
            panel.set_yscale("symlog", linthresh=10)
        for panel in panels[len(environments) :]:
            panel.axis("off")
        title = "line: median; band: 5 to 95 % of runs; dashes: bound"
        panels[0].legend(fontsize=7, title=title, title_fontsize=7)


def _line(panel: "Axes", one: Simulation, colour: str) -> None:
    low, middle, high = np.quantile(one.regrets, (0.05, 0.5, 0.95), axis=0)
    panel.plot(one.rounds, middle, color=colour, label=_label(one), linewidth=1.4)
    panel.fill_between(one.rounds, low, high, color=colour, alpha=0.15, linewidth=0)
    panel.plot(one.rounds, one.bounds, color=colour, linestyle="--", linewidth=0.9)


def _label(one: Simulation) -> str:
    on = {"expected": "on the mean", "probable": "on 1 − δ of the runs", "always": "on every run"}
    return f"{one.learner} (bound {on[named(one.bound.theorem).kind]})"


def draw_run(run: Run, path: PathLike) -> None:
    """Draw the regrets of a run with its bound, and the probabilities over time."""
    if run.ledger.rounds == 0:
        raise InputError("report: expected a run of at least one round, got none. Play it first.")
    points = run.ledger.checkpoints
    with _panels(path, 1, 2) as panels:
        regret, chances = panels
        kinds = [("regret", points.regret), ("pseudo-regret", points.pseudo_regret)]
        if run.ledger.full_information:
            kinds.append(("expected regret", points.expected_regret))
        for (name, values), colour in zip(kinds, _COLOURS, strict=False):
            regret.plot(points.rounds, values, label=name, color=colour, linewidth=1.2)
        with suppress(HypothesisError):
            line, named_line = bound_line(run), _bound_label(run)
            regret.plot(points.rounds, line, "--", color="#555555", label=named_line, linewidth=0.9)
        regret.set(title=f"{run.ledger.learner}: regret", xlabel="round", xscale="log")
        regret.legend(fontsize=7)
        order = np.argsort(-points.probabilities[-1], kind="stable")[:_SHOWN]
        for k in sorted(order.tolist()):
            chances.plot(points.rounds, points.probabilities[:, k], label=str(k), linewidth=1.2)
        chances.set(title="probabilities", xlabel="round", xscale="log", ylim=(0, 1))
        chances.legend(fontsize=7, title="the likeliest at the end", title_fontsize=7)


def _bound_label(run: Run) -> str:
    """Say what the dashes bound: one run's regret may exceed a bound on its expectation."""
    theorem = named(regret_bounds(run)[0].theorem)
    measure = "pseudo-regret" if theorem.of == "pseudo-regret" else "regret"
    on = {
        "expected": f"expected {measure}",
        "probable": f"{measure}, with probability 1 − δ",
        "always": measure,
    }
    return f"bound on {on[theorem.kind]}"
