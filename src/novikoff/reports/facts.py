"""What a report says, from a run's ledger, bounds and certificate, without reading data."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np

from novikoff import verifier
from novikoff.errors import HypothesisError, ParameterError, parameter
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.receipts.baselines import Baseline, about_baseline, baseline_of, has_log_loss
from novikoff.receipts.calibration import CalibrationBin
from novikoff.receipts.certificates import Certificate, transcript
from novikoff.receipts.conversion import ErrorBound, error_bound
from novikoff.receipts.fresh_testing import FreshTest
from novikoff.receipts.remarks import about_run, as_remarks
from novikoff.receipts.stumps import Stump
from novikoff.reports.checking import Checking, checking
from novikoff.reports.measured import (
    ErrorsOverTime,
    LossOverTime,
    errors_over_time,
    loss_over_time,
    played_bins,
)
from novikoff.reports.page_words import allowed, count, number
from novikoff.reports.weights import Weights, weights_of
from novikoff.streams import FileStream
from novikoff.streams.stream import Wrapped
from novikoff.theory import Bound, named
from novikoff.theory.batch_theorems import ABOUT_MEAN_ERROR
from novikoff.types import FloatArray, IntArray

_CLASSES = 12  # shown with their weights
_DELTA = 0.05  # of intervals, if the run has no other
_LINES = 8  # bounds in one picture
_STEPS = 200  # points of the curve, besides the checkpoints


@dataclass(frozen=True)
class Facts:
    """Everything that a report shows."""

    ledger: Ledger
    title: str
    bounds: tuple[Bound, ...]
    certificate: Certificate | None
    error: ErrorBound | None
    """The error of the hypotheses along the run; None if nothing is promised."""
    weights: tuple[Weights, ...]
    more_classes: int
    remarks: tuple[str, ...]
    checking: Checking | None
    """How to check the certificate, if there is one."""
    heading: str
    """The title given, or what was played on what."""
    baseline: Baseline
    tested: FreshTest | None
    """What the saved model did on other rows."""
    bins: tuple[CalibrationBin, ...]
    threshold: float | None
    """The probability from which on the run decides on the positive label, if it was given one."""

    @property
    def delta(self) -> float:
        """The chance that the intervals of the calibration are wrong."""
        return _DELTA if self.error is None else self.error.delta

    @property
    def promised(self) -> FreshTest | None:
        """The test, if all its rows were new to the model as far as is known."""
        return None if self.tested is None or self.tested.learned_from else self.tested

    @cached_property
    def errors(self) -> ErrorsOverTime:
        """How often the run was wrong over time."""
        return errors_over_time(self.ledger)

    @cached_property
    def losses(self) -> LossOverTime | None:
        """The losses over time; None for a learner without a loss."""
        frequencies = self.baseline.mean_loss if has_log_loss(self.ledger) else None
        of_loss = [b for b in self.bounds if named(b.theorem).of == "loss"]
        certified = None if self.certificate is None else self.certificate.theorem
        best = min(of_loss, key=lambda b: (b.theorem != certified, b.value), default=None)
        return loss_over_time(self.ledger, best, frequencies)

    @property
    def digest(self) -> str | None:
        """The digest of the data, if the ledger or the certificate knows it."""
        if self.ledger.digest is None and self.certificate is not None:
            return str(self.certificate.content["data"]["digest"])
        return self.ledger.digest

    @property
    def counted(self) -> list[Bound]:
        """The bounds that are not about a loss."""
        return [bound for bound in self.bounds if named(bound.theorem).of != "loss"]

    @property
    def drawn(self) -> list[Bound]:
        """The bounds that fit into a picture of the mistakes: the smallest, and no absurd ones."""
        top = 100 * self.ledger.rounds
        made = self.ledger.mistakes
        lines = [b for b in self.counted if b.observed == made and 0.1 <= b.value <= top]
        return sorted(lines, key=lambda bound: bound.value)[:_LINES]

    @property
    def compared(self) -> Bound | None:
        """The bound whose comparator is drawn: the certified one, or the least that looks ahead."""
        found = [bound for bound in self.bounds if bound.margins is not None]
        certified = "" if self.certificate is None else self.certificate.theorem
        return min(
            found, key=lambda b: (b.theorem != certified, b.theorem == "run", b.value), default=None
        )

    def curve(self) -> tuple[IntArray, IntArray]:
        """Return (rounds, mistakes up to each), in enough steps for a picture, but not too many."""
        made, (grid, *_) = self.ledger.mistake_rounds, self.ledger.checkpoints
        steps = np.geomspace(1, max(len(made), 1), _STEPS).astype(np.int64)
        rounds = np.union1d(grid, made[np.unique(steps) - 1] if len(made) else grid)
        return rounds, np.searchsorted(made, rounds, side="right").astype(np.int64)

    def band(self) -> FloatArray | None:
        """Return (round, the most that Σ err(h_s) can be up to there) along the checkpoints."""
        return self.error and np.array([(t, t * value) for t, _, value in self.error.along])


class Shown(TypedDict, total=False):
    """What a report may show besides."""

    remarks: Iterable[str]
    """Sentences that stand near the top."""
    tested: FreshTest | None
    """What ``test`` says of the saved model."""
    best_feature: Stump | None
    """The best rule with a single feature (``best_feature``)."""


def gathered(
    run: object,
    bounds: Iterable[Bound] | None,
    certificate: Certificate | None,
    title: str | None,
    delta: float | ErrorBound | None,
    shown: Shown | None = None,
) -> Facts:
    """Gather what the report shows; refuse what does not belong to this run."""
    more: Shown = shown or {}
    if not isinstance(run, Run) or run.ledger.rounds == 0:
        raise parameter("run", "a Run that has played a round", run)
    if not run.ledger.judges:
        raise parameter(
            "run", "one whose labels are not numbers, because the page shows mistakes", run
        )
    if title is not None and not isinstance(title, str):
        raise parameter("title", "a string or None", title)
    remarks = more.get("remarks", ())
    if isinstance(remarks, str):
        raise parameter("remarks", "a list of sentences", remarks)
    ledger, error = run.ledger, _error(run.ledger, delta)
    baseline = baseline_of(run, more.get("best_feature"))
    assert baseline is not None  # there were rounds
    weights = weights_of(run)
    found, certified = _of_run(ledger, bounds), _about_run(ledger, certificate)
    said, tested = about_baseline(ledger, baseline), _checked_test(more.get("tested"))
    doubts = () if tested is None else tested.remarks
    return Facts(
        ledger=ledger,
        title=title or _in_one_line(ledger, found, certified),
        bounds=found,
        certificate=certified,
        error=error,
        weights=weights[:_CLASSES],
        more_classes=max(0, len(weights) - _CLASSES),
        remarks=as_remarks([*said, *about_run(run, found, error), *remarks, *doubts]),
        checking=None if certified is None else checking(run, certified),
        heading=title or _played(run),
        baseline=baseline,
        tested=tested,
        bins=played_bins(ledger, _DELTA if error is None else error.delta),
        threshold=run.threshold,
    )


def _checked_test(found: object) -> FreshTest | None:
    if found is None or isinstance(found, FreshTest):
        return found
    raise parameter("tested", "what test(run, stream) returns", found)


def _played(run: Run) -> str:
    """Return which learner played what."""
    stream = run.stream
    while isinstance(stream, Wrapped):
        stream = stream.stream
    if not isinstance(stream, FileStream) or not stream.files:
        return f"{run.ledger.learner}, {count(run.ledger.rounds, 'round')}"
    files = [os.path.basename(file) for file in stream.files]
    more = f" and {count(len(files) - 1, 'file')} more" if len(files) > 1 else ""
    return f"{run.ledger.learner} on {files[0]}{more}"


def _error(ledger: Ledger, delta: float | ErrorBound | None) -> ErrorBound | None:
    """Return the bound on the error to come: the one given, or for a δ if the run has one."""
    if delta is None or isinstance(delta, ErrorBound):
        return delta
    with suppress(HypothesisError):
        return error_bound(ledger, delta)
    return None


def _in_one_line(ledger: Ledger, bounds: tuple[Bound, ...], certificate: Certificate | None) -> str:
    known = [(b.theorem, b.value) for b in bounds if b.observed is not None and b.theorem != "run"]
    if certificate is not None and certificate.theorem not in (*ABOUT_MEAN_ERROR, "run"):
        known += [] if certificate.bound is None else [(certificate.theorem, certificate.bound)]
    of_loss = [value for theorem, value in known if named(theorem).of == "loss"]
    if of_loss:
        return f"a loss of {number(ledger.loss)}, {allowed(min(of_loss))} allowed"
    ahead = [value for _, value in known]
    made = count(ledger.mistakes, "mistake")
    abstained = f", {count(ledger.abstentions, 'abstention')}" * bool(ledger.abstentions)
    if not ahead:
        return f"{made} in {count(ledger.rounds, 'round')}{abstained}"
    return f"{made}, {allowed(min(ahead), 4)} allowed{abstained}"


def _of_run(ledger: Ledger, bounds: Iterable[Bound] | None) -> tuple[Bound, ...]:
    try:
        found = tuple(bounds or ())
    except TypeError:
        raise parameter("bounds", "what bounds(run) returns", bounds) from None
    for bound in found:
        if not isinstance(bound, Bound):
            raise parameter("bounds", "what bounds(run) returns", bound)
        named(bound.theorem)
        if bound.observed not in (None, ledger.mistakes, getattr(ledger, "loss", None)):
            expected = f"those of this run, with its {count(ledger.mistakes, 'mistake')}"
            raise parameter("bounds", expected, bound)
    return found


def _about_run(ledger: Ledger, certificate: object) -> Certificate | None:
    if certificate is None:
        return None
    if not isinstance(certificate, Certificate):
        raise parameter("certificate", "a Certificate", certificate, "Load it: Certificate.load.")
    if certificate.theorem in verifier.PREDICTION_CLAIMS:
        raise ParameterError(
            f"certificate: expected that of this run, got {certificate}, which is about "
            "predictions. Pass certify(run)."
        )
    learner, made = certificate.content["learner"], certificate.content["mistakes"]
    digest = certificate.content["data"]["digest"]
    other_data = ledger.digest is not None and ledger.digest != digest
    other_run = made is not None and (
        learner["name"] != ledger.learner or made["rounds"] != transcript(ledger.mistake_rounds)
    )
    if other_data or other_run:
        got = f"{certificate} of other {'data' if other_data else 'rounds'}"
        raise ParameterError(
            f"certificate: expected that of this run, got {got}. Pass certify(run)."
        )
    return certificate
