"""Plain requests take a shortcut: whatever way a request goes, its answer is the same."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from novikoff.service.direct_protocol import Head, head_of
from processes import READ, WRITE, Server

SPAM = b'{"features": {"w": 1.0}, "label": "spam"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("direct"), "--max-body", "5000")
    try:
        yield found
        assert found.stop() == 0
    finally:
        found.process.kill()


def request(path: str, body: bytes, *fields: str, token: str = WRITE) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", *fields]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def answers(server: Server, *pieces: bytes, count: int = 1) -> list[tuple[bytes, bytes]]:
    """Send pieces, and return the first line and the body of so many answers."""
    found, data = list[tuple[bytes, bytes]](), b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        for piece in pieces:
            raw.sendall(piece)
            time.sleep(0.02)
        while len(found) < count:
            head, end, rest = data.partition(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
            if end and len(rest) >= size:
                found.append((head.split(b"\r\n")[0], rest[:size]))
                data = rest[size:]
            else:
                more = raw.recv(65536)
                assert more, data
                data += more
    return found


BODIES = {
    "a prediction": ("/v1/predict", b'{"features": {"w": 1.0}}'),
    "many": ("/v1/predict", b'{"examples": [{"features": {"w": 1.0}}, {"features": {}}]}'),
    "not JSON": ("/v1/learn", b"{"),
    "a label": ("/v1/learn", b'{"features": {}, "label": "eggs"}'),
    "nobody": ("/v1/tell", b'{"id": "nobody", "label": "ham"}'),
    "nothing": ("/v1/learn", b'{"examples": []}'),
    "too long": ("/v1/learn", b" " * 5001),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("token", [WRITE, READ, "no-such-token"])
def test_both_ways_give_the_same_answer(server: Server, name: str, token: str) -> None:
    path, body = BODIES[name]
    direct = answers(server, request(path, body, token=token))
    slow = answers(server, request(path, body, "Connection: keep-alive", token=token))
    assert direct == slow
    if len(body) < 5000:
        whole = request(path, body, token=token)
        assert answers(server, whole[:30], whole[30:-3], whole[-3:]) == direct


def test_answers_come_in_the_order_of_requests(server: Server) -> None:
    """Also if they are sent before the first is answered, by either way."""
    learn, predict = request("/v1/learn", SPAM), request(*BODIES["a prediction"])
    slow = request("/v1/learn", SPAM, "Connection: keep-alive")
    health = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    for sent in (
        [learn, predict, health, learn],
        [learn + predict + slow + health],
        [slow + learn],
    ):
        expected = b"".join(sent).count(b"HTTP/1.1\r\n")
        found = answers(server, *sent, count=expected)
        assert all(line == b"HTTP/1.1 200 OK" for line, _ in found)
        kinds = [b"round" in body for _, body in found]
        order = [b"/v1/learn" in part for part in b"".join(sent).split(b"HTTP/1.1\r\n")[:-1]]
        assert kinds == order


def test_an_idle_connection_is_closed(tmp_path: Path, server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(request(*BODIES["a prediction"]))
        assert raw.recv(65536).startswith(b"HTTP/1.1 200 OK")
        assert raw.recv(10) == b""  # after the seconds that uvicorn keeps it


PLAIN = b"POST /v1/learn HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\nAuthorization: Bearer t"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace(b"POST", b"GET"),
        PLAIN.replace(b"1.1", b"1.0"),
        PLAIN.replace(b"/v1/learn", b"/v1/learn?x=1"),
        PLAIN.replace(b"7", b"+7"),
        PLAIN.replace(b"7", b"7, 7"),
        PLAIN.replace(b"Content-Length: 7\r\n", b""),
        PLAIN + b"\r\nContent-Length: 8",
        PLAIN + b"\r\nTransfer-Encoding: chunked",
        PLAIN + b"\r\nConnection: close",
        PLAIN + b"\r\nExpect: 100-continue",
        PLAIN + b"\r\n folded",
        PLAIN + b"\r\nA : b",
        PLAIN + b"\r\nA: b\nTransfer-Encoding: chunked",
        PLAIN + b"\r\nA: \x00",
    ],
)
def test_any_other_head_is_left_to_uvicorn(text: bytes) -> None:
    assert head_of(PLAIN) == Head("/v1/learn", 7, b"Bearer t", None)
    assert head_of(text) is None


@pytest.mark.parametrize(
    ("first", "more"),
    [
        (b"GET /healthz HTTP/1.1\r\n", b"x-a: " + b"y" * 1000 + b"\r\n"),
        (b"GET /healthz HTTP/1.1\r\nx-a: ", b"y" * 1000),
        (b"GET /", b"y" * 1000),
        (request("/v1/learn", b"")[:-21] + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx-a: ",
         b"y" * 1000),
    ],
    ids=["many fields", "one field", "a path", "after the body"],
)  # fmt: skip
def test_a_head_without_an_end_is_refused(server: Server, first: bytes, more: bytes) -> None:
    """It needs no token to send one; uvicorn would keep all of it."""
    sent, said = 0, b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(first)
        with suppress(OSError):
            while sent < 2**23:
                raw.sendall(more)
                sent += len(more)
        with suppress(OSError):
            said = raw.recv(1000)
    assert sent < 2**23
    assert said == b"" or b" 431 " in said.split(b"\r\n")[0]
    assert server.call("GET", "/healthz").status == 200


def test_a_head_that_is_a_little_too_long_is_told_so(server: Server) -> None:
    found = answers(server, b"GET /healthz HTTP/1.1\r\nx-a: " + b"y" * 2**16)
    assert found[0][0] == b"HTTP/1.1 431 Request Header Fields Too Large"
    assert b"at most 65,536 bytes" in found[0][1]
    long = b"GET /healthz HTTP/1.1\r\nHost: x\r\nx-a: " + b"y" * 60000 + b"\r\n\r\n"
    assert answers(server, long[:30000], long[30000:])[0][0] == b"HTTP/1.1 200 OK"


BAD_CHUNK = request("/v1/learn", b"")[:-21] + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"


@pytest.mark.parametrize(
    "end",
    [
        b"garbage\r\n\r\n",
        b"garbage\r\n\r\n" * 9000,
        b"GET HTTP/1.1\r\n\r\n",
        BAD_CHUNK,
    ],
    ids=["garbage", "much", "no path", "a bad chunk"],
)
@pytest.mark.parametrize("count", [1, 3])
def test_what_was_learned_is_answered_before_what_follows_is_refused(
    server: Server, end: bytes, count: int
) -> None:
    """Also if all of it comes at once: a refusal says that nothing was learned."""
    with server.client() as client:
        before = client.receipt().rounds
        found = answers(server, request("/v1/learn", SPAM) * count + end, count=count + 1)
        lines = [line.split(b" ")[1] for line, _ in found]
        assert lines == [b"200"] * count + [b"400"]
        assert client.receipt().rounds == before + count
        assert b'"expected":' in found[-1][1]


def half_sent(server: Server, path: str) -> socket.socket:
    """Send a half of a request whose body the server waits for."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    whole = request(path, SPAM, "Expect: 100-continue")
    raw.sendall(whole[: -len(SPAM)])
    assert raw.recv(1000).startswith(b"HTTP/1.1 100 ")
    raw.sendall(SPAM[:5])
    return raw


def test_the_rest_of_a_body_holds_up_no_stop(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        with half_sent(server, "/v1/learn") as one, half_sent(server, "/v1/certify") as other:
            assert server.stop() == 0
            assert one.recv(1000) == other.recv(1000) == b""
        assert [event for event in server.events if event["level"] == "error"] == []
    finally:
        server.process.kill()
