"""What ``novikoff learn`` answers."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from novikoff.cli.escapes import visible
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.playing.ledger import counted, in_words
from novikoff.playing.run import Run
from novikoff.receipts.conversion import ErrorBound, late_labels
from novikoff.types import Label

if TYPE_CHECKING:
    from novikoff.theory import Bound

_ASSUMES = "the rounds are independent draws and the learner was chosen before they were seen"


class Receipts(NamedTuple):
    """What the theorems allow, and why they say nothing, if so."""

    bounds: "list[Bound]"
    why: list[str]


class ErrorAnswer(TypedDict):
    """A bound on the error to come."""

    value: float
    delta: float
    assumes: str


class BaselineAnswer(TypedDict):
    """What one gets without looking at x, in hindsight.

    A weighted run has no ``mean_loss`` here: its own is weighted, and the entropy of the labels is
    not.
    """

    label: Label
    error_rate: float
    mean_loss: float | None


class DecidedAnswer(TypedDict):
    """What the threshold decided; the mistakes are the learner's own."""

    threshold: float
    errors: int
    false_positives: int
    false_negatives: int


class ServedAnswer(TypedDict):
    """What was served for the rounds that began with an ask, and the asks without a label."""

    rounds: int
    mistakes: int
    loss: float | None
    pending: int


class RunAnswer(TypedDict):
    """What the run did."""

    rounds: int
    mistakes: int
    error_rate: float
    loss: float | None
    mean_loss: float | None
    baseline: BaselineAnswer | None
    abstentions: int
    prediction_error_rate: float
    dimension: int
    radius: float
    seconds: float
    labels: list[Label]
    learner: str
    parameters: Mapping[str, object]
    passes: int
    converged: bool | None
    format: str
    skipped: int
    digest: str | None
    error_bound: ErrorAnswer | None
    decided: DecidedAnswer | None
    served: ServedAnswer | None


class BoundAnswer(TypedDict):
    """What a theorem allows."""

    theorem: str
    value: float
    holds: bool | None
    gap: float | None
    least: float | None


class ReceiptsAnswer(TypedDict):
    """The bounds, and the files that were written."""

    bounds: list[BoundAnswer]
    model: str | None
    certificate: str | None
    report: str | None


class Read(NamedTuple):
    """What was read: in which format, and how many lines were skipped."""

    format: str
    skipped: int


def run_answer(run: Run, read: Read, seconds: float, error: ErrorBound | None) -> RunAnswer:
    """Return what the run did."""
    ledger = run.ledger
    return {
        "rounds": ledger.rounds,
        "mistakes": ledger.mistakes,
        "error_rate": ledger.error_rate,
        "loss": getattr(ledger, "loss", None),
        "mean_loss": getattr(ledger, "mean_loss", None),
        "baseline": baseline_of(run),
        "abstentions": ledger.abstentions,
        "prediction_error_rate": ledger.prediction_error_rate,
        "dimension": run.learner.dimension,
        "radius": ledger.radius,
        "seconds": seconds,
        "labels": list(ledger.labels),
        "learner": ledger.learner,
        "parameters": ledger.parameters,
        "passes": ledger.passes,
        "converged": run.converged,
        "format": read.format,
        "skipped": read.skipped,
        "digest": ledger.digest,
        "error_bound": None
        if error is None
        else {"value": error.value, "delta": error.delta, "assumes": _assumed(run)},
        "decided": decided_answer(run),
        "served": served_answer(run),
    }


def _assumed(run: Run) -> str:
    """Return what the bound on the error to come assumes, in one clause."""
    return ", and ".join([_ASSUMES, *late_labels(run.ledger)])


def decided_answer(run: Run) -> DecidedAnswer | None:
    """Return what the run's threshold decided; None without one."""
    if run.threshold is None:
        return None
    ledger = run.ledger
    return {
        "threshold": run.threshold,
        "errors": ledger.decided_errors,
        "false_positives": ledger.false_positives,
        "false_negatives": ledger.false_negatives,
    }


def served_answer(run: Run) -> ServedAnswer | None:
    """Return what asks were served; None if there were none."""
    ledger = run.ledger
    if not hasattr(ledger, "served"):
        return None
    return {
        "rounds": ledger.served,
        "mistakes": ledger.served_mistakes,
        "loss": getattr(ledger, "served_loss", None),
        "pending": len(run.pending),
    }


def baseline_of(run: Run) -> BaselineAnswer | None:
    """Return what one gets without looking at x; None before the first round."""
    ledger = run.ledger
    counts = ledger.rounds_by_label or {run.labels.table[-1]: ledger.rounds}
    if not ledger.rounds:
        return None
    found = baseline(counts)
    return {**found, "mean_loss": None} if ledger.weighted else found


def baseline(rounds_by_label: Mapping[Label, int]) -> BaselineAnswer:
    """Return the error of always giving the most frequent label, n = Σ n_k rounds in all.

    The mean loss is the entropy −Σ (n_k/n) ln(n_k/n): that of always giving label k the
    probability n_k/n. Both know the labels in advance, so a learner may do worse.

    >>> baseline({"ham": 3, "spam": 1})["error_rate"]
    0.25
    """
    rounds = sum(rounds_by_label.values())
    label = min(rounds_by_label, key=lambda label: (-rounds_by_label[label], str(label)))
    shares = [count / rounds for count in rounds_by_label.values() if count]
    return {
        "label": label,
        "error_rate": (rounds - rounds_by_label[label]) / rounds,
        "mean_loss": math.fsum(-share * math.log(share) for share in shares),
    }


def receipts_answer(plan: LearnPlan, bounds: "list[Bound]") -> ReceiptsAnswer:
    """Return the bounds, and the files that were written."""
    return {
        "bounds": [
            {
                "theorem": b.theorem,
                "value": b.value,
                "holds": b.holds,
                "gap": b.gap,
                "least": b.least,
            }
            for b in bounds
        ],
        "model": plan.save,
        "certificate": plan.certify,
        "report": plan.report,
    }


def show_run(found: RunAnswer, name: str) -> None:
    """Print what the run did: first how often it was wrong, next to the simplest guess."""
    known = found["baseline"]
    silent = found["abstentions"] / max(found["rounds"], 1)
    if known is not None:
        print(
            f"wrong on {found['error_rate']:.2%} of {counted(found['rounds'], 'round')}"
            + f", silent on {silent:.2%}" * bool(silent)
            + f"; {guessing(known)}"
        )
    print(
        f"{found['learner']} on {visible(name)} ({found['format']}): "
        f"{in_words(found['rounds'], found['mistakes'], found['abstentions'])}"
        f"{mean_loss(found['mean_loss'], known and known['mean_loss'])}, "
        f"{counted(found['dimension'], 'feature')}, {found['seconds']:.2f} s"
    )
    if found["decided"] is not None:
        print(decided_words(found["decided"]))
    bound = found["error_bound"]
    if bound is not None:
        from novikoff.receipts.remarks import shown_places

        print(
            "error of a hypothesis drawn from the run: at most "
            f"{shown_places(bound['value'])} with probability "
            f"{1 - bound['delta']:g}, if {bound['assumes']}",
            flush=True,
        )


def guessing(found: BaselineAnswer) -> str:
    """Return in words what the simplest guess gets."""
    return f"always guessing {visible(repr(found['label']))} is wrong on {found['error_rate']:.2%}"


def mean_loss(loss: float | None, without: float | None = None) -> str:
    """Return the mean loss in words, if there is one, and what it is without looking at x."""
    if loss is None:
        return ""
    known = "" if without is None else f" (label frequencies alone: {without:.4f})"
    return f", mean loss {loss:.4f}{known}"


def decided_words(found: DecidedAnswer) -> str:
    """Return what a threshold decided, in one line."""
    return (
        f"with the threshold {found['threshold']:g}: {counted(found['errors'], 'error')}, "
        f"{counted(found['false_positives'], 'false positive')} and "
        f"{counted(found['false_negatives'], 'false negative')}"
    )


def show_receipts(found: ReceiptsAnswer, rounds: int) -> None:
    """Print the bounds, and the files that were written."""
    from novikoff.receipts.remarks import shown

    for one in found["bounds"]:
        print(f"  {one['theorem']:<16} at most {shown(one['value'])} {_allowed(one, rounds)}")
        if one["least"]:
            print(f"{'':18} {best_possible(one['least'])}")
    files = {kind: found[kind] for kind in ("model", "certificate", "report")}
    for kind, path in files.items():
        if path:
            print(f"{kind}: {visible(path)}")


def best_possible(least: float) -> str:
    """Say in words what no fixed weights can do better than."""
    from novikoff.receipts.remarks import shown_below

    value = shown_below(least)
    return f"no fixed weights u have a loss plus penalty, L(u) + ½ Σ λ u², below {value}"


def _allowed(bound: BoundAnswer, rounds: int) -> str:
    """Say what a bound is on, and whether it says nothing."""
    from novikoff.receipts.remarks import says_nothing
    from novikoff.theory import named

    of_loss = named(bound["theorem"]).of == "loss"
    empty = bound["value"] >= (says_nothing(bound["theorem"], rounds) if of_loss else rounds)
    why = "always giving ½ costs no more" if of_loss else "there were no more rounds"
    return ("in loss" if of_loss else "mistakes") + f" (says nothing: {why})" * empty
