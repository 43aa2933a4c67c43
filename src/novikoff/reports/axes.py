"""The axes of the figures, and the labels in the gutter beside them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from novikoff.reports.canvas import COLOURS, FONT, Form
from novikoff.reports.page_words import percent, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_LEFT, _TOP, _BOTTOM, _LEADER = 44, 34, 44, 20  # pixels around the axes
DASHES = (0, (5, 3))


@dataclass(frozen=True)
class GutterLabel:
    """What stands beside the axes at some height: a name and a value."""

    height: float
    name: str
    value: str
    colour: str

    def in_lines(self, form: Form) -> list[str]:
        """Return its words in one line, or in two on a narrow picture."""
        return [f"{self.name}  {self.value}"] if form.width > 500 else [self.name, self.value]


def new_axes(figure: "Figure", form: Form, right: float) -> "Axes":
    """Add axes that leave room for their names, and this much to the right."""
    width, height = form.width - _LEFT - right, form.height - _TOP - _BOTTOM
    place = _LEFT / form.width, _BOTTOM / form.height, width / form.width, height / form.height
    axes = figure.add_axes(place, facecolor="none")
    axes.tick_params(
        which="both", length=0, pad=6, labelsize=form.text, labelcolor=COLOURS["quiet"]
    )
    axes.grid(axis="y", color=COLOURS["rule"], lw=0.8)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(COLOURS["quiet"])
    return axes


def name_axes(figure: "Figure", axes: "Axes", form: Form, y: str, x: str) -> None:
    """Write what the axes show: y above them, x below."""
    size, box = form.text, axes.get_position()
    left, top = 6 / form.width, 1 - 8 / form.height
    figure.text(left, top, y, va="top", color=COLOURS["quiet"], size=size)
    middle, low = (box.x0 + box.x1) / 2, 6 / form.height
    figure.text(middle, low, x, va="bottom", ha="center", color=COLOURS["quiet"], size=size)


def log_rounds(axes: "Axes", last: int, first: int = 1) -> None:
    """Let the rounds up to the last one run along a logarithmic axis."""
    axes.set_xscale("log")
    axes.set_xlim((first, last) if last > first else (first / 2, 2 * first))
    log_ticks(axes.xaxis, *axes.get_xlim())


def log_ticks(axis: "Axis", low: float, high: float) -> None:
    """Put ticks at powers of ten, or at 1, 2 and 5 times these if the range is short."""
    parts = (1,) if high / low > 60 else (1, 2, 5)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [part * 10.0**power for power in powers for part in parts]
    step = max(1, len(ticks) // 8)
    kept = [tick for tick in ticks if low <= tick <= high][::step]
    axis.set_ticks(kept, [short(tick) for tick in kept])
    axis.set_ticks([], minor=True)


def few_ticks(axis: "Axis", form: Form, whole: bool, shown: Callable[[float], str] = short) -> None:
    """Put a few ticks at round numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(6 if form.width > 500 else 4, integer=whole))
    axis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))


def percent_ticks(axis: "Axis", form: Form) -> None:
    """Put a few ticks at round shares of 1."""
    few_ticks(axis, form, whole=False, shown=lambda share: percent(share).replace(" ", ""))


def mark(axes: "Axes", form: Form, place: float, name: str, side: int) -> None:
    """Draw a line at a place on the axis, with its name above it, left or right."""
    axes.axvline(place, color=COLOURS["ink"], lw=1.1)
    axes.annotate(
        name, (place, 1), (4 * side, 5), xycoords=axes.get_xaxis_transform(),
        textcoords="offset points", ha="left" if side > 0 else "right", va="bottom",
        size=form.text, annotation_clip=False,
    )  # fmt: skip


def gutter(labels: Sequence[GutterLabel], form: Form) -> float:
    """Return how much room the labels need beside the axes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=form.text)
    texts = [line for label in labels for line in label.in_lines(form)]
    widths = [text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts]
    return _LEADER + max(widths) + 8


def gutter_labels(
    figure: "Figure", form: Form, axes: "Axes", labels: Sequence[GutterLabel]
) -> None:
    """Write each label beside its height, with a leader from the axes."""
    from matplotlib.lines import Line2D

    box, (low, high) = axes.get_position(), axes.get_ylim()
    scale: Callable[[float], float] = math.log if axes.get_yscale() == "log" else float
    span = scale(high) - scale(low)
    heights = [box.y0 + box.height * (scale(one.height) - scale(low)) / span for one in labels]
    lines = len(labels[0].in_lines(form))
    room = (lines * 1.2 + 0.25) * form.text / form.height
    places = spread(heights, room, box.y0 + room / 4, box.y1)
    for label, height, place in zip(labels, heights, places, strict=True):
        colour, leader = COLOURS[label.colour], _LEADER / form.width
        xs = [box.x1 + leader * part for part in (0.15, 0.4, 0.65, 0.85)]
        ys = [height, height, place, place]
        figure.add_artist(Line2D(xs, ys, color=colour, lw=0.8, transform=figure.transFigure))
        figure.text(
            box.x1 + leader, place, "\n".join(label.in_lines(form)), color=colour,
            size=form.text, va="center", linespacing=1.1,
        )  # fmt: skip


def spread(places: Sequence[float], room: float, low: float, high: float) -> list[float]:
    """Move places so that neighbours are ``room`` apart, by the least sum of squares.

    This is isotonic regression after each place gets its room: neighbours in the wrong order are
    pooled at their mean.

    >>> spread([3.0, 0.0, 3.0], 1.0, 0.0, 9.0)
    [2.5, 0.0, 3.5]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    pools: list[tuple[float, int]] = []  # mean, how many
    for rank, i in enumerate(order):
        pools.append((places[i] - rank * room, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (right, n), (left, m) = pools.pop(), pools.pop()
            pools.append(((left * m + right * n) / (m + n), m + n))
    means = [mean for mean, size in pools for _ in range(size)]
    most = max(low, high - (len(places) - 1) * room)
    found = [0.0] * len(places)
    for rank, i in enumerate(order):
        found[i] = min(max(means[rank], low), most) + rank * room
    return found
