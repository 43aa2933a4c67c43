"""What ``novikoff learn`` answers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from novikoff.cli.escapes import visible
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.playing.labelled_measures import short_mean
from novikoff.playing.ledger import Ledger, counted, in_words
from novikoff.playing.run import Run
from novikoff.receipts.baselines import Baseline, also_without_learning, guessing, unbeaten
from novikoff.receipts.conversion import ErrorBound
from novikoff.receipts.counted_rounds import late_labels
from novikoff.types import Label

if TYPE_CHECKING:
    from novikoff.receipts.fresh_testing import FreshTest
    from novikoff.theory import Bound

_ASSUMES = "the rounds are independent draws and the learner was chosen before they were seen"


class Receipts(NamedTuple):
    """What the theorems allow, and why they say nothing, if so."""

    bounds: "list[Bound]"
    why: list[str]
    rounds: int = 0
    """How many rounds the bounds are about."""


class Judged(NamedTuple):
    """What a run is judged by: a bound on its error to come, and what one gets without it."""

    error: ErrorBound | None
    baseline: Baseline | None
    tested: "FreshTest | None" = None
    """What the model did on rows that were held out."""


class ErrorAnswer(TypedDict):
    """A bound on the error to come."""

    value: float
    delta: float
    assumes: str


class LastLabelAnswer(TypedDict):
    """What guessing the label of the round before gets."""

    error_rate: float


class StumpAnswer(TypedDict):
    """What the best rule with a single feature gets, in hindsight."""

    feature: str | int
    threshold: float
    above: Label
    otherwise: Label
    error_rate: float


class GuessAnswer(TypedDict):
    """What one gets without looking at x, in hindsight.

    A weighted run has no ``mean_loss`` here: its own is weighted, and the entropy of the labels is
    not. Neither has a run whose loss is not logistic. If labels are real numbers, ``label`` is
    their mean, and there is no error rate.
    """

    label: Label
    error_rate: float | None
    mean_loss: float | None


class BaselineAnswer(GuessAnswer):
    """What one gets without learning."""

    last_label: LastLabelAnswer | None
    best_feature: StumpAnswer | None


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
    mistakes: int | None
    """None, as are the error rates, if labels are real numbers."""
    error_rate: float | None
    loss: float | None
    mean_loss: float | None
    """``loss`` per round. In a weighted run each loss is multiplied by its weight."""
    baseline: BaselineAnswer | None
    beats_baseline: bool | None
    abstentions: int
    prediction_error_rate: float | None
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
    observed: float | None
    """What the run did: its mistakes, or the sum of its losses."""
    holds: bool | None
    gap: float | None
    least: float | None


class ReceiptsAnswer(TypedDict):
    """The bounds, and the files that were written."""

    bounds: list[BoundAnswer]
    model: str | None
    certificate: str | None
    report: str | None
    readings: int


class Read(NamedTuple):
    """What was read: in which format, and how many lines were skipped."""

    format: str
    skipped: int


def run_answer(run: Run, read: Read, seconds: float, judged: Judged) -> RunAnswer:
    """Return what the run did."""
    ledger, error, baseline = run.ledger, judged.error, judged.baseline
    return {
        "rounds": ledger.rounds,
        "mistakes": getattr(ledger, "mistakes", None),
        "error_rate": getattr(ledger, "error_rate", None),
        "loss": getattr(ledger, "loss", None),
        "mean_loss": getattr(ledger, "mean_loss", None),
        "baseline": baseline_answer(baseline) if ledger.judges else mean_answer(ledger),
        "beats_baseline": _beats(ledger, baseline),
        "abstentions": ledger.abstentions,
        "prediction_error_rate": getattr(ledger, "prediction_error_rate", None),
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


def _beats(ledger: Ledger, baseline: Baseline | None) -> bool | None:
    """Say whether the run beats its baseline, with real labels the mean; None without rounds."""
    if baseline is not None:
        return not unbeaten(ledger, baseline)
    if ledger.judges or not ledger.rounds:
        return None
    return ledger.mean_loss < ledger.baseline_loss / ledger.rounds


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


def baseline_answer(found: Baseline | None) -> BaselineAnswer | None:
    """Return what one gets without learning, as plain data."""
    if found is None:
        return None
    last, stump = found.last_label, found.best_feature
    return {
        "label": found.label,
        "error_rate": found.error_rate,
        "mean_loss": found.mean_loss,
        "last_label": None if last is None else {"error_rate": last},
        "best_feature": None
        if stump is None
        else {
            "feature": stump.feature,
            "threshold": stump.threshold,
            "above": stump.above,
            "otherwise": stump.otherwise,
            "error_rate": stump.error_rate,
        },
    }


def mean_answer(ledger: Ledger) -> BaselineAnswer | None:
    """Return what always guessing the mean of real labels gets; None before the first round."""
    if not ledger.rounds:
        return None
    loss = ledger.baseline_loss / ledger.rounds
    return {
        "label": ledger.mean_label,
        "error_rate": None,
        "mean_loss": loss,
        "last_label": None,
        "best_feature": None,
    }


def receipts_answer(plan: LearnPlan, bounds: "list[Bound]", readings: int) -> ReceiptsAnswer:
    """Return the bounds, the files that were written, and how often the data were read."""
    return {
        "bounds": [
            {
                "theorem": b.theorem,
                "value": b.value,
                "observed": b.observed,
                "holds": b.holds,
                "gap": b.gap,
                "least": b.least,
            }
            for b in bounds
        ],
        "model": plan.save,
        "certificate": plan.certify,
        "report": plan.report,
        "readings": readings,
    }


def show_run(
    found: RunAnswer, ledger: Ledger, known: Baseline | None, name: str, resumed: bool = False
) -> None:
    """Print what the run did: first how often it was wrong, next to the simplest guess.

    A resumed run says that its rounds are not only those of this file.
    """
    wrong = found["mistakes"]
    assert wrong is not None
    silent = found["abstentions"] / max(found["rounds"], 1)
    if known is not None:
        better = unbeaten(ledger, known)
        print(
            "does not beat its baseline: " * bool(better)
            + f"wrong on {found['error_rate']:.2%} of {counted(found['rounds'], 'round')}"
            + " so far" * resumed
            + f", silent on {silent:.2%}" * bool(silent)
            + f"; {visible('; '.join(dict.fromkeys([guessing(known), *better])))}"
        )
    print(
        f"{found['learner']} on {visible(name)} ({found['format']}){', so far' * resumed}: "
        f"{in_words(found['rounds'], wrong, found['abstentions'])}"
        f"{_loss_words(found['mean_loss'], ledger, known)}, "
        f"{counted(found['dimension'], 'feature')}, {found['seconds']:.2f} s"
    )
    if found["decided"] is not None:
        print(decided_words(found["decided"]))
    if known is not None and known.best_feature is not None:
        print(visible(also_without_learning(known)))
    bound = found["error_bound"]
    if bound is not None:
        from novikoff.receipts.remarks import shown_places

        print(
            "error of a hypothesis drawn from the run: at most "
            f"{shown_places(bound['value'])} with probability "
            f"{1 - bound['delta']:g}, if {bound['assumes']}",
            flush=True,
        )


def _loss_words(loss: float | None, ledger: Ledger, known: Baseline | None) -> str:
    """Return the mean loss in words; of a weighted run, say that it is not a mean of plain losses.

    The ledger has the sum of weight · loss, and not the sum of the weights.
    """
    if loss is None or not ledger.weighted:
        return mean_loss(loss, None if known is None else known.mean_loss)
    return f", loss per round {short_mean(loss)}, each multiplied by its weight"


def mean_loss(loss: float | None, without: float | None = None) -> str:
    """Return the mean loss in words, if there is one, and what it is without looking at x."""
    if loss is None:
        return ""
    known = "" if without is None else f" (label frequencies alone: {without:.4f})"
    return f", mean loss {short_mean(loss)}{known}"


def decided_words(found: DecidedAnswer) -> str:
    """Return what a threshold decided, in one line."""
    return (
        f"with the threshold {found['threshold']:g}: {counted(found['errors'], 'error')}, "
        f"{counted(found['false_positives'], 'false positive')} and "
        f"{counted(found['false_negatives'], 'false negative')}"
    )
