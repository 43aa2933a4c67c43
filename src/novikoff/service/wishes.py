"""Wishes: what clients ask the writer to do, and the records that would do it.

A wish is planned against the replica before anything is written. If any part of it is refused,
all of it is, and nothing has changed. What is written can then be applied.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from novikoff.errors import NovikoffError
from novikoff.service.limits import Limits
from novikoff.service.refusals import Conflict, Refusal, TooLarge, TooMany, Unknown
from novikoff.service.replica import Learned, Replica, check_of
from novikoff.service.row_checks import RowChecks
from novikoff.streams.log.records import (
    Asked,
    AskId,
    Consumed,
    Features,
    Forget,
    Learn,
    Passed,
    Record,
    ServedLabel,
    Tell,
)


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Features with their label."""

    features: Features
    label: ServedLabel
    weight: float = 1.0
    key: str | None = None
    """An idempotency key: however often the example is sent, it counts once."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Features whose label comes later, with an id of the client's choice, if any."""

    features: Features
    id: AskId | None = None


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The label of an ask."""

    id: AskId
    label: ServedLabel
    weight: float = 1.0
    key: str | None = None


class Dropped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An ask whose label never comes."""

    id: AskId
    expired: bool = False


_WITH_ROWS = (Example, Question)


class Message(msgspec.Struct, frozen=True):
    """A message of a source: an example, or why it is none."""

    partition: int
    offset: int
    content: Example | NovikoffError


class Messages(msgspec.Struct, frozen=True):
    """Messages of a source, in the order in which they came. Some or all of them are planned."""

    source: str
    messages: list[Message]
    skip_bad: bool
    """Whether bad ones are passed over; if not, the first one is refused."""


Part: TypeAlias = Example | Question | Answer | Dropped | Messages | Passed
Planned: TypeAlias = Record | Learned
"""A record to write, or the answer that an idempotency key already has."""


class Rejected(Refusal):
    """A bad message, where none may be passed over."""


class Again(Exception):  # noqa: N818 — no error
    """A wish about an id or a key that the group already has: it is planned after the group."""


@dataclass
class Group:
    """The records that are written with one sync, and what they are about."""

    records: list[Record] = field(default_factory=list)
    ids: set[AskId] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    last_id: int = 0
    asks: int = 0
    names: int = 0
    """At most so many names are new."""
    sources: set[str] = field(default_factory=set)


class Planner:
    """Checks wishes against a replica and turns them into records."""

    def __init__(self, replica: Replica, limits: Limits) -> None:
        self._replica, self._limits = replica, limits
        self.rows = RowChecks(replica, limits)
        self._labels = frozenset(replica.begin.labels)
        self._kinds = {type(label) for label in replica.begin.labels}

        self._weighs = bool(replica.run.class_weights)
        most = replica.run.max_weight
        self.weights = (1e-6, 1e6 if most is None else most)
        """The least and the largest weight; 0 is allowed too if they differ."""
        if most is None and replica.scales_loss:
            self.weights = (1.0, 1.0)

    def plan(self, parts: list[Part], group: Group, now: float) -> list[Planned]:
        """Return what each part becomes; add its ids and keys to the group."""
        if self._replica.run.texts is not None:
            parts = self._read(parts)
        first = parts[0]
        if len(parts) == 1 and type(first) is Example and first.key is None:
            learned = self._learned(first)  # most wishes: of no id and no key
            self._check_names(parts, group)
            return [learned]
        if isinstance(first, Messages):
            return self._consumed(first, group)
        mine = Group(last_id=group.last_id, asks=group.asks)
        found: list[Planned] = []
        for place, part in enumerate(parts):
            try:
                found.append(self._planned(part, group, mine, now))
            except NovikoffError as error:
                raise _placed(error, place, parts) from None
        self._check_names(parts, group)
        group.ids |= mine.ids
        group.keys |= mine.keys
        group.last_id, group.asks = mine.last_id, mine.asks
        return found

    def _read(self, parts: list[Part]) -> list[Part]:
        """Return the same parts with words for the texts that they hold."""
        self.rows.check_texts(part.features for part in parts if isinstance(part, _WITH_ROWS))
        found = [*parts]
        for place, part in enumerate(parts):
            if isinstance(part, _WITH_ROWS):
                try:
                    found[place] = replace(part, features=self.rows.read(part.features))
                except NovikoffError as error:
                    raise _placed(error, place, parts) from None
        return found

    def _check_names(self, parts: list[Part], group: Group) -> None:
        """Refuse rounds with more new names than the model may come to know.

        Far from the limit the sizes of the rows are enough to know that they fit.
        """
        rows = [
            part.features if type(part) is Example else self._waiting_row(part) for part in parts
        ]
        size, known = sum(map(len, rows)), self._replica.names
        if known + group.names + size > self.rows.most_names:
            if group.names:
                raise Again  # which of its names are new is clear when it was applied
            new = len(set[str]().union(*map(self.rows.new_names, rows)))
            if new and known + new > self.rows.most_names:
                raise TooLarge(
                    where="features",
                    expected=f"at most {self.rows.most_names:,} names in all",
                    got=f"{new:,} new ones after {known:,}",
                    remedy="Hash the names, or serve a model with a higher limit.",
                )
        group.names += size

    def _waiting_row(self, part: Part) -> Features:
        """Return the features that a told label would have the run learn."""
        waiting = self._replica.waiting.get(part.id) if isinstance(part, Answer) else None
        return {} if waiting is None else waiting.asked.features

    def _planned(self, part: Part, group: Group, mine: Group, now: float) -> Planned:
        if isinstance(part, Example):
            if part.key is not None:
                record = Learn(part.features, part.label, part.weight, part.key)
                known = self._known(record, group, mine)
                if known is not None:
                    return known
            return self._learned(part)
        if isinstance(part, Answer):
            return self._told(part, group, mine)
        if isinstance(part, Question):
            return self._asked(part, group, mine, now)
        if isinstance(part, Passed):
            return self._lost(part, group)
        assert isinstance(part, Dropped)
        self._waiting(part.id, group, mine)
        return Forget((part.id,), part.expired)

    def _learned(self, part: Example) -> Learn:
        """Return the record of an example that the run can learn."""
        self._check_label(part.label)
        self._check_weight(part.weight)
        self.rows.check(part.features)
        self._check_scaled(part.features, part)
        return Learn(part.features, part.label, part.weight, part.key)

    def _consumed(self, part: Messages, group: Group) -> list[Planned]:
        """Return the records of messages that were not counted before.

        It goes as far as it can: the others are planned when these are applied.
        """
        if part.source in group.sources:
            raise Again
        group.sources.add(part.source)
        found, mine = list[tuple[Message, Learn | Passed]](), Group()
        offsets = self._replica.intake.offsets(part.source)
        for one in part.messages:
            if one.offset < offsets.get(one.partition, 0):
                continue
            try:
                record = self._of_message(part.source, one, group, mine)
            except Again:
                if found:
                    break
                raise
            except NovikoffError as error:
                if not part.skip_bad:
                    if found:
                        break
                    where = f"{part.source}, partition {one.partition}, offset {one.offset}"
                    raise Rejected(f"{where}: {error}") from None
                record = _passed(part.source, one, "bad", str(error))
            offsets[one.partition] = one.offset + 1
            found.append((one, record))
        group.keys |= mine.keys
        return announced(part.source, found)

    def _lost(self, part: Passed, group: Group) -> Passed:
        if part.source in group.sources:
            raise Again
        group.sources.add(part.source)
        before = self._replica.intake.offsets(part.source).get(part.partition, 0)
        if part.offset != before:
            raise Conflict(
                where="offset", expected=f"{before}, which comes next", got=str(part.offset)
            )
        return part

    def _of_message(self, source: str, one: Message, group: Group, mine: Group) -> Learn | Passed:
        """Return the record of a message; whatever is wrong with it is an error."""
        example = one.content
        if isinstance(example, NovikoffError):
            raise example
        if self._replica.run.texts is not None:
            self.rows.check_texts([example.features])
            example = replace(example, features=self.rows.read(example.features))
        if example.key in mine.keys:
            raise Again
        record = Learn(example.features, example.label, example.weight, example.key)
        if self._known(record, group, mine) is not None:
            return _passed(source, one, "repeated", f"key {example.key!r} was used before")
        self._learned(example)
        self._check_names([example], group)
        return record

    def _asked(self, part: Question, group: Group, mine: Group, now: float) -> Asked:
        mine.asks += 1
        if len(self._replica.waiting) + mine.asks > self._limits.pending:
            raise TooMany(
                where="asks",
                expected=f"at most {self._limits.pending:,} without a label",
                got="one more",
                remedy="Tell labels or forget asks first.",
            )
        id = part.id
        self.rows.check_id(id)
        if id is None:
            id = max(mine.last_id, self._replica.counts.last_id) + 1
        elif id in group.ids:
            raise Again
        elif id in self._replica.waiting or id in mine.ids:
            raise Conflict(
                where="id",
                expected="an id that no pending ask has",
                got=repr(id),
                remedy="Tell its label or forget it first, or leave the id to the service.",
            )
        if isinstance(id, int):
            mine.last_id = max(mine.last_id, id)
        mine.ids.add(id)
        self.rows.check(part.features)
        return Asked(id, part.features, now)

    def _told(self, part: Answer, group: Group, mine: Group) -> Planned:
        self._check_label(part.label)
        blank = Tell(part.id, {}, part.label, part.weight, part.key)
        known = self._known(blank, group, mine)
        if known is not None:
            return known
        self._check_weight(part.weight)
        waiting = self._waiting(part.id, group, mine)
        self._check_scaled(waiting, part)
        return Tell(part.id, waiting, part.label, part.weight, part.key)

    def _waiting(self, id: AskId, group: Group, mine: Group) -> Features:
        """Return the features of a pending ask, which nothing else may end now."""
        if id in group.ids:
            raise Again
        found = self._replica.waiting.get(id)
        if found is None or id in mine.ids:
            raise Unknown(
                where="id",
                expected="the id of a pending ask",
                got=f"{id!r}, which was never asked, or was told, forgotten or expired before",
                remedy="Ask again.",
            )
        mine.ids.add(id)
        return found.asked.features

    def _known(self, record: Learn | Tell, group: Group, mine: Group) -> Learned | None:
        """Return the answer that a key already has."""
        key = record.key
        if key is None:
            return None
        if key in group.keys:
            raise Again
        kept = self._replica.keys.get(key)
        if key in mine.keys or (kept is not None and kept.check != check_of(record)):
            raise Conflict(
                where="key",
                expected="a new key for a new example",
                got=f"{key!r}, which another one has",
                remedy="Repeat a key only with the request that had it first.",
            )
        if kept is None:
            self.rows.check_key(key)
            mine.keys.add(key)
            return None
        return kept.answer

    def _check_scaled(self, row: Features, part: Example | Answer) -> None:
        if part.weight != 1.0 or self._weighs:
            self.rows.check_scaled(row, part.label, part.weight)

    def _check_label(self, label: ServedLabel) -> None:
        if label not in self._labels or type(label) not in self._kinds:
            shown = ", ".join(map(repr, self._replica.begin.labels[:10]))
            raise Refusal(
                where="label",
                expected=f"one of the labels {shown}",
                got=repr(label),
                remedy="A running service takes no new labels.",
            )

    def _check_weight(self, weight: float) -> None:
        low, high = self.weights
        if not (low <= weight <= high or (weight == 0 and low < high)):
            raise Refusal(
                where="weight",
                expected="1" if low == high else f"0 or a number from {low:g} to {high:g}",
                got=repr(weight),
                remedy="Learners for losses take weights up to the max_weight of their run.",
            )


def _placed(error: NovikoffError, place: int, parts: list[Part]) -> NovikoffError:
    """Return an error that says which of many parts it is about."""
    if len(parts) == 1:
        return error
    where = error.where or str(error).partition(":")[0]
    return error.moved(f"examples[{place}].{where}")


def _passed(source: str, one: Message, cause: Literal["bad", "repeated"], text: str) -> Passed:
    return Passed(source, one.partition, one.offset, cause, text[:500])


def announced(source: str, found: list[tuple[Message, Learn | Passed]]) -> list[Planned]:
    """Return records of messages, with an announcement before those that are rounds."""
    records: list[Planned] = []
    for rounds, some in groupby(found, lambda one: isinstance(one[1], Learn)):
        group = list(some)
        if rounds:
            records.append(Consumed(source, _runs(message for message, _ in group)))
        records += [record for _, record in group]
    return records


def _runs(messages: Iterable[Message]) -> tuple[tuple[int, int, int], ...]:
    """Return (partition, first offset, how many) of messages with consecutive offsets."""
    runs: list[tuple[int, int, int]] = []
    for one in messages:
        partition, first, count = runs[-1] if runs else (-1, 0, 0)
        if (one.partition, one.offset) == (partition, first + count):
            runs[-1] = (partition, first, count + 1)
        else:
            runs.append((one.partition, one.offset, 1))
    return tuple(runs)
