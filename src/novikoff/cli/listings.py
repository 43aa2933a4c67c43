"""``novikoff theorems``, ``check`` and ``inspect``."""

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from novikoff.cli.answers import answer, print_json
from novikoff.cli.escapes import as_line
from novikoff.cli.plans.listing_plans import CheckPlan, InspectPlan, TheoremsPlan
from novikoff.cli.predicting import loaded
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.ledger import counted, in_words
from novikoff.playing.run import Run
from novikoff.receipts.remarks import about_run
from novikoff.theory import theorems as registered

FINE, REFUSED = 0, 1


def theorems(plan: TheoremsPlan) -> int:
    """List what is registered."""
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
    """Check any learner against contracts and theorems."""
    from novikoff.conformance import check as checked

    sys.path.insert(0, str(Path.cwd()))  # as python -m does: the class may be the user's own
    report = checked(plan.target, plan.arguments, plan.seed)
    if plan.save:
        report.save(plan.save)
    print_json(report.to_json()) if plan.json else print(report)
    return REFUSED if report.violated else FINE


def inspect(plan: InspectPlan) -> int:
    """Show a model: learner, parameters, what it did, and the weights that weigh most."""
    model = loaded(plan.model)
    h = model.hypothesis() if isinstance(model, Run) else model
    found: dict[str, Any] = {
        "kind": type(model).__name__,
        "hypothesis": type(h).__name__,
        "dimension": h.dimension,
        "labels": list(h.labels),
        "top": _top(h, plan.top),
    }
    if isinstance(model, Run):
        ledger = model.ledger
        found |= {
            "learner": ledger.learner,
            "parameters": ledger.parameters,
            "rounds": ledger.rounds,
            "mistakes": ledger.mistakes,
            "error_rate": ledger.error_rate,
            "abstentions": ledger.abstentions,
            "prediction_error_rate": ledger.prediction_error_rate,
            "unfinished": model.unfinished,
            "closed": bool(model.labels.allowed),
            "negative": list(getattr(model.labels, "others", ())),
        }
    remarks = about_run(model) if isinstance(model, Run) else ()
    answer(plan.json, found, lambda: _show(found), remarks)
    return FINE


def _top(h: Hypothesis, count: int) -> Any:
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


def _show(found: dict[str, Any]) -> None:
    if "learner" in found:
        shown = ", ".join(f"{k}={v}" for k, v in found["parameters"].items() if v is not None)
        print(
            f"{found['learner']}({shown}): "
            f"{in_words(found['rounds'], found['mistakes'], found['abstentions'])}"
        )
    if found.get("unfinished"):
        print("interrupted: go on with learn --resume")
    size = counted(found["dimension"], "feature")
    labels = ", ".join(map(as_line, found["labels"])) or "not yet known"
    if len(found.get("negative", ())) > 1:
        labels += f" ({', '.join(map(as_line, found['negative']))} are negative)"
    print(f"{found['hypothesis']} of {size}, labels {labels}")
    tops = found["top"] or []
    for label, pairs in tops.items() if isinstance(tops, dict) else [(None, tops)]:
        if label is not None:
            print(f"{as_line(label)}:")
        for name, weight in pairs:
            print(f"  {weight:+.6g}  {as_line(name)}")
