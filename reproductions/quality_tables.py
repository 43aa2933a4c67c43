"""The pages of the quality table, in Markdown."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reproductions import quality_sets as sets
from reproductions.quality_goals import (
    FEW,
    MEASURES,
    PEERS,
    REFERENCE,
    Found,
    Goal,
    Results,
    best,
    mean_ratio,
    with_errors,
)
from reproductions.quality_measures import BINS, Scores
from reproductions.quality_peers import CERTAIN, RIVER_DENSE

CELLS = "Each cell: error in % / mean log loss / calibration error. A lone number is the error."
NOTE = f"""\
- **A cell** has the error in %, the mean log loss (natural logarithm) and the calibration error. A
  learner without probabilities has the error alone. A dash means that there are no probabilities to
  judge, or that the learner would take too long.
- **The calibration error** is the expected one with {BINS} bins of equal mass: sort the rounds by
  the probability that was given, cut them into {BINS} parts of the same size, and average the
  distance between the mean probability and the share that came true. 0 is perfect.
- **blend** is `nv.Blend()`. **perceptron** is `nv.Perceptron(bias=1.0)`, or with many classes
  `nv.MulticlassPerceptron()`.
- **VW logistic** is Vowpal Wabbit with `--loss_function logistic`. **VW default** minimises
  squares; its score s stands for the probability (s + 1)/2, at least {CERTAIN} from 0 and 1. **VW
  oaa** and **VW oaa logistic** are the same two for many classes. All have `-b 22`, so that no
  features collide.
- **river** is logistic regression on dicts of the values other than 0, with and without a scaler:
  the better of the two, number by number. **river dense** is the one with a scaler on dicts that
  hold the zeros as well (up to {RIVER_DENSE} columns).
- **SGD** is scikit-learn's with log loss, one pass, columns scaled to deviation 1 or to maximum 1:
  the better of the two, number by number.
- **Ratios** of errors count half an error more on both sides, because some learners make none."""


class Group(NamedTuple):
    """Sets that are shown together."""

    title: str
    names: Mapping[str, sets.Source]
    part: str


GROUPS = (
    Group("Two classes, progressive", sets.CHOSEN, "progressive"),
    Group("Two classes, progressive, not used for choosing", sets.FRESH, "progressive"),
    Group("Two classes, held out", sets.CHOSEN, "held_out"),
    Group("Two classes, held out, not used for choosing", sets.FRESH, "held_out"),
    Group("Many classes, held out", sets.MANY, "held_out"),
)


def page(results: Results, goals: Iterable[Goal], heading: str) -> str:
    """Return all tables, their notes and the goals."""
    parts = [heading, NOTE]
    for group in GROUPS:
        found = {name: results[name] for name in group.names if name in results}
        if found:
            parts += [f"## {group.title}", CELLS, _table(found, group.part)]
            if group.part == "held_out" and group.names is not sets.MANY:
                parts.append(_ratios(found))
    if checked := [f"- {'met' if goal.met else '**missed**'}: {goal}" for goal in goals]:
        parts += ["## Goals", "\n".join(checked)]
    return "\n\n".join(parts)


def _columns(found: Iterable[Found], part: str) -> dict[str, tuple[str, ...]]:
    """Return the columns: our learners, then the neighbours; some show the better of two."""
    seen = {who: None for one in found for who in one.part(part)}
    joined = {name: names for name, names in PEERS.items() if set(names) & set(seen)}
    hidden = {who for names in joined.values() for who in names}
    return {who: (who,) for who in seen if who not in hidden} | joined


def _table(found: Results, part: str) -> str:
    columns = _columns(found.values(), part)
    lines = [_row(["set", "rows", "columns", *columns]), "|---" * (len(columns) + 3) + "|"]
    for name, one in found.items():
        size = [name, f"{one.rows:,}", f"{one.columns:,}"]
        lines.append(_row(size + [_cell(best(one.part(part), who)) for who in columns.values()]))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(scores: Scores | None) -> str:
    if scores is None:
        return "–"
    error = f"{100 * scores.error:.2f}"
    if scores.log_loss is None or scores.calibration is None:
        return error
    return f"{error} / {scores.log_loss:.4f} / {scores.calibration:.4f}"


def _ratios(found: Results) -> str:
    """Return the geometric means of ratios to VW logistic."""
    if not all(REFERENCE in one.held_out for one in found.values()):
        return f"No ratios: {REFERENCE} did not play."
    columns = _columns(found.values(), "held_out")
    lines = [_row([f"geometric mean of ratios to {REFERENCE}", "sets", *columns])]
    lines.append("|---" * (len(columns) + 2) + "|")
    for measure in MEASURES:
        lines.append(_ratio_row(found, measure, measure.replace("_", " "), columns.values()))
    if many := with_errors(found):
        words = f"error, if {REFERENCE} errs at least {FEW} times"
        lines.append(_ratio_row(many, "error", words, columns.values()))
    return "\n".join(lines)


def _ratio_row(found: Results, measure: str, words: str, columns: Iterable[tuple[str, ...]]) -> str:
    means = [mean_ratio(found, who, measure) for who in columns]
    shown = ["–" if mean is None else f"{mean:.3f}" for mean in means]
    return _row([words, str(len(found)), *shown])
