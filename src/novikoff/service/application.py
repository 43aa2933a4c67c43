"""The application: requests become wishes, and answers come back when they are on the disk.

The four endpoints that carry examples are answered here, straight over ASGI: they are called some
ten thousand times a second. Starlette routes the others (``pages``).
"""

import asyncio
import time
from functools import partial

import msgspec
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from novikoff.errors import NovikoffError
from novikoff.service.certifying_jobs import Jobs
from novikoff.service.endpoints import BODIES
from novikoff.service.http import (
    Gone,
    admitted,
    answer,
    answer_refusal,
    body_of,
    header,
    malformed,
    status_of,
)
from novikoff.service.messages import LearnedMany, PredictedMany, Row, ServedMany
from novikoff.service.metrics import Metrics
from novikoff.service.pages import pages
from novikoff.service.refusals import Refusal, TooLarge
from novikoff.service.replica import Learned, Served
from novikoff.service.service_engine import Engine, Outcome, Wish
from novikoff.service.tokens import Tokens
from novikoff.service.wishes import Answer, Example, Part, Question

_ENCODER = msgspec.json.Encoder()


class WrongMethod(Refusal):
    """405."""

    status = 405


class Application:
    """The service as an ASGI application."""

    def __init__(self, engine: Engine, tokens: Tokens) -> None:
        self.engine, self.tokens = engine, tokens
        self.metrics, self.jobs = Metrics(engine), Jobs(engine)
        self._pages: Starlette = pages(engine, tokens, self.metrics, self.jobs)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path")
        if path not in BODIES or scope["type"] != "http":
            await self._pages(scope, receive, send)
            return
        began, status, examples = time.monotonic(), 200, 0
        try:
            if scope["method"] != "POST":
                raise WrongMethod(where="method", expected="POST", got=scope["method"])
            admitted(scope, self.tokens, "read" if path == "/v1/predict" else "write")
            parts, many = self._read(path, await body_of(scope, receive, self.engine.limits.body))
            examples = len(parts)
            if path == "/v1/predict":
                body = self._predict(parts, many)
            else:
                body = await self._written(_keyed(scope, parts, many), many)
            await answer(send, 200, body)
        except Gone:
            status = 499  # nobody reads the answer
        except NovikoffError as error:
            status, examples = status_of(error), 0
            await answer_refusal(send, error)
        self.metrics.answered(path, status, time.monotonic() - began, examples)

    def _read(self, path: str, body: bytes) -> tuple[list[msgspec.Struct], bool]:
        try:
            parts, many = BODIES[path].read(body)
        except msgspec.DecodeError as error:
            raise malformed(error) from None
        except (UnicodeDecodeError, RecursionError) as error:
            raise malformed(msgspec.DecodeError(str(error))) from None
        if len(parts) > self.engine.limits.batch:
            raise TooLarge(
                where="examples",
                expected=f"at most {self.engine.limits.batch:,}",
                got=f"{len(parts):,}",
                remedy="Send smaller batches.",
            )
        return parts, many

    def _predict(self, parts: list[msgspec.Struct], many: bool) -> bytes:
        rows = [part.features for part in parts if isinstance(part, Row)]
        planner = self.engine.planner
        for row in rows:
            planner.check_size(row)
        found = self.engine.replica.predict(rows)
        return _ENCODER.encode(PredictedMany(found) if many else found[0])

    async def _written(self, parts: list[Part], many: bool) -> bytes:
        """Let the writer do it, and wait until it is on the disk."""
        if not parts:
            return _ENCODER.encode({"examples": []})
        waiting: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.engine.submit(Wish(parts, partial(_settle, waiting)))
        outcome = await waiting
        if isinstance(outcome, NovikoffError):
            raise outcome
        if not many:
            return _ENCODER.encode(outcome[0])
        if isinstance(parts[0], Question):
            return _ENCODER.encode(ServedMany([one for one in outcome if isinstance(one, Served)]))
        return _ENCODER.encode(LearnedMany([one for one in outcome if isinstance(one, Learned)]))


def _settle(waiting: "asyncio.Future[Outcome]", outcome: Outcome) -> None:
    if not waiting.done():  # the client may have gone
        waiting.set_result(outcome)


def _keyed(scope: Scope, parts: list[msgspec.Struct], many: bool) -> list[Part]:
    """Give the examples the key of the request; in a batch, with their numbers."""
    found = [part for part in parts if isinstance(part, (Example, Question, Answer))]
    said = header(scope, b"idempotency-key")
    if said is None:
        return list(found)
    key, keyed = said.decode("latin-1"), list[Part]()
    for place, part in enumerate(found):
        if isinstance(part, Question) or part.key is not None:
            keyed.append(part)
        else:
            own = f"{key}#{place}" if many else key
            keyed.append(msgspec.structs.replace(part, key=own))
    return keyed
