"""The direct protocol: a plain, whole request goes straight to the application.

A request with examples mostly arrives in one piece: a head of simple fields, and a body of the
length that the head states. Such a request needs no ASGI task, and its answer is written when its
group is on the disk; this takes a third of uvicorn's time. Everything else (a request in pieces, a
chunked one, another path, any field that changes how a message is read) is left to uvicorn, which
then does the same work over ASGI.
"""

import asyncio
import re
from typing import ClassVar, NamedTuple

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from novikoff.errors import NovikoffError
from novikoff.service.application import Application
from novikoff.service.endpoints import ACCESS
from novikoff.service.http import Reply, Request, admitted, refused
from novikoff.service.refusals import Malformed, TooLarge, Unavailable

_ROUTES = {f"POST {path} HTTP/1.1".encode(): path for path in ACCESS}
_FIELD = re.compile(rb"([0-9A-Za-z_-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)[ \t]*")
_READ = (b"content-length", b"authorization", b"idempotency-key")
_OTHERWISE = (b"connection", b"expect", b"te", b"trailer", b"transfer-encoding", b"upgrade")
_END = b"\r\n\r\n"
_HEADS = 1024  # heads that are remembered
_LONGEST_HEAD = 2**16
_LAST = b"%bconnection: close\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"


class Head(NamedTuple):
    """What the head of a plain request says."""

    path: str
    length: int
    """Bytes of its body."""
    authorization: bytes | None
    key: bytes | None


def head_of(text: bytes) -> Head | None:
    """Return what a head says; None if it is not a plain one of an endpoint with examples."""
    first, *lines = text.split(b"\r\n")
    path, found = _ROUTES.get(first), dict[bytes, bytes]()
    if path is None:
        return None
    for line in lines:
        match = _FIELD.fullmatch(line)
        if match is None:
            return None
        name = match[1].lower()
        if name in _OTHERWISE or name in found:
            return None
        if name in _READ:
            found[name] = match[2]
    length = found.get(b"content-length", b"")
    if not (length.isdigit() and len(length) < 10):
        return None
    return Head(path, int(length), found.get(b"authorization"), found.get(b"idempotency-key"))


def _refusal(status: int, error: NovikoffError) -> bytes:
    body = refused(error).body
    return _LAST % (STATUS_LINE[status], len(body), body)


class DirectProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with a shortcut for plain requests.

    One request is answered at a time. What comes before the answer is held back.
    """

    application: ClassVar[Application]
    most: ClassVar[int] = 2**31
    """How many connections there may be; the others are told to come later."""
    heads: ClassVar[dict[bytes, Head]] = {}
    _within = False  # uvicorn's parser has read a part of a message
    _unseen = 0  # bytes that uvicorn's parser keeps: of a head, or of fields after a body
    _busy = False  # a direct request waits for its answer
    _leaving = False  # the server stops after this answer
    _held = b""
    _unanswered = 0  # requests that uvicorn has begun to read, and not answered
    _farewell: bytes | None = None  # what is said after their answers, if the connection ends then
    _latest = 0.0  # when the last direct request came

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many: the log needs open files too."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            error = Unavailable(
                where="service", expected=f"at most {self.most:,} connections", got="one more",
                remedy="Try again later.",
            )  # fmt: skip
            reply = refused(error)
            self.application.metrics.answered("", reply.status, 0.0)
            self._leaving = True
            self._answer(reply)

    def on_message_begin(self) -> None:
        """Note that uvicorn reads a message."""
        self._within = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that there is a request to answer."""
        super().on_headers_complete()
        self._unanswered += 1

    def on_response_complete(self) -> None:
        """Note that it is answered; end the connection after the last one, if it is to end."""
        self._unanswered -= 1
        super().on_response_complete()
        self._end_if_answered()

    def on_message_complete(self) -> None:
        """Note that uvicorn has read all of it."""
        self._within, self._unseen = False, 0
        super().on_message_complete()

    def on_body(self, body: bytes) -> None:
        """Note that there is more of a body."""
        self._unseen = 0
        super().on_body(body)

    def data_received(self, data: bytes) -> None:
        """Take a plain request; leave others to uvicorn."""
        if self._farewell is not None:
            return
        if self._busy:
            self._held += data
            self.flow.pause_reading()
            return
        head = None if self._waits() else self._plain(data)
        if head is None:
            self._leave_to_uvicorn(data)
            return
        self._busy, self._latest = True, self.loop.time()
        application = self.application
        try:
            admitted(head.authorization, application.tokens, ACCESS[head.path])
        except NovikoffError as error:
            reply = refused(error)
            application.metrics.answered(head.path, reply.status, 0.0)
            self._answer(reply)
            return
        body = data[len(data) - head.length :]
        application.take(Request(head.path, body, head.key), self._answer)

    def _leave_to_uvicorn(self, data: bytes) -> None:
        """Have uvicorn's parser read it; refuse a head without an end, which it would keep."""
        self._unseen += len(data)
        super().data_received(data)
        if not self._within:
            self._unseen = 0
        if self._unseen > _LONGEST_HEAD and not self.transport.is_closing():
            error = TooLarge(
                where="head", expected=f"at most {_LONGEST_HEAD:,} bytes", got="more",
                remedy="Send fewer or shorter fields.",
            )  # fmt: skip
            self._end(_refusal(431, error))

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        error = Malformed(where="request", expected="HTTP", got="something else")
        self._end(_refusal(400, error))

    def _end(self, farewell: bytes) -> None:
        """Say a last thing and close, after the answers to the whole requests before.

        They may have been played, so nothing else may look like their answer.
        """
        if self._farewell is not None:
            return
        self._farewell = farewell
        if self._is_partial():
            self._unanswered -= 1
            if self.pipeline and self.pipeline[0][0] is self.cycle:
                self.pipeline.popleft()  # or it would begin, and wait for the rest of its body
        self._end_if_answered()

    def _end_if_answered(self) -> None:
        if self._farewell is not None and not self._unanswered and not self.transport.is_closing():
            self.transport.write(self._farewell)
            self.transport.close()

    def _is_partial(self) -> bool:
        """Say whether uvicorn waits for the rest of a body before there can be an answer."""
        cycle = self.cycle
        return cycle is not None and cycle.more_body and not cycle.response_started

    def _waits(self) -> bool:
        """Say whether uvicorn is not done with the request before, or its answer."""
        cycle = self.cycle
        return (
            self._within or self.flow.write_paused or not (cycle is None or cycle.response_complete)
        )

    def _plain(self, data: bytes) -> Head | None:
        """Return the head of a whole, plain request."""
        end = data.find(_END)
        if end < 0:
            return None
        text = data[:end]
        head = self.heads.get(text)
        if head is None:
            head = head_of(text)
            if head is None:
                return None
            if head.key is None:  # a key is different every time
                if len(self.heads) >= _HEADS:
                    self.heads.clear()
                self.heads[text] = head
        whole = end + len(_END) + head.length == len(data)
        return head if whole and head.length <= self.application.engine.limits.body else None

    def _answer(self, reply: Reply) -> None:
        """Write the answer, and go on with what came meanwhile."""
        self._busy = False
        if self.transport.is_closing():
            return
        extra = b"".join(b"%s: %s\r\n" % field for field in reply.headers)
        if self._leaving:
            extra += b"connection: close\r\n"
        self.transport.write(
            b"%bcontent-type: application/json\r\ncontent-length: %d\r\n%b\r\n%b"
            % (STATUS_LINE[reply.status], len(reply.body), extra, reply.body)
        )
        if self._leaving or b"close" in extra:
            self.transport.close()
        elif self._held:
            held, self._held = self._held, b""
            self.flow.resume_reading()
            self.data_received(held)
        elif self.timeout_keep_alive_task is None:
            self._look_later(self.timeout_keep_alive)

    def _look_later(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that is idle; one timer serves many requests."""
        self.timeout_keep_alive_task = None
        left = self._latest + self.timeout_keep_alive - self.loop.time()
        if self._busy or left > 0:
            self._look_later(max(left, 1.0))
        else:
            super().timeout_keep_alive_handler()

    def shutdown(self) -> None:
        """Stop after the answers that are waited for; nobody waits for the rest of a body."""
        if self._busy:
            self._leaving = True
        elif self._is_partial():
            self._end(b"")
        else:
            super().shutdown()
