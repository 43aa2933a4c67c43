"""The replica: a run and all else that the log determines. Equal logs make equal replicas."""

from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

import msgspec

from novikoff import _core
from novikoff.errors import InputError, NovikoffError
from novikoff.learners.protocols import is_probable, scales_loss
from novikoff.playing.run import Run
from novikoff.service.intake import Intake
from novikoff.service.watch import Watch
from novikoff.streams.log.records import (
    Asked,
    AskId,
    Begin,
    Consumed,
    Features,
    Forget,
    Learn,
    Passed,
    Record,
    ServedLabel,
    Tell,
)
from novikoff.types import Label


class Learned(msgspec.Struct, frozen=True):
    """What one round did: the answer to ``learn`` and ``tell``."""

    round: int
    prediction: ServedLabel | None
    """What the learner predicted before it saw the label."""


class KeptLearned(Learned, frozen=True, forbid_unknown_fields=True):
    """The same, as a snapshot keeps it: another field would be lost there, so it is refused."""


class Predicted(msgspec.Struct, frozen=True):
    """What the run predicts now: the answer to ``predict``."""

    prediction: ServedLabel | None
    probability: float | dict[str, float] | None


class Served(msgspec.Struct, frozen=True):
    """What was served for an ask: the answer to ``ask``."""

    id: AskId
    prediction: ServedLabel | None
    probability: float | dict[str, float] | None
    """That of the positive label; with many classes, of each label."""


class KeptServed(Served, frozen=True, forbid_unknown_fields=True):
    """The same, as a snapshot keeps it."""


class Waiting(NamedTuple):
    """An ask that waits for its label."""

    asked: Asked
    served: KeptServed


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is remembered of a request with an idempotency key."""

    check: int
    """The CRC-32C of the request, so that another one with the same key is found out."""
    answer: KeptLearned


class Counts(msgspec.Struct, forbid_unknown_fields=True):
    """What happened so far, besides what the ledger counts."""

    asked: int = 0
    told: int = 0
    expired: int = 0
    forgotten: int = 0
    refused: int = 0
    """Records that the learner refused although nothing seemed to be wrong with them."""
    last_id: int = 0
    time: float = 0.0
    """The latest time of any record."""


Applied = Learned | Served | NovikoffError | None
"""What a record did, or why the learner refused it."""


class Replica:
    """A run with its asks, keys and counts; ``apply`` is the only way to change them.

    The writer thread holds ``lock`` while it applies one record, and a reader while it predicts.
    Readers therefore see whole rounds, all of them durable, and wait at most for one.
    """

    def __init__(self, run: Run, begin: Begin, keys: int) -> None:
        self.run, self.begin, self.lock = run, begin, Lock()
        self.sequence = 0
        self.waiting: dict[AskId, Waiting] = {}
        self.keys: dict[str, Kept] = {}
        self.counts = Counts()
        self.intake = Intake()
        """How far the sources of messages were read."""
        self._most_keys = keys
        self.probable = is_probable(run.learner)
        """Whether the learner gives probabilities."""
        self.scales_loss = scales_loss(run.learner)
        """Whether weights need a largest one, declared before the first round."""
        features = getattr(run.learner, "features", None)
        self.features = features if isinstance(features, _core.Features) else None
        """The names that the model knows, if it has names."""
        self.watch = Watch(run, self.features)
        """What the live page and the alarm need of the rounds."""

    def apply(self, sequence: int, record: Record) -> Applied:
        """Do what a record says."""
        with self.lock:
            self.sequence = sequence
            if type(record) is Learn:
                return self._learn(record)
            if type(record) is Asked:
                return self._ask(record)
            if type(record) is Tell:
                return self._tell(record)
            if type(record) is Forget:
                self._forget(record)
            elif type(record) is Consumed:
                self.intake.announce(record)
            elif type(record) is Passed:
                self.intake.skip(record)
            else:
                assert isinstance(record, Begin)
                self._check(record)
            return None

    def _learn(self, record: Learn) -> Learned | NovikoffError:
        run = self.run
        if self.intake.announced:
            self.intake.count()
        try:
            if record.weight == 1.0:
                found: Label | None = run.learn(record.features, record.label)
            else:
                found = run.learn(record.features, record.label, record.weight)
        except NovikoffError as error:
            self.counts.refused += 1
            return error
        return self._answered(record, found)

    def _tell(self, record: Tell) -> Learned | NovikoffError:
        waiting = self.waiting.pop(record.id)
        try:
            found = self.run.tell(waiting.asked.id, record.label, record.weight)
        except NovikoffError as error:
            self.waiting[record.id] = waiting
            self.counts.refused += 1
            return error
        self.counts.told += 1
        return self._answered(record, found)

    def _answered(self, record: Learn | Tell, prediction: Label | None) -> Learned:
        answer = KeptLearned(self.run.ledger.rounds, served_label(prediction))
        self.watch.played(record.features, record.label, answer.prediction)
        if record.key is not None:
            self.keys[record.key] = Kept(check_of(record), answer)
            if len(self.keys) > self._most_keys:
                del self.keys[next(iter(self.keys))]
        return answer

    def _ask(self, record: Asked) -> Served:
        ask = self.run.ask(record.features, record.id)
        label, chance = served_label(ask.prediction), served_chance(ask.probability)
        served = KeptServed(record.id, label, chance)
        self.waiting[record.id] = Waiting(record, served)
        self.counts.asked += 1
        self.counts.time = max(self.counts.time, record.time)
        if isinstance(record.id, int):
            self.counts.last_id = max(self.counts.last_id, record.id)
        return served

    def _forget(self, record: Forget) -> None:
        for id in record.ids:
            del self.waiting[id]
            self.run.forget(id)
        if record.expired:
            self.counts.expired += len(record.ids)
        else:
            self.counts.forgotten += len(record.ids)

    def _check(self, record: Begin) -> None:
        """Refuse a log that began with another model."""
        if record.state != self.begin.state:
            raise InputError(
                f"log: expected one that began with the model {self.begin.state[:12]}…, got one "
                f"that began with {record.state[:12]}…. Name the model that the log began with."
            )

    def predict(self, rows: list[Features]) -> list[Predicted]:
        """Predict each row, all by the same state of the run, and change nothing."""
        run, probable, found = self.run, self.probable, []
        with self.lock:
            for place, row in enumerate(rows):
                try:
                    label = served_label(run.predict_one(row))
                except NovikoffError as error:
                    where = f"examples[{place}].features" if len(rows) > 1 else "features"
                    raise error.moved(where) from None
                chance = served_chance(run.probability(row)) if probable else None
                found.append(Predicted(label, chance))
        return found

    def close(self) -> None:
        """Let go of the run, of which nothing may be left in the core when the process ends."""
        del self.run, self.watch
        self.features = None

    @property
    def names(self) -> int:
        """How many features the model knows."""
        return 0 if self.features is None else len(self.features)


def check_of(record: Learn | Tell) -> int:
    """Return the checksum by which a repeated request is told from another one."""
    import google_crc32c

    said = (record.label, record.weight, record.features)
    about = said if isinstance(record, Learn) else (*said[:2], record.id)
    found: int = google_crc32c.value(msgspec.json.encode(about))
    return found


def served_label(label: Label | None) -> ServedLabel | None:
    """Return a label as JSON has it."""
    if label is None or isinstance(label, (bool, int, float, str)):
        return label
    raise InputError(f"labels: expected numbers, strings or bools to serve, got {label!r}.")


def served_chance(
    chance: float | Mapping[Label, float] | None,
) -> float | dict[str, float] | None:
    """Return a probability as JSON has it: members of an object have texts for names."""
    if isinstance(chance, Mapping):
        return {str(label): p for label, p in chance.items()}
    return chance
