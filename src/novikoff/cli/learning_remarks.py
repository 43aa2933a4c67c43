"""What ``novikoff learn`` says about labels and models, besides what a run says about itself."""

import os
from collections.abc import Iterable

from novikoff.cli.parser import UsageError
from novikoff.errors import InputError
from novikoff.learners import Learner
from novikoff.learners.feature_learner import missing_groups
from novikoff.playing.ledger import Ledger, counted
from novikoff.streams import FileStream, Stream
from novikoff.streams.labels.declared import differing
from novikoff.types import Label

_FEW, _MANY = 10, 100  # different numbers that may well be classes: broken ones, and whole ones


def check_played(ledger: Ledger, stream: FileStream, others: Iterable[Label]) -> None:
    """Refuse files without a single round, and a positive label that no row has.

    ``others`` are the labels met that are not the positive one.
    """
    if ledger.rounds == 0:
        skipped = f", and {counted(stream.skipped, 'line')} skipped" if stream.skipped else ""
        raise InputError(f"{stream.name}: expected rows, got none{skipped}. Check its format.")
    _check_positive(ledger, stream, others)


def _check_positive(ledger: Ledger, stream: Stream, others: Iterable[Label]) -> None:
    """Refuse a positive label that no row has, if the rows have several other labels."""
    positive = stream.positive
    if positive is None or ledger.rounds_by_label.get(positive) or len(ledger.labels) != 2:
        return
    if ledger.labels[0] == f"not {positive}":
        like = differing(positive, others)
        raise UsageError(
            f"--positive: expected a label of {stream.name}, got {positive!r}"
            f"{like or ', which no row has'}. Write it as the file does: capitals and blanks count."
        )


def about_before(again: bool) -> list[str]:
    """Return a remark if a file was learned from before."""
    if not again:
        return []
    return [
        "the run has played a file that it had learned from before. Unless the file has changed, "
        "its rounds are not fresh, so there is no bound on the error to come."
    ]


def about_unsaved(resume: str | None, save: str | None, told: bool) -> list[str]:
    """Return a remark if the model is not kept.

    JSON has null for a fresh one, and with receipts a model is kept or the reason is told.
    """
    if save is not None:
        return []
    if resume is None:
        return ["nothing is saved: to keep the model, add --save MODEL."] if told else []
    if os.path.isdir(resume):
        return [f"{resume} serves to go on with this play: to keep the model, add --save MODEL."]
    return [f"{resume} is as it was: the run that went on from it is kept only with --save MODEL."]


def about_numbers(ledger: Ledger) -> list[str]:
    """Return a remark if labels look like numbers to predict, of which each counts as a class."""
    labels = ledger.labels
    numbers = [y for y in labels if isinstance(y, (int, float)) and not isinstance(y, bool)]
    broken = any(y != int(y) for y in numbers)
    if len(numbers) < len(labels) or len(numbers) <= (_FEW if broken else _MANY):
        return []
    return [
        f"the labels are {len(labels):,} different numbers, and each counts as a class of its own. "
        "To predict numbers, use --learner forward-regression; if they are not the labels, name "
        "another column with --label."
    ]


def about_best_feature(left_out: bool) -> list[str]:
    """Return a remark if --baselines leaves out the best single feature."""
    if not left_out:
        return []
    return [
        "the best single feature is left out: the run has rounds of other files, which are not "
        "read again. Learn from all files at once to compare with it."
    ]


def about_hashing(bits: int | None, learner: Learner) -> list[str]:
    """Return a remark if --hash-bits was given for features that turned out to be numbered."""
    if bits is None or learner.named is not False:
        return []
    return [
        "the features are numbered, so that --hash-bits changes nothing: only names are hashed. "
        "The run cannot be certified, either. Drop the option."
    ]


def about_cross(learner: object) -> list[str]:
    """Return a remark about each group of --cross that no feature is in."""
    return [
        f"no feature is in the group {group!r}, so that --cross makes nothing of it. Name a "
        "namespace or a column."
        for group in missing_groups(learner)
    ]
