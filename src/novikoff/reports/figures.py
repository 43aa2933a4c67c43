"""The two figures: mistakes below what the theorems allow, and a comparator's margins."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from novikoff.reports.canvas import COLOURS, FONT, Drawing, Form
from novikoff.reports.facts import Facts
from novikoff.reports.page_words import allowed, short
from novikoff.theory import Bound, named
from novikoff.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_LEFT, _TOP, _BOTTOM, _LEADER = 44, 34, 44, 20  # pixels around the axes
_Label = tuple[float, str, str, str]  # its height, two parts, the colour's name


def mistakes(facts: Facts) -> Drawing:
    """Mistakes so far over rounds on logarithmic axes, with bounds as lines and the error band."""
    rounds, made = facts.curve()
    total, band, lines = facts.ledger.mistakes, facts.band(), facts.drawn
    edge = None if band is None else float(band[-1, 1])
    tops = [1.0, total, edge or 0.0, *(bound.value for bound in lines)]
    low = min([0.8, *(0.8 * bound.value for bound in lines)])
    high, last = 1.25 * max(tops), facts.ledger.rounds
    certified = "" if facts.certificate is None else facts.certificate.theorem

    def draw(figure: "Figure", form: Form) -> None:
        labels: list[_Label] = [
            (bound.value, bound.theorem, allowed(bound.value, 4), "bound") for bound in lines
        ]
        labels.append((max(total, low), "mistakes", f"{total:,}", "curve"))
        if edge is not None:
            labels.append((edge, "anytime error", f"≤ {allowed(edge, 4)}", "curve"))
        axes = _axes(figure, form, _gutter(labels, form))
        axes.set(xscale="log", yscale="log", ylim=(low, high))
        axes.set_xlim((1, last) if last > 1 else (0.5, 2))
        for axis, (start, stop) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, (low, high))):
            _log_ticks(axis, start, stop)
        for bound in lines:
            best = bound.theorem == certified
            dashes = "-" if best else (0, (5, 3))
            axes.axhline(bound.value, color=COLOURS["bound"], lw=1.6 if best else 0.9, ls=dashes)
        steps = np.repeat(rounds, 2)[1:], np.repeat(np.maximum(made, low), 2)[:-1]
        if band is not None:
            _band(axes, band, steps)
        seen = steps[1] > low
        axes.plot(steps[0][seen], steps[1][seen], color=COLOURS["curve"], lw=2.2)
        axes.plot([last], [max(total, low)], "o", color=COLOURS["curve"], ms=5, clip_on=False)
        _name_axes(figure, axes, form, "mistakes so far", "round")
        _gutter_labels(figure, form, axes, labels)

    return draw


def margins(bound: Bound) -> Drawing:
    """The histogram of y w·x for a bound's comparator, with 0 and the hinge point marked."""
    found = bound.margins
    assert found is not None
    edges = np.linspace(found.low, found.high, len(found.counts) + 1)
    hinge = 1.0 if named(bound.theorem).pays_hinge else 0.0
    span = min(found.low, 0.0), max(found.high, hinge)
    middles = (edges[:-1] + edges[1:]) / 2
    roles = np.select([middles < 0, middles < hinge], ["wrong", "slack"], "right")

    def draw(figure: "Figure", form: Form) -> None:
        axes = _axes(figure, form, 12)
        pad = 0.02 * (span[1] - span[0])
        axes.set(xlim=(span[0] - pad, span[1] + pad), ylim=(0, 1.08 * max(found.counts)))
        colours = [COLOURS[str(role)] for role in roles]
        axes.bar(edges[:-1], found.counts, np.diff(edges) * 0.86, align="edge", color=colours)
        _mark(axes, form, 0.0, "0", -1)
        if hinge:
            share = (span[1] - hinge) / (span[1] - span[0])
            room = share * form.width > 13 * form.text
            _mark(axes, form, hinge, "1, the hinge point" if room else "1", 1)
        _few_ticks(axes.xaxis, form, whole=False)
        _few_ticks(axes.yaxis, form, whole=True)
        _name_axes(figure, axes, form, "", "y w·x, and how many rows have it")

    return draw


def _mark(axes: "Axes", form: Form, place: float, name: str, side: int) -> None:
    """Draw a line at a place on the axis, with its name above it, left or right."""
    axes.axvline(place, color=COLOURS["ink"], lw=1.1)
    axes.annotate(
        name, (place, 1), (4 * side, 5), xycoords=axes.get_xaxis_transform(),
        textcoords="offset points", ha="left" if side > 0 else "right", va="bottom",
        size=form.text, annotation_clip=False,
    )  # fmt: skip


def _axes(figure: "Figure", form: Form, right: float) -> "Axes":
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


def _name_axes(figure: "Figure", axes: "Axes", form: Form, y: str, x: str) -> None:
    size, box = form.text, axes.get_position()
    left, top = 6 / form.width, 1 - 8 / form.height
    figure.text(left, top, y, va="top", color=COLOURS["quiet"], size=size)
    middle, low = (box.x0 + box.x1) / 2, 6 / form.height
    figure.text(middle, low, x, va="bottom", ha="center", color=COLOURS["quiet"], size=size)


def _log_ticks(axis: "Axis", low: float, high: float) -> None:
    """Put ticks at powers of ten, or at 1, 2 and 5 times these if the range is short."""
    parts = (1,) if high / low > 60 else (1, 2, 5)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [part * 10.0**power for power in powers for part in parts]
    step = max(1, len(ticks) // 8)
    kept = [tick for tick in ticks if low <= tick <= high][::step]
    axis.set_ticks(kept, [short(tick) for tick in kept])
    axis.set_ticks([], minor=True)


def _few_ticks(axis: "Axis", form: Form, whole: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(6 if form.width > 500 else 4, integer=whole))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def _band(axes: "Axes", band: FloatArray, steps: tuple[IntArray, IntArray]) -> None:
    """Fill from the curve's steps to the edge."""
    xs = np.concatenate([band[:, 0], steps[0][::-1]])
    ys = np.concatenate([band[:, 1], steps[1][::-1]])
    axes.fill(xs, ys, color=COLOURS["curve"], alpha=0.14, lw=0)
    axes.plot(band[:, 0], band[:, 1], color=COLOURS["curve"], lw=0.9, alpha=0.7)


def _in_lines(label: _Label, form: Form) -> list[str]:
    _, name, value, _ = label
    return [f"{name}  {value}"] if form.width > 500 else [name, value]


def _gutter(labels: Sequence[_Label], form: Form) -> float:
    """Return how much room the labels need beside the axes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, size=form.text)
    texts = [line for label in labels for line in _in_lines(label, form)]
    widths = [text_to_path.get_text_width_height_descent(text, font, False)[0] for text in texts]
    return _LEADER + max(widths) + 8


def _gutter_labels(figure: "Figure", form: Form, axes: "Axes", labels: Sequence[_Label]) -> None:
    """Write each label beside its height, with a leader from the axes."""
    from matplotlib.lines import Line2D

    box, (low, high) = axes.get_position(), axes.get_ylim()
    lines = len(_in_lines(labels[0], form))
    heights = [
        box.y0 + box.height * math.log(label[0] / low) / math.log(high / low) for label in labels
    ]
    room = (lines * 1.2 + 0.25) * form.text / form.height
    places = spread(heights, room, box.y0 + room / 4, box.y1)
    for label, height, place in zip(labels, heights, places, strict=True):
        colour, leader = COLOURS[label[3]], _LEADER / form.width
        xs = [box.x1 + leader * part for part in (0.15, 0.4, 0.65, 0.85)]
        ys = [height, height, place, place]
        figure.add_artist(Line2D(xs, ys, color=colour, lw=0.8, transform=figure.transFigure))
        figure.text(
            box.x1 + leader, place, "\n".join(_in_lines(label, form)), color=colour,
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
