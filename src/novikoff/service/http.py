"""HTTP over ASGI: bodies with a limit, tokens, answers, and refusals as JSON."""

from typing import NamedTuple, TypeAlias

import msgspec
from starlette.types import Receive, Scope, Send

from novikoff.errors import NovikoffError
from novikoff.service.disk import DiskError
from novikoff.service.messages import Problem
from novikoff.service.refusals import Forbidden, Malformed, Refusal, TooLarge
from novikoff.service.tokens import Access, Tokens

Header: TypeAlias = tuple[bytes, bytes]

_JSON = (b"content-type", b"application/json")
_ENCODER = msgspec.json.Encoder()


class Request(NamedTuple):
    """A whole request with examples, by whoever may send it."""

    path: str
    body: bytes
    key: bytes | None = None
    """The idempotency key of its header."""


class Reply(NamedTuple):
    """A whole answer."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()


class Hangup(Exception):  # noqa: N818
    """The client went away before its request was whole."""


def header(scope: Scope, name: bytes) -> bytes | None:
    """Return a header of a request."""
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found
    return None


def admitted(said: bytes | None, tokens: Tokens, needed: Access) -> None:
    """Refuse a request whose ``Authorization`` has no token that allows it."""
    said = said or b""
    kind, _, token = said.partition(b" ")
    access = tokens.access(token.strip()) if kind.lower() == b"bearer" else None
    if access is None:
        raise Forbidden(
            where="Authorization",
            expected="Bearer and a token of this service",
            got="none" if not said else "another",
            remedy="Ask whoever runs the service for one.",
        )
    if needed == "write" and access != "write":
        error = Forbidden(
            where="Authorization",
            expected="a token that may write",
            got="one that may read",
            remedy="Use the write token.",
        )
        error.status = 403
        raise error


async def body_of(scope: Scope, receive: Receive, most: int) -> bytes:
    """Return the body of a request; refuse one that is too long before it is read."""
    length = header(scope, b"content-length")
    if length is not None and length.isdigit() and int(length) > most:
        raise _too_long(most, int(length))
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Hangup
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        return body if len(body) <= most else _raise(_too_long(most, len(body)))
    parts, size = [body], len(body)
    while message.get("more_body", False):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Hangup
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_long(most, size)
    return b"".join(parts)


def _raise(error: Exception) -> bytes:
    raise error


def _too_long(most: int, got: int) -> TooLarge:
    return TooLarge(
        where="body",
        expected=f"at most {most:,} bytes",
        got=f"{got:,} or more",
        remedy="Send smaller batches.",
    )


async def answer(send: Send, reply: Reply) -> None:
    """Send an answer."""
    size = (b"content-length", b"%d" % len(reply.body))
    headers = [_JSON, size, *reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def status_of(error: NovikoffError) -> int:
    """Return the status of HTTP for a refusal."""
    if isinstance(error, DiskError):
        return 507 if error.full else 503
    return error.status if isinstance(error, Refusal) else 422


def problem_of(error: NovikoffError) -> Problem:
    """Return a refusal as JSON: ``where: expected …, got …. What to do.``"""
    text = str(error)
    if error.where:
        return Problem(text, error.where, str(error.expected), str(error.got))
    where, _, rest = text.partition(": expected ")
    expected, _, got = rest.partition(", got ")
    return Problem(text, where, expected, got.partition(". ")[0].rstrip("."))


def refused(error: NovikoffError) -> Reply:
    """Return why a request was refused, as an answer."""
    status, headers = status_of(error), list[Header]()
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 405:
        headers.append((b"allow", str(error.expected).encode()))
    if status in (429, 503, 507):
        headers.append((b"retry-after", b"1"))
    if status == 413:
        headers.append((b"connection", b"close"))
    return Reply(status, _ENCODER.encode(problem_of(error)), tuple(headers))


def malformed(error: Exception) -> Malformed:
    """Return what is wrong with a body, from what msgspec says: ``Expected …, got … - at …``."""
    said, _, path = str(error).partition(" - at ")
    where = path.strip("`").removeprefix("$").lstrip(".") or "body"
    expected, _, got = said.partition(", got ")
    if not got:
        expected, got = "JSON as the schema has it", said
    return Malformed(
        where=where,
        expected=expected.removeprefix("Expected ").replace("`", ""),
        got=got.replace("`", "").rstrip("."),
        remedy="See /openapi.json.",
    )
