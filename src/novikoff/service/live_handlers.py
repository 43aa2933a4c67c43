"""Live handlers: the live page, its stream, and how a browser signs in and out."""

from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from novikoff.errors import NovikoffError
from novikoff.service.http import admitted, body_of, header
from novikoff.service.live_page import live_page, sign_in_page
from novikoff.service.live_stream import EventStream, Live
from novikoff.service.refusals import Malformed
from novikoff.service.sessions import Sessions, cookie_of, refuse_strangers
from novikoff.service.tokens import Tokens

_FORM = 8192  # bytes of a form: anybody may send one, and all of it is read at once


class LiveHandlers:
    """What a browser may ask for."""

    def __init__(self, live: Live, tokens: Tokens, most: int) -> None:
        self._live, self._tokens, self._most = live, tokens, min(most, _FORM)
        self.sessions = Sessions(tokens)

    def may_read(self, request: Request) -> bool:
        """Say whether a request has a session, or a token."""
        try:
            admitted(header(request.scope, b"authorization"), self._tokens, "read")
        except NovikoffError:
            return self.sessions.admits(request.scope)
        return True

    async def page(self, request: Request) -> Response:
        """Show the live page, or the form that asks for a token."""
        return live_page(self._live.figures()) if self.may_read(request) else sign_in_page()

    async def figures(self, request: Request) -> Response:
        """Show the figures as JSON."""
        found = msgspec.json.encode(self._live.figures())
        return Response(found, media_type="application/json", headers={"Cache-Control": "no-store"})

    async def events(self, request: Request) -> Response:
        """Send the figures once a second, as long as the reader may see them."""
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        return EventStream(self._live, lambda: self.may_read(request))

    async def sign_in(self, request: Request) -> Response:
        """Give a browser that shows a token a session."""
        refuse_strangers(request.scope)
        body = await body_of(request.scope, request.receive, self._most)
        try:
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
        except ValueError:
            fields = {}
        if "token" not in fields:
            raise Malformed(where="token", expected="a form with a token", got="none")
        name = self.sessions.begin(fields["token"].strip().encode())
        if name is None:
            return sign_in_page("That is not a token of this service.")
        self.sessions.end(request.scope)
        return _sent_to("./", cookie_of(request.scope, name))

    async def sign_out(self, request: Request) -> Response:
        """End the session of a browser."""
        refuse_strangers(request.scope)
        self.sessions.end(request.scope)
        return _sent_to("../", cookie_of(request.scope, "", 0))


def _sent_to(place: str, cookie: str) -> Response:
    headers = {"Location": place, "Set-Cookie": cookie, "Cache-Control": "no-store"}
    return Response(status_code=303, headers=headers)
