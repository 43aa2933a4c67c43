"""Every endpoint: without its token, with too much, and with bad input. One row for each."""

import socket
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from novikoff.service.endpoints import ENDPOINTS
from processes import READ, WRITE, Server


class Case(NamedTuple):
    """What to send to an endpoint, and what it says."""

    good: str
    """The path of a request that needs nothing to be there."""
    bad: str
    body: bytes | None
    status: int
    """The answer to the bad path or body; 200 and 303 if there is nothing to get wrong."""
    open: bool = False
    """Whether it needs no token."""
    takes: bool = False
    """Whether it reads a body, which then has a largest size."""


def _plain(path: str, status: int = 200, open: bool = False) -> Case:
    """Return the case of an endpoint without input: what comes along is not looked at."""
    return Case(path, f"{path}?after=%00&id=../..", b"{" * 100, status, open)


def _taking(path: str, body: bytes, status: int = 400) -> Case:
    return Case(path, path, body, status, takes=True)


TABLE = {
    "POST /v1/learn": _taking("/v1/learn", b'{"features": {"w": []}, "label": "spam"}'),
    "POST /v1/ask": _taking("/v1/ask", b'{"features": null}'),
    "POST /v1/tell": _taking("/v1/tell", b'{"id": "nobody", "label": "spam"}', 404),
    "POST /v1/predict": _taking("/v1/predict", b'{"features": {}, "label": "spam"}'),
    "GET /v1/asks/{id}": Case("/v1/asks/1", "/v1/asks/..%2f..%2ftokens", None, 404),
    "GET /v1/receipt": _plain("/v1/receipt"),
    "POST /v1/certify": _taking("/v1/certify", b'{"theorem": 7}'),
    "GET /v1/certify/{id}": Case("/v1/certify/1", "/v1/certify/-1", None, 422),
    "GET /v1/certificates/{id}": Case("/v1/certificates/1", "/v1/certificates/%2e", None, 422),
    "GET /v1/certificates/{id}/start": Case(
        "/v1/certificates/1/start", "/v1/certificates/1e3/start", None, 422
    ),
    "GET /v1/model": _plain("/v1/model"),
    "GET /v1/log": Case("/v1/log", "/v1/log?after=-1", None, 422),
    "GET /v1/snapshot": _plain("/v1/snapshot"),
    "GET /healthz": _plain("/healthz", open=True),
    "GET /readyz": _plain("/readyz", open=True),
    "GET /metrics": _plain("/metrics"),
    "GET /openapi.json": _plain("/openapi.json"),
    "GET /": _plain("/", open=True),
    "GET /v1/live": _plain("/v1/live"),
    "GET /v1/events": _plain("/v1/events"),
    "POST /session": Case("/session", "/session", b"token=\xff", 400, open=True, takes=True),
    "POST /session/end": _plain("/session/end", 303, open=True),
}
NAMES = [f"{one.method} {one.path}" for one in ENDPOINTS]


def test_every_endpoint_has_a_row() -> None:
    assert sorted(TABLE) == sorted(NAMES)


@pytest.fixture(scope="module", params=["a leader", "a follower"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("table")
    leader = Server(folder / "leader", "--max-body", "5000")
    found = [leader]
    try:
        if request.param == "a follower":
            (folder / "token").write_text(READ + "\n")
            words = ["--follow", leader.url, "--leader-token-file", str(folder / "token")]
            found.append(Server(folder / "follower", *words, "--max-body", "5000"))
        yield found[-1]
        for one in reversed(found):
            assert one.stop() == 0
    finally:
        for one in found:
            one.process.kill()


def follows(server: Server) -> bool:
    return server.log.parent.name == "follower"


def sequence(server: Server) -> int:
    return int(server.call("GET", "/v1/receipt").json["covers"]["last_sequence"])


@pytest.mark.parametrize("name", NAMES)
def test_a_token_is_needed(server: Server, name: str) -> None:
    method, case = name.partition(" ")[0], TABLE[name]
    for token in (None, "no-such-token", READ[:-1], READ + "x", ""):
        found = server.call(method, case.good, b"{}" if case.takes else None, token=token)
        if case.open:
            assert found.status in (200, 303, 400)
        else:
            assert (found.status, found.json["where"]) == (401, "Authorization")
    assert str(server.folder).encode() not in found.body


@pytest.mark.parametrize("name", NAMES)
def test_there_is_a_largest_size(server: Server, name: str) -> None:
    method, case, before = name.partition(" ")[0], TABLE[name], sequence(server)
    if case.takes:
        found = server.call(method, case.good, b" " * 5001)
        assert (found.status, found.json["expected"]) == (413, "at most 5,000 bytes")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        head = f"{method} {case.good} HTTP/1.1\r\nAuthorization: Bearer {WRITE}\r\nx: "
        raw.sendall(head.encode() + b"y" * 2**16)
        assert raw.recv(1000).startswith(b"HTTP/1.1 431 ")
    assert sequence(server) == before


@pytest.mark.parametrize("name", NAMES)
def test_bad_input_is_refused_and_changes_nothing(server: Server, name: str) -> None:
    method, case, before = name.partition(" ")[0], TABLE[name], sequence(server)
    found = server.call(method, case.bad, case.body)
    read_only = follows(server) and case.status == 404 and case.takes
    assert found.status == (403 if read_only else case.status), found
    if case.status >= 400:
        for part in ("error", "where", "expected", "got"):
            assert found.json[part]
    assert str(server.folder).encode() not in found.body
    assert sequence(server) == before


@pytest.mark.parametrize("name", [name for name in NAMES if TABLE[name].takes])
@pytest.mark.parametrize(
    "body", [b'{"theorem": "\xff"}', b'{"\xff": 1}', b"[" * 4000, b'"\xed\xa0\x80"', b"\x00"],
    ids=["not UTF-8", "a name", "deep", "half a pair", "null"],
)  # fmt: skip
def test_bytes_that_are_not_json_are_refused(server: Server, name: str, body: bytes) -> None:
    found = server.call("POST", TABLE[name].good, body)
    assert 400 <= found.status < 500, found
    assert found.json["got"]
