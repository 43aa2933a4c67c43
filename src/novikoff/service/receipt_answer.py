"""The receipt that the service answers: what the run did, and what that allows to say."""

from collections.abc import Mapping

import msgspec

from novikoff.errors import NovikoffError
from novikoff.playing.run import Run
from novikoff.receipts.baselines import baseline_of
from novikoff.receipts.conversion import error_bound
from novikoff.receipts.remarks import about_run
from novikoff.service.replica import served_label
from novikoff.service.service_engine import Engine
from novikoff.streams.log.records import ServedLabel
from novikoff.types import Label

DELTA = 0.05


class ErrorBoundAnswer(msgspec.Struct, frozen=True):
    """A bound on the error to come; it fails with probability ``delta``."""

    value: float
    delta: float
    assumes: tuple[str, ...]


class BaselineAnswer(msgspec.Struct, frozen=True):
    """What one gets without learning: the majority label, the entropy of the labels."""

    label: ServedLabel
    error_rate: float
    mean_loss: float | None


class AsksAnswer(msgspec.Struct, frozen=True):
    """What became of the asks."""

    asked: int
    pending: int
    told: int
    expired: int
    forgotten: int
    served_mistakes: int | None
    served_loss: float | None


class Covers(msgspec.Struct, frozen=True):
    """What the log still covers."""

    first_sequence: int
    """The first record that is still in the log."""
    last_sequence: int
    start_rounds: int
    """How many rounds the model had played when the log began."""
    start: str
    """The digest of the model that the log began with."""


class Receipt(msgspec.Struct, frozen=True):
    """The ledger of the run, with its error bound, baseline and remarks."""

    rounds: int
    mistakes: int
    error_rate: float
    loss: float | None
    mean_loss: float | None
    learner: str
    labels: tuple[ServedLabel, ...]
    mistakes_by_label: dict[str, int]
    rounds_by_label: dict[str, int]
    error_bound: ErrorBoundAnswer | None
    baseline: BaselineAnswer | None
    remarks: list[str]
    features: int
    asks: AsksAnswer
    covers: Covers


def receipt_of(engine: Engine) -> Receipt:
    """Return the receipt of the run as it is now."""
    replica = engine.replica
    with replica.lock:
        run = replica.run
        ledger = run.ledger
        return Receipt(
            rounds=ledger.rounds,
            mistakes=ledger.mistakes,
            error_rate=ledger.error_rate if ledger.rounds else 0.0,
            loss=getattr(ledger, "loss", None),
            mean_loss=getattr(ledger, "mean_loss", None) if ledger.rounds else None,
            learner=ledger.learner,
            labels=replica.begin.labels,
            mistakes_by_label=_by_name(ledger.mistakes_by_label),
            rounds_by_label=_by_name(ledger.rounds_by_label),
            error_bound=_error_bound(run),
            baseline=_baseline(run),
            remarks=[*about_run(run), *_about_log(engine)],
            features=replica.names,
            asks=_asks(engine),
            covers=Covers(
                engine.log.first, replica.sequence, replica.begin.rounds, replica.begin.state
            ),
        )


def _error_bound(run: Run) -> ErrorBoundAnswer | None:
    """Return the bound, if the run is one of first passes over independent rounds."""
    try:
        found = error_bound(run.ledger, DELTA)
    except NovikoffError:
        return None
    return ErrorBoundAnswer(found.value, found.delta, tuple(found.assumes))


def _asks(engine: Engine) -> AsksAnswer:
    counts, ledger = engine.replica.counts, engine.replica.run.ledger
    return AsksAnswer(
        asked=counts.asked,
        pending=len(engine.replica.waiting),
        told=counts.told,
        expired=counts.expired,
        forgotten=counts.forgotten,
        served_mistakes=getattr(ledger, "served_mistakes", None),
        served_loss=getattr(ledger, "served_loss", None),
    )


def _about_log(engine: Engine) -> list[str]:
    """Return remarks on asks that are lost, and on what the log no longer holds."""
    found, counts, first = [], engine.replica.counts, engine.log.first
    if counts.expired:
        found.append(
            f"{counts.expired:,} of {counts.asked:,} asks expired without a label. The error bound "
            "assumes that this does not depend on the label."
        )
    if first > 1:
        found.append(
            f"the log begins with record {first:,}; older ones were dropped. Certificates are "
            "about the rounds since a snapshot, and chain to the ones before."
        )
    return found


def _by_name(counts: Mapping[Label, int]) -> dict[str, int]:
    """Return counts by label, as JSON has them."""
    return {str(label): count for label, count in counts.items()}


def _baseline(run: Run) -> BaselineAnswer | None:
    found = baseline_of(run)
    label = None if found is None else served_label(found.label)
    if found is None or label is None:
        return None
    return BaselineAnswer(label, found.error_rate, found.mean_loss)
