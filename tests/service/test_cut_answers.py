"""An answer that is cut off failed on the way, wherever it is cut: it is never taken for whole."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from novikoff.errors import InputError
from novikoff.service import Client
from novikoff.service.append_log import AppendLog
from novikoff.service.following import LeaderConnection, begin_copy

LEARNED = b'{"examples":[{"round":7,"prediction":"spam"}]}'
JOB = b'{"id":1,"state":"done","rounds":7,"seconds":1.0,"certificate":"/v1/certificates/1"}'
MODEL = b"M" * 1000
SIZED = b"HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-length: %d\r\n\r\n%b"
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"


@contextmanager
def serving(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Give one answer per connection, and hang up; yield the address, and the requests so far."""
    requests = list[bytes]()

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as source:
                head = b"".join(iter(source.readline, b"\r\n"))
                size = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
                source.read(int(size or 0))
                requests.append(head)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        thread.join(timeout=60)
        assert not thread.is_alive(), "an answer was never asked for"


@pytest.mark.parametrize("form", [SIZED, CHUNKED], ids=["sized", "chunked"])
def test_a_request_is_sent_again_wherever_its_answer_is_cut(form: bytes) -> None:
    whole = form % (len(MODEL), MODEL)
    cuts = [whole[:size] for size in range(len(whole) - len(MODEL) + 3)]
    with serving(*(one for cut in cuts for one in (cut, whole))) as (url, requests):
        for _ in cuts:
            with Client(url, "t", retries=1, pause=0.0) as client:
                assert client.model() == MODEL
    assert len(requests) == 2 * len(cuts)


def test_what_is_learned_is_sent_again_with_its_key() -> None:
    whole = SIZED % (len(LEARNED), LEARNED)
    with (
        serving(whole[:30], whole[:17], whole) as (url, requests),
        Client(url, "t", pause=0.0) as client,
    ):
        assert client.learn({"w": 1.0}, "spam").round == 7
    assert len({head.partition(b"Idempotency-Key: ")[2][:32] for head in requests}) == 1


def test_a_certificate_is_whole() -> None:
    job, certificate = SIZED % (len(JOB), JOB), SIZED % (len(MODEL), MODEL)
    answers = (job[:40], job, certificate[:40], certificate)
    with serving(*answers) as (url, _), Client(url, "t", pause=0.0) as client:
        assert client.certify() == MODEL


def test_a_cut_answer_is_an_error_when_there_are_no_more_tries() -> None:
    with (
        serving(SIZED[:30]) as (url, _),
        Client(url, "t", retries=0) as client,
        pytest.raises(ConnectionError, match="got one that may be cut off"),
    ):
        client.model()


def test_a_follower_does_not_begin_with_a_cut_answer(tmp_path: object) -> None:
    log = AppendLog(str(tmp_path))
    try:
        with (
            serving(SIZED[:30]) as (url, _),
            pytest.raises(InputError, match=r"a leader that answers, got .* cut off"),
        ):
            begin_copy(log, LeaderConnection(url, "t"))
    finally:
        log.close()
