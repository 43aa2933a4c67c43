"""Crowds: connections that say nothing, as many as there may be, and one too many.

A service has so many idle connections, and must learn and predict as if they were not there. Then
it may have few open files, and more connections come than it can take: it must go on, refuse the
rest, take connections again when some have gone, and have lost nothing that it acknowledged.
"""

import json
import re
import resource
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from processes import WRITE, Server

SMALL = 300
_REQUESTS = 300
_FILES = 128  # open files that a service may have, in the second part
_SPAM = b'{"features": {"w": 1.0}, "label": "spam"}'


def campaign(size: int, seed: int) -> dict[str, int | float]:
    """Let so many connections wait; ``seed`` changes nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= size + 1000, f"seed {seed}: {hard} open files are too few for {size}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with tempfile.TemporaryDirectory() as name:
            found = _idle(Path(name) / "idle", size)
            _too_many(Path(name) / "few")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return found


def _idle(folder: Path, size: int) -> dict[str, int | float]:
    """Measure a service without and with idle connections."""
    server = Server(folder)
    try:
        before, alone = _resident(server), _slowest(server)
        began = time.monotonic()
        with _crowd(server, size) as crowd:
            opened = time.monotonic() - began
            after, beside = _resident(server), _slowest(server)
            last = crowd[-1]
            last.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert last.recv(1000).startswith(b"HTTP/1.1 200 ")
        with server.client() as client:
            assert client.receipt().rounds == 2 * _REQUESTS
    finally:
        assert server.stop() == 0
    return {
        "connections": size,
        "seconds to open": round(opened, 1),
        "megabytes before": before,
        "megabytes after": after,
        **{f"p99 ms of {path} alone": found for path, found in alone.items()},
        **{f"p99 ms of {path} beside": found for path, found in beside.items()},
    }


def _too_many(folder: Path) -> None:
    """Have more connections than a service may have open files."""
    server = Server(folder, files=_FILES)
    try:
        kept = _Kept(server)
        rounds = [kept.learned()]
        with _crowd(server, 3 * _FILES) as crowd:
            said = crowd[-1].recv(1000)
            assert said.startswith(b"HTTP/1.1 503 "), said
            assert b"expected at most 64 connections, got one more" in said
            rounds += [kept.learned() for _ in range(20)]  # who was there before is served
        rounds.append(_learned_again(server))
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (_FILES // 4, _FILES // 4))
        with _crowd(server, _FILES):  # now it has no file for a connection
            time.sleep(0.2)
            rounds += [kept.learned() for _ in range(20)]
        rounds.append(_learned_again(server))
        assert rounds == list(range(1, 44))
        kept.close()
    finally:
        assert server.stop() == 0
    again = Server(folder)
    try:
        with again.client() as client:
            assert client.receipt().rounds == 43
    finally:
        assert again.stop() == 0


def _learned_again(server: Server) -> int:
    """Learn over a new connection, as soon as there is one; return the round."""
    until = time.monotonic() + 30
    while True:
        try:
            found = server.call("POST", "/v1/learn", _SPAM)
        except OSError:
            assert time.monotonic() < until, "it takes no connections"
        else:
            if found.status == 200:
                return int(found.json["round"])
            assert (found.status, time.monotonic() < until) == (503, True), found
        time.sleep(0.1)


class _Kept:
    """A connection that stays open."""

    def __init__(self, server: Server) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)

    def learned(self) -> int:
        """Learn an example, and return its round."""
        return int(json.loads(self.sent("/v1/learn", _SPAM))["round"])

    def sent(self, path: str, body: bytes) -> bytes:
        """Send a request, and return the body of its answer."""
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITE}\r\n"
        self._socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        said = self._socket.recv(65536)
        assert said.startswith(b"HTTP/1.1 200 "), said
        return said.partition(b"\r\n\r\n")[2]

    def close(self) -> None:
        """Close it."""
        self._socket.close()


@contextmanager
def _crowd(server: Server, size: int) -> Iterator[list[socket.socket]]:
    """Open connections that say nothing."""
    with ExitStack() as stack:
        found = []
        for _ in range(size):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            found.append(stack.enter_context(one))
        yield found


def _slowest(server: Server) -> dict[str, float]:
    """Return the p99 of learning and predicting, one request after the other, in milliseconds."""
    found, kept = {}, _Kept(server)
    for path, body in (("learn", _SPAM), ("predict", b'{"features": {"w": 1.0}}')):
        times = []
        for _ in range(_REQUESTS):
            began = time.perf_counter()
            kept.sent(f"/v1/{path}", body)
            times.append(time.perf_counter() - began)
        found[path] = round(sorted(times)[int(0.99 * _REQUESTS)] * 1e3, 2)
    kept.close()
    return found


def _resident(server: Server) -> int:
    """Return the megabytes that the process has now."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) // 1024
