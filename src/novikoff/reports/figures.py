"""The figures about mistakes: below what the theorems allow, over time, a comparator's margins."""

from typing import TYPE_CHECKING

import numpy as np

from novikoff.reports.axes import (
    DASHES,
    GutterLabel,
    few_ticks,
    gutter,
    gutter_labels,
    log_rounds,
    log_ticks,
    mark,
    name_axes,
    new_axes,
    percent_ticks,
)
from novikoff.reports.canvas import COLOURS, Drawing, Form
from novikoff.reports.facts import Facts
from novikoff.reports.page_words import allowed, percent, percent_allowed
from novikoff.theory import Bound, named
from novikoff.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
        labels = [
            GutterLabel(bound.value, bound.theorem, allowed(bound.value, 4), "bound")
            for bound in lines
        ]
        labels.append(GutterLabel(max(total, low), "mistakes", f"{total:,}", "curve"))
        if edge is not None:
            labels.append(GutterLabel(edge, "anytime error", f"≤ {allowed(edge, 4)}", "curve"))
        axes = new_axes(figure, form, gutter(labels, form))
        log_rounds(axes, last)
        axes.set(yscale="log", ylim=(low, high))
        log_ticks(axes.yaxis, low, high)
        for bound in lines:
            best = bound.theorem == certified
            dashes = "-" if best else DASHES
            axes.axhline(bound.value, color=COLOURS["bound"], lw=1.6 if best else 0.9, ls=dashes)
        steps = np.repeat(rounds, 2)[1:], np.repeat(np.maximum(made, low), 2)[:-1]
        if band is not None:
            _band(axes, band, steps)
        seen = steps[1] > low
        axes.plot(steps[0][seen], steps[1][seen], color=COLOURS["curve"], lw=2.2)
        axes.plot([last], [max(total, low)], "o", color=COLOURS["curve"], ms=5, clip_on=False)
        name_axes(figure, axes, form, "mistakes so far", "round")
        gutter_labels(figure, form, axes, labels)

    return draw


def _band(axes: "Axes", band: FloatArray, steps: tuple[IntArray, IntArray]) -> None:
    """Fill from the curve's steps to the edge."""
    xs = np.concatenate([band[:, 0], steps[0][::-1]])
    ys = np.concatenate([band[:, 1], steps[1][::-1]])
    axes.fill(xs, ys, color=COLOURS["curve"], alpha=0.14, lw=0)
    axes.plot(band[:, 0], band[:, 1], color=COLOURS["curve"], lw=0.9, alpha=0.7)


def error_over_time(facts: Facts) -> Drawing:
    """The share of wrong rounds so far and in a sliding window, and what guessing gets."""
    over, ledger, known = facts.errors, facts.ledger, facts.baseline
    lines = [("always guessing", known.error_rate)]
    lines += [] if known.last_label is None else [("last label", known.last_label)]
    shown = [float(over.recent.max()), ledger.error_rate]
    # A line far above the curves would flatten them: the caption has its number anyway.
    near = [line for line in lines if line[1] <= max(4 * max(shown), 0.02)]
    edge = None if facts.error is None or facts.error.value >= 1 else facts.error
    shown += [] if edge is None else [edge.value]
    high = min(1.0, 1.12 * max([*shown, *(value for _, value in near), 1e-3]))

    def draw(figure: "Figure", form: Form) -> None:
        labels = [GutterLabel(value, name, percent(value), "bound") for name, value in near]
        so_far = ledger.error_rate
        labels.append(GutterLabel(so_far, "all rounds", percent(so_far), "curve"))
        last = float(over.recent[-1])
        labels.append(GutterLabel(last, f"last {over.window:,}", percent(last), "right"))
        if edge is not None:
            most = percent_allowed(edge.value)
            labels.append(GutterLabel(edge.value, "on new rows", f"≤ {most}", "curve"))
        axes = new_axes(figure, form, gutter(labels, form))
        axes.set(xlim=(0, ledger.rounds), ylim=(0, high))
        if edge is not None:
            drawn = [(t, v) for t, _, v in edge.along if t >= over.rounds[0] and v <= high]
            xs, ys = [t for t, _ in drawn], [v for _, v in drawn]
            axes.plot(xs, ys, color=COLOURS["curve"], lw=0.9, alpha=0.7)
        for _, value in near:
            axes.axhline(value, color=COLOURS["bound"], lw=0.9, ls=DASHES)
        axes.plot(over.rounds, over.recent, color=COLOURS["right"], lw=1.3)
        axes.plot(over.rounds, over.so_far, color=COLOURS["curve"], lw=2.2)
        few_ticks(axes.xaxis, form, whole=True)
        percent_ticks(axes.yaxis, form)
        name_axes(figure, axes, form, "wrong", "round")
        gutter_labels(figure, form, axes, labels)

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
        axes = new_axes(figure, form, 12)
        pad = 0.02 * (span[1] - span[0])
        axes.set(xlim=(span[0] - pad, span[1] + pad), ylim=(0, 1.08 * max(found.counts)))
        colours = [COLOURS[str(role)] for role in roles]
        axes.bar(edges[:-1], found.counts, np.diff(edges) * 0.86, align="edge", color=colours)
        mark(axes, form, 0.0, "0", -1)
        if hinge:
            share = (span[1] - hinge) / (span[1] - span[0])
            room = share * form.width > 13 * form.text
            mark(axes, form, hinge, "1, the hinge point" if room else "1", 1)
        few_ticks(axes.xaxis, form, whole=False)
        few_ticks(axes.yaxis, form, whole=True)
        name_axes(figure, axes, form, "", "y w·x, and how many rows have it")

    return draw
