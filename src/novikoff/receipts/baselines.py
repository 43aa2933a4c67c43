"""Baselines: what one gets without learning, and whether a run beats it."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.types import Label

if TYPE_CHECKING:  # only receipts read the rows again
    from novikoff.receipts.stumps import Stump


class Baseline(NamedTuple):
    """What one gets without learning: the error of guessing, and the loss of label frequencies.

    All but ``last_label`` know every label in advance, so that a learner may do worse.
    """

    label: Label
    """The most frequent label."""
    error_rate: float
    """How often always guessing it is wrong."""
    mean_loss: float | None
    """The entropy of the label frequencies. A weighted run has none here: its own is weighted."""
    last_label: float | None = None
    """How often guessing the label of the round before is wrong; the first guess counts as right.
    None if the run was saved before this was counted."""
    best_feature: "Stump | None" = None
    """The best rule with a single feature, if somebody looked for it."""


def baseline_of(run: Run, best_feature: "Stump | None" = None) -> Baseline | None:
    """Return the baseline of a run; None before the first round, and if labels are numbers."""
    ledger = run.ledger
    if not ledger.rounds or not ledger.judges:
        return None
    counts = ledger.rounds_by_label or {run.labels.table[-1]: ledger.rounds}
    label, error, entropy = guessed(counts)
    changes = getattr(ledger, "label_changes", None)
    return Baseline(
        label,
        error,
        None if ledger.weighted or not _is_logistic(ledger) else entropy,
        None if changes is None else changes / ledger.rounds,
        best_feature,
    )


def guessed(rounds_by_label: Mapping[Label, int]) -> tuple[Label, float, float]:
    """Return the most frequent label, the error of always guessing it, and the entropy.

    With n = Σ n_k rounds, the entropy −Σ (n_k/n) ln(n_k/n) is the mean loss of always giving label
    k the probability n_k/n.

    >>> guessed({"ham": 3, "spam": 1})[:2]
    ('ham', 0.25)
    """
    rounds = sum(rounds_by_label.values())
    label = min(rounds_by_label, key=lambda label: (-rounds_by_label[label], str(label)))
    shares = [count / rounds for count in rounds_by_label.values() if count]
    entropy = math.fsum(-share * math.log(share) for share in shares)
    return label, (rounds - rounds_by_label[label]) / rounds, entropy


def has_log_loss(ledger: Ledger) -> bool:
    """Say whether the run's loss is the log loss, which label frequencies have too."""
    return hasattr(ledger, "loss") and _is_logistic(ledger)


def _is_logistic(ledger: Ledger) -> bool:
    return bool(ledger.parameters.get("loss", "logistic") == "logistic")


def unbeaten(ledger: Ledger, baseline: Baseline) -> list[str]:
    """Return what does at least as well as the run, in words; [] if the run beats it all.

    A round without a prediction counts as wrong here: a baseline always guesses.
    """
    wrong = (ledger.mistakes + ledger.abstentions) / max(ledger.rounds, 1)
    found = []
    if wrong >= baseline.error_rate:
        found.append(guessing(baseline))
    if baseline.last_label is not None and wrong >= baseline.last_label:
        found.append(repeating(baseline.last_label))
    if (
        baseline.mean_loss is not None
        and has_log_loss(ledger)
        and ledger.mean_loss >= baseline.mean_loss
    ):
        found.append(
            f"giving each label its frequency has a mean loss of {baseline.mean_loss:.4f}, the run "
            f"{ledger.mean_loss:.4f}"
        )
    return found


def guessing(found: Baseline) -> str:
    """Return in words what always guessing the same label gets."""
    return f"always guessing {found.label!r} is wrong on {found.error_rate:.2%}"


def repeating(error_rate: float) -> str:
    """Return in words what guessing the label of the round before gets."""
    return f"repeating the last label is wrong on {error_rate:.2%}"


def with_one_feature(found: "Stump") -> str:
    """Return in words what the best rule with a single feature gets."""
    name = f"feature {found.feature}" if isinstance(found.feature, int) else repr(found.feature)
    return (
        f"looking only at whether {name} is above {found.threshold:.4g} is wrong on "
        f"{found.error_rate:.2%}, in hindsight"
    )


def also_without_learning(found: Baseline) -> str:
    """Return in one line what repeating the last label and the best single feature get."""
    known = [] if found.last_label is None else [repeating(found.last_label)]
    known += [] if found.best_feature is None else [with_one_feature(found.best_feature)]
    return "; ".join(known)


def about_baseline(ledger: Ledger, baseline: Baseline | None, first: bool = True) -> list[str]:
    """Return remarks if the run does not beat its baseline, or the best single feature.

    ``first`` is False if the first line has said so already.
    """
    if baseline is None:
        return []
    rate = (ledger.mistakes + ledger.abstentions) / ledger.rounds
    found = []
    if first and (better := unbeaten(ledger, baseline)):
        found.append(
            f"the run does not beat its baseline: it is wrong on {rate:.2%}, and "
            f"{'; '.join(better)}."
        )
    stump = baseline.best_feature
    if stump is not None and rate >= stump.error_rate and stump.error_rate < baseline.error_rate:
        found.append(
            f"a single feature does as well: {with_one_feature(stump)}, and the run on {rate:.2%}."
        )
    return found
