"""``novikoff theorems``, ``check`` and ``inspect``."""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

from novikoff.cli.answers import answer, print_json
from novikoff.cli.escapes import as_line
from novikoff.cli.plans.listing_plans import CheckPlan, InspectPlan, TheoremsPlan
from novikoff.cli.predicting import loaded
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.remarks import about_run
from novikoff.streams.transforms.transforms import readable
from novikoff.types import Label

FINE, REFUSED = 0, 1

Top = list[list[object]]
"""The features with the largest weights, each with its weight."""


class ModelAnswer(TypedDict):
    """What a model is."""

    kind: str
    hypothesis: str
    dimension: int
    labels: list[Label]
    top: Top | dict[str, Top] | None


class RunAnswer(TypedDict):
    """What the run of a model did."""

    learner: str
    parameters: Mapping[str, object]
    rounds: int
    mistakes: int | None
    error_rate: float | None
    abstentions: int
    prediction_error_rate: float | None
    unfinished: Mapping[str, object] | None
    threshold: float | None
    pending: int
    closed: bool
    negative: list[Label]


def theorems(plan: TheoremsPlan) -> int:
    """List the theorems."""
    from novikoff.theory import theorems as registered

    if plan.json:
        listed = [{k: v for k, v in asdict(t).items() if k != "formula"} for t in registered()]
        print_json({"theorems": listed})
        return FINE
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("id", "statement", "kind", "citation", show_lines=True)
    for theorem in registered():
        table.add_row(theorem.id, escape(theorem.statement), theorem.kind, theorem.citation)
    Console().print(table)
    return FINE


def check(plan: CheckPlan) -> int:
    """Test any learner against contracts and theorems."""
    from novikoff.conformance import check as checked

    sys.path.insert(0, str(Path.cwd()))  # as python -m does: the class may be the user's own
    report = checked(plan.target, plan.arguments, plan.seed)
    if plan.save:
        report.save(plan.save)
    print_json(report.to_json()) if plan.json else print(report)
    return REFUSED if report.violated else FINE


def inspect(plan: InspectPlan) -> int:
    """Show a model: its learner and parameters, what it did, and its largest weights."""
    model = loaded(plan.model)
    h = model.hypothesis() if isinstance(model, Run) else model
    found: ModelAnswer = {
        "kind": type(model).__name__,
        "hypothesis": type(h).__name__,
        "dimension": h.dimension,
        "labels": list(h.labels),
        "top": _top(h, plan.top),
    }
    run = _run_answer(model) if isinstance(model, Run) else None
    did = model.ledger.headline if isinstance(model, Run) else ""
    remarks = about_run(model) if isinstance(model, Run) else ()
    answer(plan.json, {**found, **(run or {})}, lambda: _show(found, run, did), remarks)
    return FINE


def _run_answer(run: Run) -> RunAnswer:
    ledger = run.ledger
    return {
        "learner": ledger.learner,
        "parameters": ledger.parameters,
        "rounds": ledger.rounds,
        "mistakes": getattr(ledger, "mistakes", None),
        "error_rate": getattr(ledger, "error_rate", None),
        "abstentions": ledger.abstentions,
        "prediction_error_rate": getattr(ledger, "prediction_error_rate", None),
        "unfinished": run.unfinished,
        "threshold": run.threshold,
        "pending": len(run.pending),
        "closed": bool(run.labels.allowed),
        "negative": list(getattr(run.labels, "others", ())),
    }


def _top(h: Hypothesis, count: int) -> Top | dict[str, Top] | None:
    top = getattr(h, "top", None)
    if top is None:
        return None
    found = top(count)
    if isinstance(found, dict):
        alike = Counter(map(str, found))  # of 1 and "1" the text is quoted
        return {
            str(label) if alike[str(label)] == 1 else json.dumps(label): [*map(list, pairs)]
            for label, pairs in found.items()
        }
    return [list(pair) for pair in found]


def _show(found: ModelAnswer, run: RunAnswer | None, did: str) -> None:
    if run is not None:
        given = readable(run["parameters"]).items()
        shown = ", ".join(f"{name}={value}" for name, value in given if value is not None)
        print(f"{run['learner']}({shown}): {did}")
    if run is not None and run["unfinished"]:
        print("interrupted: go on with learn --resume")
    if run is not None and run["threshold"] is not None:
        print(f"decides on the positive label from a probability of {run['threshold']:g} on")
    if run is not None and run["pending"]:
        print(
            f"{counted(run['pending'], 'ask')} without a label: go on with learn - --stdio --resume"
        )
    size = counted(found["dimension"], "feature")
    labels = ", ".join(map(as_line, found["labels"])) or "not yet known"
    if run is not None and run["mistakes"] is None:
        labels = "that are numbers"
    if run is not None and len(run["negative"]) > 1:
        labels += f" ({', '.join(map(as_line, run['negative']))} are negative)"
    print(f"{found['hypothesis']} of {size}, labels {labels}")
    tops = found["top"] or []
    for label, pairs in tops.items() if isinstance(tops, dict) else [(None, tops)]:
        if label is not None:
            print(f"{as_line(label)}:")
        for name, weight in pairs:
            print(f"  {weight:+.6g}  {as_line(name)}")
