"""The application: requests become wishes, and answers come back when they are on the disk.

The four endpoints that carry examples are answered here: they are called some ten thousand times a
second. A request comes over ASGI, or whole and at once from ``direct_protocol``. Starlette routes
the others (``pages``).
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from novikoff.errors import NovikoffError
from novikoff.service.certifying_jobs import Jobs
from novikoff.service.endpoints import ACCESS, BODIES
from novikoff.service.http import (
    Hangup,
    Reply,
    Request,
    admitted,
    answer,
    body_of,
    header,
    malformed,
    refused,
)
from novikoff.service.live_stream import Live
from novikoff.service.messages import LearnedMany, PredictedMany, Row, ServedMany
from novikoff.service.metrics import Metrics
from novikoff.service.pages import pages
from novikoff.service.refusals import Refusal, TooLarge
from novikoff.service.replica import Learned, Served
from novikoff.service.service_engine import Engine, Outcome, Wish
from novikoff.service.tokens import Tokens
from novikoff.service.wishes import Answer, Example, Part, Question
from novikoff.streams.log.records import UNREADABLE

_ENCODER = msgspec.json.Encoder()
_NOTHING = Reply(200, b'{"examples":[]}')


class WrongMethod(Refusal):
    """405."""

    status = 405


class Application:
    """The service as an ASGI application."""

    def __init__(self, engine: Engine, tokens: Tokens) -> None:
        self.engine, self.tokens = engine, tokens
        self.metrics, self.jobs = Metrics(engine), Jobs(engine)
        self.live = Live(engine, self.metrics)
        self._pages: Starlette = pages(engine, tokens, self.metrics, self.jobs, self.live)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path")
        if path not in BODIES or scope["type"] != "http":
            with suppress(Hangup):  # nobody reads the answer
                await self._pages(scope, receive, send)
            return
        began = time.monotonic()
        try:
            if scope["method"] != "POST":
                raise WrongMethod(where="method", expected="POST", got=scope["method"])
            admitted(header(scope, b"authorization"), self.tokens, ACCESS[path])
            body = await body_of(scope, receive, self.engine.limits.body)
        except Hangup:
            self.metrics.answered(path, 499, time.monotonic() - began)  # nobody reads the answer
            return
        except NovikoffError as error:
            reply = refused(error)
            self.metrics.answered(path, reply.status, time.monotonic() - began)
        else:
            waiting: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
            self.take(Request(path, body, header(scope, b"idempotency-key")), _settling(waiting))
            reply = await waiting
        await answer(send, reply)

    def take(self, request: Request, done: Callable[[Reply], None]) -> None:
        """Do what a request asks for, which was admitted; have its answer when it is done.

        A prediction is done at once; what is written, when it is on the disk and applied.
        """
        path, began = request.path, time.monotonic()
        examples = 0
        try:
            parts, many = self._read(path, request.body)
            examples = len(parts)
            if path == "/v1/predict":
                reply = Reply(200, self._predict(parts, many))
            elif not parts:
                reply = _NOTHING
            else:
                wished = _keyed(request.key, parts, many)
                finish = partial(self._written, path, began, many, done)
                self.engine.submit(Wish(wished, finish))
                return
        except NovikoffError as error:
            reply, examples = refused(error), 0
        self.metrics.answered(path, reply.status, time.monotonic() - began, examples)
        done(reply)

    def _written(
        self, path: str, began: float, many: bool, done: Callable[[Reply], None], outcome: Outcome
    ) -> None:
        """Answer what was written, or why it was not."""
        if isinstance(outcome, NovikoffError):
            reply, examples = refused(outcome), 0
        else:
            reply, examples = Reply(200, _encoded(outcome, many)), len(outcome)
        self.metrics.answered(path, reply.status, time.monotonic() - began, examples)
        done(reply)

    def _read(self, path: str, body: bytes) -> tuple[list[msgspec.Struct], bool]:
        try:
            parts, many = BODIES[path].read(body)
        except UNREADABLE as error:
            raise malformed(error) from None
        if len(parts) > self.engine.limits.batch:
            raise TooLarge(
                where="examples",
                expected=f"at most {self.engine.limits.batch:,}",
                got=f"{len(parts):,}",
                remedy="Send smaller batches.",
            )
        return parts, many

    def _predict(self, parts: list[msgspec.Struct], many: bool) -> bytes:
        checks = self.engine.planner.rows
        given = [part.features for part in parts if isinstance(part, Row)]
        checks.check_texts(given)
        rows = [checks.read(row) for row in given]
        for row in rows:
            checks.check_size(row)
        found = self.engine.replica.predict(rows)
        return _ENCODER.encode(PredictedMany(found) if many else found[0])


def _encoded(outcome: Outcome, many: bool) -> bytes:
    """Return the answers to a wish as JSON."""
    assert isinstance(outcome, list)
    if not many:
        return _ENCODER.encode(outcome[0])
    if isinstance(outcome[0], Served):
        return _ENCODER.encode(ServedMany([one for one in outcome if isinstance(one, Served)]))
    return _ENCODER.encode(LearnedMany([one for one in outcome if isinstance(one, Learned)]))


def _settling(waiting: "asyncio.Future[Reply]") -> Callable[[Reply], None]:
    def settle(reply: Reply) -> None:
        if not waiting.done():  # the client may have gone
            waiting.set_result(reply)

    return settle


def _keyed(said: bytes | None, parts: list[msgspec.Struct], many: bool) -> list[Part]:
    """Give the examples the key of the request; in a batch, with their numbers."""
    found: list[Part] = [part for part in parts if isinstance(part, (Example, Question, Answer))]
    if said is None:
        return found
    key, keyed = said.decode("latin-1"), list[Part]()
    for place, part in enumerate(found):
        if not isinstance(part, (Example, Answer)) or part.key is not None:
            keyed.append(part)
        else:
            own = f"{key}#{place}" if many else key
            keyed.append(msgspec.structs.replace(part, key=own))
    return keyed
