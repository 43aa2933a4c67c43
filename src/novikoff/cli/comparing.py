"""``novikoff learn --compare``: several learners in one pass over the files."""

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict

from novikoff.cli.answers import print_json, tell
from novikoff.cli.escapes import visible
from novikoff.cli.inputs import opened
from novikoff.cli.learned import BaselineAnswer, baseline_answer
from novikoff.cli.learning_bias import with_bias
from novikoff.cli.learning_labels import declare_labels
from novikoff.cli.learning_remarks import check_played
from novikoff.cli.outputs import Written, check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.resuming import is_text
from novikoff.interrupts import listening, stoppable, waiting
from novikoff.playing.ledger import counted
from novikoff.playing.progress import as_progress
from novikoff.receipts.baselines import Baseline, about_baseline, baseline_of, guessing, unbeaten
from novikoff.receipts.comparison import Compared, Comparison, compared
from novikoff.receipts.remarks import about_run, shown_places
from novikoff.streams import FileStream
from novikoff.types import Label

_UNITS = ("B", "kB", "MB", "GB", "TB")


class LearnerAnswer(TypedDict):
    """What one of the learners did."""

    name: str
    learner: str
    parameters: Mapping[str, object]
    mistakes: int
    abstentions: int
    error_rate: float
    interval: list[float]
    loss: float | None
    mean_loss: float | None
    seconds: float
    bytes: int | None
    differs: bool | None


class ComparisonAnswer(TypedDict):
    """What the learners did on the same rounds."""

    rounds: int
    labels: list[Label]
    baseline: BaselineAnswer | None
    beats_baseline: bool
    best: str
    learners: list[LearnerAnswer]
    delta: float
    seconds: float
    format: str
    skipped: int
    model: str | None


def compare(plan: LearnPlan) -> int:
    """Play the input with several learners; save the best, if asked to."""
    plan, chosen = with_bias(plan)
    stream = opened(plan.reading)
    plan.check_format(stream.format)
    check_outputs(stream.files, plan.save)
    presence = plan.reading.presence and not is_text(plan.reading, stream)
    learners = plan.learner.several(plan.compared, presence)
    for name, learner in learners.items():
        if learner.real:
            raise UsageError(
                f"--compare: expected learners of labels, got {name}, whose labels are numbers."
            )
    declare_labels(learners.values(), stream)
    runs = {name: plan.new_run(one) for name, one in learners.items()}
    reading = replace(plan.reading, presence=False) if presence else plan.reading
    for run in runs.values():
        run.reading = {"format": stream.format} | reading.decisive
        run.reading |= {"input": [*stream.files], "again": False}
    began = time.perf_counter()
    with Written() as written, stoppable(), waiting():
        with listening(), as_progress(plan.progress or None) as bar:
            found = compared(runs, stream, plan.delta, bar)
        seconds = time.perf_counter() - began
        best = found.best.run
        check_played(best.ledger, stream, best.labels.others)
        if plan.save:
            best.save(plan.save)
            written.add(plan.save)
    known = baseline_of(best)
    assert known is not None  # there were rounds
    answer = _answer(found, stream, seconds, plan.save, known)
    said = about_baseline(best.ledger, known, first=plan.json)
    remarks = [*said, *chosen, *about_run(best)]
    if plan.save:
        remarks.append(
            f"{plan.save} holds {found.best.name}, which was chosen for its mistakes on these "
            "rows. A bound on its error to come must not take these rows for fresh ones."
        )
    if plan.json:
        print_json({**answer}, remarks)
    else:
        _show(answer, known, stream.name, best.ledger.weighted)
    tell(remarks)
    return 0


def _answer(
    found: Comparison, stream: FileStream, seconds: float, model: str | None, known: Baseline
) -> ComparisonAnswer:
    best = found.best.run
    return {
        "rounds": best.ledger.rounds,
        "labels": list(best.ledger.labels),
        "baseline": baseline_answer(known),
        "beats_baseline": not unbeaten(best.ledger, known),
        "best": found.best.name,
        "learners": [_learner(one) for one in found.learners],
        "delta": found.delta,
        "seconds": seconds,
        "format": stream.format,
        "skipped": stream.skipped,
        "model": model,
    }


def _learner(one: Compared) -> LearnerAnswer:
    ledger = one.run.ledger
    return {
        "name": one.name,
        "learner": ledger.learner,
        "parameters": ledger.parameters,
        "mistakes": ledger.mistakes,
        "abstentions": ledger.abstentions,
        "error_rate": ledger.error_rate,
        "interval": [*one.interval],
        "loss": getattr(ledger, "loss", None),
        "mean_loss": getattr(ledger, "mean_loss", None),
        "seconds": one.seconds,
        "bytes": getattr(one.run.learner, "nbytes", None),
        "differs": one.differs,
    }


def _show(found: ComparisonAnswer, known: Baseline, name: str, weighted: bool) -> None:
    """Print a table, best first, and what its columns say."""
    loss = "weighted loss" if weighted else "mean loss"
    print(
        "the best does not beat its baseline: "
        * (not found["beats_baseline"])
        + f"{len(found['learners'])} learners on {visible(name)} ({found['format']}): "
        f"{counted(found['rounds'], 'round')}, {found['seconds']:.2f} s; {visible(guessing(known))}"
    )
    heads = ("learner", "wrong", "between", loss, "seconds", "memory", "than the best")
    order = sorted(found["learners"], key=lambda one: one["mistakes"] + one["abstentions"])
    order.sort(key=lambda one: one["name"] != found["best"])
    rows = [heads, *(_row(one, found["best"], found["rounds"]) for one in order)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others, last in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=False)]
        print("  ".join([first.ljust(widths[0]), *cells, last]))
    print(
        "between: the mean chance of a mistake, if the rounds are independent draws. These "
        f"intervals and 'worse' are right at once with probability {1 - found['delta']:g}."
    )
    if weighted:
        print("weighted loss: per round, each loss multiplied by the weight of its round.")
    if found["model"]:
        print(f"model: {visible(found['model'])}")


def _row(one: LearnerAnswer, best: str, rounds: int) -> tuple[str, ...]:
    low, high = one["interval"]
    loss, size = one["mean_loss"], one["bytes"]
    verdict = {True: "worse", False: "not told apart", None: ""}[one["differs"]]
    wrong = (one["mistakes"] + one["abstentions"]) / rounds
    return (
        one["name"],
        f"{wrong:.2%}",
        f"{math.floor(low * 1e4) / 1e4:.2%} and {shown_places(high * 100, 2)}%",
        "" if loss is None else f"{loss:.4f}",
        f"{one['seconds']:.2f}",
        "" if size is None else _in_units(size),
        "best" if one["name"] == best else verdict,
    )


def _in_units(size: float) -> str:
    """Return a size in bytes for people.

    >>> _in_units(712), _in_units(51_200_000)
    ('712 B', '51.2 MB')
    """
    for unit in _UNITS[:-1]:
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} {_UNITS[-1]}"
