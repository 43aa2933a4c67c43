"""Records: what happened to a run, in order; whoever applies them all has the same run."""

from contextlib import suppress
from typing import Literal, TypeAlias, get_args

import msgspec

from novikoff.errors import InputError
from novikoff.saving.versions import LIBRARY, LOG

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the JSON it was told to expect."""

Value: TypeAlias = bool | float | str
"""The value of a feature: a number, or a text, which is the feature ``name=text``."""
Features: TypeAlias = dict[str, Value]
ServedLabel: TypeAlias = bool | int | float | str
"""A label as JSON has it."""
AskId: TypeAlias = int | str


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Any record. A field that we do not know would be lost, so its record is refused."""


class Begin(Line, frozen=True, tag="begin"):
    """The first record: which run the log belongs to, as it was before any other record."""

    format: int
    """The version of the log."""
    learner: str
    parameters: dict[str, object]
    labels: tuple[ServedLabel, ...]
    rounds: int
    """How many rounds the model had played when the log began."""
    state: str
    """The SHA-256 of the model's file then."""
    time: float


class Learn(Line, frozen=True, tag="learn", omit_defaults=True):
    """A round: features with their label."""

    features: Features
    label: ServedLabel
    weight: float = 1.0
    key: str | None = None
    """The idempotency key: a request with a key that was used before changes nothing."""


class Asked(Line, frozen=True, tag="ask"):
    """A prediction that was served, whose label comes later."""

    id: AskId
    features: Features
    time: float
    """Seconds since 1970, by which the ask expires."""


class Tell(Line, frozen=True, tag="tell", omit_defaults=True):
    """A round whose features were asked before. It repeats them, so a reader needs no ask."""

    id: AskId
    features: Features
    label: ServedLabel
    weight: float = 1.0
    key: str | None = None


class Forget(Line, frozen=True, tag="forget"):
    """Asks that were dropped, because their labels never came (``expired``) or on request."""

    ids: tuple[AskId, ...]
    expired: bool


class Consumed(Line, frozen=True, tag="consumed"):
    """Whose messages the next ``learn`` records are, one record for each message.

    If the log ends before all of them have come, the others were not counted. An empty one ends
    what such a log had announced.
    """

    source: str
    runs: tuple[tuple[int, int, int], ...]
    """(partition, first offset, how many) of messages with consecutive offsets, in order."""


class Passed(Line, frozen=True, tag="pass"):
    """Messages of a source that made no round."""

    source: str
    partition: int
    offset: int
    """The first of them."""
    cause: Literal["bad", "repeated", "lost"]
    """It was refused; its key had been used before; the source no longer has it."""
    text: str
    """Why, in words."""
    count: int = 1


Record: TypeAlias = Begin | Learn | Asked | Tell | Forget | Consumed | Passed

_FIELDS = {kind.__struct_config__.tag: {*kind.__struct_fields__} for kind in get_args(Record)}
"""The fields of each kind of record."""
_LATER = f"A later version wrote it. Update novikoff, which is {LIBRARY} here."
_OTHER = "Read the log with the release that wrote it."
_REASON = 200  # letters of what is wrong with a record

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Record] = msgspec.json.Decoder(
    Begin | Learn | Asked | Tell | Forget | Consumed | Passed
)


def encoded(record: Record) -> bytes:
    """Return a record as JSON; float64 survives it to the last bit."""
    return _ENCODER.encode(record)


def decoded(payload: bytes | memoryview, where: str) -> Record:
    """Return the record of its JSON; ``where`` names it in an error.

    Its checksum was right, so another version wrote it if we cannot read it.
    """
    try:
        found = _DECODER.decode(payload)
    except UNREADABLE as error:
        _refuse_later(payload, where)
        raise InputError(
            where=where,
            expected="a record of this version",
            got=f"another: {reason(error)}",
            remedy=_LATER if _has_more(payload) else _OTHER,
        ) from None
    if type(found) is Begin:
        LOG.check(f"{LOG.name}/{found.format}", where)
    return found


def reason(error: Exception) -> str:
    """Return what is wrong with JSON; the names in it may have any length."""
    return str(error)[:_REASON]


def _has_more(payload: bytes | memoryview) -> bool:
    """Say whether a record is of a kind, or has a field, that this version does not know."""
    with suppress(*UNREADABLE, KeyError):
        found = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
        kind = msgspec.json.decode(found.pop("kind"), type=str)
        return kind not in _FIELDS or not found.keys() <= _FIELDS[kind]
    return False


class _Claim(msgspec.Struct, frozen=True):
    """What a first record of any version says of itself."""

    format: int


def _refuse_later(payload: bytes | memoryview, where: str) -> None:
    with suppress(*UNREADABLE):
        claimed = f"{LOG.name}/{msgspec.json.decode(payload, type=_Claim).format}"
        if LOG.is_later(claimed):
            raise LOG.later(where, claimed)
