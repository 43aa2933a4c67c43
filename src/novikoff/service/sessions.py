"""Sessions: a browser that has shown a token may read until it signs out, or for twelve hours."""

import secrets
import time

from starlette.types import Scope

from novikoff.service.http import header
from novikoff.service.refusals import Forbidden
from novikoff.service.tokens import Tokens, hashed_token

LIFETIME = 12 * 3600.0
"""Seconds after which a browser has to show a token again."""
MOST = 1000
"""How many sessions there are at most; a new one ends the oldest."""


class Sessions:
    """The open sessions, in memory: they end with the process, and with their token.

    A session allows what a token for reading does, whichever token began it. Its name is a secret
    that we draw, so nobody can have a browser use one of their own choice.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._open: dict[bytes, tuple[bytes, float]] = {}

    def begin(self, token: bytes) -> str | None:
        """Return the name of a new session, or None if the token is not one of ours."""
        if self._tokens.access(token) is None:
            return None
        while len(self._open) >= MOST:
            del self._open[next(iter(self._open))]
        name = secrets.token_urlsafe(32)
        ends = time.monotonic() + LIFETIME
        self._open[hashed_token(name.encode())] = (hashed_token(token), ends)
        return name

    def admits(self, scope: Scope) -> bool:
        """Say whether a request comes from a browser that is signed in."""
        name = _name_in(scope)
        found = None if name is None else self._open.get(hashed_token(name))
        return (
            found is not None
            and found[1] > time.monotonic()
            and self._tokens.access_of(found[0]) is not None
        )

    def end(self, scope: Scope) -> None:
        """End the session of a request, if it has one."""
        name = _name_in(scope)
        if name is not None:
            self._open.pop(hashed_token(name), None)


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie: over TLS, one that no other host can set."""
    return "__Host-novikoff" if _over_tls(scope) else "novikoff"


def _over_tls(scope: Scope) -> bool:
    """Say whether the browser speaks TLS, to us or to a proxy.

    Whoever lies about it only gets a cookie that a browser does not send back.
    """
    return scope.get("scheme") == "https" or header(scope, b"x-forwarded-proto") == b"https"


def cookie_of(scope: Scope, name: str, seconds: float = LIFETIME) -> str:
    """Return the header that gives a browser its session, or takes it away."""
    secure = "; Secure" if _over_tls(scope) else ""
    return (
        f"{cookie_name(scope)}={name}; Path=/; Max-Age={seconds:.0f}; HttpOnly; "
        f"SameSite=Strict{secure}"
    )


def _name_in(scope: Scope) -> bytes | None:
    wanted = cookie_name(scope).encode() + b"="
    for part in (header(scope, b"cookie") or b"").split(b";"):
        if part.strip().startswith(wanted):
            return part.strip()[len(wanted) :]
    return None


def refuse_strangers(scope: Scope) -> None:
    """Refuse a form that another site made the browser send."""
    site = header(scope, b"sec-fetch-site")
    origin, host = header(scope, b"origin"), header(scope, b"host")
    if site is not None:
        ours = site in (b"same-origin", b"none")
    else:
        ours = origin is None or origin.partition(b"://")[2] == host
    if not ours:
        error = Forbidden(
            where="Origin", expected="the form of this service", got="that of another site"
        )
        error.status = 403
        raise error
