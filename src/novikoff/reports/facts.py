"""What a report says, from a run's ledger, bounds and certificate, without reading data."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from novikoff.errors import HypothesisError, InputError, ParameterError, parameter
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, transcript
from novikoff.receipts.conversion import ErrorBound, error_bound
from novikoff.receipts.remarks import about_run, as_remarks
from novikoff.reports.checking import Checking, checking
from novikoff.reports.page_words import allowed, count, number
from novikoff.theory import Bound, named
from novikoff.types import FloatArray, IntArray, Label

_FEATURES, _CLASSES, _FEATURES_OF_CLASS = 16, 12, 5
_LINES = 8  # bounds in one picture
_STEPS = 200  # points of the curve, besides the checkpoints


@dataclass(frozen=True)
class Weights:
    """The features that weigh most, in a halfspace or in one class."""

    label: Label | None  # the class; None for a halfspace
    features: list[tuple[str | int, float]]
    constant: float | None


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


def gathered(
    run: object,
    bounds: Iterable[Bound] | None,
    certificate: Certificate | None,
    title: str | None,
    delta: float | ErrorBound | None,
    remarks: Iterable[str] = (),
) -> Facts:
    """Gather what the report shows; refuse what does not belong to this run."""
    if not isinstance(run, Run) or run.ledger.rounds == 0:
        raise parameter("run", "a Run that has played a round", run)
    if not run.ledger.judges:
        raise parameter(
            "run", "one whose labels are not numbers, because the page shows mistakes", run
        )
    if title is not None and not isinstance(title, str):
        raise parameter("title", "a string or None", title)
    if isinstance(remarks, str):
        raise parameter("remarks", "a list of sentences", remarks)
    ledger, error = run.ledger, _error(run.ledger, delta)
    weights = _weights(run)
    shown, more = weights[:_CLASSES], max(0, len(weights) - _CLASSES)
    found, certified = _of_run(ledger, bounds), _about_run(ledger, certificate)
    title = title or _in_one_line(ledger, found, certified)
    remarked = as_remarks([*about_run(run, found, error), *remarks])
    how = None if certified is None else checking(run, certified)
    return Facts(ledger, title, found, certified, error, shown, more, remarked, how)


def _error(ledger: Ledger, delta: float | ErrorBound | None) -> ErrorBound | None:
    """Return the bound on the error to come: the one given, or for a δ if the run has one."""
    if delta is None or isinstance(delta, ErrorBound):
        return delta
    with suppress(HypothesisError):
        return error_bound(ledger, delta)
    return None


def _in_one_line(ledger: Ledger, bounds: tuple[Bound, ...], certificate: Certificate | None) -> str:
    known = [(b.theorem, b.value) for b in bounds if b.observed is not None and b.theorem != "run"]
    if certificate is not None and certificate.theorem not in ("progressive", "run"):
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


def _weights(run: Run) -> tuple[Weights, ...]:
    """Return the features that weigh most in the hypothesis; nothing if it has no weights."""
    try:
        h = run.hypothesis()
    except (ParameterError, InputError):  # a foreign learner, or one without a class yet
        return ()
    if isinstance(h, Multiclass):
        constants = [None if h.bias is None else float(w) for w in h.bias_weights]
        top = h.top(_FEATURES_OF_CLASS).items()
        found = [Weights(*item, w) for item, w in zip(top, constants, strict=True)]
    elif isinstance(h, Halfspace):
        found = [Weights(None, h.top(_FEATURES), None if h.bias is None else h.bias_weight)]
    else:
        found = []
    return tuple(weights for weights in found if weights.features)
