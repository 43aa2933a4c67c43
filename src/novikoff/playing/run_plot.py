"""The plot of a run: mistakes and losses over rounds, beside what theorems allow."""

import io
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from novikoff.errors import parameter
from novikoff.extras import extra
from novikoff.playing.ledger import Ledger
from novikoff.saving.storage import PathLike, write_bytes
from novikoff.types import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NEUTRAL, _CURVE, _BOUND = "#808890", "#3b82c4", "#c4622d"  # readable on light and on dark paper
_SIZE = (4.6, 3.0)
_NAMES = {"mistakes": "mistakes so far", "loss": "loss so far", "regret": "regret so far"}


class Allowed(Protocol):
    """What is drawn of a bound."""

    @property
    def theorem(self) -> str:
        """The theorem's id."""

    @property
    def value(self) -> float:
        """What it allows."""

    @property
    def observed(self) -> float | None:
        """What was observed of the same."""


class RunPlot:
    """A picture that notebooks show, with a transparent background; ``save`` writes it."""

    def __init__(self, figure: "Figure", words: str) -> None:
        self.figure = figure
        """The figure of matplotlib, to change as you like."""
        self.words = words
        """What the picture shows, for those who do not see it."""

    def __repr__(self) -> str:
        return f"RunPlot({self.words})"

    def _repr_svg_(self) -> str:
        return self._drawn("svg").decode()

    def save(self, path: PathLike) -> None:
        """Write the picture to a file that ends in .svg, .png or .pdf."""
        kind = os.path.splitext(os.fspath(path))[1].lower()
        if kind not in (".svg", ".png", ".pdf"):
            raise parameter("path", "a file that ends in .svg, .png or .pdf", os.fspath(path))
        write_bytes(path, self._drawn(kind[1:]))

    def _drawn(self, kind: str) -> bytes:
        mpl, file = extra("matplotlib", "run.plot()"), io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "novikoff"}):
            self.figure.savefig(file, format=kind, dpi=144, transparent=True, metadata=dates[kind])
        return file.getvalue()


def run_plot(ledger: Ledger, bounds: Iterable[Allowed]) -> RunPlot:
    """Draw each measure of a run over its rounds, with the bounds that are about it."""
    curves = _curves(ledger)
    if not curves:
        raise parameter("run", "a run that has played a round", ledger)
    extra("matplotlib", "run.plot()")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_SIZE[0] * len(curves), _SIZE[1]), layout="constrained")
    grid = figure.subplots(1, len(curves), squeeze=False)[0]
    rounds = np.asarray(ledger.checkpoints.rounds)
    lines = list(bounds)
    for axes, (name, values) in zip(grid, curves.items(), strict=True):
        mine = [bound for bound in lines if _is_about(bound, float(values[-1]))]
        _draw(axes, rounds, values, mine)
        axes.set(xlabel="round", ylabel=_NAMES[name])
    return RunPlot(figure, f"{ledger.learner}: {ledger.headline}, {', '.join(curves)} over rounds")


def _curves(ledger: Ledger) -> dict[str, AnyArray]:
    """Return the measures that the checkpoints of a run have."""
    points = ledger.checkpoints._asdict() if ledger.rounds else {}
    return {name: np.asarray(points[name]) for name in _NAMES if name in points}


def _is_about(bound: Allowed, last: float) -> bool:
    """Whether a bound is about what ends at this value."""
    observed = bound.observed
    return observed is not None and bool(np.isclose(observed, last, rtol=1e-6, atol=1e-9))


def _draw(axes: "Axes", rounds: AnyArray, values: AnyArray, bounds: list[Allowed]) -> None:
    """Draw one measure; a bound beyond ten times the curve is named, not drawn."""
    axes.plot(rounds, values, color=_CURVE, lw=2, label=f"observed: {values[-1]:,.5g}")
    for number, bound in enumerate(sorted(bounds, key=lambda bound: bound.value)[:4]):
        near = bound.value <= 10 * max(float(np.max(values)), 1.0)
        drawn = [bound.value] if near else []
        dashes = ("--", "-.", ":", (0, (1, 3)))[number]
        axes.plot(
            np.repeat(rounds[[0, -1]], len(drawn)),
            drawn * 2,
            color=_BOUND,
            lw=1.2,
            ls=dashes,
            label=f"{bound.theorem}: ≤ {bound.value:,.5g}",
        )
    axes.locator_params(axis="x", integer=True)
    axes.locator_params(axis="y", integer=bool(values.dtype.kind == "i"))
    axes.set_ylim(bottom=min(0.0, float(np.min(values))))
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_NEUTRAL)
    axes.tick_params(colors=_NEUTRAL)
    axes.xaxis.label.set_color(_NEUTRAL)
    axes.yaxis.label.set_color(_NEUTRAL)
    axes.legend(frameon=False, labelcolor=_NEUTRAL, fontsize="small")
