"""Pages: the endpoints that are asked for now and then, routed by Starlette."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import unquote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from novikoff.errors import NovikoffError
from novikoff.saving.storage import digest_of
from novikoff.service import schema_page
from novikoff.service.certifying_jobs import Jobs
from novikoff.service.endpoints import ENDPOINTS, Endpoint
from novikoff.service.http import admitted, body_of, header, malformed, problem_of, status_of
from novikoff.service.leaders import STALE
from novikoff.service.live_handlers import LiveHandlers
from novikoff.service.live_stream import Live
from novikoff.service.log_tail import LONGEST_WAIT, LogTail, tail
from novikoff.service.messages import Ask, Certify, Health, Problem
from novikoff.service.metrics import Metrics
from novikoff.service.receipt_answer import Receipt, receipt_of
from novikoff.service.refusals import Conflict, Refusal, Unknown
from novikoff.service.replica_snapshots import packed_snapshot
from novikoff.service.service_engine import Engine
from novikoff.service.sessions import Sessions
from novikoff.service.source_status import SourceStatus
from novikoff.service.tokens import Tokens
from novikoff.streams.log.records import UNREADABLE
from novikoff.streams.log.snapshot_files import model_path

_FRESH = 1.0  # seconds for which a receipt or a snapshot is not made again
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


def pages(engine: Engine, tokens: Tokens, metrics: Metrics, jobs: Jobs, live: Live) -> Starlette:
    """Return the application of these endpoints."""
    found, browser = Pages(engine, metrics, jobs), LiveHandlers(live, tokens, engine.limits.body)
    handlers: dict[tuple[str, str], Handler] = {
        ("GET", "/v1/asks/{id}"): found.ask,
        ("GET", "/v1/receipt"): found.receipt,
        ("POST", "/v1/certify"): found.certify,
        ("GET", "/v1/certify/{id}"): found.job,
        ("GET", "/v1/certificates/{id}"): found.certificate,
        ("GET", "/v1/certificates/{id}/start"): found.certificate_start,
        ("GET", "/v1/model"): found.model,
        ("GET", "/v1/log"): found.log,
        ("GET", "/v1/snapshot"): found.snapshot,
        ("GET", "/healthz"): found.health,
        ("GET", "/readyz"): found.ready,
        ("GET", "/metrics"): found.metrics_page,
        ("GET", "/openapi.json"): found.openapi,
        ("GET", "/"): browser.page,
        ("GET", "/v1/live"): browser.figures,
        ("GET", "/v1/events"): browser.events,
        ("POST", "/session"): browser.sign_in,
        ("POST", "/session/end"): browser.sign_out,
    }
    routes = [
        Route(
            one.path.replace("{id}", "{id:path}") if one.path == "/v1/asks/{id}" else one.path,
            _guarded(handlers[one.method, one.path], one, tokens, metrics, browser.sessions),
            methods=[one.method],
        )
        for one in ENDPOINTS
        if (one.method, one.path) in handlers
    ]
    made = Starlette(routes=routes, exception_handlers={HTTPException: _other})
    made.router.redirect_slashes = False  # it would send clients to whatever host they name
    return made


def _guarded(
    handler: Handler, one: Endpoint, tokens: Tokens, metrics: Metrics, sessions: Sessions
) -> Handler:
    """Return a handler that asks for a token, and says why it refuses."""

    async def guarded(request: Request) -> Response:
        began = time.monotonic()
        try:
            signed_in = one.session and sessions.admits(request.scope)
            if one.access is not None and not signed_in:
                admitted(header(request.scope, b"authorization"), tokens, one.access)
            found = await handler(request)
        except NovikoffError as error:
            found = refused(error)
        metrics.answered(one.path, found.status_code, time.monotonic() - began)
        return found

    return guarded


def json(found: object, status: int = 200) -> Response:
    """Return an answer in JSON."""
    return Response(msgspec.json.encode(found), status, media_type="application/json")


def refused(error: NovikoffError) -> Response:
    """Return why a request was refused."""
    found = json(problem_of(error), status_of(error))
    if found.status_code == 401:
        found.headers["WWW-Authenticate"] = "Bearer"
    if found.status_code == 429:
        found.headers["Retry-After"] = "5"
    return found


async def _other(request: Request, error: Exception) -> Response:
    """Answer a path or a method that does not exist."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = f"{request.url.path}: expected a path and method of /openapi.json, got another."
    found = json(Problem(text, request.url.path, "one of /openapi.json", request.method), status)
    if isinstance(error, HTTPException) and error.headers:
        found.headers.update(error.headers)
    return found


class Pages:
    """What is shown of an engine."""

    def __init__(self, engine: Engine, metrics: Metrics, jobs: Jobs) -> None:
        self._engine, self._metrics, self._jobs = engine, metrics, jobs
        self._receipt: tuple[float, int, Receipt] | None = None
        self._saved = 0.0

    async def ask(self, request: Request) -> Response:
        """Show a pending ask; its id is a text or a number."""
        text, waiting = unquote(request.path_params["id"]), self._engine.replica.waiting
        found = waiting.get(text)
        digits = text.removeprefix("-")
        if found is None and digits.isascii() and digits.isdigit() and len(digits) < 20:
            found = waiting.get(int(text))
        if found is None:
            raise Unknown(where="id", expected="the id of a pending ask", got=repr(text[:100]))
        asked, served = found
        return json(
            Ask(asked.id, asked.features, served.prediction, served.probability, asked.time)
        )

    async def receipt(self, request: Request) -> Response:
        """Show the receipt; it is at most a second old, and never older than the last answer."""
        known, now = self._receipt, time.monotonic()
        sequence = self._engine.replica.sequence
        if known is None or (known[1] != sequence and now - known[0] > 0):
            found = await run_in_threadpool(receipt_of, self._engine)
            self._receipt = known = (now, sequence, found)
        return json(known[2])

    async def certify(self, request: Request) -> Response:
        """Begin to make a certificate."""
        body = await body_of(request.scope, request.receive, self._engine.limits.body)
        try:
            wish = msgspec.json.decode(body, type=Certify)
        except UNREADABLE as error:
            raise malformed(error) from None
        return json(self._jobs.begin(wish.theorem), 202)

    async def job(self, request: Request) -> Response:
        """Show how far a certificate is."""
        return json(self._jobs.job(_number(request)))

    async def certificate(self, request: Request) -> Response:
        """Download a certificate."""
        return FileResponse(self._jobs.path(_number(request)), media_type="application/json")

    async def certificate_start(self, request: Request) -> Response:
        """Download the model that a certificate begins from."""
        path = self._jobs.path(_number(request), ".start.model")
        return FileResponse(path, media_type="application/octet-stream")

    async def model(self, request: Request) -> Response:
        """Download the model as it is now, or as it was within the last second."""
        engine = self._engine
        await self._fresh_snapshot()
        path = model_path(engine.log.folder, engine.snapshot_sequence)
        tag = f'"{digest_of(path)}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"ETag": tag})
        media = "application/octet-stream"
        return FileResponse(
            path, media_type=media, filename="novikoff.model", headers={"ETag": tag}
        )

    async def _fresh_snapshot(self) -> None:
        """Take a snapshot, unless one was taken within the last second."""
        if time.monotonic() - self._saved > _FRESH:
            await run_in_threadpool(self._engine.snapshot)
            self._saved = time.monotonic()

    async def log(self, request: Request) -> Response:
        """Send records as they are in the log, for followers."""
        engine = self._engine
        after, wait = _query(request, "after"), _query(request, "wait")
        if after > engine.log.durable:
            raise Conflict(
                where="after",
                expected=f"at most {engine.log.durable:,}, the last record",
                got=f"{after:,}",
                remedy="Follow the service that has it, or begin with an empty folder.",
            )
        found = LogTail(engine.log.folder, after)
        await run_in_threadpool(found.go)
        pieces = tail(engine, found, min(wait, LONGEST_WAIT))
        return StreamingResponse(pieces, media_type="application/octet-stream")

    async def snapshot(self, request: Request) -> Response:
        """Send the latest snapshot: the length of its page as u64, its page, and its model."""
        await self._fresh_snapshot()
        found = await run_in_threadpool(packed_snapshot, self._engine.log.folder)
        return Response(found, media_type="application/octet-stream")

    async def health(self, request: Request) -> Response:
        """Say that the process is there."""
        return json(Health("ok"))

    async def ready(self, request: Request) -> Response:
        """Say whether it takes writes, and whether a follower keeps up or messages come."""
        engine = self._engine
        if engine.crashed:
            return json(Health("failed", "the writer has stopped"), 503)
        if engine.failure is not None:
            return json(Health("failing", str(engine.failure)), 503)
        if engine.source is not None:
            return _source_health(engine.source)
        if engine.leader is None:
            return json(Health("ok"))
        lag = engine.leader.lag(engine.replica.sequence)
        if lag.seconds > STALE:
            return json(Health("stale", "the leader is ahead, or does not answer", lag), 503)
        return json(Health("ok", None, lag))

    async def metrics_page(self, request: Request) -> Response:
        """Show the metrics."""
        return Response(self._metrics.page(), media_type="text/plain; version=0.0.4")

    async def openapi(self, request: Request) -> Response:
        """Show what can be asked."""
        engine = self._engine
        return Response(
            schema_page.page(engine.replica.begin.labels, engine.planner.weights),
            media_type="application/json",
        )


def _source_health(source: SourceStatus) -> Response:
    found = source.answer()
    if found.stopped is not None:
        return json(Health("stopped", found.stopped, source=found), 503)
    if found.seconds > STALE:
        why = source.trouble or "the source does not answer"
        return json(Health("waiting", why, source=found), 503)
    return json(Health("ok", source=found))


def _query(request: Request, name: str) -> int:
    """Return a number of the query; 0 if it is not there."""
    text = request.query_params.get(name, "0")
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise Refusal(where=name, expected="a number from 0 on", got=repr(text[:100]))
    return int(text)


def _number(request: Request) -> int:
    text = request.path_params["id"]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Refusal(where="id", expected="a number", got=repr(text[:100]))
    return int(text)
