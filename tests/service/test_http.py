"""The service over HTTP: every endpoint, its tokens, its limits, and what it refuses."""

import asyncio
import json
import os
import resource
import signal
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import LABELS, new_model, running, wishes

import novikoff as nv
from novikoff import cli
from novikoff.saving.storage import digest_of
from novikoff.service import AsyncClient, Client, Example
from novikoff.service.endpoints import ENDPOINTS, Endpoint
from novikoff.service.refusals import Refusal
from novikoff.service.wishes import Example as Wish
from novikoff.streams.missing_values import Missing
from processes import READ, WRITE, Server

SPAM = b'{"features": {"w": 1.0}, "label": "spam"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(
        tmp_path_factory.mktemp("service"), "--max-body", "5000", "--max-batch", "5",
        "--max-features", "20", "--max-pending", "50", "--max-names", "1000",
    )  # fmt: skip
    try:
        yield found
        assert found.stop() == 0
    finally:
        found.process.kill()


def path_of(one: Endpoint) -> str:
    return one.path.replace("{id}", "1")


def rounds(server: Server) -> int:
    found = server.call("GET", "/v1/receipt").json["rounds"]
    assert isinstance(found, int)
    return found


def test_a_single_example_and_a_batch_are_learned(server: Server) -> None:
    before = rounds(server)
    found = server.call("POST", "/v1/learn", SPAM)
    assert (found.status, found.json) == (200, {"round": before + 1, "prediction": "spam"})
    found = server.call("POST", "/v1/learn", b'{"examples": [' + SPAM + b"," + SPAM + b"]}")
    assert [one["round"] for one in found.json["examples"]] == [before + 2, before + 3]
    assert rounds(server) == before + 3


def test_a_prediction_is_that_of_the_run_and_leaves_no_trace(server: Server) -> None:
    before = rounds(server)
    body = b'{"examples": [{"features": {"w": 1}}, {"features": {"v": "x"}}]}'
    found = server.call("POST", "/v1/predict", body, token=READ).json["examples"]
    one = server.call("POST", "/v1/predict", b'{"features": {"w": 1}}', token=READ).json
    assert found[0] == one
    model = server.call("GET", "/v1/model", token=READ)
    path = server.folder / "downloaded"
    path.write_bytes(model.body)
    run: nv.Run[nv.Blend] = nv.Run.load(path)
    assert one["probability"] == run.probability({"w": 1})
    assert found[1]["prediction"] == run.predict_one({"v": "x"})
    assert rounds(server) == before


def test_asks_are_told_later(server: Server) -> None:
    before = server.call("GET", "/v1/receipt").json
    asked = server.call("POST", "/v1/ask", b'{"features": {"w": 1.0}, "id": "mail/7 \xc3\xa9"}')
    assert asked.json["id"] == "mail/7 é"
    shown = server.call("GET", "/v1/asks/mail%2F7%20%C3%A9", token=READ).json
    assert shown["features"] == {"w": 1.0}
    assert shown["prediction"] == asked.json["prediction"]
    numbered = server.call("POST", "/v1/ask", b'{"features": {"w": 1.0}}').json["id"]
    assert server.call("GET", f"/v1/asks/{numbered}").json["id"] == numbered
    again = server.call("POST", "/v1/ask", b'{"features": {}, "id": "mail/7 \xc3\xa9"}')
    assert again.status == 409
    for id in ("mail/7 é", numbered):
        told = server.call("POST", "/v1/tell", json.dumps({"id": id, "label": "ham"}).encode())
        assert told.status == 200
    late = server.call("POST", "/v1/tell", b'{"id": "mail/7 \xc3\xa9", "label": "ham"}')
    assert late.status == 404
    receipt = server.call("GET", "/v1/receipt").json
    assert receipt["rounds"] == before["rounds"] + 2
    assert receipt["asks"]["told"] == before["asks"]["told"] + 2
    assert receipt["asks"]["pending"] == before["asks"]["pending"]


def test_a_key_counts_once(server: Server) -> None:
    before = rounds(server)
    found = [server.call("POST", "/v1/learn", SPAM, Idempotency_Key="day 1").json for _ in range(3)]
    assert found[0] == found[1] == found[2]
    batch = b'{"examples": [' + SPAM + b"," + SPAM + b"]}"
    for _ in range(2):
        server.call("POST", "/v1/learn", batch, Idempotency_Key="day 2")
    assert rounds(server) == before + 3
    other = SPAM.replace(b"1.0", b"2.0")
    assert server.call("POST", "/v1/learn", other, Idempotency_Key="day 1").status == 409


def test_the_model_has_its_digest_for_a_tag(server: Server) -> None:
    found = server.call("GET", "/v1/model")
    path = server.folder / "tagged"
    path.write_bytes(found.body)
    assert found.headers["etag"] == f'"{digest_of(path)}"'
    again = server.call("GET", "/v1/model", If_None_Match=found.headers["etag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "one", [one for one in ENDPOINTS if not one.form], ids=lambda one: f"{one.method} {one.path}"
)
def test_every_endpoint_asks_for_its_token(server: Server, one: Endpoint) -> None:
    before = rounds(server)
    for token in (None, "no-such-token", ""):
        found = server.call(one.method, path_of(one), b"{}" if one.takes else None, token=token)
        if one.access is None:
            assert found.status == 200
        else:
            assert found.status == 401
            assert found.headers["www-authenticate"] == "Bearer"
            assert found.json["where"] == "Authorization"
    read = server.call(one.method, path_of(one), b"{" if one.takes else None, token=READ)
    assert (read.status == 403) == (one.access == "write")
    assert rounds(server) == before


@pytest.mark.parametrize("one", [one for one in ENDPOINTS if one.takes], ids=lambda one: one.path)
def test_every_body_has_a_largest_size(server: Server, one: Endpoint) -> None:
    before = rounds(server)
    found = server.call(one.method, one.path, b" " * 5001)
    assert found.status == 413
    assert found.json["expected"] == "at most 5,000 bytes"
    with socket.create_connection(("127.0.0.1", server.port)) as raw:  # without its length
        head = f"POST {one.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITE}\r\n"
        raw.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n1388\r\n".encode())
        raw.sendall(b" " * 5000 + b"\r\n10\r\n" + b" " * 16 + b"\r\n0\r\n\r\n")
        assert b" 413 " in raw.recv(1000).split(b"\r\n")[0]
    assert rounds(server) == before


BAD = {
    "nothing": b"",
    "not JSON": b"{",
    "another type": b"[1]",
    "a stranger": b'{"features": {"w": 1.0}, "id": "x", "label": "spam", "colour": 1}',
    "a number for features": b'{"features": 7, "label": "spam"}',
    "null": b'{"features": {"w": null}, "label": "spam"}',
    "too large a number": b'{"features": {"w": 1e999}, "label": "spam"}',
    "not UTF-8": b'{"features": {"\xff": 1.0}, "label": "spam"}',
    "half a pair": b'{"features": {"\\ud800": 1.0}, "label": "spam"}',
    "deep": b'{"features": ' + b'{"a":' * 900 + b"1",
    "a bad batch": b'{"examples": [{"features": 1}]}',
    "a clash": b'{"features": {"a": "b", "a=b": 1}}',
    "a label": b'{"features": {"w": 1.0}, "label": "eggs"}',
    "a weight": b'{"features": {"w": 1.0}, "label": "spam", "weight": 3}',
    "an id": b'{"id": "nobody", "label": "spam"}',
    "an id and a label": b'{"id": "nobody", "label": "eggs"}',
    "a key": b'{"features": {"w": 1.0}, "id": [], "label": "spam", "key": ""}',
    "an object for an id": b'{"id": {}, "label": "spam", "features": {}}',
    "features": json.dumps({"features": {str(i): 1 for i in range(21)}, "label": "spam"}).encode(),
    "a batch": b'{"examples": [' + b",".join([SPAM] * 6) + b"]}",
    "questions": b'{"examples": [' + b",".join([b'{"features": {}}'] * 6) + b"]}",
    "answers": b'{"examples": [' + b",".join([b'{"id": 1, "label": "spam"}'] * 6) + b"]}",
}


@pytest.mark.parametrize("path", ["/v1/learn", "/v1/ask", "/v1/tell", "/v1/predict"])
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_its_place_and_changes_nothing(
    server: Server, path: str, name: str
) -> None:
    before = server.call("GET", "/v1/receipt").json["covers"]["last_sequence"]
    found = server.call("POST", path, BAD[name])
    assert 400 <= found.status < 500, found
    for part in ("error", "where", "expected", "got"):
        assert found.json[part]
    assert server.call("GET", "/v1/receipt").json["covers"]["last_sequence"] == before


@pytest.mark.parametrize("path", ["/v1/asks/nobody", "/v1/certify/99", "/v1/certificates/99"])
def test_what_is_not_there_is_404(server: Server, path: str) -> None:
    assert server.call("GET", path).status == 404


@pytest.mark.parametrize(
    "path", ["/v1/certificates/..%2f..%2fmodel", "/v1/certificates/x", "/../tokens", "/v2", "/v1/"]
)
def test_no_path_of_a_request_names_a_file(server: Server, path: str) -> None:
    assert server.call("GET", path).status in (404, 422)


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: one.path)
def test_other_methods_are_refused(server: Server, one: Endpoint) -> None:
    if one.path != "/v1/certify":
        for method in ("GET" if one.method == "POST" else "POST", "PUT", "DELETE", "TRACE"):
            found = server.call(method, path_of(one), b"")
            assert found.status == 405
            assert one.method in found.headers["allow"].split(", ")


def test_too_many_asks_are_429(server: Server) -> None:
    statuses = []
    for _ in range(12):
        found = server.call("POST", "/v1/ask", b'{"examples": [' + b'{"features": {}},' * 4 +
                            b'{"features": {}}]}')  # fmt: skip
        statuses.append(found.status)
    assert statuses[-1] == 429
    assert found.headers["retry-after"] == "1"
    for id in [one for one in range(1, 200) if server.call("GET", f"/v1/asks/{one}").status == 200]:
        server.call("POST", "/v1/tell", json.dumps({"id": id, "label": "ham"}).encode())


def test_a_client_that_dies_mid_body_changes_nothing(server: Server) -> None:
    before = rounds(server)
    for size in (0, 1, 20):
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            head = f"POST /v1/learn HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITE}\r\n"
            raw.sendall(f"{head}Content-Length: {len(SPAM)}\r\n\r\n".encode() + SPAM[:size])
    assert server.call("POST", "/v1/learn", SPAM).json["round"] == before + 1


def test_health_and_readiness_are_open(server: Server) -> None:
    assert server.call("GET", "/healthz", token=None).json["status"] == "ok"
    assert server.call("GET", "/readyz", token=None).json["status"] == "ok"


def test_metrics_count(server: Server) -> None:
    server.call("POST", "/v1/learn", SPAM)
    page = server.call("GET", "/metrics").body.decode()
    assert f"novikoff_rounds_total {float(rounds(server))}" in page
    assert 'novikoff_requests_total{path="/v1/learn",status="200"}' in page
    assert "novikoff_commits_total" in page


def test_the_schema_describes_every_endpoint(server: Server) -> None:
    page = server.call("GET", "/openapi.json").json
    assert page["openapi"].startswith("3.1")
    assert set(page["paths"]) == {one.path for one in ENDPOINTS}
    example = page["components"]["schemas"]["Example"]
    assert set(example["properties"]) == {one.name for one in msgspec.structs.fields(Example)}


def test_the_async_client_learns_at_once(server: Server) -> None:
    async def learned() -> list[int]:
        async with AsyncClient(server.url, WRITE) as client:
            found = await asyncio.gather(*(client.learn({"w": 1.0}, "spam") for _ in range(20)))
            assert (await client.predict([{"w": 1.0}]))[0].prediction == "spam"
            return sorted(one.round for one in found)

    before = rounds(server)
    assert asyncio.run(learned()) == list(range(before + 1, before + 21))


OPEN = ("features", "probability", "mistakes_by_label", "rounds_by_label", "offsets", "lag")
"""Objects whose names are the user's."""


def with_more(value: Any) -> Any:
    """Return an answer as a later service may give it: with another field in every object."""
    if isinstance(value, list):
        return [with_more(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: one if name in OPEN else with_more(one) for name, one in value.items()}
    return found | {"later": {"x": 1}}


def test_a_client_reads_the_answers_of_a_later_service(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example has been learned by then, so an error would have it sent again."""
    sent = Client._sent

    def later(*given: Any) -> bytes:
        body = sent(*given)
        return json.dumps(with_more(json.loads(body))).encode() if body[:1] == b"{" else body

    monkeypatch.setattr(Client, "_sent", later)
    before = rounds(server)
    with server.client() as client:
        assert client.learn({"w": 1.0}, "spam").round == before + 1
        assert client.ask({"w": 1.0}, "later").id == client.pending("later").id == "later"
        assert client.tell("later", "spam").round == before + 2
        assert client.predict([{"w": 1.0}])[0].prediction == "spam"
        assert client.receipt().rounds == before + 2

    async def learned() -> int:
        async with AsyncClient(server.url, WRITE) as client:
            return (await client.learn({"w": 1.0}, "spam")).round

    assert asyncio.run(learned()) == before + 3


@pytest.mark.parametrize("body", [b"<html>welcome</html>", b"", b"[]", b"{}", b'{"round": \xff}'])
def test_a_client_says_who_answered(
    server: Server, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    """Another program behind the address, or a proxy, answers 200 with a page of its own."""
    monkeypatch.setattr(Client, "_sent", lambda *given: body * 1000)
    with server.client() as client:
        for path, call in (
            ("/v1/learn", lambda: client.learn({"w": 1.0}, "spam")),
            ("/v1/asks/a", lambda: client.pending("a")),
            ("/v1/certify", client.certify),
        ):
            with pytest.raises(Refusal, match=path) as error:
                call()
            assert "expected an answer of novikoff's service, got b" in str(error.value)
            assert len(str(error.value)) < 500
            assert error.value.status == 502


def test_tokens_are_hashed_and_rotate_on_sighup(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        file = tmp_path / "tokens"
        assert WRITE not in file.read_text()
        assert file.read_text().count("sha256:") == 2
        file.write_text("# new\nwrite another-token\n")
        os.kill(server.process.pid, signal.SIGHUP)
        for _ in range(500):
            if server.call("GET", "/v1/receipt", token="another-token").status == 200:
                break
            time.sleep(0.01)
        assert server.call("GET", "/v1/receipt", token="another-token").status == 200
        assert server.call("GET", "/v1/receipt", token=WRITE).status == 401
        file.write_text("nonsense of all kinds\n")
        os.kill(server.process.pid, signal.SIGHUP)
        server.call("GET", "/healthz")
        assert server.call("GET", "/v1/receipt", token="another-token").status == 200
        assert stat.S_IMODE(os.stat(server.log / "lock").st_mode) == 0o600
    finally:
        assert server.stop() == 0


def test_a_day_is_asked_told_killed_started_and_certified(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        with server.client() as client:
            for number in range(60):
                word = "free" if number % 3 == 0 else "home"
                client.ask({word: 1.0, "the": 2.0}, f"mail {number}")
            for number in range(60):
                client.tell(f"mail {number}", "spam" if number % 3 == 0 else "ham")
            before = client.receipt()
        server.kill()
        server = Server(tmp_path)
        with server.client(READ) as client:
            assert client.receipt() == before
            with pytest.raises(Refusal, match="a token that may write"):
                client.learn({"w": 1.0}, "spam")
        with server.client() as client:
            certificate = tmp_path / "day.json"
            certificate.write_bytes(client.certify())
        verdict = nv.verify(nv.Certificate.load(certificate), nv.read(server.log))
        assert verdict.verified, verdict.reason
        run = nv.play(nv.Blend(), nv.read(server.log))
        assert (run.ledger.rounds, run.mistakes) == (60, before.mistakes)
    finally:
        assert server.stop() == 0
    assert server.events[-1]["event"].startswith("Finished")


def test_a_disk_that_takes_no_more_is_507_and_predictions_go_on(tmp_path: Path) -> None:
    """The kernel refuses to let files grow, as if the disk were full, and then allows it again."""
    server = Server(tmp_path)
    try:
        assert server.call("POST", "/v1/learn", SPAM).status == 200
        unlimited = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (30, unlimited[1]))
        for _ in range(3):
            found = server.call("POST", "/v1/learn", SPAM)
            assert found.status == 507
            assert "Nothing was learned" in found.json["error"]
        assert server.call("GET", "/readyz", token=None).status == 503
        assert server.call("POST", "/v1/predict", b'{"features": {"w": 1}}').status == 200
        assert rounds(server) == 1
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, unlimited)
        assert server.call("POST", "/v1/learn", SPAM).json["round"] == 2
        assert server.call("GET", "/readyz", token=None).status == 200
        server.kill()
        server = Server(tmp_path)
        assert rounds(server) == 2
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("ending", ["svm", "jsonl", "parquet"])
def test_an_exported_log_has_the_same_rounds(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        for parts in wishes(80):
            engine.wish(parts)
        mistakes, played = engine.replica.run.mistakes, engine.replica.run.ledger.rounds
    output = tmp_path / f"out.{ending}"
    assert cli.main(["log", "export", str(tmp_path / "log"), str(output), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rounds"], said["bytes"]) == (played, output.stat().st_size)
    assert said["remarks"] == []
    missing: Missing | None = "zero" if ending == "parquet" else None
    again = nv.play(nv.Blend(), nv.read(output, missing=missing, labels=LABELS))
    assert (again.ledger.rounds, again.mistakes) == (played, mistakes)
    assert again.ledger.loss == nv.play(nv.Blend(), nv.read(tmp_path / "log")).ledger.loss


@pytest.mark.parametrize("played", [0, 2])
def test_an_exported_log_hashes_names_as_the_run_does(tmp_path: Path, played: int) -> None:
    run = nv.Run(nv.Blend(hashing=nv.Hashing(6)), labels=LABELS)
    for _ in range(played):
        run.learn({"w1": 1.0}, "spam")
    run.save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.wish([Wish({"w1": 2.0, "kind": "a"}, "spam")])
    output = tmp_path / "out.svm"
    assert cli.main(["log", "export", str(tmp_path / "log"), str(output)]) == 0
    _, indices, values = run.learner.features.encode([{"w1": 2.0, "kind": "a"}], 0, 1, False)
    pairs = [pair.split(":") for pair in output.read_text().split()[1:]]
    found = [(int(j) - 1, float(v)) for j, v in pairs]
    assert [pair for pair in found if pair[1]] == [*zip(indices, values, strict=True)]
