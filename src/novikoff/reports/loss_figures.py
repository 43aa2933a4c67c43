"""The figures about losses and probabilities: over time, regret, calibration."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from novikoff.receipts.calibration import CalibrationBin
from novikoff.reports.axes import (
    DASHES,
    GutterLabel,
    few_ticks,
    gutter,
    gutter_labels,
    log_rounds,
    name_axes,
    new_axes,
    percent_ticks,
)
from novikoff.reports.canvas import COLOURS, Drawing, Form
from novikoff.reports.measured import LossOverTime
from novikoff.reports.page_words import allowed, amount, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def loss_over_time(over: LossOverTime) -> Drawing:
    """The mean loss so far: the run's own, the comparator's, and that of label frequencies."""
    last = int(over.rounds[-1])
    settled = over.rounds >= min(last, 10)  # the first rounds are all peaks
    rounds = over.rounds[settled]
    own = over.own[settled] / rounds
    compared = None if over.compared is None else over.compared[settled] / rounds
    lines = [] if over.frequencies is None else [("label frequencies", over.frequencies)]
    tops = [float(own.max()), *(value for _, value in lines)]
    tops += [] if over.allowed is None else [over.allowed / last]
    tops += [] if compared is None else [float(compared.max())]
    top = 1.1 * max(tops) or 1.0

    def draw(figure: "Figure", form: Form) -> None:
        labels = [GutterLabel(value, name, number(value, 4), "bound") for name, value in lines]
        labels.append(GutterLabel(float(own[-1]), "this run", number(float(own[-1]), 4), "curve"))
        if compared is not None:
            end = float(compared[-1])
            labels.append(GutterLabel(end, "fixed weights u", number(end, 4), "right"))
        if over.allowed is not None:
            most = over.allowed / last
            labels.append(GutterLabel(most, "allowed", f"≤ {allowed(most, 4)}", "bound"))
        axes = new_axes(figure, form, gutter(labels, form))
        log_rounds(axes, last, int(rounds[0]))
        axes.set_ylim(0, top)
        for _, value in lines:
            axes.axhline(value, color=COLOURS["bound"], lw=0.9, ls=DASHES)
        if compared is not None:
            axes.plot(rounds, compared, color=COLOURS["right"], lw=1.3)
        axes.plot(rounds, own, color=COLOURS["curve"], lw=2.2)
        if over.allowed is not None:
            most = over.allowed / last
            axes.plot([last], [most], "D", color=COLOURS["bound"], ms=5, clip_on=False)
        few_ticks(axes.yaxis, form, whole=False)
        name_axes(figure, axes, form, "mean loss so far", "round")
        gutter_labels(figure, form, axes, labels)

    return draw


def regret(over: LossOverTime) -> Drawing:
    """The run's loss minus the comparator's, round by round, and what the theorem allows."""
    assert over.compared is not None
    assert over.allowed is not None
    last, values = int(over.rounds[-1]), over.own - over.compared
    end, most = float(values[-1]), over.allowed - float(over.compared[-1])
    low, high = min(0.0, float(values.min())), max(float(values.max()), most)
    pad = 0.08 * (high - low) or 1.0

    def draw(figure: "Figure", form: Form) -> None:
        labels = [
            GutterLabel(most, "allowed at the end", f"≤ {allowed(most, 4)}", "bound"),
            GutterLabel(end, "regret", amount(end), "curve"),
        ]
        axes = new_axes(figure, form, gutter(labels, form))
        log_rounds(axes, last)
        axes.set_ylim(low - (pad if low else 0), high + pad)
        axes.axhline(0, color=COLOURS["quiet"], lw=0.8)
        axes.axhline(most, color=COLOURS["bound"], lw=1.2)
        axes.plot(over.rounds, values, color=COLOURS["curve"], lw=2.2)
        few_ticks(axes.yaxis, form, whole=False)
        name_axes(figure, axes, form, "regret so far", "round")
        gutter_labels(figure, form, axes, labels)

    return draw


def calibration(bins: Sequence[CalibrationBin]) -> Drawing:
    """What came true against the probability that was given, with intervals."""
    most = max(one.rows for one in bins)

    def draw(figure: "Figure", form: Form) -> None:
        axes = new_axes(figure, form, 26)
        axes.set(xlim=(0, 1), ylim=(0, 1.02))
        axes.plot([0, 1], [0, 1], color=COLOURS["quiet"], lw=0.9, ls=DASHES)
        for one in bins:
            place, colour = one.mean, COLOURS["curve"]
            axes.plot([place, place], one.interval, color=colour, lw=1.6, alpha=0.55)
            size = 3.0 + 7.0 * float(np.sqrt(one.rows / most))
            axes.plot([place], [one.happened / one.rows], "o", color=colour, ms=size, clip_on=False)
        percent_ticks(axes.xaxis, form)
        percent_ticks(axes.yaxis, form)
        name_axes(figure, axes, form, "came true", "probability that was given")

    return draw
