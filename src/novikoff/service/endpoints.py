"""Endpoints: what can be asked of the service, by whom, and in which words. One table for all:
dispatch, tests and the OpenAPI page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from novikoff.service.live_figures import LiveFigures
from novikoff.service.messages import (
    Answers,
    Ask,
    Body,
    Certify,
    Examples,
    Health,
    Job,
    LearnedMany,
    PredictedMany,
    Questions,
    Row,
    Rows,
    ServedMany,
    SignIn,
)
from novikoff.service.receipt_answer import Receipt
from novikoff.service.replica import Learned, Predicted, Served
from novikoff.service.tokens import Access
from novikoff.service.wishes import Answer, Example, Question

Message = type[msgspec.Struct]


@dataclass(frozen=True)
class Endpoint:
    """One thing to ask for."""

    method: Literal["GET", "POST"]
    path: str
    access: Access | None
    """The token it needs; None if anybody may ask."""
    text: str
    takes: tuple[Message, ...] = ()
    gives: tuple[Message, ...] = ()
    media: str = "application/json"
    query: tuple[str, ...] = ()
    """Numbers that may follow the path: ``?after=7``."""
    session: bool = False
    """Whether a browser that is signed in needs no token."""
    form: bool = False
    """Whether the body is a form, whose answer sends the browser elsewhere."""


ENDPOINTS = (
    Endpoint("POST", "/v1/learn", "write", "Learn examples with their labels.",
             (Example, Examples), (Learned, LearnedMany)),
    Endpoint("POST", "/v1/ask", "write", "Predict now, and keep the features for their label.",
             (Question, Questions), (Served, ServedMany)),
    Endpoint("POST", "/v1/tell", "write", "Tell the label of an ask; its round is played now.",
             (Answer, Answers), (Learned, LearnedMany)),
    Endpoint("POST", "/v1/predict", "read", "Predict, and leave no trace.",
             (Row, Rows), (Predicted, PredictedMany)),
    Endpoint("GET", "/v1/asks/{id}", "read", "Show a pending ask.", (), (Ask,)),
    Endpoint("GET", "/v1/receipt", "read", "Show the receipt of the run.", (), (Receipt,)),
    Endpoint("POST", "/v1/certify", "write", "Begin to make a certificate of the run.",
             (Certify,), (Job,)),
    Endpoint("GET", "/v1/certify/{id}", "read", "Show how far a certificate is.", (), (Job,)),
    Endpoint("GET", "/v1/certificates/{id}", "read", "Download a certificate."),
    Endpoint("GET", "/v1/certificates/{id}/start", "read",
             "Download the model that the certified run went on from.",
             media="application/octet-stream"),
    Endpoint("GET", "/v1/model", "read", "Download the model; its ETag is its digest.",
             media="application/octet-stream"),
    Endpoint("GET", "/v1/log", "read", "Download records after one, and wait for new ones.",
             media="application/octet-stream", query=("after",)),
    Endpoint("GET", "/v1/snapshot", "read", "Download a snapshot, to begin to follow from.",
             media="application/octet-stream"),
    Endpoint("GET", "/healthz", None, "Say whether the process is there.", (), (Health,)),
    Endpoint("GET", "/readyz", None, "Say whether it takes writes.", (), (Health,)),
    Endpoint("GET", "/metrics", "read", "Show metrics for Prometheus.", media="text/plain"),
    Endpoint("GET", "/openapi.json", "read", "Show this page."),
    Endpoint("GET", "/", None, "Show the live page, or the form to sign in.", media="text/html"),
    Endpoint("GET", "/v1/live", "read", "Show the figures of the live page.", (), (LiveFigures,),
             session=True),
    Endpoint("GET", "/v1/events", "read", "Send these figures once a second, and each alarm.",
             media="text/event-stream", session=True),
    Endpoint("POST", "/session", None, "Sign a browser in.", (SignIn,), form=True),
    Endpoint("POST", "/session/end", None, "Sign a browser out.", form=True),
)  # fmt: skip


@dataclass(frozen=True)
class Bodies:
    """How the body of a request is read: one example, or ``{"examples": […]}``."""

    one: Callable[[bytes], msgspec.Struct]
    many: Callable[[bytes], Body]

    def read(self, body: bytes) -> tuple[list[msgspec.Struct], bool]:
        """Return the examples, and whether they came in a batch."""
        if body.lstrip()[:20].partition(b":")[0].strip(b'{ \t\r\n"') == b"examples":
            return list(self.many(body).examples), True
        return [self.one(body)], False


BODIES = {
    "/v1/learn": Bodies(
        msgspec.json.Decoder(Example).decode, msgspec.json.Decoder(Examples).decode
    ),
    "/v1/ask": Bodies(
        msgspec.json.Decoder(Question).decode, msgspec.json.Decoder(Questions).decode
    ),
    "/v1/tell": Bodies(msgspec.json.Decoder(Answer).decode, msgspec.json.Decoder(Answers).decode),
    "/v1/predict": Bodies(msgspec.json.Decoder(Row).decode, msgspec.json.Decoder(Rows).decode),
}

ACCESS: dict[str, Access] = {
    one.path: one.access for one in ENDPOINTS if one.access is not None and one.path in BODIES
}
"""The token that each of these needs."""
