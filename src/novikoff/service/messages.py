"""Messages: the JSON that the service takes and gives. The OpenAPI page is made of these types."""

from typing import TypeAlias

import msgspec

from novikoff.service.leaders import Lag
from novikoff.service.replica import Learned, Predicted, Served
from novikoff.service.source_status import SourceAnswer
from novikoff.service.wishes import Answer, Example, Question
from novikoff.streams.log.records import AskId, Features, ServedLabel


class Examples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many examples; all of them are learned, or none."""

    examples: list[Example]


class Questions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many questions; all of them are asked, or none."""

    examples: list[Question]


class Answers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many labels; all of them are told, or none."""

    examples: list[Answer]


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Features to predict the label of."""

    features: Features


class Rows(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many rows; one state of the run predicts them all."""

    examples: list[Row]


class LearnedMany(msgspec.Struct, frozen=True):
    """What each round did, in order."""

    examples: list[Learned]


class ServedMany(msgspec.Struct, frozen=True):
    """What was served for each ask, in order."""

    examples: list[Served]


class PredictedMany(msgspec.Struct, frozen=True):
    """What the run predicts for each row, in order."""

    examples: list[Predicted]


class Ask(msgspec.Struct, frozen=True):
    """A pending ask: what was served, and when."""

    id: AskId
    features: Features
    prediction: ServedLabel | None
    probability: float | dict[str, float] | None
    time: float


class Certify(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wish for a certificate, of a theorem or of the smallest bound."""

    theorem: str | None = None


class SignIn(msgspec.Struct, frozen=True):
    """The form by which a browser signs in."""

    token: str


class Job(msgspec.Struct, frozen=True):
    """A certificate that is being made."""

    id: int
    state: str
    """``running``, ``done`` or ``failed``."""
    rounds: int
    """How many rounds it is about."""
    seconds: float
    """How long it has taken so far."""
    certificate: str | None = None
    """Where to get it, when it is done."""
    start: str | None = None
    """Where to get the model that the run went on from; None if it began anew."""
    model: str | None = None
    """The digest of the model that it is about."""
    error: str | None = None


class Problem(msgspec.Struct, frozen=True):
    """Why a request was refused. It has changed nothing."""

    error: str
    """The whole sentence."""
    where: str
    expected: str
    got: str


class Health(msgspec.Struct, frozen=True):
    """Whether the service is there."""

    status: str
    reason: str | None = None
    lag: Lag | None = None
    """Of a follower: how far it is behind its leader."""
    source: SourceAnswer | None = None
    """Of a service that reads messages: whether they come."""


Body: TypeAlias = Examples | Questions | Answers | Rows
