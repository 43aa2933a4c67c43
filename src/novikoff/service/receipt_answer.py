"""The receipt that the service answers: what the run did, and what that allows to say."""

from collections.abc import Mapping

import msgspec

from novikoff.errors import NovikoffError
from novikoff.playing.run import Run
from novikoff.receipts.baselines import baseline_of
from novikoff.receipts.conversion import last_error_bound
from novikoff.receipts.remarks import about_run
from novikoff.service.intake import BadMessage
from novikoff.service.leaders import Lag
from novikoff.service.replica import served_label
from novikoff.service.service_engine import Engine
from novikoff.service.watch import Raised, Watch
from novikoff.streams.log.receipt_links import chained, last_link
from novikoff.streams.log.records import ServedLabel
from novikoff.types import Label

DELTA = 0.05
_SHOWN = 10  # bad messages
_NULL = "the chance of a mistake is never above the mean of the chances before it"


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


class Dropped(msgspec.Struct, frozen=True):
    """The receipt up to where the log begins now; the records before are gone."""

    rounds: int
    mistakes: int
    loss: float | None
    receipt: str
    """The SHA-256 of its line in ``receipts.jsonl``, which chains to the lines before."""


class AlarmsAnswer(msgspec.Struct, frozen=True):
    """Alarms: rounds in which the run erred more often than its own past allows."""

    window: int
    delta: float
    """The probability that any of them is ever false."""
    assumes: str
    """What an alarm refutes."""
    on: bool
    """Whether the last one was less than a window of rounds ago."""
    count: int
    latest: list[Raised]


class Covers(msgspec.Struct, frozen=True):
    """What the log still covers; a certificate can be about these records."""

    first_sequence: int
    """The first record that is still in the log."""
    last_sequence: int
    start_rounds: int
    """How many rounds the model had played when the log began."""
    start: str
    """The digest of the model that the log begins with."""
    before: Dropped | None = None
    """What came before; None if nothing was dropped."""


class SourceReceipt(msgspec.Struct, frozen=True):
    """What became of the messages of a topic."""

    source: str
    offsets: dict[str, int]
    """Of each partition the offset of the message that comes next."""
    learned: int
    bad: int
    repeated: int
    """Messages whose key had been used before."""
    lost: int
    """Messages that the topic no longer had when they should have been read."""
    latest_bad: list[BadMessage]


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
    alarms: AlarmsAnswer | None
    """None if the alarm is off."""
    covers: Covers
    lag: Lag | None = None
    """Of a follower: how far it is behind its leader."""
    sources: list[SourceReceipt] = []
    """The topics that it learned messages of."""


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
            error_bound=error_bound_of(run),
            baseline=_baseline(run),
            remarks=[*about_run(run), *_about_log(engine)],
            features=replica.names,
            asks=_asks(engine),
            alarms=_alarms(replica.watch),
            covers=covers(engine),
            lag=None if engine.leader is None else engine.leader.lag(replica.sequence),
            sources=_sources(engine),
        )


def covers(engine: Engine) -> Covers:
    """Return which records the log still holds, and what it begins with."""
    replica, folder = engine.replica, engine.log.folder
    link, digest = last_link(folder), chained(folder)
    if link is None or digest is None:
        return Covers(1, replica.sequence, replica.begin.rounds, replica.begin.state)
    dropped = Dropped(link.rounds, link.mistakes, link.loss, digest)
    return Covers(link.sequence + 1, replica.sequence, link.rounds, link.model, dropped)


def error_bound_of(run: Run) -> ErrorBoundAnswer | None:
    """Return the bound, if the run is one of first passes over independent rounds."""
    try:
        found = last_error_bound(run.ledger, DELTA)
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


def _sources(engine: Engine) -> list[SourceReceipt]:
    return [
        SourceReceipt(
            source=name,
            offsets={str(partition): one.offsets[partition] for partition in sorted(one.offsets)},
            learned=one.learned,
            bad=one.bad,
            repeated=one.repeated,
            lost=one.lost,
            latest_bad=[*one.latest[-_SHOWN:]],
        )
        for name, one in engine.replica.intake.sources.items()
    ]


def _alarms(watch: Watch) -> AlarmsAnswer | None:
    if watch.alarm is None:
        return None
    test = watch.test
    return AlarmsAnswer(
        test.window, test.delta, _NULL, watch.sounding, watch.count, list(watch.raised)
    )


def _about_log(engine: Engine) -> list[str]:
    """Return remarks on asks that are lost, and on what the log no longer holds."""
    found, counts = list[str](), engine.replica.counts
    if counts.expired:
        found.append(
            f"{counts.expired:,} of {counts.asked:,} asks expired without a label. The error bound "
            "assumes that this does not depend on the label."
        )
    for name, source in engine.replica.intake.sources.items():
        if source.bad or source.lost:
            found.append(
                f"{name}: {source.bad:,} bad messages were passed over, and {source.lost:,} were "
                "gone before they were read. They are not in the figures."
            )
    link = last_link(engine.log.folder)
    if link is not None:
        found.append(
            f"the log begins after record {link.sequence:,}; older ones were dropped. Certificates "
            f"are about the rounds since then, from the model {link.model[:12]}…."
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
